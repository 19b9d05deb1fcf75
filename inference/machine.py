"""What this machine is: its cores and its memory."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from pathlib import Path

_CGROUPS = Path("/sys/fs/cgroup")


def default_threads() -> int:
    """One thread fewer than the physical cores this process may use, at least one.

    llama.cpp's threads spin while they wait: with a thread on every core, one other busy process slows it to a third.
    """
    allowed = min(physical_cores(), allowed_cores(), cgroup_cores() or math.inf)
    return max(1, math.ceil(allowed) - 1)


def physical_cores() -> int:
    """Cores that are there, hyper-threads not counted."""
    import psutil  # a heavy import, for those who only need the engine's words

    return psutil.cpu_count(logical=False) or psutil.cpu_count() or 1


def allowed_cores() -> int:
    """Processors this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def cgroup_cores(folder: Path = _CGROUPS) -> float | None:
    """Processors' worth of time that a container is given; `None` where there is no such limit."""
    version_2 = _first_line(folder / "cpu.max").split()
    if len(version_2) == 2 and version_2[0].isdigit():
        return int(version_2[0]) / int(version_2[1])
    quota = _first_line(folder / "cpu" / "cpu.cfs_quota_us")
    period = _first_line(folder / "cpu" / "cpu.cfs_period_us")
    if quota.isdigit() and period.isdigit():
        return int(quota) / int(period)
    return None


def free_memory() -> int:
    """Bytes the system can give without swapping."""
    import psutil

    return int(psutil.virtual_memory().available)


def available_memory(folder: Path = _CGROUPS, free: Callable[[], int] = free_memory) -> int:
    """Bytes that can be had now: what the system has free, or less where a container may not use it all."""
    limit, used = _first_line(folder / "memory.max"), _first_line(folder / "memory.current")
    if not limit:
        limit = _first_line(folder / "memory" / "memory.limit_in_bytes")
        used = _first_line(folder / "memory" / "memory.usage_in_bytes")
    if limit.isdigit() and used.isdigit():
        return max(0, min(free(), int(limit) - int(used)))
    return free()


def _first_line(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").partition("\n")[0].strip()
    except (OSError, UnicodeDecodeError):
        return ""

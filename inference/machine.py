"""What this machine is: its cores and its memory, as far as this process may use them.

A container's share counts, not the machine it runs on. `root` is where the system's own files hang; tests put their own
there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

_ROOT = Path("/")
_UNLIMITED = 1 << 60  # cgroup v1 writes "no limit" as a number of this kind


class DeviceKind(StrEnum):
    """What a device is."""

    CPU = "cpu"
    GPU = "gpu"  # with memory of its own
    INTEGRATED = "integrated"  # a GPU that shares the system's memory
    OTHER = "other"  # helps the CPU along, or several devices as one


@dataclass(frozen=True, slots=True)
class Device:
    """Something that llama.cpp can compute on. `free` and `total` are bytes of its memory, as it said when asked."""

    name: str  # "CPU", "CUDA0"
    description: str  # "NVIDIA GeForce RTX 4070"
    kind: DeviceKind
    free: int
    total: int


def default_threads() -> int:
    """One thread fewer than the physical cores this process may use, at least one.

    llama.cpp's threads spin while they wait: with one on every core, a single other busy process slows all of them to a
    third.
    """
    return threads_for(physical_cores(), allowed_processors(), processor_quota())


def threads_for(cores: int, allowed: int, quota: float | None) -> int:
    """The rule of `default_threads`, for `cores` of which `allowed` may be used, for `quota` processors' time."""
    usable = min(cores, allowed) if quota is None else min(cores, allowed, int(quota))
    return max(1, usable - 1)


def physical_cores() -> int:
    """Cores of this machine, hyper-threads not counted."""
    import psutil

    return psutil.cpu_count(logical=False) or psutil.cpu_count() or 1


def allowed_processors() -> int:
    """Processors this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def processor_quota(root: Path = _ROOT) -> float | None:
    """Processors' worth of time this process's control groups grant; `None` where there is no such limit."""
    quotas = [quota for folder in _groups(root, "cpu") if (quota := _quota_of(folder)) is not None]
    return min(quotas, default=None)


def available_memory(root: Path = _ROOT) -> int:
    """Bytes this process can still take without swapping."""
    import psutil

    free = psutil.virtual_memory().available
    left = [rest for folder in _groups(root, "memory") if (rest := _memory_left(folder)) is not None]
    return min([free, *left])


def load_average() -> float | None:
    """Processes that ran or wanted to, on average over the last minute; `None` where the system does not count them."""
    import psutil

    try:
        return psutil.getloadavg()[0]
    except OSError:
        return None


def clock_megahertz() -> float | None:
    """How fast the processors run now; `None` where the system does not say."""
    import psutil

    try:
        now = psutil.cpu_freq()
    except (OSError, RuntimeError, NotImplementedError):  # containers and virtual machines often hide it
        return None
    # Where nothing is known, psutil gives nothing at all, or a zero.
    current = getattr(now, "current", None)
    return float(current) if current else None


def busy_seconds() -> tuple[float, float]:
    """Seconds that processors have worked since the system began: for anybody, and for this process."""
    import psutil

    every, own = psutil.cpu_times(), psutil.Process().cpu_times()
    return sum(every) - every.idle - getattr(every, "iowait", 0.0) - _counted_twice(every), own.user + own.system


def _counted_twice(times: object) -> float:
    """Guests' time is a part of their hosts'."""
    return float(getattr(times, "guest", 0.0) + getattr(times, "guest_nice", 0.0))


def _groups(root: Path, controller: str) -> Iterator[Path]:
    """The folders of the control groups this process is in, the innermost first: each may set a limit of its own."""
    mounts = root / "sys/fs/cgroup"
    for line in _lines(root / "proc/self/cgroup"):
        _, controllers, path = line.split(":", 2) if line.count(":") >= 2 else ("", "-", "")
        if controllers and controller not in controllers.split(","):
            continue
        # Version 2 has one tree; version 1 has one for each controller.
        tree = mounts / controller if controllers else mounts
        group = tree / path.strip("/")
        # A container often sees its own group as the tree's root, but the path that the host gave it.
        yield from (folder for folder in (group, *group.parents) if folder.is_relative_to(tree))


def _quota_of(folder: Path) -> float | None:
    quota, period = (
        _words(folder / "cpu.max", 2)
        or (
            *_words(folder / "cpu.cfs_quota_us", 1),
            *_words(folder / "cpu.cfs_period_us", 1),
        )
        or ("", "")
    )
    return int(quota) / int(period) if quota.isdigit() and period.isdigit() and int(period) else None


def _memory_left(folder: Path) -> int | None:
    version_2 = _number(folder / "memory.max"), _number(folder / "memory.current"), "inactive_file"
    version_1 = (
        _number(folder / "memory.limit_in_bytes"),
        _number(folder / "memory.usage_in_bytes"),
        "total_inactive_file",
    )
    for limit, used, reclaimable in (version_2, version_1):
        if limit is not None and used is not None and limit < _UNLIMITED:
            # Files that were read count as used, but are given up when memory is wanted.
            return max(0, limit - used + _statistic(folder / "memory.stat", reclaimable))
    return None


def _statistic(path: Path, name: str) -> int:
    words = (line.split() for line in _lines(path))
    return next((int(pair[1]) for pair in words if len(pair) == 2 and pair[0] == name and pair[1].isdigit()), 0)


def _number(path: Path) -> int | None:
    word = next(iter(_words(path, 1)), "")
    return int(word) if word.isdigit() else None


def _words(path: Path, count: int) -> tuple[str, ...]:
    """The words of a file's first line, where it has just so many."""
    words = tuple(next(iter(_lines(path)), "").split())
    return words if len(words) == count else ()


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []

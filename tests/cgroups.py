"""Groups of processes with a limit on the memory that they take together, where this process may make them."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_ROOT = Path("/sys/fs/cgroup")


class MemoryGroup:
    """One such group; `before` is a command that starts another within it."""

    def __init__(self, folder: Path, limit: str, swap: str, events: str) -> None:
        self._folder = folder
        self._limit = folder / limit
        self._swap = folder / swap
        self._events = folder / events
        self.before = ("sh", "-c", f'echo $$ > "{folder}/cgroup.procs" && exec "$@"', "sh")

    def limit(self, megabytes: int) -> None:
        """Give its processes so much and no swap; the kernel ends one that takes more."""
        self._limit.write_text(str(megabytes << 20))
        if self._swap.exists():
            self._swap.write_text("0")

    @property
    def kills(self) -> int:
        """How many of its processes the kernel ended because of the limit."""
        values = dict(line.split() for line in self._events.read_text().splitlines())
        return int(values["oom_kill"])

    def used(self) -> int:
        """Megabytes that its processes take."""
        name = "memory.current" if (self._folder / "memory.current").exists() else "memory.usage_in_bytes"
        return int((self._folder / name).read_text()) >> 20


@contextmanager
def memory_group(name: str) -> Iterator[MemoryGroup]:
    """One that is there until the end of the block. The test that asks is skipped where that may not be."""
    second = _ROOT / "cgroup.controllers"  # of the second version of cgroups
    parent = _ROOT if second.exists() else _ROOT / "memory"
    folder = parent / f"headwater-{os.getpid()}-{name}"
    try:
        if second.exists():
            (_ROOT / "cgroup.subtree_control").write_text("+memory")
        folder.mkdir()
    except OSError as error:
        pytest.skip(f"needs the right to make a memory cgroup: {error}")
    try:
        if second.exists():
            yield MemoryGroup(folder, "memory.max", "memory.swap.max", "memory.events")
        else:
            yield MemoryGroup(folder, "memory.limit_in_bytes", "memory.swappiness", "memory.oom_control")
    finally:
        _remove(folder)


def _remove(folder: Path) -> None:
    """Its processes have been waited for; the kernel forgets them a moment later."""
    end = time.monotonic() + 10
    while True:
        try:
            folder.rmdir()
        except OSError:
            if time.monotonic() > end:
                raise
        else:
            return

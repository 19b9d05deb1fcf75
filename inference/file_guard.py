"""Keeps a model's file as it is while a reply is read from it.

llama.cpp maps the file: where it is cut short, the next look at what is gone ends the process. On Linux a lease makes
whoever wants to write into the file wait until it is given back, for as long as a reply needs to notice, and for the
kernel's `lease-break-time` at most, 45 seconds. Where there is none to be had (another system, another person's file,
one that somebody writes into already) nothing is guarded.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from inference.model import StopFlag

if sys.platform == "linux":
    import fcntl

_GLANCE = 0.25  # seconds


class FileGuard:
    """Holds leases of these files until it is closed."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self._held = [descriptor for path in paths if (descriptor := _leased(path)) is not None]
        self.has_stopped = False  # what was to be stopped for whoever waits

    @property
    def is_held(self) -> bool:
        """Whether any of the files is guarded."""
        return bool(self._held)

    @property
    def is_wanted(self) -> bool:
        """Whether somebody waits to write into one of them. It costs a microsecond for each."""
        return any(_is_wanted(descriptor) for descriptor in self._held)

    @contextmanager
    def stopping(self, flag: StopFlag) -> Iterator[None]:
        """Meanwhile have the flag raised where somebody waits: a batch of a large model may take longer than the kernel
        has anybody wait, and only the flag is looked at inside one."""
        ended = threading.Event()
        watcher = threading.Thread(target=self._watch, args=(flag, ended), name="file-guard", daemon=True)
        if not self.is_held or not _has_begun(watcher):
            yield
            return
        try:
            yield
        finally:
            ended.set()
            watcher.join()

    def _watch(self, flag: StopFlag, ended: threading.Event) -> None:
        while not self.is_wanted:
            if ended.wait(_GLANCE):
                return
        self.has_stopped = True
        flag.set()

    def close(self) -> None:
        """Let whoever waits go on."""
        for descriptor in self._held:
            os.close(descriptor)
        self._held.clear()

    def __enter__(self) -> FileGuard:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _has_begun(thread: threading.Thread) -> bool:
    try:
        thread.start()
    except RuntimeError:  # there is no memory for another: it goes without
        return False
    return True


def _leased(path: Path) -> int | None:
    if sys.platform != "linux":
        return None
    try:
        # Without O_NONBLOCK a pipe of that name would be waited for, for ever.
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        # Whoever wants to write has the kernel send a signal. The usual one, SIGIO, would end the process; this one is
        # ignored by who does not ask for it.
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def _is_wanted(descriptor: int) -> bool:
    if sys.platform != "linux":
        return False
    with suppress(OSError):
        # While somebody waits, the lease is said to be what it must become.
        return fcntl.fcntl(descriptor, fcntl.F_GETLEASE) != fcntl.F_RDLCK
    return False

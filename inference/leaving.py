"""Threads that are left in order: what was left open is closed when the interpreter ends.

A daemon thread inside llama.cpp crashes the interpreter's exit, another kind of thread would block it for ever.
"""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol


class Closable(Protocol):
    """Something with a thread of its own."""

    def close(self) -> None: ...


class Worker:
    """A daemon thread whose end can be waited for, again where that is interrupted.

    `Thread.join` takes a thread for ended once Ctrl-C interrupted it (before Python 3.13).
    """

    def __init__(self, work: Callable[[], None], name: str) -> None:
        self._work = work
        self._ended = threading.Event()
        self._process = os.getpid()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    @property
    def is_here(self) -> bool:
        """Whether this is the thread's own process: a forked one is without it, and may find its locks held."""
        return self._process == os.getpid()

    def start(self) -> None:
        try:
            self._thread.start()
        except RuntimeError:  # the system gives no more threads; nobody need wait for this one
            self._ended.set()
            raise

    def wait(self, seconds: float | None = None) -> None:
        """Until the thread has done its work, or so long; the thread itself does not wait."""
        if self.is_here and threading.current_thread() is not self._thread:
            self._ended.wait(seconds)

    def _run(self) -> None:
        try:
            self._work()
        finally:
            self._ended.set()


def closed_at_exit(thing: Closable) -> Callable[[], None]:
    """Have `thing` closed at the interpreter's exit, if it is still there; call the result once it was closed."""

    def close() -> None:
        closed = False
        while not closed and (alive := reference()) is not None:
            # Impatience must not end in a crash; what works is stopping already.
            with suppress(KeyboardInterrupt):
                alive.close()
                closed = True

    def forget(_gone: object = None) -> None:
        atexit.unregister(close)

    reference = weakref.ref(thing, forget)
    atexit.register(close)
    return forget

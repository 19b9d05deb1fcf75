"""What was left open is closed when the interpreter ends.

A daemon thread inside llama.cpp crashes the interpreter's exit, another kind of thread would block it for ever.
"""

from __future__ import annotations

import atexit
import weakref
from collections.abc import Callable
from typing import Protocol


class Closable(Protocol):
    """Something with a thread of its own."""

    def close(self) -> None: ...


def closed_at_exit(thing: Closable) -> Callable[[], None]:
    """Have `thing` closed at the interpreter's exit, if it is still there; call the result once it was closed."""
    reference = weakref.ref(thing)

    def close() -> None:
        if (alive := reference()) is not None:
            alive.close()

    atexit.register(close)

    def forget() -> None:
        atexit.unregister(close)

    return forget

"""Faults of our own: what is said of them, and where they are told without the end of the thread they come up on."""

from __future__ import annotations

import threading

from inference.errors import EngineFault, InferenceError, MemoryShort
from inference.shortage import is_shortage


def tell_fault(error: Exception) -> None:
    """Hand an exception that nobody foresaw to `threading.excepthook`.

    The loop that caught it goes on: what it was about has failed, and the next may do better.
    """
    thread = threading.current_thread()
    threading.excepthook(threading.ExceptHookArgs((type(error), error, error.__traceback__, thread)))


def fault_of(error: BaseException) -> InferenceError:
    """What whoever waits is told of an exception that nobody foresaw."""
    import traceback  # hardly any start needs it

    if is_shortage(error):
        return MemoryShort()
    return EngineFault(f"{type(error).__name__}: {error}", "".join(traceback.format_exception(error)))

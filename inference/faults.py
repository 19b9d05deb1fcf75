"""Tells a fault of our own where the end of a thread would tell it, without the thread's end."""

from __future__ import annotations

import threading


def tell_fault(error: Exception) -> None:
    """Hand an exception that nobody foresaw to `threading.excepthook`.

    The loop that caught it goes on: what it was about has failed, and the next may do better.
    """
    thread = threading.current_thread()
    threading.excepthook(threading.ExceptHookArgs((type(error), error, error.__traceback__, thread)))

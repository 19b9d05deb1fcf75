"""Lets the program end though one of its threads does not: what that waits for may never come from the system."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from threading import Thread
from time import monotonic
from typing import NoReturn

# For all threads together. A busy machine takes some seconds to free a model, and to write what is kept of its states.
LEAVING_SECONDS = 20.0
_LEAST_SECONDS = 1.0  # for each, also where one before it took all of them
_log = logging.getLogger(__name__)


class Departure:
    """Closes what has threads, and waits for them hardly longer than `seconds` in all."""

    def __init__(self, seconds: float = LEAVING_SECONDS) -> None:
        self.is_stuck = False  # whether something did not end; then Python cannot end by itself either
        self._seconds = seconds
        self._deadline: float | None = None

    def close(self, what: str, close: Callable[[], object]) -> None:
        """Call `close`, on a thread of its own; `what` names it in the log, where it does not return."""
        if self._deadline is None:
            self._deadline = monotonic() + self._seconds
        failed: list[Exception] = []
        thread = Thread(target=partial(_call, close, failed), name=f"closes {what}", daemon=True)
        try:
            thread.start()
        except RuntimeError:  # the system gives no more threads
            close()
            return
        thread.join(max(_LEAST_SECONDS, self._deadline - monotonic()))
        if thread.is_alive():
            self.is_stuck = True
            _log.warning(
                "%s did not end within %g seconds: it waits for the system, as for a disk that does not answer. "
                "Headwater ends without it; what was said is kept.",
                what,
                self._seconds,
            )
        if failed:
            raise failed[0]


def _call(close: Callable[[], object], failed: list[Exception]) -> None:
    try:
        close()
    except Exception as error:  # noqa: BLE001 - the crash hook's, to which it is raised again where it is waited for
        failed.append(error)


def end_at_once(status: int) -> NoReturn:
    """End this process, whatever its threads do. Python itself would wait for them, or end in the middle of them."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(status)

"""What is asked of the remote engine, on its way to the engine's thread."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from inference.bounds import Proxy
from inference.configuration import RemoteModel
from inference.errors import EngineClosed
from inference.events import Event, RemoteModelEvent
from inference.ids import RequestId
from inference.requests import GenerationRequest

Clock = Callable[[], float]
Emit = Callable[[Event | RemoteModelEvent], None]
KeyOf = Callable[[str], str | None]
"""The key for the server at a base URL, `None` where it needs none. Asked for each request, on the engine's thread."""
WayOut = Callable[[], Proxy]
"""The way to other computers as it is now. Asked for each request, on the engine's thread."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a server is waited for, in seconds.

    `silence` is long: a server may read a long prompt for minutes, or have others before this one, and say nothing.
    """

    connect: float = 10.0
    silence: float = 1800.0
    ending: float = 5.0  # for its figures, once the text is whole


@dataclass(frozen=True, slots=True)
class Look:
    """Ask a server what it says of a model."""

    model: RemoteModel


Job = GenerationRequest | Look


@dataclass(frozen=True, slots=True)
class Batch:
    """What came since the last time, in order; what is cancelled came as a job before, in this batch or earlier."""

    jobs: tuple[Job, ...]
    cancelled: tuple[RequestId, ...]
    closing: bool


class Inbox:
    """Filled from any thread, emptied by one."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # whoever holds it may be made to close it, by the garbage collector
        self._jobs: list[Job] = []
        self._cancelled: list[RequestId] = []
        self._closing = False
        self._wake: Callable[[], None] | None = None

    def put(self, job: Job) -> None:
        """Raises EngineClosed after `close`."""
        with self._lock:
            if self._closing:
                raise EngineClosed
            self._jobs.append(job)
            self._call()

    def cancel(self, request: RequestId) -> None:
        with self._lock:
            self._cancelled.append(request)
            self._call()

    def close(self) -> None:
        with self._lock:
            self._closing = True
            self._call()

    def wake_with(self, wake: Callable[[], None] | None) -> None:
        """Have `wake` called, on whichever thread, whenever there is something to take."""
        with self._lock:
            self._wake = wake

    def take(self) -> Batch:
        with self._lock:
            batch = Batch(tuple(self._jobs), tuple(self._cancelled), self._closing)
            self._jobs.clear()
            self._cancelled.clear()
            return batch

    def _call(self) -> None:
        if self._wake is not None:
            self._wake()

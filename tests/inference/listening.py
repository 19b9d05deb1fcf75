"""Hears all that an engine says, so that a test can wait for it."""

from __future__ import annotations

import threading
from collections.abc import Callable

from inference.events import Event, GenerationFailed, GenerationFinished, RemoteModelEvent
from inference.ids import RequestId

PATIENCE = 30.0  # seconds; only a broken engine takes them


class Listener:
    """Keeps every event, and lets a test wait for one."""

    def __init__(self) -> None:
        self.events: list[Event | RemoteModelEvent] = []
        self.threads: set[str] = set()
        self._came = threading.Condition()

    def __call__(self, event: Event | RemoteModelEvent) -> None:
        with self._came:
            self.events.append(event)
            self.threads.add(threading.current_thread().name)
            self._came.notify_all()

    def wait_for(self, wanted: Callable[[Event | RemoteModelEvent], bool]) -> Event | RemoteModelEvent:
        with self._came:
            assert self._came.wait_for(lambda: any(map(wanted, self.events)), PATIENCE), self.events
            return next(filter(wanted, self.events))

    def last_of(self, request: RequestId) -> GenerationFinished | GenerationFailed:
        event = self.wait_for(lambda e: isinstance(e, GenerationFinished | GenerationFailed) and e.request == request)
        assert isinstance(event, GenerationFinished | GenerationFailed)
        return event

    def of(self, request: RequestId) -> list[Event | RemoteModelEvent]:
        return [event for event in self.events if getattr(event, "request", None) == request]

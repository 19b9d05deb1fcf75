"""The one place where other threads meet Qt's.

An engine posts its events from its own thread, and so does the counter of drafts, at the cost of an append; Qt's
thread takes them out in the order they came. While text is being written that happens once a frame; what somebody
waits for (the first text, an end, progress, anything about a model) wakes Qt's thread at once. When nothing is being
written nothing ticks.
"""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal

import inference

FRAME_MILLISECONDS = 33

if TYPE_CHECKING:
    from desktop.devices import DevicesListed
    from desktop.errands import Post
    from desktop.file_reader import FileRead
    from desktop.import_reader import ConversationsRead
    from desktop.secrets import KeysKept
    from inference import RequestId

    Posted = (
        inference.Event
        | inference.RemoteModelEvent
        | inference.TokenCount
        | KeysKept
        | DevicesListed
        | FileRead
        | ConversationsRead
        | Post
    )


class EngineBridge(QObject):
    """Carries events from engine threads to Qt's."""

    # On Qt's thread:
    event_arrived = Signal(object)  # Event
    server_answered = Signal(object)  # RemoteModelEvent
    counted = Signal(object)  # TokenCount
    keys_kept = Signal(object)  # KeysKept
    devices_listed = Signal(object)  # DevicesListed
    file_read = Signal(object)  # FileRead
    conversations_read = Signal(object)  # ConversationsRead
    _woken = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        # Shared by the threads. A deque's ends and a set's single steps are atomic.
        self._events: deque[Posted] = deque()
        self._announced: set[RequestId] = set()
        self._wake_is_due = False
        # Qt's thread only.
        self._writing: set[RequestId] = set()
        self._is_draining = False
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(FRAME_MILLISECONDS)
        self._timer.timeout.connect(self.drain)
        # A bound method of an object of Qt's thread: only so does the slot run there.
        self._woken.connect(self.drain, Qt.ConnectionType.QueuedConnection)

    @property
    def is_ticking(self) -> bool:
        """Whether the frame timer runs: only while text is being written."""
        return self._timer.isActive()

    def post(self, event: Posted) -> None:
        """Take an event, from any thread, at any time; after this object is gone nobody sees it."""
        self._events.append(event)
        if self._cannot_wait(event) and not self._wake_is_due:
            self._wake_is_due = True
            with suppress(RuntimeError):  # the C++ half is gone: the program is leaving
                self._woken.emit()

    def drain(self) -> None:
        """Deliver what has come, in order. Deltas of one reply that came within a frame are joined."""
        self._wake_is_due = False
        if self._is_draining:
            # Inside a slot that opened a dialog: its event comes to an end before the next one begins.
            return
        self._is_draining = True
        try:
            while self._events:
                self._deliver(self._joined(self._events.popleft()))
        finally:
            self._is_draining = False
        if self._writing and not self._timer.isActive():
            self._timer.start()
        elif not self._writing:
            self._timer.stop()

    def _deliver(self, event: Posted) -> None:
        # Here, so that they are not there before the window is painted.
        from desktop.devices import DevicesListed
        from desktop.errands import Post
        from desktop.file_reader import FileRead
        from desktop.import_reader import ConversationsRead
        from desktop.secrets import KeysKept

        match event:
            case inference.TokenCount():
                self.counted.emit(event)
            case KeysKept():
                self.keys_kept.emit(event)
            case DevicesListed():
                self.devices_listed.emit(event)
            case ConversationsRead():
                self.conversations_read.emit(event)
            case FileRead():
                self.file_read.emit(event)
            case Post(do):
                do()
            case inference.RemoteModelReady() | inference.RemoteModelFailed():
                self.server_answered.emit(event)
            case _:
                self._watch(event)
                self.event_arrived.emit(event)

    def _cannot_wait(self, event: Posted) -> bool:
        match event:
            case inference.TextDelta(request):
                if request in self._announced:
                    return False
                self._announced.add(request)
            case inference.GenerationFinished(request) | inference.GenerationFailed(request):
                self._announced.discard(request)
            case _:
                pass
        return True

    def _joined(self, event: Posted) -> Posted:
        if not isinstance(event, inference.TextDelta):
            return event
        pieces = [event.text]
        while self._events:
            following = self._events[0]
            if not isinstance(following, inference.TextDelta) or _source(following) != _source(event):
                break
            pieces.append(following.text)
            event = following
            self._events.popleft()
        return replace(event, text="".join(pieces)) if len(pieces) > 1 else event

    def _watch(self, event: inference.Event) -> None:
        """Know which replies are being written: while there are any, the timer runs."""
        match event:
            case inference.TextDelta(request):
                self._writing.add(request)
            case inference.GenerationFinished(request) | inference.GenerationFailed(request):
                self._writing.discard(request)
            case _:
                pass


def _source(delta: inference.TextDelta) -> tuple[object, ...]:
    return delta.request, delta.kind, delta.first_token_at

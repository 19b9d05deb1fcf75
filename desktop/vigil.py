"""While replies are made the machine stays awake, and when a long one ends somebody who went elsewhere is called."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QObject, QTimer

import inference
from inference import RequestId

SHORT_MILLISECONDS = 5_000  # what is over sooner needs no help to stay awake
LONG_SECONDS = 15.0  # after so long one has turned to something else


class Holder(Protocol):
    """What holds off sleep."""

    def hold(self) -> None: ...
    def release(self) -> None: ...


class Vigil(QObject):
    """Follows the engine. `call` gets somebody's attention; it decides whether they look already."""

    def __init__(
        self,
        holder: Holder,
        call: Callable[[], object],
        parent: QObject | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        short_milliseconds: int = SHORT_MILLISECONDS,
    ) -> None:
        super().__init__(parent)
        self._holder = holder
        self._call = call
        self._clock = clock
        self._begun: dict[RequestId, float] = {}
        self._timer = QTimer(self, singleShot=True, interval=short_milliseconds)
        self._timer.timeout.connect(holder.hold)

    def on_event(self, event: inference.Event) -> None:
        """Take note of what begins and what ends."""
        match event:
            case inference.TurnsLeftOut() | inference.PrefillProgress() | inference.TextDelta():
                if event.request not in self._begun:
                    self._begin(event.request)
            case inference.GenerationFinished() | inference.GenerationFailed():
                self._end(event.request)
            case _:
                pass

    def close(self) -> None:
        """Keep watch no longer."""
        self._begun.clear()
        self._rest()

    def _begin(self, request: RequestId) -> None:
        if not self._begun:
            self._timer.start()
        self._begun[request] = self._clock()

    def _end(self, request: RequestId) -> None:
        begun = self._begun.pop(request, None)
        if begun is None:
            return
        if not self._begun:
            self._rest()
        if self._clock() - begun >= LONG_SECONDS:
            self._call()

    def _rest(self) -> None:
        self._timer.stop()
        self._holder.release()

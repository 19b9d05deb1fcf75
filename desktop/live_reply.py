"""The reply that is being made, token by token, for whoever looks into it meanwhile."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

import inference
from desktop.chat_session import ChatSession
from desktop.inspection import PhaseKind, PhasePart


class LiveReply(QObject):
    """Follows one session. Times are as they come: of tokens that came together in a frame, their mean."""

    began = Signal()
    changed = Signal()
    wrote = Signal(int, float)  # the token's number, counted from one, and the seconds since the one before
    ended = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session: ChatSession | None = None
        self._request: inference.RequestId | None = None
        self._prefill: inference.PrefillProgress | None = None
        self._last: inference.TextDelta | None = None

    @property
    def is_running(self) -> bool:
        return self._request is not None

    @property
    def phases(self) -> tuple[PhasePart, ...]:
        """Those that can be told apart so far."""
        parts = []
        if self._prefill is not None:
            parts.append(PhasePart(PhaseKind.PREFILL, self._prefill.seconds))
        if self._last is not None:
            parts.append(PhasePart(PhaseKind.DECODE, self._last.at - self._last.first_token_at))
        return tuple(parts)

    @property
    def prefill(self) -> inference.PrefillProgress | None:
        """How far the prompt is read."""
        return self._prefill

    @property
    def written(self) -> int:
        """How many tokens of it there are."""
        return 0 if self._last is None else self._last.output_tokens

    def follow(self, session: ChatSession) -> None:
        """Look at this session from now on."""
        self._session = session
        self._request = session.request_id
        self._prefill = self._last = None

    def on_event(self, event: inference.Event) -> None:
        """To be called after the session was told of the event."""
        self._look_for_another()
        match event:
            case inference.PrefillProgress(request=request) if request == self._request:
                self._prefill = event
                self.changed.emit()
            case inference.TextDelta(request=request) if request == self._request:
                self._on_text(event)
            case inference.GenerationFinished(request=request) | inference.GenerationFailed(request=request) if (
                request == self._request
            ):
                self._request = self._prefill = self._last = None
                self.ended.emit()
            case _:
                pass

    def _look_for_another(self) -> None:
        current = None if self._session is None else self._session.request_id
        if current is not None and current != self._request:
            self._request = current
            self._prefill = self._last = None
            self.began.emit()

    def _on_text(self, event: inference.TextDelta) -> None:
        before, self._last = self._last, event
        if before is not None and event.output_tokens > before.output_tokens:
            count = event.output_tokens - before.output_tokens
            gap = (event.at - before.at) / count
            for number in range(before.output_tokens + 1, event.output_tokens + 1):
                self.wrote.emit(number, gap)
        self.changed.emit()

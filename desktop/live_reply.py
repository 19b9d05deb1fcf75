"""The reply that is being made, token by token, for whoever looks into it meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

import inference
from desktop.chat_session import ChatSession
from desktop.inspection import PhaseKind, PhasePart
from desktop.turns import Turn


@dataclass(slots=True)
class _Known:
    """What is known of one reply so far; moments are the clock's."""

    request: inference.RequestId | None = None
    began_at: float | None = None  # of one that ran already when it was first looked at, that is not known
    loading_since: float | None = None
    load: float = 0.0
    computing_since: float | None = None
    prefill: inference.PrefillProgress | None = None
    last: inference.TextDelta | None = None


class LiveReply(QObject):
    """Follows one session. Times are as they come: of tokens that came together in a frame, their mean."""

    began = Signal()
    changed = Signal()
    wrote = Signal(int, float)  # the token's number, counted from one, and the seconds since the one before
    ended = Signal()

    def __init__(self, parent: QObject | None = None, *, clock: Callable[[], float] = time.perf_counter) -> None:
        super().__init__(parent)
        self._clock = clock
        self._session: ChatSession | None = None
        self._known = _Known()

    @property
    def is_running(self) -> bool:
        return self._known.request is not None

    @property
    def is_waiting(self) -> bool:
        """Whether nothing of it was read or written yet."""
        return self.is_running and self._known.computing_since is None

    @property
    def phases(self) -> tuple[PhasePart, ...]:
        """Those that can be told apart so far; the moment it is prepared in counts as waiting."""
        known, now = self._known, self._clock()
        parts = []
        if known.began_at is not None:
            load = known.load if known.loading_since is None else known.load + now - known.loading_since
            until = now if known.computing_since is None else known.computing_since
            parts.append(PhasePart(PhaseKind.WAITING, max(0.0, until - known.began_at - load)))
            if load:
                parts.append(PhasePart(PhaseKind.LOADING, load))
        if known.prefill is not None:
            parts.append(PhasePart(PhaseKind.PREFILL, known.prefill.seconds))
        if known.last is not None:
            parts.append(PhasePart(PhaseKind.DECODE, known.last.at - known.last.first_token_at))
        return tuple(parts)

    @property
    def prefill(self) -> inference.PrefillProgress | None:
        """How far the prompt is read."""
        return self._known.prefill

    @property
    def written(self) -> int:
        """How many tokens of it there are."""
        return 0 if self._known.last is None else self._known.last.output_tokens

    def follow(self, session: ChatSession) -> None:
        """Look at this session from now on."""
        if self._session is not None and self._session is not session:
            self._session.turn_added.disconnect(self._look_for_another)
        if self._session is not session:
            session.turn_added.connect(self._look_for_another)
        self._session = session
        self._known = _Known(session.request_id)

    def on_event(self, event: inference.Event) -> None:
        """To be called after the session was told of the event."""
        self._look_for_another()
        match event:
            case inference.ModelLoading() if self.is_waiting:
                if self._known.loading_since is None:
                    self._known.loading_since = self._clock()
                self.changed.emit()
            case inference.ModelReady() if self._known.loading_since is not None:
                self._known.load += self._clock() - self._known.loading_since
                self._known.loading_since = None
            case inference.PrefillProgress(request=request) if request == self._known.request:
                self._computes(event.seconds)
                self._known.prefill = event
                self.changed.emit()
            case inference.TextDelta(request=request) if request == self._known.request:
                self._on_text(event)
            case inference.GenerationFinished(request=request) | inference.GenerationFailed(request=request) if (
                request == self._known.request
            ):
                self._known = _Known()
                self.ended.emit()
            case _:
                pass

    def _look_for_another(self, _turn: Turn | None = None) -> None:
        current = None if self._session is None else self._session.request_id
        if current is not None and current != self._known.request:
            self._known = _Known(current, self._clock())
            self.began.emit()

    def _computes(self, seconds: float) -> None:
        """It has computed for so long by now."""
        if self._known.computing_since is None:
            self._known.computing_since = self._clock() - seconds

    def _on_text(self, event: inference.TextDelta) -> None:
        self._computes(event.at - event.first_token_at)
        before, self._known.last = self._known.last, event
        if before is not None and event.output_tokens > before.output_tokens:
            count = event.output_tokens - before.output_tokens
            gap = (event.at - before.at) / count
            for number in range(before.output_tokens + 1, event.output_tokens + 1):
                self.wrote.emit(number, gap)
        self.changed.emit()

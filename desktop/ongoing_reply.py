"""The one reply that a session may have running: followed from event to event, shown as it grows, and kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from PySide6.QtCore import QObject, QTimer, Signal

import inference
from desktop.activity import Activity
from desktop.reply_keeper import ReplyKeeper
from desktop.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable

    from desktop.running_reply import RunningReply
    from desktop.turns import Turn

PROGRESS_MILLISECONDS = 100


class OngoingReply(QObject):
    """Says what becomes of it; what that means for the conversation is the session's to decide."""

    grew = Signal(int, str)  # turn id and the text to append; only while streaming is on
    thought_grew = Signal(int, str)  # the same of its reasoning
    turns_left_out = Signal(object)  # Turn: it is made without some of the turns before it
    activity_changed = Signal(object)  # Activity
    progressed = Signal(object)  # its Figures so far
    ended = Signal(object, object)  # Turn, final and whole, and its trace

    def __init__(
        self, store: Store, complain: Callable[[str], object], parent: QObject, *, checkpoint_milliseconds: int
    ) -> None:
        super().__init__(parent)
        self._running: RunningReply | None = None
        self._keeper = ReplyKeeper(store, self._growing, complain, self, milliseconds=checkpoint_milliseconds)
        self._progress_timer = QTimer(self)
        self._progress_timer.setInterval(PROGRESS_MILLISECONDS)
        self._progress_timer.timeout.connect(self.show_activity)

    @property
    def running(self) -> RunningReply | None:
        return self._running

    @property
    def activity(self) -> Activity:
        return Activity() if self._running is None else self._running.activity

    @property
    def is_settled(self) -> bool:
        """Whether nothing runs and nothing waits to be stored."""
        return self._running is None and self._keeper.is_settled

    @property
    def unkept(self) -> Turn | None:
        """The reply as it is now, where the store may have it otherwise."""
        return self._keeper.unkept

    def begin(self, running: RunningReply) -> None:
        self._running = running
        self._keeper.begin()

    def end(self, turn: Turn, trace: inference.Trace | None) -> None:
        """Keep it as it ended; another may begin."""
        self._running = None
        self._keeper.end(turn, trace)

    def save(self) -> bool:
        """Store now what otherwise waits a moment; whether all of it could be."""
        return self._keeper.save()

    def show_activity(self) -> None:
        activity = self.activity
        if not activity.moves:
            self._progress_timer.stop()
        elif not self._progress_timer.isActive():
            self._progress_timer.start()
        self.activity_changed.emit(activity)

    def on_event(self, event: inference.Event) -> None:
        """Follow the engine; events of other requests pass by."""
        running = self._running
        if running is None:
            return
        match event:
            case inference.ModelLoading(model, fraction):
                if running.on_loading(model, fraction):
                    self.show_activity()
            case inference.ModelReady():
                if running.on_ready():
                    self.show_activity()
            case (
                inference.TurnsLeftOut()
                | inference.PrefillProgress()
                | inference.TextDelta()
                | inference.GenerationFinished()
                | inference.GenerationFailed()
            ):
                if running.request.id == event.request:
                    self._on_generation(running, event)
            case inference.ModelFailed() | inference.ModelUnloaded():
                pass
            case inference.JobProgress() | inference.JobFinished() | inference.JobFailed():
                pass
            case _:
                assert_never(event)

    def _on_generation(self, running: RunningReply, event: inference.GenerationEvent) -> None:
        match event:
            case inference.TurnsLeftOut():
                running.on_left_out(event)
                self._keeper.grew()
                self.turns_left_out.emit(running.shown_turn)
            case inference.PrefillProgress():
                running.on_prefill(event)
                self._show_progress(running)
            case inference.TextDelta():
                running.on_delta(event)
                self._show_text(running, event)
                self._show_progress(running)
            case inference.GenerationFinished():
                self.ended.emit(running.finished(event), event.trace)
            case inference.GenerationFailed():
                self.ended.emit(running.failed(event), None)
            case _:
                assert_never(event)

    def _show_text(self, running: RunningReply, event: inference.TextDelta) -> None:
        if not event.text:
            return
        if running.streaming:
            grew = self.thought_grew if event.kind is inference.DeltaKind.REASONING else self.grew
            grew.emit(running.turn_id, event.text)
        self._keeper.grew()

    def _show_progress(self, running: RunningReply) -> None:
        self.show_activity()
        self.progressed.emit(running.figures)

    def _growing(self) -> Turn | None:
        return None if self._running is None else self._running.turn

"""One open conversation and the one generation it may have running."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import assert_never

from PySide6.QtCore import QObject, QTimer, Signal

from desktop.conversations import Conversation, Turn, TurnState, messages_of, title_of
from desktop.model_choice import ModelChoice, ModelPhase
from desktop.store import Store, StoreError
from inference import (
    DeltaKind,
    Engine,
    EngineClosed,
    Event,
    GenerationEvent,
    GenerationFailed,
    GenerationFinished,
    GenerationRequest,
    Message,
    ModelConfig,
    ModelFailed,
    ModelInfo,
    ModelLoading,
    ModelReady,
    ModelUnloaded,
    PrefillProgress,
    Role,
    TextDelta,
    Timings,
    Trace,
    TurnsLeftOut,
    Usage,
    rate_of_decode,
)

CHECKPOINT_MILLISECONDS = 1_000
PROGRESS_MILLISECONDS = 100


class Phase(StrEnum):
    """What the running generation is at."""

    IDLE = "idle"
    WAITING = "waiting"  # for other requests, or for the engine's first word
    LOADING = "loading"  # the model
    PREFILL = "prefill"
    DECODE = "decode"


@dataclass(frozen=True, slots=True)
class Activity:
    """How far the running generation is.

    In prefill, `evaluated` of `new_tokens` were done at the last batch border, at the moment `border_at`, and the
    batch being read ends at `batch_end`; `prefill_position` says how far it will be by now.
    """

    phase: Phase = Phase.IDLE
    load_fraction: float = 0.0  # 0 to 1
    cached_tokens: int = 0
    new_tokens: int = 0
    evaluated: int = 0
    batch_end: int = 0
    border_at: float = 0.0  # time.perf_counter()
    rate: float | None = None  # tokens per second of prefill, where known
    output_tokens: int = 0
    decode_seconds: float = 0.0
    streaming: bool = True  # False: the text is withheld until the end

    def prefill_position(self, now: float) -> float:
        """How many of the new tokens are read by `now`: true at batch borders, at the measured rate between them."""
        if self.rate is None:
            return float(self.evaluated)
        return min(float(self.batch_end), self.evaluated + self.rate * max(0.0, now - self.border_at))

    def prefill_fraction(self, now: float) -> float:
        """`prefill_position` of all new tokens, 0 to 1."""
        return self.prefill_position(now) / self.new_tokens if self.new_tokens else 0.0

    def prefill_seconds_left(self, now: float) -> float | None:
        """How long the new tokens still to be read will take; `None` where no rate is known."""
        return None if not self.rate else (self.new_tokens - self.prefill_position(now)) / self.rate


@dataclass(frozen=True, slots=True)
class Figures:
    """What the status bar shows: of the running reply, else of the last one. `None` (or "") where not known."""

    device: str = ""
    threads: int | None = None
    context_used: int | None = None
    context_size: int | None = None
    prefill_rate: float | None = None
    new_tokens: int | None = None
    cached_tokens: int | None = None
    decode_rate: float | None = None
    ttft: float | None = None


@dataclass(slots=True)
class _Generation:
    """The generation that runs now."""

    request: GenerationRequest
    reply: Turn  # as it was stored before its first word
    streaming: bool
    usual_rate: float | None  # of prefill, from earlier prompts
    submitted: float  # time.perf_counter()
    load_seen: bool = False  # a load is no part of TTFT, and only the engine knows how much of one fell before it
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.pieces)


class ChatSession(QObject):
    """One open conversation. It decides; widgets show what it says and ask it."""

    turn_added = Signal(object)  # Turn: the user's, then the reply, empty
    reply_grew = Signal(int, str)  # turn id and the text to append; only while streaming is on
    turn_changed = Signal(object)  # Turn: final and whole
    activity_changed = Signal(object)  # Activity
    figures_changed = Signal(object)  # Figures
    title_changed = Signal(str)
    turns_left_out = Signal(object)  # indexes of messages that the window has no room for
    failed = Signal(str)  # a sentence that belongs to no turn

    def __init__(
        self,
        store: Store,
        engine: Engine,
        models: ModelChoice,
        conversation: Conversation | None = None,
        parent: QObject | None = None,
        *,
        clock: Callable[[], float] = time.perf_counter,
        checkpoint_milliseconds: int = CHECKPOINT_MILLISECONDS,
    ) -> None:
        """Raises StoreError where the turns of the conversation cannot be read."""
        super().__init__(parent)
        self._store = store
        self._engine = engine
        self._models = models
        self._clock = clock
        self._conversation = conversation
        self._draft = store.new_draft if conversation is None else conversation.draft
        self._turns = [] if conversation is None else list(store.turns(conversation.head))
        self._info = models.state.info
        self._generation: _Generation | None = None
        self._unsaved: tuple[Turn, Trace | None] | None = None
        self._warned = False
        self._activity = Activity()
        self._of_reply, self._figured_model = _last_figures(self._turns)
        self._figures = self._current_figures()
        self._checkpoint_timer = QTimer(self)
        self._checkpoint_timer.setSingleShot(True)
        self._checkpoint_timer.setInterval(checkpoint_milliseconds)
        self._checkpoint_timer.timeout.connect(self._save)
        self._progress_timer = QTimer(self)
        self._progress_timer.setInterval(PROGRESS_MILLISECONDS)
        self._progress_timer.timeout.connect(self._show_progress)

    @property
    def conversation(self) -> Conversation | None:
        """`None` until the first prompt is sent: an empty conversation is not kept."""
        return self._conversation

    @property
    def turns(self) -> tuple[Turn, ...]:
        """From the first to the last, a running reply with what is shown of it so far."""
        generation = self._generation
        if generation is None or not generation.streaming:
            return tuple(self._turns)
        return (*self._turns[:-1], replace(generation.reply, message=Message(Role.ASSISTANT, generation.text)))

    @property
    def activity(self) -> Activity:
        return self._activity

    @property
    def figures(self) -> Figures:
        return self._figures

    @property
    def is_busy(self) -> bool:
        """Whether a reply is being made."""
        return self._generation is not None

    @property
    def is_settled(self) -> bool:
        """Whether nothing runs and nothing waits to be stored."""
        return self._generation is None and self._unsaved is None

    @property
    def draft(self) -> str:
        """What was typed and not sent."""
        return self._draft

    def send(self, text: str, *, streaming: bool) -> bool:
        """Ask the model. False when nothing was sent; what was typed must then stay where it is."""
        model = self._models.config
        if model is None or self.is_busy or not text.strip():
            return False
        self._save()
        # Half a surrogate pair, as a broken clipboard brings it, can be neither stored nor tokenised.
        question = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        try:
            self._begin(question, model, streaming=streaming)
        except StoreError as error:
            self.failed.emit(str(error))
            return False
        return True

    def stop(self) -> None:
        """End the running reply; what was written stays."""
        if self._generation is not None:
            self._engine.cancel(self._generation.request.id)

    def set_draft(self, text: str) -> None:
        """Keep what is being typed."""
        if text == self._draft:
            return
        self._draft = text
        try:
            self._store.set_draft(None if self._conversation is None else self._conversation.id, text)
        except StoreError as error:
            self.failed.emit(str(error))

    def flush(self) -> None:
        """Store now what otherwise waits a moment."""
        self._save()

    def on_event(self, event: Event) -> None:
        """Follow the engine; events of requests that are not this session's pass by."""
        match event:
            case ModelLoading(model, fraction):
                self._on_loading(model, fraction)
            case ModelReady(info):
                self._on_ready(info)
            case ModelFailed() | ModelUnloaded():
                self._info = None
                self._show_figures()
            case TurnsLeftOut() | PrefillProgress() | TextDelta() | GenerationFinished() | GenerationFailed():
                generation = self._generation
                if generation is not None and generation.request.id == event.request:
                    self._on_generation(generation, event)
            case _:
                assert_never(event)

    def _begin(self, question: str, model: ModelConfig, *, streaming: bool) -> None:
        usual_rate = self._store.prefill_rate(model.path)
        exchange = self._store.begin_exchange(
            question,
            conversation=None if self._conversation is None else self._conversation.id,
            parent=self._turns[-1].id if self._turns else None,
            title=title_of(question),
            model_name=self._models.state.name,
            model_path=model.path,
            streamed=streaming,
        )
        is_new = self._conversation is None
        self._conversation = exchange.conversation
        self._draft = ""
        self._turns += (exchange.question, exchange.reply)
        request = GenerationRequest(model, messages_of(self._turns, model.path))
        self._generation = _Generation(request, exchange.reply, streaming, usual_rate, self._clock())
        self._warned = False
        self._of_reply, self._figured_model = Figures(), model.path
        if is_new:
            self.title_changed.emit(exchange.conversation.title)
        self.turn_added.emit(exchange.question)
        self.turn_added.emit(exchange.reply)
        self._show_activity(self._activity_at_first(model, streaming=streaming))
        self._show_figures()
        self._ask(self._generation)

    def _ask(self, generation: _Generation) -> None:
        generation.submitted = self._clock()
        try:
            self._engine.generate(generation.request)
        except EngineClosed as error:
            self.on_event(GenerationFailed(generation.request.id, error))

    def _activity_at_first(self, model: ModelConfig, *, streaming: bool) -> Activity:
        state = self._models.state
        if state.phase is ModelPhase.LOADING and state.config == model:
            return Activity(Phase.LOADING, load_fraction=state.fraction, streaming=streaming)
        return Activity(Phase.WAITING, streaming=streaming)

    def _on_generation(self, generation: _Generation, event: GenerationEvent) -> None:
        match event:
            case TurnsLeftOut():
                self.turns_left_out.emit(event.messages)
            case PrefillProgress():
                self._on_prefill(generation, event)
            case TextDelta():
                self._on_delta(generation, event)
            case GenerationFinished():
                self._end(_finished(generation.reply, event), event.trace)
            case GenerationFailed():
                self._end(_failed(generation.reply, event), None)
            case _:
                assert_never(event)

    def _on_loading(self, model: ModelConfig, fraction: float) -> None:
        generation = self._generation
        if generation is not None:
            generation.load_seen = True
            if generation.request.model == model:
                self._show_activity(replace(self._activity, phase=Phase.LOADING, load_fraction=fraction))

    def _on_ready(self, info: ModelInfo) -> None:
        self._info = info
        if self._generation is not None:
            self._generation.load_seen = True
        if self._activity.phase is Phase.LOADING:
            self._show_activity(replace(self._activity, phase=Phase.WAITING))
        self._show_figures()

    def _on_prefill(self, generation: _Generation, event: PrefillProgress) -> None:
        measured = event.evaluated / event.seconds if event.evaluated and event.seconds > 0 else None
        self._of_reply = replace(
            self._of_reply,
            context_used=event.cached_tokens + event.evaluated,
            prefill_rate=measured,
            new_tokens=event.new_tokens,
            cached_tokens=event.cached_tokens,
        )
        self._show_activity(
            Activity(
                Phase.PREFILL,
                cached_tokens=event.cached_tokens,
                new_tokens=event.new_tokens,
                evaluated=event.evaluated,
                batch_end=event.batch_end,
                border_at=self._clock(),
                rate=measured or generation.usual_rate,
                streaming=generation.streaming,
            )
        )
        self._show_figures()

    def _on_delta(self, generation: _Generation, event: TextDelta) -> None:
        if event.kind is DeltaKind.ANSWER and event.text:
            self._grow(generation, event.text)
        seconds = event.at - event.first_token_at
        before = self._activity
        read = before.new_tokens if before.phase is Phase.PREFILL else before.evaluated
        self._of_reply = replace(
            self._of_reply,
            context_used=before.cached_tokens + read + event.output_tokens,
            decode_rate=rate_of_decode(event.output_tokens, seconds),
            ttft=None if generation.load_seen else event.first_token_at - generation.submitted,
        )
        self._show_activity(
            replace(
                before,
                phase=Phase.DECODE,
                evaluated=read,
                output_tokens=event.output_tokens,
                decode_seconds=seconds,
            )
        )
        self._show_figures()

    def _grow(self, generation: _Generation, text: str) -> None:
        generation.pieces.append(text)
        if generation.streaming:
            self.reply_grew.emit(generation.reply.id, text)
        if not self._checkpoint_timer.isActive():
            self._checkpoint_timer.start()

    def _end(self, turn: Turn, trace: Trace | None) -> None:
        self._turns[-1] = turn
        self._generation = None
        self._unsaved = (turn, trace)
        self._checkpoint_timer.stop()
        self._save()
        self._of_reply, self._figured_model = _last_figures(self._turns)
        self.turn_changed.emit(turn)
        self._show_activity(Activity())
        self._show_figures()

    def _save(self) -> None:
        """Store what is known of the reply: what was written so far, or how it ended.

        Where that fails it stays on screen, is said once, and is tried again about a second later.
        """
        try:
            if self._unsaved is not None:
                self._store.finish(*self._unsaved)
                self._unsaved = None
            elif self._generation is not None:
                self._store.checkpoint(self._generation.reply.id, self._generation.text)
        except StoreError as error:
            if not self._warned:
                self._warned = True
                self.failed.emit(str(error))
            self._checkpoint_timer.start()

    def _show_activity(self, activity: Activity) -> None:
        self._activity = activity
        moves = (
            activity.phase is Phase.PREFILL and activity.evaluated < activity.batch_end and activity.rate is not None
        )
        if moves and not self._progress_timer.isActive():
            self._progress_timer.start()
        elif not moves:
            self._progress_timer.stop()
        self.activity_changed.emit(activity)

    def _show_progress(self) -> None:
        self.activity_changed.emit(self._activity)

    def _show_figures(self) -> None:
        self._figures = self._current_figures()
        self.figures_changed.emit(self._figures)

    def _current_figures(self) -> Figures:
        """The reply's figures, with those of the loaded model. Another model counts the same text differently."""
        info = self._info
        if info is None:
            return replace(self._of_reply, context_used=None)
        is_its_own = self._figured_model == info.config.path
        return replace(
            self._of_reply,
            device=info.device,
            threads=info.threads,
            context_size=info.context_size,
            context_used=self._of_reply.context_used if is_its_own else None,
        )


def _finished(reply: Turn, event: GenerationFinished) -> Turn:
    return replace(
        reply,
        message=Message(Role.ASSISTANT, event.text, event.trace.kept_ids),
        state=TurnState.COMPLETE,
        model_name=event.model_name,
        finish_reason=event.finish_reason,
        usage=event.usage,
        timings=event.timings,
    )


def _failed(reply: Turn, event: GenerationFailed) -> Turn:
    return replace(reply, message=Message(Role.ASSISTANT, event.text), state=TurnState.FAILED, error=str(event.error))


def _last_figures(turns: list[Turn]) -> tuple[Figures, Path | None]:
    """The figures of the last turn, and the file of the model they were measured with."""
    if not turns:
        return Figures(), None
    last = turns[-1]
    if last.usage is None or last.timings is None:
        return Figures(), last.model_path
    return _figures_of(last.usage, last.timings), last.model_path


def _figures_of(usage: Usage, timings: Timings) -> Figures:
    if timings.prepare is None:
        # It was stopped before its prompt was looked at: nothing was held, read or reused.
        return Figures()
    cached = usage.cached_tokens
    return Figures(
        context_used=None if cached is None else cached + timings.prefill_tokens + usage.output_tokens,
        prefill_rate=timings.prefill_rate,
        new_tokens=timings.prefill_tokens,
        cached_tokens=cached,
        decode_rate=timings.decode_rate,
        ttft=timings.ttft,
    )

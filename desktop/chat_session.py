"""One open conversation and the one generation it may have running."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import assert_never
from urllib.parse import urlsplit

from PySide6.QtCore import QObject, QTimer, Signal

import inference
from desktop.conversations import Conversation, Turn, TurnState, messages_of, title_of, turns_of_messages
from desktop.model_choice import ModelChoice, ModelPhase, ModelState
from desktop.remedies import Remedy, RemedyKind, failure_of, remedies_for
from desktop.store import Store, StoreError
from inference import AnyModel, EngineClosed, GenerationRequest, Message, ModelConfig, RemoteModel, Role, WindowPolicy

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
    is_thinking: bool = False  # what is written now is reasoning
    thought_seconds: float | None = None  # how long it has, where it has
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
    """What the status bar shows: of the running reply, else of the last one. `None` (or "") where not known.

    `device` is a server where that answers; `reuse_end` says why reading began where it did.
    """

    device: str = ""
    threads: int | None = None
    context_used: int | None = None
    context_size: int | None = None
    prefill_rate: float | None = None
    new_tokens: int | None = None
    cached_tokens: int | None = None
    decode_rate: float | None = None
    ttft: float | None = None
    reuse_end: inference.ReuseEnd | None = None
    is_remote: bool = False
    measured_at_client: bool = False  # the decode rate: from text to text as they came here


@dataclass(slots=True)
class _Generation:
    """The generation that runs now. `turns` are those of each message of the request, by their ids."""

    request: GenerationRequest
    turns: tuple[tuple[int, ...], ...]
    reply: Turn  # without what is being written
    streaming: bool
    usual_rate: float | None  # of prefill, from earlier prompts
    submitted: float  # time.perf_counter()
    load_seen: bool = False  # a load is no part of TTFT, and only the engine knows how much of one fell before it
    pieces: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    thought_seconds: float | None = None

    @property
    def reply_so_far(self) -> Turn:
        said = Message(Role.ASSISTANT, "".join(self.pieces), reasoning="".join(self.thoughts))
        return replace(self.reply, message=said, thought_seconds=self.thought_seconds)


class ChatSession(QObject):
    """One open conversation. It decides; widgets show what it says and ask it."""

    turn_added = Signal(object)  # Turn: the user's, then the reply, empty
    turn_removed = Signal(int)  # turn id: another reply takes its place
    reply_grew = Signal(int, str)  # turn id and the text to append; only while streaming is on
    thought_grew = Signal(int, str)  # the same of its reasoning
    turn_changed = Signal(object)  # Turn: final and whole
    activity_changed = Signal(object)  # Activity
    figures_changed = Signal(object)  # Figures
    title_changed = Signal(str)
    turns_left_out = Signal(object)  # Turn: the running reply, which is made without some of the turns before it
    remedies_changed = Signal(object)  # what can be done about the last reply, where it failed: a tuple of Remedy
    window_policy_changed = Signal(object)  # WindowPolicy
    failed = Signal(str)  # a sentence that belongs to no turn

    def __init__(
        self,
        store: Store,
        engine: inference.Engine,
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
        self._draft_is_kept = True
        self._window_policy = WindowPolicy.STOP if conversation is None else conversation.window_policy
        self._info = models.state.info
        self._generation: _Generation | None = None
        self._unsaved: tuple[Turn, inference.Trace | None] | None = None
        self._warned = False
        self._activity = Activity()
        self._of_reply = self._last_figures()
        self._figures = self._current_figures()
        self._remedies = self._current_remedies()
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
        return (*self._turns[:-1], generation.reply_so_far)

    @property
    def activity(self) -> Activity:
        return self._activity

    @property
    def figures(self) -> Figures:
        return self._figures

    @property
    def remedies(self) -> tuple[Remedy, ...]:
        """What can be done about the last reply, where it failed."""
        return self._remedies

    @property
    def window_policy(self) -> WindowPolicy:
        """What is done when the conversation no longer fits the context window."""
        return self._window_policy

    @property
    def is_busy(self) -> bool:
        """Whether a reply is being made."""
        return self._generation is not None

    @property
    def is_settled(self) -> bool:
        """Whether nothing runs and nothing waits to be stored."""
        return self._generation is None and self._unsaved is None and self._draft_is_kept

    @property
    def draft(self) -> str:
        """What was typed and not sent."""
        return self._draft

    def send(self, text: str, *, streaming: bool, thinking: bool | None = None) -> bool:
        """Ask the model. False when nothing was sent; what was typed must then stay where it is."""
        model = self._models.config
        if model is None or self.is_busy or not text.strip():
            return False
        self._save()
        # Half a surrogate pair, as a broken clipboard brings it, can be neither stored nor tokenised.
        question = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        try:
            if self._is_behind():
                self.failed.emit(self._went_on_elsewhere())
                return False
            reply = self._store_question(question, model, streaming=streaming)
        except StoreError as error:
            self.failed.emit(str(error))
            return False
        self._begin(reply, model, thinking=thinking)
        return True

    def mend(self, remedy: Remedy, *, streaming: bool, thinking: bool | None = None) -> bool:
        """Do what was offered for the last reply, and ask its question again. False when nothing was asked."""
        if remedy not in self._remedies or self.is_busy:
            return False
        match remedy.kind:
            case RemedyKind.LEAVE_OUT_OLDEST:
                self.set_window_policy(WindowPolicy.DROP_OLDEST)
            case RemedyKind.LARGER_WINDOW:
                self._models.use_window(remedy.context_size)
            case RemedyKind.TRY_AGAIN | RemedyKind.CHANGE_KEY:
                self._models.try_again()
            case _:
                assert_never(remedy.kind)
        return self._ask_again(streaming=streaming, thinking=thinking)

    def set_window_policy(self, policy: WindowPolicy) -> None:
        """Choose what is done from now on when the conversation no longer fits."""
        if policy is self._window_policy:
            return
        try:
            if self._conversation is not None:
                self._store.set_window_policy(self._conversation.id, policy)
        except StoreError as error:
            self.failed.emit(str(error))
            return
        self._window_policy = policy
        self.window_policy_changed.emit(policy)
        self._show_remedies()

    def stop(self) -> None:
        """End the running reply; what was written stays."""
        if self._generation is not None:
            self._engine.cancel(self._generation.request.id)

    def set_draft(self, text: str) -> None:
        """Keep what is being typed."""
        if text == self._draft:
            return
        self._draft = text
        self._draft_is_kept = False
        self._keep_draft()

    def flush(self) -> None:
        """Store now what otherwise waits a moment."""
        self._save()
        self._keep_draft()

    def on_model(self, state: ModelState) -> None:
        """Another model, or the same one otherwise: other figures, and perhaps other remedies."""
        if state.phase is ModelPhase.LOADING and state.info is None:
            return  # what stands there is of the model before, until the new one is known
        self._info = state.info
        self._show_figures()
        self._show_remedies()

    def on_event(self, event: inference.Event) -> None:
        """Follow the engine; events of requests that are not this session's pass by."""
        match event:
            case inference.ModelLoading(model, fraction):
                self._on_loading(model, fraction)
            case inference.ModelReady():
                self._on_ready()
            case inference.ModelUnloaded(model) if self._info is not None and self._info.config == model:
                self._info = None
                self._show_figures()
            case inference.ModelFailed() | inference.ModelUnloaded():
                pass
            case (
                inference.TurnsLeftOut()
                | inference.PrefillProgress()
                | inference.TextDelta()
                | inference.GenerationFinished()
                | inference.GenerationFailed()
            ):
                generation = self._generation
                if generation is not None and generation.request.id == event.request:
                    self._on_generation(generation, event)
            case _:
                assert_never(event)

    def _store_question(self, question: str, model: AnyModel, *, streaming: bool) -> Turn:
        """Keep and show the question; the reply that is to be written."""
        exchange = self._store.begin_exchange(
            question,
            conversation=None if self._conversation is None else self._conversation.id,
            parent=self._turns[-1].id if self._turns else None,
            title=title_of(question),
            model_name=self._models.state.name,
            model=model,
            streamed=streaming,
            window_policy=self._window_policy,
        )
        is_new = self._conversation is None
        self._conversation = exchange.conversation
        self._draft, self._draft_is_kept = "", True
        self._turns.append(exchange.question)
        if is_new:
            self.title_changed.emit(exchange.conversation.title)
        self.turn_added.emit(exchange.question)
        return exchange.reply

    def _ask_again(self, *, streaming: bool, thinking: bool | None) -> bool:
        """Ask the last question again; the failed reply to it is kept, but no longer a part of the conversation."""
        model = self._models.config
        if model is None:
            return False
        self._save()
        failed = self._turns[-1]
        question = self._turns[-2].id
        try:
            if self._is_behind():
                self.failed.emit(self._went_on_elsewhere())
                return False
            reply = self._store.begin_reply(
                question,
                conversation=failed.conversation,
                model_name=self._models.state.name,
                model=model,
                streamed=streaming,
            )
        except StoreError as error:
            self.failed.emit(str(error))
            return False
        self._turns.pop()
        self.turn_removed.emit(failed.id)
        self._begin(reply, model, thinking=thinking)
        return True

    def _begin(self, reply: Turn, model: AnyModel, *, thinking: bool | None) -> None:
        """Have `reply`, which is stored, written by the model."""
        streaming = bool(reply.streamed)
        request = GenerationRequest(
            model,
            messages_of(self._turns, model),
            thinking=None if isinstance(model, RemoteModel) else thinking,
            window_policy=self._window_policy,
        )
        turns = turns_of_messages(self._turns)
        self._turns.append(reply)
        self._generation = _Generation(request, turns, reply, streaming, self._usual_rate(model), self._clock())
        self._warned = False
        self._of_reply = Figures()
        self._show_remedies()
        self.turn_added.emit(reply)
        self._show_activity(self._activity_at_first(model, streaming=streaming))
        self._show_figures()
        self._ask(self._generation)

    def _is_behind(self) -> bool:
        """Whether another window went on here: an answer to what is shown would put that out of sight."""
        if self._conversation is None:
            return False
        return self._store.conversation(self._conversation.id).head != self._turns[-1].id

    def _went_on_elsewhere(self) -> str:
        return self.tr(
            "This conversation went on in another window. Open it again from the list to see it; what you typed stays."
        )

    def _usual_rate(self, model: AnyModel) -> float | None:
        """At which this model read its last prompts: a server says itself how far it is, where it does."""
        if isinstance(model, RemoteModel):
            return None
        try:
            return self._store.prefill_rate(model.path)
        except StoreError:
            return None  # it is a help for the progress alone; what cannot be kept is said when it is kept

    def _ask(self, generation: _Generation) -> None:
        generation.submitted = self._clock()
        try:
            self._engine.generate(generation.request)
        except EngineClosed as error:
            self.on_event(inference.GenerationFailed(generation.request.id, error))

    def _activity_at_first(self, model: AnyModel, *, streaming: bool) -> Activity:
        state = self._models.state
        if state.phase is ModelPhase.LOADING and state.config == model:
            return Activity(Phase.LOADING, load_fraction=state.fraction, streaming=streaming)
        return Activity(Phase.WAITING, streaming=streaming)

    def _on_generation(self, generation: _Generation, event: inference.GenerationEvent) -> None:
        match event:
            case inference.TurnsLeftOut():
                self._on_left_out(generation, event)
            case inference.PrefillProgress():
                self._on_prefill(generation, event)
            case inference.TextDelta():
                self._on_delta(generation, event)
            case inference.GenerationFinished():
                self._end(_finished(generation.reply_so_far, event), event.trace)
            case inference.GenerationFailed():
                self._end(_failed(generation.reply_so_far, event), None)
            case _:
                assert_never(event)

    def _on_loading(self, model: ModelConfig, fraction: float) -> None:
        generation = self._generation
        if generation is not None:
            generation.load_seen = True
            if generation.request.model == model:
                self._show_activity(replace(self._activity, phase=Phase.LOADING, load_fraction=fraction))

    def _on_ready(self) -> None:
        if self._generation is not None:
            self._generation.load_seen = True
        if self._activity.phase is Phase.LOADING:
            self._show_activity(replace(self._activity, phase=Phase.WAITING))

    def _on_left_out(self, generation: _Generation, event: inference.TurnsLeftOut) -> None:
        left_out = tuple(turn for message in event.messages for turn in generation.turns[message])
        generation.reply = self._turns[-1] = replace(generation.reply, left_out=left_out)
        self._save_soon()
        self.turns_left_out.emit(generation.reply_so_far)

    def _on_prefill(self, generation: _Generation, event: inference.PrefillProgress) -> None:
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

    def _on_delta(self, generation: _Generation, event: inference.TextDelta) -> None:
        seconds = event.at - event.first_token_at
        is_thinking = event.kind is inference.DeltaKind.REASONING
        if is_thinking:
            generation.thought_seconds = seconds
        if event.text:
            self._grow(generation, event.text, is_thinking=is_thinking)
        before = self._activity
        read = before.new_tokens if before.phase is Phase.PREFILL else before.evaluated
        self._of_reply = replace(
            self._of_reply,
            context_used=None if self._of_reply.cached_tokens is None else _held(before.cached_tokens + read, event),
            decode_rate=inference.rate_of_decode(event.output_tokens, seconds),
            ttft=None if generation.load_seen else event.first_token_at - generation.submitted,
        )
        self._show_activity(
            replace(
                before,
                phase=Phase.DECODE,
                evaluated=read,
                output_tokens=event.output_tokens,
                decode_seconds=seconds,
                is_thinking=is_thinking,
                thought_seconds=generation.thought_seconds,
            )
        )
        self._show_figures()

    def _grow(self, generation: _Generation, text: str, *, is_thinking: bool) -> None:
        (generation.thoughts if is_thinking else generation.pieces).append(text)
        if generation.streaming:
            (self.thought_grew if is_thinking else self.reply_grew).emit(generation.reply.id, text)
        self._save_soon()

    def _save_soon(self) -> None:
        if not self._checkpoint_timer.isActive():
            self._checkpoint_timer.start()

    def _end(self, turn: Turn, trace: inference.Trace | None) -> None:
        self._turns[-1] = turn
        self._generation = None
        self._unsaved = (turn, trace)
        self._checkpoint_timer.stop()
        self._save()
        self._of_reply = _figures_of(turn, trace)
        self.turn_changed.emit(turn)
        self._show_activity(Activity())
        self._show_figures()
        self._show_remedies()

    def _save(self) -> None:
        """Store what is known of the reply: what was written so far, or how it ended.

        Where that fails it stays on screen, is said once, and is tried again about a second later.
        """
        try:
            if self._unsaved is not None:
                self._store.finish(*self._unsaved)
                self._unsaved = None
            elif self._generation is not None:
                self._store.checkpoint(self._generation.reply_so_far)
        except StoreError as error:
            if not self._warned:
                self._warned = True
                self.failed.emit(str(error))
            self._checkpoint_timer.start()

    def _keep_draft(self) -> None:
        """Where that fails it stays in this session, which stays until it can be kept."""
        if self._draft_is_kept:
            return
        try:
            self._store.set_draft(None if self._conversation is None else self._conversation.id, self._draft)
            self._draft_is_kept = True
        except StoreError as error:
            self.failed.emit(str(error))

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
        """The reply's figures, with those of the model that answers. Another one counts the same text differently."""
        info = self._info
        if info is None:
            return replace(self._of_reply, context_used=None)
        is_its_own = bool(self._turns) and self._turns[-1].is_by(info.config)
        is_remote = isinstance(info, inference.RemoteModelInfo)
        return replace(
            self._of_reply,
            device=_host_of(info.config) if isinstance(info, inference.RemoteModelInfo) else info.device,
            is_remote=is_remote,
            threads=None if isinstance(info, inference.RemoteModelInfo) else info.threads,
            context_size=info.context_size,
            context_used=self._of_reply.context_used if is_its_own else None,
        )

    def _last_figures(self) -> Figures:
        """The figures of the last reply, as it was stored."""
        if not self._turns:
            return Figures()
        return _figures_of(self._turns[-1], self._store.trace(self._turns[-1].id))

    def _show_remedies(self) -> None:
        remedies = self._current_remedies()
        if remedies != self._remedies:
            self._remedies = remedies
            self.remedies_changed.emit(remedies)

    def _current_remedies(self) -> tuple[Remedy, ...]:
        if not self._turns or self.is_busy:
            return ()
        return remedies_for(self._turns[-1], self._info, self._window_policy)


def _finished(reply: Turn, event: inference.GenerationFinished) -> Turn:
    return replace(
        reply,
        message=Message(Role.ASSISTANT, event.text, event.trace.kept_ids, event.reasoning),
        state=TurnState.COMPLETE,
        model_name=event.model_name,
        finish_reason=event.finish_reason,
        usage=event.usage,
        timings=event.timings,
    )


def _failed(reply: Turn, event: inference.GenerationFailed) -> Turn:
    return replace(
        reply,
        message=Message(Role.ASSISTANT, event.text, reasoning=event.reasoning),
        state=TurnState.FAILED,
        error=str(event.error),
        failure=failure_of(event.error),
    )


def _figures_of(reply: Turn, trace: inference.Trace | None) -> Figures:
    usage, timings = reply.usage, reply.timings
    if usage is None or timings is None or (timings.prepare is None and timings.wait is None):
        # It failed, or was stopped before its prompt was looked at: nothing was held, read or reused.
        return Figures()
    cached = usage.cached_tokens
    # What a server does not say is blank.
    read = timings.prefill_tokens if reply.remote is None else timings.prefill_tokens or None
    return Figures(
        context_used=_tokens_held(usage, timings) if reply.remote is None else _tokens_told(usage),
        prefill_rate=timings.prefill_rate,
        new_tokens=read,
        cached_tokens=cached,
        decode_rate=timings.decode_rate,
        ttft=timings.ttft,
        reuse_end=None if trace is None or reply.remote is not None else trace.reuse_end,
        measured_at_client=timings.measured_at_client,
    )


def _tokens_held(usage: inference.Usage, timings: inference.Timings) -> int | None:
    cached = usage.cached_tokens
    return None if cached is None else _held(cached + timings.prefill_tokens, usage)


def _held(prompt_tokens: int, written: inference.TextDelta | inference.Usage) -> int:
    """With the reply, but for its last token: the model takes that in only when it is to choose one more."""
    return prompt_tokens + max(0, written.output_tokens - 1)


def _tokens_told(usage: inference.Usage) -> int | None:
    """What a server says that it read and wrote."""
    return usage.input_tokens + usage.output_tokens if usage.input_tokens and usage.output_tokens else None


def _host_of(model: RemoteModel) -> str:
    return urlsplit(model.base_url).netloc

"""A comparison being run: adds what only a window knows, the paint times."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

import inference
from desktop.asking import ask
from desktop.conversations import TurnState, title_of
from desktop.keepsakes import KeptComparison
from desktop.model_choice import ModelChoice
from desktop.spoken import spoken
from desktop.store import Store, StoreError
from desktop.turns import Turn
from desktop.wishes import Wishes
from inference import EngineClosed, GenerationRequest, JobId, Message, ModelConfig, Role

if TYPE_CHECKING:
    from desktop.chat_session import ChatSession
    from inference.experiments import Comparison, Mode, Paint, Run, RunBegan


class ComparisonPhase(StrEnum):
    """What the comparison is at."""

    IDLE = "idle"
    WAITING = "waiting"  # for the engine, which does something else
    WARM_UP = "warm-up"
    RUNNING = "running"


@dataclass(slots=True)
class _Live:
    """The run that goes on now, as the window sees it. Moments are `time.perf_counter` readings."""

    began: RunBegan
    seen_at: float  # when the window heard of it
    worked: float  # seconds of this thread until then
    first_token_at: float | None = None
    first_paint: float | None = None
    last_paint: float | None = None
    has_ended: bool = False
    was_seen_whole: bool = False  # text was painted after the last of it had come

    def paint(self, run: Run, worked: float) -> Paint | None:
        """What was seen of the run; `None` where not all of it was on the screen."""
        ttft = run.timings.ttft
        if (
            not self.was_seen_whole
            or self.first_token_at is None
            or self.first_paint is None
            or self.last_paint is None
            or ttft is None
        ):
            return None
        began = self.first_token_at - ttft
        # Text that was withheld is painted once, however often the same picture was painted after that.
        withheld = self.began.mode is inference.experiments.Mode.OFF
        return inference.experiments.Paint(
            first=self.first_paint - began,
            last=(self.first_paint if withheld else self.last_paint) - began,
            tokens=run.usage.output_tokens,
            work=worked - self.worked,
        )


class Comparisons(QObject):
    """Runs one comparison at a time and keeps those that are done. Widgets show what it says and ask it."""

    phase_changed = Signal(object)  # ComparisonPhase
    run_began = Signal(object)  # RunBegan
    text_grew = Signal(object, str)  # Mode and the text to append: streaming is on
    wrote = Signal(object, int)  # Mode and the tokens written so far: it is off
    run_finished = Signal(object, str)  # Mode and the whole text
    run_ended = Signal(object)  # Run, with what was seen of it
    ended = Signal(object)  # Comparison
    kept_changed = Signal()
    failed = Signal(str)  # a sentence

    def __init__(
        self,
        store: Store,
        engine: inference.Engine,
        models: ModelChoice,
        parent: QObject | None = None,
        *,
        clock: Callable[[], float] = time.perf_counter,
        worked: Callable[[], float] = time.thread_time,
    ) -> None:
        super().__init__(parent)
        self._store = store
        self._engine = engine
        self._models = models
        self._clock = clock
        self._worked = worked
        self._job: JobId | None = None
        self._live: _Live | None = None
        self._paints: dict[int, Paint] = {}
        self._conversation: int | None = None
        self._is_temporary = False
        self._phase = ComparisonPhase.IDLE

    @property
    def phase(self) -> ComparisonPhase:
        return self._phase

    @property
    def is_running(self) -> bool:
        """Whether one runs, or waits to."""
        return self._job is not None

    @property
    def can_start(self) -> bool:
        """Whether the chosen model is one of this machine."""
        return isinstance(self._models.config, ModelConfig) and not self.is_running

    def why_not(self) -> str:
        """Why none can be started; empty where one can."""
        if self._models.config is None:
            return self.tr("No model is open. Open one, then compare.")
        if not isinstance(self._models.config, ModelConfig):
            return self.tr("Streaming is compared with a model of this machine. A server keeps its own time.")
        return self.tr("A comparison runs already.") if self.is_running else ""

    def request(self, session: ChatSession, prompt: str, max_tokens: int | None) -> GenerationRequest | None:
        """What a prompt in this conversation would ask; `None` where there is nobody to ask."""
        model = self._models.config
        if model is None or not prompt.strip():
            return None
        turns = [turn for turn in session.turns if turn.state is not TurnState.WRITING]
        conversation = 0 if session.conversation is None else session.conversation.id
        question = Turn(
            0,
            conversation,
            None,
            Message(Role.USER, prompt),
            datetime.now(UTC),
            attachments=tuple(session.draft.attachments),
        )
        wishes = Wishes(session.system_prompt, session.sampling, session.window_policy)
        asked = ask((*turns, question), model, wishes, is_private=session.is_temporary)
        return replace(asked.request, max_tokens=max_tokens)

    def start(self, session: ChatSession, prompt: str, *, runs: int, max_tokens: int | None) -> bool:
        """Compare this prompt at the end of this conversation. False where that cannot be begun; `failed` says why."""
        if not self.can_start or not prompt.strip():
            if reason := self.why_not():
                self.failed.emit(reason)
            return False
        try:
            request = self.request(session, prompt, max_tokens)
            if request is None:
                return False
            job = inference.experiments.CompareJob(request, runs, prompt)
            self._job = job.id
            self._live, self._paints = None, {}
            self._is_temporary = session.is_temporary
            self._conversation = None if session.conversation is None else session.conversation.id
            self._become(ComparisonPhase.WAITING)
            self._engine.run(job)
        except (inference.InvalidRequest, EngineClosed) as error:
            self._end()
            self.failed.emit(spoken(error))
            return False
        return True

    def stop(self) -> None:
        """End the comparison; the runs that are whole are kept."""
        if self._job is not None:
            self._engine.cancel(self._job)

    def painted(self, mode: Mode) -> None:
        """Text of the run that goes on in this column is on the screen now."""
        live = self._live
        if live is not None and live.began.mode is mode and not live.began.is_warm_up:
            live.last_paint = self._clock()
            live.first_paint = live.first_paint or live.last_paint
            live.was_seen_whole = live.has_ended

    def seconds_of_run(self) -> float | None:
        """How long the run has gone on that goes on now."""
        if self._live is None or self._live.began.is_warm_up:
            return None
        return self._clock() - self._live.seen_at

    def of_replies(self, session: ChatSession) -> bool:
        """Compare the replies of this conversation by their kept figures. False where there are none to compare."""
        try:
            made = self._replies_of(session)
        except StoreError as error:
            self.failed.emit(spoken(error))
            return False
        if made is None:
            self.failed.emit(
                self.tr(
                    "There is nothing to compare yet: this conversation has no replies made both ways, with streaming "
                    "on and off. Ask again with the switch the other way."
                )
            )
            return False
        self.ended.emit(made)
        return True

    def kept(self) -> tuple[KeptComparison, ...]:
        """Those that were kept, the newest first."""
        try:
            return self._store.comparisons()
        except StoreError as error:
            self.failed.emit(spoken(error))
            return ()

    def open(self, number: int) -> bool:
        """Show one that was kept."""
        try:
            comparison = inference.experiments.comparison_from(self._store.comparison(number))
        except StoreError as error:
            self.failed.emit(spoken(error))
            return False
        except ValueError:
            self.failed.emit(self.tr("This comparison cannot be read."))
            return False
        self.ended.emit(comparison)
        return True

    def delete(self, number: int) -> None:
        """Delete one that was kept."""
        try:
            self._store.delete_comparison(number)
        except StoreError as error:
            self.failed.emit(spoken(error))
        self.kept_changed.emit()

    def on_event(self, event: inference.Event) -> None:
        """Follow the engine; what is not of this comparison passes by."""
        match event:
            case inference.JobProgress(job=job, step=step) if job == self._job:
                self._on_step(step)
            case inference.JobFinished(job=job, result=result) if job == self._job:
                self._end()
                if isinstance(result, inference.experiments.Comparison):
                    self._take(result.with_paints(self._paints))
            case inference.JobFailed(job=job, error=error) if job == self._job:
                self._end()
                self.failed.emit(spoken(error))
            case inference.TextDelta() if self._is_of_run(event.request):
                self._on_text(event)
            case inference.GenerationFinished() if self._is_of_run(event.request):
                self._on_finished(event)
            case _:
                pass

    def _is_of_run(self, request: inference.RequestId) -> bool:
        return self._live is not None and self._live.began.request == request

    def _on_step(self, step: object) -> None:
        if isinstance(step, inference.experiments.RunBegan):
            self._live = _Live(step, self._clock(), self._worked())
            self._become(ComparisonPhase.WARM_UP if step.is_warm_up else ComparisonPhase.RUNNING)
            self.run_began.emit(step)
        elif isinstance(step, inference.experiments.RunEnded) and self._live is not None:
            paint = self._live.paint(step.run, self._worked())
            if paint is not None:
                self._paints[step.run.number] = paint
            self.run_ended.emit(replace(step.run, paint=paint))

    def _on_text(self, event: inference.TextDelta) -> None:
        live = self._live
        if live is None or live.began.is_warm_up:
            return
        live.first_token_at = event.first_token_at
        if live.began.mode is inference.experiments.Mode.OFF:
            self.wrote.emit(live.began.mode, event.output_tokens)
        elif event.kind is inference.DeltaKind.ANSWER:
            self.text_grew.emit(live.began.mode, event.text)

    def _on_finished(self, event: inference.GenerationFinished) -> None:
        if self._live is not None and not self._live.began.is_warm_up:
            self._live.has_ended = True
            self.run_finished.emit(self._live.began.mode, event.text)

    def _take(self, comparison: Comparison) -> None:
        if comparison.shown is not None and not self._is_temporary:
            content = inference.experiments.kept_comparison(comparison)
            try:
                self._store.keep_comparison(title_of(comparison.prompt), content, self._conversation)
            except StoreError as error:
                self.failed.emit(spoken(error))
            self.kept_changed.emit()
        self.ended.emit(comparison)

    def _end(self) -> None:
        self._job = self._live = None
        self._become(ComparisonPhase.IDLE)

    def _become(self, phase: ComparisonPhase) -> None:
        if phase is not self._phase:
            self._phase = phase
            self.phase_changed.emit(phase)

    def _replies_of(self, session: ChatSession) -> Comparison | None:
        if session.conversation is None:
            return None
        tree = self._store.tree(session.conversation.id) if not session.is_temporary else session.turns
        replies = [turn for turn in tree if turn.is_reply and turn.state is TurnState.COMPLETE and _has_figures(turn)]
        chosen = _made_both_ways([turn for turn in replies if _is_of_one_piece(turn, session.trace_of(turn.id))])
        if not chosen:
            return None
        asked = next((turn.message.content for turn in tree if turn.id == chosen[-1].parent), "")
        runs = [_run_of(turn, session.trace_of(turn.id)) for turn in chosen]
        subject = inference.experiments.Subject(" / ".join(dict.fromkeys(turn.model_name for turn in chosen)))
        return inference.experiments.comparison_of_replies(asked, subject, runs)


def _has_figures(turn: Turn) -> bool:
    ended_by_itself = turn.finish_reason is not inference.FinishReason.CANCELLED
    return turn.timings is not None and turn.usage is not None and turn.streamed is not None and ended_by_itself


def _is_of_one_piece(turn: Turn, trace: inference.Trace | None) -> bool:
    """Whether its figures are those of its text: not where it was continued, and they are of the last part alone, nor
    where somebody wrote it over."""
    if turn.edited:
        return False
    return trace is None or not turn.message.token_ids or turn.message.token_ids == trace.kept_ids


def _made_both_ways(replies: Sequence[Turn]) -> Sequence[Turn]:
    """The replies to the newest question that was answered both ways; where there is none, all of the conversation's,
    if they were made both ways."""
    for question in dict.fromkeys(turn.parent for turn in reversed(replies)):
        same = [turn for turn in replies if turn.parent == question]
        if len({turn.streamed for turn in same}) == 2:
            return same
    return replies if len({turn.streamed for turn in replies}) == 2 else ()


def _run_of(turn: Turn, trace: inference.Trace | None) -> Run:
    modes = inference.experiments.Mode
    if turn.timings is None or turn.usage is None or turn.finish_reason is None:
        raise ValueError("a reply without figures is not compared")
    return inference.experiments.Run(
        number=0,
        mode=modes.ON if turn.streamed else modes.OFF,
        text=turn.message.content,
        finish_reason=turn.finish_reason,
        usage=turn.usage,
        timings=turn.timings,
        first_text=_first_text(turn, turn.timings),
        token_times=() if trace is None else trace.token_times,
    )


def _first_text(turn: Turn, timings: inference.Timings) -> float | None:
    """When the first of the answer was there to be read: what the model thought before is no part of it."""
    if not turn.message.content:
        return None
    if not turn.streamed:
        return timings.total - timings.load
    if not turn.message.reasoning:
        return timings.ttft
    if timings.ttft is None or turn.thought_seconds is None:
        return None
    return timings.ttft + turn.thought_seconds

"""A reply that is being made: its text, its figures and how far it is, from one event to the next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import inference
from desktop.activity import Activity, Phase
from desktop.conversations import TurnState
from desktop.figures import Figures, held
from desktop.remedies import failure_of
from desktop.spoken import spoken
from desktop.turns import Turn
from inference import AnyModel, GenerationRequest, Message, Role


class RunningReply:
    """`turns` are those of each message of the request, by their ids; `reply` is the turn as it was stored, with the
    text that it goes on from where there is one. `usual_rate` is that of prefill in earlier prompts."""

    def __init__(
        self,
        request: GenerationRequest,
        turns: tuple[tuple[int, ...], ...],
        reply: Turn,
        *,
        usual_rate: float | None,
        clock: Callable[[], float],
    ) -> None:
        self.request = request
        self.streaming = bool(reply.streamed)
        self.activity = Activity(Phase.WAITING, streaming=self.streaming)
        self.figures = Figures()
        self._turns = turns
        self._reply = reply
        self._usual_rate = usual_rate
        self._clock = clock
        self._submitted = clock()
        self._load_seen = False  # a load is no part of TTFT, and only the engine knows how much of one fell before it
        self._pieces: list[str] = []
        self._thoughts: list[str] = []
        self._thought_seconds = reply.thought_seconds

    @property
    def turn_id(self) -> int:
        return self._reply.id

    @property
    def turn(self) -> Turn:
        """With all that was written so far."""
        before = self._reply.message
        said = Message(
            Role.ASSISTANT,
            before.content + "".join(self._pieces),
            reasoning=before.reasoning + "".join(self._thoughts),
        )
        return replace(self._reply, message=said, thought_seconds=self._thought_seconds)

    @property
    def shown_turn(self) -> Turn:
        """With what is shown of it: with streaming off, what is new waits until the end."""
        return self.turn if self.streaming else self._reply

    def submit(self) -> None:
        """It is handed to the engine now."""
        self._submitted = self._clock()

    def on_loading(self, model: AnyModel, fraction: float) -> bool:
        """A model is being loaded; whether that changes anything to be seen."""
        self._load_seen = True
        if self.request.model != model:
            return False
        self.activity = replace(self.activity, phase=Phase.LOADING, load_fraction=fraction)
        return True

    def on_ready(self) -> bool:
        """A model is loaded; whether that changes anything to be seen."""
        self._load_seen = True
        if self.activity.phase is not Phase.LOADING:
            return False
        self.activity = replace(self.activity, phase=Phase.WAITING)
        return True

    def on_left_out(self, event: inference.TurnsLeftOut) -> None:
        left_out = tuple(turn for message in event.messages for turn in self._turns[message])
        self._reply = replace(self._reply, left_out=left_out)

    def on_prefill(self, event: inference.PrefillProgress) -> None:
        measured = event.evaluated / event.seconds if event.evaluated and event.seconds > 0 else None
        self.figures = replace(
            self.figures,
            context_used=event.cached_tokens + event.evaluated,
            prefill_rate=measured,
            new_tokens=event.new_tokens,
            cached_tokens=event.cached_tokens,
        )
        self.activity = Activity(
            Phase.PREFILL,
            cached_tokens=event.cached_tokens,
            new_tokens=event.new_tokens,
            evaluated=event.evaluated,
            batch_end=event.batch_end,
            border_at=self._clock(),
            rate=measured or self._usual_rate,
            streaming=self.streaming,
        )

    def on_delta(self, event: inference.TextDelta) -> None:
        seconds = event.at - event.first_token_at
        is_thinking = event.kind is inference.DeltaKind.REASONING
        if is_thinking:
            self._thought_seconds = (self._reply.thought_seconds or 0.0) + seconds
        if event.text:
            (self._thoughts if is_thinking else self._pieces).append(event.text)
        before = self.activity
        read = before.new_tokens if before.phase is Phase.PREFILL else before.evaluated
        self.figures = replace(
            self.figures,
            context_used=None if self.figures.cached_tokens is None else held(before.cached_tokens + read, event),
            decode_rate=inference.rate_of_decode(event.output_tokens, seconds),
            ttft=None if self._load_seen else event.first_token_at - self._submitted,
        )
        self.activity = replace(
            before,
            phase=Phase.DECODE,
            evaluated=read,
            output_tokens=event.output_tokens,
            decode_seconds=seconds,
            is_thinking=is_thinking,
            thought_seconds=self._thought_seconds,
        )

    def finished(self, event: inference.GenerationFinished) -> Turn:
        """The reply as it ended."""
        before = self._reply.message
        # One that was withdrawn before its turn came still is what it was.
        begun = event.begun_ids or (() if event.trace.kept_ids else before.token_ids)
        said = Message(
            Role.ASSISTANT,
            before.content + event.text,
            (*begun, *event.trace.kept_ids),
            before.reasoning + event.reasoning,
        )
        return replace(
            self.turn,
            message=said,
            state=TurnState.COMPLETE,
            model_name=event.model_name,
            finish_reason=event.finish_reason,
            usage=event.usage,
            timings=event.timings,
        )

    def failed(self, event: inference.GenerationFailed) -> Turn:
        """The reply as far as it got."""
        before = self._reply.message
        is_as_before = not event.text and not event.reasoning
        said = Message(
            Role.ASSISTANT,
            before.content + event.text,
            before.token_ids if is_as_before else (),
            before.reasoning + event.reasoning,
        )
        return replace(
            self.turn,
            message=said,
            state=TurnState.FAILED,
            error=spoken(event.error),
            failure=failure_of(event.error),
        )

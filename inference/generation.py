"""One generation: prompt, prefill, decode; a generator of events.

It knows nothing of threads, queues or windows: whoever iterates it drives it, and the stop flag ends it early.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass

from inference.errors import InferenceError
from inference.events import (
    BlockKind,
    Candidate,
    DeltaKind,
    FinishReason,
    GenerationEvent,
    GenerationFailed,
    GenerationFinished,
    PrefillProgress,
    PromptBlock,
    ReuseEnd,
    TextDelta,
    Timings,
    Trace,
    TurnsLeftOut,
    Usage,
)
from inference.fit import fit
from inference.messages import Role
from inference.model import Model, Sampler, StopFlag
from inference.prefix_cache import Holder, PrefixCache, Reuse
from inference.prompt import Prompt, PromptBuilder
from inference.reasoning import Part
from inference.requests import GenerationRequest
from inference.speculation import Decoder, decoder_of
from inference.template import RenderStopped
from inference.text_stream import TextStream, tokens_within

Clock = Callable[[], float]

# Tokens. A place is marked between two calls, and a call costs a CPU about as much as eight tokens more in another: 36
# ms for one token of Gemma 3 270M, 104 for 17. Who comes back to a place without a mark reads no more than this again.
_WORTH_A_CALL = 32


@dataclass(frozen=True, slots=True)
class Arrival:
    """How a request came to its turn: `submitted_at` is t0; then it waited `queued` seconds, `load` of them apart."""

    submitted_at: float
    queued: float
    load: float


class Generation:
    """Answers one request with a loaded model.

    The KV cache always holds what `model.tokens` says, however the generation ends.
    """

    def __init__(
        self,
        request: GenerationRequest,
        model: Model,
        prompts: PromptBuilder,
        cache: PrefixCache,
        stop_flag: StopFlag,
        arrival: Arrival,
        clock: Clock = time.perf_counter,
    ) -> None:
        self._request = request
        self._model = model
        self._prompts = prompts
        self._cache = cache
        self._stop_flag = stop_flag
        self._arrival = arrival
        self._clock = clock
        self._marks = _Marks(began=arrival.submitted_at + arrival.queued + arrival.load)
        self._text: dict[DeltaKind, list[str]] = {kind: [] for kind in DeltaKind}
        self._stream = TextStream()
        self._decoder: Decoder | None = None
        self._ids: list[int] = []
        self._pieces: list[bytes] = []
        self._before_answer = 0  # tokens
        # Characters that a reply gone on with held back, and that were shown when it ended.
        self._shown_before = dict.fromkeys(DeltaKind, 0)
        self._times: list[float] = []
        self._candidates: list[tuple[Candidate, ...]] = []
        self._prompt = Prompt((), (), ())
        self._left_out: tuple[int, ...] = ()
        self._needed = 0
        self._cached = 0
        self._reuse_end = ReuseEnd.FIRST_TURN

    def events(self) -> Generator[GenerationEvent, None, None]:
        """Every event of the request; exactly one `GenerationFinished` or `GenerationFailed`, the last. An
        `InferenceError` that is thrown into it ends it like one of its own."""
        try:
            sampler = self._prepare()
            try:
                if self._left_out:
                    yield TurnsLeftOut(self._request.id, self._left_out, self._needed, self._model.info.context_size)
                yield from self._prefill()
                reason = yield from self._decode(sampler)
            finally:
                sampler.close()
            yield self._finished(reason)
        except RenderStopped:
            yield self._finished(FinishReason.CANCELLED)
        except InferenceError as error:
            yield GenerationFailed(
                self._request.id, error, self._written(DeltaKind.ANSWER), self._written(DeltaKind.REASONING)
            )

    def _prepare(self) -> Sampler:
        """Template, tokens, and the KV cache cut back to what it shares with the prompt."""
        fitted = fit(self._request, self._prompts, self._model.info.context_size)
        self._prompt, self._left_out, self._needed = fitted.prompt, fitted.left_out, fitted.needed
        holder = Holder(self._request.owner, self._request.is_private)
        reuse = self._cache.reuse(self._model, self._prompt.tokens, holder)
        self._cached, self._reuse_end = reuse.cached, _why(reuse, self._prompt, self._request)
        sampling = self._request.sampling.over(self._model.info.default_sampling)
        return self._model.sampler(sampling, self._request.grammar, self._request.json_schema)

    def _prefill(self) -> Iterator[GenerationEvent]:
        """Read the prompt's uncached tokens, a batch at a time."""
        new, marks = self._prompt.tokens[self._cached :], self._marks
        marks.prefill_began = self._clock()
        if not new:
            marks.prefill_ended = marks.prefill_began
        elif self._model.wants_marks and self._cached:
            self._model.mark()  # behind the last reply, where another question would go on
        while marks.prefill_tokens < len(new) and not self._stop_flag.is_set():
            end = self._batch_end(self._cached + marks.prefill_tokens) - self._cached
            yield self._progress(len(new), marks.prefill_tokens, end)
            if not self._stop_flag.is_set():
                self._read(new[marks.prefill_tokens : end])
        if len(self._model.tokens) == len(self._prompt.tokens):
            self._model.keep_logits()
            yield self._progress(len(new), len(new), len(new))

    def _batch_end(self, begin: int) -> int:
        """Where the batch that begins at `begin` ends: at its full size, or before that where a place is marked and
        stands far enough behind the last one."""
        end = min(begin + self._model.info.batch_size, len(self._prompt.tokens))
        if not self._model.wants_marks:
            return end
        borders = (self._prompt.said, *(part.end for part in self._prompt.parts))
        return min((border for border in borders if begin + _WORTH_A_CALL <= border < end), default=end)

    def _read(self, batch: Sequence[int]) -> None:
        read = self._model.evaluate(batch)
        self._marks.prefill_tokens += read
        self._marks.prefill_ended = self._clock()
        if read == len(batch) and self._model.wants_marks:
            self._model.mark()

    def _progress(self, new: int, evaluated: int, batch_end: int) -> PrefillProgress:
        seconds = (self._marks.prefill_ended or self._marks.prefill_began or 0.0) - (self._marks.prefill_began or 0.0)
        return PrefillProgress(self._request.id, self._cached, new, evaluated, batch_end, seconds)

    def _decode(self, sampler: Sampler) -> Generator[GenerationEvent, None, FinishReason]:
        """Sample, show, evaluate, one token after another; returns why it ended."""
        prompt = self._prompt
        self._stream = stream = TextStream((*self._request.stop, *prompt.stop), prompt.markup, prompt.lead)
        if len(self._model.tokens) < len(self._prompt.tokens):
            return FinishReason.CANCELLED
        self._pass_over(prompt.begun, sampler)
        decoder = self._decoder = self._decoder_of(sampler)
        try:
            reason = yield from self._write(decoder, sampler, stream)
        finally:
            decoder.close()
        for part in stream.flush():
            yield from self._delta(part)
        return reason

    def _decoder_of(self, sampler: Sampler) -> Decoder:
        request, prompt = self._request, self._prompt.tokens
        return decoder_of(
            self._model,
            sampler,
            prompt,
            speculation=request.speculation and not request.record_probabilities,
            max_tokens=request.max_tokens,
            clock=self._clock,
        )

    def _write(
        self, decoder: Decoder, sampler: Sampler, stream: TextStream
    ) -> Generator[GenerationEvent, None, FinishReason]:
        reason: FinishReason | None = None
        marks = self._model.wants_marks
        while reason is None:
            token = decoder.sample(free=stream.reasoning)
            self._ids.append(token)
            self._times.append(self._clock())
            if self._request.record_probabilities:
                self._record(sampler, token)
            if self._model.vocabulary.is_end(token):
                reason = FinishReason.STOP
                break
            for part in stream.feed(self._piece(token)):
                yield from self._delta(part)
            if marks and stream.holds:
                self._model.mark(near=True)  # a stop string may begin in this token: then the next turn goes on before
            if not stream.answering:
                self._before_answer = len(self._ids)
            reason = self._end_after(token, stream, decoder)
        return reason

    def _record(self, sampler: Sampler, chosen: int) -> None:
        """Note the likeliest tokens here, and the one that was chosen."""
        likeliest = sampler.likeliest(self._request.record_probabilities, chosen)
        piece = self._model.vocabulary.piece
        self._candidates.append(tuple(Candidate(token, piece(token), share) for token, share in likeliest))

    def _pass_over(self, begun: Sequence[int], sampler: Sampler) -> None:
        """Let the text stream know what was written before; what it holds back of that has been shown already."""
        before = self._request.begun
        if before is not None:
            passed = []
            for token in begun:
                if not self._stream.reasoning:
                    sampler.follow(token)
                passed += self._stream.feed(self._piece(token))
            said = {DeltaKind.ANSWER: before.content if begun else ""}
            if tuple(begun) == before.token_ids:  # else its reasoning is not among them
                said[DeltaKind.REASONING] = before.reasoning
            for kind, text in said.items():
                shown = sum(len(part.text) for part in passed if part.kind is kind)
                self._shown_before[kind] = max(0, len(text) - shown)

    def _piece(self, token: int) -> bytes:
        """The bytes of a token that was sampled; a control token has some only where it marks reasoning."""
        piece = self._model.vocabulary.piece(token)
        if not piece and self._stream.wants_words:
            piece = self._prompts.word(token)
        self._pieces.append(piece)
        return piece

    def _end_after(self, token: int, stream: TextStream, decoder: Decoder) -> FinishReason | None:
        """Why the reply ends with this token; `None` where it goes on, the token evaluated."""
        if stream.stopped:
            return FinishReason.STOP
        if len(self._ids) == self._request.max_tokens:
            return FinishReason.LENGTH
        if len(self._prompt.tokens) + len(self._ids) > self._model.info.context_size:
            return FinishReason.WINDOW
        if self._stop_flag.is_set() or not decoder.evaluate(token):
            return FinishReason.CANCELLED
        return None

    def _delta(self, part: Part) -> Iterator[TextDelta]:
        before = self._shown_before[part.kind]
        text, self._shown_before[part.kind] = part.text[before:], max(0, before - len(part.text))
        if text:
            self._text[part.kind].append(text)
            yield TextDelta(self._request.id, text, part.kind, len(self._ids), self._times[-1], self._times[0])

    def _written(self, kind: DeltaKind) -> str:
        return "".join(self._text[kind])

    def _finished(self, reason: FinishReason) -> GenerationFinished:
        reasoning_tokens = self._before_answer if self._stream.reasoned else 0
        return GenerationFinished(
            request=self._request.id,
            text=self._written(DeltaKind.ANSWER),
            reasoning=self._written(DeltaKind.REASONING),
            finish_reason=reason,
            model_name=self._model.info.name,
            usage=Usage(len(self._prompt.tokens), self._cached, len(self._ids), reasoning_tokens),
            trace=Trace(
                token_ids=tuple(self._ids),
                token_times=tuple(at - self._arrival.submitted_at for at in self._times),
                kept_tokens=max(0, tokens_within(self._pieces, self._stream.length) - len(self._prompt.begun)),
                blocks=_blocks(self._prompt, self._cached),
                reuse_end=self._reuse_end,
                drafted_tokens=self._decoder.drafted if self._decoder is not None else 0,
                accepted_tokens=self._decoder.accepted if self._decoder is not None else 0,
                pieces=tuple(map(self._model.vocabulary.piece, self._ids)),
                candidates=tuple(self._candidates),
            ),
            timings=self._timings(),
            begun_ids=self._prompt.begun,
        )

    def _timings(self) -> Timings:
        marks = self._marks
        began = marks.prefill_began or marks.began
        first = self._times[0] if self._times else None
        last = self._times[-1] if self._times else None
        return Timings(
            queued=self._arrival.queued,
            load=self._arrival.load,
            prepare=began - marks.began,
            prefill=marks.prefill_ended - began if marks.prefill_ended is not None else None,
            first_sample=first - marks.prefill_ended if first is not None and marks.prefill_ended is not None else None,
            decode=last - first if last is not None and first is not None else None,
            finish=self._clock() - (last or marks.prefill_ended or began),
            prefill_tokens=marks.prefill_tokens,
            output_tokens=len(self._ids),
        )


@dataclass(slots=True)
class _Marks:
    """Moments of a generation as it goes."""

    began: float
    prefill_began: float | None = None
    prefill_ended: float | None = None
    prefill_tokens: int = 0


def _why(reuse: Reuse, prompt: Prompt, request: GenerationRequest) -> ReuseEnd:
    """Why reuse ended, in terms of the conversation; the cache knows only that the tokens differ from some place on."""
    if reuse.end not in (ReuseEnd.MODEL_RELOADED, ReuseEnd.EVICTED, ReuseEnd.TURN_CHANGED):
        return reuse.end
    if all(message.role is not Role.ASSISTANT for message in request.messages):
        return ReuseEnd.FIRST_TURN
    part = next((part for part in prompt.parts if reuse.cached < part.end), None)
    if reuse.end is not ReuseEnd.TURN_CHANGED or part is None:
        return reuse.end
    if part.kind is BlockKind.SYSTEM:
        return ReuseEnd.SYSTEM_CHANGED
    return ReuseEnd.TEMPLATE_CHANGED if reuse.cached < part.begin else ReuseEnd.TURN_CHANGED


def _blocks(prompt: Prompt, cached: int) -> tuple[PromptBlock, ...]:
    blocks, begin = [], 0
    for part in prompt.parts:
        of_it = min(max(cached - begin, 0), part.end - begin)
        blocks.append(PromptBlock(part.kind, part.message, part.end - begin, of_it))
        begin = part.end
    return tuple(blocks)

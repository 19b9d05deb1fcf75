"""One reply of a server as it comes: chunks in, events out.

It knows nothing of connections or threads: whoever hears a chunk feeds it, and asks for the last event at the end.
"""

from __future__ import annotations

from collections.abc import Iterator

from inference.errors import InferenceError
from inference.events import (
    DeltaKind,
    FinishReason,
    GenerationEvent,
    GenerationFailed,
    GenerationFinished,
    PrefillProgress,
    TextDelta,
    Timings,
    Trace,
    Usage,
)
from inference.reasoning import THINK, ReasoningParser
from inference.remote.inbox import Clock
from inference.remote.wire import Chunk, Progress, ServerTimings, ServerUsage
from inference.requests import GenerationRequest


class Reply:
    """What came of one request, and the figures that follow from it."""

    def __init__(self, request: GenerationRequest, model_name: str, clock: Clock) -> None:
        self._request = request
        self._model_name = model_name
        self._clock = clock
        self._began = clock()
        self._submitted = self._began if request.submitted_at is None else request.submitted_at
        self._characters = {kind: _WholeCharacters() for kind in DeltaKind}
        # Some servers leave it to the client to tell a reply's reasoning from its answer.
        self._parser = ReasoningParser(THINK)
        self._texts: dict[DeltaKind, list[str]] = {kind: [] for kind in DeltaKind}
        self._pieces = 0
        self._first_at: float | None = None
        self._last_at: float | None = None
        self._counted = 0
        self._finish_reason = ""
        self._timings: ServerTimings | None = None
        self._usage = ServerUsage()

    @property
    def is_whole(self) -> bool:
        """Whether the server has said why the reply ended: nothing but figures can follow."""
        return bool(self._finish_reason)

    def feed(self, chunk: Chunk) -> Iterator[GenerationEvent]:
        """The events that `chunk` makes. To be run to its end."""
        now = self._clock()
        self._model_name = chunk.model or self._model_name
        self._finish_reason = chunk.finish_reason or self._finish_reason
        self._timings = chunk.timings or self._timings
        self._usage = chunk.usage or self._usage
        if chunk.progress is not None and self._first_at is None:
            yield _progress(self._request, chunk.progress)
        for kind, text in ((DeltaKind.REASONING, chunk.reasoning), (DeltaKind.ANSWER, chunk.text)):
            if text:
                yield from self._grow(kind, text, now)

    def finish(self, *, cancelled: bool = False) -> Iterator[GenerationEvent]:
        """The last events; `cancelled` where it was cut off here, unless it was whole already."""
        yield from self._rest()
        if cancelled and not self.is_whole:
            yield self._finished(FinishReason.CANCELLED)
        else:
            yield self._finished(self._reason())

    def fail(self, error: InferenceError) -> Iterator[GenerationEvent]:
        """The last events of a reply that came to no good end; what was written stays."""
        yield from self._rest()
        yield GenerationFailed(self._request.id, error, self._text(DeltaKind.ANSWER), self._text(DeltaKind.REASONING))

    def _grow(self, kind: DeltaKind, text: str, now: float) -> Iterator[TextDelta]:
        self._pieces += 1
        self._first_at = now if self._first_at is None else self._first_at
        self._last_at = now
        self._counted = max(self._counted, self._tokens_so_far())
        yield from self._told_apart(kind, self._characters[kind].feed(text))

    def _told_apart(self, kind: DeltaKind, text: str) -> Iterator[TextDelta]:
        if kind is DeltaKind.REASONING:
            if text:
                yield self._delta(kind, text)
            return
        for part in self._parser.feed(text):
            yield self._delta(part.kind, part.text)

    def _rest(self) -> Iterator[TextDelta]:
        """What was held back in case more would come."""
        for kind, characters in self._characters.items():
            yield from self._told_apart(kind, characters.flush())
        for part in self._parser.flush():
            yield self._delta(part.kind, part.text)

    def _text(self, kind: DeltaKind) -> str:
        return "".join(self._texts[kind])

    def _tokens_so_far(self) -> int:
        if self._timings is not None:
            return self._timings.output_tokens
        return self._usage.output_tokens or self._pieces

    def _delta(self, kind: DeltaKind, text: str) -> TextDelta:
        self._texts[kind].append(text)
        last, first = self._last_at or self._began, self._first_at or self._began
        return TextDelta(self._request.id, text, kind, self._counted, last, first)

    def _finished(self, reason: FinishReason) -> GenerationFinished:
        usage = self._usage_at_last()
        return GenerationFinished(
            request=self._request.id,
            text=self._text(DeltaKind.ANSWER),
            finish_reason=reason,
            model_name=self._model_name,
            usage=usage,
            timings=self._timings_at_last(usage),
            trace=Trace(),
            reasoning=self._text(DeltaKind.REASONING),
        )

    def _reason(self) -> FinishReason:
        if self._finish_reason != "length":
            return FinishReason.STOP
        # Servers have one word for both limits.
        limit, written = self._request.max_tokens, self._usage_at_last().output_tokens
        if limit is None or 0 < written < limit:
            return FinishReason.WINDOW
        return FinishReason.LENGTH

    def _usage_at_last(self) -> Usage:
        told, timings = self._usage, self._timings
        cached = told.cached_tokens
        if timings is None:
            return Usage(told.input_tokens or 0, cached, told.output_tokens or 0, told.reasoning_tokens or 0)
        cached = timings.cached_tokens if cached is None else cached
        read = told.input_tokens
        if read is None and cached is not None:
            read = cached + timings.prefill_tokens
        # Cut off here, a stream lacks its usage; the timings of its last chunk count what was made until then.
        written = timings.output_tokens if told.output_tokens is None else told.output_tokens
        return Usage(read or 0, cached, written, told.reasoning_tokens or 0)

    def _timings_at_last(self, usage: Usage) -> Timings:
        now = self._clock()
        queued = self._began - self._submitted
        if self._first_at is None or self._last_at is None:
            # Nothing was written: all there is to say is how long that took.
            return Timings(queued=queued, load=0.0, prepare=now - self._began)
        wait = self._first_at - self._began
        # A server that says to have read for longer than was waited for it is not believed.
        if self._timings is None or self._timings.prefill_seconds > wait:
            return Timings(
                queued=queued,
                load=0.0,
                wait=wait,
                decode=self._last_at - self._first_at,
                finish=now - self._last_at,
                output_tokens=self._tokens_since_first_text(usage),
                measured_at_client=True,
            )
        timings = self._timings
        return Timings(
            queued=queued,
            load=0.0,
            # What of the wait was no prefill: the way there and back, the server's queue, its template.
            prepare=max(0.0, wait - timings.prefill_seconds),
            prefill=timings.prefill_seconds,
            first_sample=0.0,
            decode=timings.decode_seconds,
            finish=max(0.0, now - self._first_at - timings.decode_seconds),
            prefill_tokens=_newly_read(timings, usage),
            output_tokens=timings.output_tokens,
        )

    def _tokens_since_first_text(self, usage: Usage) -> int:
        """The tokens whose time was seen here; 0 where that is not known: reasoning that a server keeps to itself was
        written before its first text."""
        hidden = usage.reasoning_tokens and not self._texts[DeltaKind.REASONING]
        return 0 if hidden else usage.output_tokens


class _WholeCharacters:
    """Joins characters that JSON may cut in two: a surrogate half waits for the other one."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str) -> str:
        text = self._held + text
        self._held = ""
        if "\ud800" <= text[-1:] <= "\udbff":
            text, self._held = text[:-1], text[-1]
        return _joined(text)

    def flush(self) -> str:
        rest, self._held = self._held, ""
        return _joined(rest)


def _joined(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _progress(request: GenerationRequest, progress: Progress) -> PrefillProgress:
    evaluated = max(0, progress.processed - progress.cached)
    new = progress.total - progress.cached
    return PrefillProgress(request.id, progress.cached, new, evaluated, evaluated, progress.seconds)


def _newly_read(timings: ServerTimings, usage: Usage) -> int:
    """The tokens that `prefill` was spent on; 0 where the server's figures contradict each other (some count cached
    tokens as read, which makes a rate that nothing ever ran at)."""
    if usage.cached_tokens is None:
        return timings.prefill_tokens
    return timings.prefill_tokens if timings.prefill_tokens + usage.cached_tokens == usage.input_tokens else 0

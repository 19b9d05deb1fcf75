"""What comes out: the events of a model and of a generation, and the figures they carry.

Every request ends with exactly one `GenerationFinished` or `GenerationFailed`, every job with one `JobFinished` or
`JobFailed`; the events of each come in order. Times are seconds; moments are `time.perf_counter` readings of this
process.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from inference.configuration import KvType, ModelConfig, RemoteModel
from inference.errors import InferenceError
from inference.ids import JobId, RequestId
from inference.requests import Sampling

_SHORTEST = 1e-9  # seconds: what a clock can tell


class FinishReason(StrEnum):
    """Why a reply ended."""

    STOP = "stop"  # the model ended it, or a stop string was met
    LENGTH = "length"  # max_tokens was reached
    WINDOW = "window"  # the context window is full
    CANCELLED = "cancelled"  # somebody stopped it


class DeltaKind(StrEnum):
    """What a piece of text belongs to."""

    ANSWER = "answer"
    REASONING = "reasoning"


class BlockKind(StrEnum):
    """What a stretch of the prompt comes from."""

    SYSTEM = "system"
    TURN = "turn"
    NEW_MESSAGE = "new message"


class ReuseEnd(StrEnum):
    """Why the prompt was not taken from the KV cache any further."""

    FIRST_TURN = "first turn"  # of a new conversation
    MODEL_RELOADED = "model reloaded"  # nothing is held, and nothing was kept that fits
    EVICTED = "evicted"  # it may have been kept, and was given up for others
    NEW_TEXT = "new text"  # all that was held is reused: the rest is new
    SYSTEM_CHANGED = "system prompt changed"
    TURN_CHANGED = "turn changed"  # an earlier turn was edited, or another branch taken
    TEMPLATE_CHANGED = "template changed"  # the template's own text, such as a date, is another from here on
    NOT_REWINDABLE = "not rewindable"  # the model's memory cannot be cut back to this place
    LAST_TOKEN = "last token"  # noqa: S105 - the whole prompt was held; its last token is read for its logits
    WHOLE_PROMPT = "whole prompt"  # it was held with the logits of its end: nothing is read


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """Bytes a loaded model takes: its weights, its KV cache with all states, and what it computes in."""

    weights: int
    kv: int
    compute: int

    @property
    def total(self) -> int:
        return self.weights + self.kv + self.compute


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What a loaded model is and how it was loaded. Sizes of contexts are in tokens, `file_size` in bytes."""

    config: ModelConfig
    name: str
    architecture: str
    quantisation: str
    parameters: int
    file_size: int
    training_context: int
    context_size: int
    batch_size: int
    threads: int
    device: str  # as shown: "CPU", "CUDA0: 24 of 33 layers, 7.1 of 8.0 GB"
    template_name: str  # "the model's own", or the name of the plain fallback that stands in for it
    has_own_template: bool
    default_sampling: Sampling  # the file's own values over DEFAULT_SAMPLING
    load_seconds: float
    has_thinking_switch: bool = False  # whether `GenerationRequest.thinking` makes a difference
    warnings: tuple[str, ...] = ()  # what the chat template cannot render, a sentence each
    kv_type: KvType = KvType.F16
    memory: MemoryUse | None = None  # what it really took, where llama.cpp says so
    layers: int = 0  # the output layer counted
    gpu_layers: int = 0
    device_note: str = ""  # why it runs there and not as wished, a sentence
    threads_note: str = ""  # why it has other threads than before, a sentence


@dataclass(frozen=True, slots=True)
class RemoteModelInfo:
    """What a server says of one of its models; `None` where it says nothing. Contexts are in tokens, `file_size` in
    bytes; `server` is its kind where that is known: "llama-server", "vLLM"."""

    config: RemoteModel
    name: str
    server: str = ""
    context_size: int | None = None
    training_context: int | None = None
    parameters: int | None = None
    file_size: int | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one request. `input_tokens` includes the cached ones; `output_tokens` counts every sampled token,
    the end token and reasoning included. What a server does not say is blank: `None` cached tokens, 0 of the others
    (no prompt is without tokens, and no text)."""

    input_tokens: int
    cached_tokens: int | None
    output_tokens: int
    reasoning_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Timings:
    """The phases of one request, in seconds, none overlapping; `None` where the phase was never reached.

    t0 submitted; t1 template rendered, tokenised, KV restored; t2 first prefill call; t3 logits of the last prompt
    token there; t4 first token sampled; tn last token sampled. `load` lies between t0 and t1 and is no part of
    `queued` or `prepare`.

    Of a server's reply, t4 and with it the TTFT are moments at the client: what was waited for. The rest is as the
    server reports it (`first_sample` is then part of its `prefill`), or `measured_at_client`; such a server does not
    tell the phases before the first token apart, and `wait` stands for them.
    """

    queued: float
    load: float
    prepare: float | None = None  # to t2
    prefill: float | None = None  # t3 - t2
    first_sample: float | None = None  # t4 - t3
    decode: float | None = None  # tn - t4
    finish: float | None = None  # from tn (or from where it was stopped) to the last event
    prefill_tokens: int = 0  # newly evaluated prompt tokens; never cached ones; 0 where a server does not say
    output_tokens: int = 0  # sampled tokens; 0 where a server does not say
    wait: float | None = None  # to t4, at a server that does not say what it did meanwhile
    measured_at_client: bool = False  # decode is the time between texts as they came here

    @property
    def ttft(self) -> float | None:
        """Time to first token, t4 - t0 - load; `None` when nothing was sampled."""
        if self.wait is not None:
            return self.queued + self.wait
        if self.prepare is None or self.prefill is None or self.first_sample is None:
            return None
        return self.queued + self.prepare + self.prefill + self.first_sample

    @property
    def overhead(self) -> float | None:
        """Time before the first token that was not prefill: (t2 - t0 - load) + (t4 - t3)."""
        if self.prepare is None or self.first_sample is None:
            return None
        return self.queued + self.prepare + self.first_sample

    @property
    def total(self) -> float:
        """From t0 to the last event, load included."""
        phases = (self.prepare, self.prefill, self.first_sample, self.wait, self.decode, self.finish)
        return self.queued + self.load + sum(phase for phase in phases if phase is not None)

    @property
    def prefill_rate(self) -> float | None:
        """Newly evaluated prompt tokens per second of prefill; `None` when nothing was evaluated."""
        return _rate(self.prefill_tokens, self.prefill)

    @property
    def decode_rate(self) -> float | None:
        """(N - 1) / (tn - t4) tokens per second, N the sampled tokens; `None` when N < 2."""
        return rate_of_decode(self.output_tokens, self.decode)


def rate_of_decode(output_tokens: int, seconds: float | None) -> float | None:
    """Tokens per second of decode: the first token's logits came with the prompt, so N tokens are N - 1 steps."""
    return _rate(output_tokens - 1, seconds)


def _rate(count: int, seconds: float | None) -> float | None:
    """So many a second; `None` where there were none, or it took no time that a clock can tell."""
    if count < 1 or seconds is None or not _SHORTEST <= seconds < math.inf:
        return None
    return count / seconds


@dataclass(frozen=True, slots=True)
class PromptBlock:
    """A message in the prompt, with the template's text before it, and how much of it came from the KV cache.
    `message` is its index in the request."""

    kind: BlockKind
    message: int
    tokens: int
    cached: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """A token that might have been next: its bytes, and its probability as the model itself saw it."""

    token: int
    piece: bytes
    probability: float


@dataclass(frozen=True, slots=True)
class Trace:
    """One reply under the glass: what was read, what was sampled, and when.

    `token_times` holds, for each of `token_ids`, the seconds from the request's submission (load included).
    `kept_tokens` of the ids make up what was shown, reasoning and its marks included; the rest (an end token, what a
    stop string cut off) are sampled tokens that are no part of it. With speculation, `drafted_tokens` were evaluated on
    trial, and `accepted_tokens` of them were what was then sampled.

    `pieces` are the bytes of each token, where they were kept: a part of a character, perhaps, or nothing for a control
    token. `candidates` are the likeliest tokens at each place and the one that was chosen, where they were to be
    recorded.
    """

    token_ids: tuple[int, ...] = ()
    token_times: tuple[float, ...] = ()
    kept_tokens: int = 0
    blocks: tuple[PromptBlock, ...] = ()
    reuse_end: ReuseEnd = ReuseEnd.FIRST_TURN
    drafted_tokens: int = 0
    accepted_tokens: int = 0
    pieces: tuple[bytes, ...] = ()
    candidates: tuple[tuple[Candidate, ...], ...] = ()

    @property
    def reuse_ended_in(self) -> int | None:
        """The index of the message in which the prompt was no longer taken from the KV cache; `None` where all was."""
        return next((block.message for block in self.blocks if block.cached < block.tokens), None)

    @property
    def kept_ids(self) -> tuple[int, ...]:
        """The ids of what was shown: what the next prompt can reuse, as far as the template repeats it."""
        return self.token_ids[: self.kept_tokens]


@dataclass(frozen=True, slots=True)
class ModelLoading:
    """A model is being loaded; `fraction` goes from 0 to 1."""

    model: ModelConfig
    fraction: float


@dataclass(frozen=True, slots=True)
class ModelReady:
    """A model is loaded and answers."""

    info: ModelInfo


@dataclass(frozen=True, slots=True)
class ModelFailed:
    """A model could not be loaded; no model is loaded now."""

    model: ModelConfig
    error: InferenceError


@dataclass(frozen=True, slots=True)
class ModelUnloaded:
    """A model was freed, with its KV cache."""

    model: ModelConfig


@dataclass(frozen=True, slots=True)
class TurnsLeftOut:
    """The conversation no longer fits the window: the request's messages with these indexes are not read. Comes before
    prefill. All of it would have needed `needed` tokens."""

    request: RequestId
    messages: tuple[int, ...]
    needed: int
    context_size: int


@dataclass(frozen=True, slots=True)
class PrefillProgress:
    """The prompt is being read. Comes before the first batch and after each.

    Of `new_tokens` (the prompt without its cached tokens), `evaluated` are done, in `seconds` since t2; the batch
    that begins now ends at `batch_end` (a server does not tell; it is `evaluated` then).
    """

    request: RequestId
    cached_tokens: int
    new_tokens: int
    evaluated: int
    batch_end: int
    seconds: float


@dataclass(frozen=True, slots=True)
class TextDelta:
    """Text that was written. `output_tokens` were sampled by `at`, this text's included; `first_token_at` is t4.

    A server that does not count along leaves `output_tokens` to the number of texts received.
    """

    request: RequestId
    text: str
    kind: DeltaKind
    output_tokens: int
    at: float
    first_token_at: float


@dataclass(frozen=True, slots=True)
class GenerationFinished:
    """A reply ended; `text` is all of its answer, also where it was cancelled half-way, and `reasoning` what it thought
    before. Of a reply that was gone on with, that is what is new, and `begun_ids` are the tokens it had before."""

    request: RequestId
    text: str
    finish_reason: FinishReason
    model_name: str
    usage: Usage
    timings: Timings
    trace: Trace
    reasoning: str = ""
    begun_ids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class GenerationFailed:
    """A reply could not be made, or not to its end; `text` and `reasoning` are what was written until then."""

    request: RequestId
    error: InferenceError
    text: str = ""
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class JobProgress:
    """A job is so far (`fraction`, 0 to 1). `step` is a value of the job's own that says what begins now.

    The replies that a job has made announce themselves as all do, each by an id of its own that a step has named.
    """

    job: JobId
    fraction: float
    step: object = None


@dataclass(frozen=True, slots=True)
class JobFinished:
    """A job ended, its model holding again what it held before. `result` is a value of the job's own, what there is of
    it where the job was cancelled; `None` where it never began."""

    job: JobId
    result: object
    cancelled: bool = False


@dataclass(frozen=True, slots=True)
class JobFailed:
    """A job could not be done, or not to its end."""

    job: JobId
    error: InferenceError


@dataclass(frozen=True, slots=True)
class RemoteModelReady:
    """A server answers and offers this model; `offered` names all of its models."""

    info: RemoteModelInfo
    offered: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RemoteModelFailed:
    """A server could not be asked for this model, or does not offer it."""

    model: RemoteModel
    error: InferenceError


ModelEvent: TypeAlias = ModelLoading | ModelReady | ModelFailed | ModelUnloaded
GenerationEvent: TypeAlias = TurnsLeftOut | PrefillProgress | TextDelta | GenerationFinished | GenerationFailed
JobEvent: TypeAlias = JobProgress | JobFinished | JobFailed
Event: TypeAlias = ModelEvent | GenerationEvent | JobEvent
RemoteModelEvent: TypeAlias = RemoteModelReady | RemoteModelFailed

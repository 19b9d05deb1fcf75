"""What goes in: a request carries everything the engine needs; the engine can see nothing else."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TypedDict

from inference.configuration import AnyModel, WindowPolicy
from inference.errors import InvalidRequest
from inference.ids import RequestId, new_request_id
from inference.messages import Message, Role


def _check_range(name: str, value: float | None, low: float, high: float) -> None:
    if value is None:
        return
    if not (low <= value <= high) or math.isinf(value):
        upper = "" if math.isinf(high) else f" and at most {_number(high)}"
        raise InvalidRequest(f"{name} is at least {_number(low)}{upper}; got {_number(value)}.")


def _number(value: float) -> str:
    """Whole numbers to the last digit."""
    return str(int(value)) if math.isfinite(value) and value == int(value) else f"{value:g}"


_SAMPLING_RANGES: dict[str, tuple[float, float]] = {
    "temperature": (0, 100),
    "top_k": (0, 2**31 - 1),
    "top_p": (0, 1),
    "min_p": (0, 1),
    "repeat_penalty": (0.01, 100),
    "seed": (0, 2**32 - 2),
    "repeat_last_n": (-1, 2**20),
    "presence_penalty": (-100, 100),
    "frequency_penalty": (-100, 100),
    "typical_p": (0, 1),
    "top_n_sigma": (0, 100),
    "xtc_probability": (0, 1),
    "xtc_threshold": (0, 0.5),
    "dry_multiplier": (0, 100),
    "dry_base": (1, 100),
    "dry_allowed_length": (1, 2**20),
    "dry_penalty_last_n": (-1, 2**20),
    "dynatemp_range": (0, 100),
    "dynatemp_exponent": (0, 5),
    "mirostat_tau": (0, 100),
    "mirostat_eta": (0, 1),
}
_LONGEST_BREAKER = 40  # bytes; llama.cpp cuts longer ones
_MOST_BIAS = 1e4


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the next token is chosen. `None` leaves a value to the model file, else to `DEFAULT_SAMPLING`, else it is
    off. What looks back counts the tokens of the reply; only DRY looks at the prompt, too.

    Raises:
        InvalidRequest: a value outside its range.
    """

    temperature: float | None = None  # >= 0; 0 always takes the likeliest token
    top_k: int | None = None  # >= 0; 0 keeps all
    top_p: float | None = None  # 0 to 1; 1 keeps all
    min_p: float | None = None  # 0 to 1; 0 keeps all
    repeat_penalty: float | None = None  # > 0; 1 is none
    seed: int | None = None  # 0 to 2**32 - 2; None: another one each time
    repeat_last_n: int | None = None  # how far back the three penalties look; 64 unless told, -1 for all
    presence_penalty: float | None = None  # 0 is none
    frequency_penalty: float | None = None  # 0 is none
    typical_p: float | None = None  # 0 to 1; 1 keeps all
    top_n_sigma: float | None = None  # keeps what lies within so many deviations of the best; 0 keeps all
    xtc_probability: float | None = None  # 0 to 1: how often the likeliest are left out; 0 is never
    xtc_threshold: float | None = None  # 0 to 0.5: how likely each of those is at the least; 0.1 unless told
    dry_multiplier: float | None = None  # 0 is off
    dry_base: float | None = None  # >= 1; 1.75 unless told
    dry_allowed_length: int | None = None  # tokens that may repeat unpunished; 2 unless told
    dry_penalty_last_n: int | None = None  # how far back DRY looks; -1, for all, unless told
    dry_sequence_breakers: tuple[str, ...] | None = None  # where repeating begins anew; line end : " * unless told
    dynatemp_range: float | None = None  # the temperature goes up and down by this with the uncertainty; 0 is off
    dynatemp_exponent: float | None = None  # 1 unless told
    mirostat: int | None = None  # 2 takes the place of all that keeps or punishes tokens; 0 is off
    mirostat_tau: float | None = None  # the surprise aimed at, in bits; 5 unless told
    mirostat_eta: float | None = None  # how fast it is approached; 0.1 unless told
    logit_bias: tuple[tuple[int, float], ...] | None = None  # what is added to the logits of token ids; -inf forbids

    def __post_init__(self) -> None:
        for name, (low, high) in _SAMPLING_RANGES.items():
            _check_range(name, getattr(self, name), low, high)
        if self.mirostat not in (None, 0, 2):
            raise InvalidRequest(f"mirostat is 0 (off) or 2; got {self.mirostat}.")
        for breaker in self.dry_sequence_breakers or ():
            if not 0 < _bytes_of(breaker) <= _LONGEST_BREAKER or "\0" in breaker:
                raise InvalidRequest(f"A DRY sequence breaker has 1 to {_LONGEST_BREAKER} bytes; got {breaker!r}.")
        for token, bias in self.logit_bias or ():
            if token < 0 or math.isnan(bias) or bias > _MOST_BIAS or -_MOST_BIAS > bias > -math.inf:
                raise InvalidRequest(
                    f"logit_bias gives token ids a number from -{_MOST_BIAS:g} to {_MOST_BIAS:g}, or -inf; "
                    f"got {token}: {bias:g}."
                )

    def over(self, fallback: Sampling) -> Sampling:
        """These values, and those of `fallback` where this leaves the choice open."""
        chosen = {f.name: value for f in fields(self) if (value := getattr(self, f.name)) is not None}
        return replace(fallback, **chosen)


def _bytes_of(text: str) -> int:
    """How many it has; none where it cannot be written, as half a character."""
    try:
        return len(text.encode())
    except UnicodeEncodeError:
        return 0


class SamplingOptions(TypedDict, total=False):
    """The values of `Sampling`, as a caller may give them: each by its name, and any left out."""

    temperature: float | None
    top_k: int | None
    top_p: float | None
    min_p: float | None
    repeat_penalty: float | None
    seed: int | None
    repeat_last_n: int | None
    presence_penalty: float | None
    frequency_penalty: float | None
    typical_p: float | None
    top_n_sigma: float | None
    xtc_probability: float | None
    xtc_threshold: float | None
    dry_multiplier: float | None
    dry_base: float | None
    dry_allowed_length: int | None
    dry_penalty_last_n: int | None
    dry_sequence_breakers: Sequence[str] | None
    dynatemp_range: float | None
    dynatemp_exponent: float | None
    mirostat: int | None
    mirostat_tau: float | None
    mirostat_eta: float | None
    logit_bias: Mapping[int, float] | None


WHOLE_NUMBERS = frozenset(
    {
        "top_k",
        "seed",
        "repeat_last_n",
        "dry_allowed_length",
        "dry_penalty_last_n",
        "mirostat",
    }
)
"""Which of them are whole numbers."""

DEFAULT_SAMPLING = Sampling(temperature=0.8, top_k=40, top_p=0.95, min_p=0.05, repeat_penalty=1.1)


MOST_PROBABILITIES = 20


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    """One reply that is wanted.

    `max_tokens=None` lets the reply run to the end of the context window. `thinking` is heeded where the model has a
    switch for it; `None` leaves it to its template. `pinned` are indexes of messages that are never left out of a full
    window. With `continues`, the last message is a reply that was cut short: it is gone on with, and only what is new
    comes out. `submitted_at` is t0 of every figure, in seconds on the monotonic clock (`time.perf_counter`); the engine
    sets it.

    The answer (not what is thought before it) follows `grammar`, in llama.cpp's GBNF, or `json_schema`, a JSON schema
    as text. With `speculation`, text that repeats itself is evaluated several tokens at a time, as long as that pays;
    each token is still the sampler's own choice, but a batch rounds otherwise than a token by itself. It is for a model
    of this machine, and only where its memory can be cut.

    At each place, `record_probabilities` of the likeliest tokens, and the one that was chosen, are noted in the trace,
    as the model itself saw them: before temperature and all that leaves out tokens. It takes a while for each token,
    and nothing is speculated then.

    What is kept of the KV cache is kept for `owner`, any name, until `Engine.forget_states` is told it; of a private
    request nothing is written to disk.

    Raises:
        InvalidRequest: no message, the last one is not the user's (or, with `continues`, no reply to a question),
            max_tokens below 1, an empty stop string, a JSON schema that is none, both a schema and a grammar, or more
            than MOST_PROBABILITIES to be recorded.
    """

    model: AnyModel
    messages: tuple[Message, ...]
    sampling: Sampling = Sampling()
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    id: RequestId = field(default_factory=new_request_id)
    submitted_at: float | None = None
    thinking: bool | None = None
    window_policy: WindowPolicy = WindowPolicy.STOP
    pinned: tuple[int, ...] = ()
    continues: bool = False
    grammar: str | None = None
    json_schema: str | None = None
    speculation: bool = False
    record_probabilities: int = 0
    owner: str = ""
    is_private: bool = False

    def __post_init__(self) -> None:
        if not self.messages:
            raise InvalidRequest("A request needs at least one message.")
        if self.continues and self.messages[-1].role is not Role.ASSISTANT:
            raise InvalidRequest("Only a reply can be continued.")
        if not self.question or self.question[-1].role is not Role.USER:
            raise InvalidRequest("The last message of a request is the user's.")
        if self.max_tokens is not None and self.max_tokens < 1:
            raise InvalidRequest(f"max_tokens is at least 1; got {self.max_tokens}.")
        if not all(self.stop):
            raise InvalidRequest("A stop string has at least one character.")
        if self.grammar is not None and self.json_schema is not None:
            raise InvalidRequest("Give either a grammar or a JSON schema.")
        if not 0 <= self.record_probabilities <= MOST_PROBABILITIES:
            raise InvalidRequest(
                f"The probabilities of 0 to {MOST_PROBABILITIES} tokens are recorded; got {self.record_probabilities}."
            )
        _check_schema(self.json_schema)

    @property
    def question(self) -> tuple[Message, ...]:
        """The messages up to the reply that is wanted."""
        return self.messages[:-1] if self.continues else self.messages

    @property
    def begun(self) -> Message | None:
        """The reply that is gone on with, as far as it got."""
        return self.messages[-1] if self.continues else None


def _check_schema(json_schema: str | None) -> None:
    if json_schema is None:
        return
    try:
        schema = json.loads(json_schema)
    except (ValueError, RecursionError) as error:
        raise InvalidRequest(f"The JSON schema is no JSON: {error}.") from None
    if not isinstance(schema, dict):
        raise InvalidRequest("A JSON schema is an object.")

"""What goes in: a request carries everything the engine needs; the engine can see nothing else."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import NewType
from uuid import uuid4

from inference.errors import InvalidRequest
from inference.messages import Message, Role

RequestId = NewType("RequestId", str)


def new_request_id() -> RequestId:
    """An id no other request has."""
    return RequestId(uuid4().hex)


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """A model file and how to load it.

    Two equal configs are served by one loaded model. `None` leaves the choice to the engine: a context of
    min(training context, 4,096) tokens, one thread fewer than the physical cores, all layers on the GPU where
    the installed llama.cpp has one.

    Raises:
        InvalidRequest: a size below 1 or a negative number of layers.
    """

    path: Path
    context_size: int | None = None
    threads: int | None = None
    gpu_layers: int | None = None

    def __post_init__(self) -> None:
        if self.context_size is not None and self.context_size < 1:
            raise InvalidRequest(f"The context size is at least 1 token; got {self.context_size}.")
        if self.threads is not None and self.threads < 1:
            raise InvalidRequest(f"At least 1 thread is needed; got {self.threads}.")
        if self.gpu_layers is not None and self.gpu_layers < 0:
            raise InvalidRequest(f"The number of layers on the GPU is not negative; got {self.gpu_layers}.")


def _check_range(name: str, value: float | None, low: float, high: float) -> None:
    if value is None:
        return
    if not (low <= value <= high) or math.isinf(value):
        upper = "" if math.isinf(high) else f" and at most {high:g}"
        raise InvalidRequest(f"{name} is at least {low:g}{upper}; got {value:g}.")


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the next token is chosen. `None` leaves a value to the model file, else to `DEFAULT_SAMPLING`.

    Raises:
        InvalidRequest: a value outside its range.
    """

    temperature: float | None = None  # >= 0; 0 always takes the likeliest token
    top_k: int | None = None  # >= 0; 0 keeps all
    top_p: float | None = None  # 0 to 1; 1 keeps all
    min_p: float | None = None  # 0 to 1; 0 keeps all
    repeat_penalty: float | None = None  # > 0; 1 is none
    seed: int | None = None  # 0 to 2**32 - 2; None: another one each time

    def __post_init__(self) -> None:
        _check_range("temperature", self.temperature, 0, math.inf)
        _check_range("top_k", self.top_k, 0, 2**31 - 1)
        _check_range("top_p", self.top_p, 0, 1)
        _check_range("min_p", self.min_p, 0, 1)
        _check_range("repeat_penalty", self.repeat_penalty, 1e-6, math.inf)
        _check_range("seed", self.seed, 0, 2**32 - 2)

    def over(self, fallback: Sampling) -> Sampling:
        """These values, and those of `fallback` where this leaves the choice open."""
        chosen = {f.name: value for f in fields(self) if (value := getattr(self, f.name)) is not None}
        return replace(fallback, **chosen)


DEFAULT_SAMPLING = Sampling(temperature=0.8, top_k=40, top_p=0.95, min_p=0.05, repeat_penalty=1.1)


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    """One reply that is wanted.

    `max_tokens=None` lets the reply run to the end of the context window. `submitted_at` is t0 of every
    figure, in seconds on the monotonic clock (`time.perf_counter`); the engine sets it.

    Raises:
        InvalidRequest: no message, the last one is not the user's, max_tokens below 1, or an empty stop string.
    """

    model: ModelConfig
    messages: tuple[Message, ...]
    sampling: Sampling = Sampling()
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    id: RequestId = field(default_factory=new_request_id)
    submitted_at: float | None = None

    def __post_init__(self) -> None:
        if not self.messages:
            raise InvalidRequest("A request needs at least one message.")
        if self.messages[-1].role is not Role.USER:
            raise InvalidRequest("The last message of a request is the user's.")
        if self.max_tokens is not None and self.max_tokens < 1:
            raise InvalidRequest(f"max_tokens is at least 1; got {self.max_tokens}.")
        if not all(self.stop):
            raise InvalidRequest("A stop string has at least one character.")

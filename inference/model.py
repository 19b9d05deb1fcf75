"""The Model protocol: what a loaded model can be asked.

It knows nothing of messages, text streams or requests: token ids go in, token ids come out. One thread at a time
may use a model; `Vocabulary` and `StopFlag` are safe from any thread.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from inference.configuration import ModelConfig
from inference.events import ModelInfo
from inference.requests import Sampling


class StopFlag:
    """A flag that any thread may raise and that native code can read without Python's help.

    The two bytes at `address` are a C string: "" while lowered, one character long once raised.
    """

    def __init__(self) -> None:
        self._bytes = (ctypes.c_char * 2)(b"\0", b"\0")

    @property
    def address(self) -> int:
        """Where the C string lies; valid as long as this object lives."""
        return ctypes.addressof(self._bytes)

    def set(self) -> None:
        self._bytes[0] = b"\1"

    def clear(self) -> None:
        self._bytes[0] = b"\0"

    def is_set(self) -> bool:
        return self._bytes[0] != b"\0"


@dataclass(frozen=True, slots=True)
class Mark:
    """What it takes to come back to the first `length` tokens, for a memory that cannot simply be cut."""

    length: int
    state: bytes | memoryview = field(repr=False)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A KV cache as it was: the ids it held, llama.cpp's own bytes of it, its marks, and the logits after the first
    `logits_at` ids (-1 where none were kept). `owner` is whose prompt it is of; a private one is never written to
    disk. Both are for whoever keeps it: a model knows nothing of them."""

    tokens: tuple[int, ...]
    state: bytes | memoryview = field(repr=False)
    marks: tuple[Mark, ...] = ()
    logits: bytes = field(default=b"", repr=False)
    logits_at: int = -1
    owner: str = ""
    is_private: bool = False

    @property
    def size(self) -> int:
        """Bytes."""
        return len(self.state) + len(self.logits) + 4 * len(self.tokens) + sum(len(mark.state) for mark in self.marks)


def shared_prefix(first: Sequence[int], second: Sequence[int]) -> int:
    """How many ids two sequences have in common, from the first."""
    for index, (one, other) in enumerate(zip(first, second, strict=False)):
        if one != other:
            return index
    return min(len(first), len(second))


class Vocabulary(Protocol):
    """Text to token ids and back."""

    @property
    def size(self) -> int: ...
    @property
    def beginning(self) -> int | None:
        """The BOS token a prompt must begin with; `None` where the model wants none."""

    def tokenize(self, text: str, *, special: bool) -> list[int]:
        """`text` as token ids, no BOS added. With `special`, control tokens written out in it are recognised."""

    def piece(self, token: int) -> bytes:
        """The bytes a token stands for: any length, maybe a part of a character; empty for a control token."""

    def is_end(self, token: int) -> bool:
        """Whether the model ends its reply with this token."""

    def control_texts(self) -> frozenset[str]:
        """How the control tokens are written. Reads the whole vocabulary; ask only when it is needed."""


class Sampler(Protocol):
    """Chooses the next token from the logits of the last one evaluated, and remembers what it chose."""

    def sample(self, at: int = -1, *, free: bool = False) -> int:
        """The token after the last one evaluated; or, after `evaluate_draft`, after the one at place `at` of those.
        A grammar lets everything pass while the choice is `free`."""

    def likeliest(self, count: int, chosen: int) -> tuple[tuple[int, float], ...]:
        """The `count` tokens that the model itself holds to be likeliest after the last one evaluated, each with its
        probability, and behind them the one that was chosen, where it is none of these. Asked after `sample`."""

    def follow(self, token: int) -> None:
        """Let the grammar know of a token that was written before. Raises GrammarRefused where it forbids that."""

    def close(self) -> None: ...


class Model(Protocol):
    """A loaded model and its KV cache of one sequence.

    `tokens` are the ids the KV cache holds, in order. `evaluate` appends to them, `rewind` cuts them.
    """

    @property
    def info(self) -> ModelInfo: ...
    @property
    def vocabulary(self) -> Vocabulary: ...
    @property
    def chat_template(self) -> str | None:
        """The Jinja source the file carries; `None` where it has none."""

    @property
    def template_tokens(self) -> dict[str, str]:
        """What templates ask for by name: `bos_token` and `eos_token`, as text ("" where there is none)."""

    @property
    def tokens(self) -> Sequence[int]: ...
    def evaluate(self, tokens: Sequence[int]) -> int:
        """Read `tokens` (1 to `info.batch_size` of them) after those held; the last one's logits are then there.

        Returns how many were read: fewer than given when the stop flag was raised meanwhile. What was read stays.

        Raises:
            GenerationBroke: llama.cpp refused, or the context has no room for them.
        """

    @property
    def longest_draft(self) -> int:
        """How many tokens may be guessed at once; 0 where the memory cannot be cut back just anywhere."""

    def evaluate_draft(self, tokens: Sequence[int]) -> int:
        """As `evaluate`, for a token and up to `longest_draft` guesses; the logits after each are then there."""

    def rewind(self, length: int) -> int:
        """Keep the first `length` held tokens; returns how many could be kept: fewer where the memory cannot be cut
        there and must go back to its last mark before, or to the beginning."""

    @property
    def wants_marks(self) -> bool:
        """Whether the memory cannot be cut everywhere, so that places to come back to are worth marking."""

    def mark(self, *, near: bool = False) -> None:
        """Remember this place for `rewind`. One that is `near` is come back to after a few tokens at most: it needs no
        mark where the memory can be cut that far."""

    def keep_logits(self) -> None:
        """Keep the logits that are there, so that this place can be sampled from again without reading anything."""

    @property
    def logits_at(self) -> int:
        """How many held tokens the kept logits follow; -1 where none are kept."""

    @property
    def state_key(self) -> str:
        """Names everything a snapshot depends on: the file, the context's settings, the library."""

    @property
    def state_size(self) -> int:
        """About the bytes that a snapshot would take now."""

    def save(self) -> Snapshot:
        """A snapshot of the KV cache as it is now."""

    def restore(self, snapshot: Snapshot) -> bool:
        """Hold what `snapshot` held; `False`, and nothing held, where llama.cpp will not have it."""

    def use_threads(self, decode: int, prefill: int) -> None:
        """Compute with so many threads from now on: tokens one by one, and batches of them."""

    def take_step_times(self) -> list[float]:
        """The seconds that each token evaluated by itself took, since this was last asked."""

    def sampler(self, sampling: Sampling, grammar: str | None = None, json_schema: str | None = None) -> Sampler:
        """A sampler over this model's logits. `sampling` has the values of `DEFAULT_SAMPLING` set, at least.

        Raises:
            GrammarRefused: no reply can be held to the grammar, or to the schema.
            InvalidRequest: a token is named that the model does not have.
        """

    def close(self) -> None:
        """Free the model. Nothing may be asked afterwards; closing twice is fine."""


Loader = Callable[[ModelConfig, StopFlag, Callable[[float], None]], Model]
"""Loads a model, calling back with the fraction done (0 to 1) from the same thread.

Raises `ModelError` where that is impossible, and `LoadStopped` when the stop flag was raised meanwhile.
"""


class LoadStopped(Exception):
    """The stop flag was raised while a model was loading: nothing was loaded."""

"""How far a reply is that is being made."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


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

    @property
    def moves(self) -> bool:
        """Whether it goes on between two events."""
        return self.phase is Phase.PREFILL and self.evaluated < self.batch_end and self.rate is not None

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

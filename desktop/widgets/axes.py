"""Axes: round numbers along a line, and how they are written."""

from __future__ import annotations

import math
from dataclasses import dataclass

_STEPS = (1, 2, 5, 10)


@dataclass(frozen=True, slots=True)
class Axis:
    """From `low` to `high`, with a mark at each of `ticks`."""

    low: float
    high: float
    ticks: tuple[float, ...]
    decimals: int

    @classmethod
    def over(cls, low: float, high: float, room: int, *, from_nothing: bool = True) -> Axis:
        """An axis that holds `low` to `high` and begins at 0 where it may; about `room` ticks."""
        if from_nothing:
            low, high = min(0.0, low), max(0.0, high)
        if high <= low:
            high = low + 1.0
        step = _round_step((high - low) / max(1, room))
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        decimals = max(0, -math.floor(math.log10(step) + 1e-9))
        return cls(first * step, last * step, tuple(n * step for n in range(first, last + 1)), decimals)

    def place(self, value: float) -> float:
        """Where a value lies, from 0 to 1."""
        return (value - self.low) / (self.high - self.low)

    def text(self, tick: float) -> str:
        return f"{tick:,.{self.decimals}f}"


def number_text(value: float) -> str:
    """A value under the pointer: four digits that mean something."""
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 1e4 else f"{value:.4g}"


def _round_step(step: float) -> float:
    """The next number that counts well: 1, 2 or 5 times a power of ten."""
    if step <= 0 or not math.isfinite(step):
        return 1.0
    power = 10.0 ** math.floor(math.log10(step))
    return next(n * power for n in _STEPS if n * power >= step * 0.999)

"""Axes: round numbers along a line, and how they are written."""

from __future__ import annotations

import math
from dataclasses import dataclass

_STEPS = (1, 2, 5, 10)
_FURTHEST, _FINEST = 1e18, 1e-9  # what an axis shows and tells apart: beyond the largest and least that is measured


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
        low, high = _bounded(low), _bounded(high)
        if from_nothing:
            low, high = min(0.0, low), max(0.0, high)
        largest = max(abs(low), abs(high))
        if high - low < _FINEST * max(1.0, largest):
            high = low + max(1.0, largest)
        step = _round_step((high - low) / max(1, room))
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        decimals = max(0, -math.floor(math.log10(step) + 1e-9))
        return cls(first * step, last * step, tuple(n * step for n in range(first, last + 1)), decimals)

    def place(self, value: float) -> float:
        """Where a value lies: from 0 to 1, or not far beside where it lies outside."""
        return max(-1.0, min(2.0, (_bounded(value) - self.low) / (self.high - self.low)))

    def text(self, tick: float) -> str:
        return f"{tick:,.{self.decimals}f}"


def number_text(value: float) -> str:
    """A value under the pointer: four digits that mean something."""
    if abs(value) < 1e15 and value == int(value):
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 1e4 else f"{value:.4g}"


def _round_step(step: float) -> float:
    """The next number that counts well: 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(step))
    return next(n * power for n in _STEPS if n * power >= step * 0.999)


def _bounded(value: float) -> float:
    """The nearest value that an axis can show; 0 for none."""
    return 0.0 if math.isnan(value) else max(-_FURTHEST, min(_FURTHEST, value))

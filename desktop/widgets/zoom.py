"""How much larger than usual text is drawn: by steps, from the keyboard or the wheel."""

from __future__ import annotations

from bisect import bisect_right

STEPS = (0.5, 0.67, 0.75, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0)

_NOTCH = 120  # of the wheel, as Qt counts


def within_bounds(factor: float) -> float:
    """The nearest that text can be drawn with."""
    return max(STEPS[0], min(factor, STEPS[-1]))


def stepped(factor: float, by: int) -> float:
    """Larger, or smaller, by so many steps."""
    number = bisect_right(STEPS, factor + 0.001) - 1
    return STEPS[max(0, min(number + by, len(STEPS) - 1))]


class Notches:
    """Adds up the small turns of a wheel that is finer than its notches."""

    def __init__(self) -> None:
        self._turned = 0

    def take(self, delta: int) -> int:
        """How many whole notches it is now."""
        self._turned += delta
        notches = int(self._turned / _NOTCH)
        self._turned -= notches * _NOTCH
        return notches

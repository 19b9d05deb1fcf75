"""The outline of a long line: what is left of it when it is no wider than the screen.

Points are added one by one; what it takes to draw it does not grow with their number.
"""

from __future__ import annotations

from collections.abc import Sequence

_MOST = 360  # stretches; twice as many points are drawn at the most


class Outline:
    """Stretches of a line, each with its lowest and its highest point: no peak is lost.

    When there are too many stretches, each two of them become one.
    """

    def __init__(self, points: Sequence[tuple[float, float]] = ()) -> None:
        self._stretches: list[_Stretch] = []
        self._size = 1  # points in a stretch that is full
        self._in_last = 1
        self.count = 0
        self.low = self.high = 0.0
        for point in points:
            self.add(point)

    def add(self, point: tuple[float, float]) -> None:
        """One more point, to the right of all others."""
        self.low = point[1] if not self.count else min(self.low, point[1])
        self.high = point[1] if not self.count else max(self.high, point[1])
        self.count += 1
        if self._stretches and self._in_last < self._size:
            self._stretches[-1] = _joined(self._stretches[-1], (point, point))
            self._in_last += 1
            return
        self._stretches.append((point, point))
        self._in_last = 1
        if len(self._stretches) > _MOST:
            pairs = self._stretches
            self._stretches = [
                _joined(*pairs[n : n + 2]) if n + 1 < len(pairs) else pairs[n] for n in range(0, len(pairs), 2)
            ]
            # Of an odd number the last is half full.
            self._in_last = 2 * self._size if len(pairs) % 2 == 0 else self._in_last
            self._size *= 2

    @property
    def points(self) -> list[tuple[float, float]]:
        """What is to be drawn, from left to right."""
        drawn: list[tuple[float, float]] = []
        for low, high in self._stretches:
            if low is high:
                drawn.append(low)
            else:
                drawn += (low, high) if low[0] <= high[0] else (high, low)
        return drawn


_Stretch = tuple[tuple[float, float], tuple[float, float]]  # its lowest point and its highest


def _joined(one: _Stretch, other: _Stretch) -> _Stretch:
    low = one[0] if one[0][1] <= other[0][1] else other[0]
    high = one[1] if one[1][1] >= other[1][1] else other[1]
    return low, high

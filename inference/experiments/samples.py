"""Samples of a figure: their median and spread, when two differ, and lines through points."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median

from inference.sentences import Sentence

ALIKE = 0.03  # of the larger one: two medians no further apart are the same, whatever the spread
FEW = 4  # samples; of fewer, two sets of the same figure lie apart too often by chance
ALIKE_OF_FEW = 0.10


@dataclass(frozen=True, slots=True)
class Statistic:
    """Some samples, at least one; the spread is shown as the lowest and the highest."""

    samples: tuple[float, ...]

    @property
    def median(self) -> float:
        return median(self.samples)

    @property
    def low(self) -> float:
        return min(self.samples)

    @property
    def high(self) -> float:
        return max(self.samples)

    @property
    def count(self) -> int:
        return len(self.samples)


def statistic(values: Iterable[float | None]) -> Statistic | None:
    """Of those that are known; `None` where none is."""
    known = tuple(float(value) for value in values if value is not None)
    return Statistic(known) if known else None


def differ(one: Statistic, other: Statistic) -> bool:
    """Whether two figures are really different: their medians lie apart, by a tenth where there are few samples, and no
    sample of one lies among the other's."""
    larger = max(abs(one.median), abs(other.median))
    alike = ALIKE if min(one.count, other.count) >= FEW else ALIKE_OF_FEW
    overlap = one.low <= other.high and other.low <= one.high
    return abs(one.median - other.median) > alike * larger and not overlap


def slope(points: Sequence[tuple[float, float]]) -> float | None:
    """How steep a line through the points is: the median of all pairs', which a few disturbed ones do not move.
    `None` where no two lie apart."""
    slopes = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in combinations(points, 2) if a[0] != b[0]]
    return median(slopes) if slopes else None


def percentile(values: Sequence[float], share: float) -> float:
    """The value that `share` of the samples do not exceed; there is at least one."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def seconds_text(seconds: float) -> Sentence:
    """A time with its unit, three digits that mean something: 17.2 ms, 0.24 s, 12.3 s."""
    size = abs(seconds)
    if size < 0.0000995:
        return Sentence("{time:.3g} µs", time=1e6 * seconds)
    if size < 0.0995:
        return Sentence("{time:.3g} ms", time=1000 * seconds)
    if size < 9.995:
        return Sentence("{time:.2f} s", time=seconds)
    return Sentence("{time:.1f} s", time=seconds) if size < 99.95 else Sentence("{time:,.0f} s", time=seconds)


def times_text(ratio: float) -> Sentence:
    """How many times: 1.3, 12, 140."""
    return Sentence("{ratio:.1f}", ratio=ratio) if ratio < 9.95 else Sentence("{ratio:,.0f}", ratio=ratio)

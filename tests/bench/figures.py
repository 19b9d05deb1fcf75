"""What a benchmark says: a figure with its samples, its target, and whether it was reached."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum

_RESAMPLES = 2000


class Bound(StrEnum):
    """On which side of the target a figure should lie."""

    AT_LEAST = ">="
    AT_MOST = "<="
    BELOW = "<"


@dataclass(frozen=True, slots=True)
class Target:
    bound: Bound
    value: float

    def __str__(self) -> str:
        return f"{self.bound} {self.value:g}"

    def holds(self, value: float) -> bool:
        match self.bound:
            case Bound.AT_LEAST:
                return value >= self.value
            case Bound.AT_MOST:
                return value <= self.value
            case Bound.BELOW:
                return value < self.value


@dataclass(frozen=True, slots=True)
class Figure:
    """`value` is the median of the samples unless said otherwise in `how`; `low` to `high` holds 90 % of bootstrap
    medians. A figure without a target only informs."""

    name: str
    value: float
    unit: str
    samples: tuple[float, ...]
    how: str
    target: Target | None = None
    low: float | None = None
    high: float | None = None

    @property
    def ok(self) -> bool | None:
        return None if self.target is None else self.target.holds(self.value)

    def as_object(self) -> dict[str, object]:
        return {**asdict(self), "target": None if self.target is None else str(self.target), "ok": self.ok}


Benchmark = Callable[[], list[Figure]]


def median_figure(name: str, samples: Sequence[float], unit: str, how: str, target: Target | None = None) -> Figure:
    low, high = interval(samples)
    return Figure(name, statistics.median(samples), unit, tuple(samples), how, target, low, high)


def interval(samples: Sequence[float]) -> tuple[float, float]:
    """The 90 % bootstrap interval of the median."""
    chance = random.Random(1)  # noqa: S311 - the same samples give the same interval
    medians = sorted(statistics.median(chance.choices(samples, k=len(samples))) for _ in range(_RESAMPLES))
    return medians[_RESAMPLES // 20], medians[-_RESAMPLES // 20 - 1]


def percentile(samples: Sequence[float], share: float) -> float:
    ordered = sorted(samples)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def at_least(value: float) -> Target:
    return Target(Bound.AT_LEAST, value)


def at_most(value: float) -> Target:
    return Target(Bound.AT_MOST, value)


def below(value: float) -> Target:
    return Target(Bound.BELOW, value)

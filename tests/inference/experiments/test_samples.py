"""Medians, spreads, and when two figures are really different."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.experiments.samples import (
    Statistic,
    differ,
    percentile,
    seconds_text,
    slope,
    statistic,
    times_text,
)

NUMBERS = st.floats(0.001, 1e3)


@given(st.lists(NUMBERS, min_size=1, max_size=9))
def test_a_median_lies_within_the_spread(samples: list[float]) -> None:
    found = Statistic(tuple(samples))
    assert found.low <= found.median <= found.high
    assert found.count == len(samples)


def test_what_is_not_known_is_no_sample() -> None:
    assert statistic([None, 2.0, None, 1.0]) == Statistic((2.0, 1.0))
    assert statistic([None]) is None


@given(st.lists(NUMBERS, min_size=1, max_size=9))
def test_a_figure_never_differs_from_itself(samples: list[float]) -> None:
    found = Statistic(tuple(samples))
    assert not differ(found, found)


@given(st.lists(NUMBERS, min_size=1, max_size=9), st.lists(NUMBERS, min_size=1, max_size=9))
def test_whether_two_figures_differ_does_not_depend_on_their_order(one: list[float], other: list[float]) -> None:
    assert differ(Statistic(tuple(one)), Statistic(tuple(other))) == differ(
        Statistic(tuple(other)), Statistic(tuple(one))
    )


@pytest.mark.parametrize(
    ("one", "other", "different"),
    [
        ((7.1,), (7.0,), False),  # one run each: a tenth at least
        ((7.1,), (6.0,), True),
        ((7.0, 7.1, 7.2), (7.15, 7.2, 7.3), False),  # they overlap
        ((7.0, 7.1, 7.2), (7.5, 7.5, 7.6), False),  # apart, but three samples each may be so by chance
        ((7.0, 7.1, 7.2), (8.5, 8.5, 8.6), True),
        ((7.0, 7.1, 7.2, 7.1), (7.5, 7.5, 7.6, 7.5), True),
        ((7.0, 7.0, 7.0, 7.0), (7.1, 7.1, 7.1, 7.1), False),  # apart, but too little to matter
        ((7.0, 9.0, 7.0, 7.0), (8.0, 8.0, 8.0, 8.0), False),  # one disturbed run lies among the others
    ],
)
def test_two_figures_differ_where_they_lie_apart(
    one: tuple[float, ...], other: tuple[float, ...], different: bool
) -> None:
    assert differ(Statistic(one), Statistic(other)) is different


@given(st.floats(-5, 5), st.floats(-5, 5), st.sets(st.integers(0, 100), min_size=2))
def test_the_slope_of_a_line_is_found(steepness: float, offset: float, places: set[int]) -> None:
    found = slope([(float(x), steepness * x + offset) for x in places])
    assert found == pytest.approx(steepness, abs=1e-6)


def test_a_disturbed_point_does_not_move_the_slope() -> None:
    assert slope([(1, 1), (2, 2), (3, 3), (4, 40), (5, 5)]) == pytest.approx(1.0)


def test_no_two_places_have_no_slope() -> None:
    assert slope([(3, 1), (3, 2)]) is None
    assert slope([]) is None


def test_a_percentile_is_one_of_the_samples() -> None:
    samples = [float(n) for n in range(100)]
    assert percentile(samples, 0.95) == 95
    assert percentile([3.0], 0.95) == 3


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0000042, "4.2 µs"),
        (0.0172, "17.2 ms"),
        (0.24, "0.24 s"),
        (-6.4, "-6.40 s"),
        (12.34, "12.3 s"),
        (1234, "1,234 s"),
    ],
)
def test_a_time_is_written_with_three_digits_and_its_unit(seconds: float, text: str) -> None:
    assert seconds_text(seconds) == text


def test_a_ratio_is_written_with_the_digits_that_count() -> None:
    assert [times_text(ratio) for ratio in (1.26, 12.4, 1400.0)] == ["1.3", "12", "1,400"]

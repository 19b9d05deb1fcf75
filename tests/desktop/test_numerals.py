from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop import numerals


@pytest.mark.parametrize(
    ("number", "words"),
    [(0.04, "0.0"), (64.23, "64.2"), (99.94, "99.9"), (99.96, "100"), (168.4, "168"), (1204, "1,204")],
)
def test_a_rate_has_three_digits_that_mean_something(number, words):
    assert numerals.rate(number) == words


@pytest.mark.parametrize(("seconds", "words"), [(0.2449, "0.24"), (9.994, "9.99"), (9.996, "10.0"), (99.96, "100")])
def test_a_duration_has_three_digits_that_mean_something(seconds, words):
    assert numerals.duration(seconds) == words


@pytest.mark.parametrize(
    ("count", "words"), [(134_515_008, "135M"), (999_600_000, "1.0B"), (7_240_000_000, "7.2B"), (31_900_000_000, "32B")]
)
def test_parameters_are_written_as_models_are_named(count, words):
    assert numerals.parameters(count) == words


def test_thousands_are_set_apart():
    assert numerals.whole(1204) == "1,204"


def test_time_left_is_never_nothing_before_the_end():
    assert numerals.remaining(0.2) == "1"
    assert numerals.remaining(6.4) == "6"


@given(st.floats(min_value=0, max_value=99_000))
def test_no_number_takes_more_room_than_its_place_in_the_bar(number):
    assert len(numerals.rate(number)) <= 6
    assert len(numerals.duration(number)) <= 6

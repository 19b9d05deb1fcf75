"""Round numbers along an axis."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.widgets.axes import Axis, number_text


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6), st.integers(1, 10))
def test_an_axis_holds_its_values_between_evenly_spaced_ticks(low, extent, room):
    axis = Axis.over(low, low + extent, room)
    tolerance = 1e-6 * (abs(low) + extent)
    assert axis.low <= low + tolerance
    assert axis.high >= low + extent - tolerance
    assert axis.ticks[0] == axis.low
    assert axis.ticks[-1] == axis.high
    assert 2 <= len(axis.ticks) <= 2 * room + 4


@given(st.floats(), st.floats(), st.integers(1, 10), st.booleans(), st.floats())
def test_an_axis_over_any_values_has_few_ticks_and_a_place_for_each_value(low, high, room, from_nothing, value):
    axis = Axis.over(low, high, room, from_nothing=from_nothing)
    assert 2 <= len(axis.ticks) <= 2 * room + 4
    assert all(-0.01 <= axis.place(tick) <= 1.01 for tick in axis.ticks)
    assert all(len(axis.text(tick)) < 40 for tick in axis.ticks)
    assert -1 <= axis.place(value) <= 2
    assert number_text(value)


def test_an_axis_begins_at_nothing():
    axis = Axis.over(3.2, 9.1, 5)
    assert [axis.text(tick) for tick in axis.ticks] == ["0", "2", "4", "6", "8", "10"]
    assert axis.place(5) == pytest.approx(0.5)


def test_small_steps_have_the_decimals_they_need():
    axis = Axis.over(0.0, 0.021, 4)
    assert [axis.text(tick) for tick in axis.ticks] == ["0.00", "0.01", "0.02", "0.03"]


def test_one_value_alone_has_an_axis_too():
    assert Axis.over(0.0, 0.0, 4).high > 0


def test_a_value_has_four_digits_that_mean_something():
    assert [number_text(value) for value in (12.0, 1204.0, 0.017234, 12345.6)] == ["12", "1,204", "0.01723", "12,346"]

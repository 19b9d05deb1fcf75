"""Long lines by their outline: no peak is lost, and what it takes to draw them does not grow."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from desktop.widgets.outline import Outline

VALUES = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=3000)


@given(VALUES)
def test_an_outline_has_the_lowest_and_the_highest_point_and_stays_small(values):
    outline = Outline([(float(x), y) for x, y in enumerate(values)])
    heights = [y for _, y in outline.points]
    assert min(heights) == min(values) == outline.low
    assert max(heights) == max(values) == outline.high
    assert len(outline.points) <= 2 * 361
    assert outline.count == len(values)


@given(VALUES)
def test_it_is_drawn_from_left_to_right_with_points_of_the_line(values):
    line = [(float(x), y) for x, y in enumerate(values)]
    drawn = Outline(line).points
    assert [x for x, _ in drawn] == sorted(x for x, _ in drawn)
    assert set(drawn) <= set(line)


def test_a_short_line_is_drawn_as_it_is():
    line = [(float(x), float(x % 7)) for x in range(300)]
    assert Outline(line).points == line


def test_every_stretch_holds_as_many_points_as_any_other():
    outline = Outline([(float(x), 0.0) for x in range(10_000)])
    starts = [low[0] for low, _ in outline._stretches]
    widths = {later - earlier for earlier, later in pairwise(starts)}
    assert widths == {float(outline._size)}

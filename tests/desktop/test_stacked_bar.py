"""A bar to scale."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt

from desktop.theme import load_theme
from desktop.widgets.stacked_bar import BarPart, PartInk, StackedBar

AMOUNTS = st.lists(st.floats(0, 1e4), min_size=1, max_size=12)


def bar_of(qtbot, *amounts: float) -> StackedBar:
    bar = StackedBar(load_theme("light"), "Phases")
    qtbot.addWidget(bar)
    bar.resize(400, 22)
    bar.show_parts([BarPart(f"part {n}: {amount:g}", amount, PartInk.QUIET) for n, amount in enumerate(amounts)])
    return bar


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(amounts=AMOUNTS)
def test_parts_fill_the_bar_without_gaps_and_what_was_there_is_seen(qtbot, amounts):
    places = bar_of(qtbot, *amounts).places()
    left = 0
    for amount, place in zip(amounts, places, strict=True):
        assert place.left() == left
        assert place.width() >= (1 if amount > 0 else 0)
        left += place.width()
    assert left == (400 if any(amounts) else 0)


def test_parts_are_to_scale(qtbot):
    one, three = bar_of(qtbot, 1.0, 3.0).places()
    assert abs(three.width() / one.width() - 3) < 0.1


def test_every_part_is_told_to_assistive_technology_and_to_the_pointer(qtbot):
    bar = bar_of(qtbot, 1.0, 3.0)
    assert bar.accessibleDescription() == "part 0: 1; part 1: 3"
    assert bar._words_at(350) == "part 1: 3"
    assert bar._words_at(500) == ""


def test_each_ink_is_seen_light_and_dark(qtbot):
    bar = bar_of(qtbot)
    for name in ("light", "dark"):
        theme = load_theme(name)
        bar.set_theme(theme)
        bar.show_parts([BarPart(ink.value, 1, ink) for ink in PartInk])
        picture = bar.grab().toImage()
        seen = {picture.pixelColor(x, y).name() for x in range(400) for y in range(22)}
        assert {theme.prefill.name(), theme.decode.name(), theme.cached.name(), theme.muted.name()} <= seen


def test_a_bar_without_parts_is_painted(qtbot):
    bar = bar_of(qtbot)
    bar.grab()
    qtbot.mouseMove(bar, QPoint(5, 5))
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton)

"""The plot: what is pointed at, what is drawn, what it costs, what is saved."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest

from desktop.theme import load_theme
from desktop.widgets.plot import PlotView
from inference import experiments

Ink, Plot, Series, Shape = experiments.Ink, experiments.Plot, experiments.Series, experiments.Shape
TWO = Plot(
    "Time against length",
    "tokens",
    "tokens",
    "time",
    "s",
    (
        Series("reading", ((10.0, 0.1), (20.0, 0.2), (30.0, 0.4)), Ink.PREFILL),
        Series("writing", ((10.0, 1.0), (20.0, 2.0)), Ink.DECODE),
    ),
)


@pytest.fixture
def view(qtbot):
    view = PlotView(load_theme("light"))
    qtbot.addWidget(view)
    view.resize(420, 240)
    view.show_plot(TWO)
    view.show()
    return view


NUMBERS = st.floats() | st.sampled_from([0.0, -1.0, 5e-324, 2.0**53, -(2.0**63)])


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(st.tuples(NUMBERS, NUMBERS), max_size=4).map(tuple), max_size=3))
def test_whatever_was_measured_it_can_be_drawn_walked_through_and_read(view, tmp_path, points):
    view.show_plot(replace(TWO, series=tuple(Series(f"{number}", each) for number, each in enumerate(points))))
    assert not view.image(QSize(180, 140), 1.0).isNull()
    assert view.save(tmp_path / "plot.svg")
    assert view.text()
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_End):
        QTest.keyClick(view, key)
    assert view.grab().width() > 0


def colours_in(image: QImage) -> set[str]:
    return {image.pixelColor(x, y).name() for x in range(0, image.width(), 1) for y in range(0, image.height(), 2)}


def test_arrow_keys_go_from_point_to_point_and_between_the_series(qtbot, view):
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert view.pointed == "reading: time 0.1 s at tokens 10"
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert view.pointed == "reading: time 0.2 s at tokens 20"
    qtbot.keyClick(view, Qt.Key.Key_Down)
    assert view.pointed == "writing: time 2 s at tokens 20"
    qtbot.keyClick(view, Qt.Key.Key_Home)
    assert view.pointed == "writing: time 1 s at tokens 10"
    qtbot.keyClick(view, Qt.Key.Key_Up)
    qtbot.keyClick(view, Qt.Key.Key_End)
    assert view.pointed == "reading: time 0.4 s at tokens 30"


def test_what_is_pointed_at_is_told_to_assistive_technology(qtbot, view):
    assert view.accessibleName() == "Time against length"
    assert "time (s) over tokens; reading; writing" in view.accessibleDescription()
    with qtbot.waitSignal(view.value_changed) as told:
        qtbot.keyClick(view, Qt.Key.Key_Right)
    assert told.args == ["reading: time 0.1 s at tokens 10"]
    assert view.accessibleDescription() == view.pointed


def test_the_point_under_the_pointer_is_the_nearest_one(qtbot, view):
    frame, across, up = view._frame_and_axes(view.rect())
    x = round(frame.left() + across.place(20) * frame.width())
    for series, value in (("reading", 0.2), ("writing", 2.0)):
        qtbot.mouseMove(view, QPoint(x + 1, round(frame.bottom() - up.place(value) * frame.height())))
        assert view.pointed.startswith(f"{series}: time {value:g} s")


def test_every_point_can_be_read_as_text(view):
    assert view.text().splitlines()[1] == "10 tokens\t0.1 s\treading"
    assert len(view.text().splitlines()) == 6


@pytest.mark.parametrize("name", ["light", "dark"])
def test_series_are_drawn_in_the_colours_of_their_phase(view, name):
    theme = load_theme(name)
    view.set_theme(theme)
    seen = colours_in(view.image(QSize(420, 240), 1.0))
    assert {theme.prefill.name(), theme.decode.name(), theme.surface.name()} <= seen


def test_a_plot_is_saved_as_png_and_svg(view, tmp_path):
    assert view.save(tmp_path / "plot.png")
    assert QImage(str(tmp_path / "plot.png")).size() == QSize(1920, 1080)
    assert view.save(tmp_path / "plot.svg")
    written = (tmp_path / "plot.svg").read_text()
    assert "<title>Time against length</title>" in written
    assert "reading" in written


def test_where_nothing_can_be_written_that_is_said(view, tmp_path):
    assert not view.save(tmp_path / "no folder" / "plot.png")
    assert not view.save(tmp_path / "no folder" / "plot.svg")


def test_an_empty_plot_is_drawn_and_has_nothing_to_point_at(qtbot, view):
    view.show_plot(Plot("Nothing", "x", "", "y", "", (Series("none", ()),)))
    view.grab()
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert view.pointed == ""


def test_points_that_are_added_are_drawn_and_read(view):
    view.add_point(1, 30.0, 3.0)
    assert "30 tokens\t3 s\twriting" in view.text()


def test_a_reply_of_ten_thousand_tokens_is_repainted_within_four_milliseconds(qtbot, view):
    line = tuple((float(x), 0.017 + 0.002 * (x * 7919 % 13) / 13) for x in range(10_000))
    view.show_plot(Plot("Gaps", "token", "", "time", "ms", (Series("gap", line, Ink.DECODE, Shape.LINE),)))
    view.resize(400, 200)
    view.grab()
    costs = []
    for step in range(20):
        view.add_point(0, 10_000.0 + step, 0.018)
        began = time.thread_time()
        view.grab()
        costs.append(time.thread_time() - began)
    # A frame of the widget as it is, with what it takes to hand it over as a picture. Others slow some.
    assert min(costs) < 0.004


def test_what_is_pointed_at_is_drawn_over_the_plot(qtbot, view):
    before = view.grab().toImage()
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert view.grab().toImage() != before

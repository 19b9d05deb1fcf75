from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QWidget

from desktop.figures import Figures
from desktop.theme import load_theme
from desktop.widgets.speed_bar import NARROW, SpeedBar
from inference import ReuseEnd
from tests.desktop.looks import from_right_to_left, inked_columns

FULL = Figures("CPU", 1, 1024, 4096, 168.3, 38, 774, 64.21, 0.244)


@pytest.fixture
def bar(qtbot):
    bar = SpeedBar(load_theme("light"))
    qtbot.addWidget(bar)
    bar.resize(1000, bar.height())
    bar.show()
    return bar


def words(bar: SpeedBar) -> tuple[str, ...]:
    return tuple(figure.words for figure in (bar.device, bar.context, bar.prefill, bar.decode, bar.first_token))


def places(bar: SpeedBar) -> tuple[tuple[int, int], ...]:
    QApplication.processEvents()
    return tuple((f.x(), f.width()) for f in (bar.context, bar.prefill, bar.decode, bar.first_token))


def test_every_figure_stands_there_with_its_unit(bar):
    bar.show_figures(FULL)
    assert words(bar) == (
        "CPU, 1 thread",
        "1,024 / 4,096",
        "168 tok/s (38 new, 774 cached)",
        "64.2 tok/s",
        "0.24 s",
    )


def test_what_is_not_known_is_blank(bar):
    assert words(bar) == ("", "", "", "", "")
    bar.show_figures(Figures("CPU", 8, None, 4096))
    assert words(bar) == ("CPU, 8 threads", "/ 4,096", "", "", "")


def test_nothing_newly_read_has_no_rate_but_says_what_was_cached(bar):
    bar.show_figures(Figures("CPU", 1, 900, 4096, None, 0, 899, 60.0, 0.01))
    assert bar.prefill.words == "(0 new, 899 cached)"


figure = st.none() | st.floats(min_value=0, max_value=99_000)
count = st.none() | st.integers(min_value=0, max_value=4096)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(used=count, prefill=figure, new=count, cached=count, decode=figure, ttft=figure)
def test_no_number_ever_moves_its_neighbours(bar, used, prefill, new, cached, decode, ttft):
    bar.show_figures(FULL)
    before = places(bar)
    bar.show_figures(Figures("CPU", 1, used, 4096, prefill, new, cached, decode, ttft))
    assert places(bar) == before
    assert not bar.grab().isNull()


@pytest.mark.parametrize("width", [1000, 860, 760, NARROW, NARROW - 1, 400, 360])
def test_figures_neither_overlap_nor_leave_the_bar(bar, width):
    bar.show_figures(FULL)
    bar.resize(width, bar.height())
    QApplication.processEvents()
    shown = [f for f in (bar.device, bar.context, bar.prefill, bar.decode, bar.first_token) if f.isVisible()]
    ends = [(f.x(), f.x() + f.width()) for f in shown]
    assert all(end <= start for (_, end), (start, _) in pairwise(ends))
    assert ends[-1][1] <= width
    assert all(f.width() >= f.minimumSizeHint().width() for f in shown)


def test_a_narrow_window_keeps_context_prefill_and_decode_and_tells_the_rest_on_hover(bar):
    bar.show_figures(FULL)
    bar.resize(NARROW - 1, bar.height())
    QApplication.processEvents()
    assert [f.isVisible() for f in (bar.device, bar.context, bar.prefill, bar.decode, bar.first_token)] == [
        False,
        True,
        True,
        True,
        False,
    ]
    for told in (bar.decode.toolTip(), bar.toolTip(), bar.decode.accessibleDescription()):
        assert "First token: 0.24 s" in told
        assert "Device: CPU, 1 thread" in told


def test_each_figure_is_defined_on_hover(bar):
    bar.show_figures(FULL)
    assert "(N - 1)" in bar.decode.toolTip()
    assert "never counted" in bar.prefill.toolTip()
    assert "Loading a model is not counted" in bar.first_token.toolTip()
    assert "growing reply included" in bar.context.toolTip()


def test_it_is_one_stop_for_the_keyboard_and_the_arrows_go_on(bar, qtbot):
    bar.show_figures(FULL)
    bar.activateWindow()
    bar.context.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(bar.context.hasFocus)
    qtbot.keyClick(bar.context, Qt.Key.Key_Right)
    assert bar.prefill.hasFocus()
    qtbot.keyClick(bar.prefill, Qt.Key.Key_Left)
    qtbot.keyClick(bar.context, Qt.Key.Key_Left)
    assert bar.device.hasFocus()
    stops = [f for f in (bar.device, bar.context, bar.prefill, bar.decode, bar.first_token) if f.focusPolicy()]
    assert len([f for f in stops if f.focusPolicy() is not Qt.FocusPolicy.NoFocus]) == 1


def test_the_stop_is_never_on_a_hidden_figure(bar, qtbot):
    bar.device.setFocus(Qt.FocusReason.TabFocusReason)
    bar._stop_tab_at(bar.device)
    bar.resize(NARROW - 1, bar.height())
    QApplication.processEvents()
    assert bar.context.focusPolicy() is Qt.FocusPolicy.TabFocus


def test_prefill_is_violet_and_decode_teal(bar):
    bar.show_figures(FULL)
    for name in ("light", "dark"):
        theme = load_theme(name)
        bar.set_theme(theme)
        assert shows(bar.prefill, theme.prefill)
        assert shows(bar.decode, theme.decode)
        assert not shows(bar.decode, theme.prefill)


def shows(widget: QWidget, colour: QColor) -> bool:
    """Whether a pixel has that colour, or nearly: small letters are smoothed against their ground."""
    image = widget.grab().toImage()
    pixels = (image.pixelColor(x, y) for x, y in product(range(image.width()), range(image.height())))
    return any(distance(pixel, colour) < 24 for pixel in pixels)


def distance(one: QColor, other: QColor) -> int:
    return max(abs(one.red() - other.red()), abs(one.green() - other.green()), abs(one.blue() - other.blue()))


def test_a_window_nearly_full_warns(bar):
    theme = load_theme("light")
    bar.show_figures(FULL)
    assert not shows(bar.context, theme.warning)
    bar.show_figures(Figures("CPU", 1, 3900, 4096))
    assert shows(bar.context, theme.warning)


def test_the_meter_shows_what_was_cached_read_and_written(bar):
    theme = load_theme("light")
    bar.show_figures(Figures("CPU", 1, 3000, 4096, 100.0, 1000, 1000, 50.0, 1.0))
    assert all(shows(bar.context, colour) for colour in (theme.cached, theme.prefill, theme.decode))


@pytest.mark.parametrize("end", ReuseEnd)
def test_the_prefill_says_why_reading_began_where_it_did(bar, end):
    bar.show_figures(FULL)
    without = bar.prefill.toolTip()
    told = {}
    for reason in ReuseEnd:
        bar.show_figures(replace(FULL, reuse_end=reason))
        told[reason] = bar.prefill.toolTip()
    assert told[end] != without
    assert list(told.values()).count(told[end]) == 1
    assert bar.decode.toolTip() == bar.decode.accessibleDescription()


def test_what_was_measured_here_says_so(bar):
    bar.show_figures(replace(FULL, device="127.0.0.1:8080", threads=None, is_remote=True, measured_at_client=True))
    assert bar.device.words == "127.0.0.1:8080"
    assert "Measured here" in bar.decode.toolTip()
    assert "Measured here" in bar.first_token.toolTip()
    assert "Measured here" not in bar.prefill.toolTip()
    bar.show_figures(FULL)
    assert "Measured here" not in bar.decode.toolTip() + bar.first_token.toolTip()


@pytest.mark.parametrize("points", [10, 14, 18, 24])
@pytest.mark.parametrize("width", [320, 400, 699, 1000])
def test_whatever_the_font_no_figure_is_cut(bar, width, points):
    bar.show_figures(FULL)
    for figure in bar._all:
        font = figure.font()
        font.setPointSize(points)
        figure.setFont(font)
    bar.setFixedWidth(width)
    bar.set_theme(load_theme("dark"))
    QApplication.processEvents()
    shown = [figure for figure in bar._all if not figure.isHidden()]
    assert bar.decode in shown
    for figure in shown if len(shown) > 1 else []:
        assert figure.geometry().right() < bar.width()
        assert figure.width() >= figure.minimumSizeHint().width()
    stop = next(figure for figure in bar._all if figure.focusPolicy())
    assert not stop.isHidden(), "the keyboard stops at one that is seen"
    hidden = [figure for figure in bar._all if figure.isHidden()]
    assert all(figure.sentence() in stop.toolTip() for figure in hidden), "what is not shown is said"


@pytest.mark.parametrize("width", [400, 1200])
def test_from_right_to_left_no_figure_stands_over_another(bar, width):
    bar.resize(width, bar.height())
    bar.show_figures(FULL)
    QApplication.processEvents()
    inked = inked_columns(bar)
    with from_right_to_left():
        mirrored = inked_columns(bar)
    assert abs(len(mirrored) - len(inked)) <= 0.05 * len(inked)
    assert abs(min(mirrored) - (bar.width() - 1 - max(inked))) <= 2

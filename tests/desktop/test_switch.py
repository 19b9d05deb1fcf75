from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible

from desktop.theme import load_theme
from desktop.widgets.switch import Switch
from tests.desktop.looks import from_right_to_left, inked_columns


@pytest.fixture
def switch(qtbot):
    switch = Switch(load_theme("light"), "Streaming")
    qtbot.addWidget(switch)
    switch.show()
    return switch


def test_a_click_anywhere_on_it_turns_it_on_and_off(switch, qtbot):
    switch.resize(switch.sizeHint())
    qtbot.mouseClick(switch, Qt.MouseButton.LeftButton, pos=QPoint(2, 2))
    assert switch.isChecked()
    qtbot.mouseClick(switch, Qt.MouseButton.LeftButton, pos=QPoint(switch.width() - 3, switch.height() - 3))
    assert not switch.isChecked()


def test_the_space_bar_turns_it(switch, qtbot):
    with qtbot.waitSignal(switch.toggled):
        qtbot.keyClick(switch, Qt.Key.Key_Space)
    assert switch.isChecked()


def test_a_screen_reader_hears_its_name_and_its_state(switch):
    heard = QAccessible.queryAccessibleInterface(switch)
    assert heard.text(QAccessible.Text.Name) == "Streaming"
    assert heard.role() == QAccessible.Role.CheckBox
    switch.setChecked(True)
    assert heard.state().checked


def test_on_and_off_look_different_without_colour(switch):
    off = switch.grab().toImage().convertToFormat(switch.grab().toImage().Format.Format_Grayscale8)
    switch.setChecked(True)
    on = switch.grab().toImage().convertToFormat(off.format())
    assert on != off


def test_both_themes_paint_it(switch):
    light = switch.grab().toImage()
    switch.set_theme(load_theme("dark"))
    assert switch.grab().toImage() != light


def test_where_there_is_no_room_the_words_are_cut_and_not_painted_over(switch):
    switch.resize(switch.sizeHint())
    assert switch._words_within(switch._track().left()) == "Streaming"
    narrow = switch.sizeHint().width() - 20
    switch.resize(narrow, switch.height())
    place = switch._track().left() - 14
    shown = switch._words_within(place)
    assert shown.endswith("…")
    assert switch.fontMetrics().horizontalAdvance(shown) <= place
    assert switch.minimumSizeHint().width() < narrow


def test_where_hardly_a_letter_would_be_left_no_words_are_painted(switch):
    switch.resize(switch.minimumSizeHint().width() + 24, switch.height())
    place = switch._track().left() - 14
    assert switch._words_within(place) == ""


def test_from_right_to_left_it_is_the_other_way_round_and_nothing_is_painted_over(switch):
    switch.resize(switch.sizeHint())
    switch.setChecked(True)
    inked = inked_columns(switch, ground_at=1)
    with from_right_to_left():
        mirrored = inked_columns(switch, ground_at=1)
        picture = switch.grab().toImage()
    assert abs(len(mirrored) - len(inked)) <= 2
    assert picture.pixelColor(switch.rect().right() - 10, switch.height() // 2) != load_theme("light").accent
    assert picture.pixelColor(24, switch.height() // 2) == load_theme("light").accent


@pytest.mark.parametrize("is_on", [False, True])
def test_its_words_and_its_track_reach_to_the_edges_and_the_ring_stays_within(switch, qtbot, is_on):
    switch.resize(switch.sizeHint())
    switch.setChecked(is_on)
    inked = inked_columns(switch, ground_at=1)
    assert inked[0] <= 2
    assert inked[-1] == switch.width() - 1
    switch.activateWindow()
    switch.clearFocus()
    plain = switch.grab().toImage()
    switch.setFocus()
    qtbot.waitUntil(switch.hasFocus, timeout=30_000)
    assert switch.grab().toImage() != plain
    assert inked_columns(switch, ground_at=1) == inked

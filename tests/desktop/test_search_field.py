"""The search field: when it says what is wanted, and what its keys do."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication

from desktop.theme import load_theme
from desktop.widgets.search_field import SearchField


@pytest.fixture
def field(qtbot):
    made = SearchField(load_theme("light"))
    qtbot.addWidget(made)
    made.resize(240, 32)
    made.show()
    return made


@pytest.fixture
def wanted(field):
    words: list[str] = []
    field.wanted.connect(words.append)
    return words


def test_it_says_once_what_is_wanted_when_somebody_pauses(field, wanted, qtbot):
    qtbot.keyClicks(field, "water")
    assert wanted == []
    qtbot.waitUntil(lambda: bool(wanted))
    assert wanted == ["water"]


def test_enter_and_down_do_not_wait(field, wanted, qtbot):
    qtbot.keyClicks(field, "wa")
    with qtbot.waitSignal(field.enter_pressed):
        qtbot.keyClick(field, Qt.Key.Key_Return)
    assert wanted == ["wa"]
    with qtbot.waitSignal(field.down_pressed):
        qtbot.keyClick(field, Qt.Key.Key_Down)
    assert wanted == ["wa"]


def test_an_empty_field_wants_nothing_any_more_at_once(field, wanted, qtbot):
    field.setText("water")
    field.search_now()
    field.setText("   ")
    assert wanted == ["water", ""]


def test_escape_empties_it_and_once_more_leaves_it(field, qtbot):
    field.setText("water")
    with qtbot.assertNotEmitted(field.left):
        qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert field.text() == ""
    with qtbot.waitSignal(field.left):
        qtbot.keyClick(field, Qt.Key.Key_Escape)


def test_escape_is_the_fields_before_it_is_the_windows(field):
    event = QKeyEvent(QEvent.Type.ShortcutOverride, Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier)
    event.ignore()
    QApplication.sendEvent(field, event)
    assert event.isAccepted()


def test_what_has_changed_is_looked_for_again(field, wanted):
    field.search_again()
    field.setText("water")
    field.search_now()
    field.search_again()
    assert wanted == ["water", "water"]


def test_the_button_in_it_empties_it(field, qtbot):
    assert not field.clear_button.isVisible()
    field.setText("water")
    qtbot.mouseClick(field.clear_button, Qt.MouseButton.LeftButton)
    assert field.text() == ""
    assert not field.clear_button.isVisible()
    assert field.clear_button.accessibleName()


def test_both_themes_and_directions_paint_it(field):
    light = field.grab().toImage()
    field.set_theme(load_theme("dark"))
    dark = field.grab().toImage()
    assert dark != light
    field.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    assert field.grab().toImage() != dark

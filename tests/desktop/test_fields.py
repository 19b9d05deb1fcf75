"""What is typed or picked is said once, and as what it means."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication

from desktop.settings import ColourScheme
from desktop.theme import load_theme
from desktop.widgets.fields import Choice, Number

THEME = load_theme("light")


@pytest.fixture
def choice(qtbot):
    choice = Choice(THEME, "Colours")
    choice.offer((("Light", ColourScheme.LIGHT), ("Dark", ColourScheme.DARK), ("Any", None)))
    qtbot.addWidget(choice)
    choice.show()
    return choice


@pytest.fixture
def number(qtbot):
    number = Number(THEME, "Threads", 1, 512, open_words="Automatic")
    qtbot.addWidget(number)
    number.show()
    return number


def heard(widget: Choice | Number) -> list[object]:
    values: list[object] = []
    widget.picked.connect(values.append)
    return values


def roll(widget: Choice | Number) -> QWheelEvent:
    middle = QPointF(widget.rect().center())
    event = QWheelEvent(
        middle,
        middle,
        QPoint(),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(widget, event)
    return event


def test_a_choice_gives_the_value_and_not_its_words(choice, qtbot):
    values = heard(choice)
    qtbot.keyClick(choice, Qt.Key.Key_Down)
    assert values == [ColourScheme.DARK]
    assert isinstance(values[0], ColourScheme)
    assert choice.value is ColourScheme.DARK


def test_what_is_shown_by_the_program_is_not_said(choice, number):
    values = heard(choice) + heard(number)
    choice.show_value(ColourScheme.DARK)
    number.show_number(7)
    assert values == []
    assert (choice.currentText(), number.number) == ("Dark", 7)


def test_a_value_that_is_not_offered_is_shown_as_it_is_called(choice):
    choice.show_value("CUDA7")
    assert choice.currentText() == "CUDA7"
    choice.offer((("Automatic", ""), ("CUDA7: a large one", "CUDA7")))
    assert choice.currentText() == "CUDA7: a large one"


@pytest.mark.parametrize("name", ["choice", "number"])
def test_the_wheel_scrolls_the_page_and_changes_nothing(request, name):
    widget = request.getfixturevalue(name)
    values = heard(widget)
    assert not roll(widget).isAccepted()
    assert values == []


def test_a_number_is_said_once_when_it_is_whole(number, qtbot):
    values = heard(number)
    number.selectAll()
    qtbot.keyClicks(number, "12")
    assert values == []
    qtbot.keyClick(number, Qt.Key.Key_Return)
    number.clearFocus()
    assert values == [12]
    assert isinstance(values[0], int)


def test_the_lowest_place_leaves_a_number_open(number, qtbot):
    number.show_number(1)
    values = heard(number)
    qtbot.keyClick(number, Qt.Key.Key_Down)
    assert values == [None]
    assert number.text() == "Automatic"
    qtbot.keyClick(number, Qt.Key.Key_Up)
    assert values == [None, 1]


def test_a_number_with_decimals_stays_one(qtbot):
    number = Number(THEME, "temperature", 0, 5, open_words="0.8", step=0.1, decimals=2)
    qtbot.addWidget(number)
    values = heard(number)
    number.setValue(0.35)
    number.editingFinished.emit()
    assert values == [0.35]
    number.show_number(None)
    assert number.text() == "0.8"
    assert number.number is None


def test_large_numbers_are_whole_to_the_last_digit(qtbot):
    number = Number(THEME, "seed", 0, 2**32 - 2, open_words="any")
    qtbot.addWidget(number)
    number.show_number(2**32 - 2)
    assert number.number == 2**32 - 2

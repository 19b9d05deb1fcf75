"""What a search found: how it is shown and how one goes through it."""

from __future__ import annotations

from datetime import datetime

import pytest
from PySide6.QtCore import Qt

from desktop.conversations import Conversation
from desktop.hits import Hit
from desktop.theme import load_theme
from desktop.widgets.search_results import SearchResults

NOON = datetime.fromisoformat("2026-03-20 12:00").astimezone()


def conversation(number: int, title: str, folder: str = "") -> Conversation:
    return Conversation(number, title, NOON, NOON, folder=folder)


IN_TITLE = Hit(conversation(1, "Water in the desert", "Work"), None, "Water in the desert", ((0, 5),))
IN_TEXT = Hit(conversation(2, "Why rivers bend"), 7, "The faster\nwater carries sand away", ((11, 16),))


@pytest.fixture
def results(qtbot):
    made = SearchResults(load_theme("light"))
    qtbot.addWidget(made)
    made.resize(260, 400)
    made.show()
    made.show_hits((IN_TITLE, IN_TEXT))
    return made


def test_a_click_wants_a_hit(results, qtbot):
    place = results.visualRect(results.model().index(1, 0)).center()
    with qtbot.waitSignal(results.wanted) as wanted:
        qtbot.mouseClick(results.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert wanted.args == [IN_TEXT]


def test_the_keys_go_through_them_and_enter_wants_one(results, qtbot):
    results.begin()
    qtbot.keyClick(results, Qt.Key.Key_Down)
    with qtbot.waitSignal(results.wanted) as wanted:
        qtbot.keyClick(results, Qt.Key.Key_Return)
    assert wanted.args == [IN_TEXT]
    qtbot.keyClick(results, Qt.Key.Key_Up)
    with qtbot.waitSignal(results.left_upwards):
        qtbot.keyClick(results, Qt.Key.Key_Up)
    with qtbot.waitSignal(results.left):
        qtbot.keyClick(results, Qt.Key.Key_Escape)


def test_the_best_one_can_be_wanted_at_once(results, qtbot):
    with qtbot.waitSignal(results.wanted) as wanted:
        results.want_first()
    assert wanted.args == [IN_TITLE]
    results.show_hits(())
    with qtbot.assertNotEmitted(results.wanted):
        results.want_first()


def test_a_screen_reader_says_the_title_and_where_it_was_found(results):
    said = [results.model().index(row, 0).data(Qt.ItemDataRole.AccessibleTextRole) for row in (0, 1)]
    assert said == [
        "Water in the desert, found in the title",
        "Why rivers bend: The faster water carries sand away",
    ]


@pytest.mark.parametrize("row", [0, 1])
def test_the_words_are_marked(results, row):
    image = results.viewport().grab().toImage()
    place = results.visualRect(results.model().index(row, 0))
    mark = load_theme("light").find_hit
    columns = range(place.left(), place.right())
    marked = [x for x in columns if any(image.pixelColor(x, y) == mark for y in range(place.top(), place.bottom() + 1))]
    assert len(marked) > 15


def test_the_same_hits_anew_leave_the_keyboard_where_it_is(results):
    results.setCurrentIndex(results.model().index(1, 0))
    results.show_hits((Hit(conversation(3, "Newer water"), None, "Newer water", ((6, 11),)), IN_TITLE, IN_TEXT))
    assert results.hit_at(results.currentIndex()) == IN_TEXT
    results.show_hits((IN_TITLE,))
    assert not results.currentIndex().isValid()


def test_both_themes_paint_it(results):
    light = results.grab().toImage()
    results.set_theme(load_theme("dark"))
    assert results.grab().toImage() != light

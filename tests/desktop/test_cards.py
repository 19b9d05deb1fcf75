from __future__ import annotations

import time

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from desktop.widgets.cards import Card, CardList


@pytest.fixture
def cards(qtbot, theme):
    view = CardList(theme, "Things")
    qtbot.addWidget(view)
    view.resize(500, 400)
    view.show()
    return view


def some(count: int, note: str = "") -> list[Card]:
    return [Card(f"key {number}", f"Title {number}", "details", note) for number in range(count)]


def test_what_is_shown_anew_keeps_the_current_card(cards):
    told: list[object] = []
    cards.current_changed.connect(told.append)
    cards.show_cards(some(5))
    cards.select("key 3")
    cards.show_cards(some(9))
    assert cards.key == "key 3"
    cards.show_cards(some(2))
    assert cards.key == "key 0"
    cards.show_cards([])
    assert cards.key is None
    assert told[-1] is None


def test_enter_chooses_and_delete_is_told(cards, qtbot):
    chosen: list[str] = []
    cards.chosen.connect(chosen.append)
    cards.show_cards(some(3))
    cards.select("key 1")
    qtbot.keyClick(cards, Qt.Key.Key_Return)
    with qtbot.waitSignal(cards.delete_wanted):
        qtbot.keyClick(cards, Qt.Key.Key_Delete)
    assert chosen == ["key 1"]


def test_thousands_of_cards_are_shown_and_changed_in_a_moment(cards):
    began = time.process_time()
    cards.show_cards(some(2000))
    QApplication.processEvents()
    for card in some(2000, "more is known now"):
        cards.change(card)
    QApplication.processEvents()
    assert time.process_time() - began < 1.0
    assert cards.cards[1999].note == "more is known now"


def test_a_card_is_spoken_whole(cards):
    cards.show_cards([Card("a", "Small", "Q4, mit", "Fits", figure="2.0 GB")])
    spoken = cards.model().index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "Small. 2.0 GB. Q4, mit. Fits"


def test_the_current_card_stays_in_sight_when_there_is_less_room(cards):
    cards.show_cards(some(30))
    cards.select("key 4")
    QApplication.processEvents()
    cards.resize(500, 150)
    QApplication.processEvents()
    assert cards.viewport().rect().contains(cards.visualRect(cards.currentIndex()))

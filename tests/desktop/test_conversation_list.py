from __future__ import annotations

from datetime import date, datetime, timedelta

import pytest
from PySide6.QtCore import QEvent, QPoint, QRect, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from desktop.conversations import Conversation
from desktop.theme import load_theme
from desktop.widgets.conversation_list import ConversationList

TODAY = date(2026, 3, 20)


def conversation(number: int, title: str, days_ago: int = 0) -> Conversation:
    then = datetime(2026, 3, 20, 12).astimezone() - timedelta(days=days_ago)
    return Conversation(number, title, then, then)


SOME = (
    conversation(5, "Why rivers bend"),
    conversation(4, "KV caching"),
    conversation(3, "Regex for dates", 1),
    conversation(2, "Letter", 4),
    conversation(1, "Boats", 300),
)


@pytest.fixture
def shown(qtbot):
    made = ConversationList(load_theme("light"), today=lambda: TODAY)
    qtbot.addWidget(made)
    made.resize(260, 500)
    made.show()
    return made


def place_of(shown: ConversationList, title: str) -> QRect:
    return shown.view.visualRect(shown.view.model().index(shown.titles().index(title), 0))


def click(qtbot, shown: ConversationList, title: str) -> None:
    qtbot.mouseClick(shown.view.viewport(), Qt.MouseButton.LeftButton, pos=place_of(shown, title).center())


def ground_at(shown: ConversationList, place: QRect) -> QColor:
    """The colour of a row's box, where no letter stands."""
    return shown.view.grab().toImage().pixelColor(place.right() - 12, place.center().y())


def test_conversations_stand_in_groups_by_day(shown):
    shown.show_conversations(SOME)
    assert shown.titles() == (
        "Today",
        "Why rivers bend",
        "KV caching",
        "Yesterday",
        "Regex for dates",
        "Last seven days",
        "Letter",
        "May 2025",
        "Boats",
    )


@pytest.mark.parametrize(
    ("days", "group"), [(0, "Today"), (1, "Yesterday"), (2, "Last seven days"), (6, "Last seven days"), (7, "March")]
)
def test_the_borders_of_the_groups(shown, days, group):
    shown.show_conversations((conversation(1, "x", days),))
    assert shown.titles()[0] == group


def test_a_conversation_from_tomorrow_is_of_today(shown):
    shown.show_conversations((conversation(1, "a clock that was set back", -1),))
    assert shown.titles()[0] == "Today"


def test_a_click_opens(shown, qtbot):
    shown.show_conversations(SOME)
    with qtbot.waitSignal(shown.opened) as opened:
        click(qtbot, shown, "Regex for dates")
    assert opened.args == [3]


def test_the_name_of_a_group_opens_nothing(shown, qtbot):
    shown.show_conversations(SOME)
    with qtbot.assertNotEmitted(shown.opened):
        click(qtbot, shown, "Yesterday")


def test_the_arrow_keys_step_over_groups_and_enter_opens(shown, qtbot):
    shown.show_conversations(SOME)
    shown.set_current(4)
    qtbot.keyClick(shown.view, Qt.Key.Key_Down)
    with qtbot.waitSignal(shown.opened) as opened:
        qtbot.keyClick(shown.view, Qt.Key.Key_Return)
    assert opened.args == [3]


def test_the_open_one_stays_marked_when_the_list_changes(shown):
    shown.show_conversations(SOME)
    shown.set_current(3)
    shown.show_conversations((conversation(6, "newer"), *SOME))
    assert shown.view.currentIndex().data() == "Regex for dates"


def test_a_new_conversation_is_not_in_the_list_yet(shown):
    shown.show_conversations(SOME)
    shown.set_current(3)
    shown.set_current(None)
    assert not shown.view.currentIndex().isValid()


def test_the_list_stays_where_it_was_scrolled_to(shown):
    many = tuple(conversation(n, f"conversation {n}") for n in range(200, 0, -1))
    shown.show_conversations(many)
    shown.view.verticalScrollBar().setValue(700)
    shown.show_conversations((conversation(201, "newer"), *many))
    assert shown.view.verticalScrollBar().value() == 700


def test_an_untitled_conversation_has_a_name_all_the_same(shown):
    shown.show_conversations((conversation(1, ""),))
    assert shown.titles()[1] == "New conversation"


def test_a_title_with_line_breaks_and_great_length_is_painted_in_one_row(shown):
    shown.show_conversations((conversation(1, "one\ntwo " * 100),))
    heights = {shown.view.visualRect(shown.view.model().index(row, 0)).height() for row in (0, 1)}
    assert heights == {36}
    assert not shown.grab().isNull()


def test_without_conversations_the_list_says_where_they_will_be(shown):
    assert shown._empty.isVisible()
    shown.show_conversations(SOME)
    assert not shown._empty.isVisible()


def test_the_head_offers_a_new_one_and_folding(shown, qtbot):
    with qtbot.waitSignal(shown.new_wanted):
        qtbot.keyClick(shown.new_button, Qt.Key.Key_Space)
    with qtbot.waitSignal(shown.fold_wanted):
        qtbot.mouseClick(shown.fold_button, Qt.MouseButton.LeftButton)
    assert "Ctrl+N" in shown.new_button.accessibleName()


def test_both_themes_paint_it(shown):
    shown.show_conversations(SOME)
    light = shown.grab().toImage()
    shown.set_theme(load_theme("dark"))
    assert shown.grab().toImage() != light


def test_the_row_under_the_mouse_is_marked_until_the_mouse_is_elsewhere(shown, qtbot):
    shown.show_conversations(SOME)
    caching = place_of(shown, "KV caching")
    plain = ground_at(shown, caching)
    qtbot.mouseMove(shown.view.viewport(), place_of(shown, "Why rivers bend").center())
    qtbot.mouseMove(shown.view.viewport(), caching.center())
    assert ground_at(shown, caching) != plain
    qtbot.mouseMove(shown.view.viewport(), place_of(shown, "Why rivers bend").center())
    assert ground_at(shown, caching) == plain
    assert ground_at(shown, place_of(shown, "Why rivers bend")) != plain
    QApplication.sendEvent(shown.view, QEvent(QEvent.Type.Leave))
    assert ground_at(shown, place_of(shown, "Why rivers bend")) == plain


def test_the_row_that_the_keyboard_is_on_has_a_ring(shown, qtbot):
    shown.show_conversations(SOME)
    shown.view.setFocus()
    qtbot.waitUntil(shown.view.hasFocus)
    qtbot.keyClick(shown.view, Qt.Key.Key_Down)
    place = place_of(shown, "Why rivers bend")
    at_its_edge = QPoint(place.left() + 9, place.center().y())
    ringed = shown.view.grab().toImage().pixelColor(at_its_edge)
    shown.view.clearFocus()
    assert shown.view.grab().toImage().pixelColor(at_its_edge) != ringed == load_theme("light").accent

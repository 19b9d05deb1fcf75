from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta
from time import thread_time

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QColor, QDropEvent, QKeyEvent
from PySide6.QtWidgets import QApplication, QLineEdit

from desktop.conversations import Conversation
from desktop.groups import Group, GroupKind
from desktop.hits import Hit
from desktop.theme import load_theme
from desktop.widgets.conversation_drag import ConversationMime
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


def click(qtbot, shown: ConversationList, title: str, modifier=Qt.KeyboardModifier.NoModifier) -> None:
    place = place_of(shown, title).center()
    qtbot.mouseClick(shown.view.viewport(), Qt.MouseButton.LeftButton, modifier, pos=place)


def chosen(shown: ConversationList) -> list[int]:
    return [each.id for each in shown.view.chosen]


def in_folders() -> tuple[Conversation, ...]:
    return (
        *SOME[:2],
        replace(SOME[2], folder="Work"),
        replace(SOME[3], folder="Work"),
        SOME[4],
    )


def drop(shown: ConversationList, conversations: tuple[int, ...], title: str) -> bool:
    """Let go of these over the row with that title; returns whether it was taken."""
    mime = ConversationMime(conversations, None)
    event = QDropEvent(
        QPointF(place_of(shown, title).center()),
        Qt.DropAction.CopyAction,
        mime,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    event.ignore()
    shown.view.dropEvent(event)
    return event.isAccepted()


def editor_in(shown: ConversationList) -> QLineEdit:
    (editor,) = shown.view.viewport().findChildren(QLineEdit)
    return editor


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
        "Previous 7 days",
        "Letter",
        "May 2025",
        "Boats",
    )


@pytest.mark.parametrize(
    ("days", "group"), [(0, "Today"), (1, "Yesterday"), (2, "Previous 7 days"), (6, "Previous 7 days"), (7, "March")]
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


CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def test_with_ctrl_and_shift_several_are_chosen_and_none_is_opened(shown, qtbot):
    shown.show_conversations(SOME)
    shown.set_current(5)
    with qtbot.assertNotEmitted(shown.opened):
        click(qtbot, shown, "Regex for dates", CTRL)
        assert chosen(shown) == [5, 3]
        assert shown.selection_bar.isVisible()
        click(qtbot, shown, "Boats", SHIFT)
        click(qtbot, shown, "KV caching", CTRL)
        click(qtbot, shown, "KV caching", CTRL)
    assert chosen(shown) == [5, 3, 2, 1]
    with qtbot.waitSignal(shown.opened):
        click(qtbot, shown, "Letter")
    assert chosen(shown) == [2]
    assert not shown.selection_bar.isVisible()


def test_several_are_chosen_with_the_keyboard_and_let_go_with_escape(shown, qtbot):
    shown.show_conversations(SOME)
    shown.set_current(5)
    qtbot.keyClick(shown.view, Qt.Key.Key_Down, SHIFT)
    qtbot.keyClick(shown.view, Qt.Key.Key_Down, SHIFT)
    assert chosen(shown) == [5, 4, 3]
    event = QKeyEvent(QEvent.Type.ShortcutOverride, Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier)
    event.ignore()
    QApplication.sendEvent(shown.view, event)
    assert event.isAccepted()
    qtbot.keyClick(shown.view, Qt.Key.Key_Escape)
    assert chosen(shown) == [3]
    qtbot.keyClick(shown.view, Qt.Key.Key_A, CTRL)
    assert chosen(shown) == [5, 4, 3, 2, 1]


def test_what_is_chosen_stays_so_when_the_list_changes(shown):
    shown.show_conversations(SOME)
    shown.view.choose({5, 3, 1})
    shown.show_conversations((conversation(6, "newer"), *SOME[1:]))
    assert chosen(shown) == [3, 1]


def test_the_keyboard_goes_on_beside_what_was_deleted(shown, qtbot):
    shown.show_conversations(SOME)
    shown.set_current(4)
    shown.view.setFocus()
    qtbot.waitUntil(shown.view.hasFocus)
    shown.show_conversations((SOME[0], *SOME[2:]))
    assert shown.view.currentIndex().data() == "Regex for dates"
    shown.show_conversations(SOME[:1])
    assert shown.view.currentIndex().data() == "Why rivers bend"


def test_a_title_is_typed_anew_in_place(shown, qtbot):
    shown.show_conversations(SOME)
    shown.begin_renaming(4)
    editor = editor_in(shown)
    assert editor.text() == "KV caching"
    assert editor.accessibleName()
    editor.selectAll()
    qtbot.keyClicks(editor, "Keys and values")
    with qtbot.waitSignal(shown.renamed) as renamed:
        qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert renamed.args == [4, "Keys and values"]


def test_enter_ends_the_typing_and_opens_nothing(shown, qtbot):
    shown.show_conversations(SOME)
    shown.begin_renaming(4)
    with qtbot.assertNotEmitted(shown.opened):
        qtbot.keyClick(editor_in(shown), Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: not shown.view.is_editing)


def test_escape_leaves_the_title_as_it_was(shown, qtbot):
    shown.show_conversations(SOME)
    shown.begin_renaming(4)
    qtbot.keyClicks(editor_in(shown), "x")
    with qtbot.assertNotEmitted(shown.renamed):
        qtbot.keyClick(editor_in(shown), Qt.Key.Key_Escape)
    assert not shown.view.is_editing


def test_what_changes_while_a_title_is_typed_waits_for_its_end(shown, qtbot):
    shown.show_conversations(SOME)
    shown.begin_renaming(4)
    shown.show_conversations((conversation(6, "newer"), *SOME))
    assert "newer" not in shown.titles()
    assert editor_in(shown).isVisible()
    qtbot.keyClick(editor_in(shown), Qt.Key.Key_Escape)
    assert "newer" in shown.titles()


def test_the_new_title_is_shown_when_it_is_kept(shown, qtbot):
    shown.show_conversations(SOME)
    shown.renamed.connect(
        lambda number, title: shown.show_conversations(
            [replace(each, title=title) if each.id == number else each for each in SOME]
        )
    )
    shown.begin_renaming(4)
    editor_in(shown).setText("Keys")
    qtbot.keyClick(editor_in(shown), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "Keys" in shown.titles())


def test_renaming_opens_a_folded_folder_and_ends_a_search(shown):
    shown.show_conversations(in_folders())
    shown.set_folded({"Work"})
    shown.search_field.setText("x")
    shown.begin_renaming(3)
    assert shown.view.is_editing
    assert shown.search_field.text() == ""
    assert shown.folded == set()


def test_what_is_typed_and_not_looked_for_yet_takes_no_place_of_the_list(shown):
    shown.show_conversations(SOME)
    shown.search_field.setText("kv")
    shown.show_conversations(SOME[:1])
    assert shown.view.isVisible()
    shown.search_field.clear()
    assert shown.view.isVisible()


def test_a_title_that_is_being_typed_goes_on_being_typed(shown, qtlog):
    shown.show_conversations(SOME)
    shown.begin_renaming(SOME[0].id)
    editor_in(shown).setText("Half a ti")
    shown.begin_renaming(SOME[0].id)
    assert editor_in(shown).text() == "Half a ti"
    assert not [record.message for record in qtlog.records if "editing failed" in record.message]


def test_a_folder_folds_by_mouse_and_keys_and_says_so(shown, qtbot):
    shown.show_conversations(in_folders())
    with qtbot.waitSignal(shown.folded_changed) as changed:
        click(qtbot, shown, "Work")
    assert changed.args == [frozenset({"Work"})]
    assert "Regex for dates" not in shown.titles()
    for key, titles in (
        (Qt.Key.Key_Left, 6),
        (Qt.Key.Key_Right, 8),
        (Qt.Key.Key_Right, 8),
        (Qt.Key.Key_Left, 6),
        (Qt.Key.Key_Space, 8),
        (Qt.Key.Key_Return, 6),
    ):
        qtbot.keyClick(shown.view, key)
        assert len(shown.titles()) == titles
        assert shown.view.currentIndex().data() == "Work"


def test_a_folder_is_renamed_in_place(shown, qtbot):
    shown.show_conversations(in_folders())
    shown.begin_renaming_folder("Work")
    editor_in(shown).setText("Office")
    with qtbot.waitSignal(shown.folder_renamed) as renamed:
        qtbot.keyClick(editor_in(shown), Qt.Key.Key_Return)
    assert renamed.args == ["Work", "Office"]


@pytest.mark.parametrize(
    ("title", "kind", "name"),
    [("Work", GroupKind.FOLDER, "Work"), ("Letter", GroupKind.FOLDER, "Work"), ("KV caching", GroupKind.TODAY, "")],
)
def test_what_is_dropped_goes_to_the_group_under_the_mouse(shown, qtbot, title, kind, name):
    shown.show_conversations(in_folders())
    with qtbot.waitSignal(shown.dropped) as dropped:
        assert drop(shown, (5, 1), title)
    conversations, group = dropped.args
    assert conversations == (5, 1)
    assert isinstance(group, Group)
    assert (group.kind, group.name) == (kind, name)


def test_nothing_is_dropped_among_temporary_conversations(shown, qtbot):
    shown.show_conversations((replace(SOME[0], id=-1, temporary=True), *SOME[1:]))
    with qtbot.assertNotEmitted(shown.dropped):
        assert not drop(shown, (4,), "Why rivers bend")


def test_a_reply_that_is_written_is_marked_by_a_dot(shown):
    shown.show_conversations(SOME)
    place = place_of(shown, "KV caching")
    dot = QPoint(place.right() - 8 - 8 - 4, place.center().y() + 1)
    assert shown.view.viewport().grab().toImage().pixelColor(dot) != load_theme("light").decode
    shown.set_busy({4})
    assert shown.view.viewport().grab().toImage().pixelColor(dot) == load_theme("light").decode


def test_typing_in_the_list_looks_for_something(shown, qtbot):
    shown.show_conversations(SOME)
    shown.set_current(5)
    with qtbot.waitSignal(shown.search_wanted) as wanted:
        qtbot.keyClicks(shown.view, "k")
    assert wanted.args == ["k"]
    assert shown.search_field.hasFocus()


def test_what_was_found_takes_the_lists_place_until_the_search_is_empty(shown, qtbot):
    shown.show_conversations(SOME)
    hit = Hit(SOME[1], 12, "the KV cache", ((4, 6),))
    shown.search_field.setText("kv")
    with qtbot.waitSignal(shown.search_wanted):
        shown.search_field.search_now()
    shown.show_hits("kv", (hit,))
    assert shown.results.isVisible()
    assert not shown.view.isVisible()
    with qtbot.waitSignal(shown.hit_wanted) as wanted:
        qtbot.keyClick(shown.search_field, Qt.Key.Key_Return)
    assert wanted.args == [hit]
    qtbot.keyClick(shown.search_field, Qt.Key.Key_Down)
    assert shown.results.hasFocus()
    qtbot.keyClick(shown.results, Qt.Key.Key_Escape)
    assert shown.view.isVisible()
    assert shown.view.hasFocus()


def test_hits_for_words_that_are_no_longer_there_are_not_shown(shown):
    shown.search_field.setText("kv c")
    shown.show_hits("kv", (Hit(SOME[1], None, "KV caching", ((0, 2),)),))
    assert shown.results.hits == ()


def test_finding_nothing_is_said(shown):
    shown.show_conversations(SOME)
    shown.search_field.setText("zebra")
    shown.search_field.search_now()
    shown.show_hits("zebra", ())
    assert shown._nothing.isVisible()
    assert shown._nothing.text() == "Nothing found for “zebra”."


def test_what_changes_meanwhile_is_looked_for_again(shown, qtbot):
    shown.show_conversations(SOME)
    shown.search_field.setText("kv")
    shown.search_field.search_now()
    with qtbot.waitSignal(shown.search_wanted) as wanted:
        shown.show_conversations(SOME[1:])
    assert wanted.args == ["kv"]


def test_ten_thousand_are_shown_within_a_frame(shown, qapp):
    many = tuple(
        replace(conversation(n, f"conversation {n}", n // 24), pinned=n % 500 == 0, folder=("", "", "a", "b")[n % 4])
        for n in range(10_000)
    )
    taken = []
    for _ in range(5):
        begin = thread_time()
        shown.show_conversations(many)
        qapp.processEvents()
        shown.grab()
        taken.append(thread_time() - begin)
    assert min(taken) < 0.02
    begin = thread_time()
    shown.view.selectAll()
    assert thread_time() - begin < 0.1
    assert len(chosen(shown)) == 10_000


def test_from_right_to_left_the_rows_are_mirrored(shown):
    shown.show_conversations(in_folders())
    shown.set_busy({4})
    left_to_right = shown.view.viewport().grab().toImage()
    shown.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    place = place_of(shown, "KV caching")
    dot = QPoint(place.left() + 8 + 8 + 4, place.center().y() + 1)
    mirrored = shown.view.viewport().grab().toImage()
    assert mirrored.pixelColor(dot) == load_theme("light").decode != left_to_right.pixelColor(dot)

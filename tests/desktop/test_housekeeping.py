"""What the sidebar wants, in a whole window: done by the library, and said where there is something to say."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtWidgets import QApplication, QLineEdit

from desktop.groups import Group, GroupKind
from desktop.widgets.notice import NoticeKind
from desktop.window import Window
from desktop.wishes import ReplyChoices
from tests.desktop.desk import Desk

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def window(desk):
    """A window with three conversations, of which the last one is open."""
    window = desk.open()
    for question in ("Why do rivers bend?", "What is a KV cache?", "How do boats float?"):
        desk.library.new()
        desk.talk(question, f"An answer about {question.split()[-1]} and water.")
    return window


def titles(window: Window) -> list[str]:
    return list(window.conversation_list.titles())


def number_of(desk: Desk, title: str) -> int:
    return next(each.id for each in desk.library.conversations() if each.title == title)


def notices(window: Window) -> list[str]:
    return [notice.text for notice in window.board.notices]


def undo(window: Window) -> None:
    window.board.notices[-1].action_button.click()


def editor_in(window: Window) -> QLineEdit:
    found = window.conversation_list.view.viewport().findChildren(QLineEdit)
    (editor,) = (each for each in found if each.isVisible())  # those before it are gone with the next event loop
    return editor


def type_name(desk: Desk, name: str) -> None:
    editor = editor_in(desk.window)
    editor.setText(name)
    desk.qtbot.keyClick(editor, Qt.Key.Key_Return)
    desk.qtbot.waitUntil(lambda: not desk.window.conversation_list.view.is_editing)


def test_a_conversation_is_renamed_with_f2_wherever_the_keyboard_is(desk, window):
    desk.qtbot.keyClick(window.composer.field, Qt.Key.Key_F2)
    assert editor_in(window).text() == "How do boats float?"
    type_name(desk, "Boats")
    assert titles(window)[1] == "Boats"
    assert window.windowTitle().startswith("Boats")


def test_the_sidebar_comes_out_for_a_name_to_be_typed(desk, window):
    window.sidebar_action.trigger()
    assert not window.conversation_list.isVisible()
    window.conversation_list.commands.rename.trigger()
    assert window.conversation_list.isVisible()
    assert window.conversation_list.view.is_editing


def test_pinning_brings_it_to_the_top_and_back(desk, window):
    window.conversation_list.commands.pin.trigger()
    assert titles(window)[:3] == ["Pinned", "How do boats float?", "Today"]
    window.conversation_list.commands.pin.trigger()
    assert titles(window)[0] == "Today"


def test_a_new_folder_is_named_at_once(desk, window):
    window.conversation_list.view.choose(
        {number_of(desk, "Why do rivers bend?"), number_of(desk, "What is a KV cache?")}
    )
    window.conversation_list.commands.new_folder_wanted.emit(
        tuple(each.id for each in window.conversation_list.view.chosen)
    )
    assert editor_in(window).text() == "New folder"
    type_name(desk, "Questions")
    assert titles(window)[:3] == ["Questions", "What is a KV cache?", "Why do rivers bend?"]
    assert desk.library.folders() == ("Questions",)


def test_another_new_folder_gets_another_name(desk, window):
    for title in ("Why do rivers bend?", "What is a KV cache?"):
        window.conversation_list.commands.new_folder_wanted.emit((number_of(desk, title),))
        desk.qtbot.keyClick(editor_in(window), Qt.Key.Key_Escape)
    assert desk.library.folders() == ("New folder", "New folder 2")


def test_what_is_dropped_on_a_group_becomes_one_of_it(desk, window):
    boats = number_of(desk, "How do boats float?")
    dropped = window.conversation_list.dropped
    dropped.emit((boats,), Group(GroupKind.FOLDER, (), name="Garden"))
    assert titles(window)[:2] == ["Garden", "How do boats float?"]
    dropped.emit((boats,), Group(GroupKind.PINNED, ()))
    assert titles(window)[:2] == ["Pinned", "How do boats float?"]
    dropped.emit((boats,), Group(GroupKind.TODAY, ()))
    assert titles(window)[0] == "Today"
    assert desk.library.folders() == ()


def test_a_folder_is_renamed_and_stays_folded_and_dissolved_with_an_undo(desk, window):
    desk.library.move_to_folder([number_of(desk, "Why do rivers bend?")], "Work")
    window.conversation_list.set_folded({"Work"})
    window.conversation_list.folder_renamed.emit("Work", "Office")
    assert titles(window)[:2] == ["Office", "Today"]
    assert desk.settings.current.folded_folders == ("Office",)
    window.conversation_list.commands.folder_removal_wanted.emit("Office")
    assert "Office" not in titles(window)
    assert "Why do rivers bend?" in titles(window)
    undo(window)
    assert titles(window)[0] == "Office"


def test_a_folded_folder_is_folded_in_the_next_window(desk, window):
    desk.library.move_to_folder([number_of(desk, "Why do rivers bend?")], "Work")
    window.conversation_list.view.fold_wanted.emit("Work")
    again = desk.open_another()
    assert "Why do rivers bend?" not in again.conversation_list.titles()


def test_a_copy_is_opened(desk, window):
    window.conversation_list.commands.duplicate.trigger()
    assert "How do boats float? (copy)" in titles(window)
    assert window.session.conversation.title == "How do boats float? (copy)"
    assert len(window.session.turns) == 2


def test_what_was_deleted_comes_back(desk, window):
    window.conversation_list.view.setFocus()
    desk.qtbot.keyClick(window.conversation_list.view, Qt.Key.Key_Delete)
    assert notices(window) == ["Deleted “How do boats float?”."]
    assert "How do boats float?" not in titles(window)
    undo(window)
    assert "How do boats float?" in titles(window)
    assert notices(window) == []


def test_one_goes_on_deleting_in_the_list(desk, window):
    view = window.conversation_list.view
    view.setFocus()
    for left in (3, 2):
        desk.qtbot.keyClick(view, Qt.Key.Key_Delete)
        assert view.hasFocus()
        assert len(view.chosen) == 1
        assert len(titles(window)) == left
    undo(window)
    undo(window)
    assert len(titles(window)) == 4


def test_several_deletions_come_back_one_after_the_other(desk, window):
    commands = window.conversation_list.commands
    commands.delete_wanted.emit((number_of(desk, "Why do rivers bend?"),))
    commands.delete_wanted.emit((number_of(desk, "What is a KV cache?"), number_of(desk, "How do boats float?")))
    assert notices(window) == ["Deleted 2 conversations."]
    undo(window)
    assert notices(window) == ["Deleted “Why do rivers bend?”."]
    assert len(titles(window)) == 3
    undo(window)
    assert len(titles(window)) == 4
    assert notices(window) == []


def test_when_the_notice_goes_it_is_final(desk, window):
    commands = window.conversation_list.commands
    commands.delete_wanted.emit((number_of(desk, "Why do rivers bend?"),))
    commands.delete_wanted.emit((number_of(desk, "What is a KV cache?"),))
    assert len(desk.store.deleted()) == 2
    window.board.notices[-1].close_button.click()
    assert desk.store.deleted() == ()
    assert not desk.library.can_undo_delete
    commands.delete_wanted.emit((number_of(desk, "How do boats float?"),))
    undo(window)
    assert titles(window) == ["Today", "How do boats float?"]


def test_the_notice_goes_by_itself_after_a_while(desk, window):
    window.conversation_list.commands.delete.trigger()
    notice = window.board.notices[-1]
    assert notice._patience.isActive()
    QApplication.sendEvent(notice, QEvent(QEvent.Type.Leave))
    notice._patience.timeout.emit()
    assert notices(window) == []
    assert desk.store.deleted() == ()


def test_only_notices_of_its_kind_push_it_out_and_make_it_final(desk, window):
    window.conversation_list.commands.delete.trigger()
    for number in range(3):
        window.board.show_notice(f"something else {number}", NoticeKind.WARNING)
    assert desk.store.deleted() != ()
    for number in range(3):
        window.board.show_notice(f"also deleted {number}", action="Undo").takes_back = True
    assert desk.store.deleted() == ()


def test_a_search_is_opened_at_the_turn_that_was_found(desk, window):
    desk.qtbot.keyClick(window.composer.field, Qt.Key.Key_K, CTRL)
    assert window.conversation_list.search_field.hasFocus()
    desk.qtbot.keyClicks(window.conversation_list.search_field, "bend? and")
    desk.qtbot.keyClick(window.conversation_list.search_field, Qt.Key.Key_Return)
    assert window.session.conversation.title == "Why do rivers bend?"
    bar = window.page.transcript.finding.bar
    assert bar is not None
    assert bar.isVisible()
    assert bar.field.text() == "bend?"
    desk.qtbot.waitUntil(lambda: bar.count.text() == "2 of 2")  # the first is in the question


def test_a_hit_on_another_branch_shows_that_branch(desk, window):
    answer = window.session.turns[-1].id
    assert window.session.regenerate(answer, ReplyChoices(streaming=True, thinking=False))
    desk.engine.say("Because of displacement.")
    desk.engine.finish()
    assert all(turn.id != answer for turn in window.session.turns)
    (hit,) = [hit for hit in desk.library.search("float? and") if hit.turn == answer]
    desk.library.new()
    window.conversation_list.hit_wanted.emit(hit)
    assert any(turn.id == answer for turn in window.session.turns)


def test_a_hit_in_a_title_opens_the_conversation(desk, window):
    (hit, *_) = [hit for hit in desk.library.search("KV cache") if hit.turn is None]
    window.conversation_list.hit_wanted.emit(hit)
    assert window.session.conversation.title == "What is a KV cache?"


def test_escape_leads_from_the_search_back_to_the_prompt(desk, window):
    window.housekeeping.search_action.trigger()
    desk.qtbot.keyClicks(window.conversation_list.search_field, "x")
    for _ in range(2):
        desk.qtbot.keyClick(window.conversation_list.search_field, Qt.Key.Key_Escape)
    assert window.composer.field.hasFocus()


@pytest.mark.parametrize(
    ("key", "title"), [(Qt.Key.Key_PageDown, "What is a KV cache?"), (Qt.Key.Key_PageUp, "Why do rivers bend?")]
)
def test_one_walks_through_the_conversations_by_key(desk, window, key, title):
    desk.qtbot.keyClick(window.composer.field, key, CTRL)
    assert window.session.conversation.title == title


def test_ctrl_tab_walks_too(desk, window):
    desk.qtbot.keyClick(window.composer.field, Qt.Key.Key_Tab, CTRL)
    assert window.session.conversation.title == "What is a KV cache?"
    desk.qtbot.keyClick(window.composer.field, Qt.Key.Key_Backtab, CTRL | SHIFT)
    assert window.session.conversation.title == "How do boats float?"


def test_who_walks_with_ctrl_held_chooses_one_at_a_time(desk, window):
    desk.qtbot.keyPress(window, Qt.Key.Key_Control, CTRL)
    for _ in range(2):
        desk.qtbot.keyClick(window.composer.field, Qt.Key.Key_Tab, CTRL)
        assert len(window.conversation_list.view.chosen) == 1
    desk.qtbot.keyClick(window.composer.field, Qt.Key.Key_F2)
    assert window.conversation_list.view.is_editing


def test_a_reply_that_goes_on_elsewhere_is_marked(desk, window):
    desk.send("And ships?")
    boats = number_of(desk, "How do boats float?")
    assert window.conversation_list._model.busy == {boats}
    window.conversation_list.opened.emit(number_of(desk, "Why do rivers bend?"))
    assert window.conversation_list._model.busy == {boats}
    desk.engine.say("So do they.")
    desk.engine.finish()
    assert window.conversation_list._model.busy == frozenset()


def test_a_temporary_chat_says_everywhere_that_it_is_kept_nowhere(desk, window, tmp_path):
    desk.qtbot.keyClick(window.composer.field, Qt.Key.Key_N, CTRL | SHIFT)
    assert window.header.temporary_mark.isVisible()
    desk.talk("a secret zebra", "So be it.")
    assert titles(window)[:2] == ["Temporary, kept nowhere", "a secret zebra"]
    window.conversation_list.opened.emit(number_of(desk, "Why do rivers bend?"))
    assert not window.header.temporary_mark.isVisible()
    assert titles(window)[:2] == ["Temporary, kept nowhere", "a secret zebra"]
    window.close()
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"rivers bend" in written
    assert b"zebra" not in written


def test_a_temporary_chat_that_is_deleted_comes_back_too(desk, window):
    window.housekeeping.temporary_action.trigger()
    desk.talk("a secret", "So be it.")
    window.conversation_list.commands.delete.trigger()
    assert "a secret" not in titles(window)
    undo(window)
    assert titles(window)[:2] == ["Temporary, kept nowhere", "a secret"]


def test_dragging_over_the_window_writes_no_file(desk, window):
    from PySide6.QtGui import QDragEnterEvent

    from desktop.widgets.conversation_drag import ConversationMime

    asked: list[object] = []

    def make_files(*facts: object) -> list[Path]:
        asked.append(facts)
        return []

    mime = ConversationMime((1,), make_files)
    event = QDragEnterEvent(
        QPoint(5, 5), Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    event.ignore()
    window.dragEnterEvent(event)
    assert not event.isAccepted()
    assert asked == []


def test_after_a_renaming_the_keyboard_goes_on_in_the_list(desk, window):
    desk.qtbot.keyClick(window.composer.field, Qt.Key.Key_F2)
    type_name(desk, "Boats")
    assert window.conversation_list.view.hasFocus()
    desk.qtbot.keyClick(window.conversation_list.view, Qt.Key.Key_Delete)
    assert "Boats" not in titles(window)

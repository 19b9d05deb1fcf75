"""What a person does with messages, through the whole window."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from desktop.widgets.action_button import ActionButton, MessageAction
from desktop.widgets.message_editor import MessageEditor
from inference import FinishReason, ModelConfig, Sampling, Usage
from tests.desktop.fakes import OTHER_MODEL

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def window(desk):
    return desk.open()


def said(desk) -> list[str]:
    return [turn.message.content for turn in desk.window.session.turns]


def button(desk, kind: MessageAction, message: int = -1) -> ActionButton:
    """The button of a message that is seen."""
    QApplication.processEvents()
    view = desk.window.page.transcript
    controls = view._controls.of(view.messages()[message])
    assert controls is not None
    found: ActionButton | None = controls.action(kind)
    assert found is not None
    return found


def press(desk, kind: MessageAction, message: int = -1) -> None:
    QTest.mouseClick(button(desk, kind, message), Qt.MouseButton.LeftButton)


def editor(desk) -> MessageEditor:
    QApplication.processEvents()
    found: MessageEditor | None = desk.window.page.transcript._editing.editor
    assert found is not None
    return found


def write_over(desk, text: str) -> None:
    editor(desk).field.selectAll()
    QTest.keyClicks(editor(desk).field, text)


def menu_of(desk, message: int = -1) -> QMenu:
    menu = QMenu(desk.window)
    desk.window.turn_actions.fill(menu, desk.window.session.turns[message])
    return menu


def choose(menu: QMenu, *path: str) -> None:
    """Take the entry with these words, in the menus with these words before it."""
    *above, last = path
    for words in above:
        found = next(action for action in menu.actions() if action.text().startswith(words))
        menu = found.menu()  # type: ignore[assignment]  # it has one
    action = next(action for action in menu.actions() if action.text().startswith(last))
    assert action.isEnabled()
    action.trigger()


def test_a_reply_is_made_again_and_one_walks_between_the_two(window, desk):
    desk.talk("Why?", "Because.")
    press(desk, MessageAction.REGENERATE)
    desk.engine.say("Who knows.")
    desk.engine.finish()
    assert said(desk) == ["Why?", "Who knows."]
    assert button(desk, MessageAction.NEWER_BRANCH).accessibleName() == "The next branch, 2 of 2"
    press(desk, MessageAction.OLDER_BRANCH)
    assert said(desk) == ["Why?", "Because."]
    press(desk, MessageAction.OLDER_BRANCH)
    assert said(desk) == ["Why?", "Who knows."], "before the first comes the last"


def test_branches_are_walked_with_the_keyboard_alone(window, desk):
    desk.talk("Why?", "Because.")
    press(desk, MessageAction.REGENERATE)
    desk.engine.say("Who knows.")
    desk.engine.finish()
    button(desk, MessageAction.OLDER_BRANCH).setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(window.focusWidget(), Qt.Key.Key_Space)
    assert said(desk) == ["Why?", "Because."]
    QApplication.processEvents()
    focused = window.focusWidget()
    assert isinstance(focused, ActionButton)
    assert focused.action_kind is MessageAction.OLDER_BRANCH, "the focus goes along"
    QTest.keyClick(focused, Qt.Key.Key_Right)
    QTest.keyClick(window.focusWidget(), Qt.Key.Key_Return)
    assert said(desk) == ["Why?", "Who knows."]


def test_a_question_is_written_over_in_its_place_and_sent(window, desk):
    desk.talk("Why?", "Because.")
    press(desk, MessageAction.EDIT, 0)
    assert editor(desk).text == "Why?"
    write_over(desk, "How?")
    QTest.keyClick(editor(desk).field, Qt.Key.Key_Return)
    desk.engine.say("So.")
    desk.engine.finish()
    assert said(desk) == ["How?", "So."]
    assert window.composer.field.hasFocus()
    assert "edited" in window.page.transcript.plain_text()
    press(desk, MessageAction.OLDER_BRANCH, 0)
    assert said(desk) == ["Why?", "Because."]


def test_escape_leaves_a_message_as_it_was_and_the_focus_on_its_button(window, desk):
    desk.talk("Why?", "Because.")
    press(desk, MessageAction.EDIT, 0)
    write_over(desk, "How?")
    QTest.keyClick(editor(desk).field, Qt.Key.Key_Escape)
    assert window.page.transcript._editing.editor is None
    assert said(desk) == ["Why?", "Because."]
    focused = window.focusWidget()
    assert isinstance(focused, ActionButton)
    assert focused.action_kind is MessageAction.EDIT


def test_a_reply_is_written_over_and_kept(window, desk):
    desk.talk("Why?", "Because.")
    press(desk, MessageAction.EDIT)
    write_over(desk, "It just is.")
    QTest.keyClick(editor(desk).field, Qt.Key.Key_Return)
    QTest.keyClicks(editor(desk).field, "Really.")
    QTest.keyClick(editor(desk).field, Qt.Key.Key_Return, CONTROL)
    assert said(desk) == ["Why?", "It just is.\nReally."]


def test_what_cannot_be_sent_stays_in_the_editor(window, desk):
    desk.talk("Why?", "Because.")
    desk.models.eject()
    press(desk, MessageAction.EDIT, 0)
    write_over(desk, "How?")
    QTest.keyClick(editor(desk).field, Qt.Key.Key_Return)
    assert editor(desk).text == "How?"
    assert said(desk) == ["Why?", "Because."]


def test_a_stopped_reply_offers_to_go_on(window, desk):
    desk.send("Why?")
    desk.engine.say("Because ")
    desk.engine.finish(FinishReason.CANCELLED)
    assert "Continue" in window.page.transcript.plain_text()
    window.page.offer_taken.emit(0)
    assert "Because" in window.page.transcript.plain_text()
    desk.engine.say("it is so.")
    desk.engine.finish()
    assert said(desk) == ["Why?", "Because it is so."]
    assert "Because it is so." in window.page.transcript.plain_text()


def test_deleting_can_be_undone_in_the_notice(window, desk):
    desk.talk("one", "1")
    desk.talk("two", "2")
    choose(menu_of(desk, 2), "Delete this and all that follows")
    assert said(desk) == ["one", "1"]
    (notice,) = window.board.notices
    assert notice.text == "Deleted 2 messages."
    notice.action_button.click()
    assert said(desk) == ["one", "1", "two", "2"]
    assert window.board.notices == ()


def test_several_deletions_are_undone_one_after_the_other(window, desk):
    desk.talk("one", "1")
    choose(menu_of(desk), "Delete this message")
    choose(menu_of(desk), "Delete this message")
    assert said(desk) == []
    (notice,) = window.board.notices
    notice.action_button.click()
    assert said(desk) == ["one"]
    (notice,) = window.board.notices
    notice.action_button.click()
    assert said(desk) == ["one", "1"]


def test_undo_is_offered_in_its_own_conversation_only(window, desk):
    desk.talk("one", "1")
    choose(menu_of(desk), "Delete this message")
    desk.library.new()
    assert window.board.notices == ()


def test_a_reply_by_another_model_or_with_other_sampling(window, desk, tmp_path):
    desk.talk("Why?", "Because.")
    choose(menu_of(desk), "Regenerate", "With the likeliest words")
    assert desk.engine.requests[-1].sampling == Sampling(temperature=0)
    desk.engine.finish()
    other = tmp_path / "other.gguf"
    other.touch()
    desk.models.choose(other)
    desk.engine.ready(name="Other")
    desk.models.choose(OTHER_MODEL)
    desk.engine.ready(name="Third")
    choose(menu_of(desk), "Regenerate", "By other")
    assert desk.engine.requests[-1].model == ModelConfig(other)


def test_a_message_is_pinned_and_says_so(window, desk):
    desk.talk("Why?", "Because.")
    choose(menu_of(desk, 0), "Pin")
    assert window.session.turns[0].pinned
    assert "You · pinned" in window.page.transcript.plain_text()
    pin = next(action for action in menu_of(desk, 0).actions() if action.text().startswith("Pin"))
    assert pin.isChecked()


def test_the_whole_conversation_is_copied(window, desk):
    desk.talk("Why?", "Because **so**.")
    choose(menu_of(desk), "Copy the conversation")
    copied = QGuiApplication.clipboard().text()
    assert "Why?" in copied
    assert "Because **so**." in copied


def test_a_message_is_copied_as_markdown_and_as_text(window, desk):
    desk.talk("Why?", "Because **so**.")
    view = window.page.transcript
    menu = QMenu(desk.window)
    view.menus.add_actions(menu, view.messages()[-1])
    choose(menu, "Copy message as Markdown")
    assert QGuiApplication.clipboard().text() == "Because **so**."
    choose(menu, "Copy message as text")
    assert QGuiApplication.clipboard().text() == "Because so."


def test_the_details_of_a_reply_and_the_totals_stand_beside_it(window, desk):
    window.resize(1400, 700)
    desk.send("Why?")
    desk.engine.say("Because.")
    desk.engine.finish(usage=Usage(812, 774, 38))
    assert window.turn_actions.totals_button.text() == "812 tokens read, 38 written"
    choose(menu_of(desk), "Details")
    panel = window.panel
    assert panel is not None
    assert "774" in panel.text
    window.close_panel()
    window.turn_actions.totals_button.click()
    assert window.panel is panel


def test_before_anything_was_asked_there_are_no_totals(window, desk):
    assert window.turn_actions.totals_button.text() == ""
    assert not window.turn_actions.totals_button.isEnabled()


def test_while_a_reply_is_made_messages_are_only_copied(window, desk):
    desk.talk("Why?", "Because.")
    desk.send("And?")
    assert not button(desk, MessageAction.REGENERATE, 1).isEnabled()
    assert not button(desk, MessageAction.EDIT, 0).isEnabled()
    assert button(desk, MessageAction.COPY, 1).isEnabled()
    entries = {action.text(): action.isEnabled() for action in menu_of(desk, 1).actions() if action.text()}
    assert entries["Copy the conversation"]
    assert not entries["Delete this message"]
    desk.engine.finish()
    assert button(desk, MessageAction.REGENERATE, 1).isEnabled()


def test_a_request_that_waits_for_another_conversation_says_so_and_can_be_withdrawn(window, desk):
    desk.send("one")
    first = desk.engine.last
    desk.engine.say("1")
    desk.library.new()
    desk.send("two")
    assert "Waiting for its turn" in window.page.transcript.plain_text()
    window.stop_action.trigger()
    assert desk.engine.cancelled == [desk.engine.last]
    desk.engine.finish(FinishReason.CANCELLED)
    assert not window.session.is_busy
    desk.engine.say("!", request=first)
    desk.engine.finish(request=first)
    conversations = {each.title: each for each in desk.library.conversations()}
    desk.library.open(conversations["one"].id)
    assert said(desk) == ["one", "1!"]


def test_what_is_written_over_a_message_is_still_there_when_one_comes_back(window, desk):
    desk.talk("Why?", "Because.")
    first = window.session.conversation.id
    for message, words in ((0, "How come?"), (1, "Well, so.")):
        press(desk, MessageAction.EDIT, message)
        write_over(desk, words)
        desk.library.new()
        desk.library.open(first)
        assert editor(desk).text == words
        assert window.composer.field.hasFocus(), "who opens a conversation may write at once"
        QTest.keyClick(editor(desk).field, Qt.Key.Key_Escape)
        desk.library.new()
        desk.library.open(first)
        assert window.page.transcript._editing.editor is None, "left is left"


def test_an_editor_with_nothing_written_in_it_does_not_come_back(window, desk):
    desk.talk("Why?", "Because.")
    first = window.session.conversation.id
    press(desk, MessageAction.EDIT, 0)
    desk.library.new()
    desk.library.open(first)
    assert window.page.transcript._editing.editor is None


def test_walking_between_branches_below_leaves_the_editor_above_as_it_is(window, desk):
    desk.talk("Why?", "Because.")
    press(desk, MessageAction.REGENERATE)
    desk.engine.say("Who knows.")
    desk.engine.finish()
    press(desk, MessageAction.EDIT, 0)
    write_over(desk, "How come?")
    press(desk, MessageAction.OLDER_BRANCH)
    assert said(desk) == ["Why?", "Because."]
    assert editor(desk).text == "How come?"


def test_no_pill_leads_to_the_latest_text_where_all_of_it_is_seen(window, desk):
    desk.talk("Why?", "Because.")
    press(desk, MessageAction.EDIT, 1)
    pill = window.page.transcript._latest
    assert not pill.isVisible()
    editor(desk).field.setPlainText("line\n" * 40)
    desk.send("And then?")
    desk.engine.say("More.\n\n" * 60)
    QApplication.processEvents()
    window.page.transcript.verticalScrollBar().setValue(0)
    QApplication.processEvents()
    assert pill.isVisible()
    desk.engine.finish()


def test_while_a_reply_is_made_an_edit_waits_and_says_so(window, desk):
    desk.talk("Why?", "Because.")
    press(desk, MessageAction.EDIT, 0)
    write_over(desk, "How come?")
    desk.send("And then?")
    desk.engine.say("Then ")
    button = editor(desk).accept_button
    assert not button.isEnabled()
    assert button.toolTip() == "Possible when the reply has ended"
    QTest.keyClick(editor(desk).field, Qt.Key.Key_Return)
    assert editor(desk).text == "How come?", "nothing is lost"
    desk.engine.finish()
    assert button.isEnabled()
    QTest.keyClick(editor(desk).field, Qt.Key.Key_Return)
    assert said(desk) == ["How come?", ""]
    desk.engine.finish()


def test_what_was_deleted_can_be_brought_back_after_reading_elsewhere(window, desk):
    desk.talk("Why?", "Because.")
    desk.talk("Where?", "There.")
    kept = window.session.conversation.id
    choose(menu_of(desk), "Delete this message")
    choose(menu_of(desk, 0), "Delete this and all")
    for _ in range(2):
        desk.library.new()
        assert not window.board.notices, "the notice is about the conversation that is shown"
        desk.library.open(kept)
        desk.library.open(kept)
        assert [notice.text for notice in window.board.notices] == ["Deleted 3 messages."]
    window.editing.undo.trigger()
    assert said(desk) == ["Why?", "Because.", "Where?"]
    desk.library.new()
    desk.library.open(kept)
    window.editing.undo.trigger()
    assert said(desk) == ["Why?", "Because.", "Where?", "There."]
    desk.library.new()
    desk.library.open(kept)
    assert not window.board.notices


def test_who_puts_the_notice_away_is_not_asked_again(window, desk):
    desk.talk("Why?", "Because.")
    kept = window.session.conversation.id
    choose(menu_of(desk), "Delete this message")
    window.board.notices[-1].close_button.click()
    assert not window.session.can_undo
    desk.library.new()
    desk.library.open(kept)
    assert not window.board.notices
    assert said(desk) == ["Why?"]

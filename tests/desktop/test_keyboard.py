"""The transcript by keyboard: selecting, the caret, messages, links."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from desktop.conversations import TurnState
from desktop.widgets.transcript import Transcript
from tests.desktop.talk import LONG, Conversation, finished, grow, picture

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def press(view: Transcript, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier, times=1):
    for _ in range(times):
        QTest.keyClick(view, key, modifiers)


def test_shift_and_arrows_select_letters_words_and_lines_across_messages(transcript: Transcript, said: Conversation):
    transcript.show_turns([said.ask("One two"), said.answer("Three **four**"), said.ask("Five")])
    press(transcript, Qt.Key.Key_Right, SHIFT, 3)
    assert transcript.selected_text() == "One"
    press(transcript, Qt.Key.Key_Right, SHIFT | CONTROL, 2)
    assert transcript.selected_text() == "One two"
    press(transcript, Qt.Key.Key_Right, SHIFT, 6)
    assert transcript.selected_text() == "One two\n\nThree"
    press(transcript, Qt.Key.Key_Down, SHIFT)
    assert transcript.selected_text().startswith("One two\n\nThree four\n\nF")
    press(transcript, Qt.Key.Key_Up, SHIFT, 2)
    press(transcript, Qt.Key.Key_End, SHIFT)
    assert transcript.selected_text() == "One two"
    press(transcript, Qt.Key.Key_Home, SHIFT)
    assert transcript.selected_text() == ""


def test_the_whole_conversation_is_selected_to_its_ends(transcript: Transcript, said: Conversation):
    transcript.show_turns(
        [said.ask("One"), said.answer("| a | b |\n|--|--|\n| c | d |"), said.answer("```\ncode\n```")]
    )
    press(transcript, Qt.Key.Key_End, SHIFT | CONTROL)
    assert transcript.selected_text() == "One\n\na\tb\nc\td\n\ncode"
    press(transcript, Qt.Key.Key_Home, SHIFT | CONTROL)
    assert transcript.selected_text() == ""


def test_a_page_is_selected_and_comes_into_view(transcript: Transcript, said: Conversation):
    transcript.show_turns([said.answer(LONG)])
    press(transcript, Qt.Key.Key_Home)
    press(transcript, Qt.Key.Key_PageDown, SHIFT, 3)
    assert transcript.selected_text().count("Paragraph") > 10
    assert transcript._value > transcript.viewport().height()
    assert not transcript.following


def test_selecting_goes_on_through_text_that_nobody_has_read(transcript: Transcript, said: Conversation):
    transcript.show_turns([said.answer(LONG) for _ in range(5)])
    press(transcript, Qt.Key.Key_End, SHIFT)
    press(transcript, Qt.Key.Key_Up, SHIFT, 200)
    assert transcript.selected_text().count("Paragraph 59") >= 1
    assert transcript.selected_text().count("Paragraph") > 80


def test_a_carried_caret_moves_without_selecting(transcript: Transcript, said: Conversation):
    transcript.show_turns([said.answer("One two three")])
    transcript.setFocus()
    without = picture(transcript)
    press(transcript, Qt.Key.Key_F7)
    assert picture(transcript) != without
    press(transcript, Qt.Key.Key_Right, CONTROL)
    assert transcript.selected_text() == ""
    press(transcript, Qt.Key.Key_Right, CONTROL | SHIFT)
    assert transcript.selected_text() == "two "
    press(transcript, Qt.Key.Key_F7)
    press(transcript, Qt.Key.Key_Up)
    assert transcript.selected_text() == "two "


def test_a_selection_by_keyboard_stays_while_text_arrives(transcript: Transcript, said: Conversation):
    reply = said.answer("", TurnState.WRITING)
    transcript.show_turns([said.ask("First"), reply])
    grow(transcript, reply, "| a | b")
    press(transcript, Qt.Key.Key_End, CONTROL | SHIFT)
    before = transcript.selected_text()
    text = "| a | b"
    for piece in (" |\n", "|--|", "--|\n", "| 1 |", " 2 |\n\n", "```\nx", "\n```\n\nEnd"):
        text += piece
        grow(transcript, reply, piece)
        assert transcript.selected_text().startswith("First\n\na\tb"), before
    transcript.change_turn(finished(reply, text))
    assert transcript.selected_text().startswith("First\n\na\tb")


def test_everything_that_was_selected_is_not_more_when_more_arrives(transcript: Transcript, said: Conversation):
    reply = said.answer("", TurnState.WRITING)
    transcript.show_turns([reply])
    grow(transcript, reply, "One two")
    transcript.select_all()
    grow(transcript, reply, " three")
    assert transcript.selected_text() == "One two"


def test_control_and_arrows_step_from_message_to_message(transcript: Transcript, said: Conversation):
    transcript.show_turns([said.ask("One"), said.answer(LONG), said.ask("Three"), said.answer(LONG)])
    transcript.setFocus()
    press(transcript, Qt.Key.Key_Home)
    press(transcript, Qt.Key.Key_Down, CONTROL)
    assert transcript.focused_message() is transcript.messages()[1]
    press(transcript, Qt.Key.Key_Down, CONTROL, 2)
    assert transcript.focused_message() is transcript.messages()[3]
    assert transcript._value == transcript._rows.tops[3]
    press(transcript, Qt.Key.Key_Up, CONTROL)
    assert transcript.focused_message() is transcript.messages()[2]
    shown = QAccessible.queryAccessibleInterface(transcript)
    assert shown.focusChild().text(QAccessible.Text.Name) == "You\nThree"
    assert shown.focusChild().state().focused
    press(transcript, Qt.Key.Key_Right, SHIFT, 5)
    assert transcript.selected_text() == "Three"


def test_the_message_that_the_keyboard_is_on_is_seen(transcript: Transcript, said: Conversation, theme):
    transcript.show_turns([said.ask("One"), said.answer("Two")])
    transcript.setFocus(Qt.FocusReason.OtherFocusReason)
    before = picture(transcript)
    transcript.clearFocus()
    transcript.setFocus(Qt.FocusReason.TabFocusReason)
    assert picture(transcript) != before


def test_tab_goes_from_link_to_link_and_return_asks_for_it(transcript: Transcript, said: Conversation, qtbot: QtBot):
    transcript.show_turns([said.answer("[one](https://a.org/1) and\n\n| t |\n|--|\n| [two](https://a.org/2) |")])
    transcript.setFocus()
    before = picture(transcript)
    press(transcript, Qt.Key.Key_Tab)
    assert picture(transcript) != before
    with qtbot.waitSignal(transcript.link_activated) as asked:
        press(transcript, Qt.Key.Key_Return)
    assert asked.args == ["https://a.org/1"]
    press(transcript, Qt.Key.Key_Tab)
    with qtbot.waitSignal(transcript.link_activated) as asked:
        press(transcript, Qt.Key.Key_Return)
    assert asked.args == ["https://a.org/2"]
    press(transcript, Qt.Key.Key_Backtab, SHIFT)
    with qtbot.waitSignal(transcript.link_activated) as asked:
        press(transcript, Qt.Key.Key_Return)
    assert asked.args == ["https://a.org/1"]


def test_return_opens_the_link_under_the_caret(transcript: Transcript, said: Conversation, qtbot: QtBot):
    transcript.show_turns([said.answer("[one](https://a.org/1) and")])
    press(transcript, Qt.Key.Key_F7)
    with qtbot.waitSignal(transcript.link_activated) as asked:
        press(transcript, Qt.Key.Key_Return)
    assert asked.args == ["https://a.org/1"]


def test_tab_leads_on_to_the_controls_behind_the_last_link(transcript: Transcript, said: Conversation):
    transcript.show_turns([said.answer("[one](https://a.org/1)")])
    transcript.setFocus()
    press(transcript, Qt.Key.Key_Tab)
    press(transcript, Qt.Key.Key_Tab)
    assert not transcript.hasFocus()


@pytest.mark.parametrize("key", [Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_End, Qt.Key.Key_PageDown])
@pytest.mark.parametrize("text", ["", "سلام دنیا", "😀👩‍👩‍👧 漢字", "- \n- x", "---", "```\n```", "| |\n|--|"])
def test_no_text_keeps_the_caret_from_moving_or_loses_it(transcript: Transcript, said: Conversation, key, text):
    transcript.show_turns([said.answer(text), said.ask("Question"), said.answer("")])
    press(transcript, key, SHIFT, 20)
    press(transcript, Qt.Key.Key_Home, SHIFT | CONTROL)
    press(transcript, Qt.Key.Key_End, SHIFT | CONTROL)
    transcript.copy()
    assert "Question" in QGuiApplication.clipboard().text()

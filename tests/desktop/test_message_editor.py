"""The editor in a message's place."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from desktop.theme import load_theme
from desktop.widgets.message_editor import MessageEditor

LIGHT = load_theme("light")


@pytest.fixture
def editor_of(qtbot):
    parent = QWidget()
    qtbot.addWidget(parent)
    parent.show()

    def make(text: str, *, is_reply: bool = False) -> MessageEditor:
        editor = MessageEditor(LIGHT, text, parent, is_reply=is_reply)
        editor.setFixedWidth(400)
        editor.setFixedHeight(editor.wanted_height)
        editor.show()
        QApplication.processEvents()
        return editor

    return make


def accepted_by(editor: MessageEditor) -> list[str]:
    texts: list[str] = []
    editor.accepted.connect(texts.append)
    return texts


def test_enter_sends_a_question_and_shift_enter_begins_a_line(editor_of):
    editor = editor_of("Why?")
    texts = accepted_by(editor)
    QTest.keyClick(editor.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClicks(editor.field, "Now.")
    QTest.keyClick(editor.field, Qt.Key.Key_Return)
    assert texts == ["Why?\nNow."]


def test_in_a_reply_enter_begins_a_line_and_control_enter_is_done(editor_of):
    editor = editor_of("Because.", is_reply=True)
    texts = accepted_by(editor)
    QTest.keyClick(editor.field, Qt.Key.Key_Return)
    QTest.keyClicks(editor.field, "So.")
    QTest.keyClick(editor.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert texts == ["Because.\nSo."]


def test_escape_and_the_button_leave_it(editor_of, qtbot):
    editor = editor_of("Why?")
    with qtbot.waitSignal(editor.left):
        QTest.keyClick(editor.field, Qt.Key.Key_Escape)
    with qtbot.waitSignal(editor.left):
        editor.leave_button.click()


def test_nothing_is_not_sent(editor_of):
    editor = editor_of("Why?")
    texts = accepted_by(editor)
    editor.field.selectAll()
    QTest.keyClick(editor.field, Qt.Key.Key_Delete)
    assert not editor.accept_button.isEnabled()
    QTest.keyClick(editor.field, Qt.Key.Key_Return)
    assert texts == []


def test_enter_ends_what_an_input_method_composes_and_sends_nothing(editor_of):
    editor = editor_of("Why?")
    texts = accepted_by(editor)
    QApplication.sendEvent(editor.field, QInputMethodEvent("かな", []))
    QTest.keyClick(editor.field, Qt.Key.Key_Return)
    assert texts == []


def test_it_is_as_tall_as_its_text_up_to_a_limit(editor_of):
    one, three = editor_of("a").wanted_height, editor_of("a\nb\nc").wanted_height
    many, more = editor_of("a\n" * 40).wanted_height, editor_of("a\n" * 80).wanted_height
    assert one < three < many == more


def test_more_lines_say_that_it_is_taller(editor_of, qtbot):
    editor = editor_of("a", is_reply=True)
    before = editor.wanted_height
    with qtbot.waitSignal(editor.height_changed):
        QTest.keyClick(editor.field, Qt.Key.Key_Return)
    assert editor.wanted_height > before


def test_a_word_without_end_is_edited_without_delay(editor_of):
    editor = editor_of("a" * 200_000)
    QTest.keyClicks(editor.field, "b")
    assert editor.text.endswith("ab")

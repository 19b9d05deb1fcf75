"""The copy button of each code box."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from desktop.conversations import TurnState
from desktop.widgets.code_buttons import CodeButton
from desktop.widgets.transcript import Transcript
from tests.desktop.talk import Conversation, grow, picture

CODE = "```python\nx = 1\ny = 2\n```"


def buttons(view: Transcript) -> list[CodeButton]:
    QApplication.sendPostedEvents(None, 0)
    return [button for button in view.findChildren(CodeButton) if button.isVisible()]


def test_each_code_box_has_a_button_that_copies_its_code(transcript: Transcript, said: Conversation):
    transcript.show_turns([said.answer(f"{CODE}\n\nand\n\n```\nplain\n```")])
    first, second = sorted(buttons(transcript), key=lambda button: button.y())
    assert first.accessibleName() == "Copy the python code"
    QTest.mouseClick(first, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == "x = 1\ny = 2\n"
    second.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(second, Qt.Key.Key_Space)
    assert QGuiApplication.clipboard().text() == "plain\n"


def test_it_copies_all_of_a_long_code_and_stays_in_sight(transcript: Transcript, said: Conversation):
    code = "".join(f"line {number}\n" for number in range(300))
    transcript.show_turns([said.answer(f"```py\n{code}```")])
    transcript.verticalScrollBar().setValue(transcript.verticalScrollBar().maximum() // 2)
    (button,) = buttons(transcript)
    assert 0 <= button.y() < transcript.viewport().height()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == code


def test_it_shows_itself_on_hover_and_focus_and_moves_nothing(transcript: Transcript, said: Conversation):
    transcript.show_turns([said.answer(CODE)])
    (button,) = buttons(transcript)
    hidden = picture(transcript)
    QTest.mouseMove(transcript.viewport(), button.geometry().center() - QPoint(button.width(), -30))
    shown = picture(transcript)
    assert shown != hidden
    QTest.mouseMove(transcript.viewport(), QPoint(2, 490))
    button.setFocus(Qt.FocusReason.TabFocusReason)
    assert picture(transcript) != hidden


def test_arrow_keys_upon_it_move_the_code_sideways(transcript: Transcript, said: Conversation):
    transcript.show_turns([said.answer("```\n" + "x" * 300 + "\n```")])
    (button,) = buttons(transcript)
    button.setFocus(Qt.FocusReason.TabFocusReason)
    before = picture(transcript)
    QTest.keyClick(button, Qt.Key.Key_Right)
    assert picture(transcript) != before
    QTest.keyClick(button, Qt.Key.Key_Left)
    assert picture(transcript) == before


def test_code_that_is_being_written_can_be_copied(transcript: Transcript, said: Conversation):
    reply = said.answer("", TurnState.WRITING)
    transcript.show_turns([reply])
    grow(transcript, reply, "```py\nx = 1\n")
    (button,) = buttons(transcript)
    grow(transcript, reply, "y = 2\n")
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == "x = 1\ny = 2\n"


def test_tab_goes_from_top_to_bottom(transcript: Transcript, said: Conversation):
    transcript.show_turns([said.think("Hm.", CODE), said.answer(CODE)])
    places = []
    widget = transcript.nextInFocusChain()
    while widget is not None and widget is not transcript:
        is_stop = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.isVisible()
        if is_stop and widget.parent() is transcript.viewport():
            places.append((widget.y(), widget.x()))
        widget = widget.nextInFocusChain()
    assert places == sorted(places)
    assert len(places) == 5

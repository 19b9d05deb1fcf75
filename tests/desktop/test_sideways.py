from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from desktop.widgets.transcript import Transcript
from tests.desktop.talk import Conversation, picture, wheel


@pytest.mark.parametrize("width", [400, 900])
def test_wide_code_scrolls_sideways_in_its_box(transcript: Transcript, said: Conversation, qtbot: QtBot, width: int):
    transcript.resize(width, 300)
    transcript.show_turns([said.answer("```\n" + "x" * 400 + "\n" + "y\n" * 20 + "```")])
    before = picture(transcript)
    wheel(transcript, -2, shift=True)
    assert picture(transcript) != before
    QTest.keyClick(transcript, Qt.Key.Key_Left)
    QTest.keyClick(transcript, Qt.Key.Key_Left)
    assert picture(transcript) == before

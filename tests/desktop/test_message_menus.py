from __future__ import annotations

from PySide6.QtCore import QPoint

from desktop.widgets.transcript import Transcript
from tests.desktop.talk import Conversation


def test_the_menu_offers_both_ways_to_copy(transcript: Transcript, said: Conversation):
    transcript.show_turns([said.answer("Text")])
    menu = transcript.menus.at(transcript.in_text(QPoint(200, 60)))
    offered = {action.text(): action.isEnabled() for action in menu.actions()}
    assert offered["Copy"] is False
    transcript.select_all()
    menu = transcript.menus.at(transcript.in_text(QPoint(200, 60)))
    offered = {action.text(): action.isEnabled() for action in menu.actions()}
    assert offered["Copy"] is True
    assert any(text.startswith("Copy as Markdown") and enabled for text, enabled in offered.items())

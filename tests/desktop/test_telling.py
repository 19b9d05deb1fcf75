from __future__ import annotations

import gc

from PySide6.QtGui import QAccessible

from desktop.widgets.transcript import Transcript
from tests.desktop.talk import Conversation


def test_assistive_technology_sees_a_list_of_messages(transcript: Transcript, said: Conversation):
    transcript.show_turns([said.ask("Why?"), said.answer("Because of **it**.")])
    shown = QAccessible.queryAccessibleInterface(transcript)
    assert shown.role() is QAccessible.Role.List
    assert shown.text(QAccessible.Text.Name) == "Conversation"
    items = [shown.child(index) for index in range(shown.childCount())]
    assert [item.text(QAccessible.Text.Name) for item in items] == ["You\nWhy?", "SmolLM2\nBecause of it."]
    assert [item.role() for item in items] == [QAccessible.Role.ListItem] * 2
    assert items[0].rect().bottom() <= items[1].rect().top()
    place = items[1].rect().center()
    assert shown.indexOfChild(shown.childAt(place.x(), place.y())) == 1
    transcript.show_turns([])
    assert QAccessible.queryAccessibleInterface(transcript).childCount() == 0


def test_descriptions_outlive_collections_of_garbage(transcript: Transcript, said: Conversation):
    for _ in range(20):
        transcript.show_turns([said.ask("Why?"), said.answer("So.")])
        shown = QAccessible.queryAccessibleInterface(transcript)
        names = [shown.child(index).text(QAccessible.Text.Name) for index in range(2)]
        gc.collect()
        assert names == ["You\nWhy?", "SmolLM2\nSo."]

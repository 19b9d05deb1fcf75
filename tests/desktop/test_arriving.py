"""Text that arrives, drawn together."""

from __future__ import annotations

from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from desktop.widgets.arriving import Arriving


def test_what_comes_in_one_turn_of_the_event_loop_is_drawn_together_and_in_order(qtbot: QtBot):
    drawn: list[tuple[int, str, bool]] = []
    owner = QObject()
    arriving = Arriving(lambda turn, text, is_thought: drawn.append((turn, text, is_thought)), owner)
    for turn, text, is_thought in ((1, "a", True), (1, "b", True), (1, "c", False), (2, "d", False), (1, "e", False)):
        arriving.take(turn, text, is_thought=is_thought)
    assert drawn == []
    qtbot.waitUntil(lambda: bool(drawn))
    assert drawn == [(1, "ab", True), (1, "c", False), (2, "d", False), (1, "e", False)]


def test_what_is_forgotten_is_not_drawn(qtbot: QtBot):
    drawn: list[str] = []
    owner = QObject()
    arriving = Arriving(lambda turn, text, is_thought: drawn.append(text), owner)
    arriving.take(1, "a", is_thought=False)
    arriving.clear()
    arriving.take(1, "b", is_thought=False)
    arriving.flush()
    arriving.flush()
    assert drawn == ["b"]

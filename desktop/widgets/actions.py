"""How an action is made: its words, what it does, and the keys that do it too."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QKeySequence

Key = QKeySequence | QKeySequence.StandardKey | Qt.Key | str


def make_action(
    parent: QObject, text: str, slot: Callable[..., object], *keys: Key, checkable: bool = False
) -> QAction:
    """Of a standard key it gets the first that the platform has for it."""
    # The text by its name: `QAction(text, parent)` may be one with an icon, and PySide6 would make `QIcon` to find out.
    action = QAction(parent, text=text, checkable=checkable)
    action.triggered.connect(slot)
    action.setShortcuts([QKeySequence(key) for key in keys])
    return action

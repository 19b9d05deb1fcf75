"""How wide a conversation runs: its text, and the composer and notices that stand in line with it."""

from __future__ import annotations

from PySide6.QtGui import QFontMetrics

from desktop.theme import message_font

TEXT_COLUMN = 72  # average characters of the text
BUBBLE_SIDE = 16  # from there to the edge of the bubble around a question


def column_width() -> int:
    """The column of text and the bubble around it."""
    return TEXT_COLUMN * QFontMetrics(message_font()).averageCharWidth() + 2 * BUBBLE_SIDE

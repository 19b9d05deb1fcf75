"""How wide a conversation runs: its text, and the composer and notices that stand in line with it."""

from __future__ import annotations

from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop.theme import message_font

TEXT_COLUMN = 72  # average characters of the text
BUBBLE_SIDE = 16  # from there to the edge of the bubble around a question


def column_width() -> int:
    """The column of text and the bubble around it."""
    return TEXT_COLUMN * QFontMetrics(message_font()).averageCharWidth() + 2 * BUBBLE_SIDE


def in_the_middle(widget: QWidget, margins: tuple[int, int, int, int]) -> QHBoxLayout:
    """A row that holds `widget` in its middle, no wider than the column."""
    row = QHBoxLayout()
    row.setContentsMargins(*margins)
    widget.setMaximumWidth(column_width())
    row.addStretch(1)
    row.addWidget(widget, 1000)
    row.addStretch(1)
    return row

"""A plain area in the colour that text stands on."""

from __future__ import annotations

from PySide6.QtCore import QRect
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from desktop.theme import Theme
from desktop.widgets.painting import fill


class Surface(QWidget):
    """With a hairline below it where asked for."""

    def __init__(self, theme: Theme, *, line_below: bool = False) -> None:
        super().__init__()
        self._theme = theme
        self._line_below = line_below

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        fill(painter, self.rect(), self._theme.surface)
        if self._line_below:
            fill(painter, QRect(0, self.height() - 1, self.width(), 1), self._theme.border)
        painter.end()

"""A line to type in, in the theme's colours."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QLineEdit

from desktop.theme import Theme, control_font
from desktop.widgets.buttons import HEIGHT
from desktop.widgets.painting import paint_box, paint_focus_ring


class LineField(QLineEdit):
    """A line to type in, in the theme's colours."""

    def __init__(self, theme: Theme, name: str, hint: str) -> None:
        super().__init__()
        self._theme = theme
        self.setAccessibleName(name)
        self.setPlaceholderText(hint)
        self.setFont(control_font())
        self.setFrame(False)
        self.setTextMargins(8, 0, 8, 0)
        self.setFixedHeight(HEIGHT)
        self.setMinimumWidth(60)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Base, Qt.GlobalColor.transparent)
        palette.setColor(QPalette.ColorRole.Text, theme.text)
        palette.setColor(QPalette.ColorRole.PlaceholderText, theme.muted)
        self.setPalette(palette)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        focused = self.hasFocus()
        paint_box(painter, self.rect(), fill=self._theme.surface, edge=None if focused else self._theme.field_edge)
        if focused:
            paint_focus_ring(painter, self.rect(), self._theme.accent)
        painter.end()
        super().paintEvent(event)

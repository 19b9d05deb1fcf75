"""A line to type in, in the theme's colours."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QLineEdit

from desktop.theme import Theme, control_font
from desktop.widgets.buttons import HEIGHT
from desktop.widgets.painting import paint_field


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
        paint_field(painter, self.rect(), self._theme, focused=self.hasFocus())
        painter.end()
        super().paintEvent(event)

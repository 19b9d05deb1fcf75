"""A button that shows itself to the eye only while it is wanted."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QToolButton, QWidget

from desktop.theme import Theme

_ANSWER_SHOWN = 1500  # milliseconds


class QuietButton(QToolButton):
    """It is there for the keyboard always, for the eye while it is wanted; its place stays free meanwhile."""

    def __init__(self, theme: Theme, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._is_wanted = False
        self._answer = QTimer(self)
        self._answer.setSingleShot(True)
        self._answer.setInterval(_ANSWER_SHOWN)
        self._answer.timeout.connect(self.update)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    @property
    def is_shown(self) -> bool:
        """Whether the eye sees it."""
        return self._is_wanted or self.hasFocus() or self.underMouse() or self._says_done

    @property
    def _says_done(self) -> bool:
        return self._answer.isActive()

    def set_wanted(self, *, wanted: bool) -> None:
        """Whether the eye is to see it."""
        if wanted != self._is_wanted:
            self._is_wanted = wanted
            self.update()

    def say_done(self) -> None:
        """Show for a moment that it was done."""
        self._answer.start()
        self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

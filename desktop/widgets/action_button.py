"""A button for something to be done with a message: an icon that shows itself when it is wanted."""

from __future__ import annotations

from enum import StrEnum

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from desktop.theme import Theme, paint_icon
from desktop.widgets.painting import paint_box, paint_focus_ring
from desktop.widgets.quiet_button import QuietButton

SIZE = 28
_ICON = 18


class MessageAction(StrEnum):
    """What is done; the value names the icon."""

    OLDER_BRANCH = "chevron-left"
    NEWER_BRANCH = "chevron-right"
    COPY = "copy"
    REGENERATE = "regenerate"
    EDIT = "edit"
    MORE = "more"


class ActionButton(QuietButton):
    """An icon, which becomes a tick for a moment when it was done."""

    focus_changed = Signal()
    sideways = Signal(int)  # an arrow key: -1 to the left, 1 to the right

    def __init__(self, theme: Theme, action: MessageAction, words: str, name: str, parent: QWidget) -> None:
        """`words` say what it does; `name` says of what message as well."""
        super().__init__(theme, name, parent)
        self.action_kind = action
        self.setToolTip(words)
        self.resize(SIZE, SIZE)

    def sizeHint(self) -> QSize:
        return QSize(SIZE, SIZE)

    def paintEvent(self, _event: QPaintEvent) -> None:
        if not self.is_shown:
            return
        painter = QPainter(self)
        pointed = self.isEnabled() and (self.underMouse() or self.isDown())
        if pointed:
            paint_box(painter, self.rect(), fill=self._theme.bubble, corner=6)
        ink = self._theme.text if pointed else self._theme.muted if self.isEnabled() else self._theme.border
        name = "check" if self._says_done else self.action_kind.value
        inset = (SIZE - _ICON) / 2
        paint_icon(painter, name, ink, QRectF(inset, inset, _ICON, _ICON))
        if self.hasFocus():
            paint_focus_ring(painter, self.rect(), self._theme.accent, 6)
        painter.end()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Left:
                self.sideways.emit(-1)
            case Qt.Key.Key_Right:
                self.sideways.emit(1)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.click()
            case _:
                super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focus_changed.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.focus_changed.emit()

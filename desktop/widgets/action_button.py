"""A button for something to be done with a message: an icon that shows itself when it is wanted."""

from __future__ import annotations

from enum import StrEnum

from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolButton, QWidget

from desktop.theme import Theme, paint_icon
from desktop.widgets.painting import paint_box, paint_focus_ring

SIZE = 28
_ICON = 18
_ANSWER_SHOWN = 1500  # milliseconds


class MessageAction(StrEnum):
    """What is done; the value names the icon."""

    OLDER_BRANCH = "chevron-left"
    NEWER_BRANCH = "chevron-right"
    COPY = "copy"
    REGENERATE = "regenerate"
    EDIT = "edit"
    MORE = "more"


class ActionButton(QToolButton):
    """It is there for the keyboard always, for the eye while it is wanted; its place stays free meanwhile."""

    focus_changed = Signal()
    sideways = Signal(int)  # an arrow key: -1 to the left, 1 to the right

    def __init__(self, theme: Theme, action: MessageAction, words: str, name: str, parent: QWidget) -> None:
        """`words` say what it does; `name` says of what message as well."""
        super().__init__(parent)
        self.action_kind = action
        self._theme = theme
        self._is_wanted = False
        self._answer = QTimer(self)
        self._answer.setSingleShot(True)
        self._answer.setInterval(_ANSWER_SHOWN)
        self._answer.timeout.connect(self.update)
        self.setToolTip(words)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.resize(SIZE, SIZE)

    @property
    def is_shown(self) -> bool:
        """Whether the eye sees it."""
        return self._is_wanted or self.hasFocus() or self.underMouse() or self._answer.isActive()

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
        name = "check" if self._answer.isActive() else self.action_kind.value
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

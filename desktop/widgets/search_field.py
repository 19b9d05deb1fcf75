"""Where one types what to look for in all conversations."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QCursor, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from desktop.theme import Theme, paint_icon
from desktop.widgets.buttons import HEIGHT, Button
from desktop.widgets.line_field import LineField

PAUSE_MS = 120  # between the last key and the search
_ICON = 16
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class SearchField(LineField):
    """Says what is wanted when somebody pauses. Escape empties it, once more leaves it; Down goes to what was found."""

    wanted = Signal(str)  # these words; none any more, where it is empty
    left = Signal()
    down_pressed = Signal()
    enter_pressed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, self.tr("Search all conversations (Ctrl+K)"), self.tr("Search"))
        self.setParent(parent)
        self.setToolTip(self.accessibleName())
        self._said = ""
        self.clear_button = Button(theme, name=self.tr("Empty the search"), icon_name="close", parent=self)
        self.clear_button.setFixedSize(HEIGHT - 4, HEIGHT - 4)
        self.clear_button.setCursor(QCursor())  # the arrow, made without a picture
        self.clear_button.clicked.connect(self._empty)
        self.clear_button.hide()
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self.search_now)
        self.textChanged.connect(self._on_text)
        self._set_margins()

    @property
    def words(self) -> str:
        """What is to be looked for."""
        return " ".join(self.text().split())

    @property
    def said(self) -> str:
        """What is looked for: what is typed, as soon as there was a pause."""
        return self._said

    def search_now(self) -> None:
        """Say what is wanted without waiting for a pause; what was said last is not said again."""
        self._pause.stop()
        if self.words != self._said:
            self._said = self.words
            self.wanted.emit(self.words)

    def search_again(self) -> None:
        """What is there has changed: say it anew."""
        if self._said:
            self.wanted.emit(self._said)

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        if hasattr(self, "clear_button"):
            self.clear_button.set_theme(theme)

    def event(self, event: QEvent) -> bool:
        # Escape is for this field as long as it has something to give up, whatever it means in the window.
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Escape
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._give_up()
        elif event.key() == Qt.Key.Key_Down:
            self.search_now()
            self.down_pressed.emit()
        elif event.key() in _ENTER:
            self.search_now()
            self.enter_pressed.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        left = 2 if self.isRightToLeft() else self.width() - self.clear_button.width() - 2
        self.clear_button.move(left, 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        left = self.width() - 8 - _ICON if self.isRightToLeft() else 8
        paint_icon(painter, "search", self._theme.muted, QRectF(left, (self.height() - _ICON) / 2, _ICON, _ICON))
        painter.end()

    def _set_margins(self) -> None:
        before, after = 8 + _ICON + 8 - 4, HEIGHT
        if self.isRightToLeft():
            before, after = after, before
        self.setTextMargins(before, 0, after, 0)

    def _on_text(self) -> None:
        self.clear_button.setVisible(bool(self.text()))
        if self.words:
            self._pause.start()
        else:
            self.search_now()

    def _empty(self) -> None:
        self.clear()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def _give_up(self) -> None:
        if self.text():
            self.clear()
        else:
            self.left.emit()

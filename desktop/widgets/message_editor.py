"""The editor that takes a message's place while it is written over."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import ceil
from typing import cast

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFontMetrics,
    QInputMethodEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QTextCursor,
    QTextOption,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from desktop.theme import Theme, message_font, scroll_bar_style
from desktop.widgets.buttons import Button, ButtonKind
from desktop.widgets.message_view import MessageView
from desktop.widgets.painting import paint_field

MARGIN = 8
_MOST_LINES = 16
_FOOT = 40
_ENDLESS = 1_000


class MessageEditor(QFrame):
    """A question is sent with Enter, as in the composer; in a reply that begins a new line, and Ctrl+Enter is done.
    Escape leaves everything as it was."""

    accepted = Signal(str)
    left = Signal()
    height_changed = Signal()

    def __init__(self, theme: Theme, text: str, parent: QWidget, *, is_reply: bool) -> None:
        super().__init__(parent)
        self._theme = theme
        self._is_reply = is_reply
        self._is_busy = False
        self.field = _Field(text, sends_on_enter=not is_reply)
        self.field.setAccessibleName(self.tr("Edit the reply") if is_reply else self.tr("Edit the message"))
        self.field.setAccessibleDescription(self._hint())
        words = self.tr("Save") if is_reply else self.tr("Send")
        self.accept_button = Button(theme, text=words, kind=ButtonKind.PRIMARY)
        self.accept_button.setToolTip(self._hint())
        self.leave_button = Button(theme, text=self.tr("Cancel"), kind=ButtonKind.OUTLINED)
        self._lay_out()
        self._connect()
        self.set_theme(theme)

    @property
    def text(self) -> str:
        return self.field.toPlainText()

    @property
    def wanted_height(self) -> int:
        """As tall as the text needs, up to a limit, from where on it scrolls."""
        lines = max(1, min(_MOST_LINES, self._lines))
        spacing = QFontMetrics(self.field.font()).lineSpacing()
        return lines * spacing + 2 * ceil(self.field.document().documentMargin()) + _FOOT + 2 * MARGIN

    @property
    def _lines(self) -> int:
        return round(self.field.document().size().height())  # this layout counts in lines

    def set_busy(self, *, busy: bool) -> None:
        """While a reply is being made nothing is sent or saved; writing goes on."""
        self._is_busy = busy
        self.accept_button.setToolTip(self.tr("Possible when the reply has ended") if busy else self._hint())
        self._show_whether_possible()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.field.verticalScrollBar().setStyleSheet(scroll_bar_style(theme))
        for button in (self.accept_button, self.leave_button):
            button.set_theme(theme)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_field(painter, self.rect(), self._theme, focused=self.field.hasFocus())
        painter.end()

    def _lay_out(self) -> None:
        foot = QHBoxLayout()
        foot.setContentsMargins(0, 0, 0, 0)
        foot.setSpacing(8)
        foot.addStretch(1)
        foot.addWidget(self.leave_button)
        foot.addWidget(self.accept_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        column.setSpacing(8)
        column.addWidget(self.field, 1)
        column.addLayout(foot)

    def _connect(self) -> None:
        self.field.wanted.connect(self._accept)
        self.field.left.connect(self.left)
        self.field.focus_changed.connect(self.update)
        self.field.textChanged.connect(self._show_whether_possible)
        self.field.document().documentLayout().documentSizeChanged.connect(self._on_size)
        self.accept_button.clicked.connect(self._accept)
        self.leave_button.clicked.connect(self.left)

    def _on_size(self) -> None:
        bars = Qt.ScrollBarPolicy
        self.field.setVerticalScrollBarPolicy(
            bars.ScrollBarAsNeeded if self._lines > _MOST_LINES else bars.ScrollBarAlwaysOff
        )
        self.height_changed.emit()

    def _show_whether_possible(self) -> None:
        self.accept_button.setEnabled(not self._is_busy and bool(self.text.strip()))

    def _accept(self) -> None:
        if self.accept_button.isEnabled():
            self.accepted.emit(self.text)

    def _hint(self) -> str:
        if self._is_reply:
            return self.tr("Ctrl+Enter saves, Escape leaves it as it was")
        return self.tr("Enter sends, Shift+Enter begins a new line, Escape leaves it as it was")


class Editing:
    """At most one message is written over at a time. `lay_out` is asked to lay out a message whose height is another,
    `edited` is told the turn and what it is to say, and `left` that nothing came of it."""

    def __init__(
        self,
        parent: QWidget,
        lay_out: Callable[[MessageView], None],
        edited: Callable[[int, str], object],
        left: Callable[[int], object],
    ) -> None:
        self._parent = parent
        self._lay_out = lay_out
        self._edited = edited
        self._left = left
        self._editor: MessageEditor | None = None
        self._message: MessageView | None = None
        self._is_busy = False

    @property
    def editor(self) -> MessageEditor | None:
        """What stands in the message's place, while there is something."""
        return self._editor

    @property
    def message(self) -> MessageView | None:
        """The message that is written over."""
        return self._message

    @property
    def begun(self) -> tuple[int, str] | None:
        """Its turn, and what it is to say so far; `None` where that is what it says."""
        editor, message = self._editor, self._message
        if editor is None or message is None or editor.text == message.turn.message.content:
            return None
        return message.turn.id, editor.text

    def begin(self, message: MessageView, theme: Theme, width: int, text: str | None = None) -> None:
        """Put an editor in the place of this message, with `text` in it or what it says."""
        self.end()
        said = message.turn.message.content if text is None else text
        editor = MessageEditor(theme, said, self._parent, is_reply=message.turn.is_reply)
        editor.setFixedWidth(width)
        editor.set_busy(busy=self._is_busy)
        self._editor, self._message = editor, message
        editor.show()
        self._make_room()
        editor.height_changed.connect(self._make_room)
        editor.accepted.connect(self._accept)
        editor.left.connect(self._leave)
        editor.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def end(self) -> None:
        """Show the message again, as it was."""
        editor, message = self._editor, self._message
        self._editor = self._message = None
        if editor is not None and message is not None:
            editor.hide()
            editor.deleteLater()
            message.set_room(None)
            self._lay_out(message)

    def place(self, corner: QPoint, width: int) -> None:
        """Put the editor where its message's text would be, `corner` being that of the message."""
        if self._editor is not None and self._message is not None:
            self._editor.setFixedWidth(width)
            self._editor.move(corner + QPoint(0, self._message.body_top))

    def set_busy(self, *, busy: bool) -> None:
        """Whether a reply is being made."""
        self._is_busy = busy
        if self._editor is not None:
            self._editor.set_busy(busy=busy)

    def set_theme(self, theme: Theme) -> None:
        if self._editor is not None:
            self._editor.set_theme(theme)

    def _make_room(self) -> None:
        editor, message = self._editor, self._message
        if editor is not None and message is not None:
            height = editor.wanted_height
            editor.setFixedHeight(height)
            message.set_room(height)
            self._lay_out(message)

    def _accept(self, text: str) -> None:
        message = self._message
        self.end()
        if message is not None:
            self._edited(message.turn.id, text)

    def _leave(self) -> None:
        message = self._message
        self.end()
        if message is not None:
            self._left(message.turn.id)


class _Field(QPlainTextEdit):
    wanted = Signal()
    left = Signal()
    focus_changed = Signal()

    def __init__(self, text: str, *, sends_on_enter: bool) -> None:
        super().__init__()
        self._sends_on_enter = sends_on_enter
        self._is_composing = False
        self.setFont(message_font())
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(6)
        if re.search(rf"\S{{{_ENDLESS}}}", text):
            # Qt looks for a place to break a line to the word's very end, with every key.
            self.setWordWrapMode(QTextOption.WrapMode.WrapAnywhere)
        self.setPlainText(text)
        self.moveCursor(QTextCursor.MoveOperation.End)

    def event(self, event: QEvent) -> bool:
        # The window has a use for Escape too; here it is ours.
        is_key = event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent)
        if is_key and cast("QKeyEvent", event).key() == Qt.Key.Key_Escape:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not self._is_composing
        modifiers = event.modifiers()
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        elif is_enter and modifiers & Qt.KeyboardModifier.ControlModifier:
            self.wanted.emit()
        elif is_enter and (modifiers & Qt.KeyboardModifier.ShiftModifier or not self._sends_on_enter):
            # A paragraph of its own, not the line separator that Qt would put in and nobody else knows.
            self.textCursor().insertBlock()
            self.ensureCursorVisible()
        elif is_enter:
            self.wanted.emit()
        else:
            super().keyPressEvent(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self._is_composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focus_changed.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._is_composing = False
        super().focusOutEvent(event)
        self.focus_changed.emit()

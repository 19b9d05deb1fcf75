"""Where the prompt is typed."""

from __future__ import annotations

import re
from math import ceil

from PySide6.QtCore import QEvent, QMimeData, QSignalBlocker, Qt, Signal
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragMoveEvent,
    QFocusEvent,
    QInputMethodEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QTextCursor,
    QTextOption,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPlainTextEdit, QSizePolicy, QVBoxLayout, QWidget

from desktop.settings import SendingKey
from desktop.theme import Theme, figure_font, message_font, scroll_bar_style
from desktop.widgets.buttons import Button, ButtonKind
from desktop.widgets.painting import paint_box, paint_focus_ring, text_width
from desktop.widgets.switch import Switch
from desktop.widgets.window_meter import WindowMeter

MOST_LINES = 9

# What has no place to break a line, as a pasted picture in base64. For each line of it Qt looks for one to its very
# end: seconds, with every key. Chinese and Japanese can be broken nearly anywhere.
_UNBROKEN = r"[^\s\u2e80-\uffff]+"
_ENDLESS = 1_000


class Composer(QWidget):
    """The field; below it what one may choose for the next reply, what the window will hold, and the button that sends
    or, while a reply is written, stops it.

    It never drops what was typed: after `submitted` the text stays until `accept` says that it was sent.
    """

    submitted = Signal(str)
    stop_wanted = Signal()
    draft_changed = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._busy = False
        self._can_send = True
        self.field = _Field()
        self.button = Button(theme, text=self.tr("Send"), icon_name="send", kind=ButtonKind.PRIMARY)
        self.thinking_switch = Switch(theme, self.tr("Thinking"))
        self.thinking_switch.setToolTip(
            self.tr("On: the model thinks before it answers, which takes longer.\nOff: it answers at once.")
        )
        self.thinking_switch.hide()
        self.window_meter = WindowMeter(theme)
        self._hint = _Hint()
        self._given = ""  # what others know to stand in the field
        self._lay_out()
        self._connect()
        self.set_theme(theme)
        self.set_busy(busy=False)

    @property
    def text(self) -> str:
        return self.field.toPlainText()

    @property
    def is_composing(self) -> bool:
        """Whether an input method holds characters that are not yet text."""
        return self.field.is_composing

    def set_text(self, text: str) -> None:
        """Show another draft."""
        self._given = text
        self.field.set_text(text)
        self.field.moveCursor(QTextCursor.MoveOperation.End)

    def accept(self) -> None:
        """What was submitted was sent: empty the field. Undo brings it back."""
        cursor = self.field.textCursor()
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.removeSelectedText()

    def set_busy(self, *, busy: bool) -> None:
        """While a reply is written the button stops it; one may go on typing."""
        self._busy = busy
        self.button.setText(self.tr("Stop") if busy else self.tr("Send"))
        self.button.set_icon_name("stop" if busy else "send")
        self.button.setAccessibleName(self.button.text())
        sends = self.tr("Send ({key})").format(key=enter_words(self.field.sending_key))
        self.button.setToolTip(self.tr("Stop the reply (Esc)") if busy else sends)
        self._hint.setText(self.tr("Esc stops the reply") if busy else self.tr("Shift+Enter for a new line"))
        self._update_button()

    def set_sending_key(self, key: SendingKey) -> None:
        """Which key sends; the other one begins a new line."""
        self.field.set_sending_key(key)
        self.set_busy(busy=self._busy)

    def set_can_send(self, *, can_send: bool) -> None:
        """Without a model there is nobody to send to; one may type all the same."""
        self._can_send = can_send
        self._update_button()

    def set_recipient(self, name: str) -> None:
        """Whom one writes to."""
        self.field.set_recipient(name)

    def offer_thinking(self, *, offered: bool) -> None:
        """Whether the model that answers has a switch for thinking."""
        self.thinking_switch.setVisible(offered)

    def focus_field(self) -> None:
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for widget in (self.button, self.thinking_switch, self.window_meter):
            widget.set_theme(theme)
        self.field.verticalScrollBar().setStyleSheet(scroll_bar_style(theme))
        quiet = self._hint.palette()
        quiet.setColor(QPalette.ColorRole.WindowText, theme.muted)
        self._hint.setPalette(quiet)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        focused = self.field.hasFocus()
        paint_box(painter, self.rect(), fill=self._theme.surface, edge=None if focused else self._theme.field_edge)
        if focused:
            paint_focus_ring(painter, self.rect(), self._theme.accent)
        painter.end()

    def _lay_out(self) -> None:
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        foot = QHBoxLayout()
        foot.setContentsMargins(0, 0, 0, 0)
        foot.setSpacing(4)
        foot.addWidget(self.thinking_switch)
        foot.addWidget(self._hint, 1)  # all the room there is: its place does not hang on its words
        foot.addWidget(self.window_meter)
        foot.addWidget(self.button, 0, Qt.AlignmentFlag.AlignRight)  # at the right without a hint beside it, too
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(4)
        column.addWidget(self.field)
        column.addLayout(foot)
        self.button.setFixedWidth(self._button_width())

    def _connect(self) -> None:
        self.field.enter_pressed.connect(self._submit)
        self.field.focus_changed.connect(self.update)
        self.field.textChanged.connect(self._on_text)
        self.button.clicked.connect(self._on_button)

    def _button_width(self) -> int:
        """Wide enough for both of its words, so that it stays where it is when they change."""
        font = self.button.font()
        widest = max(text_width(font, word) for word in (self.tr("Send"), self.tr("Stop")))
        return self.button.sizeHint().width() - text_width(font, self.button.text()) + widest

    def _on_text(self) -> None:
        self._update_button()
        if self.text != self._given:
            self._given = self.text
            self.draft_changed.emit(self._given)

    def _on_button(self) -> None:
        if self._busy:
            self.stop_wanted.emit()
        else:
            self._submit()

    def _submit(self) -> None:
        if self.text.strip():
            self.submitted.emit(self.text)

    def _update_button(self) -> None:
        self.button.setEnabled(self._busy or (self._can_send and bool(self.text.strip())))


def enter_words(key: SendingKey) -> str:
    """A sending key as this platform writes it."""
    if key is SendingKey.ENTER:
        return "Enter"
    return QKeySequence("Ctrl+Return").toString(QKeySequence.SequenceFormat.NativeText).replace("Return", "Enter")


class _Hint(QLabel):
    """Words that are shown where there is room for all of them."""

    def __init__(self) -> None:
        super().__init__()
        self.setFont(figure_font())
        self.setContentsMargins(6, 0, 0, 0)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    @property
    def fits(self) -> bool:
        return self.sizeHint().width() <= self.width()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.fits:
            super().paintEvent(event)


class _Field(QPlainTextEdit):
    """A text field that grows with its text, tells Enter from Shift+Enter, and knows when an input method composes."""

    enter_pressed = Signal()
    focus_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.is_composing = False
        self._recipient = ""
        self.setFont(message_font())
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Message"))
        self.set_sending_key(SendingKey.ENTER)
        self.document().setDocumentMargin(6)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self._fit()

    def set_sending_key(self, key: SendingKey) -> None:
        self.sending_key = key
        self.setAccessibleDescription(
            self.tr("{key} sends, Shift+Enter begins a new line").format(key=enter_words(key))
        )

    def set_recipient(self, name: str) -> None:
        self._recipient = name
        self._show_placeholder()

    def set_text(self, text: str) -> None:
        mode = _wrap_mode(text)
        if mode is not self.wordWrapMode():
            # What stands there now need not be laid out in the new way.
            with QSignalBlocker(self):
                self.clear()
            self.setWordWrapMode(mode)
        self.setPlainText(text)

    def insertFromMimeData(self, source: QMimeData) -> None:  # noqa: N802 - Qt's virtual
        mode = _wrap_mode(source.text() if source.hasText() else "")
        if self.document().isEmpty() or mode is QTextOption.WrapMode.WrapAnywhere:
            self.setWordWrapMode(mode)  # before it is laid out
        super().insertFromMimeData(source)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not self.is_composing:
            with_control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
            is_other = with_control is not (self.sending_key is SendingKey.CTRL_ENTER)
            if is_other or event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                # A paragraph of its own, not the line separator that Qt would put in and nobody else knows.
                self.textCursor().insertBlock()
                self.ensureCursorVisible()
            else:
                self.enter_pressed.emit()
            return
        super().keyPressEvent(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self.is_composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focus_changed.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.is_composing = False
        super().focusOutEvent(event)
        self.focus_changed.emit()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        # A file is for the window to open, not a path to be typed.
        if event.mimeData().hasUrls():
            event.ignore()
        else:
            super().dragEnterEvent(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        if event.mimeData().hasUrls():
            event.ignore()
        else:
            super().dragMoveEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_placeholder()
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def _show_placeholder(self) -> None:
        prompt = self.tr("Message {name}").format(name=self._recipient) if self._recipient else self.tr("Message")
        room = max(40, self.contentsRect().width() - 2 * ceil(self.document().documentMargin()) - 8)
        self.setPlaceholderText(self.fontMetrics().elidedText(prompt, Qt.TextElideMode.ElideRight, room))

    def _fit(self) -> None:
        """As tall as the text, up to a limit, from where on it scrolls."""
        lines = max(1, round(self.document().size().height()))  # this layout counts in lines
        shown = min(lines, MOST_LINES)
        spacing = self.fontMetrics().lineSpacing()
        self.setFixedHeight(shown * spacing + 2 * ceil(self.document().documentMargin()))
        scrolls = Qt.ScrollBarPolicy.ScrollBarAsNeeded if lines > MOST_LINES else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.setVerticalScrollBarPolicy(scrolls)


def _wrap_mode(text: str) -> QTextOption.WrapMode:
    """Where lines of `text` are broken: between words, or anywhere where one word would take seconds."""
    if len(text) >= _ENDLESS and any(len(run[0]) >= _ENDLESS for run in re.finditer(_UNBROKEN, text)):
        return QTextOption.WrapMode.WrapAnywhere
    return QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere

"""The field in which a prompt is typed."""

from __future__ import annotations

import re
from math import ceil
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QSignalBlocker, Qt, Signal
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragMoveEvent,
    QFocusEvent,
    QInputMethodEvent,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
    QTextOption,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QSizePolicy

from desktop.settings import SendingKey
from desktop.theme import message_font

MOST_LINES = 9
LONG_TEXT = 2_000  # characters
LONG_LINES = 40
MOST_INSERTED = 500_000  # characters; to lay out more of them holds up the window

# What has no place to break a line, as a pasted picture in base64. For each line of it Qt looks for one to its very
# end: seconds, with every key. Chinese and Japanese can be broken nearly anywhere.
_UNBROKEN = r"[^\s\u2e80-\uffff]+"
_ENDLESS = 1_000


def files_in(source: QMimeData) -> list[Path]:
    """The files on this machine that were copied or are dragged."""
    return [Path(url.toLocalFile()) for url in source.urls() if url.isLocalFile()]


def is_long(text: str) -> bool:
    """Whether it is more than somebody would want to look at while writing a question about it."""
    return len(text) > LONG_TEXT or text.count("\n") >= LONG_LINES


def enter_words(key: SendingKey) -> str:
    """A sending key as this platform writes it."""
    if key is SendingKey.ENTER:
        return "Enter"
    return QKeySequence("Ctrl+Return").toString(QKeySequence.SequenceFormat.NativeText).replace("Return", "Enter")


class PromptField(QPlainTextEdit):
    """A text field that grows with its text, tells Enter from Shift+Enter, and knows when an input method composes."""

    enter_pressed = Signal()
    focus_changed = Signal()
    files_given = Signal(object)  # list[Path]: pasted
    picture_given = Signal()  # pasted, and nothing else with it
    long_text_pasted = Signal(int, int)  # where it begins and ends
    endless_text_given = Signal(str)  # so much that it was not put in

    def __init__(self) -> None:
        super().__init__()
        self.is_composing = False
        self._recipient = ""
        self._most_lines = MOST_LINES
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

    def set_most_lines(self, count: int) -> None:
        """How many lines may be seen at once where there is little room; never more than else."""
        most = max(1, min(MOST_LINES, count))
        if most != self._most_lines:
            self._most_lines = most
            self._fit()

    def set_text(self, text: str) -> None:
        mode = _wrap_mode(text)
        if mode is not self.wordWrapMode():
            # What stands there now need not be laid out in the new way.
            with QSignalBlocker(self):
                self.clear()
            self.setWordWrapMode(mode)
        self.setPlainText(text)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:  # noqa: N802 - Qt's virtual
        return super().canInsertFromMimeData(source) or bool(files_in(source)) or source.hasImage()

    def insertFromMimeData(self, source: QMimeData) -> None:  # noqa: N802 - Qt's virtual
        if files := files_in(source):
            self.files_given.emit(files)
        elif source.hasImage() and not source.hasText():
            self.picture_given.emit()
        elif len(text := source.text()) > MOST_INSERTED:
            self.endless_text_given.emit(text)
        else:
            self._insert(source, text)

    def _insert(self, source: QMimeData, text: str) -> None:
        mode = _wrap_mode(text)
        if self.document().isEmpty() or mode is QTextOption.WrapMode.WrapAnywhere:
            self.setWordWrapMode(mode)  # before it is laid out
        begin = self.textCursor().selectionStart()
        super().insertFromMimeData(source)
        if is_long(text):
            self.long_text_pasted.emit(begin, self.textCursor().position())

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
        # A file is for the window to open or attach, not a path to be typed.
        if files_in(event.mimeData()):
            event.ignore()
        else:
            super().dragEnterEvent(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        if files_in(event.mimeData()):
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
        shown = min(lines, self._most_lines)
        spacing = self.fontMetrics().lineSpacing()
        self.setFixedHeight(shown * spacing + 2 * ceil(self.document().documentMargin()))
        bars = Qt.ScrollBarPolicy
        self.setVerticalScrollBarPolicy(bars.ScrollBarAsNeeded if lines > shown else bars.ScrollBarAlwaysOff)


def _wrap_mode(text: str) -> QTextOption.WrapMode:
    """Where lines of `text` are broken: between words, or anywhere where one word would take seconds."""
    if len(text) >= _ENDLESS and any(len(run[0]) >= _ENDLESS for run in re.finditer(_UNBROKEN, text)):
        return QTextOption.WrapMode.WrapAnywhere
    return QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere

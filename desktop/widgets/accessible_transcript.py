"""The transcript as assistive technology sees it: a list, and an item for each message.

The transcript paints its messages itself, so Qt knows nothing of them; these objects tell it.
"""
# ruff: noqa: N802 - the names are those of Qt's virtual methods

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol, cast

from PySide6.QtCore import QObject, QRect
from PySide6.QtGui import QAccessible, QAccessibleInterface, QColor, QWindow
from PySide6.QtWidgets import QWidget

from desktop.widgets.message_view import MessageView


class Readable(Protocol):
    """What is asked of the transcript."""

    def accessible(self) -> AccessibleTranscript:
        """The one object that stands for it: whoever shows it keeps it, for Qt does not."""

    def messages(self) -> Sequence[MessageView]: ...
    def focused_message(self) -> MessageView | None:
        """The message that the keyboard is on."""

    def place_of(self, message: MessageView) -> QRect:
        """Where a message is, on the screen."""


class AccessibleTranscript(QAccessibleInterface):
    """The list."""

    def __init__(self, view: QWidget) -> None:
        super().__init__()
        self._view = view
        self._items: dict[MessageView, _AccessibleMessage] = {}

    @property
    def readable(self) -> Readable:
        return cast("Readable", self._view)

    def item(self, message: MessageView) -> _AccessibleMessage:
        """The item of a message, the same one each time."""
        if message not in self._items:
            self._items[message] = _AccessibleMessage(self, message)
        return self._items[message]

    def forget_all_but(self, messages: Sequence[MessageView]) -> None:
        """Let go of the items of messages that are no longer shown."""
        shown = set(messages)
        self._items = {message: item for message, item in self._items.items() if message in shown}

    def isValid(self) -> bool:
        return True

    def object(self) -> QObject:
        return self._view

    def window(self) -> QWindow:
        return self._view.window().windowHandle()

    def role(self) -> QAccessible.Role:
        return QAccessible.Role.List

    def state(self) -> QAccessible.State:
        return QAccessible.State()

    def text(self, kind: QAccessible.Text) -> str:
        return self._view.accessibleName() if kind is QAccessible.Text.Name else ""

    def setText(self, kind: QAccessible.Text, text: str) -> None:
        """It says what was said: there is nothing to set."""

    def rect(self) -> QRect:
        return QRect(self._view.mapToGlobal(self._view.rect().topLeft()), self._view.size())

    def parent(self) -> QAccessibleInterface:
        above = self._view.parent()
        return QAccessible.queryAccessibleInterface(above) if above else cast("QAccessibleInterface", None)

    def childCount(self) -> int:
        return len(self.readable.messages())

    def child(self, index: int) -> QAccessibleInterface:
        messages = self.readable.messages()
        return cast("QAccessibleInterface", self.item(messages[index]) if 0 <= index < len(messages) else None)

    def childAt(self, x: int, y: int) -> QAccessibleInterface:
        hit = (m for m in self.readable.messages() if self.readable.place_of(m).contains(x, y))
        message = next(hit, None)
        return cast("QAccessibleInterface", self.item(message) if message else None)

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        messages = self.readable.messages()
        return next((index for index, message in enumerate(messages) if self._items.get(message) is child), -1)

    def focusChild(self) -> QAccessibleInterface:
        message = self.readable.focused_message()
        return cast("QAccessibleInterface", self.item(message) if message is not None else None)

    def backgroundColor(self) -> QColor:
        return self._view.palette().base().color()

    def foregroundColor(self) -> QColor:
        return self._view.palette().text().color()


class _AccessibleMessage(QAccessibleInterface):
    """An item: whose message it is, and what was said."""

    def __init__(self, transcript: AccessibleTranscript, message: MessageView) -> None:
        super().__init__()
        self._list = transcript
        self._message = message

    def isValid(self) -> bool:
        return self._message in self._list.readable.messages()

    def object(self) -> QObject:
        return cast("QObject", None)  # it has none: it is painted

    def window(self) -> QWindow:
        return self._list.window()

    def role(self) -> QAccessible.Role:
        return QAccessible.Role.ListItem

    def state(self) -> QAccessible.State:
        state = QAccessible.State()
        state.focusable = True
        state.focused = self._list.readable.focused_message() is self._message
        return state

    def text(self, kind: QAccessible.Text) -> str:
        return self._message.whole_text() if kind is QAccessible.Text.Name else ""

    def setText(self, kind: QAccessible.Text, text: str) -> None:
        """It says what was said: there is nothing to set."""

    def rect(self) -> QRect:
        return self._list.readable.place_of(self._message)

    def parent(self) -> QAccessibleInterface:
        return self._list

    def childCount(self) -> int:
        return 0

    def child(self, index: int) -> QAccessibleInterface:  # noqa: ARG002 - it has none
        return cast("QAccessibleInterface", None)

    def childAt(self, x: int, y: int) -> QAccessibleInterface:  # noqa: ARG002 - it has none
        return cast("QAccessibleInterface", None)

    def indexOfChild(self, child: QAccessibleInterface) -> int:  # noqa: ARG002 - it has none
        return -1

    def focusChild(self) -> QAccessibleInterface:
        return cast("QAccessibleInterface", None)


@lru_cache(maxsize=1)
def install() -> None:
    """Tell Qt, once, how such a widget is described."""
    QAccessible.installFactory(_describe)


def _describe(_kind: str, thing: QObject | None) -> QAccessibleInterface | None:
    accessible = getattr(thing, "accessible", None)
    return accessible() if accessible else None

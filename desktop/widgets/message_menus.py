"""The menus in the transcript: what can be copied there, and all that can be done with a message."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from desktop.turns import Turn
from desktop.widgets.message_view import MessageView
from desktop.widgets.rows import Rows
from desktop.widgets.selection import Selection


class Copies(Protocol):
    """What is asked of the transcript."""

    def copy(self) -> None: ...
    def copy_as_markdown(self) -> None: ...
    def select_all(self) -> None: ...


class MessageMenus(QObject):
    """Whoever shows the transcript adds to them, by `fill`, what else can be done with a message."""

    def __init__(self, rows: Rows, selection: Selection, view: QWidget, copies: Copies) -> None:
        super().__init__(view)
        self._rows = rows
        self._selection = selection
        self._view = view
        self._copies = copies
        self.fill: Callable[[QMenu, Turn], None] | None = None

    def at(self, point: QPoint) -> QMenu:
        """For a point from the left edge of the text and the top of the conversation."""
        menu = self._made()
        row = self._rows.row_near(point.y())
        link = self._rows.link_at(point)
        copy = menu.addAction(self.tr("Copy"), self._copies.copy)
        as_markdown = menu.addAction(self.tr("Copy as Markdown (Ctrl+Shift+C)"), self._copies.copy_as_markdown)
        for action in (copy, as_markdown):
            action.setEnabled(not self._selection.is_empty)
        if link:
            menu.addAction(self.tr("Copy link address"), partial(_copy, link))
        menu.addAction(self.tr("Select all"), self._copies.select_all)
        if row:
            menu.addSeparator()
            self.add_actions(menu, row.message)
        return menu

    def open_below(self, button: QWidget, message: MessageView) -> None:
        """What can be done with a message, below the button that was pressed."""
        menu = self._made()
        self.add_actions(menu, message)
        menu.popup(button.mapToGlobal(QPoint(0, button.height())))

    def copy(self, message: MessageView) -> None:
        """What was said, as Markdown."""
        _copy(message.text)

    def add_actions(self, menu: QMenu, message: MessageView) -> None:
        """All that can be done with this message."""
        menu.addAction(self.tr("Copy message as Markdown"), partial(self.copy, message))
        menu.addAction(self.tr("Copy message as text"), lambda: _copy(message.body_text()))
        if self.fill is not None:
            self.fill(menu, message.turn)

    def _made(self) -> QMenu:
        menu = QMenu(self._view)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        return menu


def _copy(text: str) -> None:
    QGuiApplication.clipboard().setText(text)

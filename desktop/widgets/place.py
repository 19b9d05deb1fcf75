"""The window, as far as what is opened in it is concerned: what takes the conversation's place or stands beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

from PySide6.QtWidgets import QStackedWidget, QWidget

from desktop.theme import Themed

if TYPE_CHECKING:
    from PySide6.QtCore import SignalInstance
    from PySide6.QtWidgets import QMenuBar

    from desktop.chat_session import ChatSession
    from desktop.widgets.notice_board import NoticeBoard


class View(Themed, Protocol):
    """A widget that takes the place of the conversation, or stands beside it."""

    closed: SignalInstance  # it was put away from within
    begins_at: QWidget  # where the keyboard is when it is opened; no focus proxy, since Tab would skip all before that


class Place(Protocol):
    """Where views and panels are opened, and what happened is said."""

    board: NoticeBoard

    @property
    def session(self) -> ChatSession: ...
    @property
    def view(self) -> QWidget | None: ...
    @property
    def panel(self) -> QWidget | None: ...
    def open_view(self, view: QWidget) -> None: ...
    def close_view(self) -> None: ...
    def open_panel(self, panel: QWidget) -> None: ...
    def close_panel(self) -> None: ...
    def menuBar(self) -> QMenuBar: ...  # noqa: N802 - Qt's name


def as_view(widget: QWidget) -> View:
    """Qt's stacks know widgets only; what is put there keeps to `View`."""
    return cast("View", widget)


def widgets_in(stack: QStackedWidget) -> list[QWidget]:
    """All that it can show, the first one first."""
    return [widget for place in range(stack.count()) if (widget := stack.widget(place)) is not None]

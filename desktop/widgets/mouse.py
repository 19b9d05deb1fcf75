"""The transcript by mouse: selecting, links, and what it is over."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QWidget

from desktop.widgets.boxes import Box, BoxedSegment
from desktop.widgets.message_view import MessageView
from desktop.widgets.rows import Rows
from desktop.widgets.selection import Selection, Spot

_DRAG = 40  # milliseconds between two steps of scrolling while the mouse is held outside
_FASTEST = 60  # pixels of such a step


class Shows(Protocol):
    """What is asked of the transcript."""

    def in_text(self, point: QPoint) -> QPoint:
        """A point of the surface as seen from the left edge of the text and the top of the conversation."""

    def scroll_by(self, pixels: int) -> None: ...
    def repaint_text(self) -> None: ...


class Mouse(QObject):
    """What the mouse does on the surface that the text is painted on."""

    link_clicked = Signal(str)
    moved_over = Signal(object, object)  # the message it is over, and the box; or None

    def __init__(self, rows: Rows, selection: Selection, surface: QWidget, shows: Shows) -> None:
        super().__init__(surface)
        self._rows = rows
        self._selection = selection
        self._surface = surface
        self._shows = shows
        self._pressed_link = ""
        self._is_selecting = False
        self._timer = QTimer(self, singleShot=True, interval=_DRAG)
        self._timer.timeout.connect(self._drag_on)

    def press(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        point = self._shows.in_text(event.position().toPoint())
        self._pressed_link = self._rows.link_at(point)
        spot = self._rows.spot_near(point)
        if spot is None:
            return
        self._is_selecting = True
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._selection.extend(spot)
        else:
            self._selection.begin(spot)
        self._shows.repaint_text()

    def double_click(self, event: QMouseEvent) -> None:
        """Select a word."""
        spot = self._rows.spot_near(self._shows.in_text(event.position().toPoint()))
        if spot is None or event.button() is not Qt.MouseButton.LeftButton:
            return
        begin, end = spot.segment.word_at(spot.position, self._rows.look)
        self._selection.take(Spot(spot.message, spot.segment, begin), Spot(spot.message, spot.segment, end))
        self._shows.repaint_text()

    def move(self, event: QMouseEvent) -> None:
        point = event.position().toPoint()
        if not self._is_selecting:
            self._hover(self._shows.in_text(point))
            return
        self._select_to(point)
        outside = not self._surface.rect().contains(point)
        self._timer.start() if outside else self._timer.stop()

    def release(self, event: QMouseEvent) -> None:
        self._timer.stop()
        self._is_selecting = False
        link = self._rows.link_at(self._shows.in_text(event.position().toPoint()))
        if link and link == self._pressed_link and self._selection.is_empty:
            self.link_clicked.emit(link)
        self._pressed_link = ""

    def leave(self) -> None:
        """It is elsewhere."""
        self.moved_over.emit(None, None)

    def _select_to(self, point: QPoint) -> None:
        spot = self._rows.spot_near(self._shows.in_text(point))
        if spot is not None:
            self._selection.extend(spot)
            self._shows.repaint_text()

    def _drag_on(self) -> None:
        """Scroll while the mouse is held outside."""
        point = self._surface.mapFromGlobal(self._surface.cursor().pos())
        over = point.y() - max(0, min(point.y(), self._surface.height()))
        if self._is_selecting and over:
            self._shows.scroll_by(max(-_FASTEST, min(_FASTEST, over)))
            self._select_to(point)
            self._timer.start()

    def _hover(self, point: QPoint) -> None:
        message: MessageView | None = None
        for index in self._rows.between(point.y(), point.y()):
            message = self._rows.messages[index]
        box: Box | None = None
        cursor = Qt.CursorShape.ArrowCursor
        row = self._rows.row_near(point.y())
        if row is not None and 0 <= point.y() - row.top < row.segment.height:
            cursor = Qt.CursorShape.IBeamCursor
            box = row.segment.box if isinstance(row.segment, BoxedSegment) else None
        if self._rows.link_at(point):
            cursor = Qt.CursorShape.PointingHandCursor
        self._surface.setCursor(cursor)
        self.moved_over.emit(message, box)

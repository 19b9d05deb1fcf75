"""Where a place in the text comes to when it is moved by key: by letter, word, line, page, message.

It knows the text and where it stands; which key means what, and what is selected on the way, is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, auto

from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QTextCursor

from desktop.widgets.message_view import MessageView
from desktop.widgets.rows import Rows
from desktop.widgets.segments import Segment, UnreadSegment
from desktop.widgets.selection import Spot

_FARTHEST = 600  # pixels between two lines of text: headings, boxes and the heads of messages stand between
_STEP = 3


class Move(Enum):
    """How far, and where to."""

    LEFT = auto()
    RIGHT = auto()
    WORD_LEFT = auto()
    WORD_RIGHT = auto()
    UP = auto()
    DOWN = auto()
    LINE_START = auto()
    LINE_END = auto()
    PAGE_UP = auto()
    PAGE_DOWN = auto()
    MESSAGE_UP = auto()
    MESSAGE_DOWN = auto()
    START = auto()
    END = auto()


class Caret:
    """Moves spots through the messages of a conversation; what it comes to is read and measured."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._column: int | None = None  # where it goes up and down

    def place_of(self, spot: Spot) -> QRect:
        """Where the spot is: pixels from the left edge of the text and the top of the conversation."""
        rows = self._rows
        rows.measure_segment(spot.message, spot.segment)
        row = rows.row_of(spot.message, spot.segment)
        return spot.segment.place_of(spot.position, rows.setting, rows.look).translated(0, row.top)

    def moved(self, spot: Spot, move: Move, page: int) -> Spot:
        """Where the spot comes to. `page` is the height of one."""
        spot = self._read(spot)
        match move:
            case Move.UP | Move.DOWN | Move.PAGE_UP | Move.PAGE_DOWN:
                return self._along_the_column(spot, move, page)
            case _:
                self._column = None
        match move:
            case Move.START | Move.END:
                return self._end_of_all(spot, at_start=move is Move.START)
            case Move.MESSAGE_UP | Move.MESSAGE_DOWN:
                return self._another_message(spot, forward=move is Move.MESSAGE_DOWN)
            case _:
                return self._along_the_line(spot, move)

    def first_spot(self, message: object) -> Spot | None:
        """Where the text of a message begins."""
        for shown in self._rows.messages:
            if shown is message and shown.segments:
                return self._read(Spot(shown, shown.segments[0], shown.segments[0].first_position))
        return None

    def _along_the_line(self, spot: Spot, move: Move) -> Spot:
        position = spot.segment.moved(spot.position, _MOVES[move], self._rows.look)
        if position != spot.position or move in {Move.LINE_START, Move.LINE_END}:
            return Spot(spot.message, spot.segment, position)
        neighbour = self._neighbour(spot, forward=spot.position > spot.segment.first_position)
        return neighbour or spot

    def _along_the_column(self, spot: Spot, move: Move, page: int) -> Spot:
        direction = 1 if move in {Move.DOWN, Move.PAGE_DOWN} else -1
        far = page if move in {Move.PAGE_UP, Move.PAGE_DOWN} else 0
        place = self.place_of(spot)
        self._rows.measure_between(place.top() - _FARTHEST - far, place.bottom() + _FARTHEST + far)
        place = self.place_of(spot)
        if self._column is None:
            self._column = place.x()
        edge = place.center().y() + direction * (far + place.height() // 2)
        for y in range(edge, edge + direction * _FARTHEST, direction * _STEP):
            row = self._rows.row_near(y)
            if row is None or not row.top <= y < row.top + row.segment.height:
                continue
            found = self._rows.spot_near(QPoint(self._column, y))
            if found is not None and (self.place_of(found).center().y() - place.center().y()) * direction > _STEP:
                return found
        return self._end_of_all(spot, at_start=direction < 0)

    def _end_of_all(self, spot: Spot, *, at_start: bool) -> Spot:
        messages = [message for message in self._rows.messages if message.segments]
        if not messages:
            return spot
        message = messages[0 if at_start else -1]
        segment = message.segments[0 if at_start else -1]
        return self._at_end_of(Spot(message, segment, 0), at_start=at_start)

    def _another_message(self, spot: Spot, *, forward: bool) -> Spot:
        first = Spot(spot.message, spot.message.segments[0], spot.message.segments[0].first_position)
        if not forward and (spot.segment is not first.segment or spot.position > first.position):
            return self._read(first)
        index = self._rows.messages.index(spot.message)
        others = self._rows.messages[index + 1 :] if forward else self._rows.messages[:index][::-1]
        for message in others:
            if message.segments:
                return self._read(Spot(message, message.segments[0], message.segments[0].first_position))
        return self._end_of_all(spot, at_start=not forward)

    def _neighbour(self, spot: Spot, *, forward: bool) -> Spot | None:
        """The nearest place in the segment before or after."""
        for message, segment in self._beyond(spot, forward=forward):
            return self._at_end_of(Spot(message, segment, 0), at_start=forward)
        return None

    def _beyond(self, spot: Spot, *, forward: bool) -> Iterator[tuple[MessageView, Segment]]:
        index = self._rows.messages.index(spot.message)
        number = spot.message.segments.index(spot.segment)
        if forward:
            yield from ((spot.message, segment) for segment in spot.message.segments[number + 1 :])
            for message in self._rows.messages[index + 1 :]:
                yield from ((message, segment) for segment in message.segments)
        else:
            yield from ((spot.message, segment) for segment in spot.message.segments[:number][::-1])
            for message in self._rows.messages[:index][::-1]:
                yield from ((message, segment) for segment in message.segments[::-1])

    def _at_end_of(self, spot: Spot, *, at_start: bool) -> Spot:
        """The first or the last place in the segment of a spot, which is read for it."""
        segment = spot.segment
        if isinstance(segment, UnreadSegment):
            read = self._rows.read(self._rows.messages.index(spot.message), spot.message.segments.index(segment))
            if not read:
                return spot
            segment = read[0 if at_start else -1]
        segment.open_document(self._rows.look)
        return Spot(spot.message, segment, segment.first_position if at_start else segment.last_position)

    def _read(self, spot: Spot) -> Spot:
        """The same place in text that was read."""
        if isinstance(spot.segment, UnreadSegment):
            return self._at_end_of(spot, at_start=not spot.position)
        spot.segment.open_document(self._rows.look)
        position = max(spot.segment.first_position, min(spot.position, spot.segment.last_position))
        return Spot(spot.message, spot.segment, position)


_MOVES = {
    Move.LEFT: QTextCursor.MoveOperation.Left,
    Move.RIGHT: QTextCursor.MoveOperation.Right,
    Move.WORD_LEFT: QTextCursor.MoveOperation.WordLeft,
    Move.WORD_RIGHT: QTextCursor.MoveOperation.WordRight,
    Move.LINE_START: QTextCursor.MoveOperation.StartOfLine,
    Move.LINE_END: QTextCursor.MoveOperation.EndOfLine,
}

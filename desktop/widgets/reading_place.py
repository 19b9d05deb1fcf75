"""Where a reader is in a conversation, said so that it can be found again in another size, or later.

The place is counted in the text as it is shown: what was read, or measured, or cut into segments makes no difference.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from PySide6.QtCore import QPoint

from desktop.widgets.message_view import MessageView
from desktop.widgets.rows import Rows
from desktop.widgets.segmenting import grouped, make_segment
from desktop.widgets.segments import END, Segment, UnreadSegment, units


@dataclass(frozen=True, slots=True)
class Place:
    """A turn, a place in its text, and how far below the upper edge of the view the line with it begins. Without a
    `position` it is the head of the turn."""

    turn: int
    position: int | None
    below: int

    @property
    def words(self) -> str:
        """As it is kept in the settings."""
        position = "head" if self.position is None else self.position
        return f"turn {self.turn}, {position}, {self.below}"

    @classmethod
    def from_words(cls, words: str) -> Place | None:
        """What `words` made; `None` where it is something else."""
        found = re.fullmatch(r"turn (\d{1,15}), (head|\d{1,9}), (-?\d{1,9})", words)
        if found is None:
            return None
        turn, position, below = found.groups()
        return cls(int(turn), None if position == "head" else int(position), int(below))


def place_at(rows: Rows, value: int) -> Place | None:
    """What is seen first by a reader whose view begins there."""
    for index in rows.between(max(value, rows.tops[0]), max(value, rows.tops[0])):
        message = rows.messages[index]
        row = rows.row_near(value)
        if row is None or row.message is not message or row.segment.is_quiet or row.top > value:
            return Place(message.turn.id, None, rows.tops[index] - value)
        if value >= row.top + row.segment.height:
            following = rows.messages[index + 1] if index + 1 < len(rows.messages) else None
            if following is not None:
                return Place(following.turn.id, None, rows.tops[index + 1] - value)
            return Place(message.turn.id, END, rows.tops[index] + message.body_bottom - value)
        if not row.segment.is_measured(rows.setting):
            return Place(message.turn.id, _before(message, row.segment), row.top - value)
        position = row.segment.position_at(QPoint(0, value - row.top + 1), rows.look, rows.setting)
        line = row.segment.place_of(position, rows.setting, rows.look)
        return Place(message.turn.id, _before(message, row.segment) + position, row.top + line.top() - value)
    return None


def height_of(rows: Rows, place: Place) -> int | None:
    """Where the view must begin to show that place again; the turn is read as far as that. `None`: it is gone."""
    index = rows.index_of(place.turn)
    if index is None:
        return None
    message = rows.messages[index]
    if place.position is None:
        return rows.tops[index] - place.below
    position = place.position
    number = 0
    while number < len(message.segments):
        segment = message.segments[number]
        length = 0 if segment.is_quiet else _length(segment)
        if isinstance(segment, UnreadSegment) and position < length:
            rows.read(index, number)
            continue
        if position < length:
            rows.measure_segment(message, segment)
            top = rows.row_of(message, segment).top
            return top + segment.place_of(position, rows.setting, rows.look).top() - place.below
        position -= length
        number += 1
    return rows.tops[index] + message.body_bottom - place.below


def _before(message: MessageView, segment: Segment) -> int:
    """How much of what was said stands before a segment."""
    before = message.segments[: message.segments.index(segment)]
    return sum(_length(other) for other in before if not other.is_quiet)


def _length(segment: Segment) -> int:
    """The positions of a segment and the one between it and the next."""
    if isinstance(segment, UnreadSegment):
        return sum(_length(make_segment(group, None)) for group in grouped(segment.read()))
    return units(segment.document_text()) + 1

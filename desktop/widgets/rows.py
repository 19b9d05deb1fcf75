"""Where the messages of a conversation stand: one below the other, read and measured when they are seen.

It knows heights, not widgets: what is on the screen, and when, is the transcript's business. Vertical places are whole
pixels from the top of the first message.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from time import thread_time

from PySide6.QtCore import QPoint

from desktop.widgets.boxes import BoxedSegment, colouring
from desktop.widgets.message_view import MessageView
from desktop.widgets.segments import Segment, Shelf, UnreadSegment
from desktop.widgets.selection import Spot
from desktop.widgets.typesetting import Look, Setting

ALL = 1000  # more segments than fit on a screen
_TOP = 8


@dataclass(frozen=True, slots=True, eq=False)
class Anchor:
    """Something that should keep its place while what is above it changes."""

    message: MessageView
    segment: Segment | None  # None: the line that stands for its reasoning
    place: int  # of its top, from the top of the view
    height: int  # it had then


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """A segment, and where its picture begins."""

    message: MessageView
    segment: Segment
    top: int


class Rows:
    """The messages that are shown. `on_replaced` is told what stands where a segment was."""

    def __init__(self, look: Look, on_replaced: Callable[[Segment, Sequence[Segment]], None]) -> None:
        self.messages: list[MessageView] = []
        self.tops = [_TOP]  # of the messages, the end of the last behind them
        self.look = look
        self.setting = Setting(1, 1)
        self.shelf = Shelf()
        self._on_replaced = on_replaced
        self._changed_from: int | None = None
        self._jobs: list[Iterator[None]] = []  # code to be coloured when there is time
        self._awaiting: dict[Segment, None] = {}  # those that show formulas as text until there are pictures

    @property
    def end(self) -> int:
        return self.tops[-1]

    @property
    def has_changes(self) -> bool:
        """Whether something must be painted again."""
        return self._changed_from is not None

    @property
    def has_work(self) -> bool:
        """Whether there is code that waits for its colours."""
        return bool(self._jobs)

    # Which they are

    def show(self, messages: Iterable[MessageView]) -> None:
        self._jobs.clear()
        self._awaiting.clear()
        self.shelf.clear()
        self.messages[:] = messages
        self.lay_out_all()

    def replace(self, messages: Iterable[MessageView]) -> None:
        """Show others, some of which may be shown already."""
        self.messages[:] = messages
        self.lay_out_all()

    def put_before(self, messages: Sequence[MessageView]) -> int:
        """Put messages before all others; by how much those stand lower now."""
        before = self.end
        self.messages[:0] = messages
        for message in messages:
            message.lay_out(self.setting, self.look)
        del self.tops[1:]
        self._place(0)
        return self.end - before

    def add(self, message: MessageView) -> None:
        self.messages.append(message)
        message.lay_out(self.setting, self.look)
        self._place(len(self.messages) - 1)
        self.changed(self.tops[-2])

    def index_of(self, turn_id: int) -> int | None:
        for index in range(len(self.messages) - 1, -1, -1):
            if self.messages[index].turn.id == turn_id:
                return index
        return None

    def top_of(self, message: MessageView) -> int:
        return self.tops[self.messages.index(message)]

    # What changes

    def grow(self, index: int, text: str, *, is_thought: bool, measures: bool) -> bool:
        """Go on with the text of a message; whether anything changed. What is new is measured if it `measures`."""
        message = self.messages[index]
        first = message.first_open(of_thought=is_thought)
        before = message.segments[first:]
        top = message.think(text, self.look) if is_thought else message.grow(text, self.look)
        if top is None:
            return False
        self.changed(self.tops[index] + top)
        self.tell_replaced(message, first, before)
        if measures:
            for segment in message.segments[first:]:
                if not segment.is_measured(self.setting):
                    self.measure(segment)
        self.lay_out(index, first)
        return True

    def tell_replaced(self, message: MessageView, first: int, before: Sequence[Segment]) -> None:
        """Tell what stands where the segments from `first` on were."""
        after = message.segments[first:]
        for number, segment in enumerate(before):
            if segment not in after:
                self._on_replaced(segment, after[number : number + 1] or message.segments[-1:])

    def changed(self, top: int) -> None:
        """What is below this height must be painted again."""
        self._changed_from = top if self._changed_from is None else min(top, self._changed_from)

    def take_changes(self) -> int | None:
        """The height from which on things must be painted again; it is asked for once."""
        changed, self._changed_from = self._changed_from, None
        return changed

    # Laying out

    def lay_out_all(self) -> None:
        for message in self.messages:
            message.lay_out(self.setting, self.look)
        self._place(0)

    def lay_out(self, index: int, first: int = 0) -> None:
        """Place the segments of a message from `first` on, and what is below it."""
        self.messages[index].lay_out(self.setting, self.look, first)
        self._place(index)

    def forget_measures(self) -> None:
        for message in self.messages:
            for segment in message.segments:
                segment.forget_measure()

    def measure_between(self, top: int, bottom: int, most: int = ALL) -> bool:
        """Read, or measure, up to `most` segments of each message; whether there was anything to do."""
        measured = False
        for index in self.between(top, bottom):
            message = self.messages[index]
            first = self._measure_message(index, top, bottom, most)
            if first is None:
                continue
            self.changed(self.tops[index] + (message.segment_top(first) if message.segments else 0))
            self.lay_out(index, first)
            measured = True
            if most < ALL:
                break
        return measured

    def measure(self, segment: Segment) -> None:
        segment.measure(self.setting, self.look)
        self.shelf.touch(segment)
        if segment.awaits_formulas(self.look):
            self._awaiting[segment] = None
        if isinstance(segment, BoxedSegment) and segment.box.wants_colours:
            segment.box.is_coloured = True
            self._jobs.append(colouring(segment.box))

    def write_formulas(self) -> bool:
        """Show the pictures that have come; whether that changed anything."""
        written = {segment for segment in self._awaiting if not segment.awaits_formulas(self.look)}
        for segment in written:
            del self._awaiting[segment]
            segment.write_anew()
        for index, message in enumerate(self.messages if written else ()):
            first = next((number for number, segment in enumerate(message.segments) if segment in written), None)
            if first is not None:
                self.changed(self.tops[index] + message.segment_top(first))
        return bool(written)

    def read(self, index: int, number: int) -> list[Segment]:
        """Read a segment that is unread, wherever it is; what stands in its place now."""
        message = self.messages[index]
        unread = message.segments[number]
        segments = message.read(number)
        if isinstance(unread, UnreadSegment):
            self._on_replaced(unread, segments)
            self.changed(self.tops[index] + message.body_top)
            self.lay_out(index, number)
        return segments

    def measure_segment(self, message: MessageView, segment: Segment) -> None:
        """Measure a segment wherever it is."""
        if not segment.is_measured(self.setting):
            self.measure(segment)
            index = self.messages.index(message)
            self.changed(self.tops[index] + message.body_top)
            self.lay_out(index, message.segments.index(segment))

    def colour(self, seconds: float) -> None:
        """Colour code for about so long."""
        until = thread_time() + seconds
        for _ in self._jobs[0]:
            if thread_time() > until:
                return
        del self._jobs[0]

    # What is where

    def between(self, top: int, bottom: int) -> range:
        """The messages that reach into a stretch."""
        first = bisect_right(self.tops, top) - 1
        last = bisect_right(self.tops, bottom)
        return range(max(0, first), min(len(self.messages), last))

    def rows_between(self, top: int, bottom: int) -> Iterator[Row]:
        """The segments that reach into a stretch."""
        for index in self.between(top, bottom):
            message, offset = self.messages[index], self.tops[index]
            for number in message.segments_between(top - offset, bottom - offset):
                yield Row(message, message.segments[number], offset + message.segment_top(number))

    def row_near(self, y: int) -> Row | None:
        """The segment at, or nearest to, a height."""
        found = self._spoken_near(max(0, min(bisect_right(self.tops, y) - 1, len(self.messages) - 1)))
        if found is None:
            return None
        index = found
        message, offset = self.messages[index], self.tops[index]
        number = message.segment_near(y - offset)
        return Row(message, message.segments[number], offset + message.segment_top(number))

    def spot_near(self, point: QPoint) -> Spot | None:
        """The place in the text at, or nearest to, a point from the left edge of the text and the top of it all."""
        row = self.row_near(point.y())
        if row is None or not row.segment.is_measured(self.setting):
            return None
        position = row.segment.position_at(point - QPoint(0, row.top), self.look, self.setting)
        return Spot(row.message, row.segment, max(row.segment.first_position, position))

    def link_at(self, point: QPoint) -> str:
        row = self.row_near(point.y())
        if row is None or not row.segment.is_measured(self.setting):
            return ""
        inner = point - QPoint(0, row.top)
        segment = row.segment
        inside = 0 <= inner.y() < segment.height and 0 <= inner.x() < segment.width(self.setting, self.look)
        return segment.link_at(inner, self.look, self.setting) if inside else ""

    def row_of(self, message: MessageView, segment: Segment) -> Row:
        top = self.top_of(message) + message.segment_top(message.segments.index(segment))
        return Row(message, segment, top)

    # What keeps its place

    def anchor(self, top: int, height: int, *, skip_unmeasured: bool = False) -> Anchor | None:
        """What a reader looks at who sees this stretch."""
        fallback: Anchor | None = None
        for row in self.rows_between(top, top + height):
            anchor = Anchor(row.message, row.segment, row.top - top, row.segment.height)
            if row.segment.is_measured(self.setting) or not skip_unmeasured:
                return anchor
            fallback = fallback or anchor
        return fallback

    def value_for(self, anchor: Anchor) -> int | None:
        """Where the view must begin so that the anchor stands where it stood; `None` when it is gone."""
        message = anchor.message
        if message not in self.messages:
            return None
        top = self.top_of(message)
        if anchor.segment is None:
            return top + message.fold_top - anchor.place
        if anchor.segment not in message.segments:
            return None
        number = message.segments.index(anchor.segment)
        place = anchor.place
        if place < 0 and anchor.height and anchor.segment.height != anchor.height:
            place = place * anchor.segment.height // anchor.height
        return top + message.segment_top(number) - place

    def line_seen(self, anchor: Anchor) -> tuple[int, int] | None:
        """The first line of the anchor's segment that is seen: a position in it, and where its letters begin; `None`
        where the segment is seen from its top."""
        segment = anchor.segment
        if segment is None or anchor.place >= 0 or not segment.is_measured(self.setting):
            return None
        position = segment.position_at(QPoint(0, 1 - anchor.place), self.look, self.setting)
        return position, segment.place_of(position, self.setting, self.look).top()

    def held_by(self, anchor: Anchor, line: tuple[int, int]) -> Anchor:
        """The anchor of a segment that was written anew, held by one of its lines."""
        segment, (position, top) = anchor.segment, line
        if segment is None:
            return anchor
        self.measure_segment(anchor.message, segment)
        moved = segment.place_of(position, self.setting, self.look).top() - top
        return Anchor(anchor.message, segment, anchor.place - moved, segment.height)

    def _spoken_near(self, index: int) -> int | None:
        """The last message up to this one that has text, or else the first one after it."""
        before = range(min(index, len(self.messages) - 1), -1, -1)
        after = range(index + 1, len(self.messages))
        return next((number for number in (*before, *after) if self.messages[number].segments), None)

    def _measure_message(self, index: int, top: int, bottom: int, most: int) -> int | None:
        """Measure what is between two heights of a message; the first segment that was measured."""
        message = self.messages[index]
        first: int | None = None
        offset = self.tops[index]
        for number in message.segments_between(top - offset, bottom - offset):
            segment = message.segments[number]
            if segment.is_measured(self.setting):
                continue
            if isinstance(segment, UnreadSegment):
                self._on_replaced(segment, message.read(number))
                return number if first is None else first
            self.measure(segment)
            first = number if first is None else first
            most -= 1
            if most <= 0:
                break
        return first

    def _place(self, first: int) -> None:
        """Put the messages from `first` on below each other."""
        heights = (message.height for message in self.messages[first:])
        self.tops[first:] = accumulate(heights, initial=self.tops[first])

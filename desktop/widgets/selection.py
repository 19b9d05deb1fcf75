"""What is selected in the transcript: from one place in the text to another, across messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from desktop.markdown import Block
from desktop.markdown_writing import to_markdown
from desktop.widgets.message_view import MessageView
from desktop.widgets.segments import END, Segment, Selected, Span, UnreadSegment
from desktop.widgets.typesetting import Look


@dataclass(frozen=True, slots=True, eq=False)
class Spot:
    """A place in the text: a position in a segment of a message."""

    message: MessageView
    segment: Segment
    position: int


_Key: TypeAlias = tuple[int, int, int]


class Selection:
    """Two spots and what lies between them. `messages` are those shown, in order; they may come and go."""

    def __init__(self, messages: Sequence[MessageView]) -> None:
        self._messages = messages
        self._anchor: Spot | None = None
        self._head: Spot | None = None

    @property
    def is_empty(self) -> bool:
        keys = self._keys()
        return keys is None or keys[0] == keys[1]

    @property
    def head(self) -> Spot | None:
        """The end that moves."""
        return self._head

    def clear(self) -> None:
        self._anchor = self._head = None

    def begin(self, spot: Spot) -> None:
        self._anchor = self._head = spot

    def extend(self, spot: Spot) -> None:
        self._anchor = self._anchor or spot
        self._head = spot

    def take(self, begin: Spot, end: Spot) -> None:
        self._anchor, self._head = begin, end

    def take_all(self) -> None:
        """Everything in every message; nothing is read or laid out for it."""
        spoken = [message for message in self._messages if message.segments]
        if spoken:
            first, last = spoken[0], spoken[-1]
            # What comes later was not selected.
            end = last.segments[-1].last_position if last.is_growing else END
            self.take(Spot(first, first.segments[0], 0), Spot(last, last.segments[-1], end))

    def replace(self, old: Segment, new: Sequence[Segment]) -> None:
        """An unread segment became others."""
        if self._anchor and self._anchor.segment is old:
            self._anchor = _moved(self._anchor, new)
        if self._head and self._head.segment is old:
            self._head = _moved(self._head, new)

    def covers(self) -> _Cover | None:
        """What is selected, to be asked segment by segment while nothing changes."""
        keys = self._keys()
        return _Cover(self._messages, *keys) if keys and keys[0] != keys[1] else None

    def text(self, look: Look) -> str:
        """The selected text."""
        cover = self.covers()
        return "\n\n".join(cover.texts(look)) if cover else ""

    def markdown(self) -> str:
        """The source of what is selected."""
        cover = self.covers()
        return "\n\n".join(cover.sources()) if cover else ""

    def _keys(self) -> tuple[_Key, _Key] | None:
        if self._anchor is None or self._head is None:
            return None
        anchor, head = self._key(self._anchor), self._key(self._head)
        if anchor is None or head is None:
            self.clear()  # what it stood in is no longer shown
            return None
        return (anchor, head) if anchor <= head else (head, anchor)

    def _key(self, spot: Spot) -> _Key | None:
        try:
            return self._messages.index(spot.message), spot.message.segments.index(spot.segment), spot.position
        except ValueError:
            return None


class _Cover:
    """What was thought is selected only where nothing else is: it never gets into the text of an answer."""

    def __init__(self, messages: Sequence[MessageView], begin: _Key, end: _Key) -> None:
        self._messages = messages
        self._begin = begin
        self._end = end
        self._takes_thoughts = begin[0] == end[0] and self._is_thought(begin) and self._is_thought(end)

    def part_of(self, message: int, segment: int) -> Selected:
        """The positions that are selected in a segment."""
        key = (message, segment)
        if not self._begin[:2] <= key <= self._end[:2]:
            return None
        if not self._takes_thoughts and self._messages[message].segments[segment].is_quiet:
            return None
        begin = self._begin[2] if key == self._begin[:2] else 0
        end = self._end[2] if key == self._end[:2] else END
        return begin, end

    def _is_thought(self, key: _Key) -> bool:
        return self._messages[key[0]].segments[key[1]].is_quiet

    def texts(self, look: Look) -> Iterator[str]:
        """The selected text of each message."""
        for number in range(self._begin[0], self._end[0] + 1):
            text = ""
            for index, segment in enumerate(self._messages[number].segments):
                part = self.part_of(number, index)
                if part:
                    text += (segment.break_before if text else "") + segment.text(*part, look)
            yield text

    def sources(self) -> Iterator[str]:
        """The source of what is selected in each message: its own where all of it is, else one that says the same."""
        for number in range(self._begin[0], self._end[0] + 1):
            message = self._messages[number]
            parts = [(segment, self.part_of(number, index)) for index, segment in enumerate(message.segments)]
            said = [(segment, part) for segment, part in parts if not segment.is_quiet]
            if all(part and _is_whole(segment, part) for segment, part in said) and not self._takes_thoughts:
                yield message.text
            else:
                yield _source_of([(segment, part) for segment, part in parts if part])


def _is_whole(segment: Segment, part: Span) -> bool:
    return part[0] <= segment.first_position and part[1] >= segment.last_position


def _source_of(parts: Sequence[tuple[Segment, Span]]) -> str:
    sources: list[str] = []
    blocks: list[Block] = []
    for segment, part in parts:
        if isinstance(segment, UnreadSegment):
            sources += [to_markdown(blocks), segment.source.strip("\n")]
            blocks = []
        else:
            blocks += segment.blocks_between(*part)
    return "\n\n".join(source for source in (*sources, to_markdown(blocks)) if source)


def _moved(spot: Spot, segments: Sequence[Segment]) -> Spot | None:
    if not segments:
        return None
    return Spot(spot.message, segments[-1] if spot.position else segments[0], spot.position)

"""Words found in the whole conversation, in what nobody has looked at yet too.

Text that was never laid out is read to count what is in it, and forgotten again; only the place one is led to is kept.
It paints nothing and moves nothing: the transcript asks it what to mark and where to go.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain

from desktop.markdown import Block, cut, read_markdown
from desktop.widgets.message_view import MessageView
from desktop.widgets.rows import Rows
from desktop.widgets.segmenting import grouped, make_segment
from desktop.widgets.segments import Segment, Span, UnreadSegment, units
from desktop.widgets.selection import Spot


class Finder:
    """The hits of some words in order, and the one that the reader was led to.

    A hit is a message and a number in it: first those in its reasoning, then those in what was said. `open_thought` is
    asked to show the reasoning of a message.
    """

    def __init__(self, rows: Rows, open_thought: Callable[[MessageView], None]) -> None:
        self._rows = rows
        self._open_thought = open_thought
        self._words = ""
        self._pattern: re.Pattern[str] | None = None
        self._letters: tuple[re.Pattern[str], ...] = ()
        self._counts: dict[MessageView, int] = {}
        self._unread: dict[UnreadSegment, int] = {}
        self._thoughts: dict[MessageView, tuple[str, int]] = {}
        self._spans: dict[Segment, tuple[tuple[Block, ...], tuple[Span, ...]]] = {}
        self._current: tuple[MessageView, int] | None = None
        self._current_mark: tuple[Segment, Span] | None = None

    @property
    def words(self) -> str:
        return self._words

    @property
    def is_complete(self) -> bool:
        """Whether every message was searched."""
        return all(message in self._counts for message in self._rows.messages)

    @property
    def total(self) -> int:
        """How many hits are known."""
        return sum(self._counts.get(message, 0) for message in self._rows.messages)

    @property
    def number(self) -> int:
        """Which of them is the current one, counted from one; 0 where there is none."""
        if self._current is None:
            return 0
        message, ordinal = self._current
        before = 0
        for other in self._rows.messages:
            if other is message:
                return before + ordinal + 1
            before += self._counts.get(other, 0)
        return 0

    def look_for(self, words: str) -> None:
        """Forget what was found, and look for these words from now on: in any case, with any white space between."""
        self._words = words
        parts = words.split()
        self._pattern = (
            re.compile(r"[^\S\n]+".join(re.escape(part) for part in parts), re.IGNORECASE) if parts else None
        )
        self._letters = tuple(re.compile(found, re.IGNORECASE) for found in _LETTERS.findall(words))
        for known in (self._counts, self._unread, self._thoughts, self._spans):
            known.clear()
        self._current = self._current_mark = None

    def forget(self, message: MessageView) -> None:
        """The text of a message has changed."""
        self._counts.pop(message, None)
        self._thoughts.pop(message, None)

    def search(self, first: int = 0) -> Iterator[None]:
        """Count the hits in every message, from the one numbered `first` on; a short step each time."""
        messages = list(self._rows.messages)
        for message in chain(messages[first:], messages[:first]):
            if message not in self._counts:
                yield from self._search_message(message)

    def marks(self, segment: Segment) -> tuple[Span, ...]:
        """The hits in a segment that is shown."""
        if self._pattern is None or not segment.blocks:
            return ()
        known = self._spans.get(segment)
        if known is None or known[0] is not segment.blocks:
            known = self._spans[segment] = segment.blocks, tuple(self._spans_in(segment.document_text()))
        return known[1]

    def current_mark(self, segment: Segment) -> Span | None:
        """The hit that the reader was led to, if it is in this segment."""
        mark = self._current_mark
        return mark[1] if mark and mark[0] is segment and mark[1] in self.marks(segment) else None

    def current_spots(self) -> tuple[Spot, Spot] | None:
        """Where the current hit begins and ends."""
        if self._current is None or self._current_mark is None:
            return None
        segment, (begin, end) = self._current_mark
        message = self._current[0]
        return Spot(message, segment, begin), Spot(message, segment, end)

    def knows_first(self, index: int) -> bool:
        """Whether the first hit from a message on is known, or that there is none."""
        messages = self._rows.messages
        for message in chain(messages[index:], messages[:index]):
            count = self._counts.get(message)
            if count != 0:
                return count is not None
        return True

    def go_from(self, spot: Spot | MessageView | None) -> bool:
        """Make the first hit at or after a spot, or from the beginning of a message on, the current one; whether there
        is any."""
        if isinstance(spot, MessageView):
            return self._go(self._rows.messages.index(spot) if spot in self._rows.messages else 0, 0, 1)
        if spot is None or spot.message not in self._rows.messages:
            return self._go(0, 0, 1)
        index = self._rows.messages.index(spot.message)
        return self._go(index, self._hits_before(spot), 1)

    def go_on(self, step: int) -> bool:
        """Go to the next hit (1) or the previous one (-1), around the end; whether there is any."""
        if self._current is None or self._current[0] not in self._rows.messages:
            return self._go(0, 0, 1) if step > 0 else self._go(len(self._rows.messages) - 1, None, -1)
        message, ordinal = self._current
        return self._go(self._rows.messages.index(message), ordinal + step, step)

    def _go(self, index: int, ordinal: int | None, step: int) -> bool:
        """The hit with that number in a message (`None`: its last), or the nearest one in this direction."""
        messages = self._rows.messages
        for _ in range(len(messages) + 1 if messages else 0):
            message = messages[index]
            count = self._count(message)
            wanted = count - 1 if ordinal is None else ordinal
            if 0 <= wanted < count and self._lead_to(message, wanted):
                return True
            index = (index + step) % len(messages)
            ordinal = 0 if step > 0 else None
        self._current = self._current_mark = None
        return False

    def _lead_to(self, message: MessageView, ordinal: int) -> bool:
        """Read what must be read so that a hit can be shown."""
        rest = ordinal
        if message.has_thought and not message.is_open:
            hidden = self._count_thought(message)
            if rest < hidden:
                self._open_thought(message)
            else:
                rest -= hidden
        number = 0
        while number < len(message.segments):
            segment = message.segments[number]
            count = self._count_segment(segment)
            if rest < count and isinstance(segment, UnreadSegment):
                self._rows.read(self._rows.messages.index(message), number)
                continue
            if rest < count:
                self._current = message, ordinal
                self._current_mark = segment, self.marks(segment)[rest]
                return True
            rest -= count
            number += 1
        return False

    def _hits_before(self, spot: Spot) -> int:
        """How many hits of its message stand before a spot."""
        before = 0
        if spot.message.has_thought and not spot.message.is_open:
            before = self._count_thought(spot.message)
        for segment in spot.message.segments:
            if segment is spot.segment:
                return before + sum(begin < spot.position for begin, _ in self.marks(segment))
            before += self._count_segment(segment)
        return before

    def _count(self, message: MessageView) -> int:
        for _ in self._search_message(message):
            pass
        return self._counts[message]

    def _search_message(self, message: MessageView) -> Iterator[None]:
        if message in self._counts:
            return
        count = 0
        if message.has_thought and not message.is_open:
            count += self._count_thought(message)
            yield
        for segment in list(message.segments):
            is_new = isinstance(segment, UnreadSegment) and segment not in self._unread
            count += self._count_segment(segment)
            if is_new:
                yield
        self._counts[message] = count

    def _count_segment(self, segment: Segment) -> int:
        if not isinstance(segment, UnreadSegment):
            return len(self.marks(segment))
        if segment not in self._unread:
            self._unread[segment] = self._count_in(segment.source, segment.read)
        return self._unread[segment]

    def _count_thought(self, message: MessageView) -> int:
        source = message.thought_text
        known = self._thoughts.get(message)
        if known is None or known[0] != source:
            pieces = (self._count_in(piece, partial(read_markdown, piece)) for piece in cut(source))
            known = self._thoughts[message] = source, sum(pieces)
        return known[1]

    def _count_in(self, source: str, read: Callable[[], tuple[Block, ...]]) -> int:
        if self._pattern is None or not self._may_be_in(source):
            return 0
        texts = (make_segment(group, None).document_text() for group in grouped(read()))
        return sum(len(list(self._spans_in(text))) for text in texts)

    def _may_be_in(self, source: str) -> bool:
        """Whether reading it could be worth the time: the letters are all there, whatever marks stand between."""
        forms = {source, _ADDRESSES.sub("", source)}
        if "&" in source:
            forms |= {html.unescape(form) for form in forms}
        plain = [_NO_LETTERS.sub("", form) for form in forms]
        return all(any(letters.search(form) for form in plain) for letters in self._letters)

    def _spans_in(self, text: str) -> Iterator[Span]:
        if self._pattern is None:
            return
        is_simple = max(text, default="") <= "\uffff"
        for found in self._pattern.finditer(text):
            begin, end = found.span()
            yield (begin, end) if is_simple else (units(text[:begin]), units(text[:end]))


_LETTERS = re.compile(r"[^\W_]+")
_NO_LETTERS = re.compile(r"[\W_]+")
_ADDRESSES = re.compile(r"\]\([^()\s]*\)")

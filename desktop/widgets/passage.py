"""One text of a message, whole or growing, as segments."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from desktop.markdown import Block, MarkdownReader, cut, read_markdown, read_plain
from desktop.widgets.boxes import BoxedSegment
from desktop.widgets.segmenting import grouped, make_segment
from desktop.widgets.segments import Segment, UnreadSegment
from desktop.widgets.typesetting import Look


class Passage:
    """The segments of a text. They stand one below the other; where, is the message's business.

    A quiet one is drawn in the muted colour: what was thought, not what was said.
    """

    def __init__(self, source: str, look: Look, *, grows: bool, is_plain: bool = False, is_quiet: bool = False) -> None:
        self.segments: list[Segment] = []
        self._is_quiet = is_quiet
        self._written = [source] if source else []
        self._reader = MarkdownReader() if grows else None
        self._settled_blocks = 0  # finished blocks in segments that never change again
        self._settled_segments = 0
        if self._reader is not None:
            self._reader.append(source)
            self._show_written(self._reader, look)
        else:
            self._leave_unread(*(([source], read_plain) if is_plain else (cut(source), read_markdown)))

    @property
    def is_growing(self) -> bool:
        return self._reader is not None

    @property
    def text(self) -> str:
        """The source of what is shown."""
        return "".join(self._written)

    @property
    def first_open(self) -> int:
        """The number of the first segment that may still change."""
        return max(0, self._settled_segments - 1) if self.is_growing else len(self.segments)

    def grow(self, text: str, look: Look) -> int:
        """Go on with `text`; the number of the first segment that changed."""
        if self._reader is None:
            return len(self.segments)
        self._written.append(text)
        self._reader.append(text)
        return self._show_written(self._reader, look)

    def finish(self, look: Look) -> None:
        """No more will come."""
        if self._reader is not None:
            self._reader.finish()
            self._show_written(self._reader, look)
            self._reader = None

    def read(self, number: int) -> list[Segment]:
        """Put the segments of an unread one in its place, and say which they are."""
        unread = self.segments[number]
        if not isinstance(unread, UnreadSegment):
            return [unread]
        segments: list[Segment] = []
        previous = self.segments[number - 1] if number else None
        for group in grouped(unread.read()):
            previous = self._made(group, previous)
            segments.append(previous)
        self.segments[number : number + 1] = segments
        return segments

    def close(self, first: int = 0) -> None:
        """The segments from `first` on are not shown any longer."""
        for segment in self.segments[first:]:
            if isinstance(segment, BoxedSegment):
                segment.leave()
        del self.segments[first:]

    def shown_text(self) -> str:
        """The text as it is shown, without the marks of Markdown."""
        texts: list[str] = []
        for segment in self.segments:
            texts.append(segment.break_before if texts else "")
            texts.append(segment.whole_text())
        return "".join(texts)

    def _leave_unread(self, pieces: Sequence[str], read: Callable[[str], tuple[Block, ...]]) -> None:
        self.segments = [UnreadSegment(piece, read) for piece in pieces if piece]
        for segment in self.segments:
            segment.is_quiet = self._is_quiet

    def _made(self, group: tuple[Block, ...], previous: Segment | None) -> Segment:
        segment = make_segment(group, previous)
        segment.is_quiet = self._is_quiet
        return segment

    def _show_written(self, reader: MarkdownReader, look: Look) -> int:
        """Bring the segments in line with the reader; the number of the first one that changed."""
        finished = reader.finished[self._settled_blocks :]
        changed = len(self.segments)
        groups = list(grouped((*finished, *reader.open_blocks)))
        for number, group in enumerate(groups, self._settled_segments):
            if self._set_segment(number, group, look):
                changed = min(changed, number)
        behind = self._settled_segments + len(groups)
        if behind < len(self.segments):
            self.close(behind)
            changed = min(changed, behind)
        self._settle(groups, len(finished))
        return changed

    def _set_segment(self, number: int, group: tuple[Block, ...], look: Look) -> bool:
        """Show a group of blocks as the segment of that number; whether that changed anything."""
        previous = self.segments[number - 1] if number else None
        before = previous.last_block if previous else None
        if number < len(self.segments):
            shown = self.segments[number]
            resumes = shown.blocks[0].place.resumes == group[0].place.resumes
            if shown.shows_kind_of(group[0]) and resumes:
                return shown.set_blocks(group, before, look)
            self.close(number)
        self.segments.append(self._made(group, previous))
        return True

    def _settle(self, groups: Sequence[tuple[Block, ...]], finished: int) -> None:
        """Segments before the last whose blocks are all finished are never looked at again."""
        for group in groups[:-1]:
            if len(group) > finished:
                return
            finished -= len(group)
            self._settled_blocks += len(group)
            self._settled_segments += 1

"""One message in the transcript: whose it is, what was said, how it ended.

It places its segments one below the other and paints them. It is no widget: the transcript asks it for heights,
places and pixels. All words it shows are handed to it.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter

from desktop.conversations import Turn, TurnState
from desktop.markdown import Block, MarkdownReader, cut, read_markdown, read_plain
from desktop.theme import Theme, paint_icon
from desktop.widgets.boxes import BoxedSegment
from desktop.widgets.segmenting import grouped, make_segment
from desktop.widgets.segments import Segment, Selected, UnreadSegment
from desktop.widgets.typesetting import Look, Setting

BUBBLE_SIDE = 16
_BUBBLE_ENDS = 10
_BUBBLE_CORNER = 12
_LABEL = 26
_FOOT = 36
_FOOT_LINE = 28
_ICON = 16
_BAR = 3
_ABOVE_QUESTION = 20
_ABOVE_REPLY = 4


class ProgressKind(StrEnum):
    """What a reply that shows no text yet is waiting for."""

    WAITING = "waiting"
    LOADING = "loading"
    PREFILL = "prefill"
    DECODE = "decode"


@dataclass(frozen=True, slots=True)
class Progress:
    """The quiet line at the end of a growing reply, over a thin bar where the fraction is known."""

    text: str
    fraction: float | None
    kind: ProgressKind


@dataclass(frozen=True, slots=True)
class Caption:
    """The words around a message: whose it is, its figures, and a sentence where it did not end well."""

    name: str
    figures: str = ""
    notice: str = ""
    is_error: bool = False


class MessageView:
    """A turn as it is drawn. Vertical places are pixels from its own top, always whole."""

    def __init__(self, turn: Turn, caption: Caption, look: Look) -> None:
        self.turn = turn
        self.caption = caption
        self.progress: Progress | None = None
        self.segments: list[Segment] = []
        self.height = 0
        self._tops: list[int] = [0]  # of the segments, the end of the last behind them
        self._notice_height = 0
        self._reader: MarkdownReader | None = None
        self._written: list[str] = []
        self._settled_blocks = 0  # finished blocks in segments that never change again
        self._settled_segments = 0
        if turn.state is TurnState.WRITING:
            self._begin(turn.message.content, look)
        else:
            self._take_source(turn.message.content)

    @property
    def is_growing(self) -> bool:
        return self._reader is not None

    @property
    def text(self) -> str:
        """The source of what is shown."""
        return "".join(self._written)

    @property
    def body_top(self) -> int:
        above = _ABOVE_REPLY if self.turn.is_reply else _ABOVE_QUESTION + _BUBBLE_ENDS
        return above + _LABEL

    @property
    def body_bottom(self) -> int:
        return self.body_top + self._tops[-1]

    @property
    def foot_top(self) -> int:
        """Where the line with the actions and the figures begins."""
        return self.height - _FOOT + (_FOOT - _FOOT_LINE) // 2

    # What it shows

    def grow(self, text: str, look: Look) -> int | None:
        """Go on with `text`; the first pixel row that changed, or `None` where it cannot grow."""
        if self._reader is None:
            return None
        self._written.append(text)
        self._reader.append(text)
        return self._show_written(look)

    def change(self, turn: Turn, caption: Caption, look: Look) -> None:
        """Show the turn as it is now: its end, or other text."""
        source = turn.message.content
        is_writing = turn.state is TurnState.WRITING
        if self._reader is not None and source == self.text:
            if not is_writing:
                self._reader.finish()
                self._show_written(look)
                self._reader = None
        elif source != self.text or is_writing:
            self._close_boxes()
            self.segments.clear()
            if is_writing:
                self._begin(source, look)
            else:
                self._take_source(source)
        self.turn, self.caption = turn, caption
        if not is_writing:
            self.progress = None

    @property
    def first_open(self) -> int:
        """The number of the first segment that may still change."""
        return max(0, self._settled_segments - 1) if self.is_growing else len(self.segments)

    def read(self, number: int) -> list[Segment]:
        """Put the segments of an unread one in its place, and say which they are."""
        unread = self.segments[number]
        if not isinstance(unread, UnreadSegment):
            return [unread]
        previous = self.segments[number - 1] if number else None
        segments = _segments_of(unread.read(), previous)
        self.segments[number : number + 1] = segments
        return segments

    def whole_text(self) -> str:
        """Everything it shows, as text."""
        parts = [self.caption.name, *self._texts(self.segments), self.caption.notice]
        parts.append(self.progress.text if self.progress else self.caption.figures)
        return "\n".join(part for part in parts if part)

    def body_text(self) -> str:
        """What was said, as it is shown."""
        return "".join(self._texts(self.segments))

    # Where it stands

    def lay_out(self, setting: Setting, look: Look, first: int = 0) -> None:
        """Place the segments from `first` on, with the heights that are known or can be guessed now."""
        for segment in self.segments[first:]:
            if not segment.is_measured(setting):
                segment.rescale(setting, look)
        heights = (segment.gap + segment.height for segment in self.segments[first:])
        self._tops[first:] = accumulate(heights, initial=self._tops[first])
        if first == 0 and len(self._tops) == 1 and self.is_growing:
            self._tops = [0, look.line_height]  # the place of the first line, so that it moves nothing
        self._notice_height = self._height_of_notice(setting, look)
        below = _BUBBLE_ENDS if not self.turn.is_reply else 0
        self.height = self.body_bottom + below + self._notice_height + _FOOT

    def segment_top(self, number: int) -> int:
        """Where a segment's own picture begins, below the gap above it."""
        return self.body_top + self._tops[number] + self.segments[number].gap

    def segments_between(self, top: int, bottom: int) -> range:
        """The segments that reach into a stretch of the message."""
        count = len(self.segments)
        first = bisect_right(self._tops, top - self.body_top, hi=count + 1) - 1
        last = bisect_right(self._tops, bottom - self.body_top, hi=count + 1)
        return range(max(0, first), min(count, max(0, last)))

    def segment_near(self, y: int) -> int:
        """The segment at, or nearest to, a height."""
        number = bisect_right(self._tops, y - self.body_top) - 1
        return max(0, min(number, len(self.segments) - 1))

    # Painting

    def paint(
        self,
        painter: QPainter,
        setting: Setting,
        look: Look,
        clip: QRect,
        selected: Callable[[Segment], Selected],
        touch: Callable[[Segment], None],
    ) -> None:
        """Paint what lies within `clip`; the origin is at the message's top and the left edge of its text."""
        if clip.top() < self.body_top:
            self._paint_label(painter, setting, look)
        if not self.turn.is_reply:
            self._paint_bubble(painter, setting, look)
        for number in self.segments_between(clip.top(), clip.bottom()):
            segment = self.segments[number]
            if not segment.is_measured(setting):
                continue
            top = self.segment_top(number)
            painter.save()
            painter.translate(0, top)
            segment.paint(painter, setting, look, selected(segment), clip.translated(0, -top))
            painter.restore()
            touch(segment)
        self._paint_notice(painter, setting, look)
        self._paint_foot(painter, setting, look)
        if self.is_growing and not self.progress:
            self._paint_caret(painter, setting, look)

    def caret(self, setting: Setting, look: Look) -> QRect:
        """Where the next character will stand."""
        if not self.segments:
            return QRect(0, self.body_top + 2, 2, look.line_height - 4)
        return self.segments[-1].caret(setting, look).translated(0, self.segment_top(len(self.segments) - 1))

    # Its own

    def _begin(self, source: str, look: Look) -> None:
        self._reader = MarkdownReader()
        self._written = [source] if source else []
        self._settled_blocks = self._settled_segments = 0
        self._reader.append(source)
        self._show_written(look)

    def _take_source(self, source: str) -> None:
        self._reader = None
        self._written = [source]
        read = read_markdown if self.turn.is_reply else read_plain
        pieces = cut(source) if self.turn.is_reply else [source]
        self.segments = [UnreadSegment(piece, read) for piece in pieces if piece]
        self._tops = [0] * (len(self.segments) + 1)

    def _show_written(self, look: Look) -> int:
        """Bring the segments in line with the reader; the first pixel row that changed."""
        reader = self._reader
        if reader is None:
            return 0
        finished = reader.finished[self._settled_blocks :]
        changed = len(self.segments)
        groups = list(grouped((*finished, *reader.open_blocks)))
        for number, group in enumerate(groups, self._settled_segments):
            if self._set_segment(number, group, look):
                changed = min(changed, number)
        behind = self._settled_segments + len(groups)
        if behind < len(self.segments):
            self._close_boxes(behind)
            del self.segments[behind:]
            changed = min(changed, behind)
        self._settle(groups, len(finished))
        return self._top_of_change(changed)

    def _set_segment(self, number: int, group: tuple[Block, ...], look: Look) -> bool:
        """Show a group of blocks as the segment of that number; whether that changed anything."""
        previous = self.segments[number - 1] if number else None
        before = previous.last_block if previous else None
        if number < len(self.segments):
            shown = self.segments[number]
            resumes = shown.blocks[0].place.resumes == group[0].place.resumes
            if shown.shows_kind_of(group[0]) and resumes:
                return shown.set_blocks(group, before, look)
            self._close_boxes(number)
            del self.segments[number:]
        self.segments.append(make_segment(group, previous))
        return True

    def _settle(self, groups: Sequence[tuple[Block, ...]], finished: int) -> None:
        """Segments before the last whose blocks are all finished are never looked at again."""
        for group in groups[:-1]:
            if len(group) > finished:
                return
            finished -= len(group)
            self._settled_blocks += len(group)
            self._settled_segments += 1

    def _top_of_change(self, number: int) -> int:
        # The segment before may lose the lower edge of its box.
        number = max(0, min(number - 1, len(self._tops) - 1))
        return self.body_top + self._tops[number]

    def _close_boxes(self, first: int = 0) -> None:
        for segment in self.segments[first:]:
            if isinstance(segment, BoxedSegment):
                segment.leave()

    def _texts(self, segments: Sequence[Segment]) -> list[str]:
        texts: list[str] = []
        for segment in segments:
            texts.append(segment.break_before if texts else "")
            texts.append(segment.whole_text())
        return ["".join(texts)]

    def _bubble_width(self, setting: Setting) -> int:
        if len(self.segments) != 1 or not self.segments[0].is_measured(setting):
            return setting.column
        return min(setting.column, self.segments[0].natural_width())

    def _paint_label(self, painter: QPainter, setting: Setting, look: Look) -> None:
        top = _ABOVE_REPLY if self.turn.is_reply else _ABOVE_QUESTION
        metrics = QFontMetrics(look.label_font)
        painter.setFont(look.label_font)
        painter.setPen(look.theme.muted)
        name = metrics.elidedText(self.caption.name, Qt.TextElideMode.ElideMiddle, setting.column)
        place = QRect(0, top, setting.column, _LABEL - 4)
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, name)

    def _paint_bubble(self, painter: QPainter, setting: Setting, look: Look) -> None:
        top = self.body_top - _BUBBLE_ENDS
        width = self._bubble_width(setting) + 2 * BUBBLE_SIDE
        bubble = QRectF(-BUBBLE_SIDE, top, width, self.body_bottom + _BUBBLE_ENDS - top)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.theme.bubble)
        painter.drawRoundedRect(bubble, _BUBBLE_CORNER, _BUBBLE_CORNER)

    def _height_of_notice(self, setting: Setting, look: Look) -> int:
        if not self.caption.notice:
            return 0
        metrics = QFontMetrics(look.figure_font)
        place = QRect(0, 0, setting.column - _ICON - 8, 10_000)
        return metrics.boundingRect(place, Qt.TextFlag.TextWordWrap, self.caption.notice).height() + 8

    def _paint_notice(self, painter: QPainter, setting: Setting, look: Look) -> None:
        if not self.caption.notice:
            return
        colour = look.theme.error if self.caption.is_error else look.theme.warning
        top = self.body_bottom + 8
        line = math.ceil(QFontMetrics(look.figure_font).height())
        name = "error" if self.caption.is_error else "warning"
        paint_icon(painter, name, colour, QRectF(0, top + (line - _ICON) / 2, _ICON, _ICON))
        painter.setFont(look.figure_font)
        painter.setPen(colour)
        place = QRect(_ICON + 8, top, setting.column - _ICON - 8, self._notice_height)
        painter.drawText(place, Qt.TextFlag.TextWordWrap, self.caption.notice)

    def _paint_foot(self, painter: QPainter, setting: Setting, look: Look) -> None:
        if self.progress:
            _paint_progress(painter, self.progress, QRect(0, self.foot_top, setting.column, _FOOT_LINE), look)
            return
        place = QRect(64, self.foot_top, setting.column - 64, _FOOT_LINE)
        text = QFontMetrics(look.figure_font).elidedText(
            self.caption.figures, Qt.TextElideMode.ElideRight, place.width()
        )
        painter.setFont(look.figure_font)
        painter.setPen(look.theme.muted)
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, text)

    def _paint_caret(self, painter: QPainter, setting: Setting, look: Look) -> None:
        painter.fillRect(self.caret(setting, look), look.theme.decode)


def _segments_of(blocks: Sequence[Block], previous: Segment | None) -> list[Segment]:
    segments: list[Segment] = []
    for group in grouped(blocks):
        previous = make_segment(group, previous)
        segments.append(previous)
    return segments


def _paint_progress(painter: QPainter, progress: Progress, place: QRect, look: Look) -> None:
    painter.setFont(look.figure_font)
    painter.setPen(look.theme.muted)
    painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, progress.text)
    if progress.fraction is None:
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    groove = QRectF(place.x(), place.bottom() - 2, place.width(), _BAR)
    painter.setBrush(look.theme.border)
    painter.drawRoundedRect(groove, _BAR / 2, _BAR / 2)
    fraction = min(1.0, max(0.0, progress.fraction))
    painter.setBrush(_colour_of(progress.kind, look.theme))
    painter.drawRoundedRect(groove.adjusted(0, 0, (fraction - 1) * groove.width(), 0), _BAR / 2, _BAR / 2)


def _colour_of(kind: ProgressKind, theme: Theme) -> QColor:
    match kind:
        case ProgressKind.PREFILL:
            return theme.prefill
        case ProgressKind.DECODE:
            return theme.decode
        case _:
            return theme.accent

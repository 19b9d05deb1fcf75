"""One message in the transcript: whose it is, what was said, how it ended.

It places its segments one below the other and paints them. It is no widget: the transcript asks it for heights,
places and pixels. All words it shows are handed to it.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter

from desktop.conversations import TurnState
from desktop.theme import Theme, paint_icon
from desktop.turns import Turn
from desktop.widgets.column import BUBBLE_SIDE
from desktop.widgets.message_actions import places_in_rows
from desktop.widgets.passage import Passage
from desktop.widgets.progress import Progress, ProgressKind
from desktop.widgets.segments import Marks, Segment
from desktop.widgets.typesetting import Look, Setting

_BUBBLE_ENDS = 10
_BUBBLE_CORNER = 12
_IN_ONE_LINE = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextDontClip  # a large font reaches beyond its room a little
_LABEL = 26
_FOOT = 36
_FOOT_LINE = 28
_BETWEEN = " · "  # the figures of a message
_ICON = 16
_BAR = 3
_ABOVE_QUESTION = 20
_ABOVE_REPLY = 4
_NOTE = 24
_FOLD = 32
_BELOW_THOUGHT = 16  # between an open reasoning and the answer
_THOUGHT_LINE = QRect(-12, 0, 2, 0)  # beside it


@dataclass(frozen=True, slots=True)
class Caption:
    """The words around a message: whose it is, its figures, and a sentence where it did not end well. A `note` is about
    what it was made from; `thought` stands for its reasoning."""

    name: str
    figures: str = ""
    notice: str = ""
    is_error: bool = False
    note: str = ""
    thought: str = ""
    note_icon: str = "information"


class MessageView:
    """A turn as it is drawn. Vertical places are pixels from its own top, always whole."""

    def __init__(self, turn: Turn, caption: Caption, look: Look) -> None:
        self.turn = turn
        self.caption = caption
        self.progress: Progress | None = None
        self.thinking = ""  # in place of the caption's words for the reasoning, while they change
        self.offers: tuple[str, ...] = ()  # what can be done about it, on buttons below its notice
        self.branch: tuple[int, int] | None = None  # which it is of several in its place, counted from one
        self.foot_taken = 0  # pixels of the line with the figures that the actions take
        self._room: int | None = None  # in place of its text, for an editor
        self.segments: list[Segment] = []  # those that are shown: of the reasoning where it is open, then of the answer
        self.height = 0
        self._tops: list[int] = [0]  # of the segments, the end of the last behind them
        self._notice_height = 0
        self._offer_places: tuple[QRect, ...] = ()
        self._answer = self._new_answer(turn, look)
        self._thoughts = [turn.message.reasoning] if turn.message.reasoning else []
        self._thought: Passage | None = None  # while it is open
        self._join()

    @property
    def is_edited(self) -> bool:
        """Whether an editor stands in its place."""
        return self._room is not None

    @property
    def is_growing(self) -> bool:
        return self._answer.is_growing

    @property
    def text(self) -> str:
        """The source of the answer."""
        return self._answer.text

    @property
    def has_thought(self) -> bool:
        """Whether there is reasoning to be opened."""
        return bool(self._thoughts)

    @property
    def thought_text(self) -> str:
        """The source of the reasoning."""
        return "".join(self._thoughts)

    @property
    def is_open(self) -> bool:
        """Whether the reasoning is shown."""
        return self._thought is not None

    @property
    def fold_words(self) -> str:
        """What stands for the reasoning."""
        return self.thinking or self.caption.thought

    @property
    def fold_top(self) -> int:
        """Where the line that opens and closes the reasoning begins."""
        return self._note_top + (_NOTE if self.caption.note else 0)

    @property
    def body_top(self) -> int:
        above = self.fold_top + (_FOLD if self.has_thought else 0)
        return above if self.turn.is_reply else above + _BUBBLE_ENDS

    @property
    def body_bottom(self) -> int:
        return self.body_top + self._tops[-1]

    @property
    def offer_places(self) -> tuple[QRect, ...]:
        """Where the buttons of `offers` stand."""
        top = self.height - _FOOT - (self._offer_places[-1].bottom() + 1 if self._offer_places else 0)
        return tuple(place.translated(0, top) for place in self._offer_places)

    @property
    def foot_top(self) -> int:
        """Where the line with the actions and the figures begins."""
        return self.height - _FOOT + (_FOOT - _FOOT_LINE) // 2

    # What it shows

    def grow(self, text: str, look: Look) -> int | None:
        """Go on with the answer; the first pixel row that changed, or `None` where it cannot grow."""
        if not self.is_growing:
            return None
        changed = self._answer.grow(text, look)
        self._join()
        return self._top_of_change(self._thought_segments + changed)

    def think(self, text: str, look: Look) -> int | None:
        """Go on with the reasoning; the first pixel row that changed, or `None` where nothing did."""
        if not self.is_growing:
            return None
        is_first = not self._thoughts
        self._thoughts.append(text)
        if self._thought is None:
            return self.fold_top if is_first else None
        changed = self._thought.grow(text, look)
        self._join()
        return self._top_of_change(changed)

    def set_open(self, look: Look, *, is_open: bool) -> None:
        """Show the reasoning, or only the line that stands for it."""
        if is_open == self.is_open:
            return
        if self._thought is not None:
            self._thought.close()
        self._thought = self._new_thought(look) if is_open else None
        self._join()

    def set_room(self, height: int | None) -> None:
        """Leave so much room in place of the text; with `None`, show the text again."""
        self._room = height
        self._join()

    def change(self, turn: Turn, caption: Caption, look: Look) -> None:
        """Show the turn as it is now: its end, or other text."""
        source = turn.message.content
        is_writing = turn.state is TurnState.WRITING
        if self.is_growing and source == self.text:
            if not is_writing:
                self._answer.finish(look)
        elif source != self.text or is_writing:
            self._answer.close()
            self._answer = self._new_answer(turn, look)
        self.turn, self.caption = turn, caption
        self._change_thought(turn.message.reasoning, look)
        self._join()
        if not is_writing:
            self.progress = None
            self.thinking = ""

    def first_open(self, *, of_thought: bool = False) -> int:
        """The number of the first segment that may still change when the answer, or the reasoning, grows."""
        if of_thought:
            return self._thought.first_open if self._thought is not None else 0
        return self._thought_segments + self._answer.first_open

    def read(self, number: int) -> list[Segment]:
        """Put the segments of an unread one in its place, and say which they are."""
        thoughts = self._thought_segments
        if self._thought is not None and number < thoughts:
            segments = self._thought.read(number)
        else:
            segments = self._answer.read(number - thoughts)
        self._join()
        return segments

    def whole_text(self) -> str:
        """Everything it shows, as text."""
        said = (self.caption.name, self.caption.note, self.fold_words if self.has_thought else "")
        thought = self._thought.shown_text() if self._thought is not None else ""
        last = self.progress.text if self.progress else self.caption.figures
        parts = (*said, thought, self.body_text(), self.caption.notice, *self.offers, last)
        return "\n".join(part for part in parts if part)

    def body_text(self) -> str:
        """What was said, as it is shown; what was thought is no part of it."""
        return self._answer.shown_text()

    # Where it stands

    def lay_out(self, setting: Setting, look: Look, first: int = 0) -> None:
        """Place the segments from `first` on, with the heights that are known or can be guessed now."""
        for segment in self.segments[first:]:
            if not segment.is_measured(setting):
                segment.rescale(setting, look)
        heights = (self._gap(number) + self.segments[number].height for number in range(first, len(self.segments)))
        self._tops[first:] = accumulate(heights, initial=self._tops[first])
        if first == 0 and len(self._tops) == 1 and self.is_growing and self.turn.streamed is not False:
            self._tops = [0, look.line_height]  # the place of the first line, so that it moves nothing
        if self._room is not None:
            self._tops = [0, self._room]
        self._notice_height = self._height_of_notice(setting, look)
        self._offer_places = places_in_rows(() if self.is_edited else self.offers, setting.column)
        offers = self._offer_places[-1].bottom() + 9 if self._offer_places else 0
        below = _BUBBLE_ENDS if not self.turn.is_reply else 0
        self.height = self.body_bottom + below + self._notice_height + offers + _FOOT

    def segment_top(self, number: int) -> int:
        """Where a segment's own picture begins, below the gap above it."""
        return self.body_top + self._tops[number] + self._gap(number)

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
        marks: Callable[[Segment], Marks],
        touch: Callable[[Segment], None],
    ) -> None:
        """Paint what lies within `clip`; the origin is at the message's top and the left edge of its text."""
        if clip.top() < self.body_top:
            self._paint_label(painter, setting, look)
            self._paint_note(painter, setting, look)
        if self._thought_segments and not self.is_edited:
            thought = self._tops[self._thought_segments] if self.is_open else 0
            place = _THOUGHT_LINE.translated(0, self.body_top)
            painter.fillRect(place.adjusted(0, 0, 0, thought), look.theme.border)
        if not self.turn.is_reply and not self.is_edited:
            self._paint_bubble(painter, setting, look)
        for number in self.segments_between(clip.top(), clip.bottom()):
            segment = self.segments[number]
            if not segment.is_measured(setting):
                continue
            top = self.segment_top(number)
            painter.save()
            painter.translate(0, top)
            segment.paint(painter, setting, look, marks(segment), clip.translated(0, -top))
            painter.restore()
            touch(segment)
        self._paint_notice(painter, setting, look)
        self._paint_foot(painter, setting, look)
        if self.is_growing and not self.progress and (self.segments or not self.has_thought):
            self._paint_caret(painter, setting, look)

    def caret(self, setting: Setting, look: Look) -> QRect:
        """Where the next character will stand."""
        if not self.segments:
            return QRect(0, self.body_top + 2, 2, look.line_height - 4)
        return self.segments[-1].caret(setting, look).translated(0, self.segment_top(len(self.segments) - 1))

    # Its own

    @property
    def _note_top(self) -> int:
        return (_ABOVE_REPLY if self.turn.is_reply else _ABOVE_QUESTION) + _LABEL

    @property
    def _thought_segments(self) -> int:
        """How many of the segments are those of the reasoning."""
        return 0 if self._thought is None else len(self._thought.segments)

    def _new_answer(self, turn: Turn, look: Look) -> Passage:
        grows = turn.state is TurnState.WRITING
        return Passage(turn.message.content, look, grows=grows, is_plain=not turn.is_reply)

    def _new_thought(self, look: Look) -> Passage:
        return Passage("".join(self._thoughts), look, grows=self.is_growing, is_quiet=True)

    def _change_thought(self, reasoning: str, look: Look) -> None:
        is_other = reasoning != "".join(self._thoughts)
        self._thoughts = [reasoning] if reasoning else []
        if self._thought is None:
            return
        if is_other or not self.has_thought:
            self._thought.close()
            self._thought = self._new_thought(look) if self.has_thought else None
        elif not self.is_growing:
            self._thought.finish(look)

    def _join(self) -> None:
        """Have all that is shown in one list."""
        if self._room is not None:
            self.segments = []
        elif self._thought is None:
            self.segments = self._answer.segments
        else:
            self.segments = [*self._thought.segments, *self._answer.segments]
        # What is added stands at the end until it is laid out.
        missing = len(self.segments) + 1 - len(self._tops)
        if missing > 0:
            self._tops += [self._tops[-1]] * missing

    def _gap(self, number: int) -> int:
        """The room above a segment."""
        is_first_of_answer = number and number == self._thought_segments
        return self.segments[number].gap + (_BELOW_THOUGHT if is_first_of_answer else 0)

    def _top_of_change(self, number: int) -> int:
        # The segment before may lose the lower edge of its box.
        number = max(0, min(number - 1, len(self._tops) - 1))
        return self.body_top + self._tops[number]

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
        painter.drawText(place, _IN_ONE_LINE | Qt.AlignmentFlag.AlignLeft, name)

    def _paint_note(self, painter: QPainter, setting: Setting, look: Look) -> None:
        if not self.caption.note:
            return
        paint_icon(painter, self.caption.note_icon, look.theme.muted, QRectF(0, self._note_top + 2, _ICON, _ICON))
        painter.setFont(look.figure_font)
        painter.setPen(look.theme.muted)
        place = QRect(_ICON + 8, self._note_top, setting.column - _ICON - 8, _NOTE - 4)
        note = QFontMetrics(look.figure_font).elidedText(self.caption.note, Qt.TextElideMode.ElideRight, place.width())
        painter.drawText(place, _IN_ONE_LINE | Qt.AlignmentFlag.AlignLeft, note)

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
        place = QRect(0, self.foot_top, setting.column, _FOOT_LINE).adjusted(self.foot_taken + 8, 0, 0, 0)
        text = whole_parts(self.caption.figures, QFontMetrics(look.figure_font), place.width())
        painter.setFont(look.figure_font)
        painter.setPen(look.theme.muted)
        painter.drawText(place, _IN_ONE_LINE | Qt.AlignmentFlag.AlignRight, text)

    def _paint_caret(self, painter: QPainter, setting: Setting, look: Look) -> None:
        painter.fillRect(self.caret(setting, look), look.theme.decode)


def whole_parts(figures: str, metrics: QFontMetrics, width: int) -> str:
    """As many of the figures as have room, from the middle and the end left out: a figure that is cut says nothing."""
    parts = figures.split(_BETWEEN)
    while True:
        whole = _BETWEEN.join(parts)
        # What it cuts, it alone knows: by their width in whole pixels some would just have had room.
        shown = metrics.elidedText(whole, Qt.TextElideMode.ElideRight, width)
        if shown == whole or len(parts) == 1:
            return shown
        del parts[1]


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

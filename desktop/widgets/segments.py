"""Pieces of messages, each drawn as one small QTextDocument that is made when it is seen.

A message of any length is a row of them, so that what a token, a resize or a scroll costs depends on what is
visible alone. A segment knows its blocks and its size; where it stands is its message's business.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, cast

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QPainter,
    QPalette,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextLayout,
    QTextLine,
)

from desktop.markdown import Block
from desktop.markdown_writing import clipped
from desktop.theme import Theme
from desktop.widgets.formula_drawing import HIDDEN
from desktop.widgets.typesetting import (
    LINE_BREAK,
    Look,
    Setting,
    all_runs,
    break_before,
    new_document,
    plain_text,
    space_before,
)

END = 2**31 - 1  # a position behind all text of a segment

Span: TypeAlias = tuple[int, int]  # from one position in a document to another
Selected = Span | None


@dataclass(frozen=True, slots=True)
class Marks:
    """What is drawn behind the text of a segment: what is selected, what was found, which of that one was led to."""

    selected: Selected = None
    hits: tuple[Span, ...] = ()
    current: Selected = None


NO_MARKS = Marks()


class Segment(ABC):
    """A stretch of a message. Its height is an estimate until it is measured for a setting."""

    def __init__(self, blocks: tuple[Block, ...], before: Block | None) -> None:
        self.blocks = blocks
        self.gap = space_before(blocks[0], before) if blocks else 0
        self._before = before
        self.height = 0
        self.is_quiet = False  # drawn in the muted colour
        self.document: QTextDocument | None = None
        self._measured_for: Setting | None = None
        self._known: tuple[int, int] | None = None  # a height, and the column it was good for

    @property
    def last_block(self) -> Block | None:
        return self.blocks[-1] if self.blocks else None

    @property
    def break_before(self) -> str:
        """What separates its text from the text before it."""
        return break_before(self.blocks[0]) if self.blocks else "\n\n"

    @property
    def characters(self) -> int:
        """Positions in its document; `END` while nobody has counted."""
        return self.document.characterCount() - 1 if self.document else END

    @property
    def first_position(self) -> int:
        """Where its text begins."""
        return 0

    @property
    def last_position(self) -> int:
        """Where its text ends; `END` while nobody has counted."""
        return self.characters

    def is_measured(self, setting: Setting) -> bool:
        return self._measured_for == setting

    def forget_measure(self) -> None:
        self._measured_for = None

    def measure(self, setting: Setting, look: Look) -> None:
        """Lay it out and know its height."""
        self.height = self._lay_out(self.open_document(look), setting, look)
        self._measured_for = setting
        self._known = self.height, setting.column

    def rescale(self, setting: Setting, look: Look) -> None:
        """Guess the height for another column from what is known."""
        if self._known is None:
            self.estimate(setting, look)
            self._known = self.height, setting.column
        height, column = self._known
        self.height = height * column // setting.column

    def open_document(self, look: Look) -> QTextDocument:
        if self.document is None:
            self.document = self._make_document(self._own(look))
            if self._measured_for:
                self._lay_out(self.document, self._measured_for, look)
        return self.document

    def close_document(self) -> None:
        """Give the document back; the height stays known."""
        self.document = None

    def set_blocks(self, blocks: tuple[Block, ...], before: Block | None, look: Look) -> bool:
        """Show other blocks of the same kind; whether anything changed."""
        if self.blocks == blocks:
            return False
        old, self.blocks = self.blocks, blocks
        self.gap = space_before(blocks[0], before)
        self._before = before
        self._known = None
        if self.document:
            self._rewrite(self.document, old, self._own(look))
        self.forget_measure()
        return True

    def awaits_formulas(self, look: Look) -> bool:
        """Whether it shows a formula as text until there is a picture of it."""
        return look.formulas is not None and any(
            run.formula and look.formulas.is_awaited(run) for block in self.blocks for run in all_runs(block)
        )

    def write_anew(self) -> None:
        """There are pictures that its document was written without."""
        self.close_document()
        self.forget_measure()

    def position_at(self, point: QPoint, look: Look, setting: Setting) -> int:
        """The position nearest to a point."""
        document = self.open_document(look)
        inner = QPointF(point) - self._origin(setting, look)
        position = document.documentLayout().hitTest(inner, Qt.HitTestAccuracy.FuzzyHit)
        while document.characterAt(position) == HIDDEN:  # within a formula, which has two sides and no inside
            position += 1
        return position

    def link_at(self, point: QPoint, look: Look, setting: Setting) -> str:
        layout = self.open_document(look).documentLayout()
        return layout.anchorAt(QPointF(point) - self._origin(setting, look))

    def word_at(self, position: int, look: Look) -> tuple[int, int]:
        return self._around(position, QTextCursor.SelectionType.WordUnderCursor, look)

    def text(self, begin: int, end: int, look: Look) -> str:
        """The text between two positions, with the markers of blocks whose beginning is in it."""
        if begin <= 0 and end >= self.characters:
            return self.whole_text()
        return self._text_between(self.open_document(look), begin, end)

    def whole_text(self) -> str:
        return _text_of(self.blocks)

    def width(self, setting: Setting, _look: Look) -> int:
        """How wide it is drawn."""
        return setting.column

    def natural_width(self) -> int:
        """How wide its widest line is, where that is known and it stands at the left."""
        if self.document is None or self.document.firstBlock().textDirection() is Qt.LayoutDirection.RightToLeft:
            return END
        return math.ceil(self.document.idealWidth())

    def caret(self, setting: Setting, look: Look) -> QRect:
        """Where the next character will stand."""
        block = self._last_text_block(self.open_document(look))
        return self.place_of(block.position() + block.length() - 1, setting, look)

    def place_of(self, position: int, setting: Setting, look: Look) -> QRect:
        """The narrow place before the character at a position, as high as a letter."""
        document = self.open_document(look)
        block = document.findBlock(max(0, min(position, self.characters)))
        place = self._origin(setting, look) + document.documentLayout().blockBoundingRect(block).topLeft()
        line = block.layout().lineForTextPosition(position - block.position())
        if not line.isValid():
            return QRect(round(place.x()), round(place.y()), 2, look.line_height)
        x = _x_of(line, position - block.position())
        top = place.y() + line.y() + line.ascent() - look.message_metrics.ascent()
        return QRect(round(place.x() + x) + 1, round(top) + 1, 2, math.ceil(look.message_metrics.height()) - 2)

    def places_of(self, span: Span, setting: Setting, look: Look) -> list[QRectF]:
        """Where the text between two positions stands, line by line."""
        document = self.open_document(look)
        origin = self._origin(setting, look)
        places: list[QRectF] = []
        block = document.findBlock(span[0])
        while block.isValid() and block.position() < span[1]:
            corner = origin + document.documentLayout().blockBoundingRect(block).topLeft()
            begin, end = span[0] - block.position(), min(span[1] - block.position(), block.length() - 1)
            places += (
                place.translated(corner - block.layout().position())
                for place in places_of_span(block.layout(), max(0, begin), end)
            )
            block = block.next()
        return places

    def moved(self, position: int, move: QTextCursor.MoveOperation, look: Look) -> int:
        """Where a caret comes to that is moved so; the same position where it is at an end."""
        cursor = _cursor(self.open_document(look), position, position)
        cursor.movePosition(move)
        return max(self.first_position, min(cursor.position(), self.last_position))

    def blocks_between(self, begin: int, end: int) -> list[Block]:
        """What of its blocks stands between two positions."""
        parts: list[Block] = []
        position = 0
        for block, text in zip(self.blocks, self.document_text().split("\n"), strict=False):
            length = units(text)
            first, last = max(begin - position, 0), min(end - position, length)
            if first <= last and (first < last or not length):
                # Blocks are cut between characters, not between UTF-16 units.
                first, last = len(text_of_units(text, 0, first)), len(text_of_units(text, 0, last))
                part = clipped(block, first, last)
                parts += [part] if part is not None else []
            position += length + 1
        return parts

    def links(self) -> list[tuple[Span, str]]:
        """The links in it, in order."""
        return []

    @abstractmethod
    def document_text(self) -> str:
        """The text as it stands in the document, known without making one: a character for each position, but two
        positions for what takes two units in UTF-16; blocks and cells end with a line feed."""

    @abstractmethod
    def shows_kind_of(self, block: Block) -> bool:
        """Whether a segment like this one shows such a block."""

    @abstractmethod
    def estimate(self, setting: Setting, look: Look) -> None:
        """Guess the height, cheaply."""

    @abstractmethod
    def paint(self, painter: QPainter, setting: Setting, look: Look, marks: Marks, clip: QRect) -> None:
        """Draw it with its upper left corner at the origin."""

    @abstractmethod
    def _make_document(self, look: Look) -> QTextDocument: ...

    @abstractmethod
    def _lay_out(self, document: QTextDocument, setting: Setting, look: Look) -> int:
        """Lay the document out; the segment's height."""

    @abstractmethod
    def _rewrite(self, document: QTextDocument, old: tuple[Block, ...], look: Look) -> None:
        """Bring a document that shows `old` up to date."""

    def _origin(self, _setting: Setting, _look: Look) -> QPointF:
        """Where the document stands in the segment."""
        return QPointF(0, 0)

    def _last_text_block(self, document: QTextDocument) -> QTextBlock:
        return document.lastBlock()

    def _draw(self, painter: QPainter, look: Look, marks: Marks, clip: QRectF) -> None:
        document = self.open_document(look)
        document.size()  # lays out what colours have changed: drawing alone would leave it out
        context = QAbstractTextDocumentLayout.PaintContext()
        palette = QPalette()
        palette.setColor(QPalette.ColorRole.Text, self._own(look).theme.text)
        context.palette = palette
        context.clip = clip
        if marks is not NO_MARKS:
            context.selections = list(_selections(document, self._within_text(marks), look.theme))
        document.documentLayout().draw(painter, context)
        if look.formulas is not None:
            look.formulas.paint(painter)

    def _within_text(self, marks: Marks) -> Marks:
        """Without what Qt keeps before the text and behind it."""
        if marks.selected is None or not self.first_position:
            return marks
        begin, end = marks.selected
        return replace(marks, selected=(max(begin, self.first_position), min(end, self.last_position)))

    def _paint_quotes(self, painter: QPainter, look: Look) -> None:
        """The bars of the quotes that all of it stands in, from where the one before it ended."""
        if self.blocks and self.blocks[0].place.quotes:
            paint_quote(painter, (-self.gap, 0, self.height), self.blocks[0], self._before, look)

    def _own(self, look: Look) -> Look:
        return look.quiet if self.is_quiet else look

    def _around(self, position: int, kind: QTextCursor.SelectionType, look: Look) -> tuple[int, int]:
        cursor = _cursor(self.open_document(look), position, position)
        cursor.select(kind)
        begin, end = cursor.selectionStart(), cursor.selectionEnd()
        if kind is QTextCursor.SelectionType.BlockUnderCursor and begin < cursor.block().position():
            begin = cursor.block().position()  # Qt takes the break before the block along
        return begin, end

    def _text_between(self, document: QTextDocument, begin: int, end: int) -> str:
        lines: list[str] = []
        shown = self.document_text()  # the document itself has objects in place of formulas
        block = document.findBlock(min(begin, self.characters))
        while block.isValid() and block.position() < end:
            first, last = max(begin - block.position(), 0), min(end - block.position(), block.length() - 1)
            text = text_of_units(shown, block.position() + first, block.position() + last).replace(LINE_BREAK, "\n")
            lines.append(self._with_marker(block, text) if not first else text)
            block = block.next()
        return "\n".join(lines)

    def _with_marker(self, _block: QTextBlock, text: str) -> str:
        return text


class UnreadSegment(Segment):
    """Source that nobody has looked at yet: its height is a guess, and reading it gives other segments."""

    def __init__(self, source: str, read: Callable[[str], tuple[Block, ...]]) -> None:
        super().__init__((), None)
        self.source = source
        self._read = read

    def read(self) -> tuple[Block, ...]:
        return self._read(self.source)

    def whole_text(self) -> str:
        return _text_of(self.read())

    def document_text(self) -> str:
        return ""  # it has no document: what it will become has

    def shows_kind_of(self, block: Block) -> bool:  # noqa: ARG002 - same for all
        return False

    def is_measured(self, setting: Setting) -> bool:  # noqa: ARG002 - same for all
        return False

    def estimate(self, setting: Setting, look: Look) -> None:
        per_line = max(8, int(setting.column / look.message_metrics.averageCharWidth()))
        lines = len(self.source) // per_line + self.source.count("\n") // 2 + 1
        self.height = lines * look.line_height

    def paint(self, painter: QPainter, setting: Setting, look: Look, marks: Marks, clip: QRect) -> None:
        """Nothing: it is read before it is seen."""

    def _make_document(self, look: Look) -> QTextDocument:
        return new_document(look, wraps=True)

    def _lay_out(self, document: QTextDocument, setting: Setting, look: Look) -> int:  # noqa: ARG002 - same for all
        return self.height

    def _rewrite(self, document: QTextDocument, old: tuple[Block, ...], look: Look) -> None:
        """Its source never changes."""


class Shelf:
    """The documents that are kept: the last ones that were used, so that scrolling back and forth is cheap."""

    def __init__(self, capacity: int = 150) -> None:
        self._capacity = capacity
        self._used: OrderedDict[Segment, None] = OrderedDict()

    def touch(self, segment: Segment) -> None:
        self._used[segment] = None
        self._used.move_to_end(segment)
        while len(self._used) > self._capacity:
            oldest, _ = self._used.popitem(last=False)
            oldest.close_document()

    def clear(self) -> None:
        """Close every document: what they were written with has changed."""
        for segment in self._used:
            segment.close_document()
        self._used.clear()


def units(text: str) -> int:
    """How many positions a text takes, counted as Qt counts, in UTF-16 units."""
    return len(text) if max(text, default="") <= "\uffff" else len(text.encode("utf-16-le", "surrogatepass")) // 2


def text_of_units(text: str, first: int, last: int) -> str:
    """A slice counted as Qt counts, in UTF-16 units."""
    if max(text, default="") <= "\uffff":
        return text[first:last]
    return text.encode("utf-16-le", "surrogatepass")[2 * first : 2 * last].decode("utf-16-le", "replace")


def _text_of(blocks: Sequence[Block]) -> str:
    lines: list[str] = []
    for number, block in enumerate(blocks):
        if number:
            lines.append(break_before(block))
        lines.append(plain_text(block))
    return "".join(lines)


def _selections(document: QTextDocument, marks: Marks, theme: Theme) -> Iterator[QAbstractTextDocumentLayout.Selection]:
    """From the lowest to the uppermost."""
    for span in marks.hits:
        yield _selection(document, span, theme.find_hit, theme.text)
    if marks.current:
        yield _selection(document, marks.current, theme.accent, theme.on_accent)
    if marks.selected:
        yield _selection(document, marks.selected, theme.selection, theme.text)


def _selection(
    document: QTextDocument, span: Span, behind: QColor, ink: QColor
) -> QAbstractTextDocumentLayout.Selection:
    selection = QAbstractTextDocumentLayout.Selection()
    selection.cursor = _cursor(document, *span)
    selection.format = QTextCharFormat()
    selection.format.setBackground(behind)
    selection.format.setForeground(ink)
    return selection


def _cursor(document: QTextDocument, begin: int, end: int) -> QTextCursor:
    last = document.characterCount() - 1
    cursor = QTextCursor(document)
    cursor.setPosition(min(begin, last))
    cursor.setPosition(min(end, last), QTextCursor.MoveMode.KeepAnchor)
    return cursor


def places_of_span(layout: QTextLayout, begin: int, end: int) -> Iterator[QRectF]:
    """Where the text from one position to another stands, line by line."""
    position = layout.position()
    for number in range(layout.lineCount()):
        line = layout.lineAt(number)
        first, last = max(begin, line.textStart()), min(end, line.textStart() + line.textLength())
        if first >= last:
            continue
        left, right = sorted((_x_of(line, first), _x_of(line, last)))
        yield QRectF(position.x() + left - 2, position.y() + line.y() + 1, right - left + 4, line.height() - 1)


def _x_of(line: QTextLine, position: int) -> float:
    # The stubs call the pair that comes back an object.
    x, _ = cast("tuple[float, int]", line.cursorToX(position))
    return x


def paint_quote(
    painter: QPainter,
    heights: tuple[float, float, float],
    block: Block,
    before: Block | None,
    look: Look,
    right: int | None = None,
) -> None:
    """The bars beside a block, one for each quote around it. `heights` are where the block before it ended, where it
    begins and where it ends: a quote that both stand in has no gap. Text that is read from the right begins at
    `right`, and has its bars there."""
    end_before, begin, end = heights
    shared = before.place.quotes if before else 0
    for level in range(block.place.quotes):
        top = round(end_before if level < shared else begin)
        edge = (block.place.outside + level) * look.indent + 2
        x = edge if right is None else right - edge - 3
        painter.fillRect(QRect(x, top, 3, round(end) - top), look.theme.border)

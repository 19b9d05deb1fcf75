"""Segments in a box of their own, which may be wider than the text: code and tables."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QPainter,
    QPainterPath,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextLayout,
    QTextTable,
)

from desktop.markdown import Block, Fence, Run, Table
from desktop.markdown_writing import clipped
from desktop.widgets import highlight
from desktop.widgets.segments import Marks, Segment, Span, text_of_units, units
from desktop.widgets.typesetting import (
    CELL_HEIGHT,
    LINE_BREAK,
    Look,
    Setting,
    code_block_format,
    code_format,
    column_widths,
    new_document,
    write_table,
)

_PADDING = 16  # of a code box, at its sides
_PADDING_ENDS = 12  # above and below the code
_HEADER = 32
_CORNER = 8
_SCROLLER = 4


class Box:
    """What the stretches of one code box or table share: its members, its widths, how far it is scrolled sideways."""

    def __init__(self) -> None:
        self.members: list[BoxedSegment] = []
        self.natural = 0  # pixels that the widest line takes
        self.offset = 0
        self.columns: tuple[int, ...] = ()
        self.is_coloured = False  # or somebody is at it

    @property
    def code(self) -> str:
        """All the code in it."""
        return "".join(member.fence.text for member in self.members if isinstance(member, CodeSegment))

    @property
    def wants_colours(self) -> bool:
        """Whether it is code that is all there, of a language that has a name."""
        last = self.members[-1] if self.members else None
        is_whole_code = isinstance(last, CodeSegment) and last.fence.closed and bool(last.fence.language)
        return is_whole_code and not self.is_coloured

    def scroll(self, by: int, visible: int) -> bool:
        """Move sideways; whether it moved."""
        before = self.offset
        self.offset = max(0, min(self.offset + by, self.natural - visible))
        return self.offset != before


class BoxedSegment(Segment):
    """A stretch of something that may be wider than the text: it scrolls sideways as a whole."""

    def __init__(self, blocks: tuple[Block, ...], before: Block | None, box: Box) -> None:
        super().__init__(blocks, before)
        self.box = box
        if box.members:
            box.members[-1].forget_measure()  # it is no longer the lower end
        box.members.append(self)

    @property
    def is_first(self) -> bool:
        return self.box.members[0] is self

    @property
    def is_last(self) -> bool:
        return self.box.members[-1] is self

    def rescale(self, setting: Setting, look: Look) -> None:
        if not self.height:
            self.estimate(setting, look)

    def leave(self) -> None:
        """It is not shown any longer."""
        self.box.members.remove(self)

    def indent(self, look: Look) -> int:
        """How far from the left edge of the text it stands."""
        place = self.blocks[0].place
        return look.indent * (place.depth + place.quotes)

    def visible_width(self, setting: Setting, look: Look) -> int:
        """How much of the content can be seen at once."""
        raise NotImplementedError

    def scroll(self, by: int, setting: Setting, look: Look) -> bool:
        return self.box.scroll(by, self.visible_width(setting, look))

    def overflows(self, setting: Setting, look: Look) -> bool:
        return self.box.natural > self.visible_width(setting, look)

    def _paint_scroller(self, painter: QPainter, place: QRectF, setting: Setting, look: Look) -> None:
        """The thin bar that says there is more at the side."""
        visible = self.visible_width(setting, look)
        if not self.is_last or self.box.natural <= visible:
            return
        length = max(24.0, place.width() * visible / self.box.natural)
        shift = (place.width() - length) * self.box.offset / (self.box.natural - visible)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.theme.field_edge)
        painter.drawRoundedRect(QRectF(place.x() + shift, place.y(), length, place.height()), 2, 2)


class CodeSegment(BoxedSegment):
    """Code, or a stretch of a long one, in a box with the name of its language."""

    def __init__(self, blocks: tuple[Block, ...], before: Block | None, box: Box) -> None:
        super().__init__(blocks, before, box)
        self._colours: dict[int, highlight.Line] = {}
        self._look: Look | None = None  # that the document was written with

    @property
    def fence(self) -> Fence:
        block = self.blocks[0]
        if not isinstance(block, Fence):
            raise TypeError(block)
        return block

    @property
    def shown(self) -> str:
        """The code as it is drawn: the line break at its end starts no line."""
        return self.fence.text.removesuffix("\n")

    def shows_kind_of(self, block: Block) -> bool:
        return isinstance(block, Fence)

    def document_text(self) -> str:
        return self.shown

    def blocks_between(self, begin: int, end: int) -> list[Block]:
        text = self.shown
        first, last = len(text_of_units(text, 0, begin)), len(text_of_units(text, 0, end))
        part = clipped(self.fence, first, last)
        return [part] if part is not None else []

    def estimate(self, setting: Setting, look: Look) -> None:  # noqa: ARG002 - same for all
        self.height = (self.shown.count("\n") + 1) * look.code_line_height + self._above + self._below

    def colour(self, line: int, spans: highlight.Line) -> None:
        """Colour one line for good."""
        self._colours[line] = spans
        if self.document and self._look:
            _apply_colours(self.document.findBlockByNumber(line), spans, self._look)

    def width(self, setting: Setting, look: Look) -> int:
        widest = setting.widest - self.indent(look)
        return min(widest, max(setting.column - self.indent(look), self.box.natural + 2 * _PADDING))

    def visible_width(self, setting: Setting, look: Look) -> int:
        return self.width(setting, look) - 2 * _PADDING

    def paint(self, painter: QPainter, setting: Setting, look: Look, marks: Marks, clip: QRect) -> None:
        self._paint_quotes(painter, look)
        width = self.width(setting, look)
        box = QRectF(self.indent(look), 0, width, self.height)
        _paint_piece_of_box(painter, box, look, is_first=self.is_first, is_last=self.is_last)
        if self.is_first and self.fence.language:
            painter.setFont(look.figure_font)
            painter.setPen(look.theme.muted)
            place = QRectF(self.indent(look) + _PADDING, 0, width - 2 * _PADDING, _HEADER)
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.fence.language)
            painter.fillRect(QRectF(self.indent(look) + 1, _HEADER - 1, width - 2, 1), look.theme.border)
        if self.blocks[0].place.marker:
            _paint_marker_text(painter, self.blocks[0], self.indent(look), self._above, look)
        painter.save()
        painter.setClipRect(box.adjusted(_PADDING - 4, 0, 4 - _PADDING, 0), Qt.ClipOperation.IntersectClip)
        origin = self._origin(setting, look)
        painter.translate(origin)
        self._draw(painter, look, marks, QRectF(clip).translated(-origin))
        painter.restore()
        place = QRectF(self.indent(look) + _PADDING, self.height - 8, width - 2 * _PADDING, _SCROLLER)
        self._paint_scroller(painter, place, setting, look)

    @property
    def _above(self) -> int:
        if not self.is_first:
            return 0
        return _PADDING_ENDS + (_HEADER if self.fence.language else 0)

    @property
    def _below(self) -> int:
        return _PADDING_ENDS if self.is_last else 0

    def _origin(self, setting: Setting, look: Look) -> QPointF:  # noqa: ARG002 - same for all
        return QPointF(self.indent(look) + _PADDING - self.box.offset, self._above)

    def _make_document(self, look: Look) -> QTextDocument:
        document = new_document(look, wraps=False)
        document.setDefaultFont(look.code_font)
        self._write(document, self.shown, look)
        return document

    def _write(self, document: QTextDocument, text: str, look: Look) -> None:
        self._look = look
        document.clear()
        cursor = QTextCursor(document)
        cursor.setBlockFormat(code_block_format(look))
        cursor.insertText(text, code_format(look))
        self._colour_from(document, 0, look)

    def _lay_out(self, document: QTextDocument, setting: Setting, look: Look) -> int:
        self.box.natural = max(self.box.natural, math.ceil(document.idealWidth()))
        self.box.scroll(0, self.visible_width(setting, look))
        for_scroller = _SCROLLER + 4 if self.is_last and self.overflows(setting, look) else 0
        return math.ceil(document.size().height()) + self._above + self._below + for_scroller

    def _rewrite(self, document: QTextDocument, old: tuple[Block, ...], look: Look) -> None:
        before = old[0]
        shown = before.text.removesuffix("\n") if isinstance(before, Fence) else ""
        if not self.shown.startswith(shown) or not isinstance(before, Fence) or before.language != self.fence.language:
            self._colours.clear()
            self._write(document, self.shown, look)
            return
        first = document.blockCount() - 1
        cursor = QTextCursor(document)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(self.shown[len(shown) :], code_format(look))
        self._colour_from(document, first, look)

    def _colour_from(self, document: QTextDocument, first: int, look: Look) -> None:
        """Colour lines roughly that have no exact colours yet; the last only when it has ended."""
        block = document.findBlockByNumber(first)
        while block.isValid():
            number = block.blockNumber()
            spans = self._colours.get(number)
            if spans is None and (block.next().isValid() or self.fence.text.endswith("\n") or self.fence.closed):
                spans = highlight.rough_line(block.text(), self.fence.language)
            if spans:
                _apply_colours(block, spans, look)
            block = block.next()


class TableSegment(BoxedSegment):
    """A table, or a stretch of a long one: as wide as it needs, lines between its rows."""

    def __init__(self, blocks: tuple[Block, ...], before: Block | None, box: Box) -> None:
        super().__init__(blocks, before, box)
        self._grid: QTextTable | None = None
        self._widths: tuple[int, ...] = ()

    @property
    def table(self) -> Table:
        block = self.blocks[0]
        if not isinstance(block, Table):
            raise TypeError(block)
        return block

    @property
    def first_position(self) -> int:
        return 1  # Qt begins each cell with a mark of its own

    @property
    def last_position(self) -> int:
        return self.characters - 1  # and keeps an empty block behind the table

    def shows_kind_of(self, block: Block) -> bool:
        return isinstance(block, Table)

    def blocks_between(self, begin: int, end: int) -> list[Block]:
        """The rows that are touched, with the header: without it they would be no table."""
        rows: list[tuple[tuple[Run, ...], ...]] = []
        position = 0
        for row in self.table.rows if self.table.place.resumes else (self.table.header, *self.table.rows):
            length = sum(1 + sum(units(run.text) for run in cell) for cell in row)
            if position < end and begin < position + length + 1:
                rows.append(row)
            position += length
        if not self.table.place.resumes and rows and rows[0] is self.table.header:
            rows = rows[1:]
        return [replace(self.table, rows=tuple(rows))]

    def document_text(self) -> str:
        cells = ("".join(run.text for run in cell).replace("\n", LINE_BREAK) for cell in self._cells())
        return "".join(f"\n{cell}" for cell in cells)

    def links(self) -> list[tuple[Span, str]]:
        found: list[tuple[Span, str]] = []
        position = 0
        for cell in self._cells():
            position += 1
            for run in cell:
                end = position + units(run.text)
                if run.link:
                    found.append(((position, end), run.link))
                position = end
        return found

    def estimate(self, setting: Setting, look: Look) -> None:  # noqa: ARG002 - same for all
        self.height = (len(self.table.rows) + self.is_first) * (look.line_height + 2 * CELL_HEIGHT)

    def width(self, setting: Setting, look: Look) -> int:
        return self.visible_width(setting, look)

    def visible_width(self, setting: Setting, look: Look) -> int:
        return min(setting.widest - self.indent(look), max(1, self.box.natural))

    def paint(self, painter: QPainter, setting: Setting, look: Look, marks: Marks, clip: QRect) -> None:
        self._paint_quotes(painter, look)
        self.open_document(look)
        painter.save()
        frame = QRectF(self.indent(look), 0, self.visible_width(setting, look), self.height)
        painter.setClipRect(frame, Qt.ClipOperation.IntersectClip)
        origin = self._origin(setting, look)
        painter.translate(origin)
        self._paint_rows(painter, look)
        self._draw(painter, look, marks, QRectF(clip).translated(-origin))
        painter.restore()
        place = QRectF(frame.x(), self.height - _SCROLLER, frame.width(), _SCROLLER)
        self._paint_scroller(painter, place, setting, look)

    def close_document(self) -> None:
        self._grid = None
        super().close_document()

    def _origin(self, setting: Setting, look: Look) -> QPointF:  # noqa: ARG002 - same for all
        return QPointF(self.indent(look) - self.box.offset, 0)

    def _make_document(self, look: Look) -> QTextDocument:
        self._widths = ()
        return new_document(look, wraps=True)

    def _lay_out(self, document: QTextDocument, setting: Setting, look: Look) -> int:
        widths = self._columns(setting, look)
        if widths != self._widths:
            self._grid = write_table(document, self.table, widths, look)
            self._widths = widths
        self.box.natural = sum(widths)
        self.box.scroll(0, self.visible_width(setting, look))
        document.setTextWidth(sum(widths))
        below = 8 if self.overflows(setting, look) and self.is_last else 0
        return math.ceil(document.size().height()) + below

    def _columns(self, setting: Setting, look: Look) -> tuple[int, ...]:
        """The first stretch says how wide the columns are."""
        if self.is_first:
            self.box.columns = column_widths(self.table, look, setting.widest - self.indent(look))
        return self.box.columns or column_widths(self.table, look, setting.widest - self.indent(look))

    def _rewrite(self, document: QTextDocument, old: tuple[Block, ...], look: Look) -> None:  # noqa: ARG002 - same
        self._widths = ()

    def _last_text_block(self, document: QTextDocument) -> QTextBlock:
        return document.lastBlock().previous()

    def _paint_rows(self, painter: QPainter, look: Look) -> None:
        width = self.box.natural
        for row, (top, bottom) in enumerate(self._rows()):
            if row == 0 and self.is_first:
                painter.fillRect(QRectF(0, top, width, bottom - top), look.theme.code)
            painter.fillRect(QRectF(0, bottom - 1, width, 1), look.theme.border)

    def _cells(self) -> Iterator[tuple[Run, ...]]:
        """What stands in its document, cell by cell."""
        rows = self.table.rows if self.table.place.resumes else (self.table.header, *self.table.rows)
        width = len(self.table.header)
        for row in rows or ((),):
            yield from (*row[:width], *((),) * (width - len(row)))

    def _rows(self) -> Iterator[tuple[int, int]]:
        grid, document = self._grid, self.document
        if grid is None or document is None:
            return
        layout = document.documentLayout()
        tops = [
            round(layout.blockBoundingRect(grid.cellAt(row, 0).firstCursorPosition().block()).top()) - CELL_HEIGHT
            for row in range(grid.rows())
        ]
        end = round(layout.frameBoundingRect(grid).bottom())
        yield from zip(tops, [*tops[1:], end], strict=True)

    def _text_between(self, document: QTextDocument, begin: int, end: int) -> str:
        grid = self._grid
        shown = self.document_text()  # the document itself has objects in place of formulas
        block = document.findBlock(min(begin, self.characters))
        pieces: list[str] = []
        row = -1
        while block.isValid() and block.position() < end and grid is not None:
            cell = grid.cellAt(block.position())
            if cell.isValid():
                if pieces:
                    pieces.append("\t" if cell.row() == row else "\n")
                row = cell.row()
                first, last = max(begin - block.position(), 0), min(end - block.position(), block.length() - 1)
                text = text_of_units(shown, block.position() + first, block.position() + last)
                pieces.append(text.replace(LINE_BREAK, " "))
            block = block.next()
        return "".join(pieces)


def colouring(box: Box) -> Iterator[None]:
    """Colour a whole code box exactly, a line with each step."""
    members = [member for member in box.members if isinstance(member, CodeSegment)]
    if not members:  # gone before its turn came
        return
    code = "".join(member.fence.text for member in members)
    lines = highlight.exact_lines(code, members[0].fence.language)
    for member in members:
        for number in range(member.fence.text.count("\n")):
            spans = next(lines, None)
            if spans is None:
                return
            member.colour(number, spans)
            yield


def _apply_colours(block: QTextBlock, spans: highlight.Line, look: Look) -> None:
    ranges = []
    for begin, length, kind in spans:
        span = QTextLayout.FormatRange()
        span.start, span.length, span.format = begin, length, _syntax_format(kind, look)
        ranges.append(span)
    block.layout().setFormats(ranges)
    block.document().markContentsDirty(block.position(), block.length())  # else the line is not drawn again


def _syntax_format(kind: highlight.Kind, look: Look) -> QTextCharFormat:
    result = QTextCharFormat()
    result.setForeground(_syntax_colour(kind, look))
    return result


def _syntax_colour(kind: highlight.Kind, look: Look) -> QColor:
    theme = look.theme
    return {
        highlight.Kind.KEYWORD: theme.syntax_keyword,
        highlight.Kind.STRING: theme.syntax_string,
        highlight.Kind.NUMBER: theme.syntax_number,
        highlight.Kind.COMMENT: theme.syntax_comment,
        highlight.Kind.FUNCTION: theme.syntax_function,
        highlight.Kind.OPERATOR: theme.syntax_operator,
    }[kind]


def _paint_marker_text(painter: QPainter, block: Block, indent: int, above: int, look: Look) -> None:
    """The marker of a list item that begins with a box."""
    painter.setFont(look.message_font)
    painter.setPen(look.theme.muted)
    length = look.message_metrics.horizontalAdvance(block.place.marker)
    baseline = above / 2 + look.message_metrics.ascent() / 2
    painter.drawText(QPointF(max(0.0, indent - 8 - length), baseline), block.place.marker)


def _paint_piece_of_box(painter: QPainter, box: QRectF, look: Look, *, is_first: bool, is_last: bool) -> None:
    """A stretch of a rounded box: the corners that it does not have lie outside what is painted."""
    painter.save()
    painter.setClipRect(box, Qt.ClipOperation.IntersectClip)
    frame = box.adjusted(0.5, 0.5 if is_first else -20, -0.5, -0.5 if is_last else 20)
    path = QPainterPath()
    path.addRoundedRect(frame, _CORNER, _CORNER)
    painter.fillPath(path, look.theme.code)
    painter.setPen(look.theme.border)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(path)
    painter.restore()

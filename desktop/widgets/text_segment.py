"""Paragraphs, headings, lists and quotes, drawn as one document."""

from __future__ import annotations

import math
from collections.abc import Iterator

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import (
    QPainter,
    QTextBlock,
    QTextCursor,
    QTextDocument,
)

from desktop.markdown import Block, Fence, Rule, Run, Table
from desktop.widgets.segments import Marks, Segment, Span, paint_quote, places_of_span, units
from desktop.widgets.typesetting import (
    INLINE_CODE,
    LINE_BREAK,
    Look,
    Setting,
    longer_by,
    marked,
    new_document,
    plain_text,
    space_before,
    write_runs,
    write_text,
)


class TextSegment(Segment):
    """Paragraphs, headings, list items, quotes and rules: one text block for each."""

    def __init__(self, blocks: tuple[Block, ...], before: Block | None) -> None:
        super().__init__(blocks, before)
        self._code_places: list[QRectF] | None = None

    def shows_kind_of(self, block: Block) -> bool:
        return not isinstance(block, Fence | Table)

    def estimate(self, setting: Setting, look: Look) -> None:
        per_line = max(8, int(setting.column / look.message_metrics.averageCharWidth()))
        lines = sum(_lines_of(plain_text(block), per_line) for block in self.blocks)
        gaps = sum(space_before(*pair) for pair in zip(self.blocks[1:], self.blocks, strict=False))
        self.height = lines * look.line_height + gaps

    def paint(self, painter: QPainter, setting: Setting, look: Look, marks: Marks, clip: QRect) -> None:
        document = self.open_document(look)
        if self._code_places is None:
            self._code_places = list(_places_of_code(document))
        if self._code_places:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(look.theme.code)
            for place in self._code_places:
                painter.drawRoundedRect(place, 4, 4)
        self._draw(painter, look, marks, QRectF(clip))
        if any(block.place.depth or block.place.quotes or isinstance(block, Rule) for block in self.blocks):
            self._paint_marks(painter, document, setting, look)

    def _make_document(self, look: Look) -> QTextDocument:
        document = new_document(look, wraps=True)
        write_text(document, self.blocks, 0, look)
        self._code_places = None
        return document

    def _lay_out(self, document: QTextDocument, setting: Setting, look: Look) -> int:  # noqa: ARG002 - same for all
        if document.textWidth() != setting.column:
            document.setTextWidth(setting.column)
        self._code_places = None
        return math.ceil(document.size().height())

    def _rewrite(self, document: QTextDocument, old: tuple[Block, ...], look: Look) -> None:
        self._code_places = None
        same = 0
        while same < min(len(old), len(self.blocks)) and old[same] == self.blocks[same]:
            same += 1
        if same == len(old) - 1 == len(self.blocks) - 1 and (added := longer_by(old[-1], self.blocks[-1])):
            cursor = QTextCursor(document)
            cursor.movePosition(QTextCursor.MoveOperation.End)
            level = getattr(self.blocks[-1], "level", 0)
            write_runs(cursor, [added], look, level)
            return
        write_text(document, self.blocks, same, look)

    def document_text(self) -> str:
        return "\n".join("".join(run.text for run in _runs(block)).replace("\n", LINE_BREAK) for block in self.blocks)

    def links(self) -> list[tuple[Span, str]]:
        found: list[tuple[Span, str]] = []
        position = 0
        for block in self.blocks:
            for run in _runs(block):
                end = position + units(run.text)
                if run.link and found and found[-1][0][1] == position and found[-1][1] == run.link:
                    found[-1] = (found[-1][0][0], end), run.link
                elif run.link:
                    found.append(((position, end), run.link))
                position = end
            position += 1
        return found

    def _with_marker(self, block: QTextBlock, text: str) -> str:
        return marked(self.blocks[block.blockNumber()], text)

    def _paint_marks(self, painter: QPainter, document: QTextDocument, setting: Setting, look: Look) -> None:
        layout = document.documentLayout()
        block = document.firstBlock()
        previous = self._before
        end = -float(self.gap)
        for shown in self.blocks:
            rect = layout.blockBoundingRect(block)
            if shown.place.quotes:
                bottom = self.height if shown is self.last_block else rect.bottom()
                is_right_to_left = block.textDirection() is Qt.LayoutDirection.RightToLeft
                right = setting.column if is_right_to_left else None
                paint_quote(painter, (end, rect.top(), bottom), shown, previous, look, right)
            if isinstance(shown, Rule):
                y = round(rect.center().y())
                painter.fillRect(QRect(0, y, setting.column, 1), look.theme.border)
            if shown.place.marker:
                _paint_marker(painter, block, shown, look, setting.column)
            previous, block, end = shown, block.next(), rect.bottom()


def _runs(block: Block) -> tuple[Run, ...]:
    return getattr(block, "runs", ())


def _lines_of(text: str, per_line: int) -> int:
    return sum(1 + len(line) // per_line for line in text.split("\n"))


def _places_of_code(document: QTextDocument) -> Iterator[QRectF]:
    """Where inline code stands, line by line, for the soft boxes behind it."""
    block = document.firstBlock()
    while block.isValid():
        for span in block.textFormats():
            if span.format.boolProperty(INLINE_CODE):
                yield from places_of_span(block.layout(), span.start, span.start + span.length)
        block = block.next()


def _paint_marker(painter: QPainter, block: QTextBlock, shown: Block, look: Look, width: int) -> None:
    layout = block.layout()
    line = layout.lineAt(0)
    if not line.isValid():
        return
    baseline = layout.position().y() + line.y() + line.ascent()
    is_right_to_left = block.textDirection() is Qt.LayoutDirection.RightToLeft
    edge = look.indent * (shown.place.depth + shown.place.quotes)
    painter.setFont(look.message_font)
    painter.setPen(look.theme.muted)
    length = look.message_metrics.horizontalAdvance(shown.place.marker)
    x = width - edge + 8 if is_right_to_left else edge - 8 - length
    painter.drawText(QPointF(max(0.0, x), baseline), shown.place.marker)

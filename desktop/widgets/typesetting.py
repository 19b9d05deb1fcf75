"""Blocks of Markdown set in type: written into a QTextDocument with a cursor, never as HTML.

It knows fonts, colours and margins; where a document stands on the screen is its segment's business.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QFont,
    QFontInfo,
    QFontMetricsF,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextLength,
    QTextOption,
    QTextTable,
    QTextTableCellFormat,
    QTextTableFormat,
)

from desktop.formulas import Picture
from desktop.markdown import Block, Fence, Heading, Paragraph, Run, Table
from desktop.theme import Theme, code_font, figure_font, message_font
from desktop.widgets.column import TEXT_COLUMN
from desktop.widgets.formula_drawing import Formulas, em_of, formula_format, formula_of, placeholder

_INDENT = 24  # in the usual size
_USUAL_POINTS = 11
CELL_GAP = 24  # between the texts of two columns
CELL_HEIGHT = 6  # above and below the text of a cell
_WIDEST_WORD = 200
INLINE_CODE = QTextFormat.Property.UserProperty.value + 1  # marks runs of code within text
LINE_BREAK = "\u2028"  # a new line within a block
_HEADING_SIZES = {1: 1.4, 2: 1.25, 3: 1.1}
_MINIMUM_HEIGHT = QTextBlockFormat.LineHeightTypes.MinimumHeight.value
_ALIGNMENTS = {"center": Qt.AlignmentFlag.AlignHCenter, "right": Qt.AlignmentFlag.AlignRight}


class Look:
    """What the transcript is set in: fonts, line heights, and the formats of the theme's colours. `zoom` is how much
    larger than usual text and code are. Without `formulas`, those are shown as they were written."""

    def __init__(self, theme: Theme, zoom: float = 1, formulas: Formulas | None = None) -> None:
        self.theme = theme
        self.zoom = zoom
        self.formulas = formulas
        self.message_font = _enlarged(message_font(), zoom)
        self.code_font = _enlarged(code_font(), zoom)
        self.figure_font = figure_font()
        self.label_font = figure_font()
        self.label_font.setWeight(QFont.Weight.DemiBold)
        self.message_metrics = QFontMetricsF(self.message_font)
        self.code_metrics = QFontMetricsF(self.code_font)
        self.column = round(TEXT_COLUMN * self.message_metrics.averageCharWidth())
        self.line_height = _line_height(self.message_font, 1.5)
        self.indent = round(_INDENT * self.message_font.pointSizeF() / _USUAL_POINTS)  # of a list or a quote
        self.code_line_height = _line_height(self.code_font, 1.4)
        self._quiet: Look | None = None
        self._character_formats: dict[Run, QTextCharFormat] = {}
        self._metrics: dict[tuple[bool, bool, bool], QFontMetricsF] = {}

    @property
    def quiet(self) -> Look:
        """The same in the muted colour."""
        if self._quiet is None:
            self._quiet = Look(replace(self.theme, text=self.theme.muted), self.zoom, self.formulas)
        return self._quiet

    def picture(self, run: Run) -> Picture | None:
        """The picture that stands for a run; `None` where it is shown as text, for now or for good."""
        formula = formula_of(run)
        return self.formulas.picture(formula) if formula and self.formulas else None

    def character_format(self, run: Run, level: int = 0) -> QTextCharFormat:
        """How the text of a run is drawn, in a heading of that level."""
        style = Run(str(level), run.bold, run.italic, run.strike, run.code, run.link)
        known = self._character_formats.get(style)
        if known is None:
            if len(self._character_formats) > 200:  # every link has a format of its own
                self._character_formats.clear()
            known = self._character_formats[style] = self._make_format(run, level)
        return known

    def metrics(self, run: Run) -> QFontMetricsF:
        """How wide text of a run's style is."""
        style = run.bold, run.italic, run.code
        if style not in self._metrics:
            self._metrics[style] = QFontMetricsF(self.font(run))
        return self._metrics[style]

    def font(self, run: Run, level: int = 0) -> QFont:
        font = QFont(self.code_font if run.code else self.message_font)
        font.setPointSizeF(font.pointSizeF() * _HEADING_SIZES.get(level, 1))
        if run.bold or level:
            font.setWeight(QFont.Weight.DemiBold)
        font.setItalic(run.italic)
        font.setStrikeOut(run.strike)
        return font

    def _make_format(self, run: Run, level: int) -> QTextCharFormat:
        result = QTextCharFormat()
        result.setFont(self.font(run, level))
        result.setForeground(self.theme.text)
        if run.code:
            result.setProperty(INLINE_CODE, True)
        if run.link:
            result.setAnchor(True)
            result.setAnchorHref(run.link)
            result.setForeground(self.theme.accent)
            result.setFontUnderline(True)
        return result


@dataclass(frozen=True, slots=True)
class Setting:
    """The widths that things are set in: the text's column, and how far code and tables may reach beyond it."""

    column: int
    widest: int


def new_document(look: Look, *, wraps: bool) -> QTextDocument:
    """An empty document of whole pixels. It never loads anything: nothing ever puts an address into it but links."""
    document = QTextDocument()
    document.setUndoRedoEnabled(False)
    document.setDocumentMargin(0)
    document.setIndentWidth(look.indent)
    document.setDefaultFont(look.message_font)
    option = QTextOption()
    wrapping = QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere if wraps else QTextOption.WrapMode.NoWrap
    option.setWrapMode(wrapping)
    option.setTabStopDistance(4 * look.code_metrics.horizontalAdvance(" "))
    option.setTextDirection(Qt.LayoutDirection.LayoutDirectionAuto)
    document.setDefaultTextOption(option)
    return document


def space_before(block: Block, previous: Block | None) -> int:
    """The gap above a block, in pixels."""
    if previous is None or block.place.resumes:
        return 0
    match block, previous:
        case Heading(level=level), _:
            return 24 if level <= 2 else 20
        case _, Heading():
            return 8
        case (Paragraph(), Paragraph()) if block.place.depth and not block.place.loose:
            return 4
        case (Paragraph(), Paragraph()) if block.place.marker:
            return 8
        case _:
            return 12


def write_text(document: QTextDocument, blocks: Sequence[Block], first: int, look: Look) -> None:
    """Write `blocks` from `first` on, in place of what the document has from there: one text block for each."""
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    if first:
        cursor.setPosition(document.findBlockByNumber(first - 1).position())
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock)
    cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
    cursor.removeSelectedText()
    for number in range(first, len(blocks)):
        block = blocks[number]
        block_format = _block_format(block, blocks[number - 1] if number else None, look)
        if number:
            cursor.insertBlock(block_format)
        else:
            cursor.setBlockFormat(block_format)
        cursor.setBlockCharFormat(look.character_format(Run("")))
        level = block.level if isinstance(block, Heading) else 0
        write_runs(cursor, _runs(block), look, level, in_middle=_is_display(block, look))
    cursor.endEditBlock()


def write_runs(
    cursor: QTextCursor, runs: Sequence[Run], look: Look, level: int = 0, *, in_middle: bool = False
) -> None:
    """Write runs where the cursor is; `in_middle` says that the line is that of a formula."""
    for run in runs:
        text_format = look.character_format(run, level)
        formula, picture = formula_of(run), look.picture(run)
        if formula and picture and look.formulas:
            look.formulas.prepare(cursor.document())
            room = look.line_height - look.message_metrics.ascent()
            is_alone = in_middle and len(runs) == 1
            text_format = formula_format(formula, picture, text_format, room, is_alone=is_alone)
            cursor.insertText(placeholder(run.text), text_format)
        else:
            cursor.insertText(run.text.replace("\n", LINE_BREAK), text_format)


def longer_by(old: Block, new: Block) -> Run | None:
    """What was written at the end of the last run, where that is all that differs."""
    if type(old) is not type(new) or old.place != new.place:
        return None
    before, after = _runs(old), _runs(new)
    if not before or len(before) != len(after) or before[:-1] != after[:-1]:
        return None
    last, longer = before[-1], after[-1]
    added = longer.text[len(last.text) :]
    is_longer = longer.text.startswith(last.text) and _same_style(last, longer) and not longer.formula
    return Run(added, last.bold, last.italic, last.strike, last.code, last.link) if is_longer and added else None


def code_format(look: Look) -> QTextCharFormat:
    """How code in a box is drawn where it has no colour of its own."""
    result = QTextCharFormat()
    result.setFont(look.code_font)
    result.setForeground(look.theme.text)
    return result


def code_block_format(look: Look) -> QTextBlockFormat:
    """How a line of code in a box stands."""
    result = QTextBlockFormat()
    result.setLineHeight(look.code_line_height, _MINIMUM_HEIGHT)
    return result


def column_widths(table: Table, look: Look, widest: int) -> tuple[int, ...]:
    """Widths that hold the widest cell of each column; beyond `widest` the wide ones give way, as far as words do."""
    natural, least = [], []
    for column in range(len(table.header)):
        cells = [
            [_bold(run) for run in table.header[column]],
            *(row[column] for row in table.rows if column < len(row)),
        ]
        natural.append(CELL_GAP + max(_cell_width(cell, look) for cell in cells))
        longest_word = max(_word_width(cell, look) for cell in cells)
        widest_formula = max(_widest_formula(cell, look) for cell in cells)  # which no column may cut
        least.append(CELL_GAP + max(min(longest_word, _WIDEST_WORD), widest_formula))
    return tuple(_fitted(natural, least, widest))


def write_table(document: QTextDocument, table: Table, widths: Sequence[int], look: Look) -> QTextTable:
    """The table alone in its document; its header only where it does not resume one."""
    document.clear()
    rows = table.rows if table.place.resumes else (table.header, *table.rows)
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    grid = cursor.insertTable(max(1, len(rows)), len(table.header), _table_format(widths))
    cell_format = QTextTableCellFormat()
    cell_format.setTopPadding(CELL_HEIGHT)
    cell_format.setBottomPadding(CELL_HEIGHT)
    cell_format.setRightPadding(CELL_GAP // 2)
    cell_format.setLeftPadding(CELL_GAP // 2)
    for number, row in enumerate(rows):
        for column, runs in enumerate(row[: len(table.header)]):
            cell = grid.cellAt(number, column)
            cell.setFormat(cell_format)
            cell_cursor = cell.firstCursorPosition()
            cell_cursor.setBlockFormat(_cell_block_format(table.alignments[column], look))
            is_header = number == 0 and not table.place.resumes
            write_runs(cell_cursor, [_bold(run) for run in runs] if is_header else runs, look)
    cursor.endEditBlock()
    # Qt keeps an empty block behind a table.
    last = QTextCursor(document)
    last.movePosition(QTextCursor.MoveOperation.End)
    thin = QTextBlockFormat()
    thin.setLineHeight(0, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
    last.setBlockFormat(thin)
    return grid


def plain_text(block: Block) -> str:
    """A block as text alone, with its marker."""
    match block:
        case Fence():
            return block.text.removesuffix("\n")
        case Table():
            rows = block.rows if block.place.resumes else (block.header, *block.rows)
            return "\n".join("\t".join(_joined(cell) for cell in row) for row in rows)
        case Paragraph() | Heading():
            return marked(block, _joined(block.runs))
        case _:
            return "---"


def break_before(block: Block) -> str:
    """What separates a block from the one before it, as text."""
    is_near = block.place.resumes or (block.place.depth and not block.place.loose)
    return "\n" if is_near else "\n\n"


def marked(block: Block, text: str) -> str:
    """Text of a block with the block's marker before it, indented as deep as the block stands."""
    place = block.place
    quotes = "> " * place.quotes
    if not place.depth:
        return quotes + text
    return quotes + "  " * (place.depth - 1) + (f"{place.marker} " if place.marker else "  ") + text


def all_runs(block: Block) -> Iterator[Run]:
    """The runs of a block, those in its cells too."""
    if isinstance(block, Table):
        yield from chain.from_iterable(chain(block.header, *block.rows))
    yield from _runs(block)


def _runs(block: Block) -> tuple[Run, ...]:
    return block.runs if isinstance(block, Paragraph | Heading) else ()


def _same_style(one: Run, other: Run) -> bool:
    return (one.bold, one.italic, one.strike, one.code, one.link) == (
        other.bold,
        other.italic,
        other.strike,
        other.code,
        other.link,
    )


def _block_format(block: Block, previous: Block | None, look: Look) -> QTextBlockFormat:
    result = QTextBlockFormat()
    height = look.line_height
    if isinstance(block, Heading):
        height = _line_height(look.font(Run(""), block.level), 1.35)
    result.setLineHeight(height, _MINIMUM_HEIGHT)
    result.setTopMargin(space_before(block, previous))
    result.setIndent(block.place.depth + block.place.quotes)
    if _is_display(block, look):
        result.setAlignment(Qt.AlignmentFlag.AlignHCenter)
    return result


def _is_display(block: Block, look: Look) -> bool:
    """Whether a block is a formula that stands alone in the middle; what ends a sentence may stand behind it."""
    if not isinstance(block, Paragraph) or block.place.marker or not block.runs or not block.runs[0].is_display:
        return False
    first, *others = block.runs
    is_alone = not others or (len(others) == 1 and len(others[0].text) == 1)
    return is_alone and look.picture(first) is not None


def _cell_block_format(alignment: str, look: Look) -> QTextBlockFormat:
    result = QTextBlockFormat()
    result.setLineHeight(look.line_height, _MINIMUM_HEIGHT)
    if alignment in _ALIGNMENTS:
        result.setAlignment(_ALIGNMENTS[alignment])
    return result


def _table_format(widths: Sequence[int]) -> QTextTableFormat:
    result = QTextTableFormat()
    result.setBorder(0)
    result.setCellPadding(0)
    result.setCellSpacing(0)
    result.setMargin(0)
    result.setColumnWidthConstraints([QTextLength(QTextLength.Type.FixedLength, width) for width in widths])
    return result


def _cell_width(runs: Sequence[Run], look: Look) -> int:
    lines = [0.0]
    for run in runs:
        if picture := look.picture(run):
            lines[-1] += _picture_width(picture, run, look)
            continue
        first, *others = run.text.split("\n")
        lines[-1] += _advance(first, run, look)
        lines += [_advance(line, run, look) for line in others]
    return math.ceil(max(lines)) + 1


def _word_width(runs: Sequence[Run], look: Look) -> int:
    plain = (run for run in runs if not look.picture(run))
    words = (_advance(word, run, look) for run in plain for word in run.text.split())
    return math.ceil(max(words, default=0)) + 1


def _widest_formula(runs: Sequence[Run], look: Look) -> int:
    pictures = ((look.picture(run), run) for run in runs)
    widths = (_picture_width(picture, run, look) for picture, run in pictures if picture)
    return math.ceil(max(widths, default=-1.0)) + 1


def _picture_width(picture: Picture, run: Run, look: Look) -> float:
    return picture.width * em_of(look.font(run))


def _advance(text: str, run: Run, look: Look) -> float:
    return look.metrics(run).horizontalAdvance(text)


def _fitted(natural: list[int], least: list[int], widest: int) -> list[int]:
    """The widths with what is too much taken from the widest columns, none narrower than its least."""
    if sum(natural) <= widest:
        return natural
    limit = _fair_share(natural, widest)
    fitted = [max(low, min(width, limit)) for width, low in zip(natural, least, strict=True)]
    over = sum(fitted) - widest
    for index in sorted(range(len(fitted)), key=lambda column: least[column] - fitted[column]):
        taken = max(0, min(over, fitted[index] - least[index]))
        fitted[index] -= taken
        over -= taken
    return fitted


def _fair_share(natural: list[int], widest: int) -> int:
    """The width that every wider column is cut to, so that all of them fit."""
    rest, narrow_first = widest, sorted(natural)
    for index, width in enumerate(narrow_first):
        share = rest // (len(narrow_first) - index)
        if width > share:
            return share
        rest -= width
    return narrow_first[-1]


def _bold(run: Run) -> Run:
    return replace(run, bold=True)


def _joined(runs: Sequence[Run]) -> str:
    return "".join(run.text for run in runs)


def _enlarged(font: QFont, zoom: float) -> QFont:
    font.setPointSizeF(font.pointSizeF() * zoom)
    return font


def _line_height(font: QFont, ratio: float) -> int:
    return max(math.ceil(QFontInfo(font).pixelSize() * ratio), math.ceil(QFontMetricsF(font).height()))

"""A few lines of text with parts of it marked, cut where there is no room."""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QTextCharFormat, QTextLayout, QTextOption

# Emphasis, code, the signs of headings and quotes; a single star or underscore may be meant.
_SIGNS = re.compile(r"\*\*|__|`+|^#{1,6} |^> ?", re.MULTILINE)

Marks = Sequence[tuple[int, int]]  # begins and ends in the text

_SLACK = 6  # pixels: a line of joined letters is set a little wider than it is measured
_BEFORE_THE_MARK = 16  # letters that are left where what is before a mark has to be cut


class MarkedText:
    """Lays `text` out in at most `lines` lines of a font. Where the first mark would not be seen, what is before it
    goes."""

    def __init__(self, text: str, marks: Marks, font: QFont, width: int, lines: int) -> None:
        self._font, self._width, self._lines = font, width, lines
        self.text, self.marks = text, tuple(marks)
        self._fit()
        if marks and marks[0][1] > self._seen:
            begin = _place_to_cut(text, marks[0][0])
            self.text = "…" + text[begin:]
            self.marks = tuple((max(1, first - begin + 1), last - begin + 1) for first, last in marks)
            self._fit()

    def paint(self, painter: QPainter, place: QRect, mark: QColor, ink: QColor, alignment: Qt.AlignmentFlag) -> None:
        """Draw it there, the marks on one colour and in the other."""
        option = QTextOption(alignment)
        option.setTextDirection(Qt.LayoutDirection.LayoutDirectionAuto)
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self._layout.setTextOption(option)
        self._break(self._layout, self._lines)
        form = QTextCharFormat()
        form.setBackground(mark)
        form.setForeground(ink)
        self._layout.draw(painter, QPointF(place.topLeft()), [_range(form, *each) for each in self._shown_marks()])

    def _fit(self) -> None:
        """Cut the text where its last line ends."""
        whole = self._laid_out(self.text)
        self._seen = len(self.text)
        if whole.lineCount() <= self._lines:
            self._layout = whole
            return
        last = _letters(self.text, whole.lineAt(self._lines - 1).textStart())
        metrics = QFontMetrics(self._font)
        # What is not to be seen in any case is not measured.
        rest = self.text[last : last + self._width]
        elided = metrics.elidedText(rest, Qt.TextElideMode.ElideRight, self._width - _SLACK)
        self._seen = last + len(elided) - 1
        self.text = self.text[:last] + elided
        self._layout = self._laid_out(self.text)

    def _laid_out(self, text: str) -> QTextLayout:
        layout = QTextLayout(text, self._font)
        option = QTextOption()
        option.setTextDirection(Qt.LayoutDirection.LayoutDirectionAuto)
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        self._break(layout, self._lines + 1)  # one more than is shown: so it is seen that there is more
        return layout

    def _break(self, layout: QTextLayout, lines: int) -> None:
        layout.beginLayout()
        top = 0.0
        for _ in range(lines):
            line = layout.createLine()
            if not line.isValid():
                break
            line.setLineWidth(self._width)
            line.setPosition(QPointF(0, top))
            top += line.height()
        layout.endLayout()

    def _shown_marks(self) -> list[tuple[int, int]]:
        shown = [(begin, min(end, self._seen)) for begin, end in self.marks if begin < self._seen]
        return [(_units(self.text, begin), _units(self.text, end)) for begin, end in shown]


def in_one_line(text: str, marks: Marks = ()) -> tuple[str, Marks]:
    """Markdown as plain words without line breaks: signs that only say how words look are left out, and the marks moved
    along."""
    signs = [sign.span() for sign in _SIGNS.finditer(text)]
    words = "".join(" " if letter.isspace() else letter for letter in _SIGNS.sub("", text))
    moved = [(_moved(begin, signs), _moved(end, signs)) for begin, end in marks]
    return words, [(begin, end) for begin, end in moved if begin < end]


def _moved(place: int, gone: Marks) -> int:
    """Where a place is once all that lies between these is gone."""
    return place - sum(min(end, place) - begin for begin, end in gone if begin < place)


def _units(text: str, letters: int) -> int:
    """Qt counts in UTF-16, where what lies beyond the first plane, an emoji for one, counts twice."""
    return letters + sum(letter > "\uffff" for letter in text[:letters])


def _letters(text: str, units: int) -> int:
    """The other way round."""
    place = 0
    while units > 0:
        units -= 2 if text[place] > "\uffff" else 1
        place += 1
    return place


def _place_to_cut(text: str, mark: int) -> int:
    """A little before the mark, where a word begins if there is one."""
    begin = max(0, mark - _BEFORE_THE_MARK)
    space = text.find(" ", begin, mark)
    return begin if space < 0 else space + 1


def _range(form: QTextCharFormat, begin: int, end: int) -> QTextLayout.FormatRange:
    marked = QTextLayout.FormatRange()
    marked.start, marked.length, marked.format = begin, end - begin, form
    return marked

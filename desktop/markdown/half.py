"""Half-written Markdown, closed so that it looks right until the rest of it comes.

Text in, text out: it knows the marks of Markdown and nothing of blocks or runs. It follows emphasis well enough to
know what is open; where it is wrong, the finished block puts it right.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from desktop.markdown.formula_marks import formula_at, may_become_formula

_INERT = r"[^\\`*_~$\[\]<>&;!|#/\n\t\r]*"
INERT_TEXT = re.compile(rf"(?:{_INERT}\$(?=\d))*{_INERT}[^\\`*_~$\[\]<>&;!|#/\s]")
"""Text that changes nothing but the end of the last run, wherever it is added behind a character like its own. A dollar
before a digit closes no formula, and what it may open looks the same meanwhile."""


def without_half_marker(source: str) -> str:
    """The source without a last line that may still become anything: "-", "1.", "##", "|--"."""
    line_start = source.rfind("\n") + 1
    return source[:line_start] if _HALF_MARKER.fullmatch(source, line_start) else source


def table_from_first_row(row: str) -> str:
    """A table of what looks like the first row of one, or ""."""
    row = row.rstrip()
    if not row.startswith("|") or row.count("|") < 2:
        return ""
    columns = row.rstrip("|").count("|")
    return row + "\n" + "|---" * columns + "|"


@dataclass(frozen=True, slots=True)
class Mended:
    """Inline text in pieces that can be read each by itself; what was open at the end of the last one is closed.

    All pieces but the last stay as they are when more text comes, unless a mark turns out to have a partner far
    away. `takes_more` says that inert text can simply go to the end of the last run.
    """

    pieces: tuple[str, ...]
    takes_more: bool


def mended(content: str) -> Mended:
    """Inline text with what is open at its end closed."""
    pieces = _Pieces(content)
    closed, takes_more = _mend(content, pieces)
    return Mended((*pieces.settled, closed[pieces.begin :]), takes_more)


def _mend(content: str, pieces: _Pieces) -> tuple[str, bool]:
    if half_link := _HALF_LINK.search(content):
        return _mend(content[: half_link.start()] + half_link[1], pieces)[0], False
    opened: list[_Opener] = []
    position = 0
    while found := _MARKS.search(content, position):
        if not opened:
            pieces.settle(position, found.start())
        marks, position = found[0], found.end()
        if marks == "\\":
            return _closed(content[:-1], opened), False
        if marks[0] in "`$\\":
            end = _end_of_literal(content, found)
            if end is None and marks[0] == "`":
                return _with_code_closed(content, found, opened)
            if end is None:
                return _with_half_formula(content, found.start(), opened), False
            position = end
        elif position == len(content):
            return _with_last_marks(content, found, opened), False
        else:
            _follow(content, found, opened)
    if not opened:
        pieces.settle(position, len(content))
    return _closed(content, opened), _takes_more(content)


class _Pieces:
    """Where text without marks can be cut: at a gap between words, with no bracket open."""

    def __init__(self, content: str) -> None:
        self.settled: list[str] = []
        self.begin = 0
        self._content = content

    def settle(self, begin: int, end: int) -> None:
        """Cut what is long enough, in the stretch from `begin` to `end`, which has no marks in it."""
        while gap := _GAP.search(self._content, max(begin, self.begin + _PIECE_LENGTH), end):
            begin = gap.end()
            piece = self._content[self.begin : begin]
            is_between_words = not self._content[begin : begin + 1].isspace() and begin < len(self._content)
            if is_between_words and piece.count("[") == piece.count("]") and piece.count("(") == piece.count(")"):
                self.settled.append(piece)
                self.begin = begin


_Opener = tuple[str, int]  # the mark, and how many of it are open


def _end_of_literal(content: str, marks: re.Match[str]) -> int | None:
    """Where code, a formula or a character that was meant as it is ends; `None` where it is half-written."""
    if marks[0][0] == "`":
        return _end_of_code(content, marks[0], marks.end())
    if marks[0] not in _FORMULA_OPENERS:
        return marks.end()
    if formula := formula_at(content, marks.start()):
        return formula.end
    return None if may_become_formula(content, marks.start()) else marks.end()


def _end_of_code(content: str, ticks: str, position: int) -> int | None:
    for found in _TICKS.finditer(content, position):
        if found[0] == ticks:
            return found.end()
    return None


def _with_code_closed(content: str, ticks: re.Match[str], opened: list[_Opener]) -> tuple[str, bool]:
    written = content[ticks.end() :]
    code = written.rstrip("`")  # ticks at the end are half of the closing ones
    if not code.strip():
        return _closed(content[: ticks.start()], opened), False
    closed = content[: ticks.end()] + code + ticks[0] + _closers(opened)
    return closed, code == written and not code[0].isspace() and _takes_more(code)


def _with_half_formula(content: str, begin: int, opened: list[_Opener]) -> str:
    """Half of a formula is shown as it was written, whatever its signs would be elsewhere."""
    written = _PUNCTUATION.sub(r"\\\g<0>", content[begin:].rstrip())
    return content[:begin] + written + _closers(opened)


def _with_last_marks(content: str, marks: re.Match[str], opened: list[_Opener]) -> str:
    """Marks at the very end wait for what follows: those that may open something, or close half of it, are hidden."""
    before = _before(content, marks)
    may_open = not before.isalnum() and before not in _CLOSING
    closes_half = bool(opened) and opened[-1][0] == marks[0][0] and len(marks[0]) < opened[-1][1]
    if may_open or closes_half:
        return _closed(content[: marks.start()], opened)
    _follow(content, marks, opened)
    return _closed(content, opened)


def _follow(content: str, marks: re.Match[str], opened: list[_Opener]) -> None:
    """Let the marks close what is open, and open what they do not close."""
    before, after = _before(content, marks), content[marks.end() : marks.end() + 1] or " "
    mark, count = marks[0][0], len(marks[0])
    if mark == "~" and count != 2:
        return
    if not before.isspace():
        count = _close(mark, count, opened)
    # Between letters or digits a mark is more often a sign of multiplication or a part of a name.
    if count and not after.isspace() and not before.isalnum():
        opened.append((mark, count))


def _close(mark: str, count: int, opened: list[_Opener]) -> int:
    while count and opened:
        if opened[-1][0] != mark:
            if all(open_mark != mark for open_mark, _ in opened):
                break
            opened.pop()  # what was opened within and not closed there is text
            continue
        _, width = opened.pop()
        if width > count:
            opened.append((mark, width - count))
        count -= min(width, count)
    return count


def _closed(content: str, opened: list[_Opener]) -> str:
    content = content.rstrip()
    while opened and content.endswith(opened[-1][0] * opened[-1][1]):  # an opener with nothing after it yet
        content = content[: -opened.pop()[1]].rstrip()
    return content + _closers(opened)


def _closers(opened: list[_Opener]) -> str:
    return "".join(mark * count for mark, count in reversed(opened))


def _before(content: str, marks: re.Match[str]) -> str:
    return content[marks.start() - 1] if marks.start() else " "


def _takes_more(content: str) -> bool:
    # "12" may still become a list's "12. ".
    is_number = _NUMBER.fullmatch(content, content.rfind("\n") + 1)
    return bool(content) and not is_number and INERT_TEXT.fullmatch(content[-1]) is not None


_CLOSING = frozenset(".,:;!?)]}\"'%`*_~\u201d\u2019\u2026")
_HALF_MARKER = re.compile(r"[ \t>]*(?:[-+*=_#~`|:]+[ \t|:-]*|\d{1,3}[.)]?|\$|\\)[ \t]*")
_NUMBER = re.compile(r"\d{1,9}[.)]?")
_HALF_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\([^()\s]*$")
_MARKS = re.compile(r"\\.?|`+|\*+|_+|~+|\$\$?", re.DOTALL)
_FORMULA_OPENERS = frozenset({"$", "$$", "\\(", "\\["})
_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]")
_TICKS = re.compile("`+")
_GAP = re.compile(r"\s")
_PIECE_LENGTH = 300

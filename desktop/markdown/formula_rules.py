"""Formulas as rules for markdown-it: within a line, and over lines of their own.

A line that begins with `$$` or `\\[` begins a block whatever stands in it, so that a line that has come is never read
otherwise than it was: the block ends with the closing mark, and at the latest where a paragraph would have to.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from desktop.markdown.formula_marks import DISPLAY_OPENERS, closer_of, formula_at

if TYPE_CHECKING:  # imported with the first text: it takes 100 ms that the first paint should not wait for
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline


def add_formulas(parser: MarkdownIt) -> None:
    """Let a parser read formulas: `formula` among inline tokens, `formula_open` with the text of a block of its own."""
    parser.inline.ruler.before("escape", "formula", _in_line)
    interrupted = ["paragraph", "reference", "blockquote", "list"]
    parser.block.ruler.before("table", "formula", _in_lines, {"alt": interrupted})


def _in_line(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - markdown-it's way of calling
    mark = state.src[state.pos]
    if mark not in "$\\":
        return False
    formula = formula_at(state.src, state.pos)
    if formula is None:
        if mark == "\\":
            return False
        length = 2 if state.src.startswith("$$", state.pos) else 1
        state.pending += "" if silent else mark * length
        state.pos += length
        return True
    if not silent:
        token = state.push("formula", "", 0)
        token.content = state.src[state.pos : formula.end]
        token.info = formula.tex
    state.pos = formula.end
    return True


def _in_lines(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001 - as above
    begin = state.bMarks[start] + state.tShift[start]
    opener = state.src[begin : begin + 2]
    if opener not in DISPLAY_OPENERS or state.is_code_block(start):
        return False
    if silent:
        return True
    closer = closer_of(opener)
    closing_line, tail = _closing_line(state, start, end, closer)
    is_closed = closing_line is not None
    if closing_line is None:
        next_line = _end_of_lines(state, start + 1, end)
    elif tail:  # more of a paragraph
        next_line = _end_of_paragraph(state, closing_line + 1, end)
    else:
        next_line = closing_line + 1
    token = state.push("formula_open", "p", 1)
    token.map = [start, next_line]
    token.meta = {"is_closed": is_closed}
    token = state.push("inline", "", 0)
    token.content = state.getLines(start, next_line, state.blkIndent, False).strip()
    token.map = [start, next_line]
    token.children = []
    state.push("formula_close", "p", -1)
    state.line = next_line
    return True


def _closing_line(state: StateBlock, start: int, end: int, closer: re.Pattern[str]) -> tuple[int | None, str]:
    """The line with the closing mark, and what stands behind it."""
    position = state.bMarks[start] + state.tShift[start] + 2
    for line in range(start, _end_of_lines(state, start + 1, end)):
        position = max(position, state.bMarks[line])
        if found := closer.search(state.src, position, state.eMarks[line]):
            return line, state.src[found.end() : state.eMarks[line]].strip(" \t.,;:")
    return None, ""


def _end_of_lines(state: StateBlock, line: int, end: int) -> int:
    """The first line that cannot belong to a formula."""
    while line < end and not state.isEmpty(line) and state.sCount[line] >= state.blkIndent:
        if _NO_TEX.match(state.src, state.bMarks[line] + state.tShift[line]):
            break
        line += 1
    return line


def _end_of_paragraph(state: StateBlock, line: int, end: int) -> int:
    rules = state.md.block.ruler.getRules("paragraph")
    around, state.parentType = state.parentType, "paragraph"  # by which other rules know what they may interrupt
    while line < end and not state.isEmpty(line):
        is_indented = state.sCount[line] - state.blkIndent > 3 or state.sCount[line] < 0
        if not is_indented and any(rule(state, line, end, True) for rule in rules):
            break
        line += 1
    state.parentType = around
    return line


_NO_TEX = re.compile(r"```|~~~|#{1,6}[ \t]")

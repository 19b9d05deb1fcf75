"""Leaves of a page to blocks, whole or half-written."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from desktop.markdown.blocks import TASK_DONE, TASK_OPEN, Block, Fence, Heading, Paragraph, Place, Rule, Run, Table
from desktop.markdown.half import mended, table_from_first_row
from desktop.markdown.pages import Leaf, Page, first_line, is_blank, is_closed
from desktop.markdown.parsing import markdown_it
from desktop.markdown.runs import joined, runs_of

if TYPE_CHECKING:  # imported with the first text: it takes 100 ms that the first paint should not wait for
    from markdown_it.token import Token


class Builder:
    """Makes blocks, and knows the runs of what was read since the last block was finished."""

    def __init__(self) -> None:
        self._runs: dict[str, tuple[Run, ...]] = {}

    def forget(self) -> None:
        self._runs.clear()

    def block(self, leaf: Leaf, page: Page, *, closed: bool) -> Block:
        """The block of a leaf; `closed` says that all of it is there."""
        place = _place(leaf, page)
        token = page.tokens[leaf.index]
        match leaf.kind:
            case "paragraph_open" | "formula_open":
                place, content = _as_task(place, page.tokens[leaf.index + 1].content)
                return Paragraph(self.runs(content), place)
            case "heading_open":
                return Heading(int(token.tag[1:]), self.runs(page.tokens[leaf.index + 1].content), place)
            case "fence" | "code_block":
                words = token.info.split(maxsplit=1)
                return Fence(words[0] if words else "", token.content, closed, place)
            case "table_open":
                return self._table(leaf, page, place)
            case "hr":
                return Rule(place)
            case _:
                return Paragraph((), place)

    def open_block(self, leaf: Leaf, page: Page) -> tuple[tuple[Block, ...], bool]:
        """The block as it should look while it is written (none while it is empty), and whether plain text can
        simply be added to its end."""
        if leaf.kind in {"paragraph_open", "heading_open"} or _is_whole_formula(page.tokens[leaf.index]):
            return self._open_text(leaf, page)
        if leaf.kind == "formula_open":
            return (Paragraph((Run(page.tokens[leaf.index + 1].content),), _place(leaf, page)),), False
        block = self.block(leaf, page, closed=is_closed(leaf, page))
        if isinstance(block, Fence) and leaf.kind == "fence" and not block.closed:
            return _open_fence(block, leaf, page)
        return (block,), False

    def _open_text(self, leaf: Leaf, page: Page) -> tuple[tuple[Block, ...], bool]:
        content = page.tokens[leaf.index + 1].content
        place, content = _as_task(_place(leaf, page), content)
        if place.marker == "•" and _HALF_TASK.fullmatch(content):
            content = ""
        half = mended(content)
        runs = tuple(joined(run for piece in half.pieces for run in self.runs(piece)))
        if not runs and not place.marker:
            return (), False
        level = int(page.tokens[leaf.index].tag[1:]) if leaf.kind == "heading_open" else 0
        block = Heading(level, runs, place) if level else Paragraph(runs, place)
        takes_more = half.takes_more and bool(runs) and not (runs[-1].link or runs[-1].formula)
        return (block,), takes_more and page.source.endswith(content[-1]) and runs[-1].text.endswith(content[-1])

    def runs(self, content: str) -> tuple[Run, ...]:
        known = self._runs.get(content)
        if known is None:
            children: list[Token] = []
            markdown_it().inline.parse(content, markdown_it(), {}, children)
            known = self._runs[content] = tuple(joined(runs_of(children)))
        return known

    def _table(self, leaf: Leaf, page: Page, place: Place) -> Table:
        rows: list[tuple[tuple[Run, ...], ...]] = []
        cells: list[tuple[Run, ...]] = []
        alignments: list[str] = []
        for index in range(leaf.index, len(page.tokens)):
            token = page.tokens[index]
            match token.type:
                case "th_open":
                    alignments.append(str(token.attrs.get("style", "")).removeprefix("text-align:"))
                case "inline":
                    cells.append(self.runs(token.content))
                case "tr_close":
                    rows.append(tuple(cells))
                    cells = []
                case "table_close":
                    break
        return Table(tuple(alignments), rows[0], tuple(rows[1:]), place)


def _place(leaf: Leaf, page: Page) -> Place:
    begins_rest = leaf.line <= first_line(page)
    resumes = page.scaffold.resumes and begins_rest and leaf is page.leaves[0]
    loose = page.scaffold.loose if begins_rest else is_blank(page.lines[leaf.line - 1])
    outside = len(leaf.unit_items) if leaf.quotes else 0
    return Place(leaf.depth, leaf.quotes, "" if resumes else leaf.marker, loose and not resumes, resumes, outside)


def _is_whole_formula(token: Token) -> bool:
    return bool(token.meta.get("is_closed"))


def _as_task(place: Place, content: str) -> tuple[Place, str]:
    """A box in place of the marker where the text of an item begins with "[ ]" or "[x]"."""
    found = _TASK.match(content) if place.marker == "•" else None
    if not found:
        return place, content
    return replace(place, marker=TASK_OPEN if found[1] == " " else TASK_DONE), content[found.end() :]


def _open_fence(fence: Fence, leaf: Leaf, page: Page) -> tuple[tuple[Block, ...], bool]:
    """A fence that is still open: without half of its closing marks, and without half the name of its language."""
    if len(page.lines) == leaf.line + 1:
        return (replace(fence, language=""),), False
    marks = page.tokens[leaf.index].markup
    # At the left edge of the text nothing but its closing marks ends it.
    is_at_edge = page.lines[leaf.line].startswith(marks) and not leaf.depth and not leaf.quotes
    line = fence.text.rsplit("\n", 1)[-1]
    if is_at_edge and not line and page.lines[-1]:  # the parser leaves out a last line of blanks alone
        line = page.lines[-1]
        fence = replace(fence, text=fence.text + line)
    half = line.strip(" ")
    if half and marks.startswith(half):
        return (replace(fence, text=fence.text.removesuffix(line)),), False
    return (fence,), is_at_edge and not (half and not half.strip(marks[0]))


def half_table(page: Page) -> str:
    """The rest as a table where it ends with what looks like the first row of one, or ""."""
    last = page.leaves[-1]
    if last.kind != "paragraph_open" or last.quotes or last.depth or last.end - last.line != 1:
        return ""
    table = table_from_first_row(page.lines[last.line])
    return "\n".join((*page.lines[first_line(page) : last.line], table)) if table else ""


_TASK = re.compile(r"\[([ xX])\](?=[ \t\n])[ \t\n]*")
_HALF_TASK = re.compile(r"\[(?:[ xX]\]?)?")

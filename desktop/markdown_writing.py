"""Blocks back to Markdown: what is selected in a conversation, as source.

Read again it gives the same blocks, but for what a source can say in several ways: which of them was written is not
known here. It knows nothing of Qt.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import assert_never

from desktop.markdown import TASK_DONE, TASK_OPEN, Block, Fence, Heading, Paragraph, Rule, Run, Table


def to_markdown(blocks: Sequence[Block]) -> str:
    """The blocks one after the other, as a source would have them."""
    written: list[str] = []
    widths: list[int] = []  # of the markers of the lists that a block stands in
    previous: Block | None = None
    for block in _joined(blocks):
        if previous is not None:
            written.append(_between(previous, block, widths))
        written.append(_placed(_written(block), block, widths))
        previous = block
    return "".join(written)


def clipped(block: Block, begin: int, end: int) -> Block | None:
    """The part of a block between two of its characters; of a table its rows, wherever they were cut."""
    match block:
        case Paragraph() | Heading():
            runs = tuple(_clipped(block.runs, begin, end))
            return replace(block, runs=runs) if runs else None
        case Fence():
            text = block.text[begin:end]
            return replace(block, text=text) if text else None
        case Table() | Rule():
            return block
    assert_never(block)


def _clipped(runs: Iterable[Run], begin: int, end: int) -> Iterable[Run]:
    position = 0
    for run in runs:
        text = run.text[max(0, begin - position) : max(0, end - position)]
        if text:
            yield replace(run, text=text)
        position += len(run.text)


def _joined(blocks: Sequence[Block]) -> Iterable[Block]:
    """The stretches of long code and long tables put together again."""
    last: Block | None = None
    for block in blocks:
        match last, block:
            case Fence(), Fence() if block.place.resumes:
                last = replace(last, text=last.text + block.text)
                continue
            case Table(), Table() if block.place.resumes:
                last = replace(last, rows=(*last.rows, *block.rows))
                continue
        if last is not None:
            yield last
        last = block
    if last is not None:
        yield last


def _between(before: Block, block: Block, widths: Sequence[int]) -> str:
    quotes = min(before.place.quotes, block.place.quotes)
    is_near = block.place.resumes or (before.place.depth and block.place.depth and not block.place.loose)
    if is_near and isinstance(block, Paragraph):
        return "\n"
    indent = " " * sum(widths[: block.place.outside]) if quotes else ""
    return "\n" + (indent + "> " * quotes).rstrip() + "\n"


def _placed(text: str, block: Block, widths: list[int]) -> str:
    """The text behind the marks of the quotes and lists that it stands in."""
    place = block.place
    marker = f"{'-' if place.marker in _BULLETS else place.marker} " if place.marker else ""
    around = place.depth - 1 if marker else place.depth
    widths[place.depth :] = []
    widths += [2] * (around - len(widths))
    outside = place.outside if place.quotes else 0
    begins_item = marker if outside == place.depth else ""  # whose text begins with the quote
    before = " " * sum(widths[: min(outside, around)])
    quotes = "> " * place.quotes
    within = " " * sum(widths[outside : max(0, around)])
    if marker:
        widths[around:] = [len(marker)]
    first, *others = text.split("\n")
    head = f"{before}{begins_item}{quotes}{within}{'' if begins_item else marker}"
    inner = f"{before}{' ' * len(begins_item)}{quotes}{within}{'' if begins_item else ' ' * len(marker)}"
    lines = [f"{head}{first}", *(f"{inner}{line}" for line in others)]
    return "\n".join(line.rstrip() if not line.strip("> ") else line for line in lines)


def _written(block: Block) -> str:
    match block:
        case Paragraph():
            return _task_box(block) + _with_formulas(_LINE_STARTS.sub(_escaped_start, _runs(block.runs)), block.runs)
        case Heading():
            return "#" * block.level + " " + _in_one_line(block.runs)
        case Rule():
            return "---"
        case Fence():
            ticks = "`" * max(3, 1 + max((len(found) for found in re.findall("`+", block.text)), default=0))
            return f"{ticks}{block.language}\n{block.text.removesuffix(_LINE_END)}\n{ticks}"
        case Table():
            rows = [_row(block.header), _row_of_dashes(block.alignments), *(_row(row) for row in block.rows)]
            return "\n".join(rows)
    assert_never(block)


def _row(cells: Sequence[Sequence[Run]]) -> str:
    return "| " + " | ".join(_in_one_line(cell).replace("|", r"\|") for cell in cells) + " |"


def _row_of_dashes(alignments: Sequence[str]) -> str:
    dashes = {"left": ":--", "center": ":-:", "right": "--:"}
    return "| " + " | ".join(dashes.get(alignment, "---") for alignment in alignments) + " |"


def _task_box(block: Paragraph) -> str:
    return {TASK_OPEN: "[ ] ", TASK_DONE: "[x] "}.get(block.place.marker, "")


def _in_one_line(runs: Sequence[Run]) -> str:
    return _with_formulas(_runs(runs), runs).replace("\n", " ")


def _with_formulas(text: str, runs: Sequence[Run]) -> str:
    """The text with its formulas as they were written: nothing in them is a mark of Markdown's."""
    first, *others = text.split(_FORMULA)
    formulas = (run.text for run in runs if run.formula)
    return first + "".join(formula + other for formula, other in zip(formulas, others, strict=True))


def _runs(runs: Sequence[Run]) -> str:
    # One dollar alone is a price.
    has_dollars = sum(run.text.count("$") for run in runs if not run.formula) > 1
    return "".join(_FORMULA if run.formula else _run(run, has_dollars=has_dollars) for run in runs)


def _run(run: Run, *, has_dollars: bool) -> str:
    core = run.text.strip()
    if not core:
        return run.text
    before, _, after = run.text.partition(core)
    if run.code:
        ticks = "`" * (1 + max((len(found) for found in re.findall("`+", core)), default=0))
        pad = " " if core[0] == "`" or core[-1] == "`" else ""
        text = f"{ticks}{pad}{core}{pad}{ticks}"
    elif run.link == core:
        text = core
    else:
        text = _SPECIAL.sub(r"\\\g<0>", core)
        text = text.replace("$", r"\$") if has_dollars else text
    marks = "~~" * run.strike + "**" * run.bold + "*" * run.italic
    text = marks + text + marks[::-1]
    if run.link and run.link != core:
        text = f"[{text}]({run.link})"
    return before + text + after


def _escaped_start(found: re.Match[str]) -> str:
    indent, number, mark = found[1], found[2] or "", found[3] or found[4]
    return f"{indent}{number}\\{mark}"


_LINE_END = "\n"
_FORMULA = "\ufffc"  # stands in no text
_BULLETS = ("•", TASK_OPEN, TASK_DONE)
# Of brackets only the closing ones: between both would be a formula.
_SPECIAL = re.compile(r"[\\`*<]|(?<=\[[ xX])\]|\](?=\()|(?<![^\W_])_|_(?![^\W_])|~(?=~)|&(?=\w+;|#)")
# What would begin an item, a heading, a quote, a rule, a fence, or the second row of a table.
_LINE_STARTS = re.compile(
    r"^( {0,3})(?:(\d{1,9})([.)])(?=\s|$)|([-+](?=\s|$)|#(?=#{0,5}(?:\s|$))|>|[-=_|:](?=[-=_|:\s]*$)|~(?=~~)))",
    re.MULTILINE,
)

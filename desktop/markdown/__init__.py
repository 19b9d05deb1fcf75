"""Markdown to blocks and runs, block by block, as it is written.

CommonMark with tables, strike-through, task lists and formulas; raw HTML is text, an image is a link to it, nothing is
ever fetched. It differs from CommonMark on purpose in three things: a line break in the source stays one (a model's
line break is meant), bare web addresses are links, and link reference definitions are text (one that came late would
have to change blocks that are already drawn).

It knows nothing of Qt, fonts or widths.
"""

from desktop.markdown.blocks import (
    CODE_LINES,
    TABLE_ROWS,
    TASK_DONE,
    TASK_OPEN,
    Block,
    Fence,
    Heading,
    Paragraph,
    Place,
    Rule,
    Run,
    Table,
)
from desktop.markdown.reader import BLOCK_LENGTH, MarkdownReader, cut, read_markdown, read_plain

__all__ = [
    "BLOCK_LENGTH",
    "CODE_LINES",
    "TABLE_ROWS",
    "TASK_DONE",
    "TASK_OPEN",
    "Block",
    "Fence",
    "Heading",
    "MarkdownReader",
    "Paragraph",
    "Place",
    "Rule",
    "Run",
    "Table",
    "cut",
    "read_markdown",
    "read_plain",
]

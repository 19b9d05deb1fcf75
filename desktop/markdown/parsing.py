"""markdown-it, set up for what models write."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from desktop.markdown.formula_rules import add_formulas

if TYPE_CHECKING:  # imported with the first text: it takes 100 ms that the first paint should not wait for
    from markdown_it import MarkdownIt


@lru_cache(maxsize=1)
def markdown_it() -> MarkdownIt:
    """The parser; the first call loads it."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable(["reference"])
    add_formulas(parser)
    return parser

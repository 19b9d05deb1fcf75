"""What is read again with each token: a scaffold that restores where the open block stands, and its own source.

A page is what markdown-it made of both, leaf by leaf; a border is where the rest can begin anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from desktop.markdown.blocks import CODE_LINES, TABLE_ROWS
from desktop.markdown.parsing import markdown_it
from desktop.markdown.source import ITEM_OPENING

if TYPE_CHECKING:  # imported with the first text: it takes 100 ms that the first paint should not wait for
    from markdown_it.token import Token


@dataclass(frozen=True, slots=True)
class Scaffold:
    """Lines put before the rest so that it is read as if all before it were still there.

    The rest of an item begins with the markers of the items around it, the rest of a fence or a table with its
    head. Leaves that begin before line `first` are the scaffold's own and are not shown. `numbers` are those that
    the items of the first lists have by count.
    """

    text: str = ""
    first: int = 0
    numbers: tuple[int | None, ...] = ()
    loose: bool = False
    resumes: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a list: the line it begins at, its number by count, the marker before its text."""

    line: int
    number: int | None
    marker: str


@dataclass(frozen=True, slots=True)
class Leaf:
    """A block without blocks in it. Taken apart from its quotes it would be another: it begins at `unit`."""

    index: int  # of its token; that of an item's end where the item is empty
    kind: str
    line: int
    end: int
    unit: int
    unit_items: tuple[Item, ...]
    depth: int
    quotes: int
    marker: str

    @property
    def is_code(self) -> bool:
        return self.kind in {"fence", "code_block"}


@dataclass(frozen=True, slots=True)
class Page:
    """What markdown-it makes of a scaffold and the rest behind it."""

    scaffold: Scaffold
    source: str
    lines: list[str]
    tokens: list[Token]
    leaves: list[Leaf]


@dataclass(frozen=True, slots=True)
class Border:
    """Where the rest begins anew: at a line, or within one at `column`; `head` are lines it begins with again."""

    line: int
    items: tuple[Item, ...]
    head: tuple[int, int] | None = None
    resumes: bool = False
    column: int | None = None
    quotes: int = 0


def read_page(scaffold: Scaffold, rest: str) -> Page:
    """What markdown-it makes of the rest, read behind its scaffold."""
    source = scaffold.text + rest
    tokens: list[Token] = []
    markdown_it().block.parse(source, markdown_it(), {}, tokens)
    leaves = [leaf for leaf in _leaves(tokens, scaffold) if leaf.line >= scaffold.first]
    return Page(scaffold, source, source.split("\n"), tokens, leaves)


def border_in(page: Page) -> Border | None:
    """The first line where everything above is certain and what follows can be read by itself."""
    for leaf in page.leaves:
        if leaf.quotes:
            continue
        split = _split_line(leaf, page)
        if split is not None:
            return Border(split, leaf.unit_items, _head(leaf), resumes=True)
    if page.leaves and page.leaves[-1].unit > max(page.scaffold.first, first_line(page)):
        return Border(page.leaves[-1].unit, page.leaves[-1].unit_items)
    return None


def cut_border(page: Page) -> Border:
    """The end of the page, in the middle of its last leaf."""
    within_line = not page.source.endswith("\n")
    line = len(page.lines) - (0 if within_line else 1)
    column = len(page.lines[-1]) if within_line else None
    if not page.leaves:
        return Border(line, (), resumes=True, column=column)
    last = page.leaves[-1]
    return Border(line, last.unit_items, _head(last), resumes=True, column=column, quotes=last.quotes)


def _split_line(leaf: Leaf, page: Page) -> int | None:
    """Where a long fence or table is split."""
    if leaf.is_code:
        first = max(leaf.line + (leaf.kind == "fence"), first_line(page))
        split = first + CODE_LINES
        last = _last_code_line(leaf, page)
    elif leaf.kind == "table_open":
        split = max(leaf.line + 2, first_line(page)) + TABLE_ROWS
        last = leaf.end - 1
    else:
        return None
    return split if split <= last else None


def _last_code_line(leaf: Leaf, page: Page) -> int:
    return leaf.end - 1 - is_closed(leaf, page)


def is_closed(leaf: Leaf, page: Page) -> bool:
    """Whether a fence has its closing marks."""
    if leaf.kind != "fence":
        return False
    content = page.tokens[leaf.index].content
    lines = content.count("\n") + (content != "" and not content.endswith("\n"))
    return bool(lines == leaf.end - leaf.line - 2)


def _head(leaf: Leaf) -> tuple[int, int] | None:
    """The lines that say what a fence or a table is."""
    match leaf.kind:
        case "fence":
            return leaf.line, leaf.line + 1
        case "table_open":
            return leaf.line, leaf.line + 2
        case _:
            return None


def first_line(page: Page) -> int:
    """The line at which the rest itself begins."""
    return page.scaffold.text.count("\n")


def scaffold_for(border: Border, page: Page) -> Scaffold:
    """What the rest behind a border is read with."""
    until = border.head[0] if border.head else border.line
    lines: list[str] = []
    for line in dict.fromkeys(item.line for item in border.items if item.line < until):
        depth = sum(item.line == line for item in border.items)
        lines.append(_opening(page.lines[line], depth) + "x\n")
    if lines:
        lines.append("\n")
    first = len(lines)
    if border.head:
        lines += [line + "\n" for line in page.lines[border.head[0] : border.head[1]]]
    if border.column is not None:
        lines.append(" " * _content_column(border, page) + "> " * border.quotes)
    return Scaffold(
        text="".join(lines),
        first=first,
        numbers=tuple(item.number for item in border.items),
        loose=not border.resumes and is_blank(page.lines[border.line - 1]),
        resumes=border.resumes,
    )


def _content_column(border: Border, page: Page) -> int:
    """How far the text of the innermost item is indented."""
    if not border.items:
        return 0
    line = border.items[-1].line
    return len(_opening(page.lines[line], sum(item.line == line for item in border.items)).expandtabs(4))


def _opening(line: str, depth: int) -> str:
    """The markers of the first `depth` items that begin in a line, up to where their text begins."""
    opening = ""
    for _ in range(depth):
        found = ITEM_OPENING.match(line, len(opening))
        if not found:
            break
        opening += found[0] if found[0][-1] in " \t" else found[0] + " "
    return opening


def is_blank(line: str) -> bool:
    """Whether a line has nothing but the marks of quotes."""
    return not line.strip(" \t>")


_LEAF_KINDS = frozenset({"paragraph_open", "heading_open", "fence", "code_block", "hr", "table_open", "formula_open"})


def _leaves(tokens: Sequence[Token], scaffold: Scaffold) -> Iterator[Leaf]:  # noqa: C901 - a case for each kind
    lists = _Lists(scaffold.numbers)
    quotes: list[int] = []
    for index, token in enumerate(tokens):
        match token.type:
            case "ordered_list_open":
                lists.open(int(token.attrs.get("start", 1)))
            case "bullet_list_open":
                lists.open(None)
            case "ordered_list_close" | "bullet_list_close":
                lists.close()
            case "list_item_open":
                lists.begin_item(token)
            case "list_item_close":
                if lists.is_fresh:
                    line = lists.items[-1].line
                    yield lists.leaf(index, token.type, (line, line + 1), quotes)
                lists.end_item()
            case "blockquote_open":
                quotes.append(_map(token)[0])
                if len(quotes) == 1:
                    lists.outside_quotes = len(lists.items)
            case "blockquote_close":
                quotes.pop()
            case kind if kind in _LEAF_KINDS:
                yield lists.leaf(index, kind, _map(token), quotes)


class _Lists:
    """The lists and items around a leaf, and how far each list has counted."""

    def __init__(self, numbers: tuple[int | None, ...]) -> None:
        self.items: list[Item] = []
        self.is_fresh = False  # an item has begun and has no leaf yet
        self._fresh_line = 0  # where it, or one around it that has none either, begins
        self.outside_quotes = 0
        self._counters: list[int | None] = []
        self._numbers = list(numbers)

    def open(self, start: int | None) -> None:
        depth = len(self._counters)
        if depth < len(self._numbers):
            counted, self._numbers[depth] = self._numbers[depth], None
            start = counted if counted is not None and start is not None else start
        self._counters.append(start)

    def close(self) -> None:
        self._counters.pop()

    def begin_item(self, token: Token) -> None:
        number = self._counters[-1]
        marker = "•" if number is None else f"{number}{token.markup}"
        line = _map(token)[0]
        self.items.append(Item(line, number, marker))
        if not self.is_fresh:
            self._fresh_line = line
        self.is_fresh = True

    def end_item(self) -> None:
        self.items.pop()
        self.is_fresh = False
        number = self._counters[-1]
        self._counters[-1] = None if number is None else number + 1

    def leaf(self, index: int, kind: str, lines: tuple[int, int], quotes: Sequence[int]) -> Leaf:
        marker = self.items[-1].marker if self.is_fresh else ""
        # The text of an item may begin on the line after its marker: one goes nowhere without the other.
        begin = self._fresh_line if self.is_fresh else lines[0]
        self.is_fresh = False
        around = self.items[: self.outside_quotes] if quotes else self.items
        unit = min(quotes[0], begin) if quotes else begin
        return Leaf(index, kind, *lines, unit, tuple(around), len(self.items), len(quotes), marker)


def _map(token: Token) -> tuple[int, int]:
    begin, end = token.map or (0, 0)
    return begin, end

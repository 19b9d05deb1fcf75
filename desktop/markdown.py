"""Markdown to blocks and runs, block by block, as it is written.

CommonMark with tables and strike-through; raw HTML is text, an image is a link to it, nothing is ever fetched. It
differs from CommonMark on purpose in three things: a line break in the source stays one (a model's line break is
meant), bare web addresses are links, and link reference definitions are text (one that came late would have to
change blocks that are already drawn).

It knows nothing of Qt, fonts or widths.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from desktop.half_markdown import INERT_TEXT, mended, table_from_first_row, without_half_marker

if TYPE_CHECKING:  # imported with the first text: it takes 100 ms that the first paint should not wait for
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


@dataclass(frozen=True, slots=True)
class Run:
    """Text of one style. `link` is the whole address, http(s) or mailto, or empty."""

    text: str
    bold: bool = False
    italic: bool = False
    strike: bool = False
    code: bool = False
    link: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a block stands: in how many lists and quotes, with what marker before it, after a blank line or not.

    `resumes` says that this block goes on where the one before it was cut for length.
    """

    depth: int = 0
    quotes: int = 0
    marker: str = ""
    loose: bool = False
    resumes: bool = False


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text; one with a marker begins a list item."""

    runs: tuple[Run, ...]
    place: Place = Place()


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of level 1 to 6."""

    level: int
    runs: tuple[Run, ...]
    place: Place = Place()


@dataclass(frozen=True, slots=True)
class Rule:
    """A thematic break."""

    place: Place = Place()


@dataclass(frozen=True, slots=True)
class Fence:
    """Code, or a stretch of a long one: up to `CODE_LINES` lines. `closed` says that it is the last stretch."""

    language: str
    text: str
    closed: bool
    place: Place = Place()


@dataclass(frozen=True, slots=True)
class Table:
    """A table, or a stretch of a long one: up to `TABLE_ROWS` rows. `alignments` are "left", "center", "right", ""."""

    alignments: tuple[str, ...]
    header: tuple[tuple[Run, ...], ...]
    rows: tuple[tuple[tuple[Run, ...], ...], ...]
    place: Place = Place()


Block: TypeAlias = Paragraph | Heading | Rule | Fence | Table

CODE_LINES = 60
TABLE_ROWS = 12
BLOCK_LENGTH = 3000
"""No open block grows longer than about this: it is cut, so that what is read again with each token stays short."""

_SLACK = 1000  # how far beyond its length a block may grow until a good place to cut it is found
_PIECE_LENGTH = 2000


def read_markdown(text: str) -> tuple[Block, ...]:
    """All blocks of a whole text."""
    reader = MarkdownReader()
    reader.append(text)
    reader.finish()
    return tuple(reader.finished)


def read_plain(text: str) -> tuple[Block, ...]:
    """Text that is no Markdown, as it was typed: paragraphs of a few lines that stand without a gap."""
    pieces = enumerate(_lines_together(_clean(text)))
    return tuple(Paragraph(tuple(_with_addresses(Run(piece))), Place(resumes=number > 0)) for number, piece in pieces)


def cut(text: str) -> list[str]:
    """Markdown in pieces that can be read each by itself, cheaply: only at a blank line before a plain line.

    A conversation is opened by its last screen; the rest is read when somebody scrolls there.
    """
    if len(text) <= _PIECE_LENGTH:
        return [text]
    pieces: list[str] = []
    begin = 0
    for place in _safe_places(text):
        if place - begin >= _PIECE_LENGTH:
            pieces.append(text[begin:place])
            begin = place
    pieces.append(text[begin:])
    return pieces


class MarkdownReader:
    """Reads Markdown that is still being written.

    `finished` blocks never change again; `open_blocks` are what follows them for now, with half-open emphasis and
    code closed so that they look right. What an append costs depends on the open block alone, and that is kept short.
    """

    def __init__(self, block_length: int = BLOCK_LENGTH) -> None:
        self._block_length = block_length
        self._parser = _Parser()
        self._finished: list[Block] = []
        self._open: tuple[Block, ...] = ()
        self._rest = ""  # the source of the open block
        self._scaffold = _Scaffold()
        self._carriage_return = ""  # a "\r" at the end: half a line break, perhaps
        self._takes_plain_text = False

    @property
    def finished(self) -> Sequence[Block]:
        return self._finished

    @property
    def open_blocks(self) -> tuple[Block, ...]:
        return self._open

    def append(self, text: str) -> None:
        """Go on with `text`, which may end anywhere."""
        text = self._carriage_return + text
        self._carriage_return = "\r" if text.endswith("\r") else ""
        text = _clean(text.removesuffix("\r"))
        if not text or self._extend(text):
            return
        self._rest += text
        if "\n" in text or len(self._rest) > self._block_length:
            self._take_finished(at_end=False)
        self._open = self._look()

    def finish(self) -> None:
        """Nothing follows: every block is finished."""
        if self._carriage_return:
            self._rest += "\n"
            self._carriage_return = ""
        self._take_finished(at_end=True)
        self._open = ()

    def _extend(self, text: str) -> bool:
        """The cheap way for four tokens out of five: plain text goes to the end of the last run."""
        if not self._open or len(self._rest) + len(text) > self._block_length:
            return False
        last = self._open[-1]
        longer: Block
        match last:
            case Paragraph() | Heading():
                if not self._takes_plain_text or not INERT_TEXT.fullmatch(text):
                    return False
                runs = (*last.runs[:-1], replace(last.runs[-1], text=last.runs[-1].text + text))
                longer = replace(last, runs=runs)
            case Fence():
                lines = last.text.count("\n") + text.count("\n")
                if not self._takes_plain_text or "`" in text or "~" in text or lines > CODE_LINES:
                    return False
                longer = replace(last, text=last.text + text)
            case _:
                return False
        self._rest += text
        self._open = (*self._open[:-1], longer)
        return True

    def _take_finished(self, *, at_end: bool) -> None:
        while self._rest and self._take(at_end=at_end):
            pass

    def _take(self, *, at_end: bool) -> bool:
        """Take what is certain from the rest; whether there may be more."""
        end, must_cut = self._end_of_window()
        whole_lines = end if at_end and end == len(self._rest) else self._rest.rfind("\n", 0, end) + 1
        if whole_lines:
            page = self._read(self._rest[:whole_lines])
            border = _border(page)
            if border:
                self._take_until(border, page)
                return True
        page = self._read(self._rest[:end])
        if must_cut:
            self._take_until(_cut_border(page), page)
            return True
        if at_end:
            self._keep(page.leaves, page, cut_last=False)
            self._rest, self._scaffold = "", _Scaffold()
        return False

    def _end_of_window(self) -> tuple[int, bool]:
        """How much of the rest to look at now, and whether it must be cut there when it is all one block.

        The place depends on the text alone, never on how it was cut when it came.
        """
        length, rest = self._block_length, self._rest
        if len(rest) <= length:
            return len(rest), False
        line_end = rest.find("\n", length, length + _SLACK)
        if line_end >= 0:
            return line_end + 1, True
        if len(rest) < length + _SLACK:
            return len(rest), False
        if sentence := _SENTENCE_END.search(rest, length, length + _SLACK):
            return sentence.end(), True
        space = rest.rfind(" ", length, length + _SLACK)
        return (space + 1 if space >= 0 else length + _SLACK), True

    def _read(self, source: str) -> _Page:
        return self._parser.page(self._scaffold, source)

    def _take_until(self, border: _Border, page: _Page) -> None:
        scaffold = _scaffold_for(border, page)
        length = sum(len(line) + 1 for line in page.lines[: border.line]) - len(self._scaffold.text)
        length = min(length, len(page.source) - len(self._scaffold.text))
        if border.resumes:
            page = self._read(self._rest[:length])
        self._keep([leaf for leaf in page.leaves if leaf.line < border.line], page, cut_last=border.resumes)
        self._rest, self._scaffold = self._rest[length:], scaffold

    def _keep(self, leaves: Sequence[_Leaf], page: _Page, *, cut_last: bool) -> None:
        for leaf in leaves:
            goes_on = cut_last and leaf is leaves[-1]
            self._finished.append(self._parser.block(leaf, page, closed=not goes_on))
        self._parser.forget()

    def _look(self) -> tuple[Block, ...]:
        """The open blocks as they should look now."""
        source = without_half_marker(self._rest)
        page = self._read(self._rest)
        hidden = source != self._rest and not (page.leaves and page.leaves[-1].is_code)
        if hidden:
            page = self._read(source)
        self._takes_plain_text = False
        if not page.leaves:
            return ()
        half_table = _half_table(page)
        if half_table:
            page = self._read(half_table)
        *before, last = page.leaves
        shown, takes_more = self._parser.open_block(last, page)
        self._takes_plain_text = takes_more and not hidden and not half_table
        blocks = [self._parser.block(leaf, page, closed=True) for leaf in before]
        return (*blocks, *shown)


# ---------------------------------------------------------------------------------------------------------------
# What is read again with each token: a scaffold that restores where the open block stands, and its own source.


@dataclass(frozen=True, slots=True)
class _Scaffold:
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
class _Item:
    line: int
    number: int | None
    marker: str


@dataclass(frozen=True, slots=True)
class _Leaf:
    """A block without blocks in it. Taken apart from its quotes it would be another: it begins at `unit`."""

    index: int  # of its token; that of an item's end where the item is empty
    kind: str
    line: int
    end: int
    unit: int
    unit_items: tuple[_Item, ...]
    depth: int
    quotes: int
    marker: str

    @property
    def is_code(self) -> bool:
        return self.kind in {"fence", "code_block"}


@dataclass(frozen=True, slots=True)
class _Page:
    scaffold: _Scaffold
    source: str
    lines: list[str]
    tokens: list[Token]
    leaves: list[_Leaf]


@dataclass(frozen=True, slots=True)
class _Border:
    """Where the rest begins anew: at a line, or within one at `column`; `head` are lines it begins with again."""

    line: int
    items: tuple[_Item, ...]
    head: tuple[int, int] | None = None
    resumes: bool = False
    column: int | None = None
    quotes: int = 0


def _border(page: _Page) -> _Border | None:
    """The first line where everything above is certain and what follows can be read by itself."""
    for leaf in page.leaves:
        if leaf.quotes:
            continue
        split = _split_line(leaf, page)
        if split is not None:
            return _Border(split, leaf.unit_items, _head(leaf), resumes=True)
    if page.leaves and page.leaves[-1].unit > max(page.scaffold.first, _first_line(page)):
        return _Border(page.leaves[-1].unit, page.leaves[-1].unit_items)
    return None


def _cut_border(page: _Page) -> _Border:
    """The end of the page, in the middle of its last leaf."""
    within_line = not page.source.endswith("\n")
    line = len(page.lines) - (0 if within_line else 1)
    column = len(page.lines[-1]) if within_line else None
    if not page.leaves:
        return _Border(line, (), resumes=True, column=column)
    last = page.leaves[-1]
    return _Border(line, last.unit_items, _head(last), resumes=True, column=column, quotes=last.quotes)


def _split_line(leaf: _Leaf, page: _Page) -> int | None:
    """Where a long fence or table is split."""
    if leaf.is_code:
        first = max(leaf.line + (leaf.kind == "fence"), _first_line(page))
        split = first + CODE_LINES
        last = _last_code_line(leaf, page)
    elif leaf.kind == "table_open":
        split = max(leaf.line + 2, _first_line(page)) + TABLE_ROWS
        last = leaf.end - 1
    else:
        return None
    return split if split <= last else None


def _last_code_line(leaf: _Leaf, page: _Page) -> int:
    return leaf.end - 1 - _is_closed(leaf, page)


def _is_closed(leaf: _Leaf, page: _Page) -> bool:
    if leaf.kind != "fence":
        return False
    content = page.tokens[leaf.index].content
    lines = content.count("\n") + (content != "" and not content.endswith("\n"))
    return bool(lines == leaf.end - leaf.line - 2)


def _head(leaf: _Leaf) -> tuple[int, int] | None:
    """The lines that say what a fence or a table is."""
    match leaf.kind:
        case "fence":
            return leaf.line, leaf.line + 1
        case "table_open":
            return leaf.line, leaf.line + 2
        case _:
            return None


def _first_line(page: _Page) -> int:
    """The line at which the rest itself begins."""
    return page.scaffold.text.count("\n")


def _scaffold_for(border: _Border, page: _Page) -> _Scaffold:
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
    return _Scaffold(
        text="".join(lines),
        first=first,
        numbers=tuple(item.number for item in border.items),
        loose=not border.resumes and _is_blank(page.lines[border.line - 1]),
        resumes=border.resumes,
    )


def _content_column(border: _Border, page: _Page) -> int:
    """How far the text of the innermost item is indented."""
    if not border.items:
        return 0
    line = border.items[-1].line
    return len(_opening(page.lines[line], sum(item.line == line for item in border.items)).expandtabs(4))


def _opening(line: str, depth: int) -> str:
    """The markers of the first `depth` items that begin in a line, up to where their text begins."""
    opening = ""
    for _ in range(depth):
        found = _ITEM_OPENING.match(line, len(opening))
        if not found:
            break
        opening += found[0] if found[0][-1] in " \t" else found[0] + " "
    return opening


def _is_blank(line: str) -> bool:
    return not line.strip(" \t>")


# ---------------------------------------------------------------------------------------------------------------
# markdown-it's tokens to blocks


class _Parser:
    """markdown-it, and the runs of what it has read since the last block was finished."""

    def __init__(self) -> None:
        self._runs: dict[str, tuple[Run, ...]] = {}

    def forget(self) -> None:
        self._runs.clear()

    def page(self, scaffold: _Scaffold, rest: str) -> _Page:
        source = scaffold.text + rest
        tokens: list[Token] = []
        _markdown_it().block.parse(source, _markdown_it(), {}, tokens)
        leaves = [leaf for leaf in _leaves(tokens, scaffold) if leaf.line >= scaffold.first]
        return _Page(scaffold, source, source.split("\n"), tokens, leaves)

    def block(self, leaf: _Leaf, page: _Page, *, closed: bool) -> Block:
        """The block of a leaf; `closed` says that all of it is there."""
        place = _place(leaf, page)
        token = page.tokens[leaf.index]
        match leaf.kind:
            case "paragraph_open":
                return Paragraph(self.runs(page.tokens[leaf.index + 1].content), place)
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

    def open_block(self, leaf: _Leaf, page: _Page) -> tuple[tuple[Block, ...], bool]:
        """The block as it should look while it is written (none while it is empty), and whether plain text can
        simply be added to its end."""
        if leaf.kind in {"paragraph_open", "heading_open"}:
            return self._open_text(leaf, page)
        block = self.block(leaf, page, closed=_is_closed(leaf, page))
        if isinstance(block, Fence) and leaf.kind == "fence" and not block.closed:
            return _open_fence(block, leaf, page)
        return (block,), False

    def _open_text(self, leaf: _Leaf, page: _Page) -> tuple[tuple[Block, ...], bool]:
        content = page.tokens[leaf.index + 1].content
        half = mended(content)
        runs = tuple(_joined(run for piece in half.pieces for run in self.runs(piece)))
        place = _place(leaf, page)
        if not runs and not place.marker:
            return (), False
        level = int(page.tokens[leaf.index].tag[1:]) if leaf.kind == "heading_open" else 0
        block = Heading(level, runs, place) if level else Paragraph(runs, place)
        takes_more = half.takes_more and bool(runs) and not runs[-1].link
        return (block,), takes_more and page.source.endswith(content[-1]) and runs[-1].text.endswith(content[-1])

    def runs(self, content: str) -> tuple[Run, ...]:
        known = self._runs.get(content)
        if known is None:
            children: list[Token] = []
            _markdown_it().inline.parse(content, _markdown_it(), {}, children)
            known = self._runs[content] = tuple(_joined(_runs(children)))
        return known

    def _table(self, leaf: _Leaf, page: _Page, place: Place) -> Table:
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


@lru_cache(maxsize=1)
def _markdown_it() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable(["reference"])


_LEAF_KINDS = frozenset({"paragraph_open", "heading_open", "fence", "code_block", "hr", "table_open"})


def _leaves(tokens: Sequence[Token], scaffold: _Scaffold) -> Iterator[_Leaf]:  # noqa: C901 - a case for each kind
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
        self.items: list[_Item] = []
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
        self.items.append(_Item(line, number, marker))
        if not self.is_fresh:
            self._fresh_line = line
        self.is_fresh = True

    def end_item(self) -> None:
        self.items.pop()
        self.is_fresh = False
        number = self._counters[-1]
        self._counters[-1] = None if number is None else number + 1

    def leaf(self, index: int, kind: str, lines: tuple[int, int], quotes: Sequence[int]) -> _Leaf:
        marker = self.items[-1].marker if self.is_fresh else ""
        # The text of an item may begin on the line after its marker: one goes nowhere without the other.
        begin = self._fresh_line if self.is_fresh else lines[0]
        self.is_fresh = False
        around = self.items[: self.outside_quotes] if quotes else self.items
        unit = min(quotes[0], begin) if quotes else begin
        return _Leaf(index, kind, *lines, unit, tuple(around), len(self.items), len(quotes), marker)


def _map(token: Token) -> tuple[int, int]:
    begin, end = token.map or (0, 0)
    return begin, end


def _place(leaf: _Leaf, page: _Page) -> Place:
    begins_rest = leaf.line <= _first_line(page)
    resumes = page.scaffold.resumes and begins_rest and leaf is page.leaves[0]
    loose = page.scaffold.loose if begins_rest else _is_blank(page.lines[leaf.line - 1])
    return Place(leaf.depth, leaf.quotes, "" if resumes else leaf.marker, loose and not resumes, resumes)


def _open_fence(fence: Fence, leaf: _Leaf, page: _Page) -> tuple[tuple[Block, ...], bool]:
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


def _half_table(page: _Page) -> str:
    """The rest as a table where it ends with what looks like the first row of one, or ""."""
    last = page.leaves[-1]
    if last.kind != "paragraph_open" or last.quotes or last.depth or last.end - last.line != 1:
        return ""
    table = table_from_first_row(page.lines[last.line])
    return "\n".join((*page.lines[_first_line(page) : last.line], table)) if table else ""


def _runs(children: Sequence[Token]) -> Iterator[Run]:  # noqa: C901 - a case for each kind
    style = Run("")
    for token in children:
        match token.type:
            case "text" | "text_special":
                run = _restyled(style, token.content)
                yield from (run,) if style.link else _with_addresses(run)
            case "softbreak" | "hardbreak":
                yield _restyled(style, "\n")
            case "code_inline":
                yield replace(style, text=token.content, code=True)
            case "image":
                address = _allowed(str(token.attrs.get("src", "")))
                yield replace(style, text=token.content or address, link=style.link or address)
            case "strong_open" | "strong_close":
                style = replace(style, bold=token.nesting > 0)
            case "em_open" | "em_close":
                style = replace(style, italic=token.nesting > 0)
            case "s_open" | "s_close":
                style = replace(style, strike=token.nesting > 0)
            case "link_open":
                style = replace(style, link=_allowed(str(token.attrs.get("href", ""))))
            case "link_close":
                style = replace(style, link="")


def _joined(runs: Iterable[Run]) -> Iterator[Run]:
    """Neighbours of one style as one run."""
    last: Run | None = None
    for run in runs:
        if not run.text:
            continue
        if last and _style(last) == _style(run):
            last = _restyled(last, last.text + run.text)
            continue
        if last:
            yield last
        last = run
    if last:
        yield last


def _style(run: Run) -> tuple[bool, bool, bool, bool, str]:
    return run.bold, run.italic, run.strike, run.code, run.link


def _restyled(style: Run, text: str) -> Run:
    """`text` in the style of a run; several times as fast as `replace`, and called for every token of a page."""
    return Run(text, style.bold, style.italic, style.strike, style.code, style.link)


def _with_addresses(run: Run) -> Iterator[Run]:
    """The run, bare web addresses in it as links."""
    position = 0
    if "://" in run.text:
        for found in _ADDRESS.finditer(run.text):
            if found.start() > position:
                yield replace(run, text=run.text[position : found.start()])
            yield replace(run, text=found[0], link=found[0])
            position = found.end()
    if position < len(run.text):
        yield replace(run, text=run.text[position:])


def _allowed(address: str) -> str:
    return address if _ALLOWED_ADDRESS.match(address) else ""


_SENTENCE_END = re.compile(r"[.!?\u2026][\"')\]\u201d\u2019]*\s+(?=[^\W\d_])|[\u3002\uff01\uff1f]")
_ITEM_OPENING = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]{1,4}(?=[^ \t])|[ \t]|$)")
_ADDRESS = re.compile(r"https?://[^\s<>\"`]*[^\s<>\"`.,:;!?'()\[\]{}*_~]", re.IGNORECASE)
_ALLOWED_ADDRESS = re.compile(r"https?://.|mailto:.", re.IGNORECASE)


# ---------------------------------------------------------------------------------------------------------------
# Source text

# Qt takes these for its own marks within a text, and NUL for the end of one.
_FOREIGN = str.maketrans({"\0": "�", "\ufffc": "�", "\ufdd0": "�", "\ufdd1": "�", "\u2029": "\n"})


def _clean(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").translate(_FOREIGN)


def _lines_together(text: str) -> Iterator[str]:
    """The text in pieces of some hundred characters, cut at line ends where there are any."""
    position = 0
    while len(text) - position > _PLAIN_LENGTH:
        end = text.find("\n", position + _PLAIN_LENGTH // 2, position + 2 * _PLAIN_LENGTH)
        if end < 0:
            end = text.rfind(" ", position + _PLAIN_LENGTH, position + 2 * _PLAIN_LENGTH)
        if end < 0:
            end = min(position + 2 * _PLAIN_LENGTH, len(text)) - 1
            yield text[position : end + 1]
        else:
            yield text[position:end]
        position = end + 1
    if position < len(text) or not text:
        yield text[position:]


_PLAIN_LENGTH = 1400


def _safe_places(text: str) -> Iterator[int]:
    """Where a piece may begin: a plain line at the left edge after a blank one, outside any fence."""
    position = 0
    fence = ""
    in_list = False
    after_blank = False
    for line in text.splitlines(keepends=True):
        found = _FENCE_LINE.match(line)
        if fence:
            if found and found[2].startswith(fence) and not found[3].strip():
                fence = ""
        elif found and (not in_list or not found[1]) and not ("`" in found[2] and "`" in found[3]):
            fence = found[2]
        elif line.strip():
            if after_blank and _PLAIN_LINE.match(line):
                yield position
            in_list = bool(_ITEM_OPENING.match(line)) or (in_list and line[0] in " \t")
        after_blank = not line.strip()
        position += len(line)


_FENCE_LINE = re.compile(r"( {0,3})(`{3,}|~{3,})([^\n]*)")
_PLAIN_LINE = re.compile(r"(?![-*+>~`]|\d+[.)])[^\s]")

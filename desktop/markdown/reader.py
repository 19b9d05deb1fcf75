"""Markdown that is still being written, read block by block."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from desktop.markdown.blocks import CODE_LINES, Block, Fence, Heading, Paragraph, Place, Run
from desktop.markdown.building import Builder, half_table
from desktop.markdown.half import INERT_TEXT, without_half_marker
from desktop.markdown.pages import Border, Leaf, Page, Scaffold, border_in, cut_border, read_page, scaffold_for
from desktop.markdown.runs import with_addresses
from desktop.markdown.source import clean, lines_together, safe_places

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
    pieces = enumerate(lines_together(clean(text)))
    return tuple(Paragraph(tuple(with_addresses(Run(piece))), Place(resumes=number > 0)) for number, piece in pieces)


def cut(text: str) -> list[str]:
    """Markdown in pieces that can be read each by itself, cheaply: only at a blank line before a plain line.

    A conversation is opened by its last screen; the rest is read when somebody scrolls there.
    """
    if len(text) <= _PIECE_LENGTH:
        return [text]
    pieces: list[str] = []
    begin = 0
    for place in safe_places(text):
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
        self._builder = Builder()
        self._finished: list[Block] = []
        self._open: tuple[Block, ...] = ()
        self._rest = ""  # the source of the open block
        self._scaffold = Scaffold()
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
        text = clean(text.removesuffix("\r"))
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
            border = border_in(page)
            if border:
                self._take_until(border, page)
                return True
        page = self._read(self._rest[:end])
        if must_cut:
            self._take_until(cut_border(page), page)
            return True
        if at_end:
            self._keep(page.leaves, page, cut_last=False)
            self._rest, self._scaffold = "", Scaffold()
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

    def _read(self, source: str) -> Page:
        return read_page(self._scaffold, source)

    def _take_until(self, border: Border, page: Page) -> None:
        scaffold = scaffold_for(border, page)
        length = sum(len(line) + 1 for line in page.lines[: border.line]) - len(self._scaffold.text)
        length = min(length, len(page.source) - len(self._scaffold.text))
        if border.resumes:
            page = self._read(self._rest[:length])
        self._keep([leaf for leaf in page.leaves if leaf.line < border.line], page, cut_last=border.resumes)
        self._rest, self._scaffold = self._rest[length:], scaffold

    def _keep(self, leaves: Sequence[Leaf], page: Page, *, cut_last: bool) -> None:
        for leaf in leaves:
            goes_on = cut_last and leaf is leaves[-1]
            self._finished.append(self._builder.block(leaf, page, closed=not goes_on))
        self._builder.forget()

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
        as_table = half_table(page)
        if as_table:
            page = self._read(as_table)
        *before, last = page.leaves
        shown, takes_more = self._builder.open_block(last, page)
        self._takes_plain_text = takes_more and not hidden and not as_table
        blocks = [self._builder.block(leaf, page, closed=True) for leaf in before]
        return (*blocks, *shown)


_SENTENCE_END = re.compile(r"[.!?\u2026][\"')\]\u201d\u2019]*\s+(?=[^\W\d_])|[\u3002\uff01\uff1f]")

"""markdown-it's inline tokens to runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from desktop.markdown.blocks import Run

if TYPE_CHECKING:  # imported with the first text: it takes 100 ms that the first paint should not wait for
    from markdown_it.token import Token


def runs_of(children: Sequence[Token]) -> Iterator[Run]:  # noqa: C901 - a case for each kind
    """The runs of a paragraph's tokens; neighbours of one style may come apart."""
    style = Run("")
    for token in children:
        match token.type:
            case "text" | "text_special":
                run = _restyled(style, token.content)
                yield from (run,) if style.link else with_addresses(run)
            case "softbreak" | "hardbreak":
                yield _restyled(style, "\n")
            case "code_inline":
                yield replace(style, text=token.content, code=True)
            case "formula":
                yield replace(style, text=token.content, formula=token.info)
            case "image":
                address = _allowed(str(token.attrs.get("src", "")))
                words = "".join(run.text for run in runs_of(token.children or ()))
                yield replace(style, text=words or address, link=style.link or address)
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


def joined(runs: Iterable[Run]) -> Iterator[Run]:
    """Neighbours of one style as one run."""
    last: Run | None = None
    last_style: _Style | None = None
    for run in runs:
        if not run.text:
            continue
        style = None if run.formula else (run.bold, run.italic, run.strike, run.code, run.link)
        if last is not None and style is not None and style == last_style:
            last = _restyled(last, last.text + run.text)
            continue
        if last is not None:
            yield last
        last, last_style = run, style
    if last is not None:
        yield last


_Style: TypeAlias = tuple[bool, bool, bool, bool, str]


def _restyled(style: Run, text: str) -> Run:
    """`text` in the style of a run; several times as fast as `replace`, and called for every token of a page."""
    return Run(text, style.bold, style.italic, style.strike, style.code, style.link)


def with_addresses(run: Run) -> Iterator[Run]:
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


_ADDRESS = re.compile(r"https?://[^\s<>\"`]*[^\s<>\"`.,:;!?'()\[\]{}*_~]", re.IGNORECASE)
_ALLOWED_ADDRESS = re.compile(r"https?://.|mailto:.", re.IGNORECASE)

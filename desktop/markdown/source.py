"""Source text before it is Markdown: what Qt would misread is taken out, and long text is cut where nothing is lost."""

from __future__ import annotations

import re
from collections.abc import Iterator

ITEM_OPENING = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]{1,4}(?=[^ \t])|[ \t]|$)")

# Qt takes these for its own marks within a text, and NUL for the end of one.
_FOREIGN = str.maketrans({"\0": "�", "\ufffc": "�", "\ufdd0": "�", "\ufdd1": "�", "\u2029": "\n"})


def clean(text: str) -> str:
    """The text with the line breaks and without the characters that mean something to Qt."""
    return text.replace("\r\n", "\n").replace("\r", "\n").translate(_FOREIGN)


def lines_together(text: str) -> Iterator[str]:
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


def safe_places(text: str) -> Iterator[int]:
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
            in_list = bool(ITEM_OPENING.match(line)) or (in_list and line[0] in " \t")
        after_blank = not line.strip()
        position += len(line)


_FENCE_LINE = re.compile(r"( {0,3})(`{3,}|~{3,})([^\n]*)")
_PLAIN_LINE = re.compile(r"(?![-*+>~`]|\d+[.)])[^\s]")

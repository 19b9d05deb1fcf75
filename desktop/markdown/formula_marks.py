"""Where formulas begin and end in a text: `$..$`, `$$..$$`, `\\(..\\)` and `\\[..\\]`, but not prices.

It knows nothing of what stands in a formula, and nothing of Markdown but that code comes first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

LONGEST = 2000  # characters: what is longer is text


@dataclass(frozen=True, slots=True)
class Marked:
    """A formula found in a text: where it ends, and what stands between its marks."""

    end: int
    tex: str


def formula_at(text: str, position: int) -> Marked | None:
    """The formula that begins at a position, if one does."""
    if text.startswith("$", position) and not text.startswith("$$", position):
        return _between_dollars(text, position)
    opener = text[position : position + 2]
    closer = _CLOSERS.get(opener)
    found = closer.search(text, position + 2, position + LONGEST) if closer else None
    if found is None:
        return None
    tex = text[position + 2 : found.start(1)]
    if not tex.strip("\\ \t\n") or "`" in tex:
        return None
    return Marked(found.end(), tex.strip())


def may_become_formula(text: str, position: int) -> bool:
    """Whether what begins at a position, and is none yet, may be half of a formula: once it is not, it never is."""
    rest = text[position + 1 :]
    if len(rest) > LONGEST or "`" in rest:
        return False
    if text[position : position + 2] in _CLOSERS:
        return True
    if not text.startswith("$", position) or not _may_open(text, position) or _DOLLAR.search(rest):
        return False
    shortest_word = 2 if rest[:1].isdigit() else 3
    return not any(len(word) >= shortest_word for word in _PLAIN_WORDS.findall(_COMMANDS.sub("", rest)))


def closer_of(opener: str) -> re.Pattern[str]:
    """What ends a formula that begins with one of the openers; the mark itself is the first group."""
    return _CLOSERS[opener]


def _between_dollars(text: str, position: int) -> Marked | None:
    found = _IN_DOLLARS.match(text, position, position + LONGEST)
    if found is None or not _may_open(text, position):
        return None
    tex = found[1]
    follows = text[found.end() : found.end() + 1]
    if tex[-1].isspace() or follows.isalnum() or follows == "$" or _is_price(tex):
        return None
    return Marked(found.end(), tex)


def _may_open(text: str, position: int) -> bool:
    before, after = text[position - 1 : position], text[position + 1 : position + 2]
    return not before.isalnum() and not after.isspace()


def _is_price(tex: str) -> bool:
    """Such as what stands between the dollars of "$20 or 15$"."""
    return tex[0].isdigit() and not _SIGNS.search(tex) and any(len(word) > 1 for word in _PLAIN_WORDS.findall(tex))


DISPLAY_OPENERS = ("$$", "\\[")
_CLOSERS = {
    "$$": re.compile(r"(?<!\\)(?:\\\\)*(\$\$)"),
    "\\(": re.compile(r"(?<!\\)(?:\\\\)*(\\\))"),
    "\\[": re.compile(r"(?<!\\)(?:\\\\)*(\\\])"),
}
_IN_DOLLARS = re.compile(r"\$(?![\s$])((?:\\.|[^$`\\])+)\$", re.DOTALL)
_DOLLAR = re.compile(r"(?<!\\)(?:\\\\)*\$")
_SIGNS = re.compile(r"[\\^_={}<>+*/]")
_PLAIN_WORDS = re.compile(r"\s([^\W\d_]{2,})")
_COMMANDS = re.compile(r"\\[A-Za-z]+\*?\{[^{}]*\}?")

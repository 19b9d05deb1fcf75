"""What is shown of a text in which something was found: its surroundings in one line, without the marks of Markdown."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate

from desktop.store.grams import folded

_BEFORE, _AFTER = 40, 120  # characters of an excerpt
_AROUND = 800  # characters on either side that are looked at: what is left out of them may be much

# What says only how words look. A single star or line may be meant.
_BORDERS = re.compile(r"^[ \t]*(?:(?:`{3,}|~{3,})[^`\n]*|\|?[ \t]*:?-{3,}:?[ \t]*(?:\|[ \t:-]*)?)$", re.MULTILINE)
_ROWS = re.compile(r"^[ \t]*\|(.*)\|[ \t]*$", re.MULTILINE)
_LINKS = re.compile(r"!?\[([^\]\n]+)\]\([^)\s]+\)")
_SIGNS = re.compile(r"\*\*|`+|(?<!\w)__(?=\w)|(?<=\w)__(?!\w)|^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?)+", re.MULTILINE)


def excerpt_of(text: str, terms: Sequence[str]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The surroundings of what was found first, and where the folded terms are in it."""
    pattern = _pattern(tuple(terms))
    text, is_cut, goes_on = _around(text, _first(pattern, text))
    if (words := words_only(text)) != text and len(_found(pattern, words)) == len(_found(pattern, text)):
        text = words  # unless one of the marks is what was asked for
    at = _first(pattern, text)
    begin, end = _begin_before(text, at), at + _AFTER
    inside = " ".join(text[begin:end].split())
    before, after = "…" if begin or is_cut else "", "…" if end < len(text) or goes_on else ""
    excerpt = f"{before}{inside}{after}"
    marks = (match.span() for match in pattern.finditer(folded(excerpt)))
    return excerpt, tuple(
        (_letter_at(excerpt, begin), _letter_at(excerpt, end - 1, after=True)) for begin, end in marks
    )


def words_only(text: str) -> str:
    """Markdown without its marks: the cells of a table are held apart by a point, a link is what it is called."""
    text = _ROWS.sub(lambda row: " · ".join(filter(None, map(str.strip, _cells(row[1])))), _BORDERS.sub("", text))
    return _SIGNS.sub("", _LINKS.sub(r"\1", text)).strip()


def _cells(row: str) -> list[str]:
    """Of a table's row; none of the line below its head."""
    return [] if not row.strip(" \t|:-") else row.split("|")


def _around(text: str, at: int) -> tuple[str, bool, bool]:
    """The lines around a place, as far as they are looked at, and whether there is more before and after them."""
    line_begin = text.find("\n", at - _AROUND, at - _BEFORE) + 1 if at > _AROUND else 0
    begin = line_begin or max(0, at - _AROUND)
    line_end = text.find("\n", at + _AROUND, at + 2 * _AROUND)
    end = len(text) if at + _AROUND >= len(text) else line_end if line_end >= 0 else at + _AROUND
    return text[begin:end], begin > 0, end < len(text)


@lru_cache(maxsize=16)
def _pattern(terms: tuple[str, ...]) -> re.Pattern[str]:
    """Any of the terms, the longest first; the words of one may stand on two lines."""
    longest_first = sorted(terms, key=len, reverse=True)
    return re.compile("|".join(re.escape(term).replace(r"\ ", r"\s+") for term in longest_first))


def _found(pattern: re.Pattern[str], text: str) -> set[str]:
    return {" ".join(found.split()) for found in pattern.findall(folded(text))}


def _first(pattern: re.Pattern[str], text: str) -> int:
    first = pattern.search(folded(text))
    return 0 if first is None else _letter_at(text, first.start())


def _begin_before(text: str, at: int) -> int:
    """Where an excerpt around `at` begins: at a word, where there is one near."""
    if at <= _BEFORE:
        return 0
    begin = at - _BEFORE
    space = re.compile(r"\s\S").search(text, begin, at)
    return begin if space is None else space.start() + 1


def _letter_at(text: str, place: int, *, after: bool = False) -> int:
    """The letter at a place of the folded text, or what comes after it and its marks.

    Folding may make one letter of two, several of one, or nothing of a mark.
    """
    if text.isascii():
        return place + after
    ends = list(accumulate(len(folded(letter)) for letter in text))
    return bisect_right(ends, ends[bisect_right(ends, place)]) if after else bisect_right(ends, place)

"""Text as it is compared, and the pieces of it that are indexed."""

from __future__ import annotations

import re
import unicodedata

GRAM = 3  # letters; more would make the index large and find nothing else

# Marks that people leave out when they search: accents, vowel points of Hebrew and Arabic, and what is not seen.
_LEFT_OUT = re.compile(
    "[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0640\u00ad\u200b-\u200d\ufe00-\ufe0f]"
)
_QUOTES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201a": "'", "\u201c": '"', "\u201d": '"', "\u201e": '"'})
_SEPARATORS = re.compile(r"[\s\x00-\x1f\x7f\"']+")


def folded(text: str) -> str:
    """Text as it is compared: without case, accents or forms of presentation."""
    return text.lower() if text.isascii() else text.translate(_FOLDED)


def grams_of(text: str) -> str:
    """The different pieces of one, two and three letters in `text`, between spaces."""
    grams: set[str] = set()
    for word in set(words_of(folded(text))):
        for length in range(1, GRAM + 1):
            grams.update(word[at : at + length] for at in range(len(word) - length + 1))
    return " ".join(grams)


def words_of(text: str) -> list[str]:
    """What stands between spaces, quotation marks and what is not seen."""
    return [word for word in _SEPARATORS.split(text) if word]


class _Folding(dict[int, str]):
    """What each letter is folded to, found out when it is first met."""

    def __missing__(self, code: int) -> str:
        letter = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", chr(code)).casefold())
        self[code] = _LEFT_OUT.sub("", letter).translate(_QUOTES)
        return self[code]


_FOLDED = _Folding()

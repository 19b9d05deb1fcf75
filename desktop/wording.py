"""Numbers as a person reads them, without their units: a unit is a word and belongs to the sentence around it.

They are written in the language that the words around them are in, which the installed translator knows.
"""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from desktop import numerals

_GROUP, _POINT = 1, 5  # where they stand in the number that translations show them in


def written(number: str) -> str:
    """A number that was written as in English, in the language of the program: 1,204.5 is 1.204,5 in German."""
    shown = _tr("1,234.5")
    return number.translate({ord(","): shown[_GROUP], ord("."): shown[_POINT]})


def whole(number: int) -> str:
    """A count: 1,204."""
    return written(numerals.whole(number))


def decimals(number: float, places: int) -> str:
    """A number with so many decimals: 4,096.5."""
    return written(numerals.decimals(number, places))


def rate(per_second: float) -> str:
    """A speed with three digits that mean something: 64.2, 168, 1,204."""
    return written(numerals.rate(per_second))


def duration(seconds: float) -> str:
    """A measured time: 0.24, 3.14, 12.3, 248."""
    return written(numerals.duration(seconds))


def running(seconds: float) -> str:
    """A time that is still running: one decimal is all an eye can follow."""
    return written(numerals.running(seconds))


def remaining(seconds: float) -> str:
    """A time still to come, never 0 before it is over."""
    return written(numerals.remaining(seconds))


def parameters(count: int) -> str:
    """The size of a model, as models are named in every language: 135M, 1.1B, 32B."""
    return numerals.parameters(count)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Numbers", text)

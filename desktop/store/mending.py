"""What damage left of a row, as a row that can be read: a letter that flipped costs its own value, never the others.

SQLite notices where a page is damaged, not where a letter of a text is. Such a row is met only by who reads it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from difflib import SequenceMatcher
from enum import StrEnum
from typing import Any

import inference
from desktop.conversations import TurnState
from desktop.store.rows import DAMAGE, LONG_AGO, failure_from, moment, sampling_from, timings_from, usage_from
from desktop.store.strict import as_text, size_or_0
from inference import LARGEST_NUMBER, Role, WindowPolicy

_Mend = Callable[[Any], Any]


def mended_conversation(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """A row of `rows.CONVERSATION`, with what makes no sense in it as at first."""
    return tuple(mend(value) for mend, value in zip(_CONVERSATION, row, strict=True))


def mended_turn(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """A row of `rows.TURN`, with what makes no sense in it as at first."""
    return tuple(mend(value) for mend, value in zip(_TURN, row, strict=True))


def _or_none(mend: _Mend) -> _Mend:
    return lambda value: None if value is None else mend(value)


def _number(value: object) -> int | None:
    return value if type(value) is int else None


def _number_or_0(value: object) -> int:
    return _number(value) or 0


def _flag(value: object) -> int:
    return 1 if value == 1 else 0


def _seconds(value: object) -> float | None:
    return value if isinstance(value, float) and 0 <= value < LARGEST_NUMBER else None


def _moment(value: object) -> str:
    text = as_text(value)
    try:
        moment(text)
    except DAMAGE:
        return LONG_AGO
    return text


def _closest(kind: type[StrEnum]) -> _Mend:
    """The word of its kind that has most letters of it: one of them flipped."""

    def mend(value: object) -> str:
        found = as_text(value).casefold()
        return str(max(kind, key=lambda word: SequenceMatcher(None, word, found).ratio()))

    return mend


def _ids(value: object) -> bytes | None:
    return value if isinstance(value, bytes) and len(value) % 4 == 0 else None


def _if_read_by(read: _Mend) -> _Mend:
    """A text that this reads; `None` where it does not."""

    def mend(value: object) -> str | None:
        text = as_text(value)
        try:
            read(text)
        except DAMAGE:
            return None
        return text

    return mend


def _numbers(value: object) -> str:
    try:
        found = json.loads(as_text(value))
    except DAMAGE:
        found = []
    return json.dumps([each for each in _listed(found) if type(each) is int])


def _attachments(value: object) -> str:
    try:
        found = json.loads(as_text(value))
    except DAMAGE:
        found = []
    whole = [each for each in _listed(found) if isinstance(each, list) and len(each) == 4]
    return json.dumps(
        [(as_text(name), as_text(kind), size_or_0(size), as_text(text)) for name, kind, size, text in whole]
    )


def _listed(value: object) -> Iterable[object]:
    return value if isinstance(value, list) else ()


_CONVERSATION: tuple[_Mend, ...] = (
    _number_or_0, as_text, _moment, _moment, _number, as_text, _closest(WindowPolicy), _flag, as_text, as_text,
    _if_read_by(sampling_from),
)  # fmt: skip
_TURN: tuple[_Mend, ...] = (
    _number_or_0, _number_or_0, _number, _closest(Role), as_text, _ids, _moment, _closest(TurnState), as_text,
    _or_none(as_text), _or_none(_closest(inference.FinishReason)), _if_read_by(usage_from), _if_read_by(timings_from),
    _or_none(_flag), as_text, as_text, _if_read_by(failure_from), _if_read_by(inference.RemoteModel), as_text,
    _seconds, _numbers, _flag, _flag, _attachments,
)  # fmt: skip

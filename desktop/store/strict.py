"""Values of the types that their fields declare, or none at all.

Python checks no type when it makes a value: damage that left sound JSON would be met by whoever shows or counts it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from functools import cache
from types import NoneType
from typing import Any, TypeAlias, TypeVar

from inference import LARGEST_NUMBER

_Value = TypeVar("_Value")
Types: TypeAlias = tuple[type, ...]

TEXT, TEXT_OR_NONE, WHOLE, WHOLE_OR_NONE = (str,), (str, NoneType), (int,), (int, NoneType)
NUMBER_OR_NONE, BYTES_OR_NONE = (float, int, NoneType), (bytes, NoneType)

_DECLARED: dict[str, Types] = {
    "str": TEXT,
    "int": WHOLE,
    "int | None": WHOLE_OR_NONE,
    "float": (float, int),
    "float | None": NUMBER_OR_NONE,
    "bool": (bool,),
}


def made(kind: type[_Value], values: dict[str, Any]) -> _Value:
    """A value from its fields by name. Fields that are no text, number or flag are left to who made them.

    Raises:
        TypeError, ValueError, LookupError, AttributeError: a field is unknown, missing, of another type, or a number
            without bounds.
    """
    declared = _declared(kind)  # type: ignore[arg-type]  # every class can be hashed
    check_types(tuple(values.values()), [declared[name] for name in values])
    for value in values.values():
        if isinstance(value, int) and abs(value) > LARGEST_NUMBER:
            raise ValueError(value)
    return kind(**values)


def check_types(values: Sequence[Any], types: Sequence[Types]) -> None:
    """See that each value is of one of its types (of any, if it has none), and each fraction within bounds.

    Raises:
        TypeError, ValueError: one is not; or there are not as many of both.
    """
    for value, allowed in zip(values, types, strict=True):
        if allowed and type(value) not in allowed:
            raise TypeError(value)
        if type(value) is float and not abs(value) <= LARGEST_NUMBER:
            raise ValueError(value)


def as_text(value: object) -> str:
    """A text; a flipped bit may have made bytes of it."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return "" if value is None else str(value)


def size_or_0(value: object) -> int:
    """How many bytes something has; 0 where damage left no such number."""
    return value if type(value) is int and 0 <= value <= LARGEST_NUMBER else 0


@cache
def _declared(kind: type[Any]) -> dict[str, Types]:
    return {field.name: _DECLARED.get(str(field.type), ()) for field in fields(kind)}

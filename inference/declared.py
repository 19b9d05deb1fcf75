"""Values from JSON that somebody may have damaged: of the types that their dataclasses declare, or refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass
from enum import StrEnum
from functools import cache
from types import NoneType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

LARGEST_NUMBER = 2**53  # nothing that was measured or counted is more; a float holds every whole number up to it

_Value = TypeVar("_Value")


def declared(kind: type[_Value], content: object) -> _Value:
    """A dataclass from its fields by name, all the way down; a field that is not there is as at first.

    Raises:
        ValueError: a field is unknown, missing without a default, of another type, or a number without bounds.
    """
    if not isinstance(content, Mapping):
        raise ValueError(f"not fields: {kind.__name__}")  # noqa: TRY004 - what was read makes no sense
    hints = _hints(kind)  # type: ignore[arg-type]  # every class can be hashed
    try:
        return kind(**{name: _value(hints[name], part) for name, part in content.items()})
    except (TypeError, KeyError) as error:
        raise ValueError(f"{kind.__name__}: {error}") from None


def _value(wanted: Any, part: Any) -> Any:  # noqa: ANN401 - any type, and a value of it
    kinds = get_args(wanted)
    if get_origin(wanted) is tuple:  # of any length
        if not isinstance(part, list | tuple):
            raise ValueError("not a list")
        return tuple(_value(kinds[0], each) for each in part)
    if NoneType in kinds:
        return None if part is None else _value(kinds[0], part)
    if is_dataclass(wanted):
        return declared(wanted, part)  # type: ignore[arg-type]  # it is a class, as no field declares a value
    if issubclass(wanted, StrEnum):
        return wanted(part)
    allowed = (float, int) if wanted is float else (wanted,)
    if type(part) not in allowed or (type(part) in (float, int) and not abs(part) <= LARGEST_NUMBER):
        raise ValueError(f"not of its type: {part!r:.40}")
    if isinstance(part, str):
        part.encode()  # half a character, as JSON may hold it, can be written nowhere: it is a ValueError
    return part


@cache
def _hints(kind: type[Any]) -> dict[str, Any]:
    return get_type_hints(kind)

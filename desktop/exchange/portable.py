"""Our values as JSON and back: each field under its own name, what has its default left out.

It reads what anybody may have written: a value of another kind than its field is refused, never taken over.
"""

from __future__ import annotations

import math
import types
import typing
from collections.abc import Callable, Hashable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from pathlib import Path, PurePath
from typing import Any, NoReturn, TypeVar

from desktop.conversations import YEARS
from inference import LARGEST_NUMBER, InvalidRequest

_Value = TypeVar("_Value")
_HOME = "~/"
_BIAS = tuple[int, float]  # of a token: the one number that may be endless, where it forbids the token
_FORBIDDEN = "-inf"


class Damaged(Exception):
    """A value is not what its field holds; `str()` of it says where."""


def to_portable(value: object, home: Path | None = None) -> object:
    """A value in what JSON has. Of a file's path the home folder is left out: it says who somebody is."""
    match value:
        case StrEnum():
            return value.value
        case datetime():
            return value.isoformat()
        case PurePath():
            return _portable_path(value, home or Path.home())
        case bytes():
            return value.decode("latin-1")  # a letter for each: what is ASCII can be read
        case float() if not math.isfinite(value):
            return str(value)  # "-inf"; JSON has no such number
        case tuple():
            return [to_portable(item, home) for item in value]
    if is_dataclass(value):
        kept = ((field, getattr(value, field.name)) for field in fields(value))
        return {field.name: to_portable(held, home) for field, held in kept if not _is_default(field, held)}
    return value


def from_portable(kind: type[_Value], data: object, where: str) -> _Value:
    """The value of that kind.

    Raises:
        Damaged: it is none.
    """
    read = _READERS.get(kind) or (_read_enum if issubclass(kind, StrEnum) else _read_record)
    value: _Value = read(kind, data, where)
    return value


def clean(text: str) -> str:
    """Text that can be kept: half a character, as JSON may hold it, becomes a sign for that."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _is_default(field: Field[Any], value: object) -> bool:
    if field.default_factory is not MISSING:
        return bool(value == field.default_factory())
    return field.default is not MISSING and value == field.default and type(value) is type(field.default)


def _portable_path(path: PurePath, home: Path) -> str:
    return _HOME + path.relative_to(home).as_posix() if path.is_relative_to(home) and path != home else str(path)


def _read_any(hint: Any, data: object, where: str) -> object:  # noqa: ANN401 - what typing gives is of no one type
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        if data is None and type(None) in arguments:
            return None
        return _read_any(next(argument for argument in arguments if argument is not type(None)), data, where)
    if hint == _BIAS and isinstance(data, list) and data[1:] == [_FORBIDDEN]:
        return _read_whole(int, data[0], where), -math.inf
    if origin is tuple:
        return _read_tuple(arguments, data, where)
    return from_portable(hint, data, where)


def _read_tuple(arguments: tuple[Any, ...], data: object, where: str) -> tuple[object, ...]:
    if not isinstance(data, list):
        raise Damaged(where)
    if arguments[-1] is Ellipsis:
        return tuple(_read_any(arguments[0], item, where) for item in data)
    if len(arguments) != len(data):
        raise Damaged(where)
    return tuple(_read_any(kind, item, where) for kind, item in zip(arguments, data, strict=True))


def _read_record(kind: type[Any], data: object, where: str) -> Any:  # noqa: ANN401 - a value of `kind`
    """Fields that are not known are passed over: a later version may write more."""
    if not isinstance(data, dict):
        raise Damaged(where)
    hints = _hints_of(typing.cast("Hashable", kind))
    given = {name: _read_any(hint, data[name], f"{where}.{name}") for name, hint in hints.items() if name in data}
    try:
        return kind(**given)
    except (TypeError, InvalidRequest) as error:  # one is missing, or out of its range
        raise Damaged(where) from error


@lru_cache(maxsize=32)
def _hints_of(kind: Hashable) -> Mapping[str, Any]:
    return typing.get_type_hints(kind)


def _read_enum(kind: type[Any], data: object, where: str) -> Any:  # noqa: ANN401 - a value of `kind`
    try:
        return kind(data)
    except ValueError:
        raise Damaged(where) from None


def _read_text(_kind: type[Any], data: object, where: str) -> str:
    if not isinstance(data, str):
        raise Damaged(where)
    return clean(data)


def _read_bytes(_kind: type[Any], data: object, where: str) -> bytes:
    try:
        return data.encode("latin-1") if isinstance(data, str) else _refuse(where)
    except UnicodeEncodeError:
        raise Damaged(where) from None


def _refuse(where: str) -> NoReturn:
    raise Damaged(where)


def _read_truth(_kind: type[Any], data: object, where: str) -> bool:
    if not isinstance(data, bool):
        raise Damaged(where)
    return data


def _read_whole(_kind: type[Any], data: object, where: str) -> int:
    if not isinstance(data, int) or isinstance(data, bool) or abs(data) > LARGEST_NUMBER:
        raise Damaged(where)
    return data


def _read_number(_kind: type[Any], data: object, where: str) -> float:
    if not isinstance(data, int | float) or isinstance(data, bool) or not abs(data) <= LARGEST_NUMBER:
        raise Damaged(where)
    return float(data)


def _read_moment(_kind: type[Any], data: object, where: str) -> datetime:
    try:
        moment = datetime.fromisoformat(_read_text(str, data, where))
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise Damaged(where) from None
    if moment.year not in YEARS:
        raise Damaged(where)
    return moment


def _read_path(_kind: type[Any], data: object, where: str) -> Path:
    text = _read_text(str, data, where)
    return Path.home() / text.removeprefix(_HOME) if text.startswith(_HOME) else Path(text)


_READERS: Mapping[type[Any], Callable[[type[Any], object, str], Any]] = {
    str: _read_text,
    bytes: _read_bytes,
    bool: _read_truth,
    int: _read_whole,
    float: _read_number,
    datetime: _read_moment,
    Path: _read_path,
}

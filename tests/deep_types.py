"""Whether a value is, all the way down, what its dataclass declares."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from functools import cache
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints


def assert_of_its_types(value: object) -> None:
    """See that each field of a dataclass is of the type that it declares, and no number endless but
    the logit bias that forbids a token."""
    for name, declared in _hints(type(value)).items():  # type: ignore[arg-type]  # every class can be hashed
        found = getattr(value, name)
        assert _is_of(found, declared), f"{type(value).__name__}.{name} is {found!r}, not {declared}"


@cache
def _hints(kind: type[Any]) -> dict[str, Any]:
    return get_type_hints(kind)


def _is_of(value: Any, declared: Any) -> bool:
    declared = getattr(declared, "__supertype__", declared)  # of a name that is a type of its own
    kinds = get_args(declared)
    origin = get_origin(declared)
    if origin in (Union, UnionType):
        return any(_is_of(value, kind) for kind in kinds)
    if origin is tuple:
        if type(value) is not tuple:
            return False
        each = [kinds[0]] * len(value) if kinds[-1] is ... else kinds
        return len(value) == len(each) and all(map(_is_of, value, each))
    if origin is not None and issubclass(origin, Mapping):
        return isinstance(value, Mapping) and all(_is_of(k, kinds[0]) and _is_of(v, kinds[1]) for k, v in value.items())
    if origin is not None and issubclass(origin, Sequence):
        return isinstance(value, Sequence) and all(_is_of(each, kinds[0]) for each in value)
    if declared is float:
        return type(value) in (int, float) and -math.inf <= value < math.inf
    if declared is Any:
        return True
    if not isinstance(value, declared) or (declared is int and isinstance(value, bool)):
        return False
    if is_dataclass(value):
        assert_of_its_types(value)
    return True

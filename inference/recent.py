"""What a function gave last, kept within a bound of size."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, ParamSpec, TypeVar

_TOKEN_BYTES = 32  # an id is a number of Python's, and a place in a tuple
_ENTRY_BYTES = 256

_Given = ParamSpec("_Given")
_Made = TypeVar("_Made")


class Recent(Generic[_Given, _Made]):
    """Calls `make` once for the same texts, tokens and choices, as long as they and what it gave are among the last
    `most` bytes of them, about. What is larger than that by itself is not kept. One thread at a time."""

    def __init__(self, make: Callable[_Given, _Made], most: int) -> None:
        self._make = make
        self._most = most
        self._kept: OrderedDict[tuple[tuple[object, ...], tuple[tuple[str, object], ...]], _Made] = OrderedDict()
        self.size = 0

    def __call__(self, *args: _Given.args, **kwargs: _Given.kwargs) -> _Made:
        key = (args, tuple(kwargs.items()))
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
            return found
        made = self._make(*args, **kwargs)
        size = _size_of(args, made)
        if size <= self._most:
            self._kept[key] = made
            self.size += size
            while self.size > self._most:
                (given, _), old = self._kept.popitem(last=False)
                self.size -= _size_of(given, old)
        return made


def _size_of(given: tuple[object, ...], made: object) -> int:
    return _ENTRY_BYTES + sum(
        len(value) if isinstance(value, str) else _TOKEN_BYTES * len(value)
        for value in (*given, made)
        if isinstance(value, str | tuple)
    )

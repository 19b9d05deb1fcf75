"""What damage or an editor may leave in the place of a value of JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

_DEEP: Any = []
for _ in range(200):
    _DEEP = [_DEEP]

ODD: st.SearchStrategy[Any] = st.one_of(
    st.sampled_from([2**70, -(2**70), 10**400, -1, 0, -0.0, 1e300, float("inf"), float("nan"), [], {}, [[]], _DEEP]),
    st.sampled_from(["", "\0", "\ud800", "../x", "x" * 10_000]),
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    st.lists(st.none() | st.integers() | st.text(max_size=3), max_size=4),
    st.dictionaries(st.text(max_size=3), st.none() | st.integers(), max_size=2),
)

ODD_NAMES = st.sampled_from(["", "\0", "\ud800", "a 9² 5", f"a {'9' * 400} 5", "x" * 10_000]) | st.text(max_size=9)


@st.composite
def damaged(draw: st.DrawFn, sound: Any) -> Any:
    """A value of JSON with one or two of the values or names within it replaced by anything."""
    value = json.loads(json.dumps(sound))
    for _ in range(draw(st.integers(1, 2))):
        place = draw(st.sampled_from(list(_places(value))))
        if place and isinstance(place[-1], str) and draw(st.integers(0, 4)) == 4:
            value = _renamed(value, place, draw(ODD_NAMES))
        else:
            value = _with(value, place, draw(ODD))
    return value


def _places(value: object, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield above
    if len(above) > 20:
        return
    for key, part in value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ()):
        yield from _places(part, (*above, key))


def _with(value: Any, place: tuple[Any, ...], part: Any) -> Any:
    if not place:
        return part
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[place[0]] = _with(value[place[0]], place[1:], part)
    return copy


def _renamed(value: Any, place: tuple[Any, ...], name: str) -> Any:
    if len(place) > 1:
        return _with(value, place[:1], _renamed(value[place[0]], place[1:], name))
    return {name if key == place[0] else key: part for key, part in value.items()}

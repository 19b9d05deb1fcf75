"""Conversations to and from files. What reads and writes them is loaded when it is first asked for."""

from importlib import import_module
from typing import TYPE_CHECKING

from desktop.exchange.values import Imported, ImportRefused, LeftOut, Tree

if TYPE_CHECKING:
    from desktop.exchange.markdown import file_name_of, to_markdown
    from desktop.exchange.own_format import to_json, to_json_of
    from desktop.exchange.reading import read

_LATER = {
    "file_name_of": "markdown",
    "read": "reading",
    "to_json": "own_format",
    "to_json_of": "own_format",
    "to_markdown": "markdown",
}

__all__ = [
    "ImportRefused",
    "Imported",
    "LeftOut",
    "Tree",
    "file_name_of",
    "read",
    "to_json",
    "to_json_of",
    "to_markdown",
]


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)

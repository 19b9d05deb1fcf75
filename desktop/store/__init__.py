"""Conversations in SQLite: all the SQL there is.

It knows nothing of engines or windows.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from desktop.store.backups import BACKUPS, Backups
from desktop.store.faults import StoreDamaged, StoreError
from desktop.store.opening import open_store
from desktop.store.schema import MIGRATIONS
from desktop.store.store import Store
from desktop.store.traces import packed_trace, trace_from

if TYPE_CHECKING:
    from desktop.store.salvage import Salvage

__all__ = [
    "BACKUPS",
    "MIGRATIONS",
    "Backups",
    "Salvage",
    "Store",
    "StoreDamaged",
    "StoreError",
    "open_store",
    "packed_trace",
    "trace_from",
]


def __getattr__(name: str) -> object:
    if name != "Salvage":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module("desktop.store.salvage").Salvage  # made for hardly anybody

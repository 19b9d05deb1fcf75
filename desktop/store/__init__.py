"""Conversations in SQLite: all the SQL there is.

It knows nothing of engines or windows.
"""

from desktop.store.backups import BACKUPS, Backups
from desktop.store.faults import StoreDamaged, StoreError
from desktop.store.salvage import Salvage, open_store
from desktop.store.schema import MIGRATIONS
from desktop.store.store import Exchange, Store
from desktop.store.traces import packed_trace, trace_from

__all__ = [
    "BACKUPS",
    "MIGRATIONS",
    "Backups",
    "Exchange",
    "Salvage",
    "Store",
    "StoreDamaged",
    "StoreError",
    "open_store",
    "packed_trace",
    "trace_from",
]

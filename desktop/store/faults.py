"""What the world does to the file with the conversations, in sentences for the person."""

from __future__ import annotations

import errno
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from inference import Sentence, open_own

_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_LEAST_ROOM = 64 << 10  # bytes; with less, SQLite's own files beside the conversations cannot grow


class StoreError(Exception):
    """The world's fault: a full disk, a locked or damaged file. `str()` of it is a sentence for the person."""


class StoreDamaged(StoreError):
    """The file is damaged. It is marked, and salvaged at the next start; see `desktop.store.salvage`."""


@contextmanager
def faults_of(path: Path) -> Iterator[None]:
    """Turn what the world does to the file into `StoreError`; our own mistakes pass through."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if _is_of_damage(error, path):
            raise damage_of(path) from error
        sentence = _sentence_for(error, path)
        if sentence is None:
            raise
        raise StoreError(sentence) from error
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise StoreError(_disk_full(path)) from error
        said = {"folder": path.parent, "reason": error.strerror}
        raise StoreError(Sentence("The conversations in {folder} cannot be opened: {reason}.", **said)) from error


def damage_of(path: Path) -> StoreDamaged:
    """What to raise where the file turned out to be damaged; from now on it is marked as such."""
    mark_as_damaged(path)
    return StoreDamaged(
        Sentence(
            "The conversations in {path} are damaged. Start Headwater again: it takes what can be read of them, and "
            "what is in the newest backup.",
            path=path,
        )
    )


def mark_as_damaged(path: Path) -> None:
    """Have the file salvaged at the next start: damage was met while it was in use."""
    if path.parent.is_dir():
        with suppress(OSError):
            open(mark_of(path), "wb", opener=open_own).close()


def mark_of(path: Path) -> Path:
    """Where it stands that the file at `path` is damaged."""
    return path.with_name(f"{path.name}.damaged")


def _is_of_damage(error: sqlite3.DatabaseError, path: Path) -> bool:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code != sqlite3.SQLITE_ERROR or not path.is_file():
        return code in _DAMAGED
    # A mistake of ours, or a table or column that the file should have, and whose name is damaged.
    from desktop.store.schema import is_whole_in  # which hardly any fault needs

    return not is_whole_in(path)


def _sentence_for(error: sqlite3.DatabaseError, path: Path) -> Sentence | None:
    # The low byte is the kind, the rest the detail.
    match getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF:
        case sqlite3.SQLITE_FULL:
            return _disk_full(path)
        case sqlite3.SQLITE_IOERR if _has_no_room(path):
            # So it speaks of the files beside the one with the conversations.
            return _disk_full(path)
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return Sentence(
                "Another program holds the conversations in {path} locked. Close it, then go on.", path=path
            )
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_IOERR:
            said = {"path": path, "reason": str(error)}
            return Sentence("The conversations in {path} cannot be read or written: {reason}.", **said)
        case _:
            return None


def _has_no_room(path: Path) -> bool:
    try:
        return shutil.disk_usage(path.parent).free < _LEAST_ROOM
    except OSError:
        return False


def _disk_full(path: Path) -> Sentence:
    return Sentence(
        "The disk with {folder} is full, so nothing more can be kept. Make room on it, then go on.", folder=path.parent
    )

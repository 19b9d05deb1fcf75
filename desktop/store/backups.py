"""Copies of the conversations: one a day and one before each migration, few of them, none old.

A conversation that was deleted for good is gone from them within a week, because no copy is kept for longer while
there is a newer one.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from desktop.process_lock import ProcessLock, is_held
from desktop.store.faults import damage_of, faults_of
from desktop.store.schema import MIGRATIONS, is_whole
from inference import make_own_folder, open_own

BACKUPS = "backups"  # the folder beside the conversations
EVERY = timedelta(days=1)
KEPT_FOR = timedelta(days=3)  # so that a week is kept to by whoever starts the program every few days
MOST = 3
_MOMENT = "%Y-%m-%d %H.%M.%S"
_HALF_WRITTEN = ".part"
_PAGES = 256  # copied at once: a megabyte


class Backups:
    """The copies of the file at `path`, in a folder beside it.

    Raises:
        StoreError: where one cannot be made.
        StoreDamaged: where the conversations turn out to be damaged.
    """

    def __init__(self, path: Path, clock: Callable[[], datetime]) -> None:
        self._path = path
        self._folder = path.parent / BACKUPS
        self._clock = clock

    @property
    def next_at(self) -> datetime:
        """When the next one is to be made; a moment that has passed where it should have been."""
        now = self._clock()
        # One of a moment still to come was made before the clock was set back, and says nothing of today.
        newest = max((moment for moment in self._moments().values() if moment <= now), default=None)
        return now if newest is None else newest + EVERY

    def make(self, *, is_stopped: Callable[[], bool] = lambda: False) -> None:
        """Make one now, and delete those that are too many or too old. It may take a while; any thread may do it."""
        moment = self._clock().astimezone(UTC)
        copy = self._folder / f"{self._path.stem} {moment.strftime(_MOMENT)}{self._path.suffix}"
        with faults_of(self._path):
            make_own_folder(self._folder)
            self._sweep()
            lock = ProcessLock(self._folder)
            half_written = self._half_written(lock.name)
            try:
                open(half_written, "wb", opener=open_own).close()
                if _copy(self._path, half_written, is_stopped):
                    # A copy of damage would take the place of those from before it.
                    if not is_sound(half_written):
                        raise damage_of(self._path)
                    half_written.replace(copy)
            finally:
                _delete(half_written)
                lock.close()
        self.clear_away()

    def clear_away(self) -> None:
        """Delete the copies that are too many or too old, and what was half-written by whoever was ended meanwhile. The
        newest stays, until there is a newer one; those of moments still to come, from before the clock was set back,
        are then too old: how old, nobody knows."""
        now = self._clock()
        oldest = now - KEPT_FOR
        by_age = sorted(self._moments().items(), key=lambda found: (found[1] <= now, found[1]), reverse=True)
        for number, (path, moment) in enumerate(by_age):
            is_of_another_clock = moment > now and by_age[0][1] <= now
            if number and (number >= MOST or moment < oldest or is_of_another_clock):
                _delete(path)
        self._sweep()

    def _half_written(self, lock: str) -> Path:
        """Where whoever holds the lock of this name makes a copy."""
        return self._folder / f"{self._path.stem} {lock}{_HALF_WRITTEN}"

    def _sweep(self) -> None:
        for path in self._folder.glob(f"{self._path.stem} *{_HALF_WRITTEN}"):
            lock = path.name.removeprefix(f"{self._path.stem} ").removesuffix(_HALF_WRITTEN)
            with suppress(OSError):  # the next time, then
                if not is_held(self._folder / lock):
                    path.unlink()

    def _moments(self) -> dict[Path, datetime]:
        """The copies there are, and when each was made."""
        found = {}
        begin, end = f"{self._path.stem} ", self._path.suffix
        for path in self._folder.glob(f"*{end}"):
            with suppress(ValueError):
                text = f"{path.name.removeprefix(begin).removesuffix(end)} +0000"
                moment = datetime.strptime(text, f"{_MOMENT} %z")
                if path.is_file():
                    found[path] = moment
        return found


def is_sound(path: Path) -> bool:
    """Whether a copy is one from its first page to its last, and no newer than this program."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            is_readable = connection.execute("PRAGMA quick_check(1)").fetchone() == ("ok",)
            return bool(0 < version <= len(MIGRATIONS) and is_readable and is_whole(connection))
    except sqlite3.DatabaseError:
        return False


class _Stopped(Exception):
    """Whoever wanted the copy does not want it any more."""


def _copy(path: Path, to: Path, is_stopped: Callable[[], bool]) -> bool:
    """Copy the conversations as they are at one moment, without keeping anybody from writing; whether that was done."""

    def go_on(_status: int, _remaining: int, _total: int) -> None:
        if is_stopped():
            raise _Stopped

    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(to, isolation_level=None)) as target:
        target.execute("PRAGMA journal_mode = OFF")  # half a copy is thrown away
        source.execute("BEGIN")
        source.execute("SELECT count(*) FROM sqlite_master").fetchone()  # this is the moment
        try:
            source.backup(target, pages=_PAGES, progress=go_on, sleep=0)
        except _Stopped:
            return False
    return True


def _delete(path: Path) -> None:
    with suppress(OSError):  # the next time, then
        path.unlink()

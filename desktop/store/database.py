"""The file itself: opened, brought up to date, written in transactions."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from desktop.store import index
from desktop.store.faults import StoreError, faults_of
from desktop.store.schema import MIGRATIONS
from inference import Sentence, check_ordinary, make_own_folder, open_own

_BESIDE = ("-wal", "-shm", "-journal")  # SQLite's own files
_MEMORY = Path(":memory:")  # SQLite's name for a database without a file
_FIRST_TO_WRITE_OVER = 3  # the version from which on what is deleted is written over


class Database:
    """The file at `path`, made with its folder where there is none; with `None`, a database in memory alone.

    Raises:
        StoreError: from every method, when the file cannot be read or written.
    """

    def __init__(
        self, path: Path | None, *, busy_seconds: float = 1.0, before_migration: Callable[[], None] | None = None
    ) -> None:
        """`before_migration` is called before a file of an earlier version is changed."""
        self._path = path or _MEMORY
        self._is_closed = False
        self._before_migration = before_migration
        self._busy_milliseconds = round(busy_seconds * 1_000)
        self._waited_in_vain = False
        with faults_of(self._path):
            if path is not None:
                _make_private(path)
                _refuse_newer(path)
            self._connection = sqlite3.connect(self._path, timeout=busy_seconds, isolation_level=None)
            self._connection.text_factory = _text
        try:
            self._prepare()
        except StoreError:
            self.close()
            raise

    @property
    def is_closed(self) -> bool:
        return self._is_closed

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The connection, to be asked."""
        with faults_of(self._path), self._noting_locks():
            yield self._connection

    @contextmanager
    def writing_for_good(self) -> Iterator[sqlite3.Connection]:
        """A transaction that, with all before it, is on the disk when it ends: what the power's going cannot undo."""
        self._connection.execute("PRAGMA synchronous = FULL")
        try:
            with self.writing() as connection:
                yield connection
        finally:
            self._connection.execute("PRAGMA synchronous = NORMAL")

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: all of it happens, or nothing.

        A process that dies loses nothing of it, a machine that dies may lose the last half minute's.
        """
        with faults_of(self._path), self._noting_locks():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
        self._wait_for_others(waits=True)

    def empty_log(self) -> None:
        """Have SQLite's log beside the file written into it and emptied, as far as other windows let go of it."""
        with self.reading() as connection:
            connection.execute("PRAGMA busy_timeout = 0")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            connection.execute(f"PRAGMA busy_timeout = {0 if self._waited_in_vain else self._busy_milliseconds}")

    def close(self) -> None:
        self._is_closed = True
        self._connection.close()

    @contextmanager
    def _noting_locks(self) -> Iterator[None]:
        """Whoever holds the file for longer than one waits is not waited for again, until something could be written:
        a window would stand still at every key."""
        try:
            yield
        except sqlite3.OperationalError as error:
            if getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF == sqlite3.SQLITE_BUSY:
                self._wait_for_others(waits=False)
            raise

    def _wait_for_others(self, *, waits: bool) -> None:
        if waits is self._waited_in_vain:
            self._waited_in_vain = not waits
            self._connection.execute(f"PRAGMA busy_timeout = {self._busy_milliseconds if waits else 0}")

    def _prepare(self) -> None:
        with faults_of(self._path):
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.execute("PRAGMA foreign_keys = ON")
            # What was deleted is written over, and nothing is put into files of which nobody knows.
            self._connection.execute("PRAGMA secure_delete = ON")
            self._connection.execute("PRAGMA temp_store = MEMORY")
            # The triggers call a function of ours.
            self._connection.execute("PRAGMA trusted_schema = ON")
            index.prepare(self._connection)
            found = _version_of(self._connection)
        if 0 < found < len(MIGRATIONS) and self._before_migration is not None:
            self._before_migration()
        if 0 < found < _FIRST_TO_WRITE_OVER:
            # Before the version is another: where this process is killed meanwhile, the next start does it.
            self._write_anew()
        with self.writing() as connection:
            # Asked again inside the transaction: another window may have been faster.
            version = _version_of(connection)
            for migration in MIGRATIONS[version:]:
                migration(connection)
            if version < len(MIGRATIONS):
                connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
            if index.is_outdated(connection):
                index.start_over(connection)

    def _write_anew(self) -> None:
        """Leave out what earlier versions deleted and did not write over."""
        with suppress(sqlite3.OperationalError):  # no room for it now, or another window has the file open
            self._connection.execute("VACUUM")
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def insert(connection: sqlite3.Connection, statement: str, *values: object) -> int:
    """Execute an INSERT; the row's number."""
    row = connection.execute(statement, values).lastrowid
    assert row is not None  # noqa: S101 - what SQLite promises after an INSERT
    return row


def _text(raw: bytes) -> str:
    """A letter that damage was done to must not keep the others from being read."""
    return raw.decode("utf-8", "replace")


def _make_private(path: Path) -> None:
    """The folder and the file, for their owner only; SQLite's own files beside it take over the file's mode."""
    make_own_folder(path.parent)
    for beside in _BESIDE:
        check_ordinary(path.with_name(path.name + beside))  # not opened: its locks would be gone with that
    os.close(open_own(path, os.O_CREAT | os.O_RDWR))


def _refuse_newer(path: Path) -> None:
    """Leave a file that a newer version wrote as it is.

    Raises:
        StoreError: it is one.
    """
    try:
        version = _version_in(f"{path.absolute().as_uri()}?mode=ro")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_READONLY:
            raise
        # Whoever wrote it last was ended in the middle, and that has to be taken back before anything can be read.
        version = _version_in(path.absolute().as_uri())
    if version > len(MIGRATIONS):
        raise StoreError(
            Sentence(
                "The conversations in {path} were written by a newer version of Headwater. Install that version, or "
                "start with another folder (--data-dir).",
                path=path,
            )
        )


def _version_in(address: str) -> int:
    with closing(sqlite3.connect(address, uri=True)) as connection:
        return _version_of(connection)


def _version_of(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)

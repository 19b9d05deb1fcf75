"""What the file is made of, and how a file of an earlier version becomes one of this."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from desktop.store import index


def _first_schema(connection: sqlite3.Connection) -> None:
    connection.execute(
        "CREATE TABLE conversations ("
        " id INTEGER PRIMARY KEY AUTOINCREMENT,"
        " title TEXT NOT NULL,"
        " created TEXT NOT NULL,"
        " updated TEXT NOT NULL,"
        " head INTEGER REFERENCES turns (id),"
        " draft TEXT NOT NULL DEFAULT '')"
    )
    connection.execute(
        "CREATE TABLE turns ("
        " id INTEGER PRIMARY KEY AUTOINCREMENT,"
        " conversation INTEGER NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,"
        " parent INTEGER REFERENCES turns (id) CHECK (parent < id),"
        " role TEXT NOT NULL,"
        " content TEXT NOT NULL,"
        " token_ids BLOB,"
        " created TEXT NOT NULL,"
        " state TEXT NOT NULL,"
        " model_name TEXT NOT NULL DEFAULT '',"
        " model_path TEXT,"
        " finish_reason TEXT,"
        " usage TEXT,"
        " timings TEXT,"
        " streamed INTEGER,"
        " error TEXT NOT NULL DEFAULT '',"
        " writer TEXT)"
    )
    # Apart from the turns, which are read at every opening: a trace is read when somebody looks into a reply.
    connection.execute(
        "CREATE TABLE traces (turn INTEGER PRIMARY KEY REFERENCES turns (id) ON DELETE CASCADE, packed BLOB NOT NULL)"
    )
    connection.execute("CREATE TABLE new_draft (text TEXT NOT NULL)")
    connection.execute("CREATE INDEX turns_of_conversation ON turns (conversation)")
    connection.execute("CREATE INDEX turns_being_written ON turns (writer) WHERE state = 'writing'")
    connection.execute("CREATE INDEX timed_turns ON turns (model_path, id) WHERE timings IS NOT NULL")


def _reasoning_windows_and_servers(connection: sqlite3.Connection) -> None:
    for column in (
        "reasoning TEXT NOT NULL DEFAULT ''",
        "thought_seconds REAL",
        "left_out TEXT NOT NULL DEFAULT '[]'",
        "failure TEXT",
        "server TEXT",
        "server_model TEXT",
    ):
        connection.execute(f"ALTER TABLE turns ADD COLUMN {column}")
    connection.execute("ALTER TABLE conversations ADD COLUMN window_policy TEXT NOT NULL DEFAULT 'stop'")


def _what_people_do_with_conversations(connection: sqlite3.Connection) -> None:
    """Pins, folders, system prompts and sampling, attachments, presets; and what was deleted but may come back."""
    for column in (
        "pinned INTEGER NOT NULL DEFAULT 0",
        "folder TEXT NOT NULL DEFAULT ''",
        "system_prompt TEXT NOT NULL DEFAULT ''",
        "sampling TEXT",
        "deleted TEXT",
    ):
        connection.execute(f"ALTER TABLE conversations ADD COLUMN {column}")
    for column in ("pinned INTEGER NOT NULL DEFAULT 0", "edited INTEGER NOT NULL DEFAULT 0", "deleted TEXT"):
        connection.execute(f"ALTER TABLE turns ADD COLUMN {column}")
    connection.execute(
        "CREATE TABLE attachments ("
        " turn INTEGER NOT NULL REFERENCES turns (id) ON DELETE CASCADE,"
        " position INTEGER NOT NULL,"
        " name TEXT NOT NULL,"
        " kind TEXT NOT NULL,"
        " size INTEGER NOT NULL,"
        " text TEXT NOT NULL,"
        " PRIMARY KEY (turn, position)) WITHOUT ROWID"
    )
    connection.execute(
        "CREATE TABLE draft_attachments ("
        " conversation INTEGER REFERENCES conversations (id) ON DELETE CASCADE,"
        " position INTEGER NOT NULL,"
        " name TEXT NOT NULL,"
        " kind TEXT NOT NULL,"
        " size INTEGER NOT NULL,"
        " text TEXT NOT NULL)"
    )
    connection.execute("CREATE INDEX draft_attachments_by_conversation ON draft_attachments (conversation, position)")
    connection.execute(
        "CREATE TABLE presets (name TEXT PRIMARY KEY, system_prompt TEXT NOT NULL, sampling TEXT) WITHOUT ROWID"
    )
    # Those that are gone for good, told to whoever may still hold something of them.
    connection.execute("CREATE TABLE purged (conversation INTEGER PRIMARY KEY, at TEXT NOT NULL)")
    connection.execute("CREATE INDEX conversations_by_date ON conversations (updated, id) WHERE deleted IS NULL")
    connection.execute("CREATE INDEX deleted_conversations ON conversations (id) WHERE deleted IS NOT NULL")
    connection.execute("CREATE INDEX pinned_conversations ON conversations (id) WHERE pinned")
    # Without these, SQLite looks through everything for each turn that goes, to see that nothing refers to it.
    connection.execute("CREATE INDEX turns_by_parent ON turns (parent)")
    connection.execute("CREATE INDEX conversations_by_head ON conversations (head)")
    connection.execute("CREATE INDEX deleted_turns ON turns (deleted) WHERE deleted IS NOT NULL")
    connection.execute(
        "CREATE TABLE comparisons ("
        " id INTEGER PRIMARY KEY AUTOINCREMENT,"
        " conversation INTEGER REFERENCES conversations (id) ON DELETE CASCADE,"
        " title TEXT NOT NULL,"
        " created TEXT NOT NULL,"
        " content TEXT NOT NULL)"
    )
    connection.execute("CREATE INDEX comparisons_by_conversation ON comparisons (conversation)")
    index.create(connection)


MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (
    _first_schema,
    _reasoning_windows_and_servers,
    _what_people_do_with_conversations,
)
"""What brings the file from each version to the next; its version is how many of them it has seen."""


def is_whole_in(path: Path) -> bool:
    """Whether the file at `path` is whole, or cannot be looked at now."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            return is_whole(connection)
    except sqlite3.DatabaseError as error:
        # One that cannot be looked at now, because somebody has it, may be whole.
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        return code not in (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def is_whole(found: sqlite3.Connection) -> bool:
    """Whether a file has all tables and columns that one of its version has, and none of a later one's: the version
    may itself be what was damaged."""
    (version,) = found.execute("PRAGMA user_version").fetchone()
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as wanted:
        for connection in (found, wanted):
            index.prepare(connection)
        if version <= 0:
            return version == 0 and not _columns_in(found)
        for migration in MIGRATIONS[:version]:
            migration(wanted)
        columns, own = _columns_in(found), _columns_in(wanted)
        for migration in MIGRATIONS[version:]:
            migration(wanted)
        later = _columns_in(wanted) - own
    return own <= columns and not later & columns


def _columns_in(connection: sqlite3.Connection) -> set[tuple[str, str]]:
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return {(table, row[1]) for table in tables for row in connection.execute(f'PRAGMA table_info("{table}")')}

"""The index of all titles and texts: which pieces of one, two and three letters occur in each.

Two FTS5 tables hold these grams. FTS5's own trigrams know nothing of words of one or two letters, which is what many a
word is in Chinese. What was written waits in a table to be indexed, a few turns at a time, when there is time for it.
Triggers put it there, and take out of the index what changes or goes.
"""

from __future__ import annotations

import sqlite3
import sys

from desktop.conversations import TurnState

_MERGE_PAGES = 64  # of the index, rewritten at once
# FTS5's tokenizer is told that these are letters; what separates words for it must not be in a gram.
_LETTERS = "!#$%&()*+,-./:;<=>?@[\\]^_`{|}~"
_INDEXED = (("conversations", "title"), ("turns", "content"))
# What grams depend on: our own rules, and Python's knowledge of Unicode. Where it changes, all is indexed anew.
_MADE_BY = f"3 {sys.version_info.major}.{sys.version_info.minor}"


def create(connection: sqlite3.Connection) -> None:
    """Make the index, in a file that has none. What is there already waits to be indexed."""
    connection.execute("CREATE TABLE index_state (made_by TEXT NOT NULL, to_merge INTEGER NOT NULL)")
    connection.execute("INSERT INTO index_state (made_by, to_merge) VALUES ('', 0)")
    for table, text in _INDEXED:
        waiting = f"SELECT 1 FROM {table}_to_index WHERE id = old.id"
        take_out = (
            f"INSERT INTO {table}_grams ({table}_grams, rowid, grams)"
            f" SELECT 'delete', old.id, grams(old.{text}) WHERE NOT EXISTS ({waiting});"
        )
        for statement in (
            f"CREATE TABLE {table}_to_index (id INTEGER PRIMARY KEY)",
            f"INSERT INTO {table}_to_index SELECT id FROM {table}",
            _trigger(table, "AFTER INSERT", f"INSERT INTO {table}_to_index VALUES (new.id);"),
            _trigger(
                table,
                f"AFTER UPDATE OF {text}",
                f"{take_out} INSERT OR IGNORE INTO {table}_to_index VALUES (old.id);",
                f"WHEN old.{text} IS NOT new.{text}",
            ),
            _trigger(table, "AFTER DELETE", f"{take_out} DELETE FROM {table}_to_index WHERE id = old.id;"),
        ):
            connection.execute(statement)
        _create_grams(connection, table)


def prepare(connection: sqlite3.Connection) -> None:
    """Teach a connection what the triggers ask for."""
    connection.create_function("grams", 1, _grams_of, deterministic=True)


def is_outdated(connection: sqlite3.Connection) -> bool:
    """Whether the index was made with other rules than those of this program: what is in it cannot be taken out."""
    (made_by,) = connection.execute("SELECT made_by FROM index_state").fetchone()
    return bool(made_by != _MADE_BY)


def start_over(connection: sqlite3.Connection) -> None:
    """Empty the index; everything is then to be indexed."""
    for table, _ in _INDEXED:
        connection.execute(f"DROP TABLE {table}_grams")
        _create_grams(connection, table)
        connection.execute(f"INSERT OR IGNORE INTO {table}_to_index SELECT id FROM {table}")
    connection.execute("UPDATE index_state SET made_by = ?, to_merge = 0", (_MADE_BY,))


def has_more_to_index(connection: sqlite3.Connection) -> bool:
    """Whether something waits to be indexed; a reply that is still being written does not."""
    return any(connection.execute(f"{_waiting(table, text)} LIMIT 1").fetchone() for table, text in _INDEXED)


def index_some(connection: sqlite3.Connection, most: int) -> None:
    """Index so many of the titles and turns that wait for it, the newest first."""
    for table, text in _INDEXED:
        rows = connection.execute(f"{_waiting(table, text)} ORDER BY id DESC LIMIT ?", (most,)).fetchall()
        for number, words in rows:
            connection.execute(f"INSERT INTO {table}_grams (rowid, grams) VALUES (?, ?)", (number, _grams_of(words)))
            connection.execute(f"DELETE FROM {table}_to_index WHERE id = ?", (number,))
        most -= len(rows)


def mark_for_merging(connection: sqlite3.Connection) -> None:
    """What was taken out is only marked as gone in FTS5's older segments, until these are written anew."""
    connection.execute("UPDATE index_state SET to_merge = 1")


def merge_some(connection: sqlite3.Connection) -> tuple[bool, bool]:
    """Write a little of the index anew, where something was taken out of it; whether there is more, and was any."""
    (to_merge,) = connection.execute("SELECT to_merge FROM index_state").fetchone()
    if not to_merge:
        return False, False
    has_more = False
    # A negative number begins to merge all segments into one, a positive one goes on with it.
    pages = -_MERGE_PAGES if to_merge == 1 else _MERGE_PAGES
    for table, _ in _INDEXED:
        before = connection.total_changes
        connection.execute(f"INSERT INTO {table}_grams ({table}_grams, rank) VALUES ('merge', ?)", (pages,))
        # SQLite's word for "nothing was left to do": https://sqlite.org/fts5.html#the_merge_command
        has_more = connection.total_changes - before >= 2 or has_more
    connection.execute("UPDATE index_state SET to_merge = ?", (2 if has_more else 0,))
    return has_more, True


def _grams_of(text: str) -> str:
    from desktop.store.grams import grams_of  # which no window needs to be painted

    return grams_of(text)


def _trigger(table: str, event: str, steps: str, condition: str = "") -> str:
    name = f"{table}_{event.split()[1].lower()}"
    return f"CREATE TRIGGER {name} {event} ON {table} {condition} BEGIN {steps} END"


def _create_grams(connection: sqlite3.Connection, table: str) -> None:
    # Without text, positions and sizes: they would take several times the room and are never asked for.
    connection.execute(
        f"CREATE VIRTUAL TABLE {table}_grams USING fts5"
        f" (grams, content = '', detail = none, columnsize = 0, tokenize = \"ascii tokenchars '{_LETTERS}'\")"
    )


def _waiting(table: str, text: str) -> str:
    """What is to be indexed of a table."""
    is_done = f" AND state <> '{TurnState.WRITING}'" if table == "turns" else ""
    return f"SELECT id, {text} FROM {table} WHERE id IN (SELECT id FROM {table}_to_index){is_done}"

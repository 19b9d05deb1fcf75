"""A damaged file of conversations: every row that can be read is put over the newest good backup.

The damaged file is kept beside the new one. A row of the backup is used only where the damaged file could not be read,
so that nothing comes back that was deleted since.

It may be killed at any moment. Until the new file is whole, nothing but what is thrown away was written; from then on
it stands there under a name of its own, and what is left to do is done by the next start.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from desktop.store import index
from desktop.store.backups import BACKUPS, is_sound
from desktop.store.faults import faults_of, mark_of
from desktop.store.rows import DAMAGE
from desktop.store.strict import as_text, made
from inference import Sentence, listed, open_own, read_own

# In the order in which rows refer to each other. What is counted and named is turns and conversations.
_TABLES = (
    "conversations", "turns", "traces", "attachments", "presets", "new_draft", "draft_attachments", "comparisons",
    "purged",
)  # fmt: skip
_INDEXES = {"turns": "turns_of_conversation"}
_BESIDE = ("-wal", "-shm", "-journal")
_MOMENT = "%Y-%m-%d %H.%M.%S"
_AT_ONCE = 500  # rows
_HIGHEST = 10_000_000  # a number of a row above it is damage itself
_TITLE_LENGTH = 60
_NAMED = 5  # conversations, in the sentence
_MOST_MARK = 1 << 20  # bytes of what was written down
_PAGE_SIZE_AT, _PAGE_COUNT_AT = 16, 28  # in the header of a file of SQLite's
_LARGEST_PAGE = 65_536

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Salvage:
    """What became of a damaged file. `lost` counts messages, at the most; it is `None` where nothing tells how many
    there were. `titles` are of conversations that lack some."""

    kept_as: Path
    read: int = 0
    from_backup: int = 0
    lost: int | None = 0
    titles: tuple[str, ...] = ()

    def __str__(self) -> str:
        count = _messages(self.from_backup)
        back = Sentence(", {messages} came back from a backup", messages=count) if self.from_backup else ""
        return Sentence(
            "The conversations were damaged. {messages} could be read{back}{lost}{where}. The damaged file is kept as "
            "{path}.",
            messages=_messages(self.read),
            back=back,
            lost=self._lost,
            where=self._where,
            path=self.kept_as,
        )

    @property
    def _lost(self) -> Sentence:
        if self.lost is None:
            return Sentence(", and nothing tells how many are lost")
        if not self.lost:
            return Sentence(", none is lost")
        return Sentence(", at most {messages} are lost", messages=_messages(self.lost))

    @property
    def _where(self) -> str:
        if not self.titles:
            return ""
        titles = listed(Sentence("“{title}”", title=title) for title in self.titles[:_NAMED])
        others = len(self.titles) - _NAMED
        more = Sentence(" and {count} more", count=others) if others > 0 else ""
        return Sentence(" (in {titles}{more})", titles=titles, more=more)


@dataclass(slots=True)
class _Rows:
    """What could be read of a table: its columns, the rows by their numbers, which numbers could not be read, and the
    highest that there was, as far as that is known."""

    columns: tuple[str, ...] = ()
    rows: dict[int, tuple[object, ...]] = field(default_factory=dict)
    unread: list[Span] = field(default_factory=list)
    highest: int = 0

    def could_not_read(self, number: int) -> bool:
        return any(first <= number <= last for first, last in self.unread)


def salvage(path: Path, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> Salvage:
    """Put a sound file in the place of the damaged one at `path`. Nobody may have it open. The mark of damage stays; as
    long as somebody leaves it there, this comes to the same again.

    Raises:
        StoreError: there is no room for it, or the folder cannot be written to. The damaged file is then where it was.
    """
    with faults_of(path):
        ready = path.with_name(f"{path.name}.ready")
        kept_as = path.with_name(f"{path.stem} damaged {clock().astimezone(UTC).strftime(_MOMENT)}{path.suffix}")
        outcome = _decided(path)
        if ready.is_file():
            outcome = outcome or Salvage(kept_as, lost=None)
        elif outcome is None or not outcome.kept_as.exists():
            outcome = _make(path, ready, kept_as)
        if ready.is_file():
            for beside in ("", *_BESIDE):
                with suppress(FileNotFoundError):
                    path.with_name(path.name + beside).replace(outcome.kept_as.with_name(outcome.kept_as.name + beside))
            ready.replace(path)
    return outcome


def damaged_files_of(path: Path) -> list[Path]:
    """The damaged files that were kept."""
    return list(path.parent.glob(f"{path.stem} damaged *"))


def _make(path: Path, ready: Path, kept_as: Path) -> Salvage:
    """Make the file that will take the place of the damaged one, which stays where it is."""
    fresh, work = path.with_name(f"{path.name}.fresh"), path.with_name(f"{path.name}.work")
    try:
        backup = _newest_good_backup(path)
        _begin(fresh, backup)
        found = _read_damaged(path, work, backup)
        outcome = _merge(fresh, found, kept_as)
        _decide(path, outcome)
        fresh.replace(ready)
    finally:
        for left in (fresh, work):
            for beside in ("", *_BESIDE):
                left.with_name(left.name + beside).unlink(missing_ok=True)
    return outcome


def _decide(path: Path, outcome: Salvage) -> None:
    """Write down what will have become of the file, for a next start that has to finish it."""
    mark = mark_of(path)
    new = mark.with_name(f"{mark.name}.new")
    with open(new, "w", encoding="utf-8", opener=open_own) as file:
        json.dump(asdict(outcome), file, default=str)
    new.replace(mark)


def _decided(path: Path) -> Salvage | None:
    """What was written down; the mark of damage alone is empty."""
    try:
        values = json.loads(read_own(mark_of(path), _MOST_MARK))
        kept_as, titles = Path(values["kept_as"]), tuple(map(as_text, values["titles"]))
        # Nothing is moved anywhere else, whatever became of what was written down.
        is_ours = kept_as.parent == path.parent and kept_as.name.startswith(f"{path.stem} damaged ")
        return made(Salvage, values | {"kept_as": kept_as, "titles": titles}) if is_ours else None
    except (FileNotFoundError, *DAMAGE):
        return None


def _newest_good_backup(path: Path) -> Path | None:
    """The newest copy that is sound from its first page to its last, and no newer than this program."""
    copies = sorted((path.parent / BACKUPS).glob(f"{path.stem} *{path.suffix}"), reverse=True)
    return next((copy for copy in copies if copy.is_file() and is_sound(copy)), None)


def _begin(fresh: Path, backup: Path | None) -> None:
    """The file that the rows are put into, brought up to date, with the backup's rows or none."""
    from desktop.store.database import Database

    fresh.unlink(missing_ok=True)
    open(fresh, "ab", opener=open_own).close()
    if backup is not None:
        shutil.copyfile(backup, fresh)
    Database(fresh).close()


def _read_damaged(path: Path, work: Path, backup: Path | None) -> dict[str, _Rows]:
    """All rows that can be read, from a copy: to open the file itself would change it."""
    for beside in ("", "-wal"):
        with suppress(FileNotFoundError):
            shutil.copyfile(path.with_name(path.name + beside), work.with_name(work.name + beside))
    found = _read_tables(work)
    if backup is not None and not any(rows.columns for rows in found.values()):
        # Not even what tables there are can be read. A backup is a copy page by page: its first page fits.
        _lend_first_page(backup, work)
        found = _read_tables(work)
    return found


def _read_tables(work: Path) -> dict[str, _Rows]:
    found = {table: _Rows() for table in _TABLES}
    with closing(sqlite3.connect(work, isolation_level=None)) as connection:
        connection.text_factory = _text
        for table, rows in found.items():
            with suppress(sqlite3.DatabaseError):
                rows.columns = tuple(row[1] for row in connection.execute(f"PRAGMA table_info({table})"))
            if rows.columns:
                _read_rows(connection, table, rows)
    return found


def _text(raw: bytes) -> str:
    """A flipped bit may leave what is no UTF-8; the rest of the text is worth keeping."""
    return raw.decode("utf-8", "replace")


def _read_rows(connection: sqlite3.Connection, table: str, rows: _Rows) -> None:
    if not _has_numbers(connection, table):
        # Small tables: all of it or what comes before the damage.
        try:
            for number, row in enumerate(connection.execute(f"SELECT * FROM {table}")):
                rows.rows[number] = row
        except sqlite3.DatabaseError:
            rows.unread.append((0, 2**62))
        return
    known = _known_to_index(connection, table)
    rows.highest = max(_highest(connection, table), *known, 0)
    for span in _spans(rows.highest):
        _read_span(connection, table, span, rows)
    # A row whose number was damaged is not found under it; an index may know of it.
    for number in known - rows.rows.keys():
        if not rows.could_not_read(number):
            rows.unread.append((number, number))


def _has_numbers(connection: sqlite3.Connection, table: str) -> bool:
    try:
        connection.execute(f"SELECT rowid FROM {table} LIMIT 0")
    except sqlite3.OperationalError:
        return False
    except sqlite3.DatabaseError:
        return True
    return True


def _highest(connection: sqlite3.Connection, table: str) -> int:
    """The highest number that a row may have."""
    found = [0]
    for query, values in (
        (f"SELECT max(rowid) FROM {table}", ()),
        ("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)),
        ("SELECT max(seq) FROM sqlite_sequence", ()),
    ):
        with suppress(sqlite3.DatabaseError):
            found += [row[0] for row in connection.execute(query, values) if isinstance(row[0], int)]
    return max(number for number in found if number <= _HIGHEST)


def _known_to_index(connection: sqlite3.Connection, table: str) -> set[int]:
    """The numbers of rows as far as an index beside the table has them."""
    found: set[int] = set()
    name = _INDEXES.get(table)
    if name is not None:
        with suppress(sqlite3.DatabaseError):
            for (number,) in connection.execute(f"SELECT id FROM {table} INDEXED BY {name} ORDER BY conversation"):
                if number <= _HIGHEST:
                    found.add(number)
    return found


def _spans(highest: int) -> Iterator[Span]:
    for first in range(0, highest + 1, _AT_ONCE):
        yield first, first + _AT_ONCE - 1


def _read_span(connection: sqlite3.Connection, table: str, span: Span, rows: _Rows) -> None:
    """All rows of a span; where that fails, of its halves, down to the single row that cannot be read."""
    first, last = span
    try:
        query = f"SELECT rowid, * FROM {table} WHERE rowid BETWEEN ? AND ?"
        for number, *row in connection.execute(query, span).fetchall():
            rows.rows[number] = tuple(row)
    except sqlite3.DatabaseError:
        if first == last:
            rows.unread.append(span)
            return
        middle = (first + last) // 2
        _read_span(connection, table, (first, middle), rows)
        _read_span(connection, table, (middle + 1, last), rows)


def _lend_first_page(backup: Path, work: Path) -> None:
    with open(backup, "rb", opener=open_own) as file:
        page = bytearray(file.read(_LARGEST_PAGE))
    size = int.from_bytes(page[_PAGE_SIZE_AT : _PAGE_SIZE_AT + 2], "big")
    size = _LARGEST_PAGE if size == 1 else size
    pages = work.stat().st_size // size
    page[_PAGE_COUNT_AT : _PAGE_COUNT_AT + 4] = pages.to_bytes(4, "big")
    for beside in ("-wal", "-shm"):
        work.with_name(work.name + beside).unlink(missing_ok=True)
    with open(work, "r+b", opener=open_own) as file:
        file.write(page[:size])


def _merge(fresh: Path, found: dict[str, _Rows], kept_as: Path) -> Salvage:
    with closing(sqlite3.connect(fresh, isolation_level=None)) as connection:
        index.prepare(connection)
        connection.execute("PRAGMA trusted_schema = ON")
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("BEGIN")
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        before = _numbers(connection, "turns")
        for table, rows in found.items():
            _put(connection, table, rows)
        turns = found["turns"]
        from_backup = {number for number in _numbers(connection, "turns") if number not in turns.rows}
        lost = _lost(turns, from_backup)
        touched = _mend(connection)
        for _, sql in triggers:
            connection.execute(sql)
        index.start_over(connection)
        titles = [_titled(connection, number) for number in touched]
        connection.execute("COMMIT")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return Salvage(kept_as, len(turns.rows), len(from_backup & before), lost, tuple(titles))


def _put(connection: sqlite3.Connection, table: str, rows: _Rows) -> None:
    """Put the rows that were read into their table, and take out the backup's that were not to be kept."""
    known = tuple(row[1] for row in connection.execute(f"PRAGMA table_info({table})"))
    # As many as there should be are these, in this order: where a name is another, it was damaged.
    found = known if len(known) == len(rows.columns) else rows.columns
    columns = tuple(name for name in found if name in known)
    if not columns:
        return
    has_numbers = _has_numbers(connection, table)
    if not has_numbers and not rows.unread:
        connection.execute(f"DELETE FROM {table}")
    places = [found.index(name) for name in columns]
    has_own = has_numbers and not _is_numbered_by_a_column(connection, table)
    head = ("rowid", *columns) if has_own else columns
    statement = f"INSERT OR REPLACE INTO {table} ({', '.join(head)}) VALUES ({', '.join('?' * len(head))})"
    for number, row in tuple(rows.rows.items()):
        values = [row[place] for place in places]
        try:
            connection.execute(statement, (number, *values) if has_own else values)
        except sqlite3.IntegrityError:  # a value that damage made one that no row may have
            del rows.rows[number]
            rows.unread.append((number, number))
    if has_numbers:
        gone = _numbers(connection, table) - rows.rows.keys()
        forgotten = ((number,) for number in gone if not rows.could_not_read(number))
        connection.executemany(f"DELETE FROM {table} WHERE rowid = ?", forgotten)


def _is_numbered_by_a_column(connection: sqlite3.Connection, table: str) -> bool:
    keys = [row for row in connection.execute(f"PRAGMA table_info({table})") if row[5]]
    return len(keys) == 1 and str(keys[0][2]).upper() == "INTEGER"


def _numbers(connection: sqlite3.Connection, table: str) -> set[int]:
    return {number for (number,) in connection.execute(f"SELECT rowid FROM {table}")}


def _lost(turns: _Rows, from_backup: set[int]) -> int | None:
    """How many numbers that there were belong to nothing now. Some may never have been used."""
    if not turns.columns or (turns.unread and not turns.highest):
        return None
    spans = ((max(first, 1), min(last, turns.highest)) for first, last in turns.unread)
    return sum(sum(number not in from_backup for number in range(first, last + 1)) for first, last in spans)


def _mend(connection: sqlite3.Connection) -> list[int]:
    """Let what refers to rows that are lost refer to those before them; the conversations that lack something."""
    touched: set[int] = set()
    connection.execute(
        "INSERT OR IGNORE INTO conversations (id, title, created, updated)"
        " SELECT conversation, substr(content, 1, ?), created, max(created) FROM turns"
        " WHERE conversation NOT IN (SELECT id FROM conversations) GROUP BY conversation",
        (_TITLE_LENGTH,),
    )
    orphans = connection.execute(
        "SELECT id, conversation, parent FROM turns WHERE parent IS NOT NULL AND parent NOT IN (SELECT id FROM turns)"
    ).fetchall()
    for number, conversation, parent in orphans:
        touched.add(conversation)
        connection.execute(
            "UPDATE turns SET parent ="
            " (SELECT max(before.id) FROM turns AS before WHERE before.conversation = ? AND before.id < ?)"
            " WHERE id = ?",
            (conversation, parent, number),
        )
    headless = connection.execute(
        "SELECT id FROM conversations WHERE head IS NULL OR head NOT IN (SELECT id FROM turns)"
    ).fetchall()
    for (conversation,) in headless:
        (last,) = connection.execute("SELECT max(id) FROM turns WHERE conversation = ?", (conversation,)).fetchone()
        if last is not None:
            touched.add(conversation)
        connection.execute("UPDATE conversations SET head = ? WHERE id = ?", (last, conversation))
    for table, column, other in (
        ("traces", "turn", "turns"),
        ("attachments", "turn", "turns"),
        ("draft_attachments", "conversation", "conversations"),
        ("comparisons", "conversation", "conversations"),
    ):
        connection.execute(
            f"DELETE FROM {table} WHERE {column} IS NOT NULL AND {column} NOT IN (SELECT id FROM {other})"
        )
    return sorted(touched)


def _titled(connection: sqlite3.Connection, conversation: int) -> str:
    (title,) = connection.execute("SELECT title FROM conversations WHERE id = ?", (conversation,)).fetchone()
    return " ".join(str(title).split())[:_TITLE_LENGTH]


def _messages(count: int) -> Sentence:
    return Sentence("1 message") if count == 1 else Sentence("{count:,} messages", count=count)

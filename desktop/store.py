"""Conversations in SQLite: all the SQL there is.

Turns form an append-only tree and a conversation names its head, so nothing that was said is ever overwritten. It
knows nothing of engines or windows. A reply that is being written carries the name of its writer's `ProcessLock`;
whoever finds it unfinished and that lock free knows that it was interrupted.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import sqlite3
import struct
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import inference
from desktop.conversations import Conversation, Failure, FailureKind, Turn, TurnState
from desktop.process_lock import ProcessLock
from inference import AnyModel, Message, RemoteModel, Role, WindowPolicy

_LEAST_ROOM = 64 << 10  # bytes; with less, SQLite's own files beside the conversations cannot grow


class StoreError(Exception):
    """The world's fault: a full disk, a locked or damaged file. `str()` of it is a sentence for the person."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question that was just stored and the empty reply to it."""

    conversation: Conversation
    question: Turn
    reply: Turn


class Store:
    """The conversations in the file at `path`, made with its folder where there is none.

    Raises:
        StoreError: from every method, when the file cannot be read or written.
    """

    def __init__(self, path: Path, *, busy_seconds: float = 1.0) -> None:
        self._path = path
        with _faults_of(path):
            _make_private(path)
            _refuse_newer(path)
            self._lock = ProcessLock(path.parent / "locks")
            self._connection = sqlite3.connect(path, timeout=busy_seconds, isolation_level=None)
        try:
            self._prepare()
            self._interrupted = self._mark_interrupted()
        except StoreError:
            self.close()
            raise

    @property
    def interrupted(self) -> int:
        """How many replies were found cut off when this was opened."""
        return self._interrupted

    @property
    def new_draft(self) -> str:
        """What was typed for a conversation that has no prompt yet."""
        with _faults_of(self._path):
            row = self._connection.execute("SELECT text FROM new_draft").fetchone()
        return "" if row is None else str(row[0])

    def conversations(self) -> tuple[Conversation, ...]:
        """All of them, the one with the newest turn first."""
        with _faults_of(self._path):
            rows = self._connection.execute(f"{_CONVERSATION} ORDER BY updated DESC, id DESC").fetchall()
        return tuple(_conversation_from(row) for row in rows)

    def conversation(self, conversation_id: int) -> Conversation:
        """One of them."""
        with _faults_of(self._path):
            row = self._connection.execute(f"{_CONVERSATION} WHERE id = ?", (conversation_id,)).fetchone()
        if row is None:
            raise StoreError("This conversation is no longer there.")
        return _conversation_from(row)

    def turns(self, head: int | None) -> tuple[Turn, ...]:
        """The turns from the first one to `head`."""
        turns = self._turns(head)
        if any(turn.state is TurnState.WRITING for turn in turns) and self._mark_interrupted():
            turns = self._turns(head)
        return turns

    def begin_exchange(
        self,
        question: str,
        *,
        conversation: int | None,
        parent: int | None,
        title: str,
        model_name: str,
        model: AnyModel,
        streamed: bool,
        window_policy: WindowPolicy = WindowPolicy.STOP,
    ) -> Exchange:
        """Store a question after `parent`, and the reply to it as one that is being written: both or neither.

        Without a conversation a new one of that title and policy is made. The draft becomes the question, so it is
        emptied.
        """
        now = _now()
        with self._writing() as connection:
            if conversation is None:
                conversation = _insert(
                    connection,
                    "INSERT INTO conversations (title, created, updated, window_policy) VALUES (?, ?, ?, ?)",
                    *(title, now, now, window_policy),
                )
                connection.execute("DELETE FROM new_draft")
            asked = _insert(
                connection,
                "INSERT INTO turns (conversation, parent, role, content, created, state) VALUES (?, ?, ?, ?, ?, ?)",
                *(conversation, parent, Role.USER, question, now, TurnState.COMPLETE),
            )
            connection.execute("UPDATE conversations SET draft = '' WHERE id = ?", (conversation,))
            reply = self._begin_reply(connection, conversation, asked, model_name, model, streamed=streamed)
            kept = connection.execute(f"{_CONVERSATION} WHERE id = ?", (conversation,)).fetchone()
            turns = connection.execute(f"{_TURN} WHERE id IN (?, ?) ORDER BY id", (asked, reply)).fetchall()
        return Exchange(_conversation_from(kept), *(_turn_from(row) for row in turns))

    def begin_reply(
        self, question: int, *, conversation: int, model_name: str, model: AnyModel, streamed: bool
    ) -> Turn:
        """Store another reply to a question, as one that is being written. The one before is kept beside it."""
        with self._writing() as connection:
            reply = self._begin_reply(connection, conversation, question, model_name, model, streamed=streamed)
            row = connection.execute(f"{_TURN} WHERE id = ?", (reply,)).fetchone()
        return _turn_from(row)

    def _begin_reply(
        self,
        connection: sqlite3.Connection,
        conversation: int,
        question: int,
        model_name: str,
        model: AnyModel,
        *,
        streamed: bool,
    ) -> int:
        now = _now()
        reply = _insert(
            connection,
            "INSERT INTO turns (conversation, parent, role, content, created, state, model_name, model_path, server,"
            " server_model, streamed, writer) VALUES (?, ?, ?, '', ?, ?, ?, ?, ?, ?, ?, ?)",
            *(conversation, question, Role.ASSISTANT, now, TurnState.WRITING, model_name),
            *(*_columns_of(model), streamed, self._lock.name),
        )
        connection.execute("UPDATE conversations SET head = ?, updated = ? WHERE id = ?", (reply, now, conversation))
        return reply

    def checkpoint(self, turn: Turn) -> None:
        """Keep what has been written of a running reply."""
        with self._writing() as connection:
            connection.execute(
                "UPDATE turns SET content = ?, reasoning = ?, left_out = ?, token_ids = NULL WHERE id = ?",
                (turn.message.content, turn.message.reasoning, _packed_turns(turn.left_out), turn.id),
            )

    def finish(self, turn: Turn, trace: inference.Trace | None) -> None:
        """Keep a reply as it ended. Its text and the token ids of that text are written together."""
        with self._writing() as connection:
            connection.execute(
                "UPDATE turns SET content = ?, reasoning = ?, token_ids = ?, state = ?, model_name = ?,"
                " finish_reason = ?, usage = ?, timings = ?, error = ?, failure = ?, thought_seconds = ?, left_out = ?,"
                " writer = NULL WHERE id = ?",
                (
                    turn.message.content,
                    turn.message.reasoning,
                    _packed_ids(turn.message.token_ids),
                    turn.state,
                    turn.model_name,
                    turn.finish_reason,
                    None if turn.usage is None else json.dumps(asdict(turn.usage)),
                    None if turn.timings is None else json.dumps(asdict(turn.timings)),
                    turn.error,
                    None if turn.failure is None else json.dumps(asdict(turn.failure)),
                    turn.thought_seconds,
                    _packed_turns(turn.left_out),
                    turn.id,
                ),
            )
            connection.execute("UPDATE conversations SET updated = ? WHERE id = ?", (_now(), turn.conversation))
            if trace is not None:
                connection.execute(
                    "INSERT OR REPLACE INTO traces (turn, packed) VALUES (?, ?)", (turn.id, packed_trace(trace))
                )

    def set_window_policy(self, conversation: int, policy: WindowPolicy) -> None:
        """Keep what is done when a conversation no longer fits the context window."""
        with self._writing() as connection:
            connection.execute("UPDATE conversations SET window_policy = ? WHERE id = ?", (policy, conversation))

    def trace(self, turn_id: int) -> inference.Trace | None:
        """How a reply came about; `None` where nothing was recorded."""
        with _faults_of(self._path):
            row = self._connection.execute("SELECT packed FROM traces WHERE turn = ?", (turn_id,)).fetchone()
        return None if row is None else trace_from(row[0])

    def prefill_rate(self, model_path: Path) -> float | None:
        """Tokens per second at which this model file last read a prompt; `None` where it never did."""
        with _faults_of(self._path):
            rows = self._connection.execute(
                "SELECT timings FROM turns WHERE model_path = ? AND timings IS NOT NULL ORDER BY id DESC LIMIT 5",
                (str(model_path),),
            ).fetchall()
        rates = (inference.Timings(**json.loads(timings)).prefill_rate for (timings,) in rows)
        return next((rate for rate in rates if rate is not None), None)

    def set_draft(self, conversation: int | None, text: str) -> None:
        """Keep what is being typed in a conversation, or in one that has no prompt yet."""
        with self._writing() as connection:
            if conversation is None:
                connection.execute("DELETE FROM new_draft")
                connection.execute("INSERT INTO new_draft (text) VALUES (?)", (text,))
            else:
                connection.execute("UPDATE conversations SET draft = ? WHERE id = ?", (text, conversation))

    def close(self) -> None:
        """Close the file and let go of the lock. A reply that is still unfinished counts as interrupted now."""
        self._connection.close()
        self._lock.close()

    def _turns(self, head: int | None) -> tuple[Turn, ...]:
        with _faults_of(self._path):
            rows = self._connection.execute(_PATH_TO_HEAD, (head,)).fetchall()
        return tuple(_turn_from(row) for row in rows)

    def _mark_interrupted(self) -> int:
        """Mark the unfinished replies whose writer is gone; returns how many there were."""
        with self._writing() as connection:
            unfinished = connection.execute("SELECT DISTINCT writer FROM turns WHERE state = 'writing'").fetchall()
            gone = [writer for (writer,) in unfinished if not self._lock.is_held(writer)]
            return sum(
                connection.execute(
                    "UPDATE turns SET state = ?, writer = NULL WHERE state = 'writing' AND writer = ?",
                    (TurnState.INTERRUPTED, writer),
                ).rowcount
                for writer in gone
            )

    def _prepare(self) -> None:
        with _faults_of(self._path):
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.execute("PRAGMA foreign_keys = ON")
        with self._writing() as connection:
            # Asked again inside the transaction: another window may have been faster.
            version = _version_of(connection)
            for migration in MIGRATIONS[version:]:
                migration(connection)
            if version < len(MIGRATIONS):
                connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: all of it happens, or nothing."""
        with _faults_of(self._path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")


def packed_trace(trace: inference.Trace) -> bytes:
    """A trace as a few bytes per token; its times are kept to the microsecond."""
    moments = [0, *(round(time * 1e6) for time in trace.token_times)]
    content = {
        "ids": trace.token_ids,
        "gaps": [later - earlier for earlier, later in pairwise(moments)],
        "kept": trace.kept_tokens,
        "blocks": [(block.kind, block.message, block.tokens, block.cached) for block in trace.blocks],
        "reuse_end": trace.reuse_end,
        "drafts": (trace.drafted_tokens, trace.accepted_tokens),
    }
    return zlib.compress(json.dumps(content, separators=(",", ":")).encode())


def trace_from(packed: bytes) -> inference.Trace:
    """The trace that was packed."""
    content = json.loads(zlib.decompress(packed))
    drafted, accepted = content.get("drafts", (0, 0))  # traces of earlier versions have none
    moment = 0
    times = []
    for gap in content["gaps"]:
        moment += gap
        times.append(moment / 1e6)
    return inference.Trace(
        token_ids=tuple(content["ids"]),
        token_times=tuple(times),
        kept_tokens=content["kept"],
        blocks=tuple(
            inference.PromptBlock(inference.BlockKind(kind), *numbers) for kind, *numbers in content["blocks"]
        ),
        reuse_end=_reuse_end(content["reuse_end"]),
        drafted_tokens=drafted,
        accepted_tokens=accepted,
    )


def _reuse_end(name: str) -> inference.ReuseEnd:
    match name:
        case "nothing held":  # these two were called otherwise before
            return inference.ReuseEnd.MODEL_RELOADED
        case "text differs":
            return inference.ReuseEnd.TURN_CHANGED
        case _:
            return inference.ReuseEnd(name)


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


MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (_first_schema, _reasoning_windows_and_servers)
"""What brings the file from each version to the next; its version is how many of them it has seen."""

_CONVERSATION = "SELECT id, title, created, updated, head, draft, window_policy FROM conversations"

_TURN = (
    "SELECT id, conversation, parent, role, content, token_ids, created, state, model_name, model_path, finish_reason,"
    " usage, timings, streamed, error, reasoning, failure, server, server_model, thought_seconds, left_out FROM turns"
)

_PATH_TO_HEAD = f"""
    WITH RECURSIVE path (id, before) AS (
        SELECT id, parent FROM turns WHERE id = ?
        UNION ALL
        SELECT turns.id, turns.parent FROM turns JOIN path ON turns.id = path.before)
    {_TURN} JOIN path USING (id) ORDER BY id
"""  # noqa: S608 - put together from constants only


def _insert(connection: sqlite3.Connection, statement: str, *values: object) -> int:
    row = connection.execute(statement, values).lastrowid
    assert row is not None  # noqa: S101 - what SQLite promises after an INSERT
    return row


def _conversation_from(row: tuple[int, str, str, str, int | None, str, str]) -> Conversation:
    number, title, created, updated, head, draft, policy = row
    return Conversation(
        number,
        title,
        datetime.fromisoformat(created),
        datetime.fromisoformat(updated),
        head=head,
        draft=draft,
        window_policy=WindowPolicy(policy),
    )


def _turn_from(row: tuple) -> Turn:  # type: ignore[type-arg]  # a row is what the columns of _TURN are
    (number, conversation, parent, role, content, token_ids, created, state, model_name, model_path) = row[:10]
    finish_reason, usage, timings, streamed, error, reasoning = row[10:16]
    failure, server, server_model, thought_seconds, left_out = row[16:]
    return Turn(
        id=number,
        conversation=conversation,
        parent=parent,
        message=Message(Role(role), content, _unpacked_ids(token_ids), reasoning),
        created=datetime.fromisoformat(created),
        state=TurnState(state),
        model_name=model_name,
        model_path=None if model_path is None else Path(model_path),
        finish_reason=None if finish_reason is None else inference.FinishReason(finish_reason),
        usage=None if usage is None else inference.Usage(**json.loads(usage)),
        timings=None if timings is None else inference.Timings(**json.loads(timings)),
        streamed=None if streamed is None else bool(streamed),
        error=error,
        failure=None if failure is None else _failure_from(json.loads(failure)),
        remote=None if server is None else RemoteModel(server, server_model),
        thought_seconds=thought_seconds,
        left_out=tuple(json.loads(left_out)),
    )


def _failure_from(facts: dict[str, str | int]) -> Failure:
    return Failure(FailureKind(str(facts["kind"])), int(facts["needed"]), int(facts["droppable"]))


def _columns_of(model: AnyModel) -> tuple[str | None, str | None, str | None]:
    """A model as the path of its file, or as its server and what that calls it."""
    if isinstance(model, RemoteModel):
        return None, model.base_url, model.name
    return str(model.path), None, None


def _packed_turns(turns: tuple[int, ...]) -> str:
    return json.dumps(turns, separators=(",", ":"))


def _packed_ids(token_ids: tuple[int, ...]) -> bytes | None:
    return struct.pack(f"<{len(token_ids)}i", *token_ids) if token_ids else None


def _unpacked_ids(packed: bytes | None) -> tuple[int, ...]:
    return struct.unpack(f"<{len(packed) // 4}i", packed) if packed else ()


def _now() -> str:
    # Always with microseconds, so that moments sort as text.
    return datetime.now(UTC).isoformat(timespec="microseconds")


def _make_private(path: Path) -> None:
    """The folder and the file, for their owner only; SQLite's own files beside it take over the file's mode."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))


def _refuse_newer(path: Path) -> None:
    """Leave a file that a newer version wrote as it is.

    Raises:
        StoreError: it is one.
    """
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    try:
        version = _version_of(connection)
    finally:
        connection.close()
    if version > len(MIGRATIONS):
        raise StoreError(
            f"The conversations in {path} were written by a newer version of Headwater. "
            "Install that version, or start with another folder (--data-dir)."
        )


def _version_of(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


@contextmanager
def _faults_of(path: Path) -> Iterator[None]:
    """Turn what the world does to the file into `StoreError`; our own mistakes pass through."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        sentence = _sentence_for(error, path)
        if sentence is None:
            raise
        raise StoreError(sentence) from error
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise StoreError(_disk_full(path)) from error
        raise StoreError(f"The conversations in {path.parent} cannot be opened: {error.strerror}.") from error


def _sentence_for(error: sqlite3.DatabaseError, path: Path) -> str | None:
    # The low byte is the kind, the rest the detail.
    match getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF:
        case sqlite3.SQLITE_FULL:
            return _disk_full(path)
        case sqlite3.SQLITE_IOERR if _has_no_room(path):
            # So it speaks of the files beside the one with the conversations.
            return _disk_full(path)
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return f"Another program holds the conversations in {path} locked. Close it, then go on."
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return (
                f"The conversations in {path} are damaged and cannot be read. "
                "Move the file away to start anew, or put a backup in its place."
            )
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_IOERR:
            return f"The conversations in {path} cannot be read or written: {error}."
        case _:
            return None


def _has_no_room(path: Path) -> bool:
    try:
        return shutil.disk_usage(path.parent).free < _LEAST_ROOM
    except OSError:
        return False


def _disk_full(path: Path) -> str:
    return f"The disk with {path.parent} is full, so nothing more can be kept. Make room on it, then go on."

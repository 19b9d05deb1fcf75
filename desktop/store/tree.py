"""The tree that a conversation's turns form: branches, and what was deleted of it but may come back."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from desktop.conversations import TurnState
from desktop.process_lock import ProcessLock
from desktop.store import index
from desktop.store.database import Database, insert
from desktop.store.rows import TURN, columns_of, moment_text, turn_from
from inference import Role

if TYPE_CHECKING:
    from desktop.turns import ReplyOrigin, Totals, Turn

_TOTALS = """
    SELECT total(json_extract(usage, '$.input_tokens')), total(json_extract(usage, '$.cached_tokens')),
        total(json_extract(usage, '$.output_tokens')), total(coalesce(json_extract(timings, '$.load'), 0)
        + coalesce(json_extract(timings, '$.prepare'), 0) + coalesce(json_extract(timings, '$.prefill'), 0)
        + coalesce(json_extract(timings, '$.first_sample'), 0) + coalesce(json_extract(timings, '$.wait'), 0)
        + coalesce(json_extract(timings, '$.decode'), 0) + coalesce(json_extract(timings, '$.finish'), 0))
    FROM turns WHERE conversation = ? AND usage IS NOT NULL
"""

_COPY_OF_A_QUESTION = (
    "INSERT INTO turns (conversation, parent, role, content, created, state, pinned, edited)"
    " SELECT conversation, parent, role, ?, ?, ?, pinned, 1 FROM turns WHERE id = ?"
)

_COPY_OF_A_REPLY = (
    "INSERT INTO turns (conversation, parent, role, content, created, state, pinned, edited, model_name, model_path,"
    " server, server_model, streamed, reasoning, thought_seconds, left_out)"
    " SELECT conversation, parent, role, ?, ?, ?, pinned, 1, model_name, model_path,"
    " server, server_model, streamed, reasoning, thought_seconds, left_out FROM turns WHERE id = ?"
)

_CONTINUATION = (
    "INSERT INTO turns (conversation, parent, role, content, token_ids, reasoning, thought_seconds, pinned, edited,"
    " created, state, model_name, model_path, server, server_model, streamed, writer)"
    " SELECT conversation, parent, role, content, token_ids, reasoning, thought_seconds, pinned, edited,"
    " ?, ?, ?, ?, ?, ?, ?, ? FROM turns WHERE id = ?"
)

_CLOCKS_DIFFER = timedelta(hours=1)  # of two windows, on folders that machines share


class TurnTrees:
    """What a store does with the turns of its conversations.

    Nothing is overwritten: what is said in another way stands beside what was said before. A turn that was deleted
    stays in its place, marked, and whoever reads the tree passes over it.
    """

    _database: Database
    _lock: ProcessLock | None
    _clock: Callable[[], datetime]

    def branches(self, conversation: int) -> dict[int | None, tuple[int, ...]]:
        """What follows each turn, oldest first; the first turns of all follow `None`. What stood after a turn that was
        deleted follows the one before that."""
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT id, parent, deleted IS NOT NULL FROM turns WHERE conversation = ? ORDER BY id", (conversation,)
            ).fetchall()
        stands_for: dict[int | None, int | None] = {None: None}
        children: dict[int | None, list[int]] = {}
        for turn, parent, is_deleted in rows:  # a parent always comes first
            before = stands_for[parent]
            stands_for[turn] = before if is_deleted else turn
            if not is_deleted:
                children.setdefault(before, []).append(turn)
        return {parent: tuple(turns) for parent, turns in children.items()}

    def totals(self, conversation: int) -> Totals:
        """What all of its replies have taken, those that were deleted too."""
        with self._database.reading() as connection:
            tokens = connection.execute(_TOTALS, (conversation,)).fetchone()
        from desktop.turns import Totals  # a start shows none

        read, cached, written, seconds = tokens
        return Totals(int(read), int(cached), int(written), float(seconds))

    def set_head(self, conversation: int, turn: int | None) -> None:
        """Let the conversation end with this turn; `None` leaves it without any."""
        with self._database.writing() as connection:
            _set_head(connection, conversation, turn)

    def edit(self, turn: Turn, text: str) -> Turn:
        """Put a turn with other words beside this one, with its attachments, and let the conversation end with it. A
        reply's model did not sample these words, so it has neither tokens nor figures."""
        moment = self._now()
        with self._database.writing() as connection:
            copy = _COPY_OF_A_REPLY if turn.is_reply else _COPY_OF_A_QUESTION
            edited = insert(connection, copy, text, moment, TurnState.COMPLETE, turn.id)
            connection.execute(
                "INSERT INTO attachments (turn, position, name, kind, size, text)"
                " SELECT ?, position, name, kind, size, text FROM attachments WHERE turn = ?",
                (edited, turn.id),
            )
            _set_head(connection, turn.conversation, edited, moment)
            return _turn(connection, edited)

    def begin_reply(
        self,
        question: int,
        origin: ReplyOrigin,
        *,
        conversation: int,
        instead_of: Sequence[int] = (),
    ) -> Turn:
        """Store another reply to a question, as one that is being written. The ones before are kept beside it, but for
        those that it is `instead_of`."""
        with self._database.writing() as connection:
            reply = self._begin_reply(connection, conversation, question, origin)
            _delete(connection, instead_of, self._now())
            return _turn(connection, reply)

    def begin_continuation(self, turn: Turn, origin: ReplyOrigin) -> Turn:
        """Store a reply that begins as this one did and goes on, as one that is being written. This one is kept beside
        it."""
        moment = self._now()
        with self._database.writing() as connection:
            reply = insert(connection, _CONTINUATION, moment, TurnState.WRITING, *self._written_by(origin), turn.id)
            _set_head(connection, turn.conversation, reply, moment)
            return _turn(connection, reply)

    def delete_turns(self, conversation: int, turns: Sequence[int], *, head: int | None) -> None:
        """Pass over these turns from now on, and let the conversation end with `head`."""
        with self._database.writing() as connection:
            _delete(connection, turns, self._now())
            _set_head(connection, conversation, head)

    def restore_turns(self, conversation: int, turns: Sequence[int], *, head: int | None) -> None:
        """Take these turns for what they were before they were deleted, and let the conversation end with `head`."""
        with self._database.writing() as connection:
            connection.executemany("UPDATE turns SET deleted = NULL WHERE id = ?", ((turn,) for turn in turns))
            _set_head(connection, conversation, head)

    def purge_turns(self, *, for_seconds: float = 0.0) -> tuple[int, ...]:
        """Delete for good the turns that were deleted at least so long ago; what stood after them stands where it is
        seen. Returns the conversations that they were of."""
        young = around(self._clock(), for_seconds)
        with self._database.writing() as connection:
            gone = connection.execute(
                "SELECT id, parent, conversation FROM turns WHERE (deleted <= ? OR deleted > ?) AND state <> ?"
                " ORDER BY id DESC",
                (*young, TurnState.WRITING),
            ).fetchall()
            for turn, parent, _ in gone:  # what stands last goes first, so that each parent is still there
                connection.execute("UPDATE turns SET parent = ? WHERE parent = ?", (parent, turn))
                connection.execute("UPDATE conversations SET head = ? WHERE head = ?", (parent, turn))
                connection.execute("DELETE FROM turns WHERE id = ?", (turn,))
            if gone:
                index.mark_for_merging(connection)
        if gone:
            self._database.empty_log()
        return tuple({conversation for _, _, conversation in gone})

    def set_turn_pinned(self, turn: int, *, pinned: bool) -> None:
        """Keep that a turn is never left out of a full window."""
        with self._database.writing() as connection:
            connection.execute("UPDATE turns SET pinned = ? WHERE id = ?", (pinned, turn))

    def _begin_reply(
        self, connection: sqlite3.Connection, conversation: int, question: int, origin: ReplyOrigin
    ) -> int:
        moment = self._now()
        reply = insert(
            connection,
            "INSERT INTO turns (conversation, parent, role, content, created, state, model_name, model_path, server,"
            " server_model, streamed, writer) VALUES (?, ?, ?, '', ?, ?, ?, ?, ?, ?, ?, ?)",
            *(conversation, question, Role.ASSISTANT, moment, TurnState.WRITING, *self._written_by(origin)),
        )
        _set_head(connection, conversation, reply, moment)
        return reply

    def _written_by(self, origin: ReplyOrigin) -> tuple[object, ...]:
        """For the columns from `model_name` on. The last is whose lock tells, when a reply is unfinished, that nobody
        writes it any more."""
        writer = None if self._lock is None else self._lock.name
        return origin.model_name, *columns_of(origin.model), origin.streamed, writer

    def _now(self) -> str:
        return moment_text(self._clock())


def around(now: datetime, seconds: float) -> tuple[str, str]:
    """Between which moments something lies that was done less than so long ago. A moment that is still to come is from
    before the clock was set back, and as good as long ago: it may come in years."""
    return moment_text(now - timedelta(seconds=seconds)), moment_text(now + _CLOCKS_DIFFER)


def _turn(connection: sqlite3.Connection, turn: int) -> Turn:
    return turn_from(connection.execute(f"{TURN} WHERE id = ?", (turn,)).fetchone())


def _delete(connection: sqlite3.Connection, turns: Sequence[int], moment: str) -> None:
    connection.executemany("UPDATE turns SET deleted = ? WHERE id = ?", ((moment, turn) for turn in turns))


def _set_head(connection: sqlite3.Connection, conversation: int, turn: int | None, moment: str | None = None) -> None:
    """With a `moment`, something was said then; else it is only looked at."""
    connection.execute(
        "UPDATE conversations SET head = ?, updated = coalesce(?, updated) WHERE id = ?", (turn, moment, conversation)
    )

"""Store: what can be done with the conversations that are kept.

Turns form an append-only tree and a conversation names its head, so nothing that was said is ever overwritten. A
reply that is being written carries the name of its writer's `ProcessLock`; whoever finds it unfinished and that lock
free knows that it was interrupted.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import inference
from desktop.conversations import Attachment, Conversation, Preset, Turn, TurnState
from desktop.process_lock import ProcessLock
from desktop.store.database import Database, insert
from desktop.store.faults import StoreError, faults_of
from desktop.store.rows import (
    CONVERSATION,
    TURN,
    conversation_from,
    now,
    packed_ids,
    packed_sampling,
    packed_turns,
    sampling_from,
    turn_from,
)
from desktop.store.traces import packed_trace, trace_from
from desktop.store.tree import TurnTrees
from inference import AnyModel, Role, Sampling, WindowPolicy

_PATH_TO_HEAD = f"""
    WITH RECURSIVE path (id, before) AS (
        SELECT id, parent FROM turns WHERE id = ?
        UNION ALL
        SELECT turns.id, turns.parent FROM turns JOIN path ON turns.id = path.before)
    {TURN} JOIN path USING (id) WHERE deleted IS NULL ORDER BY id
"""  # noqa: S608 - put together from constants only


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question that was just stored and the empty reply to it."""

    conversation: Conversation
    question: Turn
    reply: Turn


class Store(TurnTrees):
    """The conversations in the file at `path`, made with its folder where there is none.

    Raises:
        StoreError: from every method, when the file cannot be read or written.
    """

    def __init__(self, path: Path | None, *, busy_seconds: float = 1.0) -> None:
        """With `None` everything is kept in memory and gone at the end: that is where temporary conversations are."""
        self._database = Database(path, busy_seconds=busy_seconds)
        self._is_temporary = path is None
        self._lock: ProcessLock | None = None
        try:
            if path is not None:
                with faults_of(path):
                    self._lock = ProcessLock(path.parent / "locks")
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
        with self._database.reading() as connection:
            row = connection.execute("SELECT text FROM new_draft").fetchone()
        return "" if row is None else str(row[0])

    def conversations(self) -> tuple[Conversation, ...]:
        """All of them, the one with the newest turn first."""
        with self._database.reading() as connection:
            rows = connection.execute(f"{CONVERSATION} WHERE deleted IS NULL ORDER BY updated DESC, id DESC").fetchall()
        return tuple(self._conversation_from(row) for row in rows)

    def conversation(self, conversation_id: int) -> Conversation:
        """One of them."""
        with self._database.reading() as connection:
            row = connection.execute(f"{CONVERSATION} WHERE id = ? AND deleted IS NULL", (conversation_id,)).fetchone()
        if row is None:
            raise StoreError("This conversation is no longer there.")
        return self._conversation_from(row)

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
        attachments: Sequence[Attachment] = (),
        system_prompt: str = "",
        sampling: Sampling | None = None,
    ) -> Exchange:
        """Store a question after `parent`, and the reply to it as one that is being written: both or neither.

        Without a conversation a new one is made, of that title, policy, system prompt and sampling. The draft becomes
        the question, so it is emptied.
        """
        moment = now()
        with self._database.writing() as connection:
            if conversation is None:
                conversation = insert(
                    connection,
                    "INSERT INTO conversations (id, title, created, updated, window_policy, system_prompt, sampling)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?)",
                    *(self._next_id(connection), title, moment, moment, window_policy),
                    *(system_prompt, packed_sampling(sampling)),
                )
                connection.execute("DELETE FROM new_draft")
            asked = insert(
                connection,
                "INSERT INTO turns (conversation, parent, role, content, created, state) VALUES (?, ?, ?, ?, ?, ?)",
                *(conversation, parent, Role.USER, question, moment, TurnState.COMPLETE),
            )
            _insert_attachments(connection, asked, attachments)
            connection.execute("UPDATE conversations SET draft = '' WHERE id = ?", (conversation,))
            reply = self._begin_reply(connection, conversation, asked, model_name, model, streamed=streamed)
            kept = connection.execute(f"{CONVERSATION} WHERE id = ?", (conversation,)).fetchone()
            turns = connection.execute(f"{TURN} WHERE id IN (?, ?) ORDER BY id", (asked, reply)).fetchall()
        return Exchange(self._conversation_from(kept), *(turn_from(row) for row in turns))

    def checkpoint(self, turn: Turn) -> None:
        """Keep what has been written of a running reply."""
        with self._database.writing() as connection:
            connection.execute(
                "UPDATE turns SET content = ?, reasoning = ?, left_out = ?, token_ids = NULL WHERE id = ?",
                (turn.message.content, turn.message.reasoning, packed_turns(turn.left_out), turn.id),
            )

    def finish(self, turn: Turn, trace: inference.Trace | None) -> None:
        """Keep a reply as it ended. Its text and the token ids of that text are written together."""
        with self._database.writing() as connection:
            connection.execute(
                "UPDATE turns SET content = ?, reasoning = ?, token_ids = ?, state = ?, model_name = ?,"
                " finish_reason = ?, usage = ?, timings = ?, error = ?, failure = ?, thought_seconds = ?, left_out = ?,"
                " writer = NULL WHERE id = ?",
                (
                    turn.message.content,
                    turn.message.reasoning,
                    packed_ids(turn.message.token_ids),
                    turn.state,
                    turn.model_name,
                    turn.finish_reason,
                    None if turn.usage is None else json.dumps(asdict(turn.usage)),
                    None if turn.timings is None else json.dumps(asdict(turn.timings)),
                    turn.error,
                    None if turn.failure is None else json.dumps(asdict(turn.failure)),
                    turn.thought_seconds,
                    packed_turns(turn.left_out),
                    turn.id,
                ),
            )
            connection.execute("UPDATE conversations SET updated = ? WHERE id = ?", (now(), turn.conversation))
            if trace is not None:
                connection.execute(
                    "INSERT OR REPLACE INTO traces (turn, packed) VALUES (?, ?)", (turn.id, packed_trace(trace))
                )

    def set_window_policy(self, conversation: int, policy: WindowPolicy) -> None:
        """Keep what is done when a conversation no longer fits the context window."""
        with self._database.writing() as connection:
            connection.execute("UPDATE conversations SET window_policy = ? WHERE id = ?", (policy, conversation))

    def set_prompt_and_sampling(self, conversation: int, system_prompt: str, sampling: Sampling | None) -> None:
        """Keep what the model is told before everything else, and how its next tokens are chosen."""
        with self._database.writing() as connection:
            connection.execute(
                "UPDATE conversations SET system_prompt = ?, sampling = ? WHERE id = ?",
                (system_prompt, packed_sampling(sampling), conversation),
            )

    def presets(self) -> tuple[Preset, ...]:
        """Those that were saved, by name."""
        with self._database.reading() as connection:
            rows = connection.execute("SELECT name, system_prompt, sampling FROM presets ORDER BY name").fetchall()
        return tuple(Preset(name, prompt, sampling_from(sampling)) for name, prompt, sampling in rows)

    def save_preset(self, preset: Preset) -> None:
        """Keep a preset, in place of one of the same name."""
        with self._database.writing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO presets (name, system_prompt, sampling) VALUES (?, ?, ?)",
                (preset.name, preset.system_prompt, packed_sampling(preset.sampling)),
            )

    def delete_preset(self, name: str) -> None:
        with self._database.writing() as connection:
            connection.execute("DELETE FROM presets WHERE name = ?", (name,))

    def trace(self, turn_id: int) -> inference.Trace | None:
        """How a reply came about; `None` where nothing was recorded."""
        with self._database.reading() as connection:
            row = connection.execute("SELECT packed FROM traces WHERE turn = ?", (turn_id,)).fetchone()
        return None if row is None else trace_from(row[0])

    def prefill_rate(self, model_path: Path) -> float | None:
        """Tokens per second at which this model file last read a prompt; `None` where it never did."""
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT timings FROM turns WHERE model_path = ? AND timings IS NOT NULL ORDER BY id DESC LIMIT 5",
                (str(model_path),),
            ).fetchall()
        rates = (inference.Timings(**json.loads(timings)).prefill_rate for (timings,) in rows)
        return next((rate for rate in rates if rate is not None), None)

    def set_draft(self, conversation: int | None, text: str) -> None:
        """Keep what is being typed in a conversation, or in one that has no prompt yet."""
        with self._database.writing() as connection:
            if conversation is None:
                connection.execute("DELETE FROM new_draft")
                connection.execute("INSERT INTO new_draft (text) VALUES (?)", (text,))
            else:
                connection.execute("UPDATE conversations SET draft = ? WHERE id = ?", (text, conversation))

    def close(self) -> None:
        """Close the file and let go of the lock. A reply that is still unfinished counts as interrupted now."""
        self._database.close()
        if self._lock is not None:
            self._lock.close()

    def _turns(self, head: int | None) -> tuple[Turn, ...]:
        with self._database.reading() as connection:
            rows = connection.execute(_PATH_TO_HEAD, (head,)).fetchall()
        return tuple(turn_from(row) for row in rows)

    def _mark_interrupted(self) -> int:
        """Mark the unfinished replies whose writer is gone; returns how many there were."""
        lock = self._lock
        if lock is None:
            return 0
        with self._database.writing() as connection:
            unfinished = connection.execute("SELECT DISTINCT writer FROM turns WHERE state = 'writing'").fetchall()
            gone = [writer for (writer,) in unfinished if not lock.is_held(writer)]
            return sum(
                connection.execute(
                    "UPDATE turns SET state = ?, writer = NULL WHERE state = 'writing' AND writer = ?",
                    (TurnState.INTERRUPTED, writer),
                ).rowcount
                for writer in gone
            )

    def _next_id(self, connection: sqlite3.Connection) -> int | None:
        """For a new conversation: SQLite's choice, but below zero for temporary ones, so that nobody mixes them up."""
        if not self._is_temporary:
            return None
        (lowest,) = connection.execute("SELECT min(id) FROM conversations").fetchone()
        return min(0, lowest or 0) - 1

    def _conversation_from(self, row: tuple[Any, ...]) -> Conversation:
        return conversation_from(row, temporary=self._is_temporary)


def _insert_attachments(connection: sqlite3.Connection, turn: int, attachments: Sequence[Attachment]) -> None:
    connection.executemany(
        "INSERT INTO attachments (turn, position, name, kind, size, text) VALUES (?, ?, ?, ?, ?, ?)",
        ((turn, at, each.name, each.kind, each.size, each.text) for at, each in enumerate(attachments)),
    )

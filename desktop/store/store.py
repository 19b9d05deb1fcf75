"""Store: what can be done with the conversations that are kept.

Turns form an append-only tree and a conversation names its head, so nothing that was said is ever overwritten. A
reply that is being written carries the name of its writer's `ProcessLock`; whoever finds it unfinished and that lock
free knows that it was interrupted.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import inference
from desktop.conversations import Conversation, TurnState
from desktop.process_lock import ProcessLock
from desktop.store import index
from desktop.store.backups import Backups
from desktop.store.comparisons import Comparisons
from desktop.store.copies import insert_attachments, keep_tree, standing_head, traces_of, tree_of
from desktop.store.database import Database, insert
from desktop.store.drafts import Drafts
from desktop.store.faults import StoreDamaged, StoreError, faults_of
from desktop.store.rows import (
    CONVERSATION,
    DAMAGE,
    TURN,
    conversation_from,
    moment_text,
    packed,
    packed_ids,
    packed_sampling,
    packed_turns,
    sampling_if_sound,
    timings_from,
    turn_from,
)
from desktop.store.strict import as_text
from desktop.store.traces import packed_trace, trace_if_sound
from desktop.store.tree import TurnTrees, around
from inference import Role, Sentence, WindowPolicy

if TYPE_CHECKING:
    from desktop.changes import Exchange, NewConversation
    from desktop.hits import Hit
    from desktop.keepsakes import Preset
    from desktop.turns import Attachment, ReplyOrigin, Turn
    from inference import Sampling

_PATH_TO_HEAD = f"""
    WITH RECURSIVE path (id, before) AS (
        SELECT id, parent FROM turns WHERE id = ?
        UNION ALL
        SELECT turns.id, turns.parent FROM turns JOIN path ON turns.id = path.before LIMIT ?)
    {TURN} JOIN path USING (id) WHERE deleted IS NULL ORDER BY id
"""

_CHOSEN = "SELECT value FROM json_each(?)"
_INDEXED_AT_ONCE = 20  # turns: a few milliseconds


def _utc() -> datetime:
    return datetime.now(UTC)


class Store(TurnTrees, Drafts, Comparisons):
    """The conversations in the file at `path`, made with its folder where there is none.

    Raises:
        StoreError: from every method, when the file cannot be read or written.
    """

    def __init__(
        self,
        path: Path | None,
        *,
        busy_seconds: float = 1.0,
        clock: Callable[[], datetime] = _utc,
    ) -> None:
        """With `None` everything is kept in memory and gone at the end: that is where temporary conversations are."""
        self._backups = None if path is None else Backups(path, clock)
        before_migration = None if self._backups is None else self._backups.make
        self._database = Database(path, busy_seconds=busy_seconds, before_migration=before_migration)
        self._is_temporary = path is None
        self._clock = clock
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
    def backups(self) -> Backups | None:
        """The copies of the file; there are none of what is in memory alone."""
        return self._backups

    @property
    def is_closed(self) -> bool:
        """Whether nothing is read or written any more."""
        return self._database.is_closed

    @property
    def interrupted(self) -> int:
        """How many replies were found cut off when this was opened."""
        return self._interrupted

    @property
    def is_temporary(self) -> bool:
        """Whether it is in memory alone."""
        return self._is_temporary

    @property
    def foreign_changes(self) -> int:
        """Another number whenever another window has written something."""
        with self._database.reading() as connection:
            (version,) = connection.execute("PRAGMA data_version").fetchone()
        return int(version)

    def conversations(
        self, most: int | None = None, after: tuple[datetime, int] | None = None
    ) -> tuple[Conversation, ...]:
        """All of them, or so many, the one with the newest turn first; those that come `after` such a moment and id."""
        moment, number = ("z", 0) if after is None else (moment_text(after[0]), after[1])
        with self._database.reading() as connection:
            rows = connection.execute(
                f"{CONVERSATION} WHERE deleted IS NULL AND (updated, id) < (?, ?)"
                " ORDER BY updated DESC, id DESC LIMIT ?",
                (moment, number, -1 if most is None else most),
            ).fetchall()
        return tuple(self._conversation_from(row) for row in rows)

    def pinned(self) -> tuple[Conversation, ...]:
        """Those that are kept before all others, in no order."""
        with self._database.reading() as connection:
            rows = connection.execute(f"{CONVERSATION} WHERE deleted IS NULL AND pinned").fetchall()
        return tuple(self._conversation_from(row) for row in rows)

    def conversation(self, conversation_id: int) -> Conversation:
        """One of them."""
        with self._database.reading() as connection:
            row = connection.execute(f"{CONVERSATION} WHERE id = ? AND deleted IS NULL", (conversation_id,)).fetchone()
        if row is None:
            raise StoreError(Sentence("This conversation is no longer there."))
        return self._conversation_from(row)

    def conversations_of(self, numbers: Sequence[int]) -> tuple[Conversation, ...]:
        """Those of them that are there, in no order."""
        with self._database.reading() as connection:
            rows = connection.execute(
                f"{CONVERSATION} WHERE id IN ({_CHOSEN}) AND deleted IS NULL", (json.dumps(tuple(numbers)),)
            ).fetchall()
        return tuple(self._conversation_from(row) for row in rows)

    def turns(self, head: int | None, most: int | None = None) -> tuple[Turn, ...]:
        """The turns from the first one to `head`; or about so many of them, the last ones, at least one."""
        turns = self._turns(head, most)
        if any(turn.state is TurnState.WRITING for turn in turns) and self._could_mark_interrupted():
            turns = self._turns(head, most)
        # Those that were deleted are counted: where they were all of them, the rest has to be looked at too.
        return turns if turns or most is None else self.turns(head)

    def begin_exchange(
        self,
        question: str,
        origin: ReplyOrigin,
        *,
        conversation: int | NewConversation,
        parent: int | None = None,
        attachments: Sequence[Attachment] = (),
    ) -> Exchange:
        """Store a question after `parent`, and the reply to it as one that is being written: both or neither. A new
        conversation is made with them. The draft becomes the question, so it is emptied."""
        from desktop.changes import Exchange  # nothing is asked before the first paint

        moment = self._now()
        with self._database.writing() as connection:
            if not isinstance(conversation, int):
                conversation = self._insert_conversation(connection, conversation, moment)
            asked = insert(
                connection,
                "INSERT INTO turns (conversation, parent, role, content, created, state) VALUES (?, ?, ?, ?, ?, ?)",
                *(conversation, parent, Role.USER, question, moment, TurnState.COMPLETE),
            )
            insert_attachments(connection, asked, attachments)
            connection.execute("UPDATE conversations SET draft = '' WHERE id = ?", (conversation,))
            connection.execute("DELETE FROM draft_attachments WHERE conversation = ?", (conversation,))
            reply = self._begin_reply(connection, conversation, asked, origin)
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
        with self._database.writing_for_good() as connection:
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
                    packed(turn.usage),
                    packed(turn.timings),
                    turn.error,
                    packed(turn.failure),
                    turn.thought_seconds,
                    packed_turns(turn.left_out),
                    turn.id,
                ),
            )
            connection.execute("UPDATE conversations SET updated = ? WHERE id = ?", (self._now(), turn.conversation))
            if trace is not None:
                # Where it was deleted meanwhile, there is nothing that a trace could belong to.
                connection.execute(
                    "INSERT OR REPLACE INTO traces (turn, packed) SELECT id, ? FROM turns WHERE id = ?",
                    (packed_trace(trace), turn.id),
                )

    def set_window_policy(self, conversation: int, policy: WindowPolicy) -> None:
        """Keep what is done when a conversation no longer fits the context window."""
        with self._database.writing() as connection:
            connection.execute("UPDATE conversations SET window_policy = ? WHERE id = ?", (policy, conversation))

    def rename(self, conversation: int, title: str) -> None:
        with self._database.writing() as connection:
            connection.execute("UPDATE conversations SET title = ? WHERE id = ?", (title, conversation))

    def set_pinned(self, conversation: int, *, pinned: bool) -> None:
        """Keep a conversation before all others, or no longer."""
        with self._database.writing() as connection:
            connection.execute("UPDATE conversations SET pinned = ? WHERE id = ?", (pinned, conversation))

    def set_folder(self, conversations: Iterable[int], folder: str) -> None:
        """Put conversations into a folder, which is there as long as something is in it; "" takes them out of all."""
        with self._database.writing() as connection:
            connection.executemany(
                "UPDATE conversations SET folder = ? WHERE id = ?", ((folder, number) for number in conversations)
            )

    def folders(self) -> tuple[str, ...]:
        """Those that something is in, by name."""
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT DISTINCT folder FROM conversations WHERE folder <> '' AND deleted IS NULL"
            ).fetchall()
        return tuple(sorted((folder for (folder,) in rows), key=str.casefold))

    def tree(self, conversation: int) -> tuple[Turn, ...]:
        """All turns of a conversation, those on other branches included, each after its parent."""
        with self._database.reading() as connection:
            return tree_of(connection, conversation)

    def traces(self, conversation: int) -> dict[int, inference.Trace]:
        """How its replies came about, by their turns, where that was recorded."""
        with self._database.reading() as connection:
            return traces_of(connection, conversation)

    def import_tree(
        self, conversation: Conversation, turns: Sequence[Turn], traces: Mapping[int, inference.Trace] | None = None
    ) -> Conversation:
        """Keep a conversation from elsewhere with all of its turns, each after its parent, under ids of our own."""
        with self._database.writing() as connection:
            kept = keep_tree(connection, self._next_id(connection), conversation, turns, traces or {})
        return self.conversation(kept)

    def duplicate(self, conversation: int, title: str | None = None) -> Conversation:
        """Keep a conversation a second time, unpinned, with all of its branches."""
        original = self.conversation(conversation)
        with self._database.writing() as connection:
            copy = replace(
                original,
                title=original.title if title is None else title,
                head=standing_head(connection, original),
                created=self._clock(),
                updated=self._clock(),
                draft="",
                pinned=False,
            )
            turns, traces = tree_of(connection, conversation), traces_of(connection, conversation)
            kept = keep_tree(connection, self._next_id(connection), copy, turns, traces)
        return self.conversation(kept)

    def delete(self, conversations: Iterable[int]) -> None:
        """Put conversations out of sight; they can be restored until they are purged."""
        with self._database.writing() as connection:
            connection.executemany(
                "UPDATE conversations SET deleted = ? WHERE id = ? AND deleted IS NULL",
                ((self._now(), number) for number in conversations),
            )

    def restore(self, conversations: Iterable[int]) -> None:
        """Bring back what was deleted and not purged."""
        with self._database.writing() as connection:
            connection.executemany(
                "UPDATE conversations SET deleted = NULL WHERE id = ?", ((number,) for number in conversations)
            )

    def deleted(self, *, for_seconds: float = 0.0) -> tuple[int, ...]:
        """The conversations that were deleted and not purged, for at least so long."""
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT id FROM conversations WHERE deleted <= ? OR deleted > ?", around(self._clock(), for_seconds)
            ).fetchall()
        return tuple(number for (number,) in rows)

    def purge(self, conversations: Iterable[int]) -> None:
        """Delete conversations for good: nothing of them stays in the file or in those that SQLite keeps beside it.

        `tidy` then takes the last traces of them out of the index.
        """
        chosen = json.dumps(tuple(conversations))
        with self._database.writing() as connection:
            connection.execute(f"UPDATE conversations SET head = NULL WHERE id IN ({_CHOSEN})", (chosen,))
            connection.execute(f"DELETE FROM turns WHERE conversation IN ({_CHOSEN})", (chosen,))
            connection.execute(f"DELETE FROM conversations WHERE id IN ({_CHOSEN})", (chosen,))
            connection.execute(f"INSERT OR IGNORE INTO purged SELECT value, ? FROM ({_CHOSEN})", (self._now(), chosen))
            index.mark_for_merging(connection)
        self._database.empty_log()

    def purged(self, *, within_days: float = 30.0) -> tuple[int, ...]:
        """The conversations that were purged of late, by whichever window."""
        since = moment_text(self._clock() - timedelta(days=within_days))
        with self._database.reading() as connection:
            rows = connection.execute("SELECT conversation FROM purged WHERE at >= ?", (since,)).fetchall()
        return tuple(number for (number,) in rows)

    def search(self, words: str, limit: int = 50) -> tuple[Hit, ...]:
        """Where all these words are, the best first: one hit for a conversation, its title before its turns.

        Words between quotation marks are looked for as they stand there.
        """
        from desktop.store.search import search  # which no window needs to be painted

        with suppress(StoreError):  # what another window keeps from being indexed now is found the next time
            self._index(_INDEXED_AT_ONCE)
        with self._database.reading() as connection:
            return search(connection, words, limit, self._conversation_from)

    def tidy(self) -> bool:
        """Do a little of what nobody waits for; whether there is more. Nothing is left to do once this is closed."""
        if self._database.is_closed:
            return False
        if self._index(_INDEXED_AT_ONCE):
            return True
        with self._database.writing() as connection:
            has_more, was_merging = index.merge_some(connection)
        if was_merging and not has_more:
            self._database.empty_log()
        return has_more

    def _index(self, most: int) -> bool:
        """Index so much; whether there is more."""
        with self._database.reading() as connection:
            if not index.has_more_to_index(connection):
                return False
        with self._database.writing() as connection:
            index.index_some(connection, most)
        return True

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
        from desktop.keepsakes import Preset

        return tuple(
            Preset(as_text(name), as_text(prompt), sampling_if_sound(sampling)) for name, prompt, sampling in rows
        )

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
        return None if row is None else trace_if_sound(row[0])

    def prefill_rate(self, model_path: Path) -> float | None:
        """Tokens per second at which this model file last read a prompt; `None` where it never did."""
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT timings FROM turns WHERE model_path = ? AND timings IS NOT NULL ORDER BY id DESC LIMIT 5",
                (str(model_path),),
            ).fetchall()
        rates = (_prefill_rate(timings) for (timings,) in rows)
        return next((rate for rate in rates if rate is not None), None)

    def close(self) -> None:
        """Close the file and let go of the lock. A reply that is still unfinished counts as interrupted now."""
        self._database.close()
        if self._lock is not None:
            self._lock.close()

    def _turns(self, head: int | None, most: int | None) -> tuple[Turn, ...]:
        with self._database.reading() as connection:
            rows = connection.execute(_PATH_TO_HEAD, (head, -1 if most is None else most)).fetchall()
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

    def _could_mark_interrupted(self) -> bool:
        """Whether there were any, as far as anything can be written now: to read, nothing need be."""
        try:
            return bool(self._mark_interrupted())
        except StoreDamaged:
            raise
        except StoreError:
            return False

    def _insert_conversation(self, connection: sqlite3.Connection, new: NewConversation, moment: str) -> int:
        """The draft for a new conversation is no longer one."""
        conversation = insert(
            connection,
            "INSERT INTO conversations (id, title, created, updated, window_policy, system_prompt, sampling)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            *(self._next_id(connection), new.title, moment, moment, new.wishes.window_policy),
            *(new.wishes.system_prompt, packed_sampling(new.wishes.sampling)),
        )
        connection.execute("DELETE FROM new_draft")
        connection.execute("DELETE FROM draft_attachments WHERE conversation IS NULL")
        return conversation

    def _next_id(self, connection: sqlite3.Connection) -> int | None:
        """For a new conversation: SQLite's choice, but below zero for temporary ones, so that nobody mixes them up."""
        if not self._is_temporary:
            return None
        (lowest,) = connection.execute("SELECT min(id) FROM conversations").fetchone()
        return min(0, lowest or 0) - 1

    def _conversation_from(self, row: tuple[Any, ...]) -> Conversation:
        return conversation_from(row, temporary=self._is_temporary)


def _prefill_rate(timings: str) -> float | None:
    try:
        return timings_from(timings).prefill_rate
    except DAMAGE:
        return None

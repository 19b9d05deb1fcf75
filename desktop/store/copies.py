"""Whole conversations, with every branch: read for copies and exports, kept from copies and imports."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import inference
from desktop.conversations import Conversation, TurnState
from desktop.store.database import insert
from desktop.store.rows import TURN, moment_text, packed, packed_ids, packed_sampling, packed_turns, turn_from
from desktop.store.traces import packed_trace, trace_if_sound

if TYPE_CHECKING:
    from desktop.turns import Attachment, Turn


def tree_of(connection: sqlite3.Connection, conversation: int) -> tuple[Turn, ...]:
    """All turns of a conversation, each after its parent. Where a turn was deleted, the one before takes its place."""
    rows = connection.execute(f"{TURN} WHERE conversation = ? AND deleted IS NULL ORDER BY id", (conversation,))
    turns = tuple(turn_from(row) for row in rows)
    before = _deleted(connection, conversation)
    return tuple(replace(turn, parent=_standing(turn.parent, before)) for turn in turns)


def standing_head(connection: sqlite3.Connection, conversation: Conversation) -> int | None:
    """The last turn of a conversation that was not deleted."""
    return _standing(conversation.head, _deleted(connection, conversation.id))


def traces_of(connection: sqlite3.Connection, conversation: int) -> dict[int, inference.Trace]:
    """How its replies came about, where that was recorded."""
    rows = connection.execute(
        "SELECT turn, packed FROM traces JOIN turns ON turns.id = turn WHERE conversation = ? AND deleted IS NULL",
        (conversation,),
    )
    found = ((turn, trace_if_sound(packed)) for turn, packed in rows)
    return {turn: trace for turn, trace in found if trace is not None}


def keep_tree(
    connection: sqlite3.Connection,
    number: int | None,
    conversation: Conversation,
    turns: Sequence[Turn],
    traces: Mapping[int, inference.Trace],
) -> int:
    """Keep a conversation from elsewhere under ids of our own; `number` is its own id, or SQLite chooses.

    Its ids hold together, and a turn comes after its parent. A reply that is being written elsewhere ends here.
    """
    kept = insert(
        connection,
        "INSERT INTO conversations (id, title, created, updated, draft, window_policy, pinned, folder, system_prompt,"
        " sampling) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        *(number, conversation.title, moment_text(conversation.created), moment_text(conversation.updated)),
        *(conversation.draft, conversation.window_policy, conversation.pinned, conversation.folder),
        *(conversation.system_prompt, packed_sampling(conversation.sampling)),
    )
    ids: dict[int, int] = {}
    for turn in turns:
        parent = None if turn.parent is None else ids[turn.parent]
        ids[turn.id] = new = insert(connection, _INSERT_TURN, kept, parent, *_columns_of_turn(turn))
        insert_attachments(connection, new, turn.attachments)
        if turn.id in traces:
            connection.execute("INSERT INTO traces (turn, packed) VALUES (?, ?)", (new, packed_trace(traces[turn.id])))
    for turn in turns:
        if turn.left_out:
            left_out = [ids[old] for old in turn.left_out if old in ids]
            connection.execute("UPDATE turns SET left_out = ? WHERE id = ?", (packed_turns(left_out), ids[turn.id]))
    connection.execute("UPDATE conversations SET head = ? WHERE id = ?", (_among(ids, conversation.head), kept))
    return kept


def insert_attachments(connection: sqlite3.Connection, turn: int, attachments: Sequence[Attachment]) -> None:
    """Keep what goes along with a prompt, in that order."""
    connection.executemany(
        "INSERT INTO attachments (turn, position, name, kind, size, text) VALUES (?, ?, ?, ?, ?, ?)",
        ((turn, at, each.name, each.kind, each.size, each.text) for at, each in enumerate(attachments)),
    )


_TURN_COLUMNS = (
    "conversation, parent, role, content, reasoning, token_ids, created, state, model_name, model_path, server,"
    " server_model, finish_reason, usage, timings, streamed, error, failure, thought_seconds, pinned, edited"
)
_INSERT_TURN = f"INSERT INTO turns ({_TURN_COLUMNS}) VALUES ({', '.join('?' * len(_TURN_COLUMNS.split(',')))})"


def _columns_of_turn(turn: Turn) -> tuple[object, ...]:
    """All but the first two of `_TURN_COLUMNS`."""
    message = turn.message
    return (
        message.role,
        message.content,
        message.reasoning,
        packed_ids(message.token_ids),
        moment_text(turn.created),
        TurnState.INTERRUPTED if turn.state is TurnState.WRITING else turn.state,
        turn.model_name,
        None if turn.model_path is None else str(turn.model_path),
        None if turn.remote is None else turn.remote.base_url,
        None if turn.remote is None else turn.remote.name,
        turn.finish_reason,
        packed(turn.usage),
        packed(turn.timings),
        turn.streamed,
        turn.error,
        packed(turn.failure),
        turn.thought_seconds,
        turn.pinned,
        turn.edited,
    )


def _among(ids: Mapping[int, int], turn: int | None) -> int | None:
    return None if turn is None else ids.get(turn)


def _deleted(connection: sqlite3.Connection, conversation: int) -> dict[int, int | None]:
    """The turns that were deleted, each with the one before it."""
    return dict(
        connection.execute(
            "SELECT id, parent FROM turns WHERE conversation = ? AND deleted IS NOT NULL", (conversation,)
        ).fetchall()
    )


def _standing(turn: int | None, deleted: Mapping[int, int | None]) -> int | None:
    """The turn, or the next one before it that was not deleted."""
    while turn is not None and turn in deleted:
        turn = deleted[turn]
    return turn

"""Rows to values and back."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import inference
from desktop.conversations import YEARS, Conversation, FailureKind, TurnState
from desktop.store.strict import (
    BYTES_OR_NONE,
    NUMBER_OR_NONE,
    TEXT,
    TEXT_OR_NONE,
    WHOLE,
    WHOLE_OR_NONE,
    check_types,
    made,
)
from inference import AnyModel, InvalidRequest, Message, RemoteModel, Role, WindowPolicy

if TYPE_CHECKING:
    from desktop.turns import Failure, Turn
    from inference import Sampling

CONVERSATION = (
    "SELECT id, title, created, updated, head, draft, window_policy, pinned, folder, system_prompt, sampling"
    " FROM conversations"
)

TURN = (
    "SELECT id, conversation, parent, role, content, token_ids, created, state, model_name, model_path, finish_reason,"
    " usage, timings, streamed, error, reasoning, failure, server, server_model, thought_seconds, left_out, pinned,"
    # With the turn, so that both are of one moment; `json_group_array` takes the rows in the order they come. JSON
    # holds no bytes, which a flipped bit makes of a text.
    " edited, (SELECT json_group_array(json_array(CAST(name AS TEXT), CAST(kind AS TEXT), CAST(size AS INTEGER),"
    " CAST(text AS TEXT))) FROM"
    " (SELECT * FROM attachments WHERE attachments.turn = turns.id ORDER BY position)) FROM turns"
)

_CONVERSATION_TYPES = (WHOLE, TEXT, TEXT, TEXT, WHOLE_OR_NONE, TEXT, TEXT, WHOLE, TEXT, TEXT, TEXT_OR_NONE)
_TURN_TYPES = (
    WHOLE, WHOLE, WHOLE_OR_NONE, TEXT, TEXT, BYTES_OR_NONE, TEXT, TEXT, TEXT, TEXT_OR_NONE, TEXT_OR_NONE,
    TEXT_OR_NONE, TEXT_OR_NONE, WHOLE_OR_NONE, TEXT, TEXT, TEXT_OR_NONE, TEXT_OR_NONE, TEXT_OR_NONE, NUMBER_OR_NONE,
    TEXT, WHOLE, WHOLE, TEXT,
)  # fmt: skip
_ATTACHMENT = ("name", "kind", "size", "text")


# What reading a value may raise that damage was done to.
DAMAGE = (
    ValueError,
    TypeError,
    LookupError,
    ArithmeticError,
    AttributeError,
    RecursionError,
    struct.error,
    InvalidRequest,
)

LONG_AGO = "1970-01-01T00:00:00.000000+00:00"  # for a moment that nobody can read any more


def conversation_from(row: tuple[Any, ...], *, temporary: bool = False) -> Conversation:
    """A row of `CONVERSATION`, whatever damage did to it."""
    try:
        return _conversation(row, temporary=temporary)
    except DAMAGE:
        from desktop.store import mending  # which hardly anybody needs

        return _conversation(mending.mended_conversation(row), temporary=temporary)


def turn_from(row: tuple[Any, ...]) -> Turn:
    """A row of `TURN`, whatever damage did to it."""
    try:
        return _turn(row)
    except DAMAGE:
        from desktop.store import mending  # which hardly anybody needs

        return _turn(mending.mended_turn(row))


def packed_sampling(sampling: Sampling | None) -> str | None:
    """What was chosen of it, by name."""
    if sampling is None:
        return None
    return json.dumps({name: value for name, value in asdict(sampling).items() if value is not None})


def sampling_from(packed: str | None) -> Sampling | None:
    """The sampling that was packed."""
    if packed is None:
        return None
    values = json.loads(packed)
    if "dry_sequence_breakers" in values:
        values["dry_sequence_breakers"] = tuple(values["dry_sequence_breakers"])
    if "logit_bias" in values:
        values["logit_bias"] = tuple((int(token), float(bias)) for token, bias in values["logit_bias"])
    return made(inference.Sampling, values)


def sampling_if_sound(packed: str | None) -> Sampling | None:
    """The same; `None` where damage left none."""
    try:
        return sampling_from(packed)
    except DAMAGE:
        return None


def columns_of(model: AnyModel) -> tuple[str | None, str | None, str | None]:
    """A model as the path of its file, or as its server and what that calls it."""
    if isinstance(model, RemoteModel):
        return None, model.base_url, model.name
    return str(model.path), None, None


def packed_turns(turns: Sequence[int]) -> str:
    """Turns by their ids."""
    return json.dumps(turns, separators=(",", ":"))


def packed_ids(token_ids: Sequence[int]) -> bytes | None:
    """Token ids, four bytes each; `None` where there are none."""
    return struct.pack(f"<{len(token_ids)}i", *token_ids) if token_ids else None


def packed(facts: inference.Usage | inference.Timings | Failure | None) -> str | None:
    """Facts about a reply, by name."""
    return None if facts is None else json.dumps(asdict(facts))


def moment(text: str) -> datetime:
    """A moment that was kept.

    Raises:
        ValueError, TypeError: it is none.
    """
    found = datetime.fromisoformat(text)
    if found.tzinfo is None or found.year not in YEARS:
        raise ValueError(text)
    return found


def moment_or_long_ago(text: str) -> datetime:
    """The same; where damage left none, one before all others."""
    try:
        return moment(text)
    except (ValueError, TypeError):
        return datetime.fromisoformat(LONG_AGO)


def moment_text(moment: datetime) -> str:
    """A moment as it is kept: in UTC and always with microseconds, so that moments sort as text."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def _unpacked_ids(packed: bytes | None) -> tuple[int, ...]:
    return struct.unpack(f"<{len(packed) // 4}i", packed) if packed else ()


def usage_from(packed: str) -> inference.Usage:
    """The usage that was packed."""
    return made(inference.Usage, json.loads(packed))


def timings_from(packed: str) -> inference.Timings:
    """The timings that were packed."""
    return made(inference.Timings, json.loads(packed))


def failure_from(packed: str) -> Failure:
    """The failure that was packed."""
    from desktop.turns import Failure

    facts = json.loads(packed)
    return made(Failure, {**facts, "kind": FailureKind(facts["kind"])})


def _conversation(row: tuple[Any, ...], *, temporary: bool) -> Conversation:
    check_types(row, _CONVERSATION_TYPES)
    number, title, created, updated, head, draft, policy, pinned, folder, system_prompt, sampling = row
    return Conversation(
        number,
        title,
        moment(created),
        moment(updated),
        head=head,
        draft=draft,
        window_policy=WindowPolicy(policy),
        pinned=bool(pinned),
        folder=folder,
        system_prompt=system_prompt,
        sampling=sampling_from(sampling),
        temporary=temporary,
    )


def _turn(row: tuple[Any, ...]) -> Turn:
    from desktop.turns import Attachment, Turn  # the first paint shows none

    check_types(row, _TURN_TYPES)
    (number, conversation, parent, role, content, token_ids, created, state, model_name, model_path) = row[:10]
    finish_reason, usage, timings, streamed, error, reasoning = row[10:16]
    failure, server, server_model, thought_seconds, left_out, pinned, edited, attachments = row[16:]
    return Turn(
        id=number,
        conversation=conversation,
        parent=parent,
        message=Message(Role(role), content, _unpacked_ids(token_ids), reasoning),
        created=moment(created),
        state=TurnState(state),
        model_name=model_name,
        model_path=None if model_path is None else Path(model_path),
        finish_reason=None if finish_reason is None else inference.FinishReason(finish_reason),
        usage=None if usage is None else usage_from(usage),
        timings=None if timings is None else timings_from(timings),
        streamed=None if streamed is None else bool(streamed),
        error=error,
        failure=None if failure is None else failure_from(failure),
        remote=None if server is None else RemoteModel(server, server_model or ""),
        thought_seconds=thought_seconds,
        left_out=tuple(map(int, json.loads(left_out))),
        attachments=tuple(
            made(Attachment, dict(zip(_ATTACHMENT, each, strict=True))) for each in json.loads(attachments)
        ),
        pinned=bool(pinned),
        edited=bool(edited),
    )

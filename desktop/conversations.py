"""What is kept: conversations and their turns, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from inference import FinishReason, Message, Role, Timings, Usage


class TurnState(StrEnum):
    """How far a turn got."""

    WRITING = "writing"  # a reply that is running in a window now
    COMPLETE = "complete"
    FAILED = "failed"
    INTERRUPTED = "interrupted"  # the program went away while this was being written


@dataclass(frozen=True, slots=True)
class Turn:
    """One message in its place in a conversation: a node of an append-only tree, `parent` being the turn before.

    `usage`, `timings`, `finish_reason`, `model_name` and `streamed` belong to replies; `error` is the sentence of a
    failed one. `streamed` says whether the reply was shown while it was written.
    """

    id: int
    conversation: int
    parent: int | None
    message: Message
    created: datetime
    state: TurnState = TurnState.COMPLETE
    model_name: str = ""
    finish_reason: FinishReason | None = None
    usage: Usage | None = None
    timings: Timings | None = None
    streamed: bool | None = None
    error: str = ""

    @property
    def is_reply(self) -> bool:
        return self.message.role is Role.ASSISTANT


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation as the list shows it; `head` is its last turn, `draft` what was typed and not sent."""

    id: int
    title: str
    created: datetime
    updated: datetime
    head: int | None = None
    draft: str = ""

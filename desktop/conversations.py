"""What is kept: conversations and their turns, as plain values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from inference import FinishReason, Message, Role, Timings, Usage

TITLE_LENGTH = 60


class TurnState(StrEnum):
    """How far a turn got."""

    WRITING = "writing"  # a reply that is running in a window now
    COMPLETE = "complete"
    FAILED = "failed"
    INTERRUPTED = "interrupted"  # the program went away while this was being written


@dataclass(frozen=True, slots=True)
class Turn:
    """One message in its place in a conversation: a node of an append-only tree, `parent` being the turn before.

    `usage`, `timings`, `finish_reason`, `model_name`, `model_path` and `streamed` belong to replies; `error` is the
    sentence of a failed one. `streamed` says whether the reply was shown while it was written.
    """

    id: int
    conversation: int
    parent: int | None
    message: Message
    created: datetime
    state: TurnState = TurnState.COMPLETE
    model_name: str = ""
    model_path: Path | None = None
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


def title_of(text: str) -> str:
    """What a conversation that begins with this text is called: its first line, cut between two words."""
    line = " ".join(next((line for line in text.splitlines() if line.strip()), "").split())
    if len(line) <= TITLE_LENGTH:
        return line
    # Room for the sign that something was cut; a first word as long as that is cut inside.
    head = line[: TITLE_LENGTH - 1]
    return (head if line[TITLE_LENGTH - 1] == " " else head.rpartition(" ")[0] or head) + "…"


def messages_of(turns: Iterable[Turn], model_path: Path) -> tuple[Message, ...]:
    """What the model in this file is asked to read: these turns, so that user and assistant alternate.

    A reply without a word is left out. If it failed, its question is left out too: no model has read it, and one
    that was too long once would make every later prompt too long. If it was stopped, the question still stands and
    is read together with the next one, in one message, since many chat templates refuse two in a row.

    Token ids mean something to the model that sampled them only.
    """
    messages: list[Message] = []
    for turn in _worth_reading(turns):
        message = turn.message
        if messages and messages[-1].role is message.role:
            messages[-1] = Message(message.role, f"{messages[-1].content}\n\n{message.content}")
        elif message.token_ids and turn.model_path != model_path:
            messages.append(Message(message.role, message.content))
        else:
            messages.append(message)
    return tuple(messages)


def _worth_reading(turns: Iterable[Turn]) -> list[Turn]:
    kept: list[Turn] = []
    for turn in turns:
        if not turn.is_reply or turn.message.content:
            kept.append(turn)
        elif turn.state is TurnState.FAILED and kept and not kept[-1].is_reply:
            kept.pop()
    return kept

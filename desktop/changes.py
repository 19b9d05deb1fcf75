"""What was just done with the turns of a conversation: a question asked, or some of them deleted."""

from __future__ import annotations

from dataclasses import dataclass

from desktop.conversations import Conversation
from desktop.turns import Turn


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question that was just stored and the empty reply to it."""

    conversation: Conversation
    question: Turn
    reply: Turn


@dataclass(frozen=True, slots=True)
class Deletion:
    """Turns that were deleted together, and the conversation's last turn before and after."""

    turns: tuple[int, ...]
    head_before: int | None
    head_after: int | None

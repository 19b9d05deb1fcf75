"""What is done with the turns of conversations: a question asked, be it the first of one, or some of them deleted."""

from __future__ import annotations

from dataclasses import dataclass, field

from desktop.conversations import Conversation
from desktop.turns import Turn
from desktop.wishes import Wishes


@dataclass(frozen=True, slots=True)
class NewConversation:
    """One that begins with the question that is asked now."""

    title: str
    wishes: Wishes = field(default_factory=Wishes)


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

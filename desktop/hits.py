"""What a search finds."""

from __future__ import annotations

from dataclasses import dataclass

from desktop.conversations import Conversation


@dataclass(frozen=True, slots=True)
class Hit:
    """Where a search found something: in a turn, or, where `turn` is `None`, in the title. `marks` are the begin and
    end of what was found, in `excerpt`."""

    conversation: Conversation
    turn: int | None
    excerpt: str
    marks: tuple[tuple[int, int], ...]

"""What is kept: conversations, as plain values; their turns are in `turns`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import inference
from inference import WindowPolicy

TITLE_LENGTH = 60
YEARS = range(2, 9999)  # of what is kept: without those that some time zone has no room for


class TurnState(StrEnum):
    """How far a turn got."""

    WRITING = "writing"  # a reply that is running in a window now
    COMPLETE = "complete"
    FAILED = "failed"
    INTERRUPTED = "interrupted"  # the program went away while this was being written


class FailureKind(StrEnum):
    """What kept a reply from being made, as far as something can be done about it in place."""

    PROMPT_TOO_LONG = "prompt too long"
    KEY_REFUSED = "key refused"
    SERVER = "server"  # anything else about a server: another try may do
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation as the list shows it; `head` is its last turn, `draft` what was typed and not sent,
    `window_policy` what is done when it no longer fits the context window.

    `folder` is empty outside of all folders. `sampling` is `None` where the model's own defaults hold. A `temporary`
    conversation is written nowhere.
    """

    id: int
    title: str
    created: datetime
    updated: datetime
    head: int | None = None
    draft: str = ""
    window_policy: WindowPolicy = WindowPolicy.STOP
    pinned: bool = False
    folder: str = ""
    system_prompt: str = ""
    sampling: inference.Sampling | None = None
    temporary: bool = False


def whole_characters(text: str) -> str:
    """Half a surrogate pair, as a broken clipboard brings it, can be neither stored nor tokenised."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def title_of(text: str) -> str:
    """What a conversation that begins with this text is called: its first line, cut between two words."""
    line = " ".join(next((line for line in text.splitlines() if line.strip()), "").split())
    if len(line) <= TITLE_LENGTH:
        return line
    # Room for the sign that something was cut; a first word as long as that is cut inside.
    head = line[: TITLE_LENGTH - 1]
    return (head if line[TITLE_LENGTH - 1] == " " else head.rpartition(" ")[0] or head) + "…"

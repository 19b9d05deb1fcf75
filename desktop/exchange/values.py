"""What goes into a file and comes out of one: whole conversations, and counts of what no file could give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import inference
from desktop.conversations import Conversation
from desktop.turns import Turn


class ImportRefused(Exception):
    """A file holds no conversation that can be read; `str()` of it is a sentence for the person."""


class LeftOut(StrEnum):
    """What a conversation of another program had and ours cannot hold."""

    IMAGES = "images"
    AUDIO = "audio"  # sound and video
    FILES = "files"  # attached ones, whose text is not in the file
    TOOLS = "tools"  # what a model asked of a tool, and what that answered
    INSTRUCTIONS = "instructions"  # system messages in mid-conversation, and what a person's profile added
    ROLES = "roles"  # messages of unknown speakers
    UNREADABLE = "unreadable"  # messages that are not what they should be
    TOO_LONG = "too long"  # messages of more than a book
    CONVERSATIONS = "conversations"  # whole ones without a message that could be read


@dataclass(frozen=True, slots=True)
class Tree:
    """A conversation with all of its turns, those on other branches included, a turn never before its parent.

    Where it comes from a file, the ids in it (`Conversation.id` and `.head`, `Turn.id`, `.conversation`, `.parent` and
    `.left_out`) are the file's own: they hold together within this tree, and whoever keeps it gives new ones. No turn
    is being written. `traces` are those of replies, by the turns' ids.
    """

    conversation: Conversation
    turns: tuple[Turn, ...]
    traces: Mapping[int, inference.Trace] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Imported:
    """What a file held; `left_out` counts what was left out, and why."""

    conversations: tuple[Tree, ...]
    left_out: Mapping[LeftOut, int] = field(default_factory=dict)


Entry = Mapping[str, Any]  # a conversation as another program's file has it


def trees_of(
    entries: Iterable[Entry], read: Callable[[int, Entry], Tree | None], left_out: Counter[LeftOut]
) -> tuple[Tree, ...]:
    """What `read` makes of each entry, counted from 1; those it can make nothing of are counted in `left_out`."""
    trees = []
    for number, entry in enumerate(entries, 1):
        tree = read(number, entry)
        if tree is None:
            left_out[LeftOut.CONVERSATIONS] += 1
        else:
            trees.append(tree)
    return tuple(trees)

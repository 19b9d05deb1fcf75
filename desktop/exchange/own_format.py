"""Headwater's own file of conversations: JSON that holds all there is to know of them.

The form is written down in docs/export-format.md.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import inference
from desktop.conversations import Conversation, TurnState
from desktop.exchange.portable import Damaged, from_portable, to_portable
from desktop.exchange.values import Imported, ImportRefused, Tree
from desktop.turns import Turn
from inference import Sentence

FORMAT = "headwater-conversations"
VERSION = 1

_TOKEN_IDS = range(-(2**31), 2**31)
_LONGEST = 1e9  # seconds
_LIKELIEST = 1.001  # a softmax rounds


def to_json(
    conversation: Conversation, turns: Sequence[Turn], traces: Mapping[int, inference.Trace] | None = None
) -> str:
    """One conversation with these turns, which are all of its branches', as a file."""
    return to_json_of((Tree(conversation, tuple(turns), traces or {}),))


def to_json_of(trees: Sequence[Tree]) -> str:
    """Several conversations as one file, a line for each turn."""
    head = f'{{"format": "{FORMAT}", "version": {VERSION}, "conversations": ['
    return head + ",".join("\n" + _conversation_text(tree) for tree in trees) + "\n]}\n"


def is_own(document: object) -> bool:
    """Whether this says that it is such a file."""
    return isinstance(document, dict) and document.get("format") == FORMAT


def from_own(document: Mapping[str, Any], name: str) -> Imported:
    """The conversations in what was read of a file of that name.

    Raises:
        ImportRefused: it is damaged, or of a later version.
    """
    version = document.get("version")
    if isinstance(version, int) and version > VERSION:
        raise ImportRefused(
            Sentence("{name} was written by a newer version of Headwater. Install that version to read it.", name=name)
        )
    try:
        return Imported(tuple(_trees_in(document)))
    except Damaged as error:
        raise ImportRefused(
            Sentence(
                "{name} is damaged: it is not what Headwater writes at {place}. Nothing of it was taken.",
                name=name,
                place=str(error),
            )
        ) from error


def _conversation_text(tree: Tree) -> str:
    there = {turn.id for turn in tree.turns}
    head = tree.conversation.head if tree.conversation.head in there else None
    about = _text(to_portable(replace(tree.conversation, head=head))).removesuffix("}")
    turns = ",".join("\n" + _text(turn) for turn in _turns_of(tree, there))
    return f'{about}, "turns": [{turns}]}}'


def _turns_of(tree: Tree, there: Container[int]) -> Iterator[dict[str, object]]:
    for turn in tree.turns:
        parent = turn.parent if turn.parent in there else None
        left_out = tuple(each for each in turn.left_out if each in there)
        data = to_portable(replace(turn, parent=parent, left_out=left_out))
        assert isinstance(data, dict)  # noqa: S101 - what a record becomes
        data.pop("conversation")  # the one it stands in
        if (trace := tree.traces.get(turn.id)) is not None:
            data["trace"] = to_portable(trace)
        yield data


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _trees_in(document: Mapping[str, Any]) -> Iterator[Tree]:
    if document.get("version") != VERSION:
        raise Damaged("version")
    conversations = document.get("conversations")
    if not isinstance(conversations, list):
        raise Damaged("conversations")
    for number, data in enumerate(conversations):
        yield _tree(data, f"conversations[{number}]")


def _tree(data: object, where: str) -> Tree:
    conversation = replace(from_portable(Conversation, data, where), temporary=False)
    assert isinstance(data, dict)  # noqa: S101 - or it would have been no conversation
    listed = data.get("turns")
    if not isinstance(listed, list):
        raise Damaged(f"{where}.turns")
    turns: dict[int, Turn] = {}
    traces: dict[int, inference.Trace] = {}
    for number, entry in enumerate(listed):
        turn = _turn(entry, conversation, turns, f"{where}.turns[{number}]")
        turns[turn.id] = turn
        if "trace" in entry:
            traces[turn.id] = _trace(entry["trace"], f"{where}.turns[{number}].trace")
    if conversation.head is not None and conversation.head not in turns:
        raise Damaged(f"{where}.head")
    return Tree(conversation, tuple(turns.values()), traces)


def _turn(entry: object, conversation: Conversation, before: Mapping[int, Turn], where: str) -> Turn:
    if not isinstance(entry, dict):
        raise Damaged(where)
    turn = from_portable(Turn, {**entry, "conversation": conversation.id}, where)
    if turn.id in before or (turn.parent is not None and turn.parent not in before):
        raise Damaged(where)
    if any(token not in _TOKEN_IDS for token in turn.message.token_ids):
        raise Damaged(f"{where}.message.token_ids")
    # Nobody is writing it here.
    state = TurnState.INTERRUPTED if turn.state is TurnState.WRITING else turn.state
    return replace(turn, state=state, left_out=tuple(left for left in turn.left_out if left in before))


def _trace(data: object, where: str) -> inference.Trace:
    trace = from_portable(inference.Trace, data, where)
    if any(abs(time) > _LONGEST for time in trace.token_times):
        raise Damaged(f"{where}.token_times")
    if any(not 0 <= each.probability <= _LIKELIEST for place in trace.candidates for each in place):
        raise Damaged(f"{where}.candidates")
    return trace

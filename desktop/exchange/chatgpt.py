"""Conversations as ChatGPT exports them: a tree of nodes each, of which some are messages a person saw."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from desktop.conversations import YEARS, Conversation, title_of
from desktop.exchange.message_lists import MOST_TEXT, text_in, what_is
from desktop.exchange.portable import clean
from desktop.exchange.values import LeftOut, Tree, trees_of
from desktop.turns import Turn
from inference import Message, Role

_SEEN = ("text", "multimodal_text")
_THOUGHTS = "thoughts"
_NOTED = "reasoning_recap"  # "Thought for 3 s", which says nothing of its own
_PROFILE = ("user_editable_context", "model_editable_context")
_TRANSCRIPT = "audio_transcription"
_FIRST_MOMENT = datetime(1970, 1, 1, tzinfo=UTC)
_MOST_THOUGHT = 8 * MOST_TEXT  # characters in a conversation: each reply of many may follow the same long thoughts


def conversations_in(document: object) -> list[Mapping[str, Any]]:
    """The conversations in a document; none where it is something else."""
    entries = document if isinstance(document, list) else [document]
    return [entry for entry in entries if isinstance(entry, dict) and isinstance(entry.get("mapping"), dict)]


def from_chatgpt(entries: Iterable[Mapping[str, Any]], now: datetime, left_out: Counter[LeftOut]) -> tuple[Tree, ...]:
    """These as conversations; what they cannot take along is counted in `left_out`."""
    return trees_of(entries, lambda number, entry: _Reading(number, now, left_out).read(entry), left_out)


@dataclass(frozen=True, slots=True)
class _Thought:
    """What was thought, after what was thought before it: branches share it."""

    text: str
    before: _Thought | None


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the next node of a branch goes: after this turn, and with what was thought meanwhile."""

    turn: int | None = None
    thought: _Thought | None = None


class _Reading:
    """One conversation being read."""

    def __init__(self, number: int, now: datetime, left_out: Counter[LeftOut]) -> None:
        self._number = number
        self._now = now
        self._left_out = left_out
        self._turns: list[Turn] = []
        self._room_for_thoughts = _MOST_THOUGHT

    def read(self, entry: Mapping[str, Any]) -> Tree | None:
        nodes = {name: node for name, node in entry["mapping"].items() if isinstance(node, dict)}
        self._left_out[LeftOut.UNREADABLE] += len(entry["mapping"]) - len(nodes)
        places = self._place_all(nodes)
        if not self._turns:
            return None
        current = entry.get("current_node")
        head = places[current].turn if isinstance(current, str) and current in places else None
        created = _moment(entry.get("create_time"), self._now)
        conversation = Conversation(
            self._number,
            self._title(entry.get("title")),
            created,
            _moment(entry.get("update_time"), created),
            head=self._turns[-1].id if head is None else head,
        )
        return Tree(conversation, tuple(self._turns))

    def _place_all(self, nodes: Mapping[str, Mapping[str, Any]]) -> dict[str, _Place]:
        """Take every node after the one before it; those that only lead to themselves are never reached."""
        after: dict[str | None, list[str]] = {}
        for name, node in nodes.items():
            parent = node.get("parent")
            after.setdefault(parent if isinstance(parent, str) and parent in nodes else None, []).append(name)
        places: dict[str, _Place] = {}
        waiting = deque((name, _Place()) for name in after.get(None, ()))
        while waiting:
            name, before = waiting.popleft()
            places[name] = place = self._take(nodes[name].get("message"), before)
            waiting.extend((child, place) for child in after.get(name, ()))
        self._left_out[LeftOut.UNREADABLE] += len(nodes) - len(places)
        return places

    def _title(self, given: object) -> str:
        said = given if isinstance(given, str) and given.strip() else self._turns[0].message.content
        return title_of(clean(said))

    def _take(self, message: object, before: _Place) -> _Place:
        """Where what follows this message goes."""
        if message is None:  # a root
            return before
        author, content = _part(message, "author"), _part(message, "content")
        if not isinstance(message, dict) or author is None or content is None:
            self._left_out[LeftOut.UNREADABLE] += 1
            return before
        role, kind = author.get("role"), content.get("content_type")
        if role == Role.ASSISTANT and kind == _THOUGHTS:
            thought = _thoughts_in(content).strip()
            return _Place(before.turn, _Thought(thought, before.thought)) if thought else before
        reason = _why_not(message, role, kind, content)
        if reason is not None:
            self._left_out[reason] += 1
        if reason is not None or role not in (Role.USER, Role.ASSISTANT) or kind not in _SEEN:
            return before
        return self._say(Role(str(role)), message, content, before)

    def _say(self, role: Role, message: Mapping[str, Any], content: Mapping[str, Any], before: _Place) -> _Place:
        about = _part(message, "metadata") or {}
        text = text_in([_as_part(part) for part in _list(content.get("parts"))], self._left_out)
        self._left_out[LeftOut.FILES] += sum(map(_is_file, _list(about.get("attachments"))))
        if not text.strip():
            return before
        is_reply = role is Role.ASSISTANT
        model = about.get("model_slug")
        turn = Turn(
            len(self._turns) + 1,
            self._number,
            before.turn,
            Message(role, text, reasoning=self._reasoning(before.thought) if is_reply else ""),
            _moment(message.get("create_time"), self._now),
            model_name=clean(model) if is_reply and isinstance(model, str) else "",
        )
        self._turns.append(turn)
        return _Place(turn.id)

    def _reasoning(self, last: _Thought | None) -> str:
        """All that was thought up to the last of it; nothing where that is more than a book, or there is no room."""
        thoughts: list[str] = []
        length, room = 0, max(0, min(MOST_TEXT, self._room_for_thoughts))
        while last is not None and length <= room:
            thoughts.append(last.text)
            length += len(last.text) + 2
            last = last.before
        self._room_for_thoughts -= length
        if length <= room:
            return "\n\n".join(reversed(thoughts))
        self._left_out[LeftOut.TOO_LONG] += 1
        return ""


def _why_not(message: Mapping[str, Any], role: object, kind: object, content: Mapping[str, Any]) -> LeftOut | None:
    """Why a message is left out; `None` for one that is not, or in which there is nothing to miss."""
    hidden = (_part(message, "metadata") or {}).get("is_visually_hidden_from_conversation") is True
    if kind in _PROFILE:
        return LeftOut.INSTRUCTIONS
    if role == "system" or (hidden and role == Role.USER):
        return LeftOut.INSTRUCTIONS if any(_list(content.get("parts"))) else None
    if role == "tool" or (role == Role.ASSISTANT and message.get("recipient") not in (None, "all")):
        return LeftOut.TOOLS
    if role not in (Role.USER, Role.ASSISTANT):
        return LeftOut.ROLES
    if kind in _SEEN or kind == _NOTED:
        return None
    return LeftOut.TOOLS if kind in ("code", "execution_output") else LeftOut.UNREADABLE


def _as_part(part: object) -> object:
    """A part of a message as message lists have it."""
    if not isinstance(part, dict):
        return part
    kind = part.get("content_type")
    if kind == _TRANSCRIPT:
        return {"type": "text", "text": part.get("text")}
    return {"type": what_is(kind).value}


def _is_file(attachment: object) -> bool:
    """Whether it is one of which nothing is left; pictures stand among the parts, too."""
    kind = attachment.get("mime_type") if isinstance(attachment, dict) else None
    return not (isinstance(kind, str) and kind.startswith("image/"))


def _thoughts_in(content: Mapping[str, Any]) -> str:
    thoughts = (thought for thought in _list(content.get("thoughts")) if isinstance(thought, dict))
    texts = (thought.get("content") or thought.get("summary") for thought in thoughts)
    return "\n\n".join(clean(text) for text in texts if isinstance(text, str))


def _part(message: object, name: str) -> Mapping[str, Any] | None:
    held = message.get(name) if isinstance(message, dict) else None
    return held if isinstance(held, dict) else None


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _moment(seconds: object, otherwise: datetime) -> datetime:
    """A moment in seconds since 1970, if it is one."""
    if not isinstance(seconds, int | float) or isinstance(seconds, bool):
        return otherwise
    try:
        moment = _FIRST_MOMENT + timedelta(seconds=seconds)
    except (OverflowError, ValueError):
        return otherwise
    return moment if moment.year in YEARS else otherwise

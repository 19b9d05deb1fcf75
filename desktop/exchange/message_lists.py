"""Message lists as OpenAI-style programs write them: JSON, or a JSON value on each line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from desktop.conversations import Conversation, title_of
from desktop.exchange.portable import clean
from desktop.exchange.values import LeftOut, Tree, trees_of
from desktop.turns import Turn
from inference import Message, Role

MOST_TEXT = 8_000_000  # characters of one message

_SYSTEM = ("system", "developer")
_TOOLS = ("tool", "function")
_TEXTS = ("text", "input_text", "output_text")
_KINDS_OF_PART = (
    ("image", LeftOut.IMAGES),
    ("audio", LeftOut.AUDIO),
    ("video", LeftOut.AUDIO),
    ("file", LeftOut.FILES),
    ("tool", LeftOut.TOOLS),
)


def lists_in(document: object) -> list[Mapping[str, Any]]:
    """The conversations in a document, each as a mapping with `messages`; none where it is something else."""
    if isinstance(document, dict):
        entry = {"messages": [document]} if _is_message(document) else document
        return [entry] if isinstance(entry.get("messages"), list) else []
    if not isinstance(document, list):
        return []
    if any(map(_is_message, document)):
        return [{"messages": document}]
    nested = [entry if isinstance(entry, dict) else {"messages": entry} for entry in document]
    return [entry for entry in nested if isinstance(entry.get("messages"), list)]


def lists_in_lines(documents: Sequence[object]) -> list[Mapping[str, Any]]:
    """The same of a file with a document on each line: a message each, or a conversation each."""
    messages = [document for document in documents if _is_message(document)]
    if messages:
        return [{"messages": documents}]
    return [entry for document in documents for entry in lists_in(document)]


def from_lists(entries: Iterable[Mapping[str, Any]], now: datetime, left_out: Counter[LeftOut]) -> tuple[Tree, ...]:
    """These as conversations that begin now; what they cannot take along is counted in `left_out`."""
    return trees_of(entries, lambda number, entry: _Reading(number, now, left_out).read(entry), left_out)


def text_in(content: object, left_out: Counter[LeftOut]) -> str:
    """What can be read of a message's content: a text, or a list of parts."""
    if isinstance(content, str):
        return _bounded(clean(content), left_out)
    if content is None:
        return ""
    if not isinstance(content, list):
        left_out[LeftOut.UNREADABLE] += 1
        return ""
    return _bounded("\n\n".join(text for text in _texts_of(content, left_out) if text), left_out)


def what_is(kind: object) -> LeftOut:
    """As what a part of that kind, which cannot be taken along, is counted."""
    words = kind if isinstance(kind, str) else ""
    return next((what for word, what in _KINDS_OF_PART if word in words), LeftOut.UNREADABLE)


class _Reading:
    """One conversation being read."""

    def __init__(self, number: int, now: datetime, left_out: Counter[LeftOut]) -> None:
        self._number = number
        self._now = now
        self._left_out = left_out
        self._instructions: list[str] = []
        self._turns: list[Turn] = []
        self._model = ""

    def read(self, entry: Mapping[str, Any]) -> Tree | None:
        model = entry.get("model")
        self._model = clean(model) if isinstance(model, str) else ""
        for message in entry["messages"]:
            self._take(message)
        if not self._turns:
            return None
        conversation = Conversation(
            self._number,
            self._title(entry.get("title")),
            self._now,
            self._now,
            head=self._turns[-1].id,
            system_prompt=_bounded("\n\n".join(self._instructions), self._left_out),
        )
        return Tree(conversation, tuple(self._turns))

    def _title(self, given: object) -> str:
        said = given if isinstance(given, str) and given.strip() else self._turns[0].message.content
        return title_of(clean(said))

    def _take(self, message: object) -> None:
        if not isinstance(message, dict):
            self._left_out[LeftOut.UNREADABLE] += 1
            return
        role = message.get("role")
        if role in _TOOLS:
            self._left_out[LeftOut.TOOLS] += 1
        elif role in _SYSTEM:
            self._instruct(text_in(message.get("content"), self._left_out))
        elif role in (Role.USER, Role.ASSISTANT):
            self._say(Role(str(role)), message)
        else:
            self._left_out[LeftOut.ROLES] += 1

    def _instruct(self, text: str) -> None:
        """A conversation has one system prompt, which stands at its beginning."""
        if self._turns:
            self._left_out[LeftOut.INSTRUCTIONS] += 1
        elif text:
            self._instructions.append(text)

    def _say(self, role: Role, message: Mapping[str, Any]) -> None:
        calls = message.get("tool_calls") or message.get("function_call")
        self._left_out[LeftOut.TOOLS] += len(calls) if isinstance(calls, list) else bool(calls)
        text = text_in(message.get("content"), self._left_out)
        is_reply = role is Role.ASSISTANT
        thought = text_in(message.get("reasoning_content"), self._left_out) if is_reply else ""
        if not text and not thought:
            return
        parent = self._turns[-1].id if self._turns else None
        said = Message(role, text, reasoning=thought)
        model = self._model if is_reply else ""
        turn = Turn(len(self._turns) + 1, self._number, parent, said, self._now, model_name=model)
        self._turns.append(turn)


def _is_message(entry: object) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get("role"), str) and "messages" not in entry


def _texts_of(parts: Iterable[object], left_out: Counter[LeftOut]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, str):
            yield clean(part)
        elif isinstance(part, dict) and part.get("type") in _TEXTS and isinstance(part.get("text"), str):
            yield clean(part["text"])
        else:
            left_out[what_is(part.get("type") if isinstance(part, dict) else "")] += 1


def _bounded(text: str, left_out: Counter[LeftOut]) -> str:
    if len(text) <= MOST_TEXT:
        return text
    left_out[LeftOut.TOO_LONG] += 1
    return ""

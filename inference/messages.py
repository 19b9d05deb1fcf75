"""What is said: roles and messages.

A message knows nothing of conversations, ids or storage: equal content means equal messages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from inference.errors import InvalidRequest


class Role(StrEnum):
    """Who speaks."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class Message:
    """One thing said. `reasoning` is what an assistant thought before it said `content`.

    `token_ids` is a hint on an assistant's message: the ids it was sampled as. The next prompt reuses them
    instead of cutting the text anew, so that the KV cache still matches. They are no part of what was said
    and do not count when messages are compared.
    """

    role: Role
    content: str
    token_ids: tuple[int, ...] = field(default=(), compare=False, repr=False)
    reasoning: str = ""


def message_from(value: Message | Mapping[str, object]) -> Message:
    """A `Message`, from one or from a mapping as OpenAI-style clients write it: with role, content (a text, or a list
    of text parts), and for an assistant perhaps reasoning_content.

    Raises:
        InvalidRequest: the mapping lacks a known role or a text content.
    """
    if isinstance(value, Message):
        return value
    role = value.get("role")
    if role not in list(Role):
        raise InvalidRequest(f"A message's role is one of {', '.join(Role)}; got {role!r}.")
    reasoning = value.get("reasoning_content")
    return Message(
        Role(str(role)), _text_of(value.get("content")), reasoning="" if reasoning is None else _text_of(reasoning)
    )


def _text_of(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence) and not isinstance(content, bytes):
        return "\n".join(map(_text_of_part, content))
    raise InvalidRequest(f"A message's content is text; got {type(content).__name__}.")


def _text_of_part(part: object) -> str:
    kind, text = (part.get("type"), part.get("text")) if isinstance(part, Mapping) else (type(part).__name__, None)
    if kind != "text" or not isinstance(text, str):
        raise InvalidRequest(f"Only text can be read in a message's content; one part of it is {kind!r}.")
    return text

"""What is said: roles and messages.

A message knows nothing of conversations, ids or storage: equal content means equal messages.
"""

from __future__ import annotations

from collections.abc import Mapping
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
    """One thing said.

    `token_ids` is a hint on an assistant's message: the ids it was sampled as. The next prompt reuses them
    instead of cutting the text anew, so that the KV cache still matches. They are no part of what was said
    and do not count when messages are compared.
    """

    role: Role
    content: str
    token_ids: tuple[int, ...] = field(default=(), compare=False, repr=False)


def message_from(value: Message | Mapping[str, str]) -> Message:
    """A `Message`, from one or from a role/content mapping as OpenAI-style clients write it.

    Raises:
        InvalidRequest: the mapping lacks a known role or a text content.
    """
    if isinstance(value, Message):
        return value
    role, content = value.get("role"), value.get("content")
    if role not in list(Role):
        raise InvalidRequest(f"A message's role is one of {', '.join(Role)}; got {role!r}.")
    if not isinstance(content, str):
        raise InvalidRequest(f"A message's content is text; got {type(content).__name__}.")
    return Message(Role(role), content)

"""The turns of conversations, as plain values, and what a model is asked to read of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import inference
from desktop.conversations import FailureKind, TurnState
from inference import AnyModel, Message, RemoteModel, Role


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a reply failed. Of a prompt that was too long: the tokens it needs, and how many of its messages could be
    left out."""

    kind: FailureKind = FailureKind.OTHER
    needed: int = 0
    droppable: int = 0


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file's text that goes along with a prompt. `size` is the file's, in bytes."""

    name: str
    kind: str  # the file's suffix without its dot, lower case; empty for pasted text
    size: int
    text: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One message in its place in a conversation: a node of an append-only tree, `parent` being the turn before.

    All from `model_name` on belongs to replies. A model on this machine has its `model_path`, one of a server is
    `remote`. `thought_seconds` is how long it wrote its reasoning, `left_out` holds the turns that the window had no
    room for, `error` is the sentence of a failed reply and `failure` what is known of it. `streamed` says whether the
    reply was shown while it was written.

    A `pinned` turn is never left out of the prompt. `edited` says that a person wrote it over: a reply so marked is
    no longer what its model sampled.
    """

    id: int
    conversation: int
    parent: int | None
    message: Message
    created: datetime
    state: TurnState = TurnState.COMPLETE
    model_name: str = ""
    model_path: Path | None = None
    finish_reason: inference.FinishReason | None = None
    usage: inference.Usage | None = None
    timings: inference.Timings | None = None
    streamed: bool | None = None
    error: str = ""
    failure: Failure | None = None
    remote: RemoteModel | None = None
    thought_seconds: float | None = None
    left_out: tuple[int, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    pinned: bool = False
    edited: bool = False

    @property
    def is_reply(self) -> bool:
        return self.message.role is Role.ASSISTANT

    def is_by(self, model: AnyModel) -> bool:
        """Whether this model wrote it."""
        return self.remote == model if isinstance(model, RemoteModel) else self.model_path == model.path


@dataclass(frozen=True, slots=True)
class ReplyOrigin:
    """Where a reply comes from: the model, under the name that it is shown by, and whether the reply is `streamed`."""

    model: AnyModel
    model_name: str
    streamed: bool


@dataclass(frozen=True, slots=True)
class Totals:
    """What a conversation's replies, those on other branches included, have taken so far."""

    input_tokens: int = 0  # cached ones included
    cached_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0


def prompt_text(content: str, attachments: Sequence[Attachment]) -> str:
    """What a model reads of a message with attachments: each file in a fence that nothing in it can close, under its
    name, and then what was typed."""
    return "\n\n".join(part for part in (*map(_as_prompt, attachments), content) if part)


def fenced(text: str, language: str = "") -> str:
    """Text in a Markdown fence that is longer than any in it."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}{'' if text.endswith(chr(10)) else chr(10)}{fence}"


def _as_prompt(attachment: Attachment) -> str:
    language = attachment.kind if re.fullmatch(r"[\w+#.-]{1,20}", attachment.kind) else ""
    # No name begins a line: it might be one that opens a fence itself.
    return f"Attached: {' '.join(attachment.name.split())}\n{fenced(attachment.text, language)}"


def messages_of(turns: Iterable[Turn], model: AnyModel) -> tuple[Message, ...]:
    """What this model is asked to read: these turns, so that user and assistant alternate.

    A reply without a word is left out. If it failed, its question is left out too: no model has read it, and one
    that was too long once would make every later prompt too long. If it was stopped, the question still stands and
    is read together with the next one, in one message, since many chat templates refuse two in a row.

    Reasoning goes along; the model's template decides whether it is read. Token ids mean something to the model that
    sampled them only.
    """
    return tuple(_message_of(spoken, model) for spoken in _spoken_together(turns))


def turns_of_messages(turns: Iterable[Turn]) -> tuple[tuple[int, ...], ...]:
    """The turns that each message of `messages_of` is made of, by their ids."""
    return tuple(tuple(turn.id for turn in spoken) for spoken in _spoken_together(turns))


def _message_of(spoken: Sequence[Turn], model: AnyModel) -> Message:
    first = spoken[0].message
    if len(spoken) > 1 or spoken[0].attachments:
        return Message(first.role, "\n\n".join(prompt_text(turn.message.content, turn.attachments) for turn in spoken))
    if first.token_ids and not spoken[0].is_by(model):
        return replace(first, token_ids=())
    return first


def _spoken_together(turns: Iterable[Turn]) -> list[list[Turn]]:
    """The turns that are worth reading, those of one speaker in a row together."""
    together: list[list[Turn]] = []
    for turn in _worth_reading(turns):
        if together and together[-1][0].message.role is turn.message.role:
            together[-1].append(turn)
        else:
            together.append([turn])
    return together


def _worth_reading(turns: Iterable[Turn]) -> list[Turn]:
    kept: list[Turn] = []
    for turn in turns:
        if not turn.is_reply or turn.message.content:
            kept.append(turn)
        elif turn.state is TurnState.FAILED and kept and not kept[-1].is_reply:
            kept.pop()
    return kept

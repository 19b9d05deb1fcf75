"""What a model is asked: the turns of a conversation as a request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import inference
from desktop.turns import Turn, messages_of, turns_of_messages
from desktop.wishes import Wishes
from inference import AnyModel, Message, RemoteModel, Role


@dataclass(frozen=True, slots=True)
class Asked:
    """A request, and the turns that each of its messages is made of, by their ids."""

    request: inference.GenerationRequest
    turns: tuple[tuple[int, ...], ...]


def states_owner(conversation: int) -> str:
    """Whose the KV states of a conversation are, for the engine."""
    return f"conversation {conversation}"


def messages_for(turns: Iterable[Turn], model: AnyModel, system_prompt: str = "") -> tuple[Message, ...]:
    """What this model is asked to read: the system prompt, where there is one, and these turns."""
    return (*_system(system_prompt), *messages_of(turns, model))


def ask(
    turns: Sequence[Turn],
    model: AnyModel,
    wishes: Wishes,
    *,
    thinking: bool | None = None,
    begun: Turn | None = None,
    is_private: bool = False,
) -> Asked:
    """Ask for the reply to these turns, or for the rest of one that was `begun`. Of a private conversation no KV state
    reaches the disk."""
    messages = messages_for(turns, model, wishes.system_prompt)
    made_of = (((),) if wishes.system_prompt.strip() else ()) + turns_of_messages(turns)
    pinned = frozenset(turn.id for turn in turns if turn.pinned)
    if begun is not None:
        messages = (*messages, _readable_by(begun, model))
        made_of = (*made_of, (begun.id,))
    request = inference.GenerationRequest(
        model,
        messages,
        wishes.sampling or inference.Sampling(),
        thinking=None if isinstance(model, RemoteModel) else thinking,
        window_policy=wishes.window_policy,
        pinned=tuple(index for index, of in enumerate(made_of) if not pinned.isdisjoint(of)),
        continues=begun is not None,
        owner=states_owner(turns[-1].conversation),
        is_private=is_private,
    )
    return Asked(request, made_of)


def _system(prompt: str) -> tuple[Message, ...]:
    return (Message(Role.SYSTEM, prompt),) if prompt.strip() else ()


def _readable_by(reply: Turn, model: AnyModel) -> Message:
    """Token ids mean something to the model that sampled them only."""
    return reply.message if reply.is_by(model) else replace(reply.message, token_ids=())

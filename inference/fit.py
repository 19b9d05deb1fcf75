"""Prompts that fit the context window, by the policy the request asks for.

Nothing is left out silently: what is, is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from inference.configuration import WindowPolicy
from inference.errors import PromptTooLong, TemplateFailed
from inference.messages import Message, Role
from inference.prompt import Prompt, PromptBuilder
from inference.requests import GenerationRequest
from inference.sentences import Sentence

_ROOM = 512  # tokens kept for a reply whose length is open
_STEP = 4  # what is dropped is rounded up to a quarter of the window


@dataclass(frozen=True, slots=True)
class Fitted:
    """A prompt that fits, and the indexes of the request's messages that were left out of it; with them it would have
    needed `needed` tokens."""

    prompt: Prompt
    needed: int
    left_out: tuple[int, ...] = ()


def fit(request: GenerationRequest, prompts: PromptBuilder, context_size: int, more: int = 0) -> Fitted:
    """The prompt of `request`, with room for its reply, and for that many `more` tokens that are no part of it yet.

    Where the oldest turns may be dropped, whole exchanges are: a question with its reply, never a system prompt, a
    pinned turn or the last message. More goes than is needed at once, so that the next turns find the same beginning
    in the KV cache.

    Raises:
        PromptTooLong: it does not fit, or not even without all that may be dropped.
        TemplateFailed: the template refuses these messages, or makes nothing of them.
    """
    whole = prompts.build(request.question, thinking=request.thinking, begun=request.begun)
    if not whole.tokens:
        raise TemplateFailed(Sentence("it renders nothing."))
    needed = len(whole.tokens) + more
    groups = _droppable(request)
    match request.window_policy:
        case WindowPolicy.STOP:
            if needed < context_size:
                return Fitted(whole, needed)
        case WindowPolicy.DROP_OLDEST:
            limit = context_size - _room(request, context_size)
            if needed <= limit:
                return Fitted(whole, needed)
            fitted = _drop(request, prompts, whole, groups, limit, more)
            if len(fitted.prompt.tokens) + more < context_size:
                return fitted
            # All that may go is gone already: what is left is too long by itself.
            raise PromptTooLong(len(fitted.prompt.tokens) + more, context_size)
        case _:
            assert_never(request.window_policy)
    raise PromptTooLong(needed, context_size, sum(map(len, groups)))


def _room(request: GenerationRequest, context_size: int) -> int:
    return min(request.max_tokens or _ROOM, context_size // _STEP)


def _drop(
    request: GenerationRequest,
    prompts: PromptBuilder,
    whole: Prompt,
    groups: Sequence[tuple[int, ...]],
    limit: int,
    more: int,
) -> Fitted:
    """Leave out as many of the oldest `groups` as it takes to come down to `limit` tokens, or all of them."""
    sizes, needed = _sizes(whole), len(whole.tokens) + more
    step = max(1, limit // _STEP)
    wanted = -(-(needed - limit) // step) * step
    freed, dropped = 0, 0
    while dropped < len(groups) and freed < wanted:
        freed += sum(sizes[index] for index in groups[dropped])
        dropped += 1
    while True:
        left_out = tuple(index for group in groups[:dropped] for index in group)
        prompt = _without(request, prompts, frozenset(left_out))
        if len(prompt.tokens) + more <= limit or dropped == len(groups):
            return Fitted(prompt, needed, left_out)
        dropped += 1


def _without(request: GenerationRequest, prompts: PromptBuilder, left_out: frozenset[int]) -> Prompt:
    """The prompt of the messages that stay; its parts name them by their place in the request."""
    stay = [index for index in range(len(request.question)) if index not in left_out]
    question = [request.messages[index] for index in stay]
    prompt = prompts.build(question, thinking=request.thinking, begun=request.begun)
    stay.append(len(request.question))  # where a reply that was begun stands
    return replace(prompt, parts=tuple(replace(part, message=stay[part.message]) for part in prompt.parts))


def _sizes(prompt: Prompt) -> dict[int, int]:
    sizes, begin = {}, 0
    for part in prompt.parts:
        sizes[part.message] = part.end - begin
        begin = part.end
    return sizes


def _droppable(request: GenerationRequest) -> list[tuple[int, ...]]:
    """The exchanges that may be left out, the oldest first, as message indexes."""
    exchanges: list[list[int]] = []
    for index, message in enumerate(request.question[:-1]):
        if message.role is Role.SYSTEM:
            continue
        if not exchanges or _begins_exchange(message, request.messages[exchanges[-1][-1]]):
            exchanges.append([])
        exchanges[-1].append(index)
    pinned = frozenset(request.pinned)
    return [tuple(exchange) for exchange in exchanges if pinned.isdisjoint(exchange)]


def _begins_exchange(message: Message, before: Message) -> bool:
    return message.role is Role.USER and before.role is not Role.USER

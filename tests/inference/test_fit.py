"""A conversation that outgrows the window loses its oldest exchanges, by name, or is refused with both numbers."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.configuration import WindowPolicy
from inference.errors import PromptTooLong, TemplateFailed
from inference.fit import Fitted, fit
from inference.messages import Message, Role
from inference.model import StopFlag
from inference.prompt import PromptBuilder
from inference.requests import GenerationRequest
from tests.fakes import Script, ScriptedModel, config

WINDOW = 1000
SYSTEM = Message(Role.SYSTEM, "S" * 50)


def chat(turns: int, length: int = 60) -> list[Message]:
    said: list[Message] = []
    for turn in range(turns):
        said += [Message(Role.USER, f"q{turn}" * (length // 2)), Message(Role.ASSISTANT, f"a{turn}" * (length // 2))]
    return [SYSTEM, *said, Message(Role.USER, "last")]


def fitted(
    messages: list[Message],
    policy: WindowPolicy = WindowPolicy.DROP_OLDEST,
    pinned: tuple[int, ...] = (),
    max_tokens: int | None = None,
    window: int = WINDOW,
) -> Fitted:
    builder = PromptBuilder(ScriptedModel(Script(), config(), StopFlag()))
    request = GenerationRequest(config(), tuple(messages), window_policy=policy, pinned=pinned, max_tokens=max_tokens)
    return fit(request, builder, window)


def test_what_fits_is_left_whole() -> None:
    assert fitted(chat(2)).left_out == ()


def test_by_default_what_does_not_fit_is_refused_with_both_numbers() -> None:
    with pytest.raises(PromptTooLong) as caught:
        fitted(chat(20), WindowPolicy.STOP)
    assert caught.value.context_size == WINDOW
    assert caught.value.needed > WINDOW
    assert caught.value.droppable == 40


def test_whole_exchanges_go_the_oldest_first() -> None:
    left_out = fitted(chat(8)).left_out
    assert left_out == tuple(range(1, len(left_out) + 1))
    assert len(left_out) % 2 == 0
    assert left_out


def test_the_system_prompt_pinned_turns_and_the_last_message_stay() -> None:
    messages = chat(12)
    result = fitted(messages, pinned=(3,))
    assert {0, 3, 4, len(messages) - 1}.isdisjoint(result.left_out)
    assert 1 in result.left_out
    assert 5 in result.left_out


def test_the_parts_still_name_the_messages_of_the_request() -> None:
    messages = chat(8)
    result = fitted(messages)
    named = [part.message for part in result.prompt.parts]
    assert named == [index for index in range(len(messages)) if index not in result.left_out]


def test_there_is_room_left_for_the_reply() -> None:
    assert len(fitted(chat(8)).prompt.tokens) <= WINDOW * 3 // 4
    assert len(fitted(chat(8), max_tokens=20).prompt.tokens) <= WINDOW - 20


def test_the_next_turns_drop_the_same_and_so_find_the_same_beginning() -> None:
    dropped = [fitted(chat(turns, length=4)).left_out for turns in range(20, 50)]
    changes = sum(before != after for before, after in pairwise(dropped))
    assert dropped[0] != dropped[-1]
    assert changes <= len(dropped) / 2


def test_what_cannot_be_made_to_fit_is_refused() -> None:
    with pytest.raises(PromptTooLong) as caught:
        fitted([*chat(3), Message(Role.ASSISTANT, "a"), Message(Role.USER, "x" * 2 * WINDOW)])
    assert caught.value.droppable == 0, "all that may be left out was left out"
    assert 2 * WINDOW < caught.value.needed < 2 * WINDOW + 150


def test_a_template_that_makes_nothing_of_the_messages_is_said_to() -> None:
    model = ScriptedModel(Script(template="{{ '' }}", beginning=None), config(), StopFlag())
    request = GenerationRequest(config(), (Message(Role.USER, "Hi"),))
    with pytest.raises(TemplateFailed, match="nothing"):
        fit(request, PromptBuilder(model), WINDOW)


@given(
    st.lists(st.integers(0, 300), min_size=1, max_size=12),
    st.sets(st.integers(0, 24), max_size=3),
    st.integers(1, 400),
)
def test_a_fitted_prompt_always_fits_and_names_all_that_is_missing(
    lengths: list[int], pinned: set[int], max_tokens: int
) -> None:
    roles = (Role.USER, Role.ASSISTANT)
    messages = [Message(roles[index % 2], "x" * length) for index, length in enumerate(lengths)]
    if messages[-1].role is not Role.USER:
        messages.append(Message(Role.USER, "last"))
    try:
        result = fitted(messages, pinned=tuple(pinned), max_tokens=max_tokens)
    except PromptTooLong:
        return
    assert len(result.prompt.tokens) < WINDOW
    assert pinned.isdisjoint(result.left_out)
    assert len(messages) - 1 not in result.left_out
    assert {part.message for part in result.prompt.parts} | set(result.left_out) == set(range(len(messages)))

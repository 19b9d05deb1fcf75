"""Turns as a request."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from desktop.asking import ask, messages_for
from desktop.turns import Turn
from desktop.wishes import Wishes
from inference import ModelConfig, RemoteModel, Role, Sampling, WindowPolicy
from inference.messages import Message
from tests.desktop.fakes import MODEL, OTHER_MODEL

CONFIG = ModelConfig(MODEL)
NOW = datetime.now(UTC)


def question(number: int, text: str) -> Turn:
    return Turn(number, 1, number - 1 or None, Message(Role.USER, text), NOW)


def reply(number: int, text: str) -> Turn:
    return Turn(number, 1, number - 1, Message(Role.ASSISTANT, text, (5, 6)), NOW, model_path=MODEL)


TURNS = (question(1, "one"), reply(2, "1"), question(3, "two"))


def test_the_system_prompt_comes_first_and_is_made_of_no_turn():
    asked = ask(TURNS, CONFIG, Wishes(system_prompt="Be short."))
    assert asked.request.messages[0] == Message(Role.SYSTEM, "Be short.")
    assert asked.turns == ((), (1,), (2,), (3,))


def test_a_blank_system_prompt_is_none():
    assert messages_for(TURNS, CONFIG, " \n")[0].role is Role.USER


def test_what_a_conversation_wishes_goes_along():
    wishes = Wishes(sampling=Sampling(temperature=0.2), window_policy=WindowPolicy.DROP_OLDEST)
    request = ask(TURNS, CONFIG, wishes, thinking=True).request
    assert request.sampling == Sampling(temperature=0.2)
    assert request.window_policy is WindowPolicy.DROP_OLDEST
    assert request.thinking is True


def test_no_server_is_told_to_think():
    assert ask(TURNS, RemoteModel("http://127.0.0.1:8080/v1"), Wishes(), thinking=True).request.thinking is None


def test_pinned_turns_are_named_by_the_messages_they_are_part_of():
    turns = (TURNS[0], replace(question(2, "and"), pinned=True), reply(3, "1"), question(4, "two"))
    request = ask(turns, CONFIG, Wishes(system_prompt="Be short.")).request
    assert request.messages[1].content == "one\n\nand"
    assert request.pinned == (1,)


def test_a_reply_that_was_begun_is_the_last_message_with_its_tokens():
    asked = ask(TURNS[:1], CONFIG, Wishes(), begun=TURNS[1])
    assert asked.request.continues
    assert asked.request.begun is not None
    assert asked.request.begun.token_ids == (5, 6)
    assert asked.turns == ((1,), (2,))


def test_another_model_goes_on_from_the_words_alone():
    begun = ask(TURNS[:1], ModelConfig(OTHER_MODEL), Wishes(), begun=TURNS[1]).request.begun
    assert begun is not None
    assert (begun.content, begun.token_ids) == ("1", ())

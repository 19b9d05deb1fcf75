"""What is said compares by what is said."""

from __future__ import annotations

import pytest

from inference.errors import InvalidRequest
from inference.messages import Message, Role, message_from


def test_messages_with_the_same_words_are_equal_whatever_tokens_they_were_sampled_as() -> None:
    assert Message(Role.ASSISTANT, "Hi", (1, 2)) == Message(Role.ASSISTANT, "Hi")
    assert hash(Message(Role.ASSISTANT, "Hi", (1, 2))) == hash(Message(Role.ASSISTANT, "Hi"))


def test_a_mapping_becomes_a_message_and_a_message_stays_itself() -> None:
    message = Message(Role.SYSTEM, "Be short.")
    assert message_from({"role": "system", "content": "Be short."}) == message
    assert message_from(message) is message


@pytest.mark.parametrize("wrong", [{}, {"role": "tool", "content": "x"}, {"role": "user", "content": None}])
def test_a_mapping_that_is_no_message_is_refused_with_a_sentence(wrong: dict[str, str]) -> None:
    with pytest.raises(InvalidRequest, match=r"^A message's .*\.$"):
        message_from(wrong)

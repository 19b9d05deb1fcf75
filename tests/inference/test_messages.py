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


def test_what_was_thought_is_part_of_what_was_said() -> None:
    assert Message(Role.ASSISTANT, "Hi", reasoning="A greeting.") != Message(Role.ASSISTANT, "Hi")
    mapping = {"role": "assistant", "content": "Hi", "reasoning_content": "A greeting."}
    assert message_from(mapping) == Message(Role.ASSISTANT, "Hi", reasoning="A greeting.")
    assert message_from({**mapping, "reasoning_content": None}) == Message(Role.ASSISTANT, "Hi")


def test_text_parts_are_joined_line_by_line() -> None:
    parts = [{"type": "text", "text": "One"}, {"type": "text", "text": "Two"}]
    assert message_from({"role": "user", "content": parts}) == Message(Role.USER, "One\nTwo")


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"role": "tool", "content": "x"},
        {"role": ["user"], "content": "x"},
        {"role": "user", "content": None},
        {"role": "user", "content": b"x"},
        {"role": "user", "content": {"type": "text", "text": "x"}},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:"}}]},
        {"role": "user", "content": [{"type": "text"}]},
        {"role": "user", "content": ["x"]},
        {"role": "assistant", "content": "x", "reasoning_content": 1},
    ],
)
def test_a_mapping_that_is_no_message_is_refused_with_a_sentence(wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidRequest, match=r"^(A message's|Only text can be read) .*\.$"):
        message_from(wrong)

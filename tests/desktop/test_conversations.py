"""What a model is asked to read of a conversation, and what a conversation is called."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from desktop.conversations import TITLE_LENGTH, TurnState, title_of
from desktop.turns import Attachment, Turn, messages_of, prompt_text, turns_of_messages
from inference import Message, ModelConfig, Role

MODEL = Path("models/small.gguf")
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def question(text: str) -> Turn:
    return Turn(0, 1, None, Message(Role.USER, text), NOW)


def reply(text: str, state: TurnState = TurnState.COMPLETE, ids: tuple[int, ...] = ()) -> Turn:
    return Turn(0, 1, None, Message(Role.ASSISTANT, text, ids), NOW, state, model_path=MODEL)


def read(*turns: Turn) -> list[str]:
    return [f"{message.role}: {message.content}" for message in messages_of(turns, ModelConfig(MODEL))]


def test_turns_are_read_in_order():
    assert read(question("one"), reply("1"), question("two")) == ["user: one", "assistant: 1", "user: two"]


def test_half_a_reply_is_read_like_a_whole_one():
    turns = (question("one"), reply("1, 2", TurnState.INTERRUPTED), question("go on"))
    assert read(*turns) == ["user: one", "assistant: 1, 2", "user: go on"]


def test_a_question_stopped_before_the_first_word_is_read_with_the_next():
    assert read(question("one"), reply(""), question("two"), reply("")) == ["user: one\n\ntwo"]


def test_a_question_that_failed_before_the_first_word_is_not_read_again():
    turns = (question("one"), reply("1"), question("far too long"), reply("", TurnState.FAILED), question("short"))
    assert read(*turns) == ["user: one", "assistant: 1", "user: short"]


def test_only_the_failed_question_is_left_out():
    turns = (question("one"), reply(""), question("too long"), reply("", TurnState.FAILED), question("short"))
    assert read(*turns) == ["user: one\n\nshort"]


def test_a_reply_that_failed_half_way_is_read_as_far_as_it_came():
    turns = (question("one"), reply("1, 2", TurnState.FAILED), question("two"))
    assert read(*turns) == ["user: one", "assistant: 1, 2", "user: two"]


def test_token_ids_are_handed_to_the_model_that_sampled_them_only():
    turns = (question("one"), reply("1", ids=(7, 8)), question("two"))
    assert [message.token_ids for message in messages_of(turns, ModelConfig(MODEL))] == [(), (7, 8), ()]
    assert [message.token_ids for message in messages_of(turns, ModelConfig(Path("models/other.gguf")))] == [(), (), ()]


EXCHANGES = st.lists(st.tuples(st.text("ab"), st.sampled_from(TurnState)), max_size=6)


@given(EXCHANGES)
def test_whatever_happened_before_roles_alternate_and_the_question_is_last(exchanges):
    turns = [turn for text, state in exchanges for turn in (question("q"), reply(text, state))]
    messages = messages_of([*turns, question("now")], ModelConfig(MODEL))
    assert [message.role for message in messages] == ([Role.USER, Role.ASSISTANT] * len(messages))[: len(messages)]
    assert messages[-1].role is Role.USER
    assert messages[-1].content.endswith("now")


@given(EXCHANGES)
def test_every_message_is_made_of_turns_that_say_it(exchanges):
    turns = [turn for text, state in exchanges for turn in (question("q"), reply(text, state))]
    turns = [replace(turn, id=number) for number, turn in enumerate([*turns, question("now")], 1)]
    said = {turn.id: turn.message for turn in turns}
    messages, ids = messages_of(turns, ModelConfig(MODEL)), turns_of_messages(turns)
    for message, spoken in zip(messages, ids, strict=True):
        assert message.content == "\n\n".join(said[number].content for number in spoken)
    every = [number for spoken in ids for number in spoken]
    assert every == sorted(set(every))


def test_a_title_is_the_first_line_that_says_something():
    assert title_of("\n  \n  Why do   rivers bend?\nTell me.") == "Why do rivers bend?"


def test_a_long_title_is_cut_between_words():
    title = title_of("Explain the caching of keys and values in transformers to somebody who knows only matrices")
    assert title == "Explain the caching of keys and values in transformers to…"


def test_a_word_without_end_is_cut_inside():
    assert title_of("x" * 200) == "x" * (TITLE_LENGTH - 1) + "…"


@given(st.text())
def test_a_title_is_one_short_line(text):
    title = title_of(text)
    assert len(title) <= TITLE_LENGTH
    assert len(title.splitlines()) <= 1


def test_attached_files_are_read_before_what_was_typed_with_them():
    table = Attachment("bends.csv", "csv", 8, "x,y\n1,2\n")
    pasted = Attachment("Pasted text", "", 5, "words")
    asked = replace(question("What is y?"), attachments=(table, pasted))
    assert read(asked) == [
        "user: Attached: bends.csv\n```csv\nx,y\n1,2\n```\n\nAttached: Pasted text\n```\nwords\n```\n\nWhat is y?"
    ]


def test_a_file_alone_can_be_asked_about():
    assert prompt_text("", (Attachment("a.txt", "txt", 1, "a"),)) == "Attached: a.txt\n```txt\na\n```"


MARKS = st.text(st.sampled_from("`~ \nab:"), max_size=40)


@given(name=MARKS, text=MARKS)
def test_nothing_in_a_file_closes_its_fence(name, text):
    prompt = prompt_text("question", (Attachment(name, "txt", 0, text),))
    fences = [token.content for token in MarkdownIt().parse(prompt) if token.type == "fence"]
    assert fences == [text if text.endswith("\n") else f"{text}\n"]

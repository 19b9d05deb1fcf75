"""Whatever damage did to a value, the row that it is in can be read, and all its other values are as they were."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.conversations import TurnState
from desktop.keepsakes import Preset
from desktop.store import Store
from desktop.store.rows import CONVERSATION, TURN, conversation_from, turn_from
from desktop.turns import Attachment
from inference import FinishReason, Message, Role, Sampling, Trace
from tests.desktop.store.conftest import MODEL, answered, ask

ODD = st.none() | st.integers() | st.floats() | st.text(max_size=40) | st.binary(max_size=40)
ODD_JSON = st.sampled_from(
    ["[]", "{}", "[[1]]", '{"kind": 3}', '{"input_tokens": "many"}', "[[1, 2, 3, 4]]", "9", "[" * 9_000]
)


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """A sound row of each kind, with something in every column."""
    path = tmp_path_factory.mktemp("rows") / "conversations.sqlite3"
    store = Store(path)
    exchange = answered(store, "Why?", "Because.")
    store.set_prompt_and_sampling(exchange.conversation.id, "Be brief.", Sampling(temperature=0.5))
    store.close()
    with closing(sqlite3.connect(path)) as connection:
        conversation = connection.execute(CONVERSATION).fetchone()
        turn = connection.execute(f"{TURN} WHERE role = 'assistant'").fetchone()
    return conversation, turn


@given(st.data())
def test_any_value_of_a_row_may_be_anything(rows, data):
    readers: tuple[Callable[[tuple[Any, ...]], Any], ...] = (conversation_from, turn_from)
    for sound, read in zip(rows, readers, strict=True):
        row = list(sound)
        for place in data.draw(st.sets(st.integers(0, len(row) - 1), max_size=4)):
            row[place] = data.draw(ODD | ODD_JSON)
        value = read(tuple(row))
        assert hash(value) is not None
        for moment in {value.created, getattr(value, "updated", value.created)}:
            assert moment.astimezone() is not None


def test_one_damaged_value_leaves_the_others(rows):
    conversation, turn = rows
    created = 6
    read = turn_from((*turn[:created], "2026-11-30T1;:54", *turn[created + 1 :]))
    assert replace(read, created=turn_from(turn).created) == turn_from(turn)
    title = 1
    assert conversation_from((*conversation[:title], b"Wh\xffy?", *conversation[title + 1 :])).title == "Wh\ufffdy?"


@pytest.mark.parametrize(("state", "meant"), [("com0lete", "complete"), ("fai|ed", "failed"), ("", "writing")])
def test_a_word_that_was_damaged_is_the_closest_one(rows, state, meant):
    _, turn = rows
    assert turn_from((*turn[:7], state, *turn[8:])).state is TurnState(meant)
    assert turn_from((*turn[:3], "asSistant", *turn[4:])).message.role is Role.ASSISTANT


def test_a_letter_that_flipped_is_seen_and_keeps_nobody_from_reading(path):
    store = Store(path)
    answered(store, "Why?", "Because the river bends.")
    store.save_preset(Preset("brief", "Be brief.", Sampling()))
    store.close()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for name, _ in connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("UPDATE turns SET content = CAST(x'52697665f2' AS TEXT), timings = 'x' WHERE id = 2")
        connection.execute("UPDATE traces SET packed = x'00'")
        connection.execute("UPDATE presets SET sampling = '{'")
    store = Store(path)
    (conversation,) = store.conversations()
    turns = store.turns(conversation.head)
    assert [turn.message.content for turn in turns] == ["Why?", "Rive\ufffd"]
    assert turns[1].timings is None
    assert store.trace(2) is None
    assert store.traces(conversation.id) == {}
    assert store.prefill_rate(MODEL) is None
    assert [preset.system_prompt for preset in store.presets()] == ["Be brief."]
    store.close()


def test_a_comparison_whose_date_is_damaged_is_still_listed(path):
    store = Store(path)
    kept = store.keep_comparison("A and B", {"a": 1})
    store.close()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE comparisons SET created = 'x'")
    store = Store(path)
    assert [each.id for each in store.comparisons()] == [kept.id]
    store.close()


def test_what_a_sound_row_holds_is_read_as_it_is(path):
    store = Store(path)
    exchange = ask(store, "Why?")
    reply = replace(
        exchange.reply,
        message=Message(Role.ASSISTANT, "Because."),
        state=TurnState.COMPLETE,
        finish_reason=FinishReason.STOP,
    )
    store.finish(reply, Trace())
    store.set_draft_attachments(None, [Attachment("a.txt", "txt", 3, "abc")])
    assert store.turns(exchange.reply.id)[-1] == reply
    store.close()

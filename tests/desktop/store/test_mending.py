"""Whatever damage did to a value, the row that it is in can be read, and all its other values are as they were."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop import exchange
from desktop.conversations import FailureKind, TurnState
from desktop.keepsakes import Preset
from desktop.store import Store
from desktop.store.rows import CONVERSATION, TURN, conversation_from, turn_from
from desktop.turns import Attachment, Failure
from inference import FinishReason, Message, Role, Sampling, Trace
from tests.deep_types import assert_of_its_types
from tests.desktop.exchanges import answered, ask, ended
from tests.desktop.fakes import MODEL
from tests.odd_values import damaged

ODD = st.none() | st.integers() | st.floats() | st.text(max_size=40) | st.binary(max_size=40)
ODD_PART: st.SearchStrategy[Any] = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | st.just([]) | st.just({})
)
ODD_JSON = st.just("[" * 9_000) | st.recursive(
    ODD_PART, lambda part: st.lists(part, max_size=4) | st.dictionaries(st.text(max_size=9), part, max_size=3)
).map(json.dumps)


SAMPLING = Sampling(temperature=0.5, dry_sequence_breakers=("*", "-"), logit_bias=((5, -1.5),))
FAILURE = Failure(FailureKind.PROMPT_TOO_LONG, 5_000, 2)


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """A sound row of each kind, with something in every column that holds more than one value."""
    path = tmp_path_factory.mktemp("rows") / "conversations.sqlite3"
    store = Store(path)
    exchange = ask(store, "Why?")
    store.set_prompt_and_sampling(exchange.conversation.id, "Be brief.", SAMPLING)
    reply = replace(ended(exchange.reply, "Because."), failure=FAILURE, left_out=(1, 2), thought_seconds=1.5)
    store.finish(reply, None)
    store.close()
    with closing(sqlite3.connect(path)) as connection:
        conversation = connection.execute(CONVERSATION).fetchone()
        turn = connection.execute(f"{TURN} WHERE role = 'assistant'").fetchone()
    (before, after), attached = (turn[:17], turn[19:-1]), '[["notes.txt", "txt", 5, "Notes"], ["b", "", 2, "B"]]'
    return conversation, (*before, "http://127.0.0.1:8080/v1", "small", *after, attached)


@given(st.data())
def test_any_value_of_a_row_may_be_anything(rows, tmp_path_factory, data):
    readers: tuple[Callable[[tuple[Any, ...]], Any], ...] = (conversation_from, turn_from)
    found = []
    for sound, read in zip(rows, readers, strict=True):
        row = list(sound)
        for place in data.draw(st.sets(st.integers(0, len(row) - 1), max_size=4)):
            row[place] = data.draw(ODD | ODD_JSON | _with_parts_changed(row[place]))
        value = read(tuple(row))
        assert_of_its_types(value)
        for moment in {value.created, getattr(value, "updated", value.created)}:
            assert moment.astimezone() is not None
        found.append(value)
    conversation, turn = (replace(value, id=7) for value in found)  # SQLite itself bounds those
    exported = tmp_path_factory.getbasetemp() / "mended.json"
    exported.write_text(exchange.to_json(conversation, (turn,)), encoding="utf-8")
    assert exchange.read(exported).conversations[0].turns[0].message == turn.message


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


def test_attachments_whose_type_was_damaged_are_read_with_the_rest(path):
    store = Store(path)
    conversation = ask(store, "Why?").conversation
    store.close()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("INSERT INTO attachments VALUES (1, 0, 'a.txt', 'txt', 'x', CAST('Notes' AS BLOB))")
    store = Store(path)
    question, _ = store.turns(conversation.head)
    assert question.message.content == "Why?"
    assert question.attachments == (Attachment("a.txt", "txt", 0, "Notes"),)
    store.close()


def _with_parts_changed(sound: Any) -> st.SearchStrategy[object]:
    """JSON that a column could hold after values within it were written over."""
    try:
        found = json.loads(sound)
    except (TypeError, ValueError):
        return st.just(sound)
    return damaged(found).map(json.dumps)

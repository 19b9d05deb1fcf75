"""The tree of turns in the file."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

import pytest

from desktop.changes import NewConversation
from desktop.conversations import TurnState
from desktop.store import Store, StoreError
from desktop.turns import Attachment
from inference import FinishReason, Message, ModelConfig, Role, Trace, Usage
from tests.desktop.exchanges import SMALL, TIMINGS, answered, ended
from tests.desktop.fakes import MODEL

CONFIG = ModelConfig(MODEL)


@pytest.fixture
def talk(store):
    """Two exchanges, one after the other."""
    first = answered(store, "one", "1")
    return first, answered(store, "two rivers that meet", "2", first)


def contents(store: Store, head: int | None) -> list[str]:
    return [turn.message.content for turn in store.turns(head)]


def test_what_follows_each_turn(store, talk):
    first, second = talk
    ids = [first.question.id, first.reply.id, second.question.id, second.reply.id]
    assert store.branches(first.conversation.id) == {
        None: (ids[0],),
        ids[0]: (ids[1],),
        ids[1]: (ids[2],),
        ids[2]: (ids[3],),
    }
    assert store.branches(99) == {}


def test_an_edited_question_stands_beside_the_first_with_its_attachments(store):
    table = Attachment("bends.csv", "csv", 8, "x,y\n")
    asked = store.begin_exchange("What is y?", SMALL, conversation=NewConversation("y"), attachments=(table,))
    edited = store.edit(asked.question, "What is x?")
    assert (edited.message.content, edited.attachments, edited.edited) == ("What is x?", (table,), True)
    assert edited.parent is None
    assert store.conversation(asked.conversation.id).head == edited.id
    assert store.branches(asked.conversation.id)[None] == (asked.question.id, edited.id)


def test_an_edited_reply_has_neither_tokens_nor_figures(store, talk):
    _, second = talk
    edited = store.edit(store.turns(second.reply.id)[-1], "zwei")
    assert (edited.model_name, edited.model_path, edited.state) == ("small", MODEL, TurnState.COMPLETE)
    assert (edited.message.token_ids, edited.usage, edited.timings, edited.finish_reason) == ((), None, None, None)
    assert contents(store, edited.id) == ["one", "1", "two rivers that meet", "zwei"]
    assert store.trace(edited.id) is None


def test_a_reply_that_goes_on_begins_as_the_other_did(store, talk, path):
    _, second = talk
    before = replace(
        store.turns(second.reply.id)[-1],
        message=Message(Role.ASSISTANT, "2", (5, 6), "Well."),
        thought_seconds=1.5,
        finish_reason=FinishReason.CANCELLED,
    )
    store.finish(before, Trace((5, 6), (0.1, 0.2), 2))
    reply = store.begin_continuation(before, SMALL)
    assert reply.state is TurnState.WRITING
    assert (reply.message, reply.message.token_ids, reply.thought_seconds) == (before.message, (5, 6), 1.5)
    assert (reply.usage, reply.finish_reason, store.trace(reply.id)) == (None, None, None)
    store.close()
    again = Store(path)
    left = again.turns(again.conversation(reply.conversation).head)[-1]
    assert (left.state, left.message.content) == (TurnState.INTERRUPTED, "2"), "a crash then costs nothing"
    again.close()


def test_what_is_deleted_is_passed_over_and_what_follows_moves_up(store, talk):
    first, second = talk
    conversation = first.conversation.id
    store.delete_turns(conversation, (first.reply.id,), head=second.reply.id)
    assert contents(store, second.reply.id) == ["one", "two rivers that meet", "2"]
    assert store.branches(conversation)[first.question.id] == (second.question.id,)
    store.restore_turns(conversation, (first.reply.id,), head=second.reply.id)
    assert contents(store, second.reply.id) == ["one", "1", "two rivers that meet", "2"]


def test_a_conversation_may_end_before_its_first_turn(store, talk):
    first, _ = talk
    store.set_head(first.conversation.id, None)
    assert store.turns(store.conversation(first.conversation.id).head) == ()


def test_looking_at_another_branch_does_not_make_a_conversation_newer(store, talk):
    first, _ = talk
    before = store.conversation(first.conversation.id).updated
    store.set_head(first.conversation.id, first.reply.id)
    assert store.conversation(first.conversation.id).updated == before


def test_a_reply_instead_of_another_takes_its_place(store, talk):
    first, _ = talk
    again = store.begin_reply(
        first.question.id, SMALL, conversation=first.conversation.id, instead_of=(first.reply.id,)
    )
    assert contents(store, again.id) == ["one", ""]


def test_a_pin_is_kept(store, talk):
    first, _ = talk
    store.set_turn_pinned(first.question.id, pinned=True)
    assert [turn.pinned for turn in store.turns(first.reply.id)] == [True, False]


def test_totals_count_every_branch_and_what_was_deleted_and_no_waiting(store, talk):
    first, second = talk
    store.delete_turns(first.conversation.id, (second.reply.id,), head=second.question.id)
    totals = store.totals(first.conversation.id)
    assert (totals.input_tokens, totals.cached_tokens, totals.output_tokens) == (240, 40, 42)
    assert totals.seconds == pytest.approx(2 * (TIMINGS.total - TIMINGS.queued))
    assert store.totals(99).input_tokens == 0


def test_what_a_server_did_not_say_counts_for_nothing(store):
    asked = answered(store, "one", "1")
    store.finish(replace(ended(asked.reply, "1"), usage=Usage(120, None, 21)), None)
    assert store.totals(asked.conversation.id).cached_tokens == 0


def test_where_nothing_can_be_written_nothing_is_changed(tmp_path):
    store = Store(tmp_path / "conversations.sqlite3", busy_seconds=0.01)
    asked = answered(store, "one", "1")
    reply = store.turns(asked.reply.id)[-1]
    other = sqlite3.connect(tmp_path / "conversations.sqlite3", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError):
        store.edit(reply, "zwei")
    with pytest.raises(StoreError):
        store.delete_turns(reply.conversation, (reply.id,), head=asked.question.id)
    other.execute("ROLLBACK")
    other.close()
    assert contents(store, store.conversation(reply.conversation).head) == ["one", "1"]
    store.close()


def test_what_was_deleted_long_ago_goes_for_good_and_what_is_seen_stays(store, talk, path):
    first, second = talk
    conversation = first.conversation.id
    store.delete_turns(conversation, (first.reply.id, second.question.id), head=second.reply.id)
    shown = [turn.id for turn in store.turns(second.reply.id)]
    assert store.purge_turns(for_seconds=3600) == ()
    store.restore_turns(conversation, (first.reply.id,), head=second.reply.id)
    store.delete_turns(conversation, (first.reply.id,), head=second.reply.id)
    assert store.purge_turns(for_seconds=0) == (conversation,)
    assert [turn.id for turn in store.turns(second.reply.id)] == shown
    assert store.branches(conversation) == {None: (shown[0],), shown[0]: (shown[1],)}
    store.restore_turns(conversation, (first.reply.id, second.question.id), head=second.reply.id)
    assert contents(store, second.reply.id) == ["one", "2"], "they are gone"
    assert store.trace(first.reply.id) is None
    while store.tidy():
        pass
    store.close()
    assert b"rivers that meet" not in b"".join(file.read_bytes() for file in path.parent.glob("conversations.sqlite3*"))

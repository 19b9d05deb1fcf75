"""Whole conversations: copied, taken from files, and added up, with every branch."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from desktop.conversations import Conversation, TurnState
from desktop.store import Store
from desktop.turns import Attachment, ReplyOrigin, Turn
from inference import Message, RemoteModel, Role, Sampling, Trace, WindowPolicy
from tests.desktop.exchanges import SMALL, answered, ask, ended, saying

MOMENT = datetime(2026, 1, 1, tzinfo=UTC)
TRACE = Trace((5, 7), (0.5, 0.6), 2)


@pytest.fixture
def branched(store):
    """Two replies to the first question, the second of which was gone on from; the other was made last."""
    first = answered(store, "Why?", "Because.")
    other = store.begin_reply(first.question.id, SMALL, conversation=first.conversation.id)
    store.finish(ended(other, "For this."), TRACE)
    after = store.begin_exchange(
        "And?",
        ReplyOrigin(RemoteModel("https://example.org/v1", "big"), "big", streamed=False),
        conversation=first.conversation.id,
        parent=other.id,
        attachments=(Attachment("a.md", "md", 3, "# A"), Attachment("", "", 1, "b")),
    )
    store.finish(replace(ended(after.reply, "So."), left_out=(first.question.id,), thought_seconds=0.5), None)
    return store.conversation(first.conversation.id)


def shape(store: Store, conversation: Conversation) -> list[object]:
    """Everything about the turns but their ids, which are told by place."""
    turns = store.tree(conversation.id)
    place = {turn.id: at for at, turn in enumerate(turns)}
    return [
        replace(
            turn,
            id=place[turn.id],
            conversation=0,
            parent=None if turn.parent is None else place[turn.parent],
            left_out=tuple(place[each] for each in turn.left_out),
        )
        for turn in turns
    ]


def test_all_turns_of_a_conversation_come_each_after_its_parent(store, branched):
    ask(store, "another conversation")
    turns = store.tree(branched.id)
    assert [turn.message.content for turn in turns] == ["Why?", "Because.", "For this.", "And?", "So."]
    there: set[int | None] = {None}
    for turn in turns:
        assert turn.parent in there
        there.add(turn.id)


def test_a_duplicate_is_the_same_in_all_but_its_ids(store, branched):
    store.set_prompt_and_sampling(branched.id, "Be brief.", Sampling(temperature=0.5))
    store.set_window_policy(branched.id, WindowPolicy.DROP_OLDEST)
    store.set_folder([branched.id], "work")
    store.set_pinned(branched.id, pinned=True)
    copy = store.duplicate(branched.id, "Why? (copy)")
    original = store.conversation(branched.id)
    assert copy == replace(
        original,
        id=copy.id,
        title="Why? (copy)",
        head=copy.head,
        created=copy.created,
        updated=copy.updated,
        pinned=False,
    )
    assert shape(store, copy) == shape(store, branched)
    assert store.turns(copy.head)[-1].message == store.turns(branched.head)[-1].message
    assert {turn.id for turn in store.tree(copy.id)}.isdisjoint(turn.id for turn in store.tree(branched.id))
    assert list(store.traces(copy.id).values()) == [TRACE]


def test_what_happens_to_a_duplicate_does_not_happen_to_the_original(store, branched):
    before = store.tree(branched.id)
    store.purge([store.duplicate(branched.id).id])
    assert store.tree(branched.id) == before
    assert store.traces(branched.id) == {before[2].id: TRACE}


def test_a_reply_that_is_being_written_is_cut_off_in_the_duplicate(store):
    exchange = ask(store, "Why?")
    store.checkpoint(saying(exchange.reply, "Be"))
    copy = store.duplicate(exchange.conversation.id)
    reply = store.turns(copy.head)[-1]
    assert (copy.title, reply.message.content, reply.state) == ("Why?", "Be", TurnState.INTERRUPTED)
    assert store.turns(exchange.reply.id)[-1].state is TurnState.WRITING


def test_a_conversation_from_elsewhere_gets_ids_of_our_own(store, branched, tmp_path):
    other = Store(tmp_path / "other.sqlite3")
    ask(other, "so that ids differ")
    taken = other.import_tree(branched, store.tree(branched.id), store.traces(branched.id))
    assert replace(taken, id=0, head=0) == replace(branched, id=0, head=0)
    assert shape(other, taken) == shape(store, branched)
    assert taken.id in {hit.conversation.id for hit in other.search("Because")}
    other.close()


def test_a_head_that_is_not_there_is_none(store):
    conversation = Conversation(9, "t", MOMENT, MOMENT, head=77)
    turn = Turn(1, 9, None, Message(Role.USER, "Hello"), conversation.created, left_out=(77,))
    taken = store.import_tree(conversation, [turn])
    assert taken.head is None
    assert store.tree(taken.id)[0].left_out == ()


def test_a_conversation_that_was_imported_half_is_not_there_at_all(store):
    before = store.conversations()
    conversation = Conversation(9, "t", MOMENT, MOMENT)
    orphan = Turn(2, 9, 1, Message(Role.USER, "Hello"), conversation.created)
    with pytest.raises(KeyError):
        store.import_tree(conversation, [orphan])
    assert store.conversations() == before


def test_what_was_deleted_does_not_come_along(store, branched):
    turns = store.tree(branched.id)
    store.delete_turns(branched.id, [turns[0].id, turns[2].id, turns[4].id], head=turns[4].id)
    copy = store.duplicate(branched.id)
    question, reply = store.tree(copy.id)[1], store.tree(copy.id)[0]
    assert (reply.message.content, reply.parent) == ("Because.", None)
    assert (question.message.content, question.parent, copy.head) == ("And?", None, question.id)
    assert shape(store, copy) == shape(store, branched)

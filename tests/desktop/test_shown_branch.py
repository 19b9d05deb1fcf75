"""The branch that is shown: whatever is done with it, no turn is lost and undo brings back exactly what was."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.changes import NewConversation
from desktop.conversations import TurnState
from desktop.shown_branch import ShownBranch
from desktop.store import Store
from desktop.turns import Turn
from inference import FinishReason, Message, ModelConfig, Role
from tests.desktop.exchanges import SMALL, answered
from tests.desktop.fakes import MODEL

CONFIG = ModelConfig(MODEL)


class Talk:
    """A branch, and what a session does with it."""

    def __init__(self) -> None:
        self.store = Store(None)
        self.branch = ShownBranch(self.store, None)
        self.conversation: int | None = None
        self.said: dict[int, str] = {}  # every turn there ever was

    def ask(self, question: str) -> None:
        conversation = NewConversation("Rivers") if self.conversation is None else self.conversation
        exchange = self.store.begin_exchange(question, SMALL, conversation=conversation, parent=self.branch.head)
        self.conversation = exchange.conversation.id
        self.branch.add(exchange.question)
        self.said[exchange.question.id] = question
        self.write(exchange.reply, f"Answer to {question}")

    def write(self, reply: Turn, text: str) -> None:
        self.branch.add(reply)
        said = Message(Role.ASSISTANT, reply.message.content + text, (*reply.message.token_ids, 1))
        ended = replace(reply, message=said, state=TurnState.COMPLETE, finish_reason=FinishReason.CANCELLED)
        self.store.finish(ended, None)
        self.branch.change(ended)
        self.said[reply.id] = said.content

    def do(self, action: str, place: int) -> None:
        turns = self.branch.turns
        place = place % len(turns) if turns else 0
        match action:
            case "ask":
                self.ask(f"Question {len(self.said)}")
            case "regenerate" if turns and not turns[place].is_reply:
                self.write(self.branch.begin_reply(place, SMALL), f"Other {len(self.said)}")
            case "continue" if turns and turns[-1].is_reply:
                self.write(self.branch.begin_continuation(SMALL), " and more")
            case "edit" if turns:
                edited = self.branch.edit(place, f"Edited {len(self.said)}")
                self.said[edited.id] = edited.message.content
            case "walk" if turns:
                siblings = self.branch.siblings(turns[place].id)
                assert self.branch.show(siblings[siblings.index(turns[place].id) - 1])
            case "delete" if turns:
                self.branch.delete_message(place)
            case "cut" if turns:
                self.branch.delete_from(place)
            case "pin" if turns:
                self.branch.pin(place, pinned=not turns[place].pinned)
            case "undo":
                self.branch.undo()
            case _:
                pass

    def state(self) -> tuple[int | None, tuple[Turn, ...], dict[int | None, tuple[int, ...]]]:
        """All that a person can see, on this branch and by walking."""
        head = None if self.conversation is None else self.store.conversation(self.conversation).head
        tree = {} if self.conversation is None else self.store.branches(self.conversation)
        return head, tuple(self.branch.turns), tree


ACTIONS = st.tuples(
    st.sampled_from(["ask", "ask", "regenerate", "continue", "edit", "walk", "delete", "cut", "pin", "undo"]),
    st.integers(0, 30),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(ACTIONS, max_size=14))
def test_no_turn_is_ever_lost_and_what_is_shown_is_what_is_kept(actions):
    talk = Talk()
    talk.ask("Why?")
    assert talk.conversation is not None
    for action, place in actions:
        talk.do(action, place)
        head, shown, tree = talk.state()
        assert talk.branch.head == head
        assert talk.store.turns(head) == shown, "what is shown is what is kept"
        assert all(turn.id in talk.branch.siblings(turn.id) for turn in shown)
        assert all(turn in talk.said for turns in tree.values() for turn in turns)
    # With every deletion undone, each turn that ever was can be walked to, and says what it said.
    while talk.branch.undo():
        pass
    tree = talk.store.branches(talk.conversation)
    assert {turn for turns in tree.values() for turn in turns} == set(talk.said)
    for turn, text in talk.said.items():
        assert talk.branch.show(turn)
        assert {shown.id: shown.message.content for shown in talk.branch.turns}[turn] == text
    talk.store.close()


@settings(max_examples=100, deadline=None)
@given(st.lists(ACTIONS, max_size=10), st.sampled_from(["delete", "cut"]), st.integers(0, 30))
def test_undo_brings_back_exactly_what_was(actions, deletion, place):
    talk = Talk()
    talk.ask("Why?")
    for action in actions:
        talk.do(*action)
    before = talk.state()
    talk.do(deletion, place)
    if talk.state() != before:
        assert talk.branch.undo()
        assert talk.state() == before
    talk.store.close()


@pytest.fixture
def talk():
    talk = Talk()
    yield talk
    talk.store.close()


def contents(talk: Talk) -> list[str]:
    return [turn.message.content for turn in talk.branch.turns]


def test_a_message_in_the_middle_goes_alone(talk):
    talk.ask("one")
    talk.ask("two")
    assert talk.branch.delete_message(1) == 1
    assert contents(talk) == ["one", "two", "Answer to two"]


def test_where_a_deleted_branch_stood_beside_another_that_is_shown(talk):
    talk.ask("one")
    talk.do("regenerate", 0)
    assert contents(talk) == ["one", "Other 2"]
    assert talk.branch.delete_from(1) == 1
    assert contents(talk) == ["one", "Answer to one"]


def test_all_that_follows_goes_on_every_branch(talk):
    talk.ask("one")
    talk.ask("two")
    talk.do("regenerate", 2)
    assert talk.branch.delete_from(2) == 3
    assert contents(talk) == ["one", "Answer to one"]


def test_a_conversation_may_be_emptied_and_asked_again(talk):
    talk.ask("one")
    talk.branch.delete_from(0)
    assert contents(talk) == []
    assert talk.branch.head is None
    talk.ask("two")
    talk.branch.undo()
    assert contents(talk) == ["two", "Answer to two"], "what was said meanwhile stays in sight"
    assert len(talk.branch.siblings(talk.branch.turns[0].id)) == 2


def test_a_reply_without_a_word_is_no_branch(talk):
    talk.ask("one")
    reply = talk.branch.begin_reply(0, SMALL)
    talk.branch.add(reply)
    stopped = replace(reply, state=TurnState.COMPLETE, finish_reason=FinishReason.CANCELLED)
    talk.store.finish(stopped, None)
    talk.branch.change(stopped)
    talk.do("regenerate", 0)
    assert len(talk.branch.siblings(talk.branch.turns[1].id)) == 2


def test_a_branch_that_was_left_shows_again_what_it_showed(talk):
    talk.ask("one")
    talk.ask("two")
    first = talk.branch.turns[1].id
    talk.do("regenerate", 0)
    talk.branch.show(first)
    assert contents(talk) == ["one", "Answer to one", "two", "Answer to two"]


def test_what_nobody_knows_is_not_shown(talk):
    talk.ask("one")
    assert not talk.branch.show(99)
    assert not talk.branch.undo()


def test_a_long_conversation_is_read_from_its_end_and_whole_when_asked(tmp_path):
    store = Store(tmp_path / "conversations.sqlite3")
    asked = None
    for number in range(60):
        asked = answered(store, f"{number}", "Yes.", asked)
    assert asked is not None
    branch = ShownBranch(store, store.conversation(asked.conversation.id))
    assert 0 < len(branch.latest) < 120
    first = branch.latest[0]
    before = branch.before(first.id, 7)
    assert [turn.id for turn in before] == list(range(first.id - 7, first.id))
    assert branch.before(before[-1].id, 3) == before[-4:-1]
    assert len(branch.turns) == 120
    assert branch.before(branch.turns[0].id, 5) == []
    store.close()

"""What a conversation and a draft will need of the window: asked when typing pauses, and never believed too long."""

from __future__ import annotations

import queue
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

import inference
from desktop.chat_session import ChatSession
from desktop.draft_count import DraftCount, _texts_of
from desktop.model_choice import ModelChoice
from desktop.settings import SettingsFile
from desktop.store import Store
from desktop.turns import Attachment, prompt_text
from desktop.window_use import WindowUse
from desktop.wishes import ReplyChoices
from inference import DropRule, Message, ModelConfig, RemoteModel, Role, TokenCount, WindowPolicy
from tests.desktop.fakes import MODEL, OTHER_MODEL, ScriptedEngine


class ScriptedCounter:
    """Remembers what it was asked; a test says when it answers."""

    def __init__(self) -> None:
        self.asked: list[tuple[ModelConfig, tuple[Message, ...], str]] = []
        self.attached: list[tuple[str, ...]] = []
        self.drops: list[DropRule | None] = []
        self.abouts: list[int] = []
        self.closed = False

    def count(
        self,
        model: ModelConfig,
        messages: Sequence[Message],
        draft: str,
        attachments: Sequence[str] = (),
        drop: DropRule | None = None,
        about: int = 0,
    ) -> None:
        self.asked.append((model, tuple(messages), draft))
        self.attached.append(tuple(attachments))
        self.drops.append(drop)
        self.abouts.append(about)

    def counted(self, conversation: int, draft: int, *facts: Any, ask: int = -1) -> TokenCount:
        """The count of what was asked then."""
        count = TokenCount(self.asked[ask][0], self.asked[ask][2], conversation, draft, *facts)
        return replace(count, about=self.abouts[ask])

    def close(self) -> None:
        self.closed = True


class Desk:
    def __init__(self, folder) -> None:
        self.engine = ScriptedEngine()
        self.models = ModelChoice(self.engine, SettingsFile(folder / "settings.toml"), MODEL)
        self.engine.listeners.append(self.models.on_event)
        self.models.load()
        self.store = Store(folder / "conversations.sqlite3")
        self.counters: list[ScriptedCounter] = []
        self.count = DraftCount(self.make_counter, self.models, pause=0)
        self.shown: list[WindowUse | None] = []
        self.count.changed.connect(self.shown.append)
        self.session = self.new_session()
        self.count.follow(self.session, "")

    def new_session(self) -> ChatSession:
        session = ChatSession(self.store, self.engine, self.models)
        self.engine.listeners.append(session.on_event)
        return session

    def make_counter(self) -> ScriptedCounter:
        self.counters.append(ScriptedCounter())
        return self.counters[-1]

    @property
    def asked(self) -> list[tuple[ModelConfig, tuple[Message, ...], str]]:
        return self.counters[0].asked if self.counters else []

    def answer(self, conversation: int, draft: int, ask: int = -1) -> None:
        self.count.on_counted(self.counters[0].counted(conversation, draft, ask=ask))


@pytest.fixture
def desk(qapp, tmp_path):
    desk = Desk(tmp_path)
    yield desk
    desk.store.close()


def test_nothing_is_counted_before_there_is_anything(desk, qtbot):
    desk.engine.ready()
    qtbot.wait(5)
    assert desk.counters == []
    assert desk.count.use is None


def test_a_draft_is_counted_and_set_against_the_window(desk, qtbot):
    desk.engine.ready()
    desk.count.set_draft("Why do rivers bend?")
    qtbot.waitUntil(lambda: len(desk.asked) == 1)
    desk.answer(12, 6)
    assert desk.count.use == WindowUse(12, 6, 4096)
    assert desk.shown == [WindowUse(12, 6, 4096)]


def test_typing_on_asks_once_for_the_last_of_it(desk, qtbot):
    desk.engine.ready()
    for text in ("W", "Wh", "Why"):
        desk.count.set_draft(text)
    qtbot.waitUntil(lambda: desk.asked != [])
    assert [draft for _, _, draft in desk.asked] == ["Why"]


def test_what_was_said_is_counted_when_a_reply_has_ended(desk, qtbot):
    desk.engine.ready()
    desk.session.send("Why?", ReplyChoices(streaming=True))
    desk.engine.say("Because.")
    assert desk.count.use is None
    desk.engine.finish()
    qtbot.waitUntil(lambda: desk.asked != [])
    assert [message.content for message in desk.asked[-1][1]] == ["Why?", "Because."]
    desk.answer(30, 0)
    assert desk.count.use == WindowUse(30, 0, 4096)


def test_pressing_a_key_hands_on_the_same_messages(desk, qtbot):
    desk.engine.ready()
    desk.session.send("Why?", ReplyChoices(streaming=True))
    desk.engine.say("Because.")
    desk.engine.finish()
    messages = desk.count._messages
    desk.count.set_draft("And")
    assert desk.count._messages is messages


def test_a_count_of_another_conversation_is_not_shown(desk, qtbot):
    desk.engine.ready()
    desk.count.set_draft("Why?")
    qtbot.waitUntil(lambda: desk.asked != [])
    desk.count.follow(desk.new_session(), "Why?")
    desk.answer(12, 6)
    assert desk.count.use is None


def test_another_model_counts_anew(desk, qtbot):
    desk.engine.ready()
    desk.count.set_draft("Why?")
    qtbot.waitUntil(lambda: desk.asked != [])
    desk.answer(12, 6)
    desk.models.choose(OTHER_MODEL)
    assert desk.count.use is None
    desk.engine.ready()
    qtbot.waitUntil(lambda: len(desk.asked) == 2)
    assert desk.asked[-1][0].path == OTHER_MODEL


def test_what_a_server_will_read_is_not_known_here(desk, qtbot):
    desk.engine.ready()
    model = RemoteModel("http://127.0.0.1:8080/v1", "big")
    desk.engine.remote_listeners.append(desk.models.on_event)
    desk.models.choose(model)
    desk.engine.offer(model, context_size=4096)
    desk.count.set_draft("Why?")
    qtbot.wait(5)
    assert desk.asked == []


def test_an_emptied_draft_of_an_empty_conversation_is_blank(desk, qtbot):
    desk.engine.ready()
    desk.count.set_draft("Why?")
    qtbot.waitUntil(lambda: desk.asked != [])
    desk.answer(12, 6)
    desk.count.set_draft("")
    assert desk.count.use is None


TABLE = Attachment("bends.csv", "csv", 8, "x,y\n1,2\n")


def test_files_are_counted_as_they_will_be_read(desk, qtbot):
    desk.engine.ready()
    desk.count.set_attachments((TABLE,))
    qtbot.waitUntil(lambda: desk.asked != [])
    assert desk.counters[0].attached == [("Attached: bends.csv\n```csv\nx,y\n1,2\n```\n\n",)]
    desk.count.on_counted(desk.counters[0].counted(0, 40, (31,), ask=0))
    assert desk.count.use == WindowUse(0, 40, 4096, (31,))
    assert desk.count.use.room == 4056


def test_a_count_without_the_files_that_came_meanwhile_is_not_shown(desk, qtbot):
    desk.engine.ready()
    desk.count.set_draft("Why?")
    qtbot.waitUntil(lambda: desk.asked != [])
    desk.count.set_attachments((TABLE,))
    desk.answer(0, 6)
    assert desk.count.use is None


def test_a_count_of_a_file_in_whose_place_another_came_is_not_shown(desk, qtbot):
    desk.engine.ready()
    desk.count.set_attachments((TABLE,))
    qtbot.waitUntil(lambda: desk.asked != [])
    desk.count.set_attachments((replace(TABLE, name="floods.csv"),))
    desk.count.on_counted(desk.counters[0].counted(0, 40, (31,), ask=0))
    assert desk.count.use is None
    qtbot.waitUntil(lambda: len(desk.asked) == 2)
    desk.count.on_counted(desk.counters[0].counted(0, 42, (33,)))
    assert desk.count.use == WindowUse(0, 42, 4096, (33,))


def test_a_count_of_the_conversation_as_it_was_before_a_turn_is_not_shown(desk, qtbot):
    desk.engine.ready()
    desk.count.set_draft("Why?")
    qtbot.waitUntil(lambda: desk.asked != [])
    desk.session.send("Why?", ReplyChoices(streaming=True))
    desk.engine.say("Because.")
    desk.engine.finish()
    desk.answer(12, 6, ask=0)
    assert desk.count.use is None


def test_without_draft_and_files_nothing_is_counted(desk, qtbot):
    desk.engine.ready()
    desk.count.set_attachments((TABLE,))
    qtbot.waitUntil(lambda: desk.asked != [])
    desk.count.on_counted(desk.counters[0].counted(0, 40, (31,), ask=0))
    desk.count.set_attachments(())
    assert desk.count.use is None


def test_what_the_policy_would_leave_out_is_told_in_turns(desk, qtbot):
    desk.engine.ready()
    desk.session.send("Why?", ReplyChoices(streaming=True))
    desk.engine.say("Because.")
    desk.engine.finish()
    desk.session.set_window_policy(WindowPolicy.DROP_OLDEST)
    _question, reply = desk.session.turns
    desk.session.set_turn_pinned(reply.id, pinned=True)
    desk.count.set_draft("And?")
    qtbot.waitUntil(lambda: any(draft == "And?" for _, _, draft in desk.asked))
    assert desk.counters[0].drops[-1] == DropRule(4096, (1,))
    desk.count.on_counted(desk.counters[0].counted(4000, 6, (), (0, 1)))
    assert desk.count.use == WindowUse(4000, 6, 4096, left_out=2)


def test_a_system_prompt_is_counted_with_the_conversation(desk, qtbot):
    desk.engine.ready()
    desk.count.set_draft("Why?")
    desk.session.set_prompt_and_sampling("Be short.", None)
    qtbot.waitUntil(lambda: desk.asked != [])
    assert desk.asked[-1][1] == (Message(Role.SYSTEM, "Be short."),)


def test_an_unanswered_question_is_counted_with_the_draft_it_will_be_read_with(desk, qtbot):
    desk.engine.ready()
    desk.session.send("Why?", ReplyChoices(streaming=True))
    desk.engine.finish()
    desk.count.set_draft("And?")
    qtbot.waitUntil(lambda: desk.asked != [])
    assert desk.asked[-1][1:] == ((), "Why?\n\nAnd?")


def test_closed_it_counts_no_more(desk, qtbot):
    desk.engine.ready()
    desk.count.set_draft("Why?")
    qtbot.waitUntil(lambda: desk.asked != [])
    desk.count.close()
    desk.count.let_go()
    assert desk.counters[0].closed
    desk.answer(12, 6)
    assert desk.count.use is None


def test_it_fits_while_there_is_room_for_a_token_of_the_reply():
    use = WindowUse(4000, 95, 4096)
    assert use.fits
    assert not replace(use, draft=96).fits


@pytest.mark.model
def test_what_is_counted_of_files_is_what_the_engine_reads():
    path = inference.embedded_model()
    assert path is not None
    counts: queue.Queue[TokenCount] = queue.Queue()
    files = (TABLE, Attachment("notes.md", "md", 40, "# Rivers\n\nWhy do they bend? Water is fast."))
    counter = inference.TokenCounter(counts.put)
    counter.count(ModelConfig(path), (), "What is y?", _texts_of(files))
    count = counts.get(timeout=60)
    counter.close()
    with inference.connect() as client:
        read = client.generate(prompt_text("What is y?", files), max_tokens=1).usage.input_tokens
    assert abs(count.conversation + count.draft - read) <= len(files)

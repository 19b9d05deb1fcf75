"""The list of conversations, which is open, and replies that go on while another one is."""

from __future__ import annotations

import sqlite3

import pytest

from desktop.chat_session import ChatSession
from desktop.conversations import TurnState
from desktop.library import Library
from desktop.model_choice import ModelChoice
from desktop.settings import SettingsFile
from desktop.store import Store
from inference import ModelConfig
from tests.desktop.fakes import MODEL, ScriptedEngine


@pytest.fixture
def path(tmp_path):
    return tmp_path / "conversations.sqlite3"


@pytest.fixture
def store(path):
    store = Store(path, busy_seconds=0.01)
    yield store
    store.close()


@pytest.fixture
def engine():
    return ScriptedEngine()


@pytest.fixture
def library(qapp, store, engine, tmp_path):
    models = ModelChoice(engine, SettingsFile(tmp_path / "settings.toml"), MODEL)
    library = Library(store, engine, models)
    engine.listeners += (models.on_event, library.on_event)
    models.load()
    engine.ready()
    yield library
    del models  # Qt's objects live as long as somebody holds them


@pytest.fixture
def opened(library):
    sessions: list[ChatSession] = []
    library.opened.connect(sessions.append)
    return sessions


def talk(library: Library, engine: ScriptedEngine, question: str, answer: str = "Yes.") -> int:
    """A whole exchange in a new conversation; returns its id."""
    library.new()
    assert library.current.send(question, streaming=True)
    engine.say(answer)
    engine.finish()
    conversation = library.current.conversation
    assert conversation is not None
    return conversation.id


def titles(library: Library) -> list[str]:
    return [conversation.title for conversation in library.conversations()]


def test_the_program_begins_with_an_empty_conversation(library):
    assert library.current.conversation is None
    assert library.current.turns == ()
    assert library.conversations() == ()
    assert library.interrupted == 0


def test_the_list_follows_what_is_asked(library, engine, qtbot):
    with qtbot.waitSignal(library.conversations_changed):
        talk(library, engine, "first")
    talk(library, engine, "second")
    assert titles(library) == ["second", "first"]


def test_an_old_conversation_moves_up_when_it_goes_on(library, engine):
    first = talk(library, engine, "first")
    talk(library, engine, "second")
    library.open(first)
    library.current.send("more", streaming=True)
    assert titles(library) == ["first", "second"]


def test_an_empty_conversation_is_used_before_another_is_made(library, opened):
    empty = library.current
    library.new()
    assert opened == [empty]
    assert library.current is empty


def test_a_conversation_opens_with_what_was_said(library, engine, opened):
    first = talk(library, engine, "first", "the first answer")
    talk(library, engine, "second")
    library.open(first)
    assert opened[-1] is library.current
    assert [turn.message.content for turn in library.current.turns] == ["first", "the first answer"]


def test_a_reply_goes_on_while_another_conversation_is_open(library, engine, store):
    library.current.send("long", streaming=True)
    running = library.current
    engine.say("a")
    library.new()
    library.current.send("short", streaming=True)
    engine.say("b", request=engine.requests[0].id)
    engine.say("x", request=engine.requests[1].id)
    assert [turn.message.content for turn in running.turns] == ["long", "ab"]
    assert [turn.message.content for turn in library.current.turns] == ["short", "x"]

    assert running.conversation is not None
    library.open(running.conversation.id)
    assert library.current is running
    assert library.current.is_busy
    library.new()
    engine.finish(request=engine.requests[0].id)
    turns = store.turns(store.conversation(running.conversation.id).head)
    assert (turns[-1].message.content, turns[-1].state) == ("ab", TurnState.COMPLETE)


def test_a_session_with_nothing_left_to_do_is_let_go_of(library, engine, qapp):
    gone = []
    library.current.send("long", streaming=True)
    library.current.destroyed.connect(lambda: gone.append("long"))
    library.new()
    assert len(library.findChildren(ChatSession)) == 2
    engine.finish()
    qapp.sendPostedEvents(None, 52)  # deferred deletion, which pytest runs outside an event loop
    assert gone == ["long"]
    assert len(library.findChildren(ChatSession)) == 1


def test_what_is_typed_is_kept_when_another_conversation_is_opened(library, engine):
    first = talk(library, engine, "first")
    library.current.set_draft("half a thought")
    library.new()
    library.current.set_draft("something new")
    library.open(first)
    assert library.current.draft == "half a thought"
    library.new()
    assert library.current.draft == "something new"


def test_a_conversation_that_is_gone_is_said_so_and_the_open_one_stays(library, qtbot):
    current = library.current
    with qtbot.waitSignal(library.failed) as failure:
        library.open(99)
    assert "no longer there" in failure.args[0]
    assert library.current is current


def test_a_list_that_cannot_be_read_stays_as_it_was(library, engine, path, qtbot):
    talk(library, engine, "first")
    assert titles(library) == ["first"]
    with sqlite3.connect(path) as other:
        other.execute("PRAGMA writable_schema = ON")
        other.execute("UPDATE sqlite_master SET rootpage = 9999 WHERE name = 'conversations'")
        other.execute("PRAGMA schema_version = 1000")  # so that open connections look again
    other.close()
    with qtbot.waitSignal(library.failed) as failure:
        assert titles(library) == ["first"]
    assert "damaged" in failure.args[0]


def test_replies_cut_off_before_are_counted(qapp, path, engine, tmp_path):
    before = Store(path)
    before.begin_exchange(
        "Why?",
        conversation=None,
        parent=None,
        title="Why?",
        model_name="small",
        model=ModelConfig(MODEL),
        streamed=True,
    )
    before.close()
    store = Store(path)
    models = ModelChoice(engine, SettingsFile(tmp_path / "settings.toml"), MODEL)
    library = Library(store, engine, models)
    assert library.interrupted == 1
    assert titles(library) == ["Why?"]
    store.close()


# What could not be stored, and what others stored.


@pytest.mark.parametrize("begun", [False, True])
def test_no_draft_is_lost_while_another_conversation_is_open(library, engine, store, path, begun):
    elsewhere = talk(library, engine, "first")
    if begun:
        place: int | None = talk(library, engine, "second")
    else:
        place = None
        library.new()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    library.current.set_draft("half a thought")
    library.open(elsewhere)
    assert library.current.draft == ""
    if place is None:
        library.new()
    else:
        library.open(place)
    assert library.current.draft == "half a thought"
    other.close()
    library.flush()
    kept = store.new_draft if place is None else store.conversation(place).draft
    assert kept == "half a thought"


def test_what_another_window_added_is_there_when_a_conversation_is_opened_again(library, engine, path):
    first = talk(library, engine, "first")
    said: list[str] = []
    library.current.failed.connect(said.append)
    other = Store(path)
    exchange = other.begin_exchange(
        "from elsewhere",
        conversation=first,
        parent=library.current.turns[-1].id,
        title="",
        model_name="small",
        model=ModelConfig(MODEL),
        streamed=True,
    )
    library.current.set_draft("and from here")
    assert not library.current.send("and from here", streaming=True)
    assert "went on in another window" in said[0]
    library.open(first)
    assert library.current.turns[-1].id == exchange.reply.id
    assert library.current.draft == "and from here"
    other.close()

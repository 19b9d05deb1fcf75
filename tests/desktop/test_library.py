"""The list of conversations, which is open, and replies that go on while another one is."""

from __future__ import annotations

import sqlite3

import pytest
from PySide6.QtCore import QCoreApplication, QEvent

from desktop.chat_session import ChatSession
from desktop.conversations import Conversation, TurnState
from desktop.library import FileFormat, Library
from desktop.model_choice import ModelChoice
from desktop.settings import SettingsFile
from desktop.store import Store
from desktop.wishes import ReplyChoices
from tests.desktop.exchanges import SMALL, ask
from tests.desktop.fakes import MODEL, ScriptedEngine


@pytest.fixture
def library(qapp, store, engine, tmp_path):
    models = ModelChoice(engine, SettingsFile(tmp_path / "settings.toml"), MODEL)
    library = Library(store, engine, models)
    engine.listeners += (models.on_event, library.on_event)
    models.load()
    engine.ready()
    yield library
    library.close()
    library.deleteLater()
    # With its sessions and their timers, before the store is closed.
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    del models  # Qt's objects live as long as somebody holds them


@pytest.fixture
def opened(library):
    sessions: list[ChatSession] = []
    library.opened.connect(sessions.append)
    return sessions


def talk(library: Library, engine: ScriptedEngine, question: str, answer: str = "Yes.") -> int:
    """A whole exchange in a new conversation; returns its id."""
    library.new()
    assert library.current.send(question, ReplyChoices(streaming=True))
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
    library.current.send("more", ReplyChoices(streaming=True))
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
    library.current.send("long", ReplyChoices(streaming=True))
    running = library.current
    engine.say("a")
    library.new()
    library.current.send("short", ReplyChoices(streaming=True))
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
    library.current.send("long", ReplyChoices(streaming=True))
    library.current.destroyed.connect(lambda: gone.append("long"))
    library.new()
    assert len(library.findChildren(ChatSession)) == 2
    engine.finish()
    qapp.sendPostedEvents(None, 52)  # deferred deletion, which pytest runs outside an event loop
    assert gone == ["long"]
    assert len(library.findChildren(ChatSession)) == 1


def test_what_is_typed_is_kept_when_another_conversation_is_opened(library, engine):
    first = talk(library, engine, "first")
    library.current.draft.set_text("half a thought")
    library.new()
    library.current.draft.set_text("something new")
    library.open(first)
    assert library.current.draft.text == "half a thought"
    library.new()
    assert library.current.draft.text == "something new"


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
    ask(before)
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
    library.current.draft.set_text("half a thought")
    library.open(elsewhere)
    assert library.current.draft.text == ""
    if place is None:
        library.new()
    else:
        library.open(place)
    assert library.current.draft.text == "half a thought"
    other.close()
    library.flush()
    kept = store.new_draft if place is None else store.conversation(place).draft
    assert kept == "half a thought"


def test_what_another_window_added_is_there_when_a_conversation_is_opened_again(library, engine, path):
    first = talk(library, engine, "first")
    said: list[str] = []
    library.current.outdated.connect(said.append)
    other = Store(path)
    head = library.current.turns[-1].id
    exchange = other.begin_exchange("from elsewhere", SMALL, conversation=first, parent=head)
    library.current.draft.set_text("and from here")
    assert not library.current.send("and from here", ReplyChoices(streaming=True))
    assert "went on in another window" in said[0]
    library.open(first)
    assert library.current.turns[-1].id == exchange.reply.id
    assert library.current.draft.text == "and from here"
    other.close()


# What is done with conversations.


@pytest.fixture
def sentences(library):
    said: list[str] = []
    library.failed.connect(said.append)
    return said


def test_a_conversation_that_is_open_learns_its_new_title(library, engine):
    number = talk(library, engine, "one")
    shown: list[str] = []
    library.current.title_changed.connect(shown.append)
    library.rename(number, "  On\nrivers ")
    library.rename(number, " ")
    assert shown == ["On rivers"]
    assert titles(library) == ["On rivers"]
    assert library.current.conversation.title == "On rivers"


def test_conversations_are_pinned_and_put_into_folders(library, engine):
    one, two = talk(library, engine, "one"), talk(library, engine, "two")
    library.set_pinned([one], pinned=True)
    library.move_to_folder([one, two], " At  work ")
    assert [(each.title, each.pinned, each.folder) for each in library.conversations()] == [
        ("two", False, "At work"),
        ("one", True, "At work"),
    ]
    assert library.folders() == ("At work",)
    library.move_to_folder([one, two], "")
    assert library.folders() == ()


def test_a_duplicate_is_opened(library, engine, opened):
    number = talk(library, engine, "one", "Because.")
    copy = library.duplicate(number)
    assert copy is not None
    assert copy.title == "one (copy)"
    assert [turn.message.content for turn in opened[-1].turns] == ["one", "Because."]
    assert opened[-1].conversation == copy
    assert titles(library) == ["one (copy)", "one"]


def test_words_are_found_in_every_conversation(library, engine):
    talk(library, engine, "one", "about meanders")
    talk(library, engine, "two", "about deltas")
    assert [hit.conversation.title for hit in library.search("meander")] == ["one"]
    assert library.search("") == ()


def test_what_was_deleted_is_out_of_sight_and_comes_back(library, engine, opened):
    one, two = talk(library, engine, "one"), talk(library, engine, "two")
    gone: list[tuple[Conversation, ...]] = []
    library.deleted.connect(gone.append)
    library.delete([one, two])
    assert [[each.id for each in some] for some in gone] == [[two, one]]
    assert titles(library) == []
    assert library.current.conversation is None
    assert library.can_undo_delete
    library.undo_delete()
    assert titles(library) == ["two", "one"]
    assert not library.can_undo_delete
    library.undo_delete()
    assert titles(library) == ["two", "one"]


def test_a_single_conversation_is_open_again_when_it_comes_back(library, engine):
    number = talk(library, engine, "one", "Because.")
    library.delete([number])
    library.undo_delete()
    assert library.current.conversation.id == number
    assert [turn.message.content for turn in library.current.turns] == ["one", "Because."]


def test_deletions_are_undone_one_by_one_the_last_first(library, engine):
    one, two = talk(library, engine, "one"), talk(library, engine, "two")
    library.delete([one])
    library.delete([two])
    library.undo_delete()
    assert titles(library) == ["two"]
    library.undo_delete()
    assert titles(library) == ["two", "one"]


def test_the_reply_of_a_deleted_conversation_is_stopped(library, engine):
    library.new()
    library.current.send("one", ReplyChoices(streaming=True))
    engine.say("Be")
    library.delete([library.current.conversation.id])
    assert engine.cancelled == [engine.last]
    engine.finish()
    library.undo_delete()
    assert library.current.turns[-1].message.content == "Be"


def test_what_was_deleted_for_good_is_gone(library, engine, store):
    one, two = talk(library, engine, "one"), talk(library, engine, "two")
    library.delete([one])
    library.finish_deleting()
    library.undo_delete()
    assert titles(library) == ["two"]
    assert store.purged() == (one,)
    assert engine.forgotten == [request.owner for request in engine.requests[:1]]
    assert library.current.conversation.id == two


def test_states_of_what_another_window_purged_are_forgotten_with_the_next_start(library, engine, store):
    number = talk(library, engine, "one")
    store.purge([number])
    for piece in library.put_off():
        piece()
    assert engine.forgotten == [engine.requests[0].owner]
    assert not engine.requests[0].is_private


def test_a_reply_that_ends_when_its_conversation_is_gone_for_good_disturbs_nobody(library, engine, sentences):
    library.new()
    library.current.send("one", ReplyChoices(streaming=True))
    library.delete([library.current.conversation.id])
    library.finish_deleting()
    engine.say("Be")
    engine.finish()
    assert titles(library) == []
    assert sentences == []


def test_what_a_program_that_was_killed_had_deleted_is_purged_later(library, engine, store, path):
    number = talk(library, engine, "one")
    store.delete([number])
    other = sqlite3.connect(path)
    other.execute("UPDATE conversations SET deleted = '2026-01-01T00:00:00.000000+00:00'")
    other.commit()
    other.close()
    for piece in library.put_off():
        piece()
    assert store.purged() == (number,)


def test_what_another_window_deleted_just_now_is_left_to_it(library, engine, store):
    number = talk(library, engine, "one")
    store.delete([number])
    for piece in library.put_off():
        piece()
    assert store.purged() == ()


def test_what_cannot_be_done_is_said_and_nothing_is_changed(library, engine, path, sentences):
    number = talk(library, engine, "one")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    library.rename(number, "two")
    library.delete([number])
    other.execute("ROLLBACK")
    other.close()
    assert len(sentences) == 2
    assert titles(library) == ["one"]
    assert not library.can_undo_delete


def test_what_another_window_did_is_seen_with_the_next_look(library, engine, path):
    number = talk(library, engine, "one")
    other = Store(path)
    other.rename(number, "renamed elsewhere")
    assert titles(library) == ["renamed elsewhere"]
    other.close()


# Temporary conversations.


def test_a_temporary_conversation_is_like_any_other_but_nowhere_on_disk(library, engine, store, tmp_path):
    library.new(temporary=True)
    assert library.current.is_temporary
    library.current.draft.set_text("Zwergping")
    library.current.send("Zwergpinguin", ReplyChoices(streaming=True))
    assert engine.requests[-1].is_private
    engine.say("Flusskrebs")
    library.current.flush()
    library.new()
    engine.finish()
    (conversation,) = library.conversations()
    assert (conversation.title, conversation.temporary) == ("Zwergpinguin", True)
    library.open(conversation.id)
    assert [turn.message.content for turn in library.current.turns] == ["Zwergpinguin", "Flusskrebs"]
    assert [hit.conversation for hit in library.search("flusskrebs")] == [conversation]
    library.rename(conversation.id, "Quittenmus")
    copy = library.duplicate(conversation.id)
    assert copy is not None
    assert copy.temporary
    library.delete([copy.id])
    library.undo_delete()
    library.delete([copy.id])
    library.finish_deleting()
    assert titles(library) == ["Quittenmus"]
    assert store.conversations() == ()
    content = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()).lower()
    assert not any(word in content for word in (b"zwergping", b"flusskrebs", b"quittenmus"))
    library.close()


def test_an_empty_conversation_is_temporary_only_if_that_was_wanted(library, opened):
    library.new()
    library.new(temporary=True)
    library.new(temporary=True)
    library.new()
    assert [session.is_temporary for session in opened] == [False, True, True, False]
    assert opened[1] is opened[2]


# Files.


def test_what_was_exported_is_imported_as_it_was(library, engine, tmp_path, qtbot):
    one, two = talk(library, engine, "one", "Because."), talk(library, engine, "two", "So.")
    assert library.export([one, two], tmp_path / "all.json", FileFormat.JSON)
    library.delete([one, two])
    with qtbot.waitSignal(library.imported) as ended:
        library.import_file(tmp_path / "all.json")
    (report,) = ended.args
    assert (len(report.conversations), report.messages, dict(report.left_out)) == (2, 4, {})
    assert sorted(titles(library)) == ["one", "two"]
    library.open(report.conversations[0])
    assert len(library.current.turns) == 2


def test_conversations_are_written_as_markdown(library, engine, tmp_path):
    one, two = talk(library, engine, "one", "Because."), talk(library, engine, "two", "So.")
    assert library.export([one, two], tmp_path / "all.md", FileFormat.MARKDOWN)
    text = (tmp_path / "all.md").read_text(encoding="utf-8")
    assert text.index("# one") < text.index("Because.") < text.index("# two") < text.index("So.")


def test_a_file_that_is_no_conversation_is_refused_in_words(library, tmp_path, sentences):
    (tmp_path / "x.json").write_text("what is this?")
    library.import_file(tmp_path / "x.json")
    assert len(sentences) == 1
    assert "x.json" in sentences[0]


def test_a_file_that_cannot_be_written_is_said_and_the_one_before_stays(library, engine, tmp_path, sentences):
    number = talk(library, engine, "one")
    (tmp_path / "folder").mkdir()
    assert not library.export([number], tmp_path / "folder", FileFormat.JSON)
    assert not library.export([number], tmp_path / "nowhere" / "x.json", FileFormat.JSON)
    assert len(sentences) == 2
    assert all("cannot be written" in sentence for sentence in sentences)
    assert [path.name for path in tmp_path.glob(".*")] == []

"""Files wait in their own conversation until they are sent; what has no text is refused in words."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import pytest

from desktop.chat_session import ChatSession
from desktop.draft_attachments import MOST_FILES, DraftAttachments
from desktop.file_reader import FileRead
from desktop.model_choice import ModelChoice
from desktop.settings import SettingsFile
from desktop.store import Store
from desktop.turns import Attachment
from desktop.wishes import ReplyChoices
from tests.desktop.fakes import MODEL, ScriptedEngine

TABLE = Attachment("bends.csv", "csv", 8, "x,y\n1,2\n")
NOTES = Attachment("notes.md", "md", 5, "words")


class ScriptedReader:
    """Remembers what it was asked; a test says what becomes of it."""

    def __init__(self) -> None:
        self.asked: dict[str, int] = {}
        self.dropped: list[int] = []
        self.closed = False

    def read(self, ticket: int, path: Path) -> None:
        self.asked[path.name] = ticket

    def drop(self, ticket: int) -> None:
        self.dropped.append(ticket)

    def close(self) -> None:
        self.closed = True


class Desk:
    def __init__(self, folder: Path) -> None:
        self.engine = ScriptedEngine()
        self.models = ModelChoice(self.engine, SettingsFile(folder / "settings.toml"), MODEL)
        self.engine.listeners.append(self.models.on_event)
        self.models.load()
        self.engine.ready()
        self.store = Store(folder / "conversations.sqlite3")
        self.readers: list[ScriptedReader] = []
        self.drafts = self.begin()
        self.refusals: list[str] = []
        self.drafts.refused.connect(self.refusals.append)
        self.session = self.new_session()
        self.drafts.follow(self.session)

    def begin(self) -> DraftAttachments:
        return DraftAttachments(self.make_reader)

    def make_reader(self) -> ScriptedReader:
        self.readers.append(ScriptedReader())
        return self.readers[-1]

    def new_session(self, conversation: int | None = None) -> ChatSession:
        kept = None if conversation is None else self.store.conversation(conversation)
        session = ChatSession(self.store, self.engine, self.models, kept)
        self.engine.listeners.append(session.on_event)
        return session

    def was_read(self, attachment: Attachment) -> None:
        self.drafts.on_read(FileRead(self.readers[0].asked[attachment.name], attachment))

    def was_refused(self, name: str, why: str) -> None:
        self.drafts.on_read(FileRead(self.readers[0].asked[name], None, why))

    @property
    def names(self) -> list[str]:
        return [file.name for file in self.drafts.files]


@pytest.fixture
def desk(qapp, tmp_path):
    desk = Desk(tmp_path)
    yield desk
    desk.store.close()


def test_files_are_there_at_once_and_ready_when_they_are_read(desk):
    desk.drafts.add_files([Path("bends.csv"), Path("notes.md")])
    assert desk.names == ["bends.csv", "notes.md"]
    assert desk.drafts.are_being_read
    desk.was_read(NOTES)
    assert desk.drafts.attachments == (NOTES,)
    desk.was_read(TABLE)
    assert desk.drafts.attachments == (TABLE, NOTES)
    assert not desk.drafts.are_being_read


def test_nothing_is_begun_before_there_is_a_file(desk):
    desk.drafts.add(NOTES)
    assert desk.readers == []
    assert desk.drafts.attachments == (NOTES,)


def test_what_is_refused_is_said_in_its_own_conversation_once_that_is_shown(desk):
    desk.session.send("Why?", ReplyChoices(streaming=True))
    desk.engine.finish()
    desk.drafts.forget()
    kept = desk.session.conversation.id
    desk.drafts.add_files([Path("a.png"), Path("b.png")])
    desk.drafts.follow(desk.new_session())
    desk.was_refused("a.png", "a.png is a picture.")
    desk.was_refused("b.png", "b.png is a picture.")
    desk.drafts.follow(desk.new_session())
    assert desk.refusals == []
    desk.drafts.follow(desk.new_session(kept))
    assert desk.refusals == ["a.png is a picture.\nb.png is a picture."]
    desk.drafts.follow(desk.new_session(kept))
    assert len(desk.refusals) == 1


def test_what_is_refused_is_gone_and_said_once_all_are_read(desk):
    desk.drafts.add_files([Path("a.png"), Path("bends.csv"), Path("b.png")])
    desk.was_refused("a.png", "a.png is a picture.")
    desk.was_refused("b.png", "b.png is a picture.")
    assert desk.refusals == []
    desk.was_read(TABLE)
    assert desk.refusals == ["a.png is a picture.\nb.png is a picture."]
    assert desk.names == ["bends.csv"]


def test_one_that_is_removed_is_not_waited_for(desk):
    desk.drafts.add_files([Path("bends.csv")])
    desk.drafts.remove(desk.drafts.files[0].key)
    assert desk.names == []
    assert desk.readers[0].dropped == list(desk.readers[0].asked.values())
    desk.was_read(TABLE)
    assert desk.names == []


def test_files_wait_in_their_conversation(desk):
    desk.session.send("Why?", ReplyChoices(streaming=True))
    desk.drafts.forget()
    desk.engine.finish()
    desk.drafts.add(TABLE)
    new = desk.new_session()
    desk.drafts.follow(new)
    assert desk.names == []
    desk.drafts.add(NOTES)
    assert desk.session.conversation is not None
    desk.drafts.follow(desk.new_session(desk.session.conversation.id))
    assert desk.names == ["bends.csv"]
    desk.drafts.follow(desk.new_session())
    assert desk.names == ["notes.md"]


def test_one_that_is_read_after_the_switch_is_there_on_return(desk):
    desk.session.send("Why?", ReplyChoices(streaming=True))
    desk.drafts.forget()
    desk.drafts.add_files([Path("bends.csv")])
    desk.drafts.follow(desk.new_session())
    desk.was_read(TABLE)
    assert desk.names == []
    desk.drafts.follow(desk.session)
    assert desk.drafts.attachments == (TABLE,)


def test_no_session_is_held_that_was_left_with_nothing_to_be_read(desk):
    left = weakref.ref(desk.session)
    desk.engine.listeners.pop()
    desk.session = desk.new_session()
    desk.drafts.follow(desk.session)
    gc.collect()
    assert left() is None


def test_they_survive_the_end_of_the_program(desk):
    desk.drafts.add(TABLE)
    later = desk.begin()
    later.follow(desk.new_session())
    assert later.attachments == (TABLE,)


def test_what_was_sent_is_no_draft_any_more_even_after_the_program(desk):
    desk.drafts.add(TABLE)
    assert desk.session.send("Why?", ReplyChoices(streaming=True), attachments=desk.drafts.attachments)
    desk.drafts.forget()
    assert desk.names == []
    assert desk.session.turns[0].attachments == (TABLE,)
    desk.drafts.add(NOTES)
    assert desk.session.draft.attachments == (NOTES,)
    later = desk.begin()
    later.follow(desk.new_session())
    assert later.attachments == ()


def test_there_is_a_most(desk):
    desk.drafts.add_files([Path(f"{n}.txt") for n in range(MOST_FILES + 3)])
    assert len(desk.names) == MOST_FILES
    assert desk.refusals == [f"Up to {MOST_FILES} files go along at once."]


def test_closed_it_reads_no_more(desk):
    desk.drafts.add_files([Path("bends.csv")])
    desk.drafts.close()
    assert desk.readers[0].closed

"""Killed at any moment, in the middle of whatever it was doing, the program loses no word it had kept."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from desktop import exchange
from desktop.store import BACKUPS, Store, open_store
from desktop.store.faults import mark_as_damaged
from tests.desktop.exchanges import answered
from tests.desktop.kills.victims import LINE
from tests.desktop.store.test_deletion import files_with
from tests.desktop.store.test_salvage import damage, pages_of, texts
from tests.desktop.store.test_schema import SCHEMAS, VERSIONS
from tests.gguf_files import write_tiny_model
from tests.killing import Killing, Life, moments

VICTIMS = "tests.desktop.kills.victims"
MOMENTS = moments(few=3, some=12)
A_WHILE = 0.15  # seconds that a process goes on with what it does over and over

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that begin in a moment"),
    pytest.mark.timeout(120 + 3 * MOMENTS),
]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "data" / "conversations.sqlite3"


def rows(path: Path, query: str, *values: object) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query, values).fetchall()


def assert_starts(path: Path) -> Store:
    """The next start finds a sound file; the store is left open."""
    store, salvage = open_store(path)
    assert salvage is None
    assert rows(path, "PRAGMA integrity_check") == [("ok",)]
    assert rows(path, "PRAGMA foreign_key_check") == []
    assert rows(path, "SELECT count(*) FROM turns WHERE state = 'writing'") == [(0,)]
    return store


def fill(path: Path, conversations: int, turns: int = 3, lines: int = 20) -> None:
    store = Store(path)
    for number in range(conversations):
        exchange = None
        for turn in range(turns):
            exchange = answered(store, f"word{number} {turn}", f"answer{number} {LINE * lines}", exchange)
    store.close()


def test_a_first_start_that_is_cut_off_is_in_nobodys_way(nursery, path):
    def begin(_: int) -> tuple[str, str]:
        shutil.rmtree(path.parent, ignore_errors=True)
        return "start_anew", str(path)

    def look(_number: int, _life: Life) -> None:
        store = assert_starts(path)
        answered(store, "And now?", "It is kept.")
        store.close()

    Killing(MOMENTS).of(nursery, begin, look)


def test_what_was_sent_is_there_and_what_was_typed(nursery, path):
    sent: set[str] = set()
    answers: dict[int, str] = {}

    def look(_: int, life: Life) -> None:
        store = assert_starts(path)
        sent.update(words for (words,) in life.kept("sending"))
        answers.update(dict(life.kept("ending")))
        kept = rows(path, "SELECT id, role, content, state FROM turns")
        asked = {content for _, role, content, _ in kept if role == "user"}
        assert sent <= asked
        assert answers.items() <= {(number, text) for number, _, text, state in kept if state == "complete"}
        drafts = {text for (text,) in rows(path, "SELECT draft FROM conversations UNION SELECT text FROM new_draft")}
        if typed := life.kept("typing"):
            assert typed[-1][0] in asked | drafts
        store.close()

    Killing(MOMENTS, 4 * A_WHILE).of(nursery, lambda number: ("send", str(path), f"w{number}"), look)
    assert MOMENTS < 20 or len(sent) > MOMENTS / 2


def test_what_is_being_read_is_there_and_its_reply_is_one_that_was_interrupted(nursery, path, tmp_path):
    model = write_tiny_model(tmp_path / "tiny.gguf", context_length=4096)
    asked: set[str] = set()

    def look(_: int, life: Life) -> None:
        assert_starts(path).close()
        said = [words for kind, what, *words in life.facts if (kind, what) == ("began", "prefill")]
        asked.update(words for (words,) in said)
        kept = rows(path, "SELECT role, content, state FROM turns ORDER BY id")
        assert asked <= {content for role, content, _ in kept if role == "user"}
        if life.place == "prefill":
            assert kept[-1] == ("assistant", "", "interrupted")

    Killing(MOMENTS, A_WHILE, within="prefill").of(
        nursery, lambda number: ("prefill", str(path), str(model), f"w{number}"), look
    )


def test_a_reply_is_there_up_to_its_last_checkpoint(nursery, path):
    def look(_: int, life: Life) -> None:
        store = assert_starts(path)
        for reply, length in life.kept("checkpoint")[-1:]:
            assert rows(path, "SELECT state FROM turns WHERE id = ?", reply) == [("interrupted",)]
            assert len(store.turns(reply)[-1].message.content) >= length
        store.close()

    Killing(MOMENTS, A_WHILE).of(nursery, lambda number: ("checkpoint", str(path), f"w{number}"), look)


@pytest.fixture(scope="module", params=VERSIONS)
def old_file(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of an earlier version, with what somebody said in some months, and with what was deleted and, as these
    versions did, not written over. One is kept as the program keeps it, one as a copy by other means may be."""
    path = tmp_path_factory.mktemp("old") / "conversations.sqlite3"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA secure_delete = OFF")
        if request.param == VERSIONS[-1]:
            connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript((SCHEMAS / f"{request.param}.sql").read_text())
        moment = "2026-01-01T00:00:00.000000+00:00"
        for number in range(2, 302):
            connection.execute(
                "INSERT INTO conversations VALUES (?, ?, ?, ?, NULL, ?)"
                if request.param == 1
                else "INSERT INTO conversations VALUES (?, ?, ?, ?, NULL, ?, 'stop')",
                (number, f"Title {number}", moment, moment, f"draft {number}"),
            )
            for turn in range(6):
                connection.execute(
                    "INSERT INTO turns (conversation, parent, role, content, created, state) VALUES (?, ?, ?, ?, ?, ?)",
                    (
                        number,
                        None,
                        ("user", "assistant")[turn % 2],
                        f"word{number}x{turn} {LINE * 20}",
                        moment,
                        "complete",
                    ),
                )
        connection.execute(
            "INSERT INTO turns (conversation, role, content, created, state) VALUES (1, 'user', ?, ?, 'complete')",
            ("Flusskrebs " * 900, moment),
        )
        connection.execute("UPDATE turns SET content = 'short' WHERE content LIKE 'Flusskrebs%'")
        connection.commit()
    assert files_with(path.parent, "Flusskrebs") != set()
    return path


SAID = "SELECT id, conversation, role, content FROM turns ORDER BY id"


def test_a_file_of_an_earlier_version_keeps_its_words_and_has_a_whole_copy(nursery, path, old_file):
    (version,) = rows(old_file, "PRAGMA user_version")
    said = rows(old_file, SAID)

    def begin(_: int) -> tuple[str, str]:
        shutil.rmtree(path.parent, ignore_errors=True)
        path.parent.mkdir()
        shutil.copyfile(old_file, path)
        return "migrate", str(path)

    def look(number: int, life: Life) -> str | None:
        place = stage(path, version) if life.place == "migration" else None
        if number % 2:  # once more, in what the start after it does
            nursery.live("migrate", str(path), seconds=number % 20 / 200)
        assert_starts(path).close()
        assert rows(path, SAID) == said
        assert copies(path)
        for copy in copies(path):
            assert (rows(copy, "PRAGMA integrity_check"), rows(copy, SAID)) == ([("ok",)], said)
            assert rows(copy, "PRAGMA user_version") == [version]
        # What it did not write over is gone from it, and from the copies within a week.
        assert {name for name, _ in files_with(path.parent, "Flusskrebs")} <= {copy.name for copy in halves(path)}
        return place

    places = Killing(MOMENTS).of(nursery, begin, look)
    assert MOMENTS < 50 or len(places) >= 3


def stage(path: Path, version: tuple[object, ...]) -> str:
    if list((path.parent / BACKUPS).glob("*.part")):
        return "in the backup"
    if not (path.parent / BACKUPS).exists():
        return "before the backup"
    with TemporaryDirectory() as folder:  # to look into the file itself would mend it
        for file in path.parent.glob(f"{path.name}*"):
            shutil.copy(file, folder)
        is_old = rows(Path(folder) / path.name, "PRAGMA user_version") == [version]
    return "after the backup" if is_old else "after the change"


def copies(path: Path) -> list[Path]:
    return list((path.parent / BACKUPS).glob("*.sqlite3"))


def halves(path: Path) -> list[Path]:
    """All copies, those too that somebody was killed over."""
    return list((path.parent / BACKUPS).iterdir())


def test_indexing_goes_on_until_everything_is_found(nursery, path):
    fresh = path.with_name("fresh.sqlite3")
    fill(fresh, 100)

    def begin(_: int) -> tuple[str, str]:
        for left in path.parent.glob("conversations.sqlite3*"):
            left.unlink()
        shutil.copyfile(fresh, path)
        return "index", str(path)

    def look(number: int, _: Life) -> None:
        store = assert_starts(path)
        if number % 10 == 1:
            while store.tidy():
                pass
            for word in (10, 57, 99):
                assert {hit.conversation.title for hit in store.search(f'"word{word} 2"')} == {f"word{word} 0"}
        store.close()

    Killing(MOMENTS).of(nursery, begin, look)


@pytest.fixture(scope="module")
def damaged(tmp_path_factory) -> tuple[Path, dict[int, str], str]:
    """A folder with a damaged file and a backup of it, what was said in it as far as it can be saved, and how that is
    put into words."""
    path = tmp_path_factory.mktemp("damaged") / "data" / "conversations.sqlite3"
    fill(path, 40)
    store = Store(path)
    assert store.backups is not None
    store.backups.make()
    store.close()
    fill(path, 40)
    damage(path, [(pages_of(path, "turns")[-3], 4096)])
    mark_as_damaged(path)
    whole = path.parent.with_name("whole")
    shutil.copytree(path.parent, whole)
    store, salvage = open_store(whole / path.name)
    store.close()
    assert salvage is not None
    assert salvage.lost
    return path.parent, texts(whole / path.name), str(salvage).partition(" The damaged file")[0]


class Salvages:
    """Has damaged files salvaged."""

    def __init__(self, path: Path, damaged: tuple[Path, dict[int, str], str]) -> None:
        self.path = path
        self.folder, self.saved, self.words = damaged
        self.said: list[bool] = []

    def begin(self, _: int) -> tuple[str, str]:
        shutil.rmtree(self.path.parent, ignore_errors=True)
        shutil.copytree(self.folder, self.path.parent)
        return "salvage", str(self.path)

    def look(self, *lives: Life) -> None:
        store, salvage = open_store(self.path)
        store.close()
        sentences = [str(salvage), *(sentence for life in lives for (sentence,) in life.kept("salvage"))]
        self.said.append(any(sentence.startswith(self.words) for sentence in sentences))
        assert texts(self.path) == self.saved
        (kept_as,) = self.path.parent.glob("conversations damaged *.sqlite3")
        assert kept_as.read_bytes() == (self.folder / self.path.name).read_bytes()
        assert_starts(self.path).close()


@pytest.fixture
def salvages(path: Path, damaged: tuple[Path, dict[int, str], str]) -> Salvages:
    return Salvages(path, damaged)


def test_a_damaged_file_is_salvaged_all_the_same(nursery, path, salvages):
    def look(number: int, life: Life) -> None:
        again = [nursery.live("salvage", str(path), seconds=number % 20 / 200)] if number % 2 else []
        salvages.look(life, *again)

    Killing(MOMENTS).of(nursery, salvages.begin, look)


@pytest.mark.long
def test_a_damaged_file_is_salvaged_before_whichever_step_that_was_cut_off(nursery, salvages):
    step, life = 0, None
    while life is None or life.place == "salvage":
        step += 1
        life = nursery.live("until", step, *salvages.begin(step))
        salvages.look(life)
    assert step > 10
    # It is not said where the last step was done and nothing shown yet; what was damaged is kept then too.
    assert sum(salvages.said) >= step - 1


def test_every_copy_is_whole(nursery, path):
    fill(path, 60)

    def look(_: int, life: Life) -> None:
        newest = max(copies(path), default=None, key=lambda copy: copy.name)
        for (words,) in life.kept("backup")[-1:]:
            assert newest is not None
            assert (words,) in rows(newest, "SELECT content FROM turns")
        for copy in copies(path):
            assert rows(copy, "PRAGMA integrity_check") == [("ok",)]
            assert rows(copy, "SELECT count(*) FROM turns WHERE content LIKE 'word%'") == [(180,)]
        assert_starts(path).close()

    Killing(MOMENTS, A_WHILE).of(nursery, lambda number: ("back_up", str(path), number), look)
    store = Store(path, clock=lambda: datetime(2027, 1, 1, tzinfo=UTC))
    assert store.backups is not None
    store.backups.make()
    store.close()
    assert len(halves(path)) == 1  # all others are of long ago, whole or half


def test_an_exported_file_is_the_old_one_or_the_new_one(nursery, path, tmp_path):
    fill(path, 30, lines=1_000)  # so much that to write it takes its time
    file = tmp_path / "exported" / "all"
    file.parent.mkdir()
    lengths: dict[str, set[int]] = {".json": set(), ".md": set()}

    def look(_: int, life: Life) -> None:
        for suffix, count in life.kept("export"):
            lengths[suffix].add(count)
        for whole in file.parent.glob("all.*"):
            if whole.suffix == ".json":
                read = exchange.read(whole).conversations
                assert [len(tree.turns) for tree in read] == [6] * len(read)
            else:
                conversations = whole.read_text("utf-8").split("\n---\n")
                assert [text.count("## You") for text in conversations] == [3] * len(conversations)
                assert conversations[-1].endswith("first token 0.50 s*\n")
        assert_starts(path).close()

    Killing(MOMENTS, 4 * A_WHILE).of(nursery, lambda _: ("export", str(path), str(file)), look)
    assert MOMENTS < 20 or (lengths[".json"] and lengths[".md"])
    assert {each.name for each in file.parent.iterdir()} <= {"all.json", "all.md", ".all.part.json", ".all.part.md"}


def test_an_imported_conversation_is_there_whole_or_not_at_all(nursery, path, tmp_path):
    fill(tmp_path / "other" / "conversations.sqlite3", 120)
    source = tmp_path / "file.json"
    other = Store(tmp_path / "other" / "conversations.sqlite3")
    trees = [exchange.Tree(each, other.tree(each.id), other.traces(each.id)) for each in other.conversations()]
    other.close()
    source.write_text(exchange.to_json_of(trees), "utf-8")

    def begin(_: int) -> tuple[str, str, str]:
        shutil.rmtree(path.parent, ignore_errors=True)
        fill(path, 2)
        return "take_in", str(path), str(source)

    def look(_: int, life: Life) -> None:
        store = assert_starts(path)
        kept = {number for (numbers,) in life.said("kept") for number in numbers}
        there = {conversation.id: conversation for conversation in store.conversations()}
        assert kept <= there.keys()
        for number, conversation in there.items():
            assert len(store.turns(conversation.head)) == 6, number
        assert store.turns(there[1].head)[0].message.content == "word0 0"
        store.close()

    Killing(MOMENTS).of(nursery, begin, look)


def test_what_was_gone_is_gone_and_the_rest_is_whole(nursery, path, tmp_path):
    full = tmp_path / "full" / path.name
    fill(full, 40)
    store = Store(full)
    while store.tidy():
        pass
    store.close()

    def begin(_: int) -> tuple[str, str]:
        shutil.rmtree(path.parent, ignore_errors=True)
        shutil.copytree(full.parent, path.parent)
        return "delete", str(path)

    def look(_: int, life: Life) -> None:
        store = assert_starts(path)
        deleted, purged = ({number for (number,) in life.kept(what)} for what in ("deleting", "purging"))
        there = {conversation.id: conversation for conversation in store.conversations()}
        # The one that was being deleted may be there or not.
        assert 0 <= 40 - len(there) - len(deleted) <= 1
        assert not deleted & there.keys()
        assert not purged & set(store.deleted())
        messages = {number for (number,) in life.kept("purging messages")}
        gone = rows(path, "SELECT id FROM turns WHERE deleted IS NOT NULL")
        for number, conversation in there.items():
            turns = store.turns(conversation.head)
            assert not messages & {turn.id for turn in turns}
            assert len(turns) == 6 or (number % 2 == 0 and len(turns) == 5)
        assert len(gone) <= 1
        # What was gone for good is gone from every file once the next start has tidied up.
        while store.tidy():
            pass
        vanished = set(range(1, 41)) - {number for (number,) in rows(path, "SELECT id FROM conversations")}
        assert purged <= vanished
        assert files_with(path.parent, *(f"answer{number - 1} " for number in vanished)) == set()
        assert {hit.conversation.id for hit in store.search("word1")} >= {2}
        store.close()

    Killing(MOMENTS).of(nursery, begin, look)


def test_as_long_as_anything_is_left_the_conversations_are_seen(nursery, path):
    """As long as something is left, so are the conversations: somebody sees that, and can ask for it again."""

    def begin(_: int) -> tuple[str, str]:
        shutil.rmtree(path.parent, ignore_errors=True)
        fill(path, 3)
        for folder in ("states", BACKUPS):
            (path.parent / folder).mkdir()
            for number in range(1_000):
                (path.parent / folder / f"{number}").write_text("said")
        return "delete_everything", str(path.parent)

    def look(_number: int, _life: Life) -> None:
        left = [name for name in ("states", BACKUPS) if (path.parent / name).exists()]
        assert path.exists() or not left
        store = assert_starts(path)
        assert len(store.conversations()) in (0, 3)
        store.close()

    Killing(MOMENTS).of(nursery, begin, look)

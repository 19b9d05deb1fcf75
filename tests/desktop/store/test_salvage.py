"""Of a damaged file every row that can be read is kept, over the newest good backup; what is lost is counted."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from desktop.conversations import TurnState
from desktop.store import Store, StoreDamaged, open_store
from inference import Message, Role
from tests.desktop.store.conftest import ask

PAGE = 4096
WORDS = "the river bends because the water on its outer side is faster and takes more of the bank with it "


def fill(store: Store, conversations: range, exchanges: int = 12) -> None:
    for number in conversations:
        exchange = None
        for turn in range(exchanges):
            exchange = ask(store, f"Question {number}.{turn}?", exchange)
            text = f"Answer {number}.{turn}: {WORDS * 6}"
            done = replace(exchange.reply, message=Message(Role.ASSISTANT, text), state=TurnState.COMPLETE)
            store.finish(done, None)


def texts(path: Path) -> dict[int, str]:
    """Every message by its number."""
    with closing(sqlite3.connect(path)) as connection:
        return dict(connection.execute("SELECT id, content FROM turns"))


def damage(path: Path, spans: list[tuple[int, int]]) -> None:
    with path.open("r+b") as file:
        for at, length in spans:
            file.seek(at)
            file.write(bytes(1 + (at + place) % 255 for place in range(length)))


def is_sound(path: Path) -> bool:
    with closing(sqlite3.connect(path)) as connection:
        return (
            connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            and connection.execute("PRAGMA foreign_key_check").fetchall() == []
        )


@pytest.fixture
def filled(path):
    """A file with a backup that is older than its last conversations."""
    store = Store(path)
    fill(store, range(6))
    assert store.backups is not None
    store.backups.make()
    fill(store, range(6, 9))
    store.close()
    return path


def pages_of(path: Path, table: str) -> list[int]:
    """The offsets of a table's leaves."""
    with closing(sqlite3.connect(path)) as connection:
        try:
            rows = connection.execute(
                "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf'", (table,)
            ).fetchall()
        except sqlite3.OperationalError:
            pytest.skip("this SQLite tells nothing of pages")
    return [(number - 1) * PAGE for (number,) in rows]


def test_a_sound_file_is_opened_as_ever(filled):
    store, salvage = open_store(filled)
    assert salvage is None
    store.close()


def test_a_page_that_is_lost_comes_back_from_the_backup(filled):
    before = texts(filled)
    damage(filled, [(pages_of(filled, "turns")[3], PAGE)])
    with pytest.raises(StoreDamaged, match="Start Headwater again"):
        read_all(filled)
    store, salvage = open_store(filled)
    store.close()
    assert salvage is not None
    assert texts(filled) == before
    assert salvage.lost == 0
    assert salvage.from_backup > 0
    assert is_sound(filled)
    assert salvage.kept_as.exists()


def read_all(path: Path) -> None:
    store = Store(path)
    try:
        for conversation in store.conversations():
            store.turns(conversation.head)
    finally:
        store.close()


def test_what_is_newer_than_the_backup_and_cannot_be_read_is_counted_and_named(filled):
    before = texts(filled)
    damage(filled, [(pages_of(filled, "turns")[-2], PAGE)])
    (filled.with_name(filled.name + ".damaged")).touch()
    store, salvage = open_store(filled)
    assert salvage is not None
    after = texts(filled)
    assert after.items() <= before.items()
    assert salvage.lost is not None
    assert 0 < len(before) - len(after) <= salvage.lost
    assert salvage.titles
    assert all(title in str(salvage) for title in salvage.titles)
    for conversation in store.conversations():
        shown = store.turns(conversation.head)
        assert shown
    store.close()
    assert is_sound(filled)


def test_nothing_that_was_deleted_since_the_backup_comes_back(filled):
    store = Store(filled)
    gone = store.conversations()[-1]
    store.delete([gone.id])
    store.purge([gone.id])
    store.close()
    damage(filled, [(pages_of(filled, "turns")[-2], PAGE)])
    filled.with_name(filled.name + ".damaged").touch()
    store, _ = open_store(filled)
    assert gone.id not in {conversation.id for conversation in store.conversations()}
    store.close()
    assert not any("Question 0." in text for text in texts(filled).values())


@pytest.mark.parametrize("left", [0, 100, 3 * PAGE, 0.5], ids=str)
def test_a_file_that_was_cut_short_gives_what_is_left_of_it_and_the_backup_the_rest(filled, left):
    before = texts(filled)
    size = filled.stat().st_size
    with filled.open("r+b") as file:
        file.truncate(int(left * size) if isinstance(left, float) else left)
    filled.with_name(filled.name + ".damaged").touch()
    store, salvage = open_store(filled)
    store.close()
    assert salvage is not None
    after = texts(filled)
    assert after.items() <= before.items()
    assert {number for number in before if number <= 6 * 24} <= set(after), "what was in the backup is there"
    assert is_sound(filled)


def test_a_file_whose_first_page_is_lost_is_read_with_the_backups(filled):
    before = texts(filled)
    damage(filled, [(0, PAGE)])
    store, salvage = open_store(filled)
    store.close()
    assert salvage is not None
    assert texts(filled) == before
    assert is_sound(filled)


def test_without_any_backup_what_can_be_read_is_kept(path):
    store = Store(path)
    fill(store, range(3))
    store.close()
    before = texts(path)
    damage(path, [(pages_of(path, "turns")[2], PAGE)])
    path.with_name(path.name + ".damaged").touch()
    store, salvage = open_store(path)
    store.close()
    assert salvage is not None
    assert salvage.lost is not None
    assert len(texts(path)) + salvage.lost >= len(before)
    assert texts(path).items() <= before.items()
    assert is_sound(path)


def test_under_another_window_nothing_is_salvaged(filled):
    other = Store(filled)
    filled.with_name(filled.name + ".damaged").touch()
    with pytest.raises(StoreDamaged, match="another window"):
        open_store(filled)
    other.close()


def test_what_was_found_in_a_file_is_found_in_the_salvaged_one_too(filled):
    damage(filled, [(pages_of(filled, "turns")[3], PAGE)])
    filled.with_name(filled.name + ".damaged").touch()
    store, _ = open_store(filled)
    while store.tidy():
        pass
    assert store.search("Question 7.3")
    store.close()


@pytest.mark.long
@pytest.mark.parametrize("seed", range(60))
def test_wherever_bits_flip_nothing_that_can_be_read_is_lost_and_the_program_starts(filled, seed):
    dice = random.Random(seed)  # noqa: S311 - the same damage each time
    before = texts(filled)
    size = filled.stat().st_size
    whole = bytearray(filled.read_bytes())
    for _ in range(dice.choice([1, 3, 30])):
        whole[dice.randrange(size)] ^= 1 << dice.randrange(8)
    filled.write_bytes(whole)
    filled.with_name(filled.name + ".damaged").touch()
    store, salvage = open_store(filled)
    store.close()
    assert salvage is not None
    after = texts(filled)
    assert is_sound(filled)
    assert salvage.lost is None or len(after) + salvage.lost >= len(before)
    changed = [number for number, text in after.items() if before.get(number) != text]
    assert len(changed) <= 30, "a flipped bit changes the text that it is in, and no other"

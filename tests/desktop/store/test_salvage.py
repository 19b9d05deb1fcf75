"""Of a damaged file every row that can be read is kept, over the newest good backup; what is lost is counted."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desktop.conversations import TurnState
from desktop.store import Store, StoreDamaged, StoreError, open_store
from desktop.store.faults import mark_of
from desktop.store.salvage import damaged_files_of, salvage
from desktop.store.schema import MIGRATIONS
from inference import Message, Role
from tests.deep_types import assert_of_its_types
from tests.desktop.exchanges import ask
from tests.odd_values import damaged

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
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
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


def flip(whole: bytearray, dice: random.Random, within: int | None = None) -> None:
    for _ in range(dice.choice([1, 3, 30])):
        whole[dice.randrange(within or len(whole))] ^= 1 << dice.randrange(8)


def overwrite(whole: bytearray, dice: random.Random, make) -> None:
    for _ in range(dice.choice([1, 2, 5])):
        at = dice.randrange(len(whole) // PAGE) * PAGE
        whole[at : at + PAGE] = make(PAGE)


def cut(whole: bytearray, dice: random.Random) -> None:
    del whole[dice.randrange(len(whole)) :]


DAMAGE: dict[str, Callable[[bytearray, random.Random], None]] = {
    "flipped bits": flip,
    "flipped bits in the schema": lambda whole, dice: flip(whole, dice, 3 * PAGE),
    "pages of nothing": lambda whole, dice: overwrite(whole, dice, bytes),
    "pages of something else": lambda whole, dice: overwrite(whole, dice, dice.randbytes),
    "cut short": cut,
    "no database": lambda whole, dice: whole.__setitem__(slice(None), dice.randbytes(3 * PAGE)),
    "a text": lambda whole, _: whole.__setitem__(slice(None), b"Dear diary, " * 999),
}


@pytest.mark.parametrize("kind", DAMAGE)
@pytest.mark.parametrize("seed", [pytest.param(n, marks=pytest.mark.long if n > 1 else ()) for n in range(25)])
def test_whatever_is_damaged_the_start_after_it_was_met_can_be_used(filled, kind, seed):
    """Nobody marks the file: what is read finds the damage, or reads on as if nothing were."""
    before = texts(filled)
    whole = bytearray(filled.read_bytes())
    DAMAGE[kind](whole, random.Random(seed))  # noqa: S311 - the same damage each time
    filled.write_bytes(whole)
    salvage = None
    for is_last in (False, True):
        store = None
        try:
            store, salvage = open_store(filled)
            use(store)
            break
        except StoreDamaged:
            assert not is_last
        finally:
            if store is not None:
                store.close()
    after = texts(filled)
    if salvage is None:
        assert before.keys() <= after.keys()  # and what was asked since
    else:
        assert salvage.kept_as.exists()
        assert str(salvage).startswith("The conversations were damaged.")
        assert salvage.lost is None or len(after) + salvage.lost >= len(before)
        assert {number for number in before if number <= 6 * 24} <= set(after), "what was in the backup is there"


@given(st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_became_of_what_was_written_down_the_file_is_salvaged_and_stays_beside_it(path, data):
    with TemporaryDirectory(dir=path.parent.parent) as folder:
        file = Path(folder, path.name)
        file.write_bytes(b"no database, and long enough to be one" * 100)
        file.with_name(f"{file.name}.ready").write_bytes(b"the salvaged one")
        sound = {"kept_as": str(file.with_name(f"{file.stem} damaged x")), "read": 1, "lost": 2, "titles": ["Rivers"]}
        mark_of(file).write_text(json.dumps(data.draw(damaged(sound))))
        found = salvage(file)
        assert_of_its_types(found)
        assert found.kept_as in damaged_files_of(file)
        assert file.read_bytes() == b"the salvaged one"


def use(store: Store) -> None:
    """Read everything there is, and go on."""
    for conversation in store.conversations():
        store.tree(conversation.id)
        store.totals(conversation.id)
        store.traces(conversation.id)
        store.turns(conversation.head)
    store.search("river")
    for _ in (store.presets(), store.folders(), store.new_draft, store.comparisons(), store.purged()):
        pass
    ask(store, "And on?")
    while store.tidy():
        pass
    assert store.backups is not None
    store.backups.make()


def test_a_column_whose_name_is_damaged_gives_its_values_all_the_same(filled):
    before = texts(filled)
    whole = filled.read_bytes()
    assert whole.count(b" title TEXT NOT NULL, created") == 2  # of conversations, of comparisons
    filled.write_bytes(whole.replace(b" title TEXT NOT NULL, created", b" tiple TEXT NOT NULL, created"))
    store = Store(filled)
    with pytest.raises(StoreDamaged):
        store.conversations()
    store.close()
    store, salvage = open_store(filled)
    assert salvage is not None
    assert salvage.lost == 0
    assert texts(filled) == before
    assert all(conversation.title.startswith("Question") for conversation in store.conversations())
    store.close()


def test_the_file_of_another_program_is_kept_aside(path):
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE conversations (name TEXT)")
        connection.execute("INSERT INTO conversations VALUES ('theirs')")
        connection.commit()
    store, salvage = open_store(path)
    store.close()
    assert salvage is not None
    with closing(sqlite3.connect(salvage.kept_as)) as connection:
        assert connection.execute("SELECT name FROM conversations").fetchall() == [("theirs",)]


@pytest.mark.parametrize("left", [0.0, 0.3, 0.9])
def test_without_its_log_or_with_half_of_it_the_file_is_as_it_was_before(filled, left):
    """A log is written into the file when the last window closes; what was copied meanwhile lacks it."""
    old = filled.read_bytes()
    before = texts(filled)
    store = Store(filled)
    fill(store, range(9, 11))
    log = filled.with_name(f"{filled.name}-wal")
    written = log.read_bytes()
    store.close()
    filled.write_bytes(old)
    log.write_bytes(written[: int(left * len(written))])
    store, salvage = open_store(filled)
    use(store)
    store.close()
    assert salvage is None
    assert before.items() <= texts(filled).items()


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


@pytest.mark.parametrize("version", [-(2**31), -1, *range(len(MIGRATIONS) + 1), len(MIGRATIONS) + 1, 2**31 - 1])
def test_whatever_damage_left_of_the_version_the_file_is_opened_salvaged_or_refused(filled, version):
    before = texts(filled)
    with closing(sqlite3.connect(filled)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    if version > len(MIGRATIONS):
        with pytest.raises(StoreError, match="newer version"):
            open_store(filled)
        return
    store, _ = open_store(filled)
    store.close()
    assert texts(filled) == before
    assert is_sound(filled)

"""Copies are made daily and before migrations; they are whole, few and never old."""

from __future__ import annotations

import os
import re
import sqlite3
import stat
import sys
from pathlib import Path

import pytest

from desktop.changes import Exchange
from desktop.process_lock import ProcessLock
from desktop.store import BACKUPS, Store, StoreDamaged, StoreError, open_store
from desktop.store.backups import EVERY, MOST
from tests.desktop.exchanges import answered, ask
from tests.desktop.store.test_deletion import SECRETS, files_with, tell_secrets
from tests.desktop.store.test_schema import VERSIONS, write_file


@pytest.fixture
def store(path, clock):
    store = Store(path, clock=clock)
    yield store
    store.close()


@pytest.fixture
def backups(store):
    assert store.backups is not None
    return store.backups


def copies(path: Path) -> list[Path]:
    return sorted((path.parent / "backups").iterdir())


def test_a_copy_is_the_conversations_as_they_are_and_its_owners_only(store, backups, path, tmp_path):
    exchange = answered(store, "Why?", "Because.")
    backups.make()
    answered(store, "later", "on")
    (copy,) = copies(path)
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert stat.S_IMODE(copy.parent.stat().st_mode) == 0o700
    restored = tmp_path / "restored" / "conversations.sqlite3"
    restored.parent.mkdir()
    copy.rename(restored)
    other = Store(restored)
    assert [each.title for each in other.conversations()] == ["Why?"]
    assert [turn.message.content for turn in other.turns(exchange.reply.id)] == ["Why?", "Because."]
    other.close()


def test_one_is_due_at_once_and_then_a_day_after_the_last(backups, clock):
    assert backups.next_at <= clock()
    backups.make()
    assert (backups.next_at - clock()).total_seconds() == 24 * 3600


def test_there_are_few_of_them_however_often_they_are_made(backups, clock, path):
    for _ in range(10):
        backups.make()
        clock.go_on(days=1)
    assert len(copies(path)) == MOST
    assert copies(path)[-1].name == "conversations 2026-01-10 00.00.00.sqlite3"


@pytest.mark.parametrize("hours", [5, 24, 60, 100])
def test_what_was_deleted_for_good_is_gone_within_a_week_by_daily_or_rare_use(store, backups, clock, path, hours):
    secret = tell_secrets(store)
    backups.make()
    store.purge([secret])
    assert {name for name, _ in files_with(path.parent, *SECRETS)} == {copies(path)[0].name}
    purged = clock()
    while (clock() - purged).total_seconds() + hours * 3600 <= 7 * 24 * 3600:
        clock.go_on(hours=hours)
        backups.make()
    assert files_with(path.parent, *SECRETS) == set()


@pytest.mark.parametrize("ahead", [1, 3, 400])
@pytest.mark.parametrize("hours", [5, 24, 60, 100])
def test_so_it_is_where_the_clock_was_ahead_when_it_was_copied(store, backups, clock, path, hours, ahead):
    clock.go_on(days=ahead)
    secret = tell_secrets(store)
    backups.make()
    clock.go_on(days=-ahead)
    store.purge([secret])
    purged = clock()
    assert backups.next_at == purged  # so that one is made within the hour
    backups.make()
    while (clock() - purged).total_seconds() + hours * 3600 <= 7 * 24 * 3600:
        clock.go_on(hours=hours)
        backups.make()
    assert files_with(path.parent, *SECRETS) == set()


def test_the_newest_stays_however_old_it_is_until_there_is_a_newer_one(backups, clock, path):
    backups.make()
    clock.go_on(days=100)
    backups.clear_away()
    assert len(copies(path)) == 1
    backups.make()
    assert [each.name for each in copies(path)] == ["conversations 2026-04-11 00.00.00.sqlite3"]


def test_a_damaged_file_is_not_copied_over_those_from_before_the_damage(store, backups, clock, path):
    for number in range(40):
        answered(store, f"question {number}", "answer " * 400)
    backups.make()
    store.close()
    whole = bytearray(path.read_bytes())
    for at in range(8 * 4096, len(whole), 9 * 4096):
        whole[at : at + 4096] = bytes(4096)
    path.write_bytes(whole)
    good = {each: each.read_bytes() for each in copies(path)}
    for _ in range(2 * MOST):
        clock.go_on(days=1)
        with pytest.raises(StoreDamaged, match="Start Headwater again"):
            backups.make()
    assert {each: each.read_bytes() for each in copies(path)} == good
    again, salvage = open_store(path)
    again.close()
    assert salvage is not None
    assert salvage.lost == 0


def test_one_that_is_stopped_leaves_nothing(store, backups, path):
    answered(store, "Why?", "Because.")
    backups.make(is_stopped=lambda: True)
    assert copies(path) == []


def test_what_a_program_that_was_killed_left_half_written_is_cleared_away_at_once(backups, path):
    backups.make()
    folder = copies(path)[0].parent
    of_another = ProcessLock(folder)
    half = folder / f"conversations {of_another.name}.part"
    half.write_bytes(b"half")
    for clear_away in (backups.clear_away, backups.make):
        clear_away()
        assert half.exists()  # another one is writing it now
    name = of_another.name
    of_another.close()
    (folder / name).write_bytes(b"")  # as it stays where its process is killed
    backups.clear_away()
    assert not half.exists()
    assert {each.suffix for each in copies(path)} == {".sqlite3"}


@pytest.mark.skipif(sys.platform == "win32", reason="makes a pipe")
def test_whatever_lies_in_their_place_or_under_their_names_is_no_copy(backups, clock, path):
    folder = path.parent / BACKUPS
    folder.write_text("in the way")
    with pytest.raises(StoreError, match=f"cannot be opened: {re.escape(str(folder))} should be a folder."):
        backups.make()
    folder.unlink()
    folder.mkdir()
    (folder / "conversations 2026-01-01 00.00.00.sqlite3").mkdir()
    os.mkfifo(folder / "conversations 2025-12-31 23.00.00.sqlite3")
    assert backups.next_at == clock()
    clock.go_on(hours=1)
    backups.make()
    assert (backups.next_at - clock()).total_seconds() == 24 * 3600


def test_other_files_beside_them_are_left_alone(backups, clock, path):
    backups.make()
    mine = path.parent / "backups" / "conversations kept by hand.sqlite3"
    mine.write_bytes(b"mine")
    clock.go_on(days=30)
    backups.make()
    assert mine.exists()


def test_nobody_is_kept_from_writing_meanwhile(store, backups, path):
    for number in range(40):
        answered(store, f"question {number}", "answer " * 400)
    written: list[Exchange] = []

    def write() -> bool:
        written.append(ask(store, f"meanwhile {len(written)}"))
        return False

    backups.make(is_stopped=write)
    assert written
    (copy,) = copies(path)
    connection = sqlite3.connect(copy)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert connection.execute("SELECT count(*) FROM conversations").fetchone() == (40,)
    connection.close()


def test_where_no_copy_can_be_made_that_is_said(backups, path):
    (path.parent / "backups").write_text("in the way")
    with pytest.raises(StoreError, match="cannot be opened"):
        backups.make()


@pytest.mark.parametrize("version", VERSIONS)
def test_a_file_of_an_earlier_version_is_copied_as_it_was_before_it_is_changed(path, version, clock):
    path.parent.mkdir()
    write_file(path, version)
    Store(path, clock=clock).close()
    (copy,) = copies(path)
    connection = sqlite3.connect(copy)
    assert connection.execute("PRAGMA user_version").fetchone() == (version,)
    assert connection.execute("SELECT content FROM turns WHERE id = 2").fetchone() == ("They erode.",)
    connection.close()


def test_a_new_file_and_one_of_this_version_are_not_copied(store, path, clock):
    Store(path, clock=clock).close()
    assert not (path.parent / "backups").exists()


def test_there_are_no_copies_of_temporary_conversations():
    store = Store(None)
    assert store.backups is None
    store.close()


def test_a_clock_that_is_set_back_neither_stops_the_copies_nor_keeps_old_ones(backups, clock, path):
    for _ in range(MOST):
        backups.make()
        clock.go_on(days=1)
    clock.go_on(days=-400)
    assert backups.next_at == clock()
    for _ in range(MOST):
        backups.make()
        assert backups.next_at == clock() + EVERY
        clock.go_on(days=1)
    days = {found.name.split()[1] for found in (path.parent / BACKUPS).iterdir()}
    assert len(days) == MOST
    assert all(day < clock().isoformat() for day in days)

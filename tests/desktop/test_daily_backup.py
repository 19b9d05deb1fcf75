"""A copy is made when one is due, beside what else happens, and not once the program is left."""

from __future__ import annotations

import logging

import pytest

from desktop.daily_backup import DailyBackup
from desktop.store import Store
from tests.desktop.exchanges import answered
from tests.desktop.store.conftest import Clock


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def store(tmp_path, clock):
    store = Store(tmp_path / "conversations.sqlite3", clock=clock)
    answered(store, "Why?", "Because.")
    yield store
    store.close()


@pytest.fixture
def daily(qapp, store, clock):
    daily = DailyBackup(store.backups, clock=clock)
    yield daily
    daily.stop()


def copies(tmp_path) -> int:
    return len(list(tmp_path.glob("backups/*.sqlite3")))


def test_a_copy_is_made_when_one_is_due_and_only_then(daily, clock, tmp_path):
    daily.look()
    daily.wait()
    assert copies(tmp_path) == 1
    daily.look()
    daily.wait()
    assert copies(tmp_path) == 1
    clock.go_on(days=1)
    daily.look()
    daily.wait()
    assert copies(tmp_path) == 2


def test_none_is_made_once_the_program_is_left(daily, tmp_path):
    daily.stop()
    daily.look()
    daily.wait()
    assert copies(tmp_path) == 0


def test_one_that_cannot_be_made_disturbs_nobody(daily, tmp_path, caplog):
    (tmp_path / "backups").write_text("in the way")
    with caplog.at_level(logging.WARNING):
        daily.look()
        daily.wait()
    assert "no copy" in caplog.text


def test_damage_that_is_met_is_told(daily, store, tmp_path, qtbot):
    for number in range(40):
        answered(store, f"question {number}", "answer " * 400)
    store.close()
    path = tmp_path / "conversations.sqlite3"
    whole = bytearray(path.read_bytes())
    for at in range(8 * 4096, len(whole), 9 * 4096):
        whole[at : at + 4096] = bytes(4096)
    path.write_bytes(whole)
    with qtbot.waitSignal(daily.damaged) as told:
        daily.look()
    assert "are damaged. Start Headwater again" in told.args[0]
    daily.wait()
    assert copies(tmp_path) == 0


def test_what_one_left_that_was_ended_is_gone_though_none_is_due(daily, tmp_path):
    daily.look()
    daily.wait()
    half = tmp_path / "backups" / "conversations 00.lock.part"
    half.write_bytes(b"half")
    daily.look()
    daily.wait()
    assert not half.exists()
    assert copies(tmp_path) == 1

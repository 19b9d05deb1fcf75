"""A lock says of another process whether it is still there."""

from __future__ import annotations

from desktop.process_lock import ProcessLock


def test_a_lock_is_held_until_it_is_let_go(tmp_path):
    mine, yours = ProcessLock(tmp_path), ProcessLock(tmp_path)
    assert mine.is_held(yours.name)
    assert mine.is_held(mine.name)
    yours.close()
    assert not mine.is_held(yours.name)
    mine.close()
    assert list(tmp_path.iterdir()) == []


def test_a_lock_nobody_holds_is_cleared_away(tmp_path):
    (tmp_path / "left-behind.lock").touch()
    lock = ProcessLock(tmp_path)
    assert not lock.is_held("left-behind.lock")
    assert not (tmp_path / "left-behind.lock").exists()
    lock.close()


def test_locks_of_processes_that_were_ended_do_not_heap_up(tmp_path):
    running = ProcessLock(tmp_path)
    for number in range(5):
        (tmp_path / f"{number}.lock").touch()
    later = ProcessLock(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {running.name, later.name}
    assert later.is_held(running.name)
    running.close()
    later.close()


def test_a_name_cannot_lead_out_of_the_folder(tmp_path):
    folder = tmp_path / "locks"
    lock = ProcessLock(folder)
    (tmp_path / "precious").touch()
    assert not lock.is_held("../precious")
    assert (tmp_path / "precious").exists()
    lock.close()

"""A lock says of another process whether it is still there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

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


ANOTHER = """
import os, sys
from pathlib import Path
from desktop.process_lock import ProcessLock, held_in

os.setresuid(65534, 65534, 65534)
folder = Path(sys.argv[1])
lock = ProcessLock(folder)
print(lock.is_held("theirs.lock"), held_in(folder))
lock.close()
"""


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="needs to be several users")
def test_a_lock_of_another_user_counts_as_held_and_is_in_nobodys_way():
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with TemporaryDirectory() as name:  # not pytest's folders, which are for one user
        folder = Path(name)
        folder.chmod(0o777)
        (folder / "theirs.lock").touch(mode=0o600)
        command = [sys.executable, "-c", ANOTHER, name]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "True 2\n"

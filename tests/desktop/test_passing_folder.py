"""A folder that passes with its process: gone with it, or at the next start, and never while somebody needs it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from desktop.passing_folder import PassingFolder, sweep_passing_folders

KILLED = """
import os, signal
from desktop.passing_folder import PassingFolder

folder = PassingFolder()
(folder.path / "one").mkdir()
(folder.path / "one" / "said.md").write_text("what was said")
print(folder.path, flush=True)
input()
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def test_it_is_gone_when_it_is_closed(temporary):
    with PassingFolder() as path:
        (path / "one").mkdir()
        (path / "one" / "said.md").write_text("what was said")
        assert path.parent == temporary
    assert list(temporary.iterdir()) == []


def test_closing_it_twice_is_fine(temporary):
    folder = PassingFolder()
    folder.close()
    folder.close()
    assert list(temporary.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="sends POSIX signals")
def test_that_of_a_process_that_runs_stays_and_of_one_that_was_killed_goes(temporary):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    own = PassingFolder()
    with subprocess.Popen(
        [sys.executable, "-c", KILLED], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True
    ) as process:
        assert process.stdout is not None
        theirs = Path(process.stdout.readline().strip())
        sweep_passing_folders()
        assert (theirs / "one" / "said.md").exists()
        process.communicate("go on\n")
    assert process.returncode == -signal.SIGKILL
    assert (theirs / "one" / "said.md").exists()
    sweep_passing_folders()
    assert list(temporary.iterdir()) == [own.path]
    own.close()


@pytest.mark.skipif(sys.platform == "win32", reason="makes pipes and links")
def test_whatever_else_is_called_so_is_left_alone(temporary, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    with PassingFolder() as path:
        lock = next(path.iterdir()).name
    (elsewhere / lock).touch()
    (elsewhere / "precious").touch()
    (temporary / "headwater-src").mkdir()
    (temporary / "headwater-src" / "precious").touch()
    (temporary / "headwater-link").symlink_to(elsewhere)
    (temporary / "headwater-notes").write_text("precious")
    os.mkfifo(temporary / "headwater-pipe")
    (temporary / "headwater-odd" / lock).mkdir(parents=True)
    (temporary / "other").mkdir()
    (temporary / "other" / lock).touch()
    before = sorted(temporary.rglob("*"))
    sweep_passing_folders()
    assert sorted(temporary.rglob("*")) == before
    assert (elsewhere / "precious").exists()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs to be several users")
def test_so_is_another_persons(temporary):
    with PassingFolder() as path:
        lock = next(path.iterdir()).name
    theirs = temporary / "headwater-theirs"
    theirs.mkdir()
    (theirs / lock).touch()
    os.chown(theirs, 65534, 65534)
    sweep_passing_folders()
    assert (theirs / lock).exists()


def test_where_the_systems_folder_is_gone_nothing_happens(temporary, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(temporary / "nowhere"))
    sweep_passing_folders()

"""A run that died is known to the next one, with what it was doing."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given

from desktop.last_runs import LastRuns, Note
from tests.deep_types import assert_of_its_types
from tests.odd_values import damaged

DYING = """
import ctypes, os, sys
from pathlib import Path
from desktop.last_runs import LastRuns

runs = LastRuns(Path(sys.argv[1]))
if sys.argv[3] == "at once":
    os.kill(os.getpid(), 9)
runs.catch_faults()
runs.is_open(7)
runs.is_at_work(sys.argv[2])
if sys.argv[3] == "crash":
    ctypes.string_at(0)
os.kill(os.getpid(), 9)
"""


def die(folder: Path, model: str = "/models/a.gguf", how: str = "kill") -> int:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", DYING, str(folder), model, how]
    return subprocess.run(command, env=environment, capture_output=True, check=False).returncode


def look(folder: Path) -> LastRuns:
    runs = LastRuns(folder)
    runs.close()
    return runs


def test_a_run_that_left_by_itself_leaves_nothing(tmp_path):
    runs = LastRuns(tmp_path)
    runs.is_at_work("/models/a.gguf")
    runs.close()
    assert list(tmp_path.iterdir()) == []
    assert look(tmp_path).death is None


def test_one_that_was_killed_is_found_once_with_what_it_was_doing(tmp_path):
    assert die(tmp_path) == -signal.SIGKILL
    death = look(tmp_path).death
    assert death is not None
    assert (death.note, death.fault, death.in_a_row) == (Note("/models/a.gguf", 7), "", 1)
    assert look(tmp_path).death is None


def test_what_was_open_is_known_to_the_one_after_next_where_the_next_was_ended_at_its_start(tmp_path):
    die(tmp_path)
    die(tmp_path, how="at once")
    death = look(tmp_path).death
    assert death is not None
    assert death.note == Note("", 7)
    assert not look(tmp_path).is_deadly("/models/a.gguf")


def test_a_crash_in_compiled_code_is_written_down(tmp_path):
    assert die(tmp_path, how="crash") == -signal.SIGSEGV
    death = look(tmp_path).death
    assert death is not None
    assert death.fault.startswith("Fatal Python error: Segmentation fault")


def test_a_run_that_goes_on_is_not_taken_for_dead(tmp_path):
    running = LastRuns(tmp_path)
    running.is_at_work("/models/a.gguf")
    assert look(tmp_path).death is None
    running.close()


def test_a_model_is_deadly_after_two_deaths_in_a_row(tmp_path):
    die(tmp_path)
    assert not look(tmp_path).is_deadly("/models/a.gguf")
    die(tmp_path)
    runs = look(tmp_path)
    assert runs.is_deadly("/models/a.gguf")
    assert not runs.is_deadly("/models/b.gguf")
    assert not runs.is_deadly("")


@pytest.mark.parametrize("between", ["another model", "none at work", "it worked"])
def test_deaths_that_are_not_in_a_row_are_not_added_up(tmp_path, between):
    die(tmp_path)
    if between == "another model":
        die(tmp_path, "/models/b.gguf")
    if between == "none at work":
        die(tmp_path, "")
    if between == "it worked":
        look(tmp_path).forgive()
    die(tmp_path)
    assert look(tmp_path).is_deadly("/models/a.gguf") is (between == "none at work")


@pytest.mark.parametrize("words", ["", "[]", '{"model": 3, "conversation": "x"}', "\x00", "[" * 50_000])
def test_notes_that_are_damaged_are_read_as_far_as_they_make_sense(tmp_path, words):
    (tmp_path / "abc.json").write_text(words)
    (tmp_path / "deaths.json").write_text(words)
    runs = look(tmp_path)
    assert runs.death is not None
    assert runs.death.note == Note()
    assert not runs.is_deadly("/models/a.gguf")


@pytest.mark.skipif(sys.platform != "linux", reason="needs a file without an end")
def test_what_is_no_note_at_all_is_in_nobodys_way(tmp_path):
    for name in ("a.json", "a.lock", "deaths.json"):
        (tmp_path / name).mkdir()
    (tmp_path / "b.json").symlink_to("/dev/zero")
    (tmp_path / "b.fault").symlink_to("/dev/zero")
    runs = look(tmp_path)
    assert runs.death is None
    assert not runs.is_deadly("/models/a.gguf")


def test_what_is_written_is_its_owners_alone(tmp_path):
    runs = LastRuns(tmp_path / "runs")
    runs.catch_faults()
    runs.is_open(1)
    for path in (tmp_path / "runs", *(tmp_path / "runs").iterdir()):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0
    runs.close()


@given(damaged({"model": "/models/a.gguf", "conversation": 7}), damaged({"model": "/models/a.gguf", "count": 1}))
def test_whatever_damage_left_of_the_notes_the_next_run_begins(note, deaths):
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "ended.json").write_text(json.dumps(note))
        (folder / "deaths.json").write_text(json.dumps(deaths))
        runs = look(folder)
        assert runs.death is not None
        assert_of_its_types(runs.death)
        conversation, model = runs.death.note.conversation, runs.death.note.model
        assert conversation is None or 0 < conversation < 2**63, "the store can be asked for it"
        assert "\0" not in model
        assert 0 <= runs.death.in_a_row <= 1_000
        assert runs.is_deadly(model) == (runs.death.in_a_row >= 2)
        assert look(folder).death is None


def test_what_runs_left_that_were_ended_before_they_had_a_note_is_gone_and_is_no_death(tmp_path):
    running = LastRuns(tmp_path)
    running.catch_faults()
    theirs = set(tmp_path.iterdir())
    for name in ("0.new", "1.fault", "2.lock"):
        (tmp_path / name).touch()
    (tmp_path / "3.json").mkdir()
    runs = LastRuns(tmp_path)
    assert runs.death is None
    runs.close()
    assert set(tmp_path.iterdir()) == {*theirs, tmp_path / "3.json"}
    running.close()

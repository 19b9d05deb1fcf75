"""The program ends within a bounded time, whatever one of its threads waits for, and keeps what was said."""

from __future__ import annotations

import logging
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from functools import partial
from threading import Event

import pytest

from desktop.departure import Departure
from desktop.store import open_store
from tests.gguf_files import write_tiny_model

PATIENCE = 60.0  # seconds; only a broken departure takes them


@pytest.fixture
def never():
    """What a thread waits for that does not end, until the test is over."""
    event = Event()
    yield event
    event.set()


def test_what_ends_is_waited_for(caplog):
    departure, ended = Departure(PATIENCE), Event()
    departure.close("The engine", ended.set)
    assert ended.is_set()
    assert not departure.is_stuck
    assert caplog.messages == []


def test_what_does_not_end_is_left_and_named_in_the_log_and_the_rest_is_closed(caplog, never):
    departure, ended = Departure(0.05), Event()
    with caplog.at_level(logging.WARNING):
        departure.close("The engine", partial(never.wait, PATIENCE))
    assert departure.is_stuck
    (said,) = caplog.messages
    assert said.startswith("The engine did not end within 0.05 seconds: it waits for the system, ")
    departure.close("What counts tokens", ended.set)
    assert ended.wait(PATIENCE)
    assert departure.is_stuck


def test_what_goes_wrong_is_raised_where_it_is_waited_for():
    departure = Departure(PATIENCE)
    with pytest.raises(ZeroDivisionError):
        departure.close("The engine", lambda: 1 / 0)
    assert not departure.is_stuck


# A window whose engine waits for what never comes, asked something meanwhile.
STUCK = """
import os, sys
from pathlib import Path
from desktop.departure import Departure
from desktop.places import Places
from desktop.running import run
from desktop.wishes import ReplyChoices
from inference import LocalEngine

pipe, _open = os.pipe()

def load(_config, _stop_flag, _progress):
    print("loading", flush=True)
    os.read(pipe, 1)

def ask():
    assert app[0].library.current.send("Why do rivers bend?", ReplyChoices(streaming=True))
    print("asked", flush=True)

app = []
def prepare(made):
    app.append(made)
    made.departure = Departure(0.5)
    made.begun.connect(ask)

sys.exit(run(
    ["headwater"],
    Places(Path(sys.argv[1]) / "conversations.sqlite3", Path(sys.argv[1]) / "settings.toml"),
    model=Path(sys.argv[2]),
    say=print,
    complain=print,
    prepare=prepare,
    make_engine=lambda emit, states: LocalEngine(emit, states, loader=load),
))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="sends POSIX signals")
def test_it_ends_when_it_is_asked_to_though_the_engine_waits_for_the_system(tmp_path):
    model = write_tiny_model(tmp_path / "tiny.gguf")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "QT_QPA_PLATFORM": "offscreen"}
    with subprocess.Popen(
        [sys.executable, "-c", STUCK, str(tmp_path), str(model)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert {process.stdout.readline().strip() for _ in range(2)} == {"loading", "asked"}
        process.send_signal(signal.SIGTERM)
        said, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, said) == (0, "")
    assert "The engine did not end within 0.5 seconds" in errors
    path = tmp_path / "conversations.sqlite3"
    store, salvage = open_store(path)
    assert (store.interrupted, salvage) == (1, None)
    store.close()
    with closing(sqlite3.connect(path)) as connection:
        (asked,) = connection.execute("SELECT content FROM turns WHERE role = 'user'").fetchall()
    assert asked == ("Why do rivers bend?",)

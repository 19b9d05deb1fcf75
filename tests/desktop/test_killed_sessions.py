"""A program that is killed in mid-reply loses no more of it than was said since the last checkpoint was due."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys

import pytest

from desktop.chat_session import CHECKPOINT_MILLISECONDS
from desktop.conversations import TurnState
from desktop.store import Store
from tests.killing import moments, seed

KILLS = moments(few=20, some=50)
INTERVAL = 50  # milliseconds between checkpoints, so that many of them are seen; a program has a second
LATE = 0.01  # seconds that a timer of Qt's may take longer

# Loads everything once, and then has for every line a process of its own: a session whose reply grows every two
# milliseconds, and which says how far it is.
NURSERY = f"""
import json, os, sys, time
from pathlib import Path
from PySide6.QtCore import QCoreApplication, QTimer
from desktop.chat_session import ChatSession
from desktop.model_choice import ModelChoice
from desktop.settings import SettingsFile
from desktop.store import Store
from desktop.wishes import ReplyChoices
from tests.desktop.fakes import MODEL, ScriptedEngine

def say(*facts):
    os.write(1, (json.dumps(facts) + "\\n").encode())

def converse(path):
    application = QCoreApplication([])
    engine, length = ScriptedEngine(), 0
    models = ModelChoice(engine, SettingsFile(path.with_name("settings.toml")), MODEL)
    session = ChatSession(Store(path), engine, models, checkpoint_milliseconds={INTERVAL})
    engine.listeners += [models.on_event, session.on_event]
    models.load()
    engine.ready()
    session.send("Why?", ReplyChoices(streaming=True))
    say(os.getpid(), session.turns[-1].id)

    def grow():
        nonlocal length
        engine.say("word ")
        length += len("word ")
        say(time.monotonic(), length)

    timer = QTimer(interval=2)
    timer.timeout.connect(grow)
    timer.start()
    application.exec()

for line in sys.stdin:
    if os.fork() == 0:
        converse(Path(json.loads(line)))
    os.wait()
    say(0, 0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that begin in a moment")
def test_no_more_is_lost_than_was_said_since_the_last_checkpoint_was_due(tmp_path):
    assert CHECKPOINT_MILLISECONDS == 1_000
    chance = random.Random(seed())  # noqa: S311 - other moments each time would help nobody to find what went wrong
    path = tmp_path / "conversations.sqlite3"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", NURSERY]
    kept_something = 0
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True
    ) as nursery:
        assert nursery.stdin is not None
        assert nursery.stdout is not None
        for _ in range(KILLS):
            nursery.stdin.write(json.dumps(str(path)) + "\n")
            nursery.stdin.flush()
            process, reply = json.loads(nursery.stdout.readline())
            said = [json.loads(nursery.stdout.readline()) for _ in range(chance.randint(3, 60))]
            os.kill(process, signal.SIGKILL)
            while (fact := json.loads(nursery.stdout.readline())) != [0, 0]:
                said.append(fact)
            # The last two may have been said before a checkpoint that had long been due: the machine was busy.
            due = said[-3][0] - INTERVAL / 1_000 - LATE
            store = Store(path)
            turn = store.turns(reply)[-1]
            assert turn.state is TurnState.INTERRUPTED
            assert len(turn.message.content) >= max((length for moment, length in said if moment < due), default=0)
            kept_something += bool(turn.message.content)
            store.close()
        nursery.stdin.close()
    assert kept_something > KILLS / 4

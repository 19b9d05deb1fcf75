"""Two windows write side by side, and one that is killed at any moment takes nothing with it that it had kept."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from desktop.conversations import TurnState
from desktop.store import Store
from tests.killing import moments, seed

KILLS = moments(few=20, some=50)

# Loads everything once and then makes a writer at once for every line: a process that does all there is to do with a
# store, and says what is kept, as soon as it is.
NURSERY = """
import itertools, json, os, sys
from dataclasses import replace
from pathlib import Path
from desktop.changes import NewConversation
from desktop.conversations import TurnState
from desktop.store import Store
from inference import Trace
from tests.desktop.exchanges import SMALL, saying

def say(*facts):
    os.write(1, (json.dumps(facts) + "\\n").encode())

def write(path, name, most):
    store = Store(path)
    say("open", os.getpid(), 0)
    last = None
    for number in itertools.count() if most is None else range(most):
        place = (NewConversation(name), None) if last is None else (last.conversation.id, last.reply.id)
        question = f"question {name} {number}"
        exchange = store.begin_exchange(question, SMALL, conversation=place[0], parent=place[1])
        say("asked", exchange.reply.id, 0)
        text = ""
        for step in range(1, 6):
            text += f"{name} word{step} " * 200
            reply = saying(exchange.reply, text)
            store.checkpoint(reply)
            say("kept", reply.id, len(text))
        store.finish(replace(reply, state=TurnState.COMPLETE), Trace((1, 2), (0.1, 0.2), 2))
        say("finished", reply.id, len(text))
        last = exchange
        store.tidy()
        if number % 3 == 2:
            store.purge([store.duplicate(exchange.conversation.id).id])
    store.close()
    say("closed", 0, 0)

for line in sys.stdin:
    path, name, most = json.loads(line)
    if os.fork() == 0:
        write(Path(path), name, most)
        os._exit(0)
    if most is None:
        os.wait()
        say("gone", 0, 0)
while True:
    try:
        os.wait()
    except ChildProcessError:
        break
"""

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that begin in a moment")


@pytest.fixture
def nursery():
    process = subprocess.Popen(
        [sys.executable, "-c", NURSERY],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        text=True,
    )
    with process:
        yield process


def begin(nursery: subprocess.Popen[str], path: Path, name: str, most: int | None) -> None:
    assert nursery.stdin is not None
    nursery.stdin.write(json.dumps([str(path), name, most]) + "\n")
    nursery.stdin.flush()


def said_by(nursery: subprocess.Popen[str]) -> tuple[str, int, int]:
    assert nursery.stdout is not None
    what, number, length = json.loads(nursery.stdout.readline())
    return what, number, length


def assert_sound(path: Path) -> None:
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.close()


def test_a_window_that_is_killed_at_any_moment_leaves_all_that_it_kept(nursery, path):
    chance = random.Random(seed())  # noqa: S311 - other moments each time would help nobody to find what went wrong
    kept: dict[int, tuple[str, int]] = {}  # replies: what was said of them last
    for round_number in range(KILLS):
        begin(nursery, path, f"w{round_number}", None)
        what, writer, _ = said_by(nursery)
        assert what == "open"
        for _ in range(chance.randint(0, 25)):
            what, number, length = said_by(nursery)
            kept[number] = what, length
        for _ in range(chance.randint(0, 30_000)):
            pass  # some way into whatever comes next
        os.kill(writer, signal.SIGKILL)
        while (fact := said_by(nursery))[0] != "gone":
            kept[fact[1]] = fact[0], fact[2]
        store = Store(path)
        assert store.interrupted <= 1
        for number, (what, length) in list(kept.items())[-8:]:
            reply = store.turns(number)[-1]
            assert len(reply.message.content) >= length
            assert reply.state in (TurnState.COMPLETE, TurnState.INTERRUPTED)
            assert what != "finished" or (reply.state, store.trace(number) is None) == (TurnState.COMPLETE, False)
        store.close()
        assert_sound(path)
    assert len(kept) > KILLS
    store = Store(path)
    assert {conversation.title for conversation in store.conversations()} <= {f"w{n}" for n in range(KILLS)}
    while store.tidy():
        pass
    finished = next(number for number, (what, _) in kept.items() if what == "finished")
    (reply,) = store.turns(finished)[-1:]
    found = {hit.conversation.id for hit in store.search(reply.message.content.split()[0])}
    assert reply.conversation in found
    assert len(list((path.parent / "locks").glob("*.lock"))) == 1  # its own
    store.close()


def test_two_windows_write_side_by_side_and_lose_nothing(nursery, path):
    Store(path).close()
    begin(nursery, path, "one", 8)
    begin(nursery, path, "two", 8)
    closed = 0
    while closed < 2:
        closed += said_by(nursery)[0] == "closed"
    store = Store(path)
    assert store.interrupted == 0
    conversations = store.conversations()
    assert {conversation.title for conversation in conversations} == {"one", "two"}
    assert [len(store.turns(conversation.head)) for conversation in conversations] == [16, 16]
    assert [hit.conversation.title for hit in store.search("question two")] == ["two"]
    store.close()
    assert_sound(path)

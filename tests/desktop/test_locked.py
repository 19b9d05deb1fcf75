"""Another program holds the conversations locked: nothing is lost, the window stays usable, and it is said once."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from desktop.library import FileFormat
from desktop.store import StoreError
from desktop.wishes import ReplyChoices
from tests.desktop.guided_window import guided_window
from tests.desktop.test_survival import Starts
from tests.gguf_files import write_tiny_model

# Opens the program while the file is locked, and lets go when it asks whether to try again.
STARTED = """
import sqlite3, sys
from functools import partial
from pathlib import Path
from desktop.places import Places
from desktop.running import run

folder = Path(sys.argv[1])
other = sqlite3.connect(folder / "conversations.sqlite3", isolation_level=None)
other.execute("BEGIN EXCLUSIVE")
asked = []

def ask_again(sentence):
    asked.append(sentence)
    if len(asked) == 2:
        other.execute("ROLLBACK")
    return True

def prepare(app):
    print(len(asked), asked[0])
    app.begun.connect(app.window.close)

places = Places(folder / "conversations.sqlite3", folder / "settings.toml")
sys.exit(run(["headwater"], places, say=print, complain=lambda _: None, prepare=prepare, ask_again=ask_again))
"""
# The same for a demonstration, which nobody may be there to answer.
DEMONSTRATED = STARTED.replace("say=print", "picture=folder / 'shot.png', say=print").replace("lambda _: None", "print")
MANY_KEYS = "a question that is typed meanwhile"


@pytest.fixture
def starts(qapp, qtbot, tmp_path):
    return Starts(qapp, qtbot, tmp_path)


@contextmanager
def locked(starts: Starts, how: str = "BEGIN IMMEDIATE"):
    """As another process has it; gives what lets go."""
    path = starts.folder / "conversations.sqlite3"
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute(how)
        yield other.rollback


def rows(starts: Starts) -> list[tuple[str, str, str]]:
    with closing(sqlite3.connect(starts.folder / "conversations.sqlite3")) as connection:
        return connection.execute("SELECT role, content, state FROM turns ORDER BY id").fetchall()


def answering(starts: Starts):
    """A window in which a reply has begun."""
    app = starts.start()
    starts.engine.ready()
    assert app.library.current.send("Why?", ReplyChoices(streaming=True))
    starts.engine.say("Because ")
    return app


def test_a_lock_of_a_moment_is_waited_for_and_nobody_hears_of_it(starts, qtbot):
    app = answering(starts)
    with locked(starts) as let_go:
        timer = threading.Timer(0.3, let_go)
        timer.start()
        starts.engine.finish()
        qtbot.waitUntil(lambda: app.library.current.is_settled)
        timer.join()
    assert app.window.board.notices == ()
    starts.end(app)
    assert rows(starts) == [("user", "Why?", "complete"), ("assistant", "Because ", "complete")]


@pytest.mark.parametrize("how", ["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"])
def test_under_a_lock_that_stays_one_types_and_reads_on_and_all_is_kept_when_it_goes(starts, qtbot, how):
    app = answering(starts)
    window, session = app.window, app.library.current
    with locked(starts, how) as let_go:
        starts.engine.say("of the water.")
        starts.engine.finish()
        qtbot.waitUntil(lambda: not session.is_busy)
        began = time.monotonic()
        qtbot.keyClicks(window.composer.field, MANY_KEYS)
        assert not session.send("And then?", ReplyChoices(streaming=True))
        assert time.monotonic() - began < 5, "the window stood still at each key"
        (notice,) = [notice for notice in window.board.notices if "locked" in notice.text]
        assert "Close it, then go on." in notice.text
        assert window.composer.text == MANY_KEYS
        app.library.new()
        app.library.open(session.conversation.id)
        assert [turn.message.content for turn in app.library.current.turns] == ["Why?", "Because of the water."]
        let_go()
        qtbot.waitUntil(lambda: session.is_settled, timeout=10_000)
    assert session.draft.text == MANY_KEYS
    starts.end(app)
    assert rows(starts) == [("user", "Why?", "complete"), ("assistant", "Because of the water.", "complete")]
    again = starts.start()
    assert again.window.composer.text == MANY_KEYS
    starts.end(again)


@pytest.mark.parametrize("kind", FileFormat)
def test_what_cannot_be_kept_yet_is_in_an_export_all_the_same(starts, qtbot, tmp_path, kind):
    app = answering(starts)
    session = app.library.current
    with locked(starts):
        starts.engine.say("of the water.")
        qtbot.waitUntil(lambda: session.unkept is not None and session.unkept.message.content.endswith("water."))
        assert app.library.export([session.conversation.id], tmp_path / "growing", kind)
        starts.engine.finish()
        qtbot.waitUntil(lambda: not session.is_busy)
        assert not session.is_settled
        assert app.library.export([session.conversation.id], tmp_path / "whole", kind)
    assert "Because of the water." in (tmp_path / "whole").read_text()
    assert "Because of the water." in (tmp_path / "growing").read_text()
    starts.end(app)


def test_a_notice_that_was_put_away_does_not_come_back_at_the_next_key(starts, qtbot):
    app = answering(starts)
    with locked(starts):
        qtbot.keyClicks(app.window.composer.field, "a")
        (notice,) = app.window.board.notices
        app.window.board.put_away(notice)
        qtbot.keyClicks(app.window.composer.field, "bcd")
        assert app.window.board.notices == ()
    starts.end(app)


def test_a_window_that_is_closed_under_a_lock_stays_until_all_is_kept_and_closes_by_itself(starts, qtbot):
    app = answering(starts)
    with locked(starts) as let_go:
        starts.engine.say("of the water.")
        starts.engine.finish()
        app.window.close()
        assert app.window.isVisible()
        assert any("Headwater closes as soon as it is" in notice.text for notice in app.window.board.notices)
        let_go()
        with qtbot.waitSignal(app.left, timeout=10_000):
            pass
    assert not app.window.isVisible()
    starts.end(app)
    assert rows(starts)[-1] == ("assistant", "Because of the water.", "complete")


def test_whoever_wants_to_close_all_the_same_may(starts, qtbot):
    app = answering(starts)
    with locked(starts):
        starts.engine.finish()
        app.window.close()
        with qtbot.waitSignal(app.left, timeout=10_000):
            app.window.board.notices[-1].action_button.click()
    starts.end(app)
    assert rows(starts)[0] == ("user", "Why?", "complete")


def test_a_start_under_a_lock_says_so_and_changes_nothing(starts):
    starts.end(answering(starts))
    before = rows(starts)
    with locked(starts, "BEGIN EXCLUSIVE"), pytest.raises(StoreError, match="Another program holds"):
        starts.start()
    assert rows(starts) == before
    starts.end(starts.start())


def started(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-c", program, str(folder)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)


def test_a_start_under_a_lock_is_tried_again_as_often_as_one_likes(starts):
    starts.end(answering(starts))
    done = started(STARTED, starts.folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("2 Another program holds the conversations")


def test_a_demonstration_under_a_lock_asks_nobody_and_ends(starts):
    starts.end(answering(starts))
    done = started(DEMONSTRATED, starts.folder)
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("Another program holds the conversations")


def test_a_program_that_is_asked_to_end_under_a_lock_says_why_it_waits_and_ends_when_it_is_asked_again(tmp_path):
    model = write_tiny_model(tmp_path / "tiny.gguf", context_length=512)
    with guided_window(tmp_path, model) as window:
        assert window.until("model")[0] == "ready"
        with closing(sqlite3.connect(tmp_path / "data" / "conversations.sqlite3", isolation_level=None)) as other:
            window.do("send", "Why?")
            window.until("grew")
            other.execute("BEGIN IMMEDIATE")
            window.until("turn")
            window.process.send_signal(signal.SIGTERM)
            (sentence,) = window.until("stays")
            assert sentence in window.ask("notices", kind="notices")
            window.process.send_signal(signal.SIGTERM)
            assert window.process.wait(60) == 0
            other.rollback()
            kept = other.execute("SELECT role, content FROM turns ORDER BY id").fetchall()
        assert kept[0] == ("user", "Why?")
        assert window.errors == f"headwater: {sentence} Ask again to end it at once and lose that.\n"

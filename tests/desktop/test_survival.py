"""Whatever happens to the program, nothing that it has kept is lost, and it starts again. For what kills it at any
moment see `tests.desktop.kills`."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import QCoreApplication, QEvent

from desktop.app import App
from desktop.chat_session import ChatSession
from desktop.model_choice import ModelPhase
from desktop.places import Places
from desktop.secrets import Keys
from desktop.store import StoreError, open_store
from desktop.wishes import ReplyChoices
from inference import LocalEngine
from tests.desktop.fakes import MODEL, ScriptedEngine
from tests.desktop.guided_window import guided_window
from tests.desktop.wire import SAMPLING
from tests.gguf_files import write_tiny_model
from tests.mounts import disk_of

# A window that asks all the time, and says what it has kept: what was asked, and replies that came to their end.
BUSY = """
import json, sys
from functools import partial
from pathlib import Path
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication
from desktop.app import App
from desktop.places import Places
from desktop.conversations import TurnState
from desktop.library import FileFormat
from desktop.wishes import ReplyChoices
from inference import LocalEngine

folder, model = Path(sys.argv[1]), Path(sys.argv[2])
application = QApplication([])
app = App(application, Places(folder / "conversations.sqlite3", folder / "settings.toml"), LocalEngine, model)
count = 0

def tell(*what):
    print(json.dumps(what), flush=True)

def ask():
    global count
    count += 1
    if count % 3 == 0:
        app.library.new()
    words = f"Question {sys.argv[3]}.{count} about rivers"
    if app.library.current.send(words, ReplyChoices(streaming=True)):
        tell("asked", words)
    else:  # the conversation before is full, or being answered
        QTimer.singleShot(10, ask)

def ended(turn):
    if turn.state is TurnState.COMPLETE:
        tell("said", turn.id, turn.message.content)
    app.library.exported([conversation.id for conversation in app.library.conversations()[:2]], FileFormat.JSON)
    QTimer.singleShot(0, ask)

followed = set()

def follow(session):
    if session in followed:
        return
    followed.add(session)
    session.turn_changed.connect(ended)
    session.reply_grew.connect(lambda turn, text: tell("grew"))

app.library.opened.connect(follow)
follow(app.library.current)
app.begun.connect(ask)
app.show()
sys.exit(application.exec())
"""


@dataclass
class Kept:
    """What the program said that it has kept."""

    asked: set[str] = field(default_factory=set)
    said: dict[int, str] = field(default_factory=dict)

    def take(self, line: str) -> str:
        """Take note of a line; what kind it is."""
        try:
            what = json.loads(line)
        except ValueError:  # cut off in the middle
            return ""
        match what:
            case ["asked", words]:
                self.asked.add(words)
            case ["said", turn, text]:
                self.said[turn] = text
        return str(what[0])

    def check(self, folder: Path) -> None:
        """All of it is there."""
        path = folder / "conversations.sqlite3"
        store, salvage = open_store(path)
        store.close()
        assert salvage is None
        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            rows = connection.execute("SELECT id, role, content, state FROM turns").fetchall()
        assert self.asked <= {content for _, role, content, _ in rows if role == "user"}
        assert self.said.items() <= {(number, content) for number, _, content, _ in rows}
        assert "writing" not in {state for *_, state in rows}


@pytest.fixture(scope="module")
def tiny(tmp_path_factory) -> Path:
    return write_tiny_model(tmp_path_factory.mktemp("models") / "tiny.gguf", context_length=512)


@contextmanager
def busy_window(folder: Path, model: Path, name: object, **environment: str) -> Iterator[subprocess.Popen[str]]:
    own = {"PYTHONPATH": os.pathsep.join(sys.path), "QT_QPA_PLATFORM": "offscreen"}
    process = subprocess.Popen(
        [sys.executable, "-c", BUSY, str(folder), str(model), str(name)],
        env=os.environ | own | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def read_until(process: subprocess.Popen[str], kept: Kept, kind: str, times: int = 1) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        times -= kept.take(line) == kind
        if not times:
            return
    raise AssertionError(f"it ended with {process.wait()} before it {kind}")


STARTS = int(os.environ.get("HEADWATER_STARTS", "200"))  # in one process
PROCESSES = int(os.environ.get("HEADWATER_STARTS", "4"))


def test_a_program_that_is_stopped_in_mid_reply_and_goes_on_ends_it(tmp_path, tiny):
    """As a machine that sleeps does with it."""
    kept = Kept()
    with busy_window(tmp_path, tiny, "s") as process:
        read_until(process, kept, "grew")
        watched = psutil.Process(process.pid)
        process.send_signal(signal.SIGSTOP)
        while watched.status() != psutil.STATUS_STOPPED:
            pass
        process.send_signal(signal.SIGCONT)
        read_until(process, kept, "said", times=2)
        process.send_signal(signal.SIGTERM)
    kept.check(tmp_path)


@pytest.mark.long
def test_a_display_that_goes_away_takes_nothing_with_it(tmp_path, tiny):
    if shutil.which("Xvfb") is None:
        pytest.skip("needs Xvfb")
    reader, writer = os.pipe()
    command = ["Xvfb", "-displayfd", str(writer), "-nolisten", "tcp"]
    with subprocess.Popen(command, pass_fds=(writer,), stderr=subprocess.DEVNULL) as server:
        os.close(writer)
        with os.fdopen(reader) as number:
            name = f":{number.readline().strip()}"
        kept = Kept()
        with busy_window(tmp_path, tiny, "d", DISPLAY=name, QT_QPA_PLATFORM="xcb") as process:
            read_until(process, kept, "said", times=2)
            server.terminate()
            assert process.stdout is not None
            for line in process.stdout:
                kept.take(line)
            assert process.wait() != 0
    kept.check(tmp_path)


class Starts:
    """Starts the program in this process, again and again."""

    def __init__(self, qapp, qtbot, folder: Path) -> None:
        self.qapp, self.qtbot, self.folder = qapp, qtbot, folder
        self.engine = ScriptedEngine()

    def start(self, make_engine=None, embedded: Path = MODEL) -> App:
        def scripted(emit, _states):
            self.engine = ScriptedEngine()
            self.engine.listeners.append(emit)
            return self.engine

        places = Places(self.folder / "conversations.sqlite3", self.folder / "settings.toml")
        keys = partial(Keys, environment={}, open_keyring=lambda: None)
        app = App(self.qapp, places, make_engine or scripted, embedded, None, keys)
        with self.qtbot.waitSignal(app.begun):
            app.show()
        return app

    def end(self, app: App) -> None:
        app.leave()
        app.window.close()
        app.window.deleteLater()
        app.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def starts(qapp, qtbot, tmp_path):
    return Starts(qapp, qtbot, tmp_path)


@pytest.mark.long
@pytest.mark.timeout(60 + 3 * STARTS)
def test_many_starts_leave_no_file_open_and_no_thread(starts, tmp_path):
    process = psutil.Process()
    for _ in range(5):
        starts.end(starts.start())
    files, threads = process.num_fds(), process.num_threads()
    for _ in range(STARTS):
        starts.end(starts.start())
    assert process.num_fds() <= files + 2
    assert process.num_threads() <= threads + 2
    assert list((tmp_path / "runs").iterdir()) == []
    assert list((tmp_path / "locks").glob("*.lock")) == []


@pytest.mark.long
@pytest.mark.timeout(60 + 15 * PROCESSES)
def test_many_processes_one_after_another_leave_nothing_behind(tmp_path, tiny, monkeypatch):
    """The whole program, each time in a process of its own: no file more, no lock, no child, no file open."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(temporary))
    folder = tmp_path / "program"
    found: list[tuple[set[Path], int]] = []
    for number in range(PROCESSES):
        with guided_window(folder, tiny) as window:
            assert window.until("model")[0] == "ready"
            if number == 0:
                window.answer_to("Why do rivers bend?")
            watched = psutil.Process(window.process.pid)
            assert [child for child in watched.children() if child.status() == psutil.STATUS_ZOMBIE] == []
            files_open = watched.num_fds()
            assert window.close() == 0
            assert window.errors == ""
        files = {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
        found.append((files - {Path("data/llama.log.1")}, files_open))  # once the log has been long
    (first, files_open), *_, (last, still_open) = found[1:]
    assert last == first
    assert still_open <= files_open + 2
    assert list(temporary.iterdir()) == []
    assert list(folder.rglob("*.lock")) == []
    assert [each for each in psutil.process_iter(["cmdline"]) if str(folder) in (each.info["cmdline"] or ())] == []


@pytest.mark.long
def test_twenty_changes_of_model_in_mid_reply_lose_nothing(starts, tiny, qtbot):
    other = tiny.with_name("other.gguf")
    shutil.copyfile(tiny, other)
    app = starts.start(LocalEngine, tiny)
    qtbot.waitUntil(lambda: app.models.state.phase is ModelPhase.READY, timeout=20_000)
    asked: list[str] = []
    in_mid_reply = 0
    while in_mid_reply < 20:
        assert len(asked) < 200, "hardly any reply is met in its middle"
        app.library.new()
        session = app.library.current
        session.set_prompt_and_sampling("", SAMPLING)
        asked.append(f"Question {len(asked)}")
        session.send(asked[-1], ReplyChoices(streaming=True))
        qtbot.waitUntil(partial(is_writing_or_done, session), timeout=20_000)
        in_mid_reply += session.is_busy
        app.models.choose((tiny, other)[len(asked) % 2])
        qtbot.waitUntil(partial(is_done, session), timeout=20_000)
    qtbot.waitUntil(lambda: app.models.state.phase is ModelPhase.READY, timeout=20_000)
    starts.end(app)
    with closing(sqlite3.connect(starts.folder / "conversations.sqlite3")) as connection:
        turns = connection.execute("SELECT role, content, state FROM turns").fetchall()
    assert {content for role, content, _ in turns if role == "user"} == set(asked)
    assert {state for *_, state in turns} == {"complete"}


def is_writing_or_done(session: ChatSession) -> bool:
    return session.activity.output_tokens > 0 or is_done(session)


def is_done(session: ChatSession) -> bool:
    return not session.is_busy


@pytest.fixture
def disk(tmp_path):
    """A small file system of its own."""
    with disk_of(tmp_path / "disk", "2m") as folder:
        yield folder


def test_a_disk_that_fills_up_is_said_and_when_there_is_room_it_goes_on(disk, qapp, qtbot):
    starts = Starts(qapp, qtbot, disk / "data")
    app = starts.start()
    starts.engine.ready()
    session = app.library.current
    session.send("The first", ReplyChoices(streaming=True))
    starts.engine.say("An answer.")
    starts.engine.finish()
    qtbot.waitUntil(lambda: not session.is_busy)
    filling = disk / "filling"
    with filling.open("wb", buffering=0) as file:
        while fill(file):
            pass
    assert not session.send("The second" * 3000, ReplyChoices(streaming=True))
    assert any("is full" in notice.text for notice in app.window.board.notices)
    app.settings.save(app.settings.current)
    filling.unlink()
    assert session.send("The third", ReplyChoices(streaming=True))
    starts.engine.say("Another.")
    starts.engine.finish()
    qtbot.waitUntil(lambda: not session.is_busy)
    assert [turn.message.content for turn in session.turns] == ["The first", "An answer.", "The third", "Another."]
    starts.end(app)


def fill(file) -> bool:
    try:
        return bool(file.write(bytes(4096)))
    except OSError:
        return False


def test_on_a_disk_that_nobody_may_write_to_the_program_says_so_and_changes_nothing(disk, qapp, qtbot):
    starts = Starts(qapp, qtbot, disk / "data")
    app = starts.start()
    starts.engine.ready()
    app.library.current.send("The first", ReplyChoices(streaming=True))
    starts.engine.finish()
    starts.end(app)
    before = {path: path.read_bytes() for path in disk.rglob("*") if path.is_file()}
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    with pytest.raises(StoreError, match="cannot be"):
        starts.start()
    assert {path: path.read_bytes() for path in disk.rglob("*") if path.is_file()} == before
    subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
    again = starts.start()
    assert [conversation.title for conversation in again.library.conversations()] == ["The first"]
    starts.end(again)


LIMITED = """
import resource, sys
from pathlib import Path
import inference.llama
from inference import LocalEngine, ModelConfig, ModelFailed, ModelReady, embedded_model
import psutil, queue

spare, context = int(sys.argv[1]) << 20, int(sys.argv[2])
events = queue.SimpleQueue()
engine = LocalEngine(events.put)
now = psutil.Process().memory_info().vms
resource.setrlimit(resource.RLIMIT_AS, (now + spare, now + spare))
engine.load(ModelConfig(embedded_model(), context_size=context, threads=1))
event = next(event for event in iter(events.get, None) if isinstance(event, (ModelFailed, ModelReady)))
print(type(event).__name__, getattr(event, "error", ""))
engine.close()
"""


@pytest.mark.model
@pytest.mark.parametrize(("spare", "context"), [(60, 512), (200, 8_192)], ids=["the weights", "the KV cache"])
def test_memory_that_does_not_suffice_is_a_sentence(spare, context):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", LIMITED, str(spare), str(context)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("ModelFailed")
    assert "Traceback" not in done.stderr

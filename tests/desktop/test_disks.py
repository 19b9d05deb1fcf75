"""Each place that the program writes to may be full or read-only: nothing is lost, and what a person must know is said.

What is checked for each: before, while and after; a prompt, a draft, a setting, an export and a backup; the end of the
program and a start under it.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent

from desktop.app import App
from desktop.library import FileFormat
from desktop.model_choice import ModelPhase
from desktop.places import Places
from desktop.secrets import Keys
from desktop.store import StoreError
from desktop.theme import load_theme
from desktop.widgets.plot import PlotView
from desktop.widgets.result_export import ExportButton
from desktop.wishes import ReplyChoices
from inference import (
    EngineFiles,
    FolderRefused,
    LocalEngine,
    ShelfFolder,
    ShelfSource,
    bring_back,
    find_models,
    throw_away,
)
from inference.hub import DownloadState
from tests.desktop.test_downloads import LARGE, REPO, Queues
from tests.gguf_files import write_tiny_model
from tests.inference.experiments.test_comparison import of
from tests.mounts import mount_small, run

# Where the program writes, and what somebody is told when that place takes nothing: a part of the sentence of a notice.
PLACES = {
    "data": "",  # see below: it is told, or the start is refused
    "data/locks": "",
    "data/runs": "",
    "data/backups": "",
    "config": "The settings cannot be saved in",
    "states": "",
    "engine": "",
    "exports": "cannot be written:",
}
REFUSED_WHERE_READ_ONLY = ("data", "data/locks")  # without a lock nobody knows whose unfinished replies are whose


@dataclass
class Disk:
    """A small file system at `path`."""

    path: Path

    def fill(self) -> None:
        with (self.path / "filling").open("wb", buffering=0) as file:
            try:
                while file.write(bytes(512)):
                    pass
            except OSError:
                pass

    def empty(self) -> None:
        (self.path / "filling").unlink()

    def refuse(self) -> None:
        """Nothing is made or deleted here any more; what is open can still be written to."""
        assert run("mount", "--bind", self.path, self.path)
        assert run("mount", "-o", "remount,ro,bind", self.path)

    def allow(self) -> None:
        assert run("umount", "--lazy", self.path)


class DyingDisk(Disk):
    """A file system of a disk that has failed: the kernel lets nobody write any more, whatever is open."""

    @property
    def image(self) -> Path:
        return self.path.with_name("image")

    def refuse(self) -> None:
        found = subprocess.run(["losetup", "-j", str(self.image)], check=True, capture_output=True, text=True).stdout
        Path("/sys/fs/ext4", Path(found.partition(":")[0]).name, "trigger_fs_error").write_text("a test")

    def allow(self) -> None:
        assert run("umount", "--lazy", self.path)
        assert run("mount", "-o", "loop", self.image, self.path)


@pytest.fixture
def model(tmp_path_factory) -> Path:
    return write_tiny_model(tmp_path_factory.mktemp("models") / "tiny.gguf", context_length=512)


class Program:
    """The whole window with the engine of this machine, all that it writes below one folder."""

    def __init__(self, qapp, qtbot, root: Path, model: Path) -> None:
        self.qapp, self.qtbot, self.root, self.model = qapp, qtbot, root, model
        self.asked: list[str] = []
        for name in PLACES:
            (root / name).mkdir(parents=True, exist_ok=True)
        engine = EngineFiles(root / "engine" / "machine.json", root / "engine" / "llama.log")
        data, settings = root / "data" / "conversations.sqlite3", root / "config" / "settings.toml"
        self.places = Places(data, settings, root / "states", engine, home=root)

    def start(self) -> App:
        keys = partial(Keys, environment={}, open_keyring=lambda: None)
        make_engine = partial(self.engine)
        app = App(self.qapp, self.places, make_engine, self.model, None, keys)
        with self.qtbot.waitSignal(app.begun, timeout=20_000):
            app.show()
        self.qtbot.waitUntil(lambda: app.models.state.phase is ModelPhase.READY, timeout=20_000)
        return app

    def engine(self, emit, states):
        return LocalEngine(emit, states, files=self.places.engine)

    def use(self, app: App) -> set[str]:
        """Do with it what writes somewhere; what was said in notices."""
        session = app.library.current
        question = f"Question {len(self.asked)}"
        if session.send(question, ReplyChoices(streaming=True)):
            self.asked.append(question)
        self.qtbot.waitUntil(lambda: not session.is_busy, timeout=20_000)
        app.window.choices._keep(replace(app.settings.current, zoom=200 - app.settings.current.zoom + 1))
        app.library.export([each.id for each in app.library.conversations()][:2], self.export, FileFormat.JSON)
        app.library.new()
        self.qtbot.keyClicks(app.window.composer.field, "a draft")
        app.window.composer.set_text("")
        self.back_up(app)
        said = {notice.text for notice in app.window.board.notices}
        for notice in app.window.board.notices:
            app.window.board.put_away(notice)
        return said

    @property
    def export(self) -> Path:
        return self.root / "exports" / "some.json"

    def back_up(self, app: App) -> None:
        backups = app._store.backups
        assert backups is not None
        try:
            backups.make()
        except StoreError:
            return

    def end(self, app: App) -> None:
        left: list[int] = []
        app.left.connect(left.append)
        app.window.close()
        if not left:  # something could not be kept: whoever closes it all the same may
            app.window.board.notices[-1].action_button.click()
        assert left == [0]
        app.window.deleteLater()
        app.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    def kept(self) -> set[str]:
        with closing(sqlite3.connect(self.places.conversations)) as connection:
            rows = connection.execute("SELECT role, content, state FROM turns").fetchall()
        assert {state for *_, state in rows} <= {"complete", "failed", "interrupted"}
        return {content for role, content, _ in rows if role == "user"}


@pytest.fixture
def mounted(tmp_path):
    """Makes a file system at a path of the program."""
    disks: list[Disk] = []
    if not sys.platform.startswith("linux"):
        pytest.skip("needs Linux's mounts")

    def mount(path: Path, kind: type[Disk] = Disk, megabytes: int = 3) -> Disk:
        path.mkdir(parents=True, exist_ok=True)
        disk = kind(path)
        if isinstance(disk, DyingDisk):
            with disk.image.open("wb") as image:
                image.truncate(16 << 20)
            made = run("mkfs.ext4", "-q", "-F", disk.image)
            if not made or not run("mount", "-o", "loop,errors=remount-ro", disk.image, path):
                pytest.skip("needs the right to mount a file system")
        else:
            mount_small(path, f"{megabytes}m")
        disks.append(disk)
        return disk

    yield mount
    for disk in reversed(disks):
        while run("umount", "--lazy", disk.path):
            pass


@pytest.mark.long
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("fault", ["full", "read-only"])
def test_wherever_nothing_can_be_written_nothing_is_lost_and_the_window_goes_on(
    qapp, qtbot, tmp_path, mounted, model, place, fault
):
    disk = mounted(tmp_path / place)
    program = Program(qapp, qtbot, tmp_path, model)
    begin, end = (disk.fill, disk.empty) if fault == "full" else (disk.refuse, disk.allow)
    app = program.start()
    assert program.use(app) == set()
    begin()
    said = program.use(app)
    assert any(PLACES[place] in sentence for sentence in said) or not PLACES[place]
    if (place, fault) == ("data", "full"):
        assert any("is full, so nothing more can be kept" in sentence for sentence in said)
    program.end(app)
    if fault == "read-only" and place in REFUSED_WHERE_READ_ONLY:
        with pytest.raises(StoreError, match="Read-only file system"):
            program.start()
    else:
        under = program.start()
        program.use(under)
        program.end(under)
    end()
    again = program.start()
    program.use(again)
    assert program.use(again) == set()
    program.end(again)
    assert set(program.asked) == program.kept()
    assert program.export.read_text()
    left_over = [each for each in tmp_path.rglob("*") if each.suffix in (".part", ".lock", ".new")]
    assert [each for each in left_over if each.parent.name != "models"] == []


@pytest.mark.long
def test_a_disk_that_dies_under_the_conversations_is_said_and_the_window_can_be_closed(
    qapp, qtbot, tmp_path, mounted, model
):
    disk = mounted(tmp_path / "data", DyingDisk)
    program = Program(qapp, qtbot, tmp_path, model)
    app = program.start()
    assert program.use(app) == set()
    disk.refuse()
    said = program.use(app)
    assert any("cannot be read or written" in sentence for sentence in said)
    program.end(app)
    with pytest.raises(StoreError, match="Read-only file system"):
        program.start()
    disk.allow()
    again = program.start()
    assert program.use(again) == set()
    program.end(again)
    assert set(program.asked) == program.kept()


@pytest.mark.parametrize("fault", ["full", "read-only"])
def test_a_result_that_a_disk_does_not_take_is_said_and_what_lay_there_stays_whole(qtbot, tmp_path, mounted, fault):
    disk = mounted(tmp_path / "exports")
    plot = PlotView(load_theme("light"))
    qtbot.addWidget(plot)
    result = of([(0.5, 7.0)], [(7.0, 7.0)])
    plot.show_plot(result.timeline())
    button = ExportButton(load_theme("light"), plot, lambda _parent, name: disk.path / name)
    qtbot.addWidget(button)
    button.offer(result, "result")
    suffixes = (".md", ".csv", ".json", ".png", ".svg")
    said: list[str] = []
    button.said.connect(said.append)
    for suffix in suffixes:
        button.export(suffix)
    before = {path.name: path.read_bytes() for path in disk.path.iterdir()}
    assert sorted(before) == sorted(f"result{suffix}" for suffix in suffixes)
    begin, end = (disk.fill, disk.empty) if fault == "full" else (disk.refuse, disk.allow)
    begin()
    said.clear()
    for suffix in suffixes:
        button.export(suffix)
    assert len(said) == len(suffixes)
    assert all("cannot be written: " in sentence for sentence in said), said
    end()
    assert {path.name: path.read_bytes() for path in disk.path.iterdir()} == before


def test_an_import_that_a_full_disk_does_not_take_is_said_and_is_made_when_there_is_room(
    qapp, qtbot, tmp_path, mounted, model
):
    disk = mounted(tmp_path / "data")
    program = Program(qapp, qtbot, tmp_path, model)
    app = program.start()
    program.use(app)
    before = {each.id for each in app.library.conversations()}
    long = {"role": "user", "content": "words " * 20_000}
    file = tmp_path / "others.jsonl"
    file.write_text("".join(json.dumps({"messages": [long]}) + "\n" for _ in range(3)))
    disk.fill()
    app.library.import_file(file)
    qtbot.waitUntil(lambda: any("is full" in notice.text for notice in app.window.board.notices), timeout=20_000)
    disk.empty()
    kept = {each.id for each in app.library.conversations()}
    with qtbot.waitSignal(app.library.imported, timeout=20_000):
        app.library.import_file(file)
    assert before <= kept
    assert len(app.library.conversations()) == len(kept) + 3
    program.end(app)
    assert set(program.asked) <= program.kept()


@pytest.mark.parametrize("fault", ["full", "read-only"])
def test_a_model_is_thrown_away_on_a_full_disk_and_stays_whole_on_one_that_takes_nothing(tmp_path, mounted, fault):
    disk = mounted(tmp_path / "models")
    path = disk.path / "maker" / "tiny.gguf"
    path.parent.mkdir()
    write_tiny_model(path, context_length=512)
    whole = path.read_bytes()
    (found,) = find_models([ShelfFolder(disk.path, ShelfSource.OURS)])
    if fault == "full":
        disk.fill()
        bring_back(throw_away(found, disk.path))
    else:
        disk.refuse()
        with pytest.raises(FolderRefused, match="read-only file system"):
            throw_away(found, disk.path)
    assert path.read_bytes() == whole


@pytest.mark.parametrize("fault", ["full", "read-only"])
def test_a_download_that_the_disk_stops_taking_says_so_and_goes_on_when_it_takes_more(
    qtbot, tmp_path, mounted, hub, fault
):
    hub.add(REPO, {"small-Q4_K_M.gguf": LARGE})
    hub.behaviour.rate = 4e6
    disk = mounted(tmp_path / "models", megabytes=80)  # a download leaves some to others
    queues = Queues(qtbot, tmp_path, hub)
    queue = queues.open()
    begun = queues.add_to(queue)
    qtbot.waitUntil(lambda: bool(queue.all) and queue.all[0].received > 100_000, timeout=20_000)
    if fault == "read-only":
        queue.pause(begun.id)
        qtbot.waitUntil(lambda: queue.all[0].state is DownloadState.PAUSED, timeout=20_000)
    begin, end = (disk.fill, disk.empty) if fault == "full" else (disk.refuse, disk.allow)
    begin()
    queue.resume(begun.id)
    qtbot.waitUntil(lambda: queue.all[0].state is DownloadState.FAILED, timeout=20_000)
    assert queue.all[0].reason
    end()
    hub.behaviour.rate = 0
    queue.resume(begun.id)
    qtbot.waitUntil(lambda: queue.all[0].state is DownloadState.DONE, timeout=20_000)
    queue.close()
    queues.session.close()
    (file,) = disk.path.rglob("*.gguf")
    assert file.read_bytes() == LARGE

"""Whatever lies in the place of one of the program's own files, it starts, or says in a sentence why it does not."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from desktop.app import App
from desktop.calls import Call
from desktop.places import Places
from desktop.single_instance import LOCK, SOCKET, Door, Entrance
from desktop.store import StoreError, open_store
from inference import EngineFiles, LocalEngine
from tests.desktop.programs import programs
from tests.fakes import Script, ScriptedLoader
from tests.odd_places import ODD, put

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a folder there holds files and folders alone")

CONVERSATIONS = "conversations.sqlite3"
# Without these there is nothing to show.
NEEDED = (CONVERSATIONS, *(f"{CONVERSATIONS}{beside}" for beside in ("-wal", "-shm", "-journal")))
# Those that one session after another does not leave, but others do.
RARE = (
    *(f"{CONVERSATIONS}.{mark}" for mark in ("damaged", "damaged.new", "ready", "fresh", "work")),
    *("settings.broken.toml", "machine.json", "models.json", "llama.log", "llama.log.1"),
    *("runs/deaths.json", "runs/0.json", "runs/0.fault", "runs/0.new", "runs/0.lock"),
    *(
        "locks/0.lock",
        "backups/conversations 2026-01-01 00.00.00.sqlite3",
        "backups/0.lock",
        "backups/conversations 0.part",
    ),
    *("models/downloads.json", "models/downloads.json.lock", "models/model.gguf", "states/0.part"),
)


@pytest.fixture
def places(tmp_path):
    data = tmp_path / "data"
    return Places(
        data / CONVERSATIONS,
        data / "settings.toml",
        data / "states",
        EngineFiles(data / "machine.json", data / "llama.log"),
        data / "models",
        tmp_path / "home",
    )


@pytest.fixture
def talk(qapp, qtbot, places):
    """A whole session, in which something is asked and answered."""

    def engine(emit, states):
        loader = ScriptedLoader(Script(replies=[["and so on"]]))
        return LocalEngine(emit, states, loader=loader, files=places.engine)

    def talk() -> int:
        with programs(qapp, qtbot) as started:
            app = started.start(places, engine)
            for question in ("Why? " * 40, "What? " * 40):
                app.library.new()
                app.window.composer.set_text(question)
                with qtbot.waitSignal(app.library.current.turn_changed):
                    qtbot.keyClick(app.window.composer.field, Qt.Key.Key_Return)
                qtbot.waitUntil(partial(is_done, app))
            return len(app.library.conversations())

    return talk


def is_done(app: App) -> bool:
    return not app.library.current.is_busy


def names_in(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("kind", ODD)
def test_it_starts_and_answers_whatever_is_in_the_place_of_all_of_them(talk, places, kind):
    assert talk() == 2
    left = names_in(places.data) - set(NEEDED)
    assert "settings.toml" in left
    for name in sorted(left.union(RARE)):
        path = places.data / name
        path.unlink(missing_ok=True)
        put(kind, path)
    assert talk() == 4


@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize("name", NEEDED)
def test_without_those_it_needs_it_says_which_that_is(places, name, kind):
    put(kind, places.data / name)
    with pytest.raises(StoreError) as refused:
        open_store(places.conversations)
    assert (
        str(refused.value) == f"The conversations in {places.data} cannot be opened: {name} should be an ordinary file."
    )


@pytest.mark.parametrize("kind", ["file", *(kind for kind in ODD if kind != "folder")])
def test_so_it_does_of_the_folder_of_locks(places, kind):
    put(kind, places.locks)
    with pytest.raises(StoreError) as refused:
        open_store(places.conversations)
    assert (
        str(refused.value) == f"The conversations in {places.data} cannot be opened: {places.locks} should be a folder."
    )


@pytest.mark.parametrize("kind", ODD)
def test_where_it_cannot_be_the_first_it_goes_on_by_itself(qapp, tmp_path, kind):
    put(kind, tmp_path / LOCK)
    entrance = Entrance(tmp_path)
    assert not entrance.is_first
    assert not entrance.hand_over(Call.for_model(None), patience=0)
    assert entrance.listen() is None
    entrance.close()


@pytest.mark.parametrize("kind", ODD)
def test_a_door_that_cannot_be_opened_is_shut(qapp, tmp_path, kind):
    put(kind, tmp_path / SOCKET)
    door = Door(tmp_path / SOCKET)
    assert door.is_open is (kind != "folder")
    door.close()

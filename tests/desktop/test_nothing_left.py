"""The whole program with an engine that keeps KV states: what is gone, or was temporary, is in no byte on the disk."""

from __future__ import annotations

import logging
from array import array
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from desktop.app import App
from desktop.places import Places
from inference import EngineFiles, LocalEngine
from tests.desktop.programs import programs
from tests.fakes import Script, ScriptedLoader

QUESTION, ANSWER = "Zwergpinguin " * 20, "Flusskrebs"


@pytest.fixture
def loader():
    return ScriptedLoader(Script(replies=[[f"{ANSWER} and so on"], ["Yes."]]))


@pytest.fixture
def start(qapp, qtbot, tmp_path, loader):
    """Starts the program; its log goes into a file of the same folder, whatever is logged."""
    places = Places(
        tmp_path / "conversations.sqlite3",
        tmp_path / "settings.toml",
        tmp_path / "states",
        EngineFiles(tmp_path / "machine.json", tmp_path / "engine.log"),
    )
    handler = logging.FileHandler(tmp_path / "program.log")
    loggers = [logging.getLogger(name) for name in ("desktop", "inference")]
    for logger in loggers:
        logger.addHandler(handler)
        logger.setLevel(logging.DEBUG)
    with programs(qapp, qtbot) as started:
        yield partial(started.start, places, partial(local_engine, loader))
    for logger in loggers:
        logger.removeHandler(handler)
        logger.setLevel(logging.NOTSET)
    handler.close()


def local_engine(loader, emit, states):
    return LocalEngine(emit, states, loader=loader)


def talk(app: App, qtbot, question: str) -> None:
    app.window.composer.set_text(question)
    with qtbot.waitSignal(app.library.current.turn_changed):
        qtbot.keyClick(app.window.composer.field, Qt.Key.Key_Return)


def found_in(folder: Path) -> set[str]:
    """The files in which one of the words is, as text or as the tokens that a KV state is of."""
    found = set()
    tokens = array("i", list(b"Zwergpinguin")).tobytes()
    for path in folder.rglob("*"):
        content = b""
        with suppress(FileNotFoundError):  # half written a moment ago, and whole under another name now
            content = path.read_bytes() if path.is_file() else b""
        if any(word in content.lower() for word in (b"zwergpinguin", b"flusskrebs")) or tokens in content:
            found.add(path.parent.name if path.suffix == ".kvstate" else path.name)
    return found


def test_no_byte_of_what_was_deleted_for_good_is_left(start, qtbot, tmp_path):
    app = start()
    talk(app, qtbot, QUESTION)
    secret = app.library.current.conversation.id
    app.library.new()
    talk(app, qtbot, "something else " * 20)  # so that the state of the first is written
    qtbot.waitUntil(lambda: "states" in found_in(tmp_path))
    assert {"conversations.sqlite3-wal", "states"} <= found_in(tmp_path)
    app.library.delete([secret])
    app.leave()  # before anything was undone
    assert found_in(tmp_path) <= {path.name for path in tmp_path.glob("backups/*")}  # which are for a few days
    assert len(list((tmp_path / "states").iterdir())) == 1  # of the other


def test_no_byte_of_a_temporary_conversation_is_ever_written(start, qtbot, tmp_path):
    app = start()
    app.library.new(temporary=True)
    talk(app, qtbot, QUESTION)
    talk(app, qtbot, QUESTION)
    app.window.composer.set_text("Zwergpinguin, not sent")
    app.library.flush()
    app.library.search("flusskrebs")
    app.library.new()
    talk(app, qtbot, "something else " * 20)
    assert found_in(tmp_path) == set()
    app.leave()
    assert found_in(tmp_path) == set()
    assert len(list((tmp_path / "states").iterdir())) == 1  # of the other

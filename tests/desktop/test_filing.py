"""Conversations into files and out of them, in a whole window with file choosers that a test answers."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget

from desktop.conversations import Conversation
from desktop.exchange import LeftOut
from desktop.file_choosers import FileChoosers
from desktop.imports import ImportReport
from desktop.library import FileFormat
from tests.desktop.desk import Desk


class Chooser:
    """Answers with what the test set, and remembers the names that were offered."""

    def __init__(self) -> None:
        self.path: Path | None = None
        self.offered: list[str] = []

    def to_read(self, _parent: QWidget) -> Path | None:
        return self.path

    def to_write(self, _parent: QWidget, name: str) -> Path | None:
        self.offered.append(name)
        return self.path


@pytest.fixture
def chooser(desk):
    chooser = Chooser()
    desk.file_choosers = FileChoosers(chooser.to_read, chooser.to_write)
    return chooser


@pytest.fixture
def window(desk, chooser):
    window = desk.open()
    desk.talk("Why do rivers bend?", "Because of **water**.")
    return window


def notice(desk: Desk) -> str:
    return desk.window.board.notices[-1].text


def test_a_conversation_is_saved_as_markdown(desk, window, chooser, tmp_path):
    chooser.path = tmp_path / "rivers.md"
    window.conversation_list.commands.as_markdown.trigger()
    assert chooser.offered == ["Why do rivers bend.md"]
    assert "Because of **water**." in chooser.path.read_text()
    assert notice(desk) == f"Saved as {chooser.path}."


def test_a_name_without_a_suffix_gets_one(desk, window, chooser, tmp_path):
    chooser.path = tmp_path / "rivers"
    window.conversation_list.commands.as_json.trigger()
    assert json.loads((tmp_path / "rivers.json").read_text())["format"] == "headwater-conversations"


def test_several_go_into_one_file_and_come_back_from_it(desk, window, chooser, tmp_path):
    desk.library.new()
    desk.talk("What is a KV cache?", "Keys and values.")
    chooser.path = tmp_path / "all.json"
    window.conversation_list.view.selectAll()
    window.conversation_list.commands.as_json.trigger()
    assert chooser.offered == ["Conversations.json"]
    window.filing.import_action.trigger()
    desk.qtbot.waitUntil(lambda: "came from" in notice(desk))
    assert notice(desk) == "2 conversations came from all.json."
    titles = window.conversation_list.titles()
    assert sorted(titles[1:]) == ["What is a KV cache?"] * 2 + ["Why do rivers bend?"] * 2


def test_putting_the_chooser_away_changes_nothing(desk, window, chooser):
    window.conversation_list.commands.as_json.trigger()
    window.filing.import_action.trigger()
    assert window.board.notices == ()


def test_what_cannot_be_written_is_said(desk, window, chooser, tmp_path):
    chooser.path = tmp_path / "nowhere" / "rivers.md"
    window.conversation_list.commands.as_markdown.trigger()
    assert "rivers.md cannot be written" in notice(desk)
    assert len(window.board.notices) == 1


def test_what_is_no_file_of_conversations_is_refused_in_words(desk, window, chooser, tmp_path):
    chooser.path = tmp_path / "notes.json"
    chooser.path.write_text("{}")
    window.filing.import_action.trigger()
    desk.qtbot.waitUntil(lambda: bool(window.board.notices))
    assert "notes.json" in notice(desk)


def test_every_kind_of_thing_that_is_left_out_has_its_words(desk, window):
    window.filing._report(ImportReport(Path("x.zip"), (1,), 2, dict.fromkeys(LeftOut, 1_204)))
    said = notice(desk)
    assert said.startswith("1 conversation came from x.zip. Left out: images (1,204), ")
    assert said.count("(1,204)") == len(LeftOut)


def test_what_was_not_left_out_is_not_spoken_of(desk, window):
    window.filing._report(ImportReport(Path("x.zip"), (), 0, {LeftOut.IMAGES: 0}))
    assert notice(desk) == "0 conversations came from x.zip."


@pytest.mark.parametrize(("kind", "suffix"), [(FileFormat.MARKDOWN, ".md"), (FileFormat.JSON, ".json")])
def test_a_program_that_conversations_are_dropped_on_gets_files(desk, window, kind, suffix):
    desk.library.new()
    desk.talk("Why do rivers bend?", "Again.")
    conversations: list[Conversation] = list(desk.library.conversations())
    make_files = window.conversation_list.view.make_files
    assert make_files is not None
    files = make_files([each.id for each in conversations], kind)
    assert [path.name for path in files] == [f"Why do rivers bend{suffix}"] * 2
    assert "Again." in files[0].read_text()
    assert "Because of" in files[1].read_text()
    assert all(path.parent.stat().st_mode & 0o077 == 0 for path in files)  # nobody else reads them meanwhile
    window.close()
    assert not any(path.exists() for path in files)


def test_what_a_killed_window_gave_is_gone_once_another_has_begun(desk, window, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    left = tmp_path / "headwater-00"
    left.mkdir()
    (left / ".headwater-passing").touch()
    (left / "said.md").write_text("what was said")
    window.filing.sweep()
    desk.qtbot.waitUntil(lambda: not left.exists(), timeout=30_000)

"""After a run that died, the next start says so, offers to go on, and is careful with the model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from desktop.aftermath import Aftermath
from desktop.last_runs import LastRuns
from tests.desktop.fakes import MODEL


class Aftermaths:
    """Starts runs beside a desk, and has earlier ones have died."""

    def __init__(self, desk, folder: Path) -> None:
        self.desk, self.folder = desk, folder
        self.reports: list[str] = []
        self.runs: LastRuns | None = None

    def died(self, *, model: str = "", conversation: int | None = None, fault: str = "") -> None:
        self.folder.mkdir(exist_ok=True)
        (self.folder / "gone.json").write_text(json.dumps({"model": model, "conversation": conversation}))
        (self.folder / "gone.fault").write_text(fault)

    def begin(self) -> Aftermath:
        if self.runs is not None:
            self.runs.close()
        self.runs = LastRuns(self.folder)
        desk = self.desk
        return Aftermath(self.runs, desk.library, desk.models, self.reports.append, desk.library)

    def note(self) -> dict[str, object]:
        (path,) = (path for path in self.folder.glob("*.json") if path.name != "deaths.json")
        found: dict[str, object] = json.loads(path.read_text())
        return found


@pytest.fixture
def past(desk, tmp_path):
    past = Aftermaths(desk, tmp_path / "runs")
    yield past
    if past.runs is not None:
        past.runs.close()


def test_after_a_run_that_left_by_itself_nothing_is_said(desk, past):
    window = desk.open()
    past.begin().speak(window.board)
    assert window.board.notices == ()


def test_a_crash_is_said_and_its_report_is_shown_when_it_is_wanted(desk, past):
    window = desk.open()
    past.died(fault="Fatal Python error: Segmentation fault")
    past.begin().speak(window.board)
    (notice,) = window.board.notices
    assert "crashed" in notice.text
    notice.action_chosen.emit()
    assert past.reports == ["Fatal Python error: Segmentation fault"]


def test_what_was_open_is_offered(desk, past):
    window = desk.open()
    desk.talk("Why do rivers bend?", "Because.")
    number = desk.library.current.conversation.id
    desk.library.new()
    past.died(conversation=number)
    past.begin().speak(window.board)
    (notice,) = window.board.notices
    assert "Why do rivers bend?" in notice.text
    notice.action_chosen.emit()
    assert desk.library.current.conversation.id == number


def test_what_is_open_or_gone_is_not_offered(desk, past):
    window = desk.open()
    desk.talk("Why do rivers bend?", "Because.")
    past.died(conversation=desk.library.current.conversation.id)
    past.begin().speak(window.board)
    past.died(conversation=999)
    past.begin().speak(window.board)
    assert window.board.notices == ()


def test_a_model_that_the_program_died_over_twice_is_loaded_only_when_it_is_wanted(desk, past):
    for _ in range(2):
        past.died(model=str(MODEL))
        aftermath = past.begin()
    desk.models.intend()
    aftermath.consider()
    assert aftermath.holds_back
    assert desk.models.state.config is None
    window = desk.open(ready=False)
    aftermath.speak(window.board)
    notice = next(notice for notice in window.board.notices if "twice in a row" in notice.text)
    notice.action_chosen.emit()
    assert not aftermath.holds_back
    assert [config.path for config in desk.engine.loads] == [MODEL]


def test_once_is_no_reason_and_a_reply_that_came_to_its_end_takes_it_back(desk, past):
    desk.open()
    past.died(model=str(MODEL))
    aftermath = past.begin()
    desk.engine.listeners.append(aftermath.on_event)
    desk.talk("Why?", "Because.")
    past.died(model=str(MODEL))
    aftermath = past.begin()
    desk.models.intend()
    aftermath.consider()
    assert not aftermath.holds_back


def test_the_note_says_which_model_is_at_work_and_what_is_open_and_no_word_more(desk, past):
    past.begin()
    desk.models.load()
    assert past.note() == {"model": str(MODEL), "conversation": None}
    desk.engine.ready(name="Small")
    assert past.note()["model"] == ""
    desk.open()
    desk.send("A secret that nobody may find")
    assert past.note() == {"model": str(MODEL), "conversation": desk.library.current.conversation.id}
    desk.engine.say("It is kept.")
    desk.engine.finish()
    assert past.note()["model"] == ""
    assert not any(b"secret" in path.read_bytes() for path in past.folder.iterdir())


def test_the_way_back_is_noted_on_until_it_was_offered_and_something_is_open(desk, past):
    window = desk.open()
    desk.talk("Why do rivers bend?", "Because.")
    left = desk.library.current.conversation.id
    desk.library.new()
    past.died(conversation=left)
    aftermath = past.begin()
    assert past.note()["conversation"] == left
    desk.talk("And lakes?", "Too.")  # as the program opens the newest by itself
    assert past.note()["conversation"] == left
    aftermath.speak(window.board)
    desk.library.new()
    assert past.note()["conversation"] == left
    desk.talk("And seas?", "Too.")
    assert past.note()["conversation"] == desk.library.current.conversation.id


def test_a_temporary_conversation_is_not_noted(desk, past):
    past.begin()
    desk.open()
    desk.library.new(temporary=True)
    desk.send("Between us")
    assert past.note()["conversation"] is None

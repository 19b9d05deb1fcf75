from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt

from desktop.widgets.notice import NoticeKind
from inference import (
    ModelUnreadable,
    NothingListens,
)
from tests.desktop.desk import SERVER
from tests.desktop.fakes import MODEL, OTHER_MODEL


def test_a_model_can_be_ejected(desk):
    window = desk.open()
    window.opening.eject_action.trigger()
    assert desk.engine.unloads == 1
    assert window.opening.picker.words == "No model"
    assert not window.opening.eject_action.isEnabled()


def test_a_model_is_chosen_from_the_menu(desk, tmp_path):
    known = tmp_path / "known.gguf"
    known.touch()
    desk.settings.save(replace(desk.settings.current, recent_models=(str(known),)))
    window = desk.open()
    window.opening.picker.menu().actions()[0].trigger()
    assert desk.engine.loads[-1].path == known


def test_what_was_refused_is_forgotten_once_a_model_is_tried(desk):
    window = desk.open()
    window.opening.open(Path("notes.txt"))
    desk.eject()
    desk.send("Why?")
    window.opening.open(OTHER_MODEL)
    desk.engine.ready()
    assert window.board.notices == ()


def test_a_file_that_is_refused_does_not_cover_what_holds_of_the_model(desk):
    window = desk.open(ready=False)
    desk.models.load()
    desk.engine.ready(has_own_template=False, template_name="ChatML")
    window.opening.open(Path("notes.txt"))
    assert len(window.board.notices) == 2


def test_a_model_that_fails_is_said_with_its_sentence_and_an_action(desk):
    window = desk.open(ready=False)
    window.opening.open(OTHER_MODEL)
    desk.engine.fail_to_load(ModelUnreadable(OTHER_MODEL, "it ends too early."))
    (notice,) = window.board.notices
    assert notice.kind is NoticeKind.ERROR
    assert notice.text == "other.gguf cannot be read as a model: it ends too early."
    (another,) = notice.other_buttons
    desk.qtbot.mouseClick(another, Qt.MouseButton.LeftButton)
    assert desk.asked == [window]
    assert window.board.notices == ()


def test_the_failure_is_forgotten_once_another_model_loads(desk):
    window = desk.open(ready=False)
    window.opening.open(OTHER_MODEL)
    desk.engine.fail_to_load(ModelUnreadable(OTHER_MODEL, "it ends too early."))
    window.opening.open(MODEL)
    desk.engine.ready()
    assert window.board.notices == ()


def test_the_model_of_this_machine_is_one_choice_away(desk):
    window = desk.open()
    desk.connect()
    desk.models.choose(MODEL)
    desk.engine.ready(name="Small")
    assert window.opening.picker.words == "Small"
    assert window.speed_bar.device.words == "CPU, 1 thread"


def test_a_server_that_is_gone_is_said_with_another_try(desk):
    window = desk.open()
    desk.models.choose(SERVER)
    desk.engine.fail_to_reach(SERVER, NothingListens(SERVER.base_url))
    (notice,) = window.board.notices
    assert "Nothing answers" in notice.text
    notice.action_button.click()
    assert desk.engine.loads[-2:] == [SERVER, SERVER]

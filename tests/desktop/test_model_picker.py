from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QAction

from desktop.model_choice import ModelPhase, ModelState
from desktop.theme import load_theme
from desktop.widgets.model_picker import ModelPicker
from inference import ModelConfig, RemoteModel, RemoteModelInfo
from tests.desktop.fakes import MODEL, OTHER_MODEL, model_info

CONFIG = ModelConfig(MODEL)


@pytest.fixture
def picker(qtbot, qapp):
    picker = ModelPicker(load_theme("light"), (QAction("Open a model file…", qapp), QAction("Eject", qapp)))
    qtbot.addWidget(picker)
    picker.show()
    return picker


def ready(**facts: object) -> ModelState:
    return ModelState(ModelPhase.READY, CONFIG, 1.0, model_info(CONFIG, **facts))


def action(picker: ModelPicker, text: str) -> QAction:
    return next(found for found in picker.menu().actions() if found.text() == text)


def test_without_a_model_it_says_so(picker):
    assert picker.words == "No model"
    assert picker.menu_texts == ("Open a model file…", "Eject")


def test_it_names_the_model_that_is_ready(picker):
    picker.show_state(ready(name="Small 1B"))
    assert picker.words == picker.text() == "Small 1B"
    assert picker.accessibleName() == "Model: Small 1B"


def test_it_describes_the_model_on_hover(picker):
    picker.show_state(ready(name="Small", parameters=135_000_000, quantisation="Q4_1"))
    assert "135M parameters, Q4_1" in picker.toolTip()


def test_a_plain_template_is_named(picker):
    picker.show_state(ready(has_own_template=False, template_name="ChatML"))
    assert "none in the file" in picker.toolTip()
    assert "ChatML" in picker.toolTip()


def test_loading_shows_how_far_it_is_without_moving(picker):
    picker.show_state(ModelState(ModelPhase.LOADING, CONFIG, 0.04))
    width, little = picker.sizeHint().width(), picker.grab().toImage()
    picker.show_state(ModelState(ModelPhase.LOADING, CONFIG, 0.99))
    assert picker.sizeHint().width() == width
    assert picker.grab().toImage() != little
    assert "99 %" in picker.accessibleDescription()


def test_a_failure_is_shown_and_explained(picker):
    fine = picker.grab().toImage()
    picker.show_state(ModelState(ModelPhase.FAILED, CONFIG, error="The file ends too early."))
    assert picker.toolTip() == "The file ends too early."
    assert picker.grab().toImage() != fine


def test_a_model_out_of_memory_says_that_it_comes_back(picker):
    picker.show_state(ModelState(ModelPhase.NONE, CONFIG))
    assert "loads it" in picker.toolTip()


def test_the_menu_offers_the_known_models_and_marks_the_current_one(picker):
    picker.show_state(ready())
    picker.show_models((MODEL, OTHER_MODEL))
    small, other = picker.menu().actions()[:2]
    assert (small.toolTip(), other.toolTip()) == (str(MODEL), str(OTHER_MODEL))
    assert small.isChecked()
    assert not other.isChecked()


def test_choosing_asks_for_the_model_and_leaves_the_mark_where_it_is(picker, qtbot):
    picker.show_state(ready())
    picker.show_models((MODEL, OTHER_MODEL))
    other = picker.menu().actions()[1]
    with qtbot.waitSignal(picker.chosen) as chosen:
        other.trigger()
    assert chosen.args == [OTHER_MODEL]
    assert not other.isChecked()


def test_a_long_name_keeps_to_its_place_in_the_window_and_in_the_menu(picker):
    long = Path("/models") / ("A-Model-With-A-Name-" * 10 + ".gguf")
    picker.show_models((long,))
    picker.show_state(ready(name=long.stem))
    assert picker.sizeHint().width() <= 320
    assert len(picker.menu_texts[0]) <= 60
    assert picker.menu().actions()[0].toolTip() == str(long)


def test_a_name_with_an_ampersand_is_no_shortcut(picker):
    picker.show_models((Path("/models/salt&pepper.gguf"),))
    assert "&&" in picker.menu_texts[0]


@pytest.mark.parametrize("phase", list(ModelPhase))
def test_every_phase_is_painted_in_both_themes(picker, phase):
    picker.show_state(ModelState(phase, CONFIG, 0.5, error="no"))
    light = picker.grab().toImage()
    picker.set_theme(load_theme("dark"))
    assert picker.grab().toImage() != light


SERVER = RemoteModel("http://127.0.0.1:8080/v1", "big")


def test_models_of_servers_stand_below_those_of_this_machine(picker, qtbot):
    picker.show_models((MODEL,), (SERVER,))
    picker.show_state(ModelState(ModelPhase.READY, SERVER, 1.0, RemoteModelInfo(SERVER, "big", "vLLM", 32_768)))
    assert picker.menu_texts[:2] == ("small", "big at 127.0.0.1:8080")
    here, there = [action for action in picker.menu().actions() if action.isCheckable()]
    assert (here.isChecked(), there.isChecked()) == (False, True)
    assert picker.toolTip() == "big\nanswers from 127.0.0.1:8080 (vLLM)\nA window of 32,768 tokens"
    with qtbot.waitSignal(picker.chosen) as chosen:
        there.trigger()
    assert chosen.args == [SERVER]


def test_what_a_server_does_not_say_is_not_said(picker):
    picker.show_state(ModelState(ModelPhase.READY, SERVER, 1.0, RemoteModelInfo(SERVER, "big")))
    assert picker.toolTip() == "big\nanswers from 127.0.0.1:8080"


def test_while_a_server_is_asked_that_is_said(picker):
    picker.show_state(ModelState(ModelPhase.LOADING, SERVER))
    assert "Asking the server at 127.0.0.1:8080" in picker.toolTip()

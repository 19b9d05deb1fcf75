from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QApplication, QLabel

from desktop.model_choice import ModelPhase, ModelState
from desktop.theme import load_theme
from desktop.widgets.buttons import PADDING
from desktop.widgets.empty_state import EmptyState, load_examples
from inference import ModelConfig, RemoteModel, RemoteModelInfo
from tests.desktop.fakes import MODEL, OTHER_MODEL, model_info


@pytest.fixture
def page(qtbot):
    page = EmptyState(load_theme("light"), MODEL)
    qtbot.addWidget(page)
    page.resize(700, 560)
    page.show()
    return page


def ready(path=MODEL, **facts: object) -> ModelState:
    config = ModelConfig(path)
    return ModelState(ModelPhase.READY, config, 1.0, model_info(config, **facts))


def test_without_a_model_it_offers_to_open_one(page, qtbot):
    assert page.words[0] == "No model yet"
    assert page.prompt_buttons == ()
    with qtbot.waitSignal(page.open_wanted):
        qtbot.mouseClick(page.open_button, Qt.MouseButton.LeftButton)


def test_the_model_that_comes_along_is_for_trying_speed_not_for_facts(page):
    page.show_state(ready(name="SmolLM2 135M"))
    name, about, facts = page.words
    assert name == "SmolLM2 135M"
    assert "how fast" in about
    assert "Not for facts" in about
    assert facts == "135M parameters, Q4_1, a window of 4,096 tokens"
    assert not page.open_button.isVisible()


def test_another_model_is_not_called_small(page):
    page.show_state(ready(OTHER_MODEL))
    assert "small" not in page.words[1]


def test_it_can_be_read_while_the_model_loads(page):
    page.show_state(ModelState(ModelPhase.LOADING, ModelConfig(MODEL), 0.3))
    assert len(page.prompt_buttons) == 3
    QApplication.processEvents()
    before = page.prompt_buttons[0].y()
    page.show_state(ready())
    QApplication.processEvents()
    assert page.prompt_buttons[0].y() == before


def test_three_prompts_wait_and_a_click_chooses_one(page, qtbot):
    page.show_state(ready())
    assert len(page.prompt_buttons) == 3
    with qtbot.waitSignal(page.prompt_chosen) as chosen:
        qtbot.mouseClick(page.prompt_buttons[1], Qt.MouseButton.LeftButton)
    assert chosen.args == [load_examples()["embedded"].prompts[1]]


def test_a_prompt_can_be_chosen_by_keyboard(page, qtbot):
    page.show_state(ready())
    assert page.prompt_buttons[0].focusPolicy() is Qt.FocusPolicy.TabFocus
    with qtbot.waitSignal(page.prompt_chosen):
        qtbot.keyClick(page.prompt_buttons[0], Qt.Key.Key_Space)


def test_a_model_that_failed_offers_another_and_leaves_why_to_the_notice(page):
    page.show_state(ModelState(ModelPhase.FAILED, ModelConfig(MODEL), error="The file ends too early."))
    assert page.words == ("small", "It cannot answer now.")
    assert page.prompt_buttons == ()
    assert page.open_button.isVisible()


@pytest.mark.parametrize("name", ["embedded", "other"])
def test_there_are_three_examples_for_every_kind_of_model(name):
    examples = load_examples()[name]
    assert len(set(examples.prompts)) == 3
    assert all(prompt == prompt.strip() and prompt for prompt in (examples.about, *examples.prompts))


def test_a_small_window_scrolls_instead_of_cutting(page):
    page.show_state(ready(name="A-Model-With-A-Very-Long-Name-" * 4))
    page.resize(360, 260)
    QApplication.processEvents()
    assert page.verticalScrollBar().maximum() > 0
    assert page.widget().width() <= page.viewport().width()


def test_both_themes_paint_it(page):
    page.show_state(ready())
    light = page.grab().toImage()
    page.set_theme(load_theme("dark"))
    assert page.grab().toImage() != light


@pytest.mark.parametrize(("size", "facts"), [(None, ""), (4096, ", a window of 4,096 tokens")])
def test_of_a_servers_model_only_what_the_server_says_is_said(page, size, facts):
    model = RemoteModel("https://example.org/v1", "big")
    page.show_state(ModelState(ModelPhase.READY, model, 1.0, RemoteModelInfo(model, "big", context_size=size)))
    assert page.words[0] == "big"
    assert page.words[-1] == f"Answers from example.org{facts}"


def test_of_a_servers_model_it_is_not_said_that_what_is_written_stays_here(page):
    model = RemoteModel("https://example.org/v1", "big")
    page.show_state(ModelState(ModelPhase.LOADING, model, 0.1))
    assert "stays here" not in page.words[1]
    assert "is sent there" in page.words[1]
    page.show_state(ready(OTHER_MODEL))
    assert "stays here" in page.words[1]


@pytest.mark.parametrize("width", [330, 420, 700])
def test_a_prompt_that_is_offered_stands_there_whole(page, width):
    page.resize(width, 560)
    page.show_state(ready(OTHER_MODEL))
    for _ in range(4):
        QApplication.processEvents()
    for button in page.prompt_buttons:
        box = QRect(0, 0, button.width() - 2 * PADDING, 10_000)
        needed = button.fontMetrics().boundingRect(box, Qt.TextFlag.TextWordWrap, button.text())
        assert needed.width() <= box.width()
        assert needed.height() <= button.height()
    assert all(above.geometry().bottom() < below.y() for above, below in pairwise(page.prompt_buttons))


@pytest.mark.parametrize("name", ["small", "a-name-" * 40, "x" * 300])
def test_a_long_name_leaves_room_for_what_is_said_below_it(page, name):
    page.show_state(ready(Path(f"models/{name}.gguf")))
    QApplication.processEvents()
    title, about = page.findChildren(QLabel)[:2]
    assert title.height() <= 4 * title.fontMetrics().lineSpacing()
    assert about.text()
    assert title.text()[:5] == name[:5]
    assert title.text()[-5:] == name[-5:]

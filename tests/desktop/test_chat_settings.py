"""What one conversation tells its model and how it samples, beside it."""

from __future__ import annotations

import pytest

from desktop.keepsakes import Preset
from desktop.widgets.chat_settings import ChatSettings
from inference import RemoteModel, Sampling
from tests.desktop.fakes import ScriptedEngine

SHORT = Preset("Short", "Answer in one sentence.", Sampling(temperature=0.2))


@pytest.fixture
def panel(desk):
    window = desk.open()
    window.resize(1300, 800)
    window.views.toggle_chat_settings()
    return window.views.chat_settings


def write(panel: ChatSettings, text: str) -> None:
    panel.prompt_field.setPlainText(text)
    panel.keep()


def last_request(engine: ScriptedEngine):
    return engine.requests[-1]


def test_the_panel_comes_and_goes_by_its_action(desk, panel):
    assert desk.window.panel == panel
    desk.window.views.toggle_chat_settings()
    assert desk.window.panel is None


def test_a_system_prompt_and_a_sampling_go_along_with_the_next_prompt(desk, panel):
    write(panel, "Answer in rhymes.")
    panel.sampling_form.numbers["temperature"].setValue(0.3)
    panel.sampling_form.numbers["temperature"].editingFinished.emit()
    desk.send("Hi")
    request = last_request(desk.engine)
    assert request.messages[0].content == "Answer in rhymes."
    assert request.sampling.temperature == 0.3


def test_what_is_typed_holds_after_a_pause(desk, panel, qtbot):
    panel.prompt_field.setPlainText("Be brief.")
    qtbot.waitUntil(lambda: desk.window.session.system_prompt == "Be brief.")


def test_what_is_typed_goes_to_its_own_conversation_when_another_is_opened(desk, panel):
    desk.talk("One", "Yes")
    first = desk.window.session
    panel.prompt_field.setPlainText("For the first.")
    desk.window.new_action.trigger()
    assert first.system_prompt == "For the first."
    assert panel.prompt_field.toPlainText() == ""
    desk.library.open(first.conversation.id)
    assert panel.prompt_field.toPlainText() == "For the first."


def test_a_preset_is_saved_taken_and_deleted_with_a_way_back(desk, panel):
    write(panel, SHORT.system_prompt)
    panel.sampling_form.show_sampling(SHORT.sampling, None)
    panel.name_field.setText("  Short ")
    panel.save_button.click()
    assert desk.presets.all() == (SHORT,)
    assert panel.presets.value == SHORT
    desk.talk("Hi", "Hello")
    desk.window.new_action.trigger()
    assert panel.presets.value is None
    panel.presets.show_value(SHORT)
    panel.presets.activated.emit(panel.presets.currentIndex())
    session = desk.window.session
    assert (session.system_prompt, session.sampling) == (SHORT.system_prompt, SHORT.sampling)
    panel.delete_button.click()
    assert desk.presets.all() == ()
    notice = desk.window.board.notices[-1]
    assert notice.text == "Deleted the preset “Short”."
    notice.action_button.click()
    assert desk.presets.all() == (SHORT,)


def test_a_preset_needs_a_name(panel):
    assert not panel.save_button.isEnabled()
    panel.name_field.setText("   ")
    assert not panel.save_button.isEnabled()
    panel.name_field.setText("a")
    assert panel.save_button.isEnabled()


def test_all_of_it_can_be_left_to_the_model_again(desk, panel):
    panel.sampling_form.numbers["top_k"].setValue(3)
    panel.sampling_form.numbers["top_k"].editingFinished.emit()
    assert desk.window.session.sampling == Sampling(top_k=3)
    panel.reset_button.click()
    assert desk.window.session.sampling is None
    assert not panel.reset_button.isEnabled()


def test_what_is_left_open_is_shown_as_the_model_has_it(desk, panel):
    desk.engine.ready(default_sampling=Sampling(temperature=0.6, top_k=20))
    assert panel.sampling_form.numbers["temperature"].text() == "0.6 (model's)"
    assert panel.sampling_form.numbers["xtc_threshold"].text() == "0.1 (usual)"
    assert panel.sampling_form.numbers["typical_p"].text() == "off"
    assert panel.sampling_form.numbers["seed"].text() == "another each time"
    desk.models.choose(RemoteModel("http://127.0.0.1:8080/v1", "big"))
    assert panel.sampling_form.numbers["temperature"].text() == "server's"


def test_what_is_typed_is_kept_when_the_window_closes(desk, panel):
    desk.talk("Hi", "Hello")
    panel.prompt_field.setPlainText("Until the end.")
    desk.window.close()
    conversation = desk.library.current.conversation
    assert desk.store.conversation(conversation.id).system_prompt == "Until the end."


def test_what_holds_without_a_choice_is_written_as_the_language_writes_numbers(desk, german_program):
    window = desk.open()
    window.views.toggle_chat_settings()
    panel = window.views.chat_settings
    assert panel is not None
    assert panel.sampling_form.numbers["xtc_threshold"].text() == "0,1 (üblich)"

from __future__ import annotations

from desktop.settings import ColourScheme, SettingsFile
from desktop.theme import load_theme
from tests.desktop.fakes import OTHER_MODEL


def test_the_streaming_switch_is_remembered_and_so_is_its_menu(desk):
    window = desk.open()
    window.choices.streaming_switch.setChecked(False)
    assert not window.choices.streaming_action.isChecked()
    assert not SettingsFile(desk.settings.path).load().streaming
    window.choices.streaming_action.trigger()
    assert window.choices.streaming_switch.isChecked()


def test_the_switch_says_what_it_does(desk):
    window = desk.open()
    assert "whole at its end" in window.choices.streaming_switch.toolTip()
    assert window.choices.streaming_switch.accessibleName() == "Streaming"


def test_colours_are_chosen_in_the_menu_and_remembered(desk, qapp):
    window = desk.open()
    window.choices.scheme_actions[ColourScheme.DARK].trigger()
    assert desk.themes.current == load_theme("dark")
    assert desk.settings.current.colour_scheme is ColourScheme.DARK
    assert window.grab().toImage().pixelColor(5, 300) == load_theme("dark").background
    window.choices.scheme_actions[ColourScheme.SYSTEM].trigger()
    assert desk.themes.current == load_theme("light")


def test_the_choice_of_thinking_goes_along_and_is_kept(desk):
    window = desk.open()
    desk.models.choose(OTHER_MODEL)
    desk.engine.ready(has_thinking_switch=True)
    desk.talk("Why?", "Because.")
    window.composer.thinking_switch.click()
    desk.talk("Why?", "Because.")
    assert [request.thinking for request in desk.engine.requests] == [True, False]
    assert SettingsFile(desk.settings.path).load().thinking is False
    assert not desk.open_another().composer.thinking_switch.isChecked()


def test_a_choice_that_cannot_be_kept_is_said(desk):
    window = desk.open()
    desk.settings.path.unlink(missing_ok=True)
    desk.settings.path.mkdir()  # where nothing can be written in its place
    (desk.settings.path / "something").touch()
    window.choices.streaming_switch.setChecked(False)
    (notice,) = window.board.notices
    assert str(desk.settings.path) in notice.text
    assert not window.choices.streaming_switch.isChecked()


def test_with_streaming_off_the_reply_appears_whole_at_its_end(desk):
    window = desk.open()
    window.choices.streaming_switch.setChecked(False)
    desk.send("Why?")
    desk.engine.say("Because ")
    desk.engine.say("of water.")
    assert "Because" not in window.page.transcript.plain_text()
    desk.engine.finish()
    assert "Because of water." in window.page.transcript.plain_text()

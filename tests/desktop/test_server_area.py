from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from desktop.settings import ColourScheme, SettingsFile
from inference import (
    KeyRefused,
    RemoteModel,
)
from tests.desktop.desk import ENTER, SERVER


def test_nothing_about_servers_is_made_before_it_is_wanted(desk):
    assert desk.open().server_area.panel is None


def test_a_servers_model_answers_once_it_is_chosen_and_is_remembered_without_a_key(desk):
    window = desk.open()
    desk.keys.use(SERVER.base_url, "secret")
    desk.connect()
    assert window.server_area.panel is not None
    assert not window.server_area.panel.isVisible()
    assert window.opening.picker.words == "big"
    desk.talk("Why?", "Because.")
    assert desk.engine.requests[-1].model == SERVER
    assert window.speed_bar.device.words == "127.0.0.1:8080"
    assert "big at 127.0.0.1:8080" in window.opening.picker.menu_texts
    assert SettingsFile(desk.settings.path).load().servers == (SERVER,)
    assert "secret" not in desk.settings.path.read_text()


def test_a_refused_key_leads_to_the_place_where_it_is_typed(desk):
    window = desk.open()
    desk.models.choose(SERVER)
    desk.engine.fail_to_reach(SERVER, KeyRefused(SERVER.base_url, 401, False))
    window.board.notices[0].action_button.click()
    assert window.server_area.panel is not None
    assert window.server_area.panel.isVisible()
    assert window.server_area.panel.address_field.text() == SERVER.base_url


def test_escape_puts_the_panel_away_and_lets_a_reply_go_on(desk):
    window = desk.open()
    desk.send("Why?")
    window.opening.server_action.trigger()
    panel = window.server_area.panel
    assert panel is not None
    panel.address_field.setFocus()
    desk.qtbot.keyClick(panel.address_field, Qt.Key.Key_Escape)
    assert not panel.isVisible()
    assert desk.engine.cancelled == []


def test_the_keyboard_goes_from_the_address_to_the_models(desk):
    window = desk.open()
    window.opening.server_action.trigger()
    panel = window.server_area.panel
    assert panel is not None
    assert panel.address_field.hasFocus()
    panel.address_field.setText("127.0.0.1:8080")
    desk.qtbot.keyClick(panel.address_field, ENTER)
    desk.engine.offer(SERVER, "big", "other")
    assert panel.models.hasFocus()


def test_the_panel_follows_the_theme(desk):
    window = desk.open()
    window.opening.server_action.trigger()
    desk.themes.set_scheme(ColourScheme.DARK)
    assert window.server_area.panel is not None
    assert window.server_area.panel._theme.is_dark


@pytest.mark.parametrize("says_something", [False, True])
def test_a_server_and_its_models_can_be_chosen_in_the_smallest_window(desk, says_something):
    window = desk.open()
    window.resize(360, 640)
    if says_something:
        window.board.show_notice("Nothing answers at 127.0.0.1:8080. Start the server there.", action="Try again")
    window.opening.server_action.trigger()
    desk.servers.ask("127.0.0.1:8080")
    names = tuple(f"model-{number}" for number in range(12))
    desk.engine.offer(RemoteModel("http://127.0.0.1:8080/v1"), *names)
    desk.qtbot.waitUntil(window.server_area.panel.use_button.isVisible)
    QApplication.processEvents()
    panel = window.server_area.panel
    assert panel.use_button.visibleRegion().boundingRect().size() == panel.use_button.size()
    assert panel.models.height() >= 2 * 28
    assert window.composer.field.isVisible()


def test_a_reply_that_wanted_another_key_leads_there_and_asks_nothing(desk):
    window = desk.open()
    desk.connect()
    desk.send("Why?")
    desk.engine.fail(KeyRefused(SERVER.base_url, 401, True))
    count = len(desk.engine.requests)
    window.page.transcript.offer_taken.emit(0)
    assert window.server_area.panel is not None
    assert window.server_area.panel.isVisible()
    assert len(desk.engine.requests) == count

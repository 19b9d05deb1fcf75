"""Each choice is saved and holds at once, or it is said when."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from desktop.secrets import KeyPlace
from desktop.settings import ColourScheme, ModelWindow, SendingKey, Settings
from desktop.widgets.fields import Choice, Number
from desktop.widgets.preferences import Preferences
from inference import Device, DeviceKind, KvType, ModelConfig, ProxyKind, RemoteModel
from tests.desktop.fakes import MODEL

SERVER = RemoteModel("http://127.0.0.1:8080/v1", "big")
CPU = Device("CPU", "A processor", DeviceKind.CPU, 12_400_000_000, 16_000_000_000)
GPU = Device("CUDA0", "A card", DeviceKind.GPU, 7_100_000_000, 8_000_000_000)


@pytest.fixture
def preferences(desk):
    window = desk.open()
    window.views.open_preferences()
    return window.views.preferences


def pick(choice: Choice, value: object) -> None:
    choice.show_value(value)
    choice.activated.emit(choice.currentIndex())


def enter(number: Number, value: float | None) -> None:
    number.setValue(number.minimum() if value is None else value)
    number.editingFinished.emit()


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        ("colours", ColourScheme.DARK, Settings(colour_scheme=ColourScheme.DARK)),
        ("language", "de", Settings(language="de")),
        ("font_size", 14, Settings(font_size=14)),
        ("sending_key", SendingKey.CTRL_ENTER, Settings(send_with=SendingKey.CTRL_ENTER)),
        ("device", "CUDA0", Settings(device="CUDA0")),
        ("kv_type", KvType.Q8_0, Settings(kv_type=KvType.Q8_0)),
        ("proxy", ProxyKind.NONE, Settings(proxy=ProxyKind.NONE)),
    ],
)
def test_what_is_picked_is_kept(desk, preferences, name, value, kept):
    preferences.show_devices((CPU, GPU))
    pick(getattr(preferences, name), value)
    wanted = replace(kept, window_geometry=desk.settings.current.window_geometry)
    assert desk.settings.current == wanted


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        ("zoom", 130, Settings(zoom=130)),
        ("gpu_layers", 0, Settings(gpu_layers=0)),
        ("threads", 3, Settings(threads=3)),
        ("context_size", 8192, Settings(context_size=8192)),
        ("states_in_memory", 64, Settings(kv_memory_megabytes=64)),
        ("states_on_disk", 100, Settings(kv_disk_megabytes=100)),
    ],
)
def test_what_is_entered_is_kept_and_can_be_left_open_again(desk, preferences, name, value, kept):
    number = getattr(preferences, name)
    enter(number, value)
    wanted = replace(kept, window_geometry=desk.settings.current.window_geometry)
    assert desk.settings.current == wanted
    if name in ("gpu_layers", "threads", "context_size"):
        enter(number, None)
        assert desk.settings.current == replace(Settings(), window_geometry=wanted.window_geometry)


@pytest.mark.parametrize("name", ["reduced_motion", "streaming", "thinking", "restore_place"])
def test_what_is_switched_is_kept(desk, preferences, name):
    before = getattr(desk.settings.current, name)
    getattr(preferences, name).click()
    assert getattr(desk.settings.current, name) is not before


def test_what_is_chosen_elsewhere_is_shown(desk, preferences):
    desk.window.choices.streaming_switch.click()
    assert not preferences.streaming.isChecked()
    desk.settings.save(replace(desk.settings.current, zoom=150, device="CUDA7", send_with=SendingKey.CTRL_ENTER))
    assert preferences.zoom.number == 150
    assert preferences.device.currentText() == "CUDA7"
    assert preferences.sending_key.value is SendingKey.CTRL_ENTER


def test_choices_hold_in_the_window_at_once(desk, preferences):
    window = desk.window
    pick(preferences.colours, ColourScheme.DARK)
    assert desk.themes.current.is_dark
    assert window.choices.scheme_actions[ColourScheme.DARK].isChecked()
    pick(preferences.font_size, 16)
    assert window.composer.field.font().pointSizeF() == 17
    pick(preferences.sending_key, SendingKey.CTRL_ENTER)
    preferences.close_button.click()
    desk.type("one")
    desk.qtbot.keyClick(window.composer.field, Qt.Key.Key_Return)
    assert desk.engine.requests == []
    desk.qtbot.keyClick(window.composer.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert len(desk.engine.requests) == 1


def test_messages_are_as_large_as_was_chosen(desk, preferences):
    desk.window.close_view()
    desk.talk("Hi", "Hello")
    enter(preferences.zoom, 150)
    assert desk.window.page.transcript.zoom == 1.5


def test_devices_are_offered_with_their_memory(preferences):
    preferences.show_devices((CPU, GPU))
    offered = [preferences.device.itemText(place) for place in range(preferences.device.count())]
    assert offered == ["Automatic", "The CPU, 12.4 of 16.0 GB free", "CUDA0: A card, 7.1 of 8.0 GB free"]


def test_that_there_is_no_gpu_is_said(preferences):
    preferences.show_devices((CPU,))
    assert "The installed llama.cpp sees no GPU here." in preferences.words


def test_what_holds_from_the_next_load_can_be_loaded_now(desk, preferences):
    assert preferences.load_button.isHidden()
    enter(preferences.threads, 3)
    assert preferences.load_button.isVisibleTo(preferences)
    assert "Small is loaded otherwise. This holds from its next load." in preferences.words
    preferences.load_button.click()
    assert desk.engine.loads[-1] == ModelConfig(MODEL, threads=3)
    desk.engine.ready()
    assert preferences.load_button.isHidden()


def test_a_window_or_a_device_for_all_is_one_for_all(desk, preferences):
    own = (ModelWindow("/a.gguf", 2048, "CPU"), ModelWindow("/b.gguf", 1024))
    desk.settings.save(replace(desk.settings.current, windows=own))
    enter(preferences.context_size, 8192)
    assert desk.settings.current.windows == (ModelWindow("/a.gguf", 0, "CPU"),)
    preferences.show_devices((CPU, GPU))
    pick(preferences.device, "CUDA0")
    assert desk.settings.current.windows == ()


def test_nothing_on_disk_is_one_switch(desk, preferences):
    enter(preferences.states_on_disk, 100)
    preferences.keep_on_disk.click()
    assert desk.settings.current.kv_disk_megabytes == 0
    assert not preferences.states_on_disk.isEnabled()
    preferences.keep_on_disk.click()
    assert desk.settings.current.kv_disk_megabytes == 4096


def test_a_proxy_holds_once_it_has_an_address(desk, preferences):
    pick(preferences.proxy, ProxyKind.MANUAL)
    assert desk.settings.current.proxy is ProxyKind.SYSTEM
    assert preferences.proxy_address.isVisibleTo(preferences)
    preferences.proxy_address.setText("http://me:secret@proxy")
    preferences.proxy_address.editingFinished.emit()
    assert desk.settings.current.proxy_address == ""
    assert any("holds no password" in words for words in preferences.words)
    preferences.proxy_address.setText("http://proxy:3128")
    preferences.proxy_address.editingFinished.emit()
    kept = desk.settings.current
    assert (kept.proxy, kept.proxy_address) == (ProxyKind.MANUAL, "http://proxy:3128")
    assert "secret" not in desk.settings.path.read_text()


def test_servers_are_listed_and_can_be_removed_or_given_another_key(desk, preferences):
    desk.settings.save(replace(desk.settings.current, servers=(SERVER,)))
    (row,) = preferences.server_rows
    assert (row.words, row.hint) == ("big", "http://127.0.0.1:8080/v1")
    row.key_button.click()
    assert desk.window.view is None
    assert desk.window.server_area.panel.address_field.text() == SERVER.base_url
    row.remove_button.click()
    assert desk.settings.current.servers == ()
    assert preferences.server_rows == []


def test_a_new_server_is_named_in_its_panel(desk, preferences):
    preferences.connect_button.click()
    assert desk.window.view is None
    assert desk.window.server_area.panel.isVisible()


@pytest.mark.parametrize(
    ("place", "words"),
    [(KeyPlace.KEYRING, "in the system's keyring, never in a file"), (KeyPlace.SESSION, "until Headwater closes")],
)
def test_where_keys_are_kept_is_said(desk, preferences, place, words):
    desk.upkeep.keys_kept.emit(place)
    assert any(words in said and "OPENAI_API_KEY" in said for said in preferences.words)


def test_the_folder_of_models_is_chosen_and_given_back(desk, tmp_path, qtbot):
    desk.open()
    preferences = Preferences(
        desk.themes.current, desk.settings, desk.models, desk.upkeep, lambda _parent, start: start.parent / "mine"
    )
    qtbot.addWidget(preferences)
    assert str(tmp_path / "models") in preferences.words
    preferences.models_button.click()
    assert desk.settings.current.models_folder == str(tmp_path / "mine")
    assert str(tmp_path / "mine") in preferences.words
    preferences.usual_models_button.click()
    assert desk.settings.current.models_folder == ""


def test_a_chooser_that_was_put_away_changes_nothing(desk, qtbot):
    desk.open()
    preferences = Preferences(
        desk.themes.current, desk.settings, desk.models, desk.upkeep, lambda _parent, _start: None
    )
    qtbot.addWidget(preferences)
    preferences.models_button.click()
    assert desk.settings.current.models_folder == ""


@pytest.mark.parametrize(("typed", "may"), [("", False), ("delet", False), ("Delete ", True), ("delete", True)])
def test_everything_is_deleted_only_after_its_word(preferences, qtbot, typed, may):
    preferences.confirmation.setText(typed)
    assert preferences.delete_button.isEnabled() is may
    wanted: list[bool] = []
    preferences._upkeep.deletion_wanted.connect(lambda: wanted.append(True))
    qtbot.keyClick(preferences.confirmation, Qt.Key.Key_Return)
    assert wanted == ([True] if may else [])


def test_settings_that_cannot_be_saved_are_said(desk, preferences):
    desk.settings._path = Path("/dev/null/settings.toml")
    enter(preferences.threads, 3)
    assert "cannot be saved" in desk.window.board.notices[-1].text


def test_every_control_has_a_name_and_can_be_reached_by_the_keyboard(preferences):
    controls = preferences.findChildren(Choice) + preferences.findChildren(Number)
    assert len(controls) > 10
    for control in controls:
        assert control.accessibleName()
        assert control.focusPolicy() & Qt.FocusPolicy.TabFocus


@pytest.mark.parametrize("control", ["close_button", "colours", "threads", "streaming", "confirmation"])
def test_escape_leads_back_to_the_conversation_from_everywhere(desk, preferences, control):
    desk.window.activateWindow()
    desk.qtbot.waitUntil(desk.window.isActiveWindow)
    getattr(preferences, control).setFocus()
    desk.qtbot.keyClick(getattr(preferences, control), Qt.Key.Key_Escape)
    assert desk.window.view is None
    assert desk.window.composer.field.hasFocus()

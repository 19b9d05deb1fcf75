"""Servers go with their keys, and the machine is asked when somebody looks."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from desktop.devices import Devices, DevicesListed
from desktop.secrets import SERVICE, KeyPlace, Keys, KeysKept
from desktop.settings import Settings, SettingsFile
from desktop.upkeep import Folders, Upkeep
from inference import Device, DeviceKind, RemoteModel
from tests.desktop.test_secrets import Ring, Said

ONE = RemoteModel("http://127.0.0.1:8080/v1", "one")
TWO = RemoteModel("http://127.0.0.1:8080/v1", "two")
FAR = RemoteModel("https://example.org/v1", "far")


class House:
    """Upkeep with a keyring in memory."""

    def __init__(self, folder: Path) -> None:
        self.ring = Ring()
        for model in (ONE, FAR):
            self.ring.set_password(SERVICE, model.base_url, "secret")
        self.said = Said()
        self.settings = SettingsFile(folder / "settings.toml")
        self.settings.save(Settings(servers=(ONE, TWO, FAR), use_server=True))
        keys = Keys(self.said, environment={}, open_keyring=lambda: self.ring)
        self.asked = threading.Event()
        devices = Devices(lambda _: self.asked.set(), lambda: ())
        self.upkeep = Upkeep(self.settings, keys, Folders(folder / "data", folder / "models"), devices)


@pytest.fixture
def house(qapp, tmp_path):
    return House(tmp_path)


def test_the_key_of_a_server_stays_until_its_last_model_goes(house):
    house.upkeep.remove_server(ONE)
    assert house.settings.current.servers == (TWO, FAR)
    assert len(house.ring.keys) == 2
    house.upkeep.remove_server(TWO)
    house.said.next()
    assert list(house.ring.keys) == [(SERVICE, FAR.base_url)]


def test_without_the_server_that_answered_a_file_answers_at_the_next_start(house):
    house.upkeep.remove_server(FAR)
    assert house.settings.current.use_server
    house.upkeep.remove_server(ONE)
    assert not house.settings.current.use_server


def test_the_machine_and_the_keyring_are_asked_when_somebody_looks(house):
    assert not house.asked.is_set()
    house.upkeep.look()
    assert house.asked.wait(60)
    assert house.said.next() == KeysKept(KeyPlace.KEYRING)


def test_what_was_found_is_handed_on(house, qtbot):
    cpu = Device("CPU", "A processor", DeviceKind.CPU, 1, 2)
    with qtbot.waitSignal(house.upkeep.devices_listed) as listed:
        house.upkeep.on_devices_listed(DevicesListed((cpu,)))
    assert listed.args == [(cpu,)]
    with qtbot.waitSignal(house.upkeep.keys_kept) as kept:
        house.upkeep.on_keys_kept(KeysKept(KeyPlace.SESSION))
    assert kept.args == [KeyPlace.SESSION]


def test_model_files_are_where_it_was_chosen(house, tmp_path):
    assert house.upkeep.models_folder == tmp_path / "models"
    house.settings.save(replace(house.settings.current, models_folder="/elsewhere"))
    assert house.upkeep.models_folder == Path("/elsewhere")

"""What the first picture does not show is made when it is first wanted, once, and heard of when the program leaves."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from desktop.devices import DevicesListed
from desktop.engine_bridge import EngineBridge
from desktop.engines import Engines
from desktop.later_parts import LaterParts
from desktop.model_choice import ModelChoice
from desktop.places import Places
from desktop.secrets import Keys
from desktop.settings import SettingsFile
from desktop.store import Store
from tests.desktop.fakes import MODEL

PARTS = ["keys", "servers", "upkeep", "supply", "behind", "laboratory", "conversation_reader", "file_reader"]
SERVER = "https://example.org/v1"


@pytest.fixture
def later(qapp, tmp_path, engine, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    places = replace(Places.passing(tmp_path), home=tmp_path / "home")
    settings, store, bridge = SettingsFile(places.settings), Store(places.conversations), EngineBridge()
    engines = Engines(lambda: engine, lambda: engine)
    models = ModelChoice(engines, settings, MODEL)
    keys = partial(Keys, environment={"HEADWATER_API_KEY": "a key"}, open_keyring=lambda: None)
    later = LaterParts(bridge, store, engines, models, settings, places, make_keys=keys, named_server=SERVER)
    yield later
    for step in later.farewells():
        step()
    later.stop_backup()
    store.close()


def test_nothing_is_made_that_nobody_asked_for(later):
    assert later.children() == []
    assert list(later.farewells()) == []


@pytest.mark.parametrize("name", PARTS)
def test_each_is_made_once(later, name):
    assert getattr(later, name) is getattr(later, name)


def test_the_key_of_the_environment_is_for_the_server_that_was_named(later):
    assert later.keys.key_of(SERVER) == "a key"
    assert later.keys.key_of("https://elsewhere.example/v1") is None


def test_whoever_wants_everything_deleted_is_heard(later, qtbot):
    with qtbot.waitSignal(later.deletion_wanted):
        later.upkeep.delete_everything()


def test_devices_are_told_to_those_who_need_them(later, qtbot):
    with qtbot.waitSignal(later.upkeep.devices_listed) as told:
        later._bridge.post(DevicesListed(()))
    assert told.args == [()]


def test_what_watches_and_what_supplies_is_closed_at_the_end(later):
    later.watch_the_engine(lambda: None)
    watching = len(list(later.farewells()))
    assert later.supply is not None
    assert len(list(later.farewells())) == watching + 2  # the supply, and what keeps the machine awake for it


def test_a_copy_of_the_conversations_is_made_and_waited_for(later, tmp_path, qtbot):
    later.begin_daily_backups()
    qtbot.waitUntil(lambda: bool(list((tmp_path / "backups").glob("*.sqlite3"))))
    later.stop_backup()

from __future__ import annotations

from dataclasses import replace

import pytest

from desktop.idle_unload import IdleUnload
from desktop.settings import SettingsFile
from inference import GenerationRequest, Message, ModelConfig, Role
from tests.desktop.fakes import MODEL, ScriptedEngine


class Idle:
    def __init__(self, tmp_path, minutes: int | None) -> None:
        self.settings = SettingsFile(tmp_path / "settings.toml")
        self.settings.save(replace(self.settings.current, unload_after_minutes=minutes))
        self.engine = ScriptedEngine()
        self.idle = IdleUnload(self.engine.unload, self.settings, minute_milliseconds=1)
        self.engine.listeners.append(self.idle.on_event)
        self.engine.load(ModelConfig(MODEL))

    def ask(self) -> None:
        message = Message(Role.USER, "Hello")
        self.engine.generate(GenerationRequest(ModelConfig(MODEL), (message,)))


@pytest.fixture
def make(tmp_path):
    return lambda minutes: Idle(tmp_path, minutes)


def test_a_model_that_nobody_asks_is_freed(qtbot, make):
    desk = make(1)
    desk.engine.ready()
    qtbot.waitUntil(lambda: desk.engine.unloads == 1)
    desk.engine.unloaded()
    assert not desk.idle.is_waiting


def test_while_a_reply_is_written_it_stays(qtbot, make):
    desk = make(1)
    desk.ask()
    desk.engine.ready()
    desk.engine.say("Well")
    assert not desk.idle.is_waiting
    desk.engine.finish()
    assert desk.idle.is_waiting
    qtbot.waitUntil(lambda: desk.engine.unloads == 1)


def test_without_a_time_it_stays_for_good_and_with_one_it_goes(qtbot, make):
    desk = make(None)
    desk.engine.ready()
    assert not desk.idle.is_waiting
    desk.settings.save(replace(desk.settings.current, unload_after_minutes=5))
    assert desk.idle.is_waiting
    desk.idle.close()
    assert not desk.idle.is_waiting

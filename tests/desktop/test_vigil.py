"""Who keeps the machine awake and calls somebody back."""

from __future__ import annotations

import pytest

from desktop.vigil import LONG_SECONDS, Vigil
from inference import GenerationRequest, Message, ModelConfig, Role
from tests.desktop.fakes import MODEL, ScriptedEngine
from tests.fakes import ManualClock


class Holder:
    def __init__(self) -> None:
        self.holds = False

    def hold(self) -> None:
        self.holds = True

    def release(self) -> None:
        self.holds = False


class Watch:
    def __init__(self) -> None:
        self.engine = ScriptedEngine()
        self.holder = Holder()
        self.clock = ManualClock()
        self.calls: list[None] = []
        self.vigil = Vigil(self.holder, lambda: self.calls.append(None), clock=self.clock, short_milliseconds=0)
        self.engine.listeners.append(self.vigil.on_event)

    def ask(self) -> GenerationRequest:
        request = GenerationRequest(ModelConfig(MODEL), (Message(Role.USER, "Why?"),))
        self.engine.generate(request)
        self.engine.read(1, 1, batch_end=1, seconds=0.1)
        return request


@pytest.fixture
def watch(qapp):
    return Watch()


def test_while_a_reply_is_made_the_machine_stays_awake(watch, qtbot):
    watch.ask()
    assert not watch.holder.holds, "what is over at once needs no help"
    qtbot.waitUntil(lambda: watch.holder.holds)
    watch.engine.say("Because.")
    watch.engine.finish()
    assert not watch.holder.holds


def test_it_may_sleep_when_the_last_of_several_has_ended(watch, qtbot):
    first, second = watch.ask(), watch.ask()
    qtbot.waitUntil(lambda: watch.holder.holds)
    watch.engine.finish(request=first.id)
    assert watch.holder.holds
    watch.engine.finish(request=second.id)
    assert not watch.holder.holds


@pytest.mark.parametrize(("seconds", "calls"), [(LONG_SECONDS, 1), (LONG_SECONDS - 1, 0)])
def test_only_the_end_of_a_long_reply_calls(watch, seconds, calls):
    watch.ask()
    watch.clock.advance(seconds)
    watch.engine.finish()
    assert len(watch.calls) == calls


def test_a_request_that_was_withdrawn_before_its_turn_calls_nobody(watch):
    request = GenerationRequest(ModelConfig(MODEL), (Message(Role.USER, "Why?"),))
    watch.engine.generate(request)
    watch.clock.advance(2 * LONG_SECONDS)
    watch.engine.finish()
    assert watch.calls == []


def test_closing_lets_it_sleep(watch, qtbot):
    watch.ask()
    qtbot.waitUntil(lambda: watch.holder.holds)
    watch.vigil.close()
    assert not watch.holder.holds

"""The reply that is being made, token by token."""

from __future__ import annotations

import pytest

from desktop.inspection import PhaseKind, PhasePart
from desktop.live_reply import LiveReply


@pytest.fixture
def told(desk):
    desk.open()
    told: list[tuple[object, ...]] = []
    desk.live.began.connect(lambda: told.append(("began",)))
    desk.live.wrote.connect(lambda number, gap: told.append((number, round(gap, 6))))
    desk.live.ended.connect(lambda: told.append(("ended",)))
    return told


def test_a_reply_is_followed_from_its_prompt_to_its_end(desk, told):
    desk.send("Why?")
    desk.engine.read(16, 32, batch_end=32, seconds=0.25)
    assert desk.live.is_running
    assert [part.kind for part in desk.live.phases] == [PhaseKind.WAITING, PhaseKind.PREFILL]
    assert desk.live.phases[1].seconds == 0.25
    desk.engine.say("They", at=100.0)
    desk.engine.say(" bend", at=100.5)
    assert desk.live.phases[2].seconds == 0.5
    desk.engine.finish()
    assert told == [("began",), (2, 0.5), ("ended",)]
    assert not desk.live.is_running


def test_tokens_that_came_together_share_their_time(desk, told):
    from inference import DeltaKind, TextDelta

    desk.send("Why?")
    desk.engine.emit(TextDelta(desk.engine.last, "a", DeltaKind.ANSWER, 1, 10.0, 10.0))
    desk.engine.emit(TextDelta(desk.engine.last, "bcd", DeltaKind.ANSWER, 4, 10.6, 10.0))
    assert told[1:] == [(2, 0.2), (3, 0.2), (4, 0.2)]


def test_another_conversations_reply_is_left_alone(desk, told):
    desk.send("Why?")
    first = desk.engine.last
    desk.engine.say("a")
    desk.library.new()
    told.clear()
    desk.engine.say("b", request=first)
    desk.engine.finish(request=first)
    assert told == []
    assert not desk.live.is_running


def test_while_it_waits_and_while_the_model_is_loaded_the_clock_runs(desk):
    desk.open()
    now = [10.0]
    live = LiveReply(clock=lambda: now[0])
    desk.engine.listeners.append(live.on_event)
    live.follow(desk.window.session)
    desk.send("Why?")
    waits = live.is_waiting
    assert waits
    now[0] = 13.0
    assert list(live.phases) == [PhasePart(PhaseKind.WAITING, 3.0)]
    desk.engine.loading(0.1)
    now[0] = 15.0
    assert list(live.phases) == [PhasePart(PhaseKind.WAITING, 3.0), PhasePart(PhaseKind.LOADING, 2.0)]
    desk.engine.ready()
    now[0] = 15.5
    desk.engine.read(16, 32, batch_end=32, seconds=0.25)
    now[0] = 20.0
    waited, loaded, read = live.phases
    assert (waited.seconds, loaded.seconds, read.seconds) == (3.25, 2.0, 0.25)
    assert not live.is_waiting
    desk.engine.finish()
    assert live.phases == ()


def test_of_a_reply_that_runs_already_nobody_says_how_long_it_waited(desk):
    desk.open()
    desk.send("Why?")
    live = LiveReply()
    live.follow(desk.window.session)
    assert live.is_running
    assert live.phases == ()

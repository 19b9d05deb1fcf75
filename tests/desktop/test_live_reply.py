"""The reply that is being made, token by token."""

from __future__ import annotations

import pytest

from desktop.inspection import PhaseKind


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
    assert [(part.kind, part.seconds) for part in desk.live.phases] == [(PhaseKind.PREFILL, 0.25)]
    desk.engine.say("They", at=100.0)
    desk.engine.say(" bend", at=100.5)
    assert desk.live.phases[1].seconds == 0.5
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

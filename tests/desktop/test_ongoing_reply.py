from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QTimer

from desktop.activity import Activity, Phase
from desktop.conversations import TurnState
from inference import (
    GenerationFailed,
    ModelConfig,
    ModelNotFound,
)
from tests.desktop.fakes import OTHER_MODEL
from tests.desktop.watched import Watched, stored


def test_a_question_asked_while_the_model_loads_shows_the_loading_and_goes_on(store, engine, models):
    watched = Watched(store, engine, models)
    engine.loading(0.25)
    watched.ask()
    engine.loading(0.5)
    assert watched.session.activity == Activity(Phase.LOADING, load_fraction=0.5)
    engine.ready()
    assert watched.session.activity.phase is Phase.WAITING
    engine.read(0, 8, batch_end=8, seconds=0.0)
    engine.say("Well")
    assert [activity.phase for activity in watched.activities[-2:]] == [Phase.PREFILL, Phase.DECODE]


def test_another_models_loading_is_not_shown_as_this_replys(watched, session, engine):
    watched.ask()
    engine.loading(0.5, ModelConfig(OTHER_MODEL))
    assert session.activity.phase is Phase.WAITING


def test_phases_end_with_the_reply(watched, session, engine):
    watched.ask()
    engine.say("Well")
    engine.finish()
    assert session.activity == Activity()
    assert not session.is_busy
    assert watched.activities[-1].phase is Phase.IDLE


def test_prefill_counts_are_true_at_batch_borders(watched, session, engine):
    watched.ask()
    engine.read(0, 1_000, batch_end=512, seconds=0.0, cached=30)
    activity = session.activity
    assert (activity.phase, activity.evaluated, activity.batch_end, activity.cached_tokens) == (
        Phase.PREFILL,
        0,
        512,
        30,
    )
    assert activity.prefill_position(watched.clock() + 99) == 0  # nothing was measured yet: it stands still
    assert activity.prefill_seconds_left(watched.clock()) is None
    engine.read(512, 1_000, batch_end=1_000, seconds=2.0)
    activity = session.activity
    assert activity.rate == 256
    assert activity.prefill_position(watched.clock()) == 512
    assert activity.prefill_position(watched.clock() + 1) == 768
    assert activity.prefill_position(watched.clock() + 99) == 1_000
    assert activity.prefill_seconds_left(watched.clock()) == pytest.approx(488 / 256)


def test_the_first_batch_moves_at_the_rate_of_an_earlier_prompt(watched, session, engine):
    watched.ask("one")
    engine.read(100, 100, batch_end=100, seconds=0.5)
    engine.say("1")
    engine.finish()  # 100 tokens in half a second
    watched.ask("two")
    engine.read(0, 400, batch_end=400, seconds=0.0)
    assert session.activity.rate == 200
    assert session.figures.prefill_rate is None  # not measured yet in this prompt
    assert session.activity.prefill_position(watched.clock() + 1) == 200


def test_the_bar_is_asked_to_move_between_borders_and_only_then(watched, session, engine, qtbot):
    watched.ask()
    engine.read(100, 1_000, batch_end=1_000, seconds=0.5)
    count = len(watched.activities)
    qtbot.waitUntil(lambda: len(watched.activities) >= count + 2)
    assert watched.activities[-1] == session.activity
    engine.say("Well")
    assert not any(timer.isActive() for timer in session.findChildren(QTimer) if not timer.isSingleShot())


@given(
    evaluated=st.integers(0, 10_000),
    batch=st.integers(0, 2_048),
    rate=st.none() | st.floats(0.001, 1e6),
    later=st.floats(-10, 1e6),
)
def test_the_bar_never_passes_the_next_border_nor_goes_back(evaluated, batch, rate, later):
    activity = Activity(
        Phase.PREFILL, new_tokens=20_000, evaluated=evaluated, batch_end=evaluated + batch, border_at=50.0, rate=rate
    )
    assert evaluated <= activity.prefill_position(50.0 + later) <= evaluated + batch


def test_events_of_other_requests_pass_by(watched, session, engine, store):
    watched.ask()
    session.on_event(GenerationFailed(replace(engine.requests[0], id="other").id, ModelNotFound(Path("x"))))
    assert session.is_busy
    assert stored(store)[-1].state is TurnState.WRITING

from __future__ import annotations

from dataclasses import replace

import pytest

from desktop.figures import Figures
from inference import (
    FinishReason,
    ModelConfig,
    ReuseEnd,
    Timings,
)
from tests.desktop.fakes import MODEL, OTHER_MODEL
from tests.desktop.watched import Watched


def test_figures_are_blank_before_anything_is_known(store, engine, models):
    assert Watched(store, engine, models).session.figures == Figures()


def test_figures_follow_the_reply(watched, session, engine):
    assert session.figures == Figures(device="CPU", threads=1, context_size=4_096)
    watched.ask()
    assert session.figures.context_used is None
    engine.read(0, 38, batch_end=38, seconds=0.0, cached=774)
    engine.read(38, 38, batch_end=38, seconds=0.2, cached=774)
    assert session.figures == Figures("CPU", 1, 812, 4_096, 190.0, 38, 774, None, None)
    engine.say("They ", began=watched.clock() + 0.25)
    one_token = replace(session.figures, ttft=0.25)
    assert one_token == Figures("CPU", 1, 812, 4_096, 190.0, 38, 774, None, 0.25)  # one token is no rate
    assert session.figures.ttft == pytest.approx(0.25)
    engine.say("erode.", began=watched.clock() + 0.25)
    assert session.figures.decode_rate == pytest.approx(10.0)
    assert session.figures.context_used == 813  # the model takes the last one in when it is to choose another


def test_no_more_tokens_are_held_than_the_window_holds(watched, session, engine):
    watched.ask()
    engine.read(4_094, 4_094, batch_end=4_094, seconds=1.0)
    for piece in ("one ", "two ", "three"):
        engine.say(piece)
    assert session.figures.context_used == 4_096
    engine.finish(FinishReason.WINDOW)
    assert session.figures.context_used == session.figures.context_size == 4_096


def test_tokens_that_nobody_has_counted_are_not_guessed(watched, session, engine):
    watched.ask()
    engine.say("They ")
    assert session.figures.context_used is None


def test_figures_at_the_end_are_those_of_the_reply_that_is_stored(watched, session, engine, models, store):
    watched.ask()
    engine.read(38, 38, batch_end=38, seconds=0.2, cached=774)
    engine.say("They ")
    engine.say("erode.")
    engine.finish()
    timings = session.turns[-1].timings
    assert isinstance(timings, Timings)
    final = Figures("CPU", 1, 813, 4_096, timings.prefill_rate, 38, 774, timings.decode_rate, timings.ttft)
    final = replace(final, reuse_end=ReuseEnd.NEW_TEXT)
    assert session.figures == final
    assert watched.figures[-1] == final
    (conversation,) = store.conversations()
    assert Watched(store, engine, models, conversation=conversation).session.figures == final


def test_a_load_before_the_first_token_leaves_its_time_to_the_engine(store, engine, models):
    watched = Watched(store, engine, models)
    watched.ask()
    engine.loading(0.9)
    engine.ready()
    engine.read(0, 8, batch_end=8, seconds=0.0)
    engine.say("Well")
    assert watched.session.figures.ttft is None
    engine.finish()
    assert watched.session.figures.ttft is not None


def test_another_model_knows_nothing_of_the_context_in_use(watched, session, engine, models):
    watched.ask()
    engine.read(38, 38, batch_end=38, seconds=0.2)
    engine.say("Well")
    engine.finish()
    models.choose(OTHER_MODEL)
    engine.unloaded(ModelConfig(MODEL))
    assert session.figures == replace(session.figures, device="", threads=None, context_size=None)
    engine.ready(context_size=2_048)
    assert (session.figures.context_used, session.figures.context_size) == (None, 2_048)
    assert session.figures.prefill_rate is not None


def test_a_reply_stopped_while_it_waited_leaves_every_figure_blank(watched, session, engine, store):
    watched.ask()
    never_begun = Timings(queued=3.0, load=0.0)
    engine.finish(FinishReason.CANCELLED, timings=never_begun)
    assert session.figures == Figures(device="CPU", threads=1, context_size=4_096)

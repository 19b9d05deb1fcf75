"""Experiments being run for the window."""

from __future__ import annotations

import pytest

from inference import EngineClosed, GenerationBroke, RemoteModel, experiments
from inference.experiments import Bandwidth, ExperimentName, LabJob, Statistic
from tests.fakes import config
from tests.inference.experiments.lending import Lent, timed

PHASES = ExperimentName.PHASES


@pytest.fixture
def outcome():
    return Lent(timed()).result(LabJob(PHASES, config(), quick=True))


@pytest.fixture
def runs(desk):
    desk.open()
    return desk.lab_runs


def test_an_experiment_is_one_job_with_the_chosen_model_and_ends_with_its_outcome(desk, qtbot, runs, outcome):
    assert runs.start(PHASES, quick=True)
    job = desk.engine.jobs[-1]
    assert (job.name, job.model, job.quick) == (PHASES, desk.models.config, True)
    assert runs.running is PHASES
    with qtbot.waitSignal(runs.progressed) as told:
        desk.engine.progress(0.25, "Reading about 24 tokens")
    assert told.args == [0.25, "Reading about 24 tokens"]
    with qtbot.waitSignal(runs.ended) as ended:
        desk.engine.finish_job(outcome)
    assert ended.args == [outcome]
    assert not runs.is_busy
    assert runs.outcome(PHASES) == outcome


def test_one_runs_at_a_time_and_the_other_is_refused_in_words(desk, qtbot, runs):
    runs.start(PHASES, quick=True)
    with qtbot.waitSignal(runs.failed) as refused:
        assert not runs.start(ExperimentName.COST, quick=True)
    assert refused.args == ["Something is measured already."]
    assert len(desk.engine.jobs) == 1


def test_stopping_cancels_the_job(desk, runs):
    runs.start(PHASES, quick=False)
    runs.stop()
    assert desk.engine.cancelled == [desk.engine.jobs[-1].id]


def test_a_failure_is_said_and_the_next_can_begin(desk, qtbot, runs):
    runs.start(PHASES, quick=True)
    with qtbot.waitSignal(runs.failed):
        desk.engine.fail_job(GenerationBroke("it was told to"))
    assert runs.start(PHASES, quick=True)


def test_a_closed_engine_is_said(desk, qtbot, runs):
    desk.engine.closed = True
    with qtbot.waitSignal(runs.failed) as said:
        assert not runs.start(PHASES, quick=True)
    assert said.args == [str(EngineClosed())]
    assert not runs.is_busy


def test_the_readers_prices_go_along(desk, runs):
    from dataclasses import replace

    desk.settings.save(replace(desk.settings.current, price_input=2.0, price_output=8.0, price_currency="EUR"))
    runs.start(ExperimentName.COST, quick=True)
    assert desk.engine.jobs[-1].prices == experiments.Prices(2.0, 0.0, 8.0, "EUR")


def test_the_memory_is_measured_as_a_job_too(desk, qtbot, runs):
    assert runs.measure_bandwidth()
    with qtbot.waitSignal(runs.bandwidth_measured):
        desk.engine.finish_job(Bandwidth(Statistic((1e10,)), 1))
    assert runs.bandwidth is not None
    assert runs.bandwidth.best == 1e10


def test_with_a_servers_model_it_says_what_to_do(desk, qtbot, runs):
    desk.models.choose(RemoteModel("http://127.0.0.1/v1", "m"))
    with qtbot.waitSignal(runs.failed) as said:
        assert not runs.start(PHASES, quick=True)
    assert "a model of this machine" in said.args[0]

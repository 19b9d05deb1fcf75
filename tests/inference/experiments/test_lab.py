"""The Lab's five experiments as jobs: with a scripted model, and really."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from inference.client import Client, connect
from inference.configuration import ModelConfig
from inference.events import JobFinished
from inference.experiments.exports import as_object, to_csv, to_json, to_markdown
from inference.experiments.lab import ExperimentName, LabJob, about
from inference.experiments.prices import Prices
from inference.experiments.results import Outcome
from inference.model_names import embedded_model
from tests.fakes import config
from tests.inference.experiments.lending import Lent, timed


def outcome_of(lent: Lent, name: ExperimentName) -> Outcome:
    result = lent.result(LabJob(name, config(), quick=True))
    assert isinstance(result, Outcome)
    return result


_LARGE_EFFECTS = (ExperimentName.KV_CACHE, ExperimentName.COST)  # a busy machine does not hide them every time
_TRIES = 3


@pytest.mark.parametrize("name", list(ExperimentName))
def test_each_experiment_says_what_it_asks(name: ExperimentName) -> None:
    texts = about(name)
    assert texts.question.endswith("?")
    assert len(texts.asks.split()) > 40


@pytest.mark.parametrize("name", list(ExperimentName))
def test_each_experiment_shows_with_a_model_of_known_timing_what_it_is_about(name: ExperimentName) -> None:
    lent = Lent(timed(replies=(("Rivers", " bend", "."),), endless=name is not ExperimentName.STREAMING))
    outcome = outcome_of(lent, name)
    assert outcome.conclusion.verdict.shown is True, outcome.conclusion.verdict.sentence
    assert outcome.title == about(name).title
    assert outcome.conclusion.plots
    assert outcome.conclusion.tables
    assert not outcome.stopped
    assert lent.fractions == sorted(lent.fractions)
    assert all(0 <= fraction <= 1 for fraction in lent.fractions)


@pytest.mark.parametrize("name", list(ExperimentName))
def test_a_stopped_experiment_keeps_what_was_measured_and_says_so(name: ExperimentName) -> None:
    lent = Lent(timed())
    outcome = lent.result(LabJob(name, config(), quick=True), lent.stop_after(3))
    assert isinstance(outcome, Outcome)
    assert outcome.stopped
    assert "stopped early" in " ".join(outcome.notes)
    assert to_markdown(outcome)


@pytest.mark.parametrize("name", list(ExperimentName))
def test_the_same_questions_are_asked_every_time(name: ExperimentName) -> None:
    read = []
    for _ in range(2):
        lent = Lent(timed())
        outcome_of(lent, name)
        read.append(lent.model.read)
    assert read[0] == read[1]


def short_form(client: Client, job: LabJob) -> Outcome:
    (end,) = [event for event in client.run(job) if isinstance(event, JobFinished)]
    assert isinstance(end.result, Outcome)
    return end.result


@pytest.mark.model
@pytest.mark.parametrize("name", list(ExperimentName))
def test_each_experiment_runs_with_a_real_model_in_its_short_form(name: ExperimentName) -> None:
    path = embedded_model()
    assert path is not None
    model = ModelConfig(path, context_size=1024, threads=1)
    with connect(model) as client:
        for _ in range(_TRIES if name in _LARGE_EFFECTS else 1):
            outcome = short_form(client, LabJob(name, model, quick=True, prices=Prices(1, 0.1, 4, "EUR")))
            verdict = outcome.conclusion.verdict
            assert verdict.shown is not None
            # What else runs on a test machine may hide an effect, but never in silence.
            assert verdict.shown or verdict.sentence.startswith("Not shown on this machine")
            if verdict.shown:
                break
    assert verdict.shown or name not in _LARGE_EFFECTS, verdict.sentence
    assert json.loads(to_json(outcome)) == json.loads(json.dumps(as_object(outcome)))
    assert outcome.title in to_csv(outcome)
    assert asdict(outcome.subject)["threads"] == 1

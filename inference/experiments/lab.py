"""The Lab: five experiments under their names, each as a job."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import assert_never

from inference.configuration import ModelConfig
from inference.events import GenerationEvent, JobProgress
from inference.experiments import cost, kv_cache, max_tokens, phases, streaming
from inference.experiments.comparison import now_text
from inference.experiments.prices import NO_PRICES, Prices
from inference.experiments.results import Conclusion, Outcome, Subject
from inference.experiments.surroundings import Watch
from inference.experiments.trial import Stopped, Trial
from inference.ids import JobId, new_job_id
from inference.jobs import JobSteps, ModelOnLoan
from inference.sentences import from_text
from resources import text_of


class ExperimentName(StrEnum):
    """The experiments, as they are called in a terminal."""

    PHASES = "phases"
    KV_CACHE = "kv-cache"
    MAX_TOKENS = "max-tokens"
    STREAMING = "streaming"
    COST = "cost"


@dataclass(frozen=True, slots=True)
class About:
    """What an experiment is called, the question it answers, and what it does, in plain words."""

    title: str
    question: str
    asks: str


@lru_cache(maxsize=1)
def _texts() -> dict[str, About]:
    read = tomllib.loads(text_of("texts", "lab.toml"))
    return {name: About(**{key: from_text(text) for key, text in texts.items()}) for name, texts in read.items()}


def about(name: ExperimentName) -> About:
    """From `resources/texts`."""
    return _texts()[name]


@dataclass(frozen=True, slots=True)
class LabJob:
    """One experiment with a model; `quick` is its short form. `prices` are for the one about costs. Its result is an
    `Outcome`."""

    name: ExperimentName
    model: ModelConfig
    quick: bool = False
    prices: Prices = NO_PRICES
    id: JobId = field(default_factory=new_job_id)

    def steps(self, loan: ModelOnLoan) -> JobSteps:
        trial = Trial(loan, self.model, self.id, quick=self.quick)
        found = _Found()
        watch = Watch()
        stopped = False
        try:
            yield from self._measure(trial, found)
        except Stopped:
            stopped = True
        texts = about(self.name)
        return Outcome(
            name=self.name,
            title=texts.title,
            asks=texts.asks,
            subject=Subject.of(loan.info),
            conclusion=self._conclude(found),
            surroundings=watch.stop(),
            when=now_text(),
            stopped=stopped,
            quick=self.quick,
        )

    def _measure(self, trial: Trial, found: _Found) -> Iterator[JobProgress | GenerationEvent]:
        match self.name:
            case ExperimentName.PHASES:
                yield from phases.measure(trial, found.phases)
            case ExperimentName.KV_CACHE:
                yield from kv_cache.measure(trial, found.kv_cache)
            case ExperimentName.MAX_TOKENS:
                yield from max_tokens.measure(trial, found.max_tokens)
            case ExperimentName.STREAMING:
                yield from streaming.measure(trial, self.model, self.id, found.streaming)
            case ExperimentName.COST:
                yield from cost.measure(trial, found.cost)
            case _:
                assert_never(self.name)

    def _conclude(self, found: _Found) -> Conclusion:
        match self.name:
            case ExperimentName.PHASES:
                return phases.conclude(found.phases)
            case ExperimentName.KV_CACHE:
                return kv_cache.conclude(found.kv_cache)
            case ExperimentName.MAX_TOKENS:
                return max_tokens.conclude(found.max_tokens)
            case ExperimentName.STREAMING:
                return streaming.conclude(found.streaming)
            case ExperimentName.COST:
                return cost.conclude(found.cost, self.prices)
            case _:
                assert_never(self.name)


@dataclass(slots=True)
class _Found:
    """What was measured so far: a stopped experiment keeps it."""

    phases: list[phases.Measured] = field(default_factory=list)
    kv_cache: list[kv_cache.Measured] = field(default_factory=list)
    max_tokens: list[max_tokens.Measured] = field(default_factory=list)
    streaming: list[streaming.Measured] = field(default_factory=list)
    cost: list[cost.Measured] = field(default_factory=list)

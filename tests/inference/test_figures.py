"""The engine's figures against llama.cpp's own counters, and the phases against the clock on the wall.

llama.cpp's counters have pitfalls, which these tests keep clear of: they stand still until the context is synchronised,
count a batch of one token as written and any larger one as read, and never fall below one token.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from inference.events import GenerationFinished
from inference.generation import Arrival, Generation
from inference.llama.library import llama
from inference.llama.model import LlamaModel
from inference.messages import Message, Role
from inference.model import StopFlag
from inference.model_names import embedded_model
from inference.prefix_cache import PrefixCache
from inference.prompt import PromptBuilder
from inference.requests import GenerationRequest
from tests.llama_models import GREEDY, load

PROMPT = "The river bends because water on the outside of a curve runs faster than on the inside. " * 8
TOKENS = 64
TRIES = 7  # what happens between two looks at a clock on a busy machine is no part of either figure


@dataclass
class Figures:
    finished: GenerationFinished
    waited: float  # by the clock on the wall, from t0 to the last event
    read: int
    read_seconds: float
    written: int
    written_seconds: float


@pytest.fixture(scope="module")
def model() -> Iterator[LlamaModel]:
    path = embedded_model()
    assert path is not None
    model = load(path)
    yield model
    model.close()


def figures_of(model: LlamaModel) -> Figures:
    context = model._context
    model.rewind(0)
    llama.llama_synchronize(context)  # before the reset: what is still queued would be counted after it
    llama.llama_perf_context_reset(context)
    request = GenerationRequest(model.info.config, (Message(Role.USER, PROMPT),), GREEDY, TOKENS)
    prompts, began = PromptBuilder(model), time.perf_counter()
    arrival = Arrival(began, 0.0, 0.0)
    events = list(Generation(request, model, prompts, PrefixCache(0), StopFlag(), arrival).events())
    waited = time.perf_counter() - began
    llama.llama_synchronize(context)
    counted = llama.llama_perf_context(context)
    finished = events[-1]
    assert isinstance(finished, GenerationFinished)
    return Figures(
        finished,
        waited,
        counted.n_p_eval,
        counted.t_p_eval_ms / 1000,
        counted.n_eval,
        counted.t_eval_ms / 1000,
    )


def nearest(ratios: list[float]) -> float:
    """How far from 1 the best of them is."""
    return min(abs(ratio - 1) for ratio in ratios)


@pytest.mark.model
def test_rates_agree_with_llama_cpps_own_counters_within_two_per_cent(model: LlamaModel) -> None:
    reading: list[float] = []
    writing: list[float] = []
    for _ in range(TRIES):
        if reading and nearest(reading) < 0.02 and nearest(writing) < 0.02:
            break
        found = figures_of(model)
        timings = found.finished.timings
        assert timings.prefill_tokens == found.read
        # The last token that is sampled is never evaluated: N tokens are N - 1 steps, as the decode rate counts them.
        assert timings.output_tokens - 1 == found.written
        assert timings.prefill_rate is not None
        assert timings.decode_rate is not None
        reading.append(timings.prefill_rate / (found.read / found.read_seconds))
        writing.append(timings.decode_rate / (found.written / found.written_seconds))
    # A fault of ours would be there in every try; what else the machine does is not.
    assert nearest(reading) < 0.02, reading
    assert nearest(writing) < 0.02, writing


@pytest.mark.model
def test_the_phases_add_up_to_the_time_that_was_waited_within_two_per_cent(model: LlamaModel) -> None:
    for found in (figures_of(model) for _ in range(2)):
        timings, trace = found.finished.timings, found.finished.trace
        assert timings.total == pytest.approx(found.waited, rel=0.02)
        phases = (timings.prepare, timings.prefill, timings.first_sample, timings.decode, timings.finish)
        assert all(phase is not None and phase >= 0 for phase in phases)
        assert timings.ttft == pytest.approx(trace.token_times[0], rel=0.02)
        assert timings.decode == pytest.approx(trace.token_times[-1] - trace.token_times[0], rel=0.02)

"""The KV cache: flat and growing, and verdicts of data that show it and of data that do not."""

from __future__ import annotations

import pytest

from inference.experiments import kv_cache
from inference.experiments.kv_cache import Measured, SecondTurn, Step
from tests.inference.experiments.lending import READ, WRITE, Lent, timed


def of(with_cache: float, without: float, growth: float, reused: float, fresh: float) -> list[Measured]:
    steps = [Measured(step=Step(32 + n, with_cache, without + growth * n)) for n in range(32)]
    turns = [
        Measured(turn=SecondTurn(again, reused if again else fresh, 100 if again else 0))
        for _ in range(3)
        for again in (True, False)
    ]
    return [*steps, *turns]


def test_a_flat_line_under_a_growing_one_is_shown() -> None:
    verdict = kv_cache.conclude(of(0.017, 0.2, 0.006, 0.1, 1.2)).verdict
    assert verdict.shown is True
    assert verdict.sentence == (
        "With the cache a token took 17 ms (17 ms to 17 ms), without it 0.22 s at first and 0.36 s at last, 17 times "
        "as much in the middle; a second turn waited 0.10 s for its first token with reuse and 1.20 s without (n = 3)."
    )


@pytest.mark.parametrize(
    "data",
    [
        (0.017, 0.2, 0.0, 0.1, 1.2),  # it does not grow
        (0.5, 0.2, 0.006, 0.1, 1.2),  # the cache is slower
        (0.017, 0.2, 0.006, 1.2, 1.2),  # the second turn gains nothing
    ],
)
def test_anything_less_is_not_shown_on_this_machine(data: tuple[float, ...]) -> None:
    verdict = kv_cache.conclude(of(*data)).verdict
    assert verdict.shown is False
    assert verdict.sentence.startswith("Not shown on this machine: with the cache a token took")


def test_time_that_grows_with_the_cache_too_is_not_flat() -> None:
    found = [Measured(step=Step(32 + n, 0.017 + 0.005 * n, 0.2 + 0.006 * n)) for n in range(32)]
    assert kv_cache.conclude([*found, *of(0.1, 0.2, 0.1, 0.1, 1.2)[32:]]).verdict.shown is False


def test_half_of_it_is_too_little_for_a_verdict() -> None:
    assert kv_cache.conclude([]).verdict.shown is None
    assert kv_cache.conclude(of(0.017, 0.2, 0.006, 0.1, 1.2)[:32]).verdict.shown is None


def test_what_a_model_of_known_timing_costs_is_found() -> None:
    lent = Lent(timed())
    found: list[Measured] = []
    list(kv_cache.measure(lent.trial(), found))
    steps = [each.step for each in found if each.step is not None]
    assert [step.with_cache for step in steps] == pytest.approx([WRITE] * len(steps))
    assert [step.without for step in steps] == pytest.approx([READ * (step.held + 1) for step in steps])
    turns = [each.turn for each in found if each.turn is not None]
    assert {turn.reused for turn in turns if turn.cached} == {True}
    assert max(t.ttft for t in turns if t.reused) < min(t.ttft for t in turns if not t.reused)
    assert kv_cache.conclude(found).verdict.shown is True

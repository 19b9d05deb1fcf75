"""max_tokens is not latency: verdicts of data that show it and of data that do not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from inference.events import FinishReason
from inference.experiments import max_tokens
from inference.experiments.max_tokens import Measured
from tests.inference.experiments.lending import WRITE, Lent, timed

STOP = FinishReason.STOP


def of(long: float = 9.0, **by_limit: float) -> list[Measured]:
    times = {64: 0.5, 256: 0.5, 4096: 0.5} | {int(name[1:]): seconds for name, seconds in by_limit.items()}
    short = [Measured(limit, False, 17, s * wobble, STOP) for limit, s in times.items() for wobble in (0.99, 1, 1.01)]
    return [*short, *(Measured(512, True, 512, long * wobble, FinishReason.LENGTH) for wobble in (0.99, 1.01))]


def test_the_same_time_under_every_limit_and_a_longer_answer_that_takes_longer_are_shown() -> None:
    verdict = max_tokens.conclude(of()).verdict
    assert verdict.shown is True
    assert verdict.sentence == (
        "The same answer of 17 tokens took 0.50 s under a limit of 64 and 0.50 s under 4,096 (0.49 s to 0.51 s in "
        "all); one of 512 tokens took 9.00 s, 18 times as long."
    )


@pytest.mark.parametrize("data", [of(l4096=0.9), of(l256=0.3), of(long=0.5)])
def test_a_limit_that_costs_time_or_a_length_that_does_not_is_not_shown_on_this_machine(data: list[Measured]) -> None:
    verdict = max_tokens.conclude(data).verdict
    assert verdict.shown is False
    assert verdict.sentence.startswith("Not shown on this machine: the same answer of 17 tokens")


def test_a_short_answer_that_was_cut_off_proves_nothing() -> None:
    cut = [e if e.is_long or e.limit > 64 else replace(e, tokens=64, finish_reason=FinishReason.LENGTH) for e in of()]
    verdict = max_tokens.conclude(cut).verdict
    assert verdict.shown is False
    assert "was cut off" in verdict.sentence


def test_without_a_longer_answer_there_is_no_verdict() -> None:
    assert max_tokens.conclude([]).verdict.shown is None
    assert max_tokens.conclude([e for e in of() if not e.is_long]).verdict.shown is None


def test_with_a_model_of_known_timing_it_is_shown() -> None:
    script = timed(replies=(("Rivers", " bend", "."),), endless=True)
    lent = Lent(script)
    found: list[Measured] = []
    list(max_tokens.measure(lent.trial(), found))
    short, long = ([each for each in found if each.is_long is wanted] for wanted in (False, True))
    assert {each.tokens for each in short} == {3}
    assert {each.limit for each in short} == {64, 256, 1024, 4096}
    assert [each.seconds for each in short] == pytest.approx([short[0].seconds] * len(short))
    assert long[0].seconds - short[0].seconds == pytest.approx(WRITE * (long[0].tokens - 3))
    assert max_tokens.conclude(found).verdict.shown is True

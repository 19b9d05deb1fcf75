"""Two phases: slopes and verdicts, of data that show them and of data that do not."""

from __future__ import annotations

import pytest

from inference.experiments import phases
from inference.experiments.phases import Measured
from tests.inference.experiments.lending import READ, WRITE, Lent, timed


def of(per_input: float, per_output: float, rounds: int = 3) -> list[Measured]:
    found = []
    for turn in range(rounds):
        found += [Measured(turn, True, n, 0.05 + per_input * n) for n in (64, 128, 256)]
        found += [Measured(turn, False, n, 0.01 + per_output * n) for n in (16, 32, 64)]
    return found


def test_an_output_token_that_costs_more_is_shown_with_its_ratio() -> None:
    conclusion = phases.conclude(of(0.006, 0.018))
    assert conclusion.verdict.shown is True
    assert conclusion.verdict.sentence == (
        "One more token of the prompt costs 6 ms, one more token of the answer 18 ms: 3.0 times as much "
        "(3.0 to 3.0 in 3 rounds)."
    )
    assert conclusion.figures["ratio"] == pytest.approx(3.0)


def test_tokens_that_cost_the_same_are_not_shown_on_this_machine() -> None:
    conclusion = phases.conclude(of(0.006, 0.006))
    assert conclusion.verdict.shown is False
    assert conclusion.verdict.sentence.startswith("Not shown on this machine: one more token of the prompt costs 6 ms")


def test_one_round_that_disagrees_keeps_the_verdict_back() -> None:
    found = [*of(0.006, 0.018, 2), *(Measured(2, e.is_reading, e.tokens, e.seconds) for e in of(0.018, 0.018, 1))]
    assert phases.conclude(found).verdict.shown is False


def test_one_length_is_too_little_for_a_verdict() -> None:
    assert phases.conclude([]).verdict.shown is None
    assert phases.conclude([Measured(0, True, 64, 1.0), Measured(0, False, 64, 1.0)]).verdict.shown is None


def test_lines_go_through_the_points_of_their_phase() -> None:
    reading, line, *_ = phases.conclude(of(0.006, 0.018)).plots[0].series
    assert line.points[0][1] == pytest.approx(reading.points[0][1])
    assert line.points[-1][1] == pytest.approx(reading.points[-1][1])


def test_what_a_model_of_known_timing_costs_is_found() -> None:
    lent = Lent(timed())
    found: list[Measured] = []
    for progress in phases.measure(lent.trial(), found):
        assert 0 <= progress.fraction <= 1
    figures = phases.conclude(found).figures
    assert figures["seconds_per_input_token"] == pytest.approx(READ)
    assert figures["seconds_per_output_token"] == pytest.approx(WRITE)


def test_a_small_window_gets_prompts_that_fit() -> None:
    lent = Lent(timed(context_size=256))
    found: list[Measured] = []
    list(phases.measure(lent.trial(quick=False), found))
    assert found
    assert max(each.tokens for each in found) < 256

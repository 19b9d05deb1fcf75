"""What it costs: sums, money at entered prices, and verdicts of data that show it and of data that do not."""

from __future__ import annotations

import pytest

from inference.experiments import cost
from inference.experiments.cost import Measured
from inference.experiments.prices import NO_PRICES, Prices
from tests.inference.experiments.lending import READ, WRITE, Lent, timed


def of(saved: float = 0.01, turns: int = 4) -> list[Measured]:
    """Each turn adds 100 tokens; reading one anew costs `saved` seconds."""
    found = []
    for turn in range(1, turns + 1):
        found.append(Measured(turn, True, 100 * turn, 100 * (turn - 1), 10, 1.0))
        found.append(Measured(turn, False, 100 * turn, 0, 10, 1.0 + saved * 100 * (turn - 1)))
    return found


def test_what_reuse_saves_is_shown_in_tokens_and_time() -> None:
    verdict = cost.conclude(of(), NO_PRICES).verdict
    assert verdict.shown is True
    assert verdict.sentence == (
        "In 4 turns 1,000 tokens were sent, of which 400 had to be read with reuse; the turns took 4.00 s with it and "
        "10.0 s without (2.5 times) (one conversation each, so no spread is known)."
    )


def test_money_is_an_estimate_at_the_prices_that_were_entered() -> None:
    conclusion = cost.conclude(of(), Prices(input=10, cached=1, output=20, currency="EUR"))
    assert "at your prices an estimated 0.0054 EUR and 0.0108 EUR" in conclusion.verdict.sentence
    assert conclusion.figures["cost_with"] == pytest.approx((400 * 10 + 600 * 1 + 40 * 20) / 1e6)
    assert "estimate" in conclusion.notes[-1]


def test_without_prices_no_money_is_shown() -> None:
    conclusion = cost.conclude(of(), NO_PRICES)
    assert "cost_with" not in conclusion.figures
    assert conclusion.notes[-1] == "No prices were entered, so no money is shown."


def test_turns_that_take_the_same_time_are_not_shown_on_this_machine() -> None:
    verdict = cost.conclude(of(saved=0.0), NO_PRICES).verdict
    assert verdict.shown is False
    assert verdict.sentence.startswith("Not shown on this machine: in 4 turns")


def test_one_turn_is_too_little_for_a_verdict() -> None:
    assert cost.conclude(of(turns=1), NO_PRICES).verdict.shown is None
    assert cost.conclude([], NO_PRICES).verdict.shown is None


def test_a_conversation_with_a_model_of_known_timing_adds_up() -> None:
    lent = Lent(timed())
    found: list[Measured] = []
    list(cost.measure(lent.trial(), found))
    for each in found:
        expected = (each.sent - each.cached) * READ + (each.written - 1) * WRITE
        assert each.seconds == pytest.approx(expected, abs=2 * WRITE)  # a single new token counts as a written one
        assert bool(each.cached) == (each.reused and each.turn > 1)
    assert cost.conclude(found, NO_PRICES).verdict.shown is True

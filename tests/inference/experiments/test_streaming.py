"""Streaming over set prompts: verdicts of data that show it and of data that do not."""

from __future__ import annotations

import pytest

from inference.experiments import streaming
from inference.experiments.streaming import Measured
from inference.ids import JobId
from tests.fakes import config
from tests.inference.experiments.lending import READ, Lent, timed
from tests.inference.experiments.test_comparison import of

SHOWN = of([(0.5, 7.0), (0.5, 7.1)], [(7.0, 7.0), (7.1, 7.1)])
NOT_SHOWN = of([(0.5, 9.0), (0.5, 9.1)], [(7.0, 7.0), (7.1, 7.1)])


def test_words_sooner_at_every_length_are_shown() -> None:
    verdict = streaming.conclude([Measured(16, SHOWN), Measured(200, SHOWN)]).verdict
    assert verdict.shown is True
    assert verdict.sentence == (
        "Streaming brings the first words sooner and the last at the same time: with 16 tokens to read, first words "
        "after 0.50 s and 7.05 s, all after 7.05 s and 7.05 s (on and off, n = 2); with 200 tokens to read, first "
        "words after 0.50 s and 7.05 s, all after 7.05 s and 7.05 s (on and off, n = 2)."
    )


def test_times_that_do_not_look_alike_are_called_the_same_with_their_spread_only() -> None:
    wide = of([(0.5, 6.9), (0.5, 8.9)], [(7.0, 7.0), (7.1, 7.1)])
    verdict = streaming.conclude([Measured(16, wide)]).verdict
    assert verdict.shown is True
    assert "all after 7.90 s (6.90 s to 8.90 s) and 7.05 s (7.00 s to 7.10 s) (on and off, n = 2)" in verdict.sentence


def test_one_length_that_disagrees_is_said() -> None:
    verdict = streaming.conclude([Measured(16, SHOWN), Measured(200, NOT_SHOWN)]).verdict
    assert verdict.shown is False
    assert verdict.sentence.startswith("Not shown on this machine for every prompt:")


def test_nothing_measured_is_no_verdict() -> None:
    assert streaming.conclude([]).verdict.shown is None


def test_with_a_model_of_known_timing_it_is_shown_at_every_length() -> None:
    lent = Lent(timed(replies=(("Rivers", " bend", "."),), endless=False))
    found: list[Measured] = []
    list(streaming.measure(lent.trial(), config(), JobId("job"), found))
    assert [each.prompt_tokens for each in found] == sorted(each.prompt_tokens for each in found)
    assert len({each.prompt_tokens for each in found}) == 3
    for each in found:
        assert each.comparison.runs[0].first_text == pytest.approx(each.prompt_tokens * READ)
    assert streaming.conclude(found).verdict.shown is True

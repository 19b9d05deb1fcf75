"""Asking again and again, so that only what is meant to differ differs."""

from __future__ import annotations

import pytest

from inference.errors import PromptTooLong
from inference.experiments.trial import Stopped, rounds_of
from inference.sentences import Sentence
from tests.inference.experiments.lending import Lent, timed


def test_the_same_question_starts_from_nothing_each_time() -> None:
    trial = Lent(timed()).trial()
    first, second = (trial.ask("Why do rivers bend?", max_tokens=4) for _ in range(2))
    assert first.usage == second.usage
    assert second.usage.cached_tokens == 0


def test_a_question_may_start_from_what_was_held() -> None:
    lent = Lent(timed())
    trial = lent.trial()
    trial.ask("Why do rivers bend?", max_tokens=4)
    start = lent.loan.held()
    trial.ask("Something else", max_tokens=4)
    again = trial.ask("Why do rivers bend?", start=start, max_tokens=4)
    assert again.usage.cached_tokens == again.usage.input_tokens or (again.usage.cached_tokens or 0) > 10


def test_a_text_is_about_as_long_as_wanted_and_ends_with_a_word() -> None:
    trial = Lent(timed()).trial()
    for wanted in (16, 100, 1000):
        text = trial.text_of(wanted)
        assert 0.5 * wanted <= len(trial.tokens_of(text)) <= wanted
        assert not text.endswith(" ")
    assert trial.text_of(200) == trial.text_of(200)


def test_a_stopped_trial_begins_nothing_more() -> None:
    lent = Lent(timed())
    trial = lent.trial()
    trial.plan(2)
    assert trial.begin(Sentence("one")).fraction == 0.0
    lent.stop_flag.set()
    with pytest.raises(Stopped):
        trial.begin(Sentence("two"))
    with pytest.raises(Stopped):
        trial.ask("Hello?")


def test_what_cannot_be_answered_is_an_error() -> None:
    trial = Lent(timed(context_size=64)).trial()
    with pytest.raises(PromptTooLong):
        trial.ask("long " * 100)


def test_an_exact_length_forbids_every_end() -> None:
    lent = Lent(timed())
    assert lent.trial().ask("Go on", max_tokens=12, exactly=True).usage.output_tokens == 12
    ends = {token for token, _ in lent.trial()._no_end}
    assert ends == {token for token in range(lent.model.vocabulary.size) if lent.model.vocabulary.is_end(token)}


def test_rounds_go_up_and_down_in_turn() -> None:
    assert rounds_of((1, 2, 3), 2) == [(0, 1), (0, 2), (0, 3), (1, 3), (1, 2), (1, 1)]

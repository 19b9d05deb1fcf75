"""What an experiment says, as plain values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, replace
from enum import StrEnum
from typing import TypeVar

from hypothesis import given, settings
from hypothesis import strategies as st

from inference.events import FinishReason, Timings, Usage
from inference.experiments import cost, kv_cache, max_tokens, phases, streaming
from inference.experiments.comparison import Comparison, Mode, Paint, Run
from inference.experiments.exports import table_of
from inference.experiments.prices import NO_PRICES, Prices
from inference.experiments.results import Conclusion, Ink, Outcome, Plot, Series, Subject, Table, Verdict
from inference.experiments.surroundings import UNKNOWN, Surroundings
from inference.sentences import Sentence

T = TypeVar("T")

OUTCOME = Outcome(
    "phases",
    "Two phases",
    "Why?",
    Subject("Small", "Q4_1", "CPU", 1, 4096),
    Conclusion(Verdict(True, "So it is."), notes=("One warm-up came first.",)),
    UNKNOWN,
    "2026-01-01T00:00:00+00:00",
)


def test_a_subject_says_what_is_known_of_it() -> None:
    assert OUTCOME.subject.words == "Small (Q4_1), CPU, 1 thread, a window of 4,096 tokens"
    assert replace(OUTCOME.subject, threads=4).words.split(", ")[2] == "4 threads"
    assert Subject("Small").words == "Small"


def test_notes_say_how_it_was_made_and_what_else_happened() -> None:
    assert OUTCOME.notes == ("One warm-up came first.",)
    stopped = replace(OUTCOME, stopped=True, quick=True, surroundings=Surroundings(others=2.0))
    assert len(stopped.notes) == 5
    assert "stopped early" in stopped.notes[1]
    assert "short form" in stopped.notes[2]
    assert stopped.notes[4].startswith("Other programs took a share")


def test_a_plot_says_in_words_what_is_drawn() -> None:
    plot = Plot("Time", "tokens", "tokens", "time", "s", (Series("reading", (), Ink.PREFILL), Series("writing", ())))
    assert plot.summary == "Time: time (s) over tokens; reading; writing."


def test_what_has_no_unit_or_no_name_leaves_no_marks_behind() -> None:
    assert Plot("Time", "turn", "", "time", "s", (Series("", ()),)).summary == "Time: time (s) over turn."


# Whatever was measured, all words about it are sentences, so that a window can say them in its own language.

TIMES = st.sampled_from((0.0, 0.00002, 0.05, 0.5, 0.52, 5.0, 50.0, 5000.0))
COUNTS = st.sampled_from((1, 24, 64, 65, 256, 1200))
SURROUNDINGS = st.builds(Surroundings, *[st.sampled_from((None, 0.2, 2000.0))] * 3)
TIMINGS = st.builds(
    Timings,
    *[st.just(0.0)] * 2,
    prepare=st.just(0.0),
    prefill=TIMES,
    first_sample=st.just(0.0),
    decode=TIMES,
    finish=st.just(0.0),
    prefill_tokens=COUNTS,
    output_tokens=COUNTS,
)
RUNS = st.builds(
    Run,
    number=st.integers(1, 6),
    mode=st.sampled_from(Mode),
    text=st.sampled_from(("Yes.", "No.")),
    finish_reason=st.just(FinishReason.STOP),
    usage=st.builds(Usage, COUNTS, st.sampled_from((0, 1, 5)), COUNTS),
    timings=TIMINGS,
    first_text=TIMES,
    surroundings=SURROUNDINGS,
    paint=st.sampled_from((None, Paint(0.1, 0.2, 5, 0.01))),
)
COMPARISONS = st.builds(
    Comparison,
    prompt=st.just("?"),
    subject=st.just(Subject("small")),
    wanted=st.integers(1, 3),
    runs=st.lists(RUNS, max_size=6).map(tuple),
    when=st.just("now"),
    kept=st.booleans(),
)
ENDS = st.sampled_from(FinishReason)
PRICES = st.sampled_from((NO_PRICES, Prices(1.0, 0.1, 5000.0, "X")))


def several(kind: st.SearchStrategy[T]) -> st.SearchStrategy[list[T]]:
    """Few, of which nothing can be said, or enough."""
    return st.lists(kind, max_size=2) | st.lists(kind, min_size=12, max_size=24)


CONCLUSIONS = st.one_of(
    several(st.builds(phases.Measured, st.integers(0, 1), st.booleans(), COUNTS, TIMES)).map(phases.conclude),
    several(st.builds(phases.Measured, st.just(0), st.booleans(), COUNTS, TIMES)).map(phases.conclude),
    several(
        st.builds(kv_cache.Measured, step=st.builds(kv_cache.Step, COUNTS, TIMES.filter(bool), TIMES))
        | st.builds(kv_cache.Measured, turn=st.builds(kv_cache.SecondTurn, st.booleans(), TIMES, COUNTS)),
    ).map(kv_cache.conclude),
    several(st.builds(max_tokens.Measured, COUNTS, st.booleans(), COUNTS, TIMES.filter(bool), ENDS)).map(
        max_tokens.conclude
    ),
    st.lists(st.builds(streaming.Measured, COUNTS, COMPARISONS), max_size=3).map(streaming.conclude),
    st.builds(
        cost.conclude,
        several(st.builds(cost.Measured, COUNTS, st.booleans(), COUNTS, COUNTS, COUNTS, TIMES.filter(bool))),
        PRICES,
    ),
    COMPARISONS.map(Comparison.conclusion),
)
OUTCOMES = st.builds(
    Outcome,
    *[st.just(Sentence("A title"))] * 3,
    subject=st.just(Subject("small")),
    conclusion=CONCLUSIONS,
    surroundings=SURROUNDINGS,
    when=st.just("now"),
    stopped=st.booleans(),
    quick=st.booleans(),
)


def texts_in(value: object) -> Iterator[str]:
    """Every text in a result, and what it was made of."""
    match value:
        case Sentence():
            yield value
            yield from texts_in(tuple(value.arguments.values()))
        case str() if not isinstance(value, StrEnum):
            yield value
        case tuple():
            for each in value:
                yield from texts_in(each)
        case Verdict() | Plot() | Series() | Table():
            yield from texts_in(tuple(getattr(value, field.name) for field in fields(value)))
        case _:
            pass


@settings(max_examples=300)
@given(OUTCOMES)
def test_whatever_was_measured_every_word_about_it_is_a_sentence(outcome: Outcome) -> None:
    found = outcome.conclusion
    texts = [*texts_in((found.verdict, found.plots, found.tables, outcome.notes))]
    texts += [text for plot in found.plots for text in texts_in((plot.summary, table_of(plot)))]
    assert [text for text in texts if re.search(r"[^\W\d]{2}", text) and not isinstance(text, Sentence)] == []

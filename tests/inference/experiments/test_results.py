"""What an experiment says, as plain values."""

from __future__ import annotations

from dataclasses import replace

from inference.experiments.results import Conclusion, Ink, Outcome, Plot, Series, Subject, Verdict
from inference.experiments.surroundings import UNKNOWN, Surroundings

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

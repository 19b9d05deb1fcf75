"""What else the machine did meanwhile."""

from __future__ import annotations

import time

from inference.experiments.results import words_for
from inference.experiments.surroundings import UNKNOWN, Surroundings, Watch


def test_what_was_seen_is_a_load_and_a_share_or_nothing() -> None:
    watch = Watch()
    end = time.monotonic() + 0.25
    while time.monotonic() < end:
        pass
    seen = watch.stop()
    assert seen.others is not None
    assert seen.others >= 0
    assert seen.load_average is None or seen.load_average >= 0


def test_of_a_moment_nothing_is_said_about_others() -> None:
    assert Watch().stop().others is None


def test_half_a_processor_of_other_work_is_a_disturbance() -> None:
    assert Surroundings(others=0.6).is_disturbed
    assert not Surroundings(others=0.4).is_disturbed
    assert not UNKNOWN.is_disturbed


def test_disturbed_runs_are_shown_and_said() -> None:
    assert words_for(UNKNOWN) == ()
    quiet = words_for(Surroundings(0.5, 2300.0, 0.1))
    assert quiet == (
        "Meanwhile: load average 0.50, processor clock 2,300 MHz, 0.10 processors busy with other programs.",
    )
    assert len(words_for(Surroundings(2.5, None, 1.1))) == 2

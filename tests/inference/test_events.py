"""Figures that are not known are blank, never guessed."""

from __future__ import annotations

import pytest

from inference.events import Timings, Trace, rate_of_decode

WHOLE = Timings(
    queued=1.0,
    load=2.0,
    prepare=0.25,
    prefill=0.5,
    first_sample=0.125,
    decode=4.0,
    finish=0.0625,
    prefill_tokens=100,
    output_tokens=9,
)


def test_the_first_token_does_not_wait_for_the_load() -> None:
    assert WHOLE.ttft == 1.0 + 0.25 + 0.5 + 0.125


def test_overhead_is_all_before_the_first_token_but_prefill_and_load() -> None:
    assert WHOLE.overhead == 1.0 + 0.25 + 0.125


def test_the_phases_add_up_to_the_total() -> None:
    assert WHOLE.total == 1.0 + 2.0 + 0.25 + 0.5 + 0.125 + 4.0 + 0.0625


def test_rates_count_what_was_evaluated_and_the_steps_between_tokens() -> None:
    assert WHOLE.prefill_rate == 200.0
    assert WHOLE.decode_rate == 2.0


def test_what_never_happened_is_blank() -> None:
    stopped = Timings(queued=1.0, load=0.0)
    assert stopped.ttft is None
    assert stopped.overhead is None
    assert stopped.prefill_rate is None
    assert stopped.decode_rate is None
    assert stopped.total == 1.0


def test_a_server_that_does_not_say_what_it_did_leaves_the_wait_for_its_first_token() -> None:
    timings = Timings(queued=0.5, load=0.0, wait=1.5, decode=2.0, finish=0.25, output_tokens=5, measured_at_client=True)
    assert timings.ttft == 2.0
    assert timings.overhead is None
    assert timings.prefill_rate is None
    assert timings.decode_rate == 2.0
    assert timings.total == 0.5 + 1.5 + 2.0 + 0.25


@pytest.mark.parametrize(("tokens", "seconds"), [(0, 1.0), (1, 1.0), (5, None), (5, 0.0)])
def test_a_rate_of_decode_needs_two_tokens_and_time_between_them(tokens: int, seconds: float | None) -> None:
    assert rate_of_decode(tokens, seconds) is None


def test_the_kept_ids_are_those_of_the_text() -> None:
    assert Trace(token_ids=(1, 2, 3), kept_tokens=2).kept_ids == (1, 2)

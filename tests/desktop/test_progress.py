from __future__ import annotations

import pytest

from desktop.activity import Activity, Phase
from desktop.widgets.progress import ProgressKind, progress_of, thinking_of

PREFILL = Activity(Phase.PREFILL, new_tokens=1204, evaluated=512, batch_end=1024, border_at=100.0, rate=100.0)


def test_at_rest_there_is_nothing_to_say(qapp):
    assert progress_of(Activity(), 0.0) is None


def test_prefill_says_how_much_is_read_and_how_long_it_takes(qapp):
    progress = progress_of(PREFILL, 100.92)
    assert progress is not None
    assert progress.text == "Reading 1,204 tokens, 6 s left"
    assert progress.kind is ProgressKind.PREFILL
    assert progress.fraction == pytest.approx(604 / 1204)


def test_prefill_never_shows_more_than_the_batch_that_is_read(qapp):
    progress = progress_of(PREFILL, 900.0)
    assert progress is not None
    assert progress.fraction == pytest.approx(1024 / 1204)


def test_without_a_rate_no_time_is_guessed(qapp):
    progress = progress_of(Activity(Phase.PREFILL, new_tokens=40), 1.0)
    assert progress is not None
    assert progress.text == "Reading 40 tokens"


def test_while_text_streams_the_text_is_the_progress(qapp):
    assert progress_of(Activity(Phase.DECODE, output_tokens=142, decode_seconds=3.1, streaming=True), 0.0) is None


def test_withheld_text_is_counted(qapp):
    progress = progress_of(Activity(Phase.DECODE, output_tokens=142, decode_seconds=3.14, streaming=False), 0.0)
    assert progress is not None
    assert progress.text == "142 tokens, 3.1 s"
    assert progress.fraction is None


def test_loading_and_waiting_say_what_is_waited_for(qapp):
    loading = progress_of(Activity(Phase.LOADING, load_fraction=0.42), 0.0)
    waiting = progress_of(Activity(Phase.WAITING), 0.0)
    assert loading is not None
    assert waiting is not None
    assert (loading.text, loading.fraction, loading.kind) == ("Loading the model, 42 %", 0.42, ProgressKind.LOADING)
    assert (waiting.text, waiting.kind) == ("Waiting for its turn", ProgressKind.WAITING)


def test_thinking_counts_its_tokens_and_then_says_how_long_it_took(qapp):
    thinking = Activity(Phase.DECODE, output_tokens=38, is_thinking=True, thought_seconds=1.2)
    assert thinking_of(thinking) == "Thinking, 38 tokens"
    assert thinking_of(Activity(Phase.DECODE, output_tokens=40, thought_seconds=4.2)) == "Thought for 4.2 s"
    assert thinking_of(Activity(Phase.DECODE, output_tokens=40)) == ""


def test_with_streaming_off_thinking_is_said_too(qapp):
    activity = Activity(Phase.DECODE, output_tokens=38, decode_seconds=1.2, is_thinking=True, streaming=False)
    progress = progress_of(activity, 0.0)
    assert progress is not None
    assert progress.text == "Thinking, 38 tokens, 1.2 s"

"""The words around a message."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from desktop.conversations import TurnState
from desktop.turns import Attachment, Turn
from desktop.widgets.captions import caption_of
from inference import FinishReason, Message, Role, Timings, Usage

NOW = datetime.now(UTC)
QUESTION = Turn(1, 1, None, Message(Role.USER, "Why?"), NOW)
REPLY = Turn(2, 1, 1, Message(Role.ASSISTANT, "Because."), NOW, model_name="small")


def test_whose_it_is_and_what_was_done_with_it():
    assert caption_of(QUESTION).name == "You"
    assert caption_of(replace(QUESTION, edited=True, pinned=True)).name == "You · edited · pinned"
    assert caption_of(replace(REPLY, pinned=True)).name == "small · pinned"


def test_the_files_that_went_along():
    files = (Attachment("bends.csv", "csv", 1, "x"), Attachment("two\nlines.md", "md", 1, "y"))
    caption = caption_of(replace(QUESTION, attachments=files))
    assert caption.note == "bends.csv, two lines.md"
    assert caption.note_icon == "attach"


def test_a_reply_has_its_figures():
    timings = Timings(0.0, 0.0, 0.0, 0.5, 0.0, 1.0, 0.0, prefill_tokens=38, output_tokens=65)
    figures = caption_of(replace(REPLY, usage=Usage(812, 774, 65), timings=timings)).figures
    assert figures == "38 new + 774 cached · 64.0 tok/s"


@pytest.mark.parametrize(
    ("reason", "words"), [(FinishReason.CANCELLED, "Stopped"), (FinishReason.LENGTH, "Cut off at the length asked for")]
)
def test_how_it_ended_stands_before_the_figures(reason, words):
    assert caption_of(replace(REPLY, finish_reason=reason)).figures == words


def test_what_did_not_end_well_has_a_sentence():
    assert "context window is full" in caption_of(replace(REPLY, finish_reason=FinishReason.WINDOW)).notice
    assert caption_of(replace(REPLY, state=TurnState.INTERRUPTED)).notice.startswith("Interrupted")
    failed = caption_of(replace(REPLY, state=TurnState.FAILED, error="It broke."))
    assert (failed.notice, failed.is_error) == ("It broke.", True)


@pytest.mark.parametrize(
    ("count", "words"), [(1, "1 older message was not read"), (3, "3 older messages were not read")]
)
def test_what_it_was_made_without(count, words):
    assert caption_of(replace(REPLY, left_out=tuple(range(count)))).note == words

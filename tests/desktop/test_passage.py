"""A text of a message, as segments."""

from __future__ import annotations

import pytest

from desktop.theme import load_theme
from desktop.widgets.passage import Passage
from desktop.widgets.typesetting import Look


@pytest.fixture
def look(qapp):
    return Look(load_theme("light"))


def test_a_growing_passage_shows_what_came(look):
    passage = Passage("", look, grows=True)
    assert passage.grow("One.\n\n", look) == 0
    passage.grow("Two", look)
    assert passage.shown_text() == "One.\n\nTwo"
    passage.finish(look)
    assert not passage.is_growing
    assert passage.text == "One.\n\nTwo"


def test_text_that_comes_late_changes_nothing(look):
    passage = Passage("All.", look, grows=False)
    assert passage.grow("More", look) == len(passage.segments)
    assert passage.shown_text() == "All."


def test_every_segment_of_a_quiet_passage_is_quiet(look):
    passage = Passage("One.\n\n```\ncode\n```\n\nTwo.", look, grows=False, is_quiet=True)
    for number in reversed(range(len(passage.segments))):
        passage.read(number)
    assert all(segment.is_quiet for segment in passage.segments)
    growing = Passage("One.\n\n```\ncode\n```\n\nTwo.", look, grows=True, is_quiet=True)
    assert all(segment.is_quiet for segment in growing.segments)


def test_quiet_text_is_written_in_the_muted_colour(look):
    passage = Passage("One.", look, grows=True, is_quiet=True)
    block = passage.segments[0].open_document(look).firstBlock()
    assert block.textFormats()[0].format.foreground().color() == look.theme.muted


def test_plain_text_is_no_markdown(look):
    passage = Passage("*One*", look, grows=False, is_plain=True)
    assert passage.shown_text() == "*One*"

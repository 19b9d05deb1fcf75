"""A text of a message, as segments."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

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


PIECES = [
    "word ",
    "**",
    "*",
    "_",
    "`",
    "```",
    "```py\n",
    "\n",
    "\n\n",
    "- ",
    "1. ",
    "> ",
    "# ",
    "[x](",
    "https://a.org)",
    "$x$",
    "漢字",
    "😀",
    "سلام ",
    "~~",
    "---\n",
    "    ",
    "- [x] ",
]
PIECES += ["| a | b |\n", "|--|--|\n", "word " * 60, "x" * 300, "line\n" * 70, "| 1 | 2 |\n" * 14]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(PIECES), max_size=25), st.data())
def test_however_a_text_is_cut_it_is_shown_as_if_it_had_come_whole(look: Look, pieces: list[str], data):
    text = "".join(pieces)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=12)))
    streamed = Passage("", look, grows=True)
    for begin, end in zip([0, *cuts], [*cuts, len(text)], strict=True):
        streamed.grow(text[begin:end], look)
    streamed.finish(look)
    whole = Passage("", look, grows=True)
    whole.grow(text, look)
    whole.finish(look)
    assert [segment.blocks for segment in streamed.segments] == [segment.blocks for segment in whole.segments]
    assert streamed.shown_text() == whole.shown_text()

"""Finding words in all that was said, read or not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desktop.conversations import TurnState
from desktop.turns import Turn
from desktop.widgets.captions import caption_of
from desktop.widgets.find import Finder
from desktop.widgets.message_view import MessageView
from desktop.widgets.rows import Rows
from desktop.widgets.segments import UnreadSegment
from desktop.widgets.typesetting import Look, Setting
from tests.desktop.talk import Conversation


@pytest.fixture
def look(qapp, theme) -> Look:
    return Look(theme)


def finder_for(turns: list[Turn], look: Look) -> tuple[Finder, Rows]:
    rows = Rows(look, lambda old, new: None)
    rows.setting = Setting(500, 600)
    rows.show(MessageView(turn, caption_of(turn), look) for turn in turns)
    return Finder(rows, lambda message: message.set_open(look, is_open=True)), rows


def counted(turns: list[Turn], words: str, look: Look) -> int:
    finder, _ = finder_for(turns, look)
    finder.look_for(words)
    for _ in finder.search():
        pass
    assert finder.is_complete
    return finder.total


@pytest.mark.parametrize(
    ("source", "words", "count"),
    [
        ("Rivers bend. RIVERS erode.", "rivers", 2),
        ("so **it** is, so\nit is", "so it", 2),
        ("un**believ**able", "unbelievable", 1),
        ("AT&amp;T and AT&T", "at&t", 2),
        ("[te](https://x.org/te)xt", "text", 1),
        ("```py\nx = rivers\n```", "rivers", 1),
        ("| rivers | a |\n|--|--|\n| b | rivers |", "rivers", 2),
        ("rivers\n\nbend", "rivers bend", 0),
        ("a -> b, a->b", "->", 2),
        ("漢字かな交じり文", "かな", 1),
        ("nothing", "rivers", 0),
        ("**", "*", 2),
        ("nothing", "   ", 0),
    ],
)
def test_what_is_shown_is_found_whatever_marks_stand_in_the_source(look: Look, source: str, words: str, count: int):
    said = Conversation()
    said.answer(source)
    assert counted(said.turns, words, look) == count


def test_counting_reads_nothing_for_good(look: Look):
    said = Conversation()
    for _ in range(20):
        said.answer("Rivers bend. " * 100)
    finder, rows = finder_for(said.turns, look)
    finder.look_for("rivers")
    for _ in finder.search():
        pass
    assert finder.total == 2000
    assert all(isinstance(segment, UnreadSegment) for message in rows.messages for segment in message.segments)


def test_hits_come_in_order_around_the_end(look: Look):
    said = Conversation()
    for text in ("one x", "two", "three x x", "four x"):
        said.answer(text)
    finder, rows = finder_for(said.turns, look)
    finder.look_for("x")
    assert finder.number == 0
    seen = []
    for _ in range(5):
        assert finder.go_on(1)
        spots = finder.current_spots()
        assert spots is not None
        seen.append((rows.messages.index(spots[0].message), spots[0].position))
    assert seen == [(0, 4), (2, 6), (2, 8), (3, 5), (0, 4)]
    assert finder.go_on(-1)
    assert (finder.number, finder.total) == (4, 4)


def test_hits_in_folded_reasoning_are_counted_and_opened_when_led_to(look: Look):
    said = Conversation()
    said.answer("x")
    said.think("x and x", "x")
    finder, rows = finder_for(said.turns, look)
    finder.look_for("x")
    numbers = [finder.number for _ in range(4) if finder.go_on(1)]
    assert numbers == [1, 2, 3, 4]
    assert rows.messages[1].is_open
    assert finder.total == 4


def test_what_grows_is_counted_anew(look: Look):
    said = Conversation()
    reply = said.answer("x", TurnState.WRITING)
    finder, rows = finder_for([reply], look)
    finder.look_for("x")
    finder.go_on(1)
    rows.grow(0, " and **x", is_thought=False, measures=False)
    finder.forget(rows.messages[0])
    for _ in finder.search():
        pass
    assert (finder.number, finder.total) == (1, 2)


def test_a_message_that_is_gone_takes_its_hits_along(look: Look):
    said = Conversation()
    said.answer("x")
    said.answer("x x")
    finder, rows = finder_for(said.turns, look)
    finder.look_for("x")
    for _ in finder.search():
        pass
    finder.go_on(-1)
    rows.replace(rows.messages[:1])
    assert (finder.number, finder.total) == (0, 1)
    assert finder.go_on(1)
    assert finder.number == 1


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.text("ab *`\n-😀|", max_size=40), min_size=1, max_size=4), st.sampled_from(["a", "ab", "b a", "😀a"])
)
def test_read_or_unread_there_are_the_same_hits_and_they_stand_where_they_are_marked(look: Look, texts, words):
    said = Conversation()
    for text in texts:
        said.answer(text)
    before = counted(said.turns, words, look)
    finder, rows = finder_for(said.turns, look)
    rows.measure_between(-10_000, 1_000_000)
    rows.measure_between(-10_000, 1_000_000)
    finder.look_for(words)
    hits = 0
    for message in rows.messages:
        for segment in message.segments:
            for begin, end in finder.marks(segment):
                hits += 1
                shown = segment.text(begin, end, look).replace("\n", " ")
                assert " ".join(words.split()) in " ".join(shown.split()).lower()
    assert hits == before


def test_a_search_for_nothing_marks_nothing(look: Look):
    said = Conversation()
    said.answer("x")
    finder, rows = finder_for([replace(said.turns[0])], look)
    finder.look_for("x")
    finder.go_on(1)
    finder.look_for("")
    assert finder.marks(rows.messages[0].segments[0]) == ()
    assert finder.current_spots() is None
    assert not finder.go_on(1)

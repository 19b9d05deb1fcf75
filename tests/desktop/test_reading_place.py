"""Where a reader is, kept and found again."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desktop.widgets.reading_place import Place
from desktop.widgets.transcript import Transcript
from tests.desktop.talk import LONG, Conversation, picture

RICH = LONG[:3000] + "\n\n```py\n" + "x = 1\n" * 150 + "```\n\n| a | b |\n|--|--|\n" + "| c | d |\n" * 30 + LONG[:3000]


def settled(view: Transcript, qtbot) -> None:
    qtbot.waitUntil(lambda: not view._idle_timer.isActive())


def test_whoever_follows_the_end_comes_back_to_the_end(transcript: Transcript, said: Conversation):
    turns = [said.answer(LONG)]
    transcript.show_turns(turns)
    assert transcript.place() is None
    transcript.show_turns([])
    transcript.show_turns(turns)
    transcript.restore_place(None)
    assert transcript.following
    assert transcript._value == transcript.verticalScrollBar().maximum()


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.floats(0, 0.98))
def test_a_reader_comes_back_to_the_same_pixels(transcript: Transcript, share: float):
    said = Conversation()
    turns = [said.ask("Why?"), said.answer(RICH), said.ask("Why? " * 50), said.think("Hm.", RICH)]
    transcript.show_turns(turns)
    bar = transcript.verticalScrollBar()
    bar.setValue(round(share * bar.maximum()))
    place, before = transcript.place(), picture(transcript)
    assert place is not None
    transcript.show_turns([said.ask("Another")])
    transcript.show_turns(turns)
    transcript.restore_place(place)
    assert transcript.place() == place
    assert picture(transcript) == before


def test_in_another_width_the_same_words_are_at_the_top(transcript: Transcript, said: Conversation):
    turns = [said.answer(RICH) for _ in range(3)]
    transcript.show_turns(turns)
    transcript.verticalScrollBar().setValue(transcript.verticalScrollBar().maximum() // 2)
    place = transcript.place()
    assert place is not None
    transcript.resize(420, 500)
    transcript.show_turns(turns)
    transcript.restore_place(place)
    again = transcript.place()
    assert again is not None
    assert again.turn == place.turn
    assert again.position is not None
    assert place.position is not None
    assert abs(again.position - place.position) < 80


def test_a_turn_that_is_gone_leads_to_the_end(transcript: Transcript, said: Conversation):
    transcript.show_turns([said.answer(LONG)])
    transcript.restore_place(Place(99, 5, 0))
    assert transcript.following


@pytest.mark.parametrize("position", [10**6, 0])
def test_a_text_that_is_another_leads_somewhere_in_its_turn(transcript: Transcript, said: Conversation, position: int):
    transcript.show_turns([said.answer(LONG), said.answer(LONG)])
    transcript.restore_place(Place(1, position, 0))
    assert 0 <= transcript._value <= transcript._rows.tops[1]

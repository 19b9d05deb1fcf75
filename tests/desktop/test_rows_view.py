"""The place of a reader: at the end while it is followed, else at what is read."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QEventLoop, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.conversations import TurnState
from desktop.widgets.pill import LatestPill
from desktop.widgets.progress import Progress, ProgressKind
from desktop.widgets.transcript import Transcript
from inference import FinishReason
from tests.desktop.talk import LONG, Conversation, finished, grow, picture, wheel

EVENTS = {
    "progress": "",
    "think": "",
    "words": "Some words, and more of them. ",
    "marks": "**bold** and `code` ",
    "code": "\n\n```py\nx = 1\n```\n\n",
    "table": "\n\n| a | b |\n|--|--|\n| 1 | 2 |\n\n",
    "formula": "so $x^2$ is. ",
    "long": "A long line of text. " * 100,
}


def test_the_view_follows_the_text_that_arrives(transcript: Transcript, said: Conversation):
    reply = said.answer("", TurnState.WRITING)
    transcript.show_turns([said.answer(LONG), reply])
    for _ in range(40):
        grow(transcript, reply, "A paragraph.\n\n")
        assert transcript.following
        assert transcript.verticalScrollBar().value() == transcript.verticalScrollBar().maximum()


def test_for_a_reader_who_went_up_nothing_moves_one_pixel(transcript: Transcript, said: Conversation, qtbot: QtBot):
    said.answer(LONG)
    reply = said.answer("", TurnState.WRITING)
    transcript.show_turns(said.turns)
    qtbot.waitUntil(lambda: not transcript._idle_timer.isActive())
    wheel(transcript, 4)
    qtbot.waitUntil(lambda: not transcript._idle_timer.isActive())  # what is above now has its true height, too
    before, value = picture(transcript), transcript.verticalScrollBar().value()
    for number in range(200):
        grow(
            transcript,
            reply,
            f"Text **{number}** that\n\n" if number % 3 else "| a | b |\n|--|--|\n| 1 | 2 |\n\n```\nx\n```\n",
        )
    assert not transcript.following
    assert transcript.verticalScrollBar().value() == value
    assert picture(transcript) == before


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_whatever_arrives_not_one_pixel_moves_for_a_reader_who_went_up(transcript: Transcript, data):
    said = Conversation()
    reply = said.answer("", TurnState.WRITING)
    transcript.show_turns([said.ask("Why?"), said.answer(LONG), reply])
    deadline = 300
    while transcript._idle_timer.isActive() and (deadline := deadline - 1):
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
    wheel(transcript, data.draw(st.integers(8, 14)))
    QApplication.processEvents()
    before = picture(transcript)
    text = ""
    for event in data.draw(st.lists(st.sampled_from(sorted(EVENTS)), max_size=12)):
        match event:
            case "progress":
                transcript.set_progress(Progress("Reading 12 tokens", 0.5, ProgressKind.PREFILL))
            case "think":
                transcript.think(reply.id, "Hm. ")
            case _:
                transcript.grow(reply.id, EVENTS[event])
                text += EVENTS[event]
        QApplication.processEvents()
        assert picture(transcript) == before, event
    transcript.set_progress(None)
    transcript.change_turn(finished(reply, text, finish_reason=FinishReason.WINDOW))
    transcript.offer(["Continue", "Leave out the oldest turns"])
    transcript.add_turn(said.answer("", TurnState.WRITING))
    QApplication.processEvents()
    assert picture(transcript) == before
    assert not transcript.following


def test_reading_the_reply_that_grows_nothing_above_its_end_moves(
    transcript: Transcript, said: Conversation, qtbot: QtBot
):
    reply = said.answer("", TurnState.WRITING)
    transcript.add_turn(reply)
    grow(transcript, reply, LONG)
    wheel(transcript, 10)
    qtbot.waitUntil(lambda: not transcript._idle_timer.isActive())
    before, value = picture(transcript), transcript.verticalScrollBar().value()
    for _ in range(50):
        grow(transcript, reply, "More of it, and more.\n")
    transcript.change_turn(finished(reply, LONG + "More of it, and more.\n" * 50))
    assert transcript.verticalScrollBar().value() == value
    assert picture(transcript) == before


def test_the_smallest_step_up_leaves_the_end_and_reaching_it_comes_back(transcript: Transcript, said: Conversation):
    transcript.show_turns([said.answer(LONG)])
    bar = transcript.verticalScrollBar()
    bar.setValue(bar.value() - 1)
    assert not transcript.following
    bar.setValue(bar.value() + 1)
    assert transcript.following


@pytest.mark.parametrize("way", ["pill", "end", "sent"])
def test_three_ways_lead_back_to_the_end(transcript: Transcript, said: Conversation, qtbot: QtBot, way: str):
    transcript.show_turns([said.answer(LONG)])
    wheel(transcript, 10)
    pill = transcript.findChild(LatestPill)
    assert pill is not None
    assert pill.isVisible()
    if way == "pill":
        QTest.mouseClick(pill, Qt.MouseButton.LeftButton)
    elif way == "end":
        QTest.keyClick(transcript, Qt.Key.Key_End)
    else:
        transcript.add_turn(said.ask("And now?"))
    assert transcript.following
    assert transcript.verticalScrollBar().value() == transcript.verticalScrollBar().maximum()
    assert not pill.isVisible()


def test_a_reply_that_is_added_does_not_take_the_reader_away(transcript: Transcript, said: Conversation):
    transcript.show_turns([said.answer(LONG)])
    wheel(transcript, 10)
    value = transcript.verticalScrollBar().value()
    transcript.add_turn(said.answer("", TurnState.WRITING))
    assert transcript.verticalScrollBar().value() == value
    assert not transcript.following


@pytest.mark.parametrize(
    ("key", "moves"),
    [
        (Qt.Key.Key_PageUp, -1),
        (Qt.Key.Key_Up, -1),
        (Qt.Key.Key_PageDown, 1),
        (Qt.Key.Key_Down, 1),
        (Qt.Key.Key_Home, -1),
    ],
)
def test_keys_scroll(transcript: Transcript, said: Conversation, qtbot: QtBot, key: Qt.Key, moves: int):
    transcript.show_turns([said.answer(LONG)])
    bar = transcript.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    before = bar.value()
    QTest.keyClick(transcript, key)
    assert (bar.value() - before) * moves > 0


def first_seen(view: Transcript) -> int:
    return view._rows.between(view._value, view._value)[0]


def test_a_resize_keeps_the_place_of_the_reader(transcript: Transcript, said: Conversation, qtbot: QtBot):
    turns = [said.answer(f"Reply {number}. " + "Words that fill some lines. " * 40) for number in range(60)]
    transcript.show_turns(turns)
    bar = transcript.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    qtbot.waitUntil(lambda: not transcript._idle_timer.isActive())
    top = first_seen(transcript)
    for width in (900, 500, 1300, 400, 700):
        transcript.resize(width, 500)
        assert first_seen(transcript) == top


def test_a_resize_at_the_end_stays_at_the_end(transcript: Transcript, said: Conversation):
    transcript.show_turns([said.answer(LONG)])
    for width in (400, 2560, 700):
        transcript.resize(width, 500)
        assert transcript.verticalScrollBar().value() == transcript.verticalScrollBar().maximum()

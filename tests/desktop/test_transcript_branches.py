"""Another branch in the transcript, and a message written over in its place: the reader's place stays."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from desktop.conversations import TurnState
from desktop.turns import Turn
from desktop.widgets.column import BUBBLE_SIDE
from desktop.widgets.message_editor import MessageEditor
from desktop.widgets.transcript import Transcript
from tests.desktop.talk import LONG, Conversation, grow


@pytest.fixture
def long_talk(transcript: Transcript, said: Conversation) -> list[Turn]:
    """Four exchanges, more than fit on the screen."""
    for number in range(4):
        said.ask(f"Question {number}")
        said.answer(LONG)
    transcript.show_turns(said.turns)
    return said.turns


def scroll_to(view: Transcript, value: int) -> None:
    view.verticalScrollBar().setValue(value)
    QApplication.processEvents()


def bring_into_view(view: Transcript, number: int) -> None:
    """With some of what is before it; what is measured on the way moves it."""
    for _ in range(4):
        scroll_to(view, view._rows.tops[number] - 40)


def place_of(view: Transcript, turn: Turn) -> int:
    message = next(message for message in view.messages() if message.turn.id == turn.id)
    return view.place_of(message).top()


def editor(view: Transcript) -> MessageEditor:
    QApplication.processEvents()
    found: MessageEditor | None = view._editing.editor
    assert found is not None
    return found


def test_what_is_the_same_on_the_other_branch_stays_where_it_is(
    transcript: Transcript, said: Conversation, long_talk: list[Turn]
):
    kept, other = long_talk[:5], replace(said.answer(LONG), id=900)
    bring_into_view(transcript, 4)
    before = {turn.id: place_of(transcript, turn) for turn in kept}
    views = list(transcript.messages())[:5]
    transcript.replace_turns([*kept, other])
    assert {turn.id: place_of(transcript, turn) for turn in kept} == before
    assert list(transcript.messages())[:5] == views, "nothing of it is made anew"
    assert transcript.messages()[-1].turn is other


def test_who_was_inside_what_is_replaced_sees_the_top_of_what_takes_its_place(
    transcript: Transcript, said: Conversation, long_talk: list[Turn]
):
    other = replace(said.answer(LONG), id=900)
    scroll_to(transcript, transcript._rows.tops[5] + 200)
    transcript.replace_turns([*long_talk[:5], other])
    message = transcript.messages()[5]
    assert transcript._rows.top_of(message) == transcript._value


def test_a_message_that_goes_above_the_reader_moves_nothing(transcript: Transcript, long_talk: list[Turn]):
    scroll_to(transcript, transcript._rows.tops[5] + 100)
    before = place_of(transcript, long_talk[5])
    transcript.replace_turns([long_talk[0], *long_talk[2:]])
    assert place_of(transcript, long_talk[5]) == before


def test_a_reply_that_goes_on_is_shown_with_what_it_said_and_grows(transcript: Transcript, said: Conversation):
    question, stopped = said.ask("Why?"), said.answer("Because ")
    transcript.show_turns([question, stopped])
    going_on = replace(stopped, id=900, state=TurnState.WRITING)
    transcript.replace_turns([question, going_on])
    assert transcript.plain_text().endswith("Because")
    grow(transcript, going_on, "it *is* so.")
    assert transcript.plain_text().endswith("Because it is so.")


def test_an_editor_takes_the_place_of_the_text_and_gives_it_back(transcript: Transcript, long_talk: list[Turn]):
    bring_into_view(transcript, 4)
    text, before = transcript.plain_text(), place_of(transcript, long_talk[4])
    transcript.edit(long_talk[4].id)
    assert editor(transcript).text == "Question 2"
    assert place_of(transcript, long_talk[4]) == before
    QTest.keyClicks(editor(transcript).field, "!")
    QTest.keyClick(editor(transcript).field, Qt.Key.Key_Escape)
    assert transcript._editing.editor is None
    assert transcript.plain_text() == text
    assert place_of(transcript, long_talk[4]) == before


def test_what_is_below_makes_room_for_each_line(transcript: Transcript, long_talk: list[Turn]):
    bring_into_view(transcript, 4)
    transcript.edit(long_talk[4].id)
    field = editor(transcript).field
    above, below = place_of(transcript, long_talk[4]), place_of(transcript, long_talk[5])
    QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    QApplication.processEvents()
    assert place_of(transcript, long_talk[4]) == above
    assert place_of(transcript, long_talk[5]) > below
    bottom = editor(transcript).geometry().bottom()
    message = transcript.messages()[4]
    assert bottom <= transcript._rows.top_of(message) - transcript._value + message.height


def test_what_was_written_is_handed_on(transcript: Transcript, long_talk: list[Turn]):
    edited: list[tuple[int, str]] = []
    transcript.edited.connect(lambda turn, text: edited.append((turn, text)))
    transcript.edit(long_talk[0].id)
    QTest.keyClicks(editor(transcript).field, "?")
    QTest.keyClick(editor(transcript).field, Qt.Key.Key_Return)
    assert edited == [(long_talk[0].id, "Question 0?")]


def test_only_one_message_is_written_over_at_a_time(transcript: Transcript, long_talk: list[Turn]):
    transcript.edit(long_talk[0].id)
    transcript.edit(long_talk[2].id)
    assert editor(transcript).text == "Question 1"
    assert [message.is_edited for message in transcript.messages()].count(True) == 1


def test_another_conversation_ends_the_editing(transcript: Transcript, said: Conversation, long_talk: list[Turn]):
    transcript.edit(long_talk[0].id)
    transcript.show_turns([said.ask("Hello")])
    assert transcript._editing.editor is None
    assert transcript.plain_text() == "You\nHello"


def test_the_editor_is_as_wide_as_the_bubbles_at_any_width(transcript: Transcript, long_talk: list[Turn]):
    transcript.edit(long_talk[0].id)
    for width in (900, 400, 700):
        transcript.resize(width, 400)
        QApplication.processEvents()
        assert editor(transcript).width() == transcript._setting.column + 2 * BUBBLE_SIDE

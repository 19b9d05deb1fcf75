"""Reading: selecting, copying, links, other colours, larger text."""

from __future__ import annotations

from time import thread_time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetrics, QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from desktop.conversations import TurnState
from desktop.theme import load_theme, message_font
from desktop.widgets.selection import Spot
from desktop.widgets.transcript import Transcript
from tests.desktop.talk import LONG, Conversation, finished, grow, holds_colour, picture


def drag(view: Transcript, begin: QPoint, end: QPoint) -> None:
    QTest.mousePress(view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, begin)
    QTest.mouseMove(view.viewport(), (begin + end) / 2)
    QTest.mouseMove(view.viewport(), end)
    QTest.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, end)


def test_the_mouse_selects_across_messages(transcript: Transcript, said: Conversation):
    transcript.show_turns([said.ask("First words"), said.answer("Second words"), said.ask("Third words")])
    drag(transcript, QPoint(1, 1), QPoint(690, 490))
    assert transcript.selected_text() == "First words\n\nSecond words\n\nThird words"


def test_a_selection_stays_while_text_arrives(transcript: Transcript, said: Conversation):
    reply = said.answer("", TurnState.WRITING)
    transcript.show_turns([said.ask("First words"), reply])
    grow(transcript, reply, "One **two")
    drag(transcript, QPoint(1, 1), QPoint(690, 490))
    assert transcript.selected_text() == "First words\n\nOne two"
    for piece in (" three", "**", " four\n\n", "- five\n", "- six"):
        grow(transcript, reply, piece)
    assert transcript.selected_text().startswith("First words\n\nOne two")
    transcript.change_turn(finished(reply, "One **two three** four\n\n- five\n- six"))
    assert transcript.selected_text().startswith("First words\n\nOne two")


def test_a_double_click_selects_a_word(transcript: Transcript, said: Conversation):
    transcript.show_turns([said.ask("Remarkable")])
    message = transcript._rows.messages[0]
    at = QPoint(transcript._left + 20, transcript._rows.tops[0] + message.segment_top(0) + 8)
    QTest.mouseDClick(transcript.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)
    assert transcript.selected_text() == "Remarkable"


def test_everything_can_be_selected_and_copied_by_key(transcript: Transcript, said: Conversation, qtbot: QtBot):
    transcript.show_turns([said.ask("a"), said.answer("```py\nx = 1\ny = 2\n```\n\n| p | q |\n|--|--|\n| r | s |")])
    QTest.keyClick(transcript, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(transcript, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "a\n\nx = 1\ny = 2\n\np\tq\nr\ts"


def test_selecting_everything_reads_nothing(transcript: Transcript, said: Conversation):
    turns = [said.answer(LONG) for _ in range(200)]
    transcript.show_turns(turns)
    taken = []
    for _ in range(5):
        began = thread_time()
        transcript.select_all()
        taken.append(thread_time() - began)
    assert min(taken) < 0.05
    assert transcript.selected_text().count("Paragraph 59") == 200


def test_a_link_is_asked_for_and_not_opened(transcript: Transcript, said: Conversation, qtbot: QtBot):
    transcript.show_turns([said.answer("[██████████](https://example.org/a?b=c)")])
    message = transcript._rows.messages[0]
    at = QPoint(transcript._left + 20, transcript._rows.tops[0] + message.segment_top(0) + 10)
    with qtbot.waitSignal(transcript.link_activated, timeout=1000) as asked:
        QTest.mouseClick(transcript.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert asked.args == ["https://example.org/a?b=c"]
    assert transcript._rows.link_at(transcript.in_text(at)) == "https://example.org/a?b=c"


@pytest.mark.parametrize("width", [400, 900, 2560])
def test_the_text_is_a_column_in_the_middle(transcript: Transcript, said: Conversation, width: int):
    transcript.show_turns([said.answer("word " * 200 + "x" * 3000)])
    transcript.resize(width, 500)
    column = transcript._setting.column
    assert column <= 72 * QFontMetrics(message_font()).averageCharWidth()
    assert abs(transcript._left + column / 2 - width / 2) <= 1
    assert transcript._rows.messages[0].segments[0].natural_width() <= column


@pytest.mark.parametrize(
    "text",
    [
        "سلام دنیا و **متن** پررنگ",
        "漢字かな交じり文。" * 50,
        "😀👩‍👩‍👧🇫🇷 `😀` **😀**",
        "```py\ns = '😀' # 漢\n```",
        "",
        "\n\n \n",
        "- ",
        "```",
    ],
)
def test_any_text_can_be_shown_streamed_selected(transcript: Transcript, said: Conversation, text: str):
    reply = said.answer("", TurnState.WRITING)
    transcript.add_turn(reply)
    for character in text:
        grow(transcript, reply, character)
    transcript.change_turn(finished(reply, text))
    drag(transcript, QPoint(1, 1), QPoint(690, 490))
    transcript.show_turns([finished(reply, text)])
    transcript.select_all()
    assert not picture(transcript).isNull()


def test_another_theme_recolours_what_is_shown(transcript: Transcript, said: Conversation):
    transcript.show_turns([said.ask("q"), said.answer("Text `code`\n\n```py\nx = 1\n```\n\n| a |\n|--|\n| b |")])
    height = transcript._rows.tops[-1]
    dark = load_theme("dark")
    transcript.set_theme(dark)
    image = picture(transcript)
    assert image.pixelColor(2, 490) == dark.surface
    assert not holds_colour(image, load_theme("light").text)
    assert transcript._rows.tops[-1] == height


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9), st.integers(0, 40)), min_size=2, max_size=2))
def test_wherever_a_selection_runs_no_thought_gets_among_what_was_said(transcript, ends):
    said = Conversation()
    for _ in range(2):
        said.ask("why " * 3)
        said.think("hmm " * 8 + "\n\n" + "hmm " * 8, "so " * 8 + "\n\n" + "so " * 8)
    transcript.show_turns(said.turns)
    for message in transcript.messages():
        if message.has_thought:
            transcript._turn_fold(message)
    for index in range(4):
        transcript._rows.measure_between(-10_000, 100_000)
        transcript._rows.lay_out(index)
    spots = []
    for number, segment, position in ends:
        message = transcript.messages()[number]
        spots.append(Spot(message, message.segments[segment % len(message.segments)], position))
    transcript._selection.take(*spots)
    text = transcript.selected_text()
    within_one_thought = spots[0].message is spots[1].message and all(spot.segment.is_quiet for spot in spots)
    assert "hmm" not in text or within_one_thought
    assert "hmm" not in text or not ("so" in text or "why" in text)


def measure_all(view: Transcript) -> None:
    while view._rows.measure_between(0, view._rows.end):
        pass


def test_zooming_makes_text_larger_and_keeps_the_place_of_the_reader(transcript, said, qtbot: QtBot):
    transcript.show_turns([said.answer(LONG) for _ in range(4)])
    measure_all(transcript)
    bar = transcript.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    place, height = transcript.place(), transcript._rows.messages[2].height
    with qtbot.waitSignal(transcript.zoom_changed) as told:
        transcript.set_zoom(1.5)
    assert told.args == [1.5]
    again = transcript.place()
    assert (again.turn, abs(again.position - place.position) < 100) == (place.turn, True)
    transcript.set_zoom(1)
    measure_all(transcript)
    assert transcript._rows.messages[2].height == height


def test_markers_of_lists_have_room_at_every_size(transcript: Transcript, said: Conversation):
    transcript.show_turns([said.answer("10. ten")])
    indent = transcript._look.indent
    transcript.set_zoom(2)
    assert transcript._look.indent == 2 * indent


def test_whole_messages_are_copied_as_they_were_written_and_parts_as_the_same_in_markdown(transcript, said):
    transcript.show_turns([said.ask("*Why*?"), said.answer("* __So__\n* it\n\n| a |\n|-|\n| b |"), said.ask("And?")])
    transcript.select_all()
    transcript.copy_as_markdown()
    assert QGuiApplication.clipboard().text() == "*Why*?\n\n* __So__\n* it\n\n| a |\n|-|\n| b |\n\nAnd?"
    reply = transcript.messages()[1]
    transcript._selection.take(Spot(reply, reply.segments[0], 1), Spot(reply, reply.segments[1], 2))
    transcript.copy_as_markdown()
    assert QGuiApplication.clipboard().text() == "- **o**\n- it\n\n| a |\n| --- |"

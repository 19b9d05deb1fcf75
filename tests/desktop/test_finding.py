"""Finding in the transcript, from the bar to the marks."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.conversations import TurnState
from desktop.theme import Theme
from desktop.widgets.find_bar import FindBar
from desktop.widgets.transcript import Transcript
from tests.desktop.talk import LONG, Conversation, grow, holds_colour, picture, wheel


def opened_bar(view: Transcript) -> FindBar:
    view.finding.begin()
    bar = view.finding.bar
    assert bar is not None
    return bar


def typed(view: Transcript, words: str, qtbot: QtBot) -> FindBar:
    bar = opened_bar(view)
    QTest.keyClicks(bar.field, words)
    qtbot.waitUntil(lambda: view.finding._search is None)
    return bar


def test_typing_marks_all_and_leads_to_the_first(transcript: Transcript, said: Conversation, qtbot, theme: Theme):
    transcript.show_turns([said.ask("Why do rivers bend?"), said.answer("Rivers bend, as **rivers** do.")])
    bar = typed(transcript, "rivers", qtbot)
    assert bar.count.text() == "1 of 3"
    image = picture(transcript)
    assert holds_colour(image, theme.find_hit)
    assert holds_colour(image, theme.accent)


def test_enter_goes_on_shift_enter_goes_back_and_so_do_the_buttons(transcript: Transcript, said: Conversation, qtbot):
    transcript.show_turns([said.answer("x x x")])
    bar = typed(transcript, "x", qtbot)
    QTest.keyClick(bar.field, Qt.Key.Key_Return)
    assert bar.count.text() == "2 of 3"
    QTest.keyClick(bar.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert bar.count.text() == "1 of 3"
    QTest.mouseClick(bar.previous_button, Qt.MouseButton.LeftButton)
    assert bar.count.text() == "3 of 3"
    QTest.mouseClick(bar.next_button, Qt.MouseButton.LeftButton)
    assert bar.count.text() == "1 of 3"


def test_a_hit_far_away_in_text_nobody_saw_is_brought_into_view(transcript: Transcript, said: Conversation, qtbot):
    transcript.show_turns([said.answer(LONG.replace("Paragraph 7 ", "A needle ")), *(said.answer(LONG) for _ in "abc")])
    bar = typed(transcript, "needle", qtbot)
    assert bar.count.text() == "1 of 1"
    assert not transcript.following
    spots = transcript.finding._finder.current_spots()
    assert spots is not None
    place = transcript._keyboard.place_of(spots[0])
    assert transcript._value < place.top() < transcript._value + transcript.viewport().height()


def test_a_hit_in_view_moves_nothing(transcript: Transcript, said: Conversation, qtbot: QtBot):
    transcript.show_turns([said.answer(LONG)])
    wheel(transcript, 10)
    value = transcript.verticalScrollBar().value()
    first = transcript._rows.row_near(value + 200)
    assert first is not None
    typed(transcript, first.segment.whole_text()[:12], qtbot)
    assert transcript.verticalScrollBar().value() == value


def test_a_hit_in_folded_reasoning_opens_it(transcript: Transcript, said: Conversation, qtbot: QtBot):
    transcript.show_turns([said.think("Hm, a needle.", "They erode.")])
    bar = typed(transcript, "needle", qtbot)
    assert bar.count.text() == "1 of 1"
    assert "Hm, a needle." in transcript.plain_text()


def test_words_that_are_nowhere_are_said_to_be_nowhere(transcript: Transcript, said: Conversation, qtbot: QtBot):
    transcript.show_turns([said.answer("x")])
    bar = typed(transcript, "needle", qtbot)
    assert bar.count.text() == "Not found"
    assert not bar.next_button.isEnabled()


def test_escape_closes_the_bar_and_selects_the_hit(transcript: Transcript, said: Conversation, qtbot, theme: Theme):
    transcript.show_turns([said.answer("one needle, two needles")])
    bar = typed(transcript, "needle", qtbot)
    QTest.keyClick(bar.field, Qt.Key.Key_Escape)
    assert bar.isHidden()
    assert transcript.selected_text() == "needle"
    assert not holds_colour(picture(transcript), theme.find_hit)


def test_what_is_selected_is_offered_to_be_found(transcript: Transcript, said: Conversation, qtbot: QtBot):
    transcript.show_turns([said.answer("needle needle")])
    transcript.select_all()
    assert opened_bar(transcript).field.text() == "needle needle"


def test_hits_that_arrive_while_it_streams_are_counted(transcript: Transcript, said: Conversation, qtbot: QtBot):
    reply = said.answer("", TurnState.WRITING)
    transcript.show_turns([reply])
    grow(transcript, reply, "a needle")
    bar = typed(transcript, "needle", qtbot)
    grow(transcript, reply, " and a **needle")
    qtbot.waitUntil(lambda: bar.count.text() == "1 of 2")


def test_another_conversation_is_searched_and_not_moved(transcript: Transcript, said: Conversation, qtbot: QtBot):
    transcript.show_turns([said.answer("needle")])
    bar = typed(transcript, "needle", qtbot)
    transcript.show_turns([said.answer("needle " + LONG), said.answer(LONG)])
    qtbot.waitUntil(lambda: bar.count.text() == "0 of 1")
    assert transcript.following


def test_a_hit_in_wide_code_is_scrolled_to_sideways(transcript: Transcript, said: Conversation, qtbot: QtBot):
    transcript.show_turns([said.answer("```\n" + "x" * 300 + " needle\n```")])
    typed(transcript, "needle", qtbot)
    spots = transcript.finding._finder.current_spots()
    assert spots is not None
    assert 0 < transcript._keyboard.place_of(spots[0]).x() < transcript.viewport().width()


def test_a_common_word_in_a_long_conversation_is_counted_without_stopping_the_window(
    transcript: Transcript, said: Conversation, qtbot: QtBot
):
    transcript.show_turns([said.answer(LONG[:1000]) for _ in range(300)])
    counts = []
    transcript.finding.count_changed.connect(lambda number, total: counts.append(total))
    transcript.finding.look_for("some words")
    assert transcript.finding._search is not None  # it goes on later
    qtbot.waitUntil(lambda: transcript.finding._search is None, timeout=20_000)
    assert counts[-1] == 300 * LONG[:1000].count("some words")


def test_the_bar_fits_a_narrow_view(transcript: Transcript, said: Conversation):
    transcript.resize(400, 500)
    transcript.show_turns([said.answer("x")])
    bar = opened_bar(transcript)
    assert bar.x() >= 0
    assert bar.x() + bar.width() <= 400
    transcript.resize(320, 500)
    assert bar.x() + bar.width() <= 320
    QApplication.processEvents()
    assert not bar.grab().toImage().isNull()


def test_every_control_of_the_bar_has_a_name(transcript: Transcript, said: Conversation):
    bar = opened_bar(transcript)
    widgets = (bar.field, bar.previous_button, bar.next_button, bar.close_button)
    assert all(widget.accessibleName() for widget in widgets)
    assert QGuiApplication.focusObject() is not None


def test_words_are_found_at_a_turn_that_was_found_elsewhere(transcript: Transcript, said: Conversation, qtbot):
    turns = [said.ask("needle"), said.answer(LONG), said.ask("a needle"), said.answer(LONG + " needle")]
    transcript.show_turns(turns)
    transcript.finding.begin_at(turns[2].id, "needle")
    bar = transcript.finding.bar
    assert bar is not None
    qtbot.waitUntil(lambda: transcript.finding._search is None)
    assert bar.field.text() == "needle"
    assert bar.count.text() == "2 of 3"
    spots = transcript.finding._finder.current_spots()
    assert spots is not None
    assert spots[0].message.turn.id == turns[2].id
    transcript.finding.begin_at(12345, "gone")
    assert bar.field.text() == "needle"


def test_a_turn_that_is_not_brought_in_yet_is_found_at_once_and_stays_so(
    transcript: Transcript, said: Conversation, qtbot
):
    first = said.ask("needle in the beginning")
    transcript.show_turns([first, *(said.answer(f"needle {number}") for number in range(100))])
    transcript.finding.begin_at(first.id, "needle")
    bar = transcript.finding.bar
    assert bar is not None
    QApplication.processEvents()
    qtbot.waitUntil(lambda: bar.count.text() == "1 of 101")


def test_where_nothing_was_said_nothing_is_found(transcript: Transcript, said: Conversation, qtbot):
    transcript.show_turns(())
    assert typed(transcript, "rivers", qtbot).count.text() == "Not found"
    transcript.finding.go_on(1)
    transcript.finding.go_on(-1)
    transcript.show_turns([said.ask("Why do rivers bend?")])
    transcript.show_turns(())
    transcript.finding.go_on(1)
    transcript.finding.go_on(-1)

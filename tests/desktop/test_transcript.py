"""The transcript: what it shows of turns that come, grow and change, and what that costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import thread_time

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt, QTimer
from PySide6.QtGui import QAccessible, QColor, QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.conversations import TurnState
from desktop.theme import Theme
from desktop.turns import Turn
from desktop.widgets.action_button import ActionButton, MessageAction
from desktop.widgets.buttons import Button
from desktop.widgets.message_actions import FoldButton
from desktop.widgets.progress import Progress, ProgressKind
from desktop.widgets.transcript import Transcript
from inference import FinishReason, Message, Role, Timings, Usage
from tests.desktop.talk import LONG, Conversation, finished, grow, holds_colour, picture, wheel

# What is shown


def test_what_was_said_is_shown_with_who_said_it(transcript: Transcript, said: Conversation):
    said.ask("Why do *rivers* bend?")
    said.answer("Because of **erosion**:\n\n- out\n- in")
    transcript.show_turns(said.turns)
    assert transcript.plain_text() == "You\nWhy do *rivers* bend?\n\nSmolLM2\nBecause of erosion:\n\n• out\n• in"


def test_a_finished_reply_has_its_figures(transcript: Transcript, said: Conversation):
    timings = Timings(0, 0, 0.01, 0.2, 0.001, decode=2.0, prefill_tokens=38, output_tokens=129)
    said.answer("Yes.", usage=Usage(812, 774, 129), timings=timings, finish_reason=FinishReason.STOP)
    transcript.show_turns(said.turns)
    assert "38 new + 774 cached · 64.0 tok/s" in transcript.plain_text()


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"finish_reason": FinishReason.CANCELLED}, "Stopped"),
        ({"finish_reason": FinishReason.LENGTH}, "Cut off at the length asked for"),
        ({"finish_reason": FinishReason.WINDOW}, "The context window is full: the reply ends here"),
        ({"state": TurnState.INTERRUPTED}, "Interrupted: Headwater closed while this was being written"),
        ({"state": TurnState.FAILED, "error": "The model went away."}, "The model went away."),
    ],
)
def test_a_reply_that_did_not_end_well_says_so(
    transcript: Transcript, said: Conversation, values: dict[str, object], words: str
):
    said.turns.append(replace(said.answer("Half"), **values))  # type: ignore[arg-type] # the values of a turn, by name
    transcript.show_turns(said.turns[-1:])
    assert transcript.plain_text() == f"SmolLM2\nHalf\n{words}"


def test_a_failed_reply_is_shown_in_the_colour_of_errors(transcript: Transcript, said: Conversation, theme: Theme):
    said.answer("", TurnState.FAILED, error="█████")
    transcript.show_turns(said.turns)
    assert holds_colour(picture(transcript), theme.error)


def test_a_reply_is_shown_while_it_is_written_and_as_it_ends(transcript: Transcript, said: Conversation):
    said.ask("Go")
    reply = said.answer("", TurnState.WRITING)
    transcript.show_turns(said.turns[:1])
    transcript.add_turn(reply)
    for piece in ("So **", "bold", "** and", " `code", "`.\n\n1", ". one"):
        grow(transcript, reply, piece)
    assert transcript.plain_text().endswith("So bold and code.\n\n1. one")
    transcript.change_turn(finished(reply, "So **bold** and `code`.\n\n1. one", finish_reason=FinishReason.CANCELLED))
    assert transcript.plain_text().endswith("So bold and code.\n\n1. one\nStopped")


def test_a_reply_that_was_not_streamed_appears_whole(transcript: Transcript, said: Conversation):
    reply = said.answer("", TurnState.WRITING)
    transcript.add_turn(reply)
    transcript.change_turn(finished(reply, "All of *it*."))
    assert transcript.plain_text() == "SmolLM2\nAll of it."


def test_the_streamed_picture_is_the_picture_of_the_whole(transcript: Transcript, said: Conversation, qtbot: QtBot):
    text = (
        "# A\n\nSome *text* with `code`.\n\n- one\n- two\n  - three\n\n> said\n\n| a | b |\n|--|--|\n| 1 | 2 |\n\nEnd."
    )
    reply = said.answer("", TurnState.WRITING)
    transcript.add_turn(reply)
    for begin in range(0, len(text), 3):
        grow(transcript, reply, text[begin : begin + 3])
    done = finished(reply, text)
    transcript.change_turn(done)
    streamed = picture(transcript)
    transcript.show_turns([done])
    assert streamed == picture(transcript)


def test_a_picture_in_the_text_is_never_loaded(transcript: Transcript, said: Conversation, tmp_path, theme: Theme):
    red = QImage(50, 50, QImage.Format.Format_RGB32)
    red.fill(QColor("#ff0000"))
    red.save(str(tmp_path / "red.png"))
    address = (tmp_path / "red.png").as_uri()
    said.answer(f'![red]({address})\n\n<img src="{address}">\n\n![red]({tmp_path}/red.png)')
    transcript.show_turns(said.turns)
    assert not holds_colour(picture(transcript), QColor("#ff0000"))


def test_the_words_of_a_person_are_not_markup(transcript: Transcript, said: Conversation):
    said.ask("<b>1</b>\n  * 2 *\n\n\n3")
    transcript.show_turns(said.turns)
    assert transcript.plain_text() == "You\n<b>1</b>\n  * 2 *\n\n\n3"


def test_progress_is_shown_under_the_reply_that_waits_and_goes_when_text_comes(
    transcript: Transcript, said: Conversation, theme: Theme
):
    transcript.add_turn(said.ask("Go"))
    transcript.add_turn(said.answer("", TurnState.WRITING))
    transcript.set_progress(Progress("Reading 1,204 tokens, 6 s left", 0.5, ProgressKind.PREFILL))
    assert "Reading 1,204 tokens, 6 s left" in transcript.plain_text()
    assert holds_colour(picture(transcript), theme.prefill)
    transcript.set_progress(None)
    assert "Reading" not in transcript.plain_text()
    assert not holds_colour(picture(transcript), theme.prefill)


def test_the_first_text_takes_the_place_that_was_kept_for_it(transcript: Transcript, said: Conversation):
    reply = said.answer("", TurnState.WRITING)
    transcript.show_turns([said.ask("Go"), reply])
    before = transcript._rows.tops[-1]
    grow(transcript, reply, "Hello")
    assert transcript._rows.tops[-1] == before


def test_a_reply_that_is_withheld_keeps_no_place_for_text_that_does_not_come(transcript, said, theme):
    transcript.show_turns([said.answer("", TurnState.WRITING, streamed=True)])
    with_room = transcript._rows.end
    transcript.show_turns([said.answer("", TurnState.WRITING, streamed=False)])
    assert transcript._rows.end == with_room - transcript._look.line_height


def test_the_first_thought_of_a_reply_has_its_line_at_once(transcript: Transcript, said: Conversation):
    reply = said.answer("", TurnState.WRITING)
    transcript.show_turns([reply])
    transcript.think(reply.id, "Hm.")
    transcript.plain_text()
    assert fold(transcript).isVisible()


def test_text_on_the_screen_is_announced_once_it_is_painted(transcript: Transcript, said: Conversation, qtbot: QtBot):
    reply = said.answer("", TurnState.WRITING)
    transcript.add_turn(reply)
    with qtbot.waitSignal(transcript.painted, timeout=2000) as painted:
        transcript.grow(reply.id, "Hello")
    assert painted.args == [reply.id]


def test_text_out_of_sight_is_not_announced_as_painted(transcript: Transcript, said: Conversation, qtbot: QtBot):
    said.answer(LONG)
    reply = said.answer("", TurnState.WRITING)
    transcript.show_turns(said.turns)
    wheel(transcript, 20)
    QApplication.processEvents()
    with qtbot.assertNotEmitted(transcript.painted, wait=50):
        grow(transcript, reply, "Hello")


def action(view: Transcript, kind: MessageAction) -> ActionButton:
    """The button of the last message."""
    return [button for button in view.findChildren(ActionButton) if button.action_kind is kind][-1]


def test_the_copy_button_of_a_message_copies_its_source(transcript: Transcript, said: Conversation, qtbot: QtBot):
    transcript.show_turns([said.answer("So **it** is.")])
    button = action(transcript, MessageAction.COPY)
    assert button.accessibleName() == "Copy: message of SmolLM2"
    button.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(button, Qt.Key.Key_Space)
    assert QGuiApplication.clipboard().text() == "So **it** is."


def test_showing_the_copy_button_moves_nothing(transcript: Transcript, said: Conversation, qtbot: QtBot):
    transcript.show_turns([said.answer("Some text.", finish_reason=FinishReason.CANCELLED)])
    button = action(transcript, MessageAction.COPY)
    button.set_wanted(wanted=False)
    before = picture(transcript)
    button.set_wanted(wanted=True)
    shown = picture(transcript)
    assert shown != before
    outside = [point for point in ((300, 20), (60, 45), (600, 90)) if not button.geometry().contains(*point)]
    assert all(shown.pixel(*point) == before.pixel(*point) for point in outside)
    button.set_wanted(wanted=False)
    assert picture(transcript) == before


# What it costs


def best_of(times: int, work: Callable[[], object]) -> float:
    best = float("inf")
    for _ in range(times):
        began = thread_time()
        work()
        best = min(best, thread_time() - began)
    return best


def test_a_long_conversation_opens_at_once(transcript: Transcript, said: Conversation):
    turns = [said.answer(LONG[:1000]) for _ in range(1000)]

    def open_it() -> None:
        transcript.show_turns(turns)
        picture(transcript)

    assert best_of(3, open_it) < 0.2


def test_few_documents_are_kept_however_far_one_scrolls(transcript: Transcript, said: Conversation):
    transcript.show_turns([said.answer(LONG[:1000]) for _ in range(300)])
    bar = transcript.verticalScrollBar()
    while bar.value() > 0:
        bar.setValue(bar.value() - 400)
    kept = sum(segment.document is not None for message in transcript._rows.messages for segment in message.segments)
    assert kept <= 150


def test_a_token_costs_the_same_late_in_a_long_reply_as_early(transcript: Transcript, said: Conversation):
    def cost(length: int) -> float:
        reply = said.answer("", TurnState.WRITING)
        transcript.show_turns([reply])
        grow(transcript, reply, (LONG + "\n\n") * (length // len(LONG)))
        pieces = iter(["word ", "more, ", "*and*\n\n"] * 200)

        def a_few() -> None:
            for _ in range(30):
                transcript.grow(reply.id, next(pieces))
                transcript._flush()

        return best_of(5, a_few)

    assert cost(100_000) < 3 * cost(5_000)


# Reasoning.


def fold(view: Transcript) -> FoldButton:
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return [button for button in view.findChildren(FoldButton) if button.isVisible()][-1]


def test_reasoning_is_folded_above_the_answer(transcript: Transcript, said: Conversation):
    said.think("Hm, water.", "They erode.")
    transcript.show_turns(said.turns)
    assert fold(transcript).text() == "Thought for 4.2 s"
    assert "Hm, water." not in transcript.plain_text()
    assert fold(transcript).geometry().bottom() < transcript._rows.messages[0].body_top + transcript._rows.tops[0]


def test_a_reply_without_reasoning_has_nothing_to_open(transcript: Transcript, said: Conversation):
    said.answer("They erode.")
    transcript.show_turns(said.turns)
    assert not transcript.findChildren(FoldButton)


def test_reasoning_is_opened_and_closed_by_mouse(transcript: Transcript, said: Conversation):
    said.think("Hm, water.", "They erode.")
    transcript.show_turns(said.turns)
    QTest.mouseClick(fold(transcript), Qt.MouseButton.LeftButton)
    assert transcript.plain_text().index("Hm, water.") < transcript.plain_text().index("They erode.")
    assert fold(transcript).isChecked()
    QTest.mouseClick(fold(transcript), Qt.MouseButton.LeftButton)
    assert "Hm, water." not in transcript.plain_text()
    assert not fold(transcript).isChecked()


def test_reasoning_is_opened_by_keyboard(transcript: Transcript, said: Conversation):
    said.think("Hm, water.", "They erode.")
    transcript.show_turns(said.turns)
    assert fold(transcript).focusPolicy() & Qt.FocusPolicy.TabFocus
    QTest.keyClick(fold(transcript), Qt.Key.Key_Space)
    assert "Hm, water." in transcript.plain_text()


@pytest.mark.parametrize("following", [True, False])
def test_the_line_that_is_clicked_stays_where_it_is(transcript: Transcript, said: Conversation, following):
    said.answer(LONG)
    said.think(LONG, "They erode.")
    if not following:
        said.answer(LONG)
    transcript.show_turns(said.turns)
    if not following:
        transcript.verticalScrollBar().setValue(transcript._rows.tops[1] - 200)
        QApplication.processEvents()
    before = fold(transcript).y()
    QTest.mouseClick(fold(transcript), Qt.MouseButton.LeftButton)
    assert fold(transcript).y() == before
    QApplication.processEvents()
    QTest.mouseClick(fold(transcript), Qt.MouseButton.LeftButton)
    assert fold(transcript).y() == before
    assert transcript.following == following


def test_reasoning_that_is_open_grows_while_it_is_written(transcript: Transcript, said: Conversation):
    reply = said.answer("", TurnState.WRITING)
    transcript.show_turns(said.turns)
    transcript.think(reply.id, "Hm, ")
    transcript.set_thinking("Thinking, 1 tokens")
    QApplication.processEvents()
    assert fold(transcript).text() == "Thinking, 1 tokens"
    assert "Hm" not in transcript.plain_text()
    QTest.mouseClick(fold(transcript), Qt.MouseButton.LeftButton)
    transcript.think(reply.id, "water.")
    transcript.set_thinking("Thinking, 2 tokens")
    assert "Hm, water." in transcript.plain_text()
    assert fold(transcript).text() == "Thinking, 2 tokens"
    transcript.grow(reply.id, "They erode.")
    transcript.set_thinking("Thought for 0.1 s")
    assert transcript.plain_text().index("Hm, water.") < transcript.plain_text().index("They erode.")
    ended = replace(reply, state=TurnState.COMPLETE, thought_seconds=0.1)
    transcript.change_turn(replace(ended, message=Message(Role.ASSISTANT, "They erode.", reasoning="Hm, water.")))
    assert fold(transcript).text() == "Thought for 0.1 s"
    assert "Hm, water." in transcript.plain_text()


def test_text_and_thoughts_that_come_together_keep_their_order(transcript: Transcript, said: Conversation):
    reply = said.answer("", TurnState.WRITING)
    transcript.show_turns(said.turns)
    transcript.think(reply.id, "Hm.")
    transcript.grow(reply.id, "They ")
    transcript.think(reply.id, " Well.")
    transcript.grow(reply.id, "erode.")
    transcript.plain_text()
    (message,) = transcript.messages()
    assert message.text == "They erode."
    message.set_open(transcript._look, is_open=True)
    assert "Hm. Well." in transcript.plain_text()


def test_copying_an_answer_copies_no_reasoning(transcript: Transcript, said: Conversation):
    said.ask("Why?")
    said.think("Hm, water.", "They erode.")
    transcript.show_turns(said.turns)
    QTest.mouseClick(fold(transcript), Qt.MouseButton.LeftButton)
    transcript.select_all()
    assert transcript.selected_text() == "Why?\n\nThey erode."
    transcript.menus.copy(transcript.messages()[1])
    assert QGuiApplication.clipboard().text() == "They erode."


def test_reasoning_itself_can_be_selected(transcript: Transcript, said: Conversation):
    said.think("Hm, water.", "They erode.")
    transcript.show_turns(said.turns)
    QTest.mouseClick(fold(transcript), Qt.MouseButton.LeftButton)
    (message,) = transcript.messages()
    place = QPoint(transcript._left + 4, transcript._rows.tops[0] + message.body_top + 8 - transcript._value)
    QTest.mouseDClick(transcript.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    assert transcript.selected_text() == "Hm"


@pytest.mark.parametrize("width", [400, 700, 2560])
def test_the_picture_of_a_fold_that_was_opened_is_that_of_one_drawn_anew(transcript, said, width):
    said.ask("Why?")
    said.think("Hm, *water*.\n\n- and\n- stones\n\n```\ncode\n```", "They erode.")
    transcript.resize(width, 500)
    transcript.show_turns(said.turns)
    QTest.mouseClick(fold(transcript), Qt.MouseButton.LeftButton)
    transcript.viewport().setFocus()
    QApplication.processEvents()
    shown = picture(transcript)
    transcript.viewport().update()
    assert picture(transcript) == shown


def test_a_long_reasoning_costs_nothing_while_it_is_folded(transcript: Transcript, said: Conversation):
    for _ in range(50):
        said.think(LONG * 20, "They erode.")
    began = thread_time()
    transcript.show_turns(said.turns)
    assert thread_time() - began < 0.1
    assert sum(len(message.segments) for message in transcript.messages()) == 50


# What can be done about a reply, and what it was made without.


def offers(view: Transcript) -> list[Button]:
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return [button for button in view.viewport().findChildren(Button) if button.isVisible()]


def test_what_is_offered_stands_below_the_last_message(transcript: Transcript, said: Conversation, qtbot: QtBot):
    said.ask("Why?")
    said.answer("", TurnState.FAILED, error="It does not fit.")
    transcript.show_turns(said.turns)
    transcript.offer(["Leave out the oldest turns", "Use a larger window"])
    first, second = offers(transcript)
    assert (first.text(), second.text()) == ("Leave out the oldest turns", "Use a larger window")
    assert first.y() > transcript._rows.tops[1] + transcript.messages()[1].body_bottom
    with qtbot.waitSignal(transcript.offer_taken) as taken:
        QTest.mouseClick(second, Qt.MouseButton.LeftButton)
    assert taken.args == [1]
    transcript.offer([])
    assert offers(transcript) == []


def test_in_a_narrow_view_offers_stand_below_each_other_and_nothing_overlaps(transcript, said):
    said.ask("Why?")
    said.answer("", TurnState.FAILED, error="It does not fit.")
    transcript.resize(400, 500)
    transcript.show_turns(said.turns)
    transcript.offer(["Leave out the oldest turns", "Use a larger window (8,192 tokens)"])
    first, second = offers(transcript)
    assert second.y() >= first.y() + first.height()
    assert max(first.geometry().right(), second.geometry().right()) < 400


def test_turns_that_were_left_out_are_said_above_the_reply(transcript: Transcript, said: Conversation):
    said.answer("They erode.", left_out=(1, 2, 3, 4))
    said.answer("They do.", left_out=(1,))
    transcript.show_turns(said.turns)
    assert "4 older messages were not read" in transcript.plain_text()
    assert "1 older message was not read" in transcript.plain_text()


def test_what_was_offered_goes_with_the_next_turn(transcript: Transcript, said: Conversation):
    """A button below an earlier message would do what is offered about the last one."""
    said.ask("Why?")
    said.answer("", TurnState.FAILED, error="It does not fit.")
    transcript.show_turns(said.turns)
    transcript.offer(["Try again"])
    (shown,) = offers(transcript)
    transcript.add_turn(said.ask("And how?"))
    assert offers(transcript) == []
    transcript.add_turn(said.answer("", TurnState.FAILED, error="Nor does this."))
    transcript.offer(["Try again", "Leave out the oldest turns"])
    assert [button.text() for button in offers(transcript)] == ["Try again", "Leave out the oldest turns"]
    assert shown not in offers(transcript)


def test_what_was_offered_goes_when_turns_come_back_behind_it(transcript: Transcript, said: Conversation):
    said.ask("Why?")
    said.answer("", TurnState.FAILED, error="It does not fit.")
    before = list(said.turns)
    said.ask("And how?")
    said.answer("Like this.")
    transcript.show_turns(before)
    transcript.offer(["Try again"])
    transcript.replace_turns(said.turns)
    assert offers(transcript) == []


def test_a_turn_that_is_removed_leaves_no_gap(transcript: Transcript, said: Conversation):
    said.ask("Why?")
    said.answer("", TurnState.FAILED, error="It does not fit.")
    transcript.show_turns(said.turns)
    transcript.offer(["Try again"])
    transcript.replace_turns(said.turns[:1])
    assert "does not fit" not in transcript.plain_text()
    assert offers(transcript) == []
    alone = transcript._rows.tops
    transcript.show_turns(said.turns[:1])
    assert transcript._rows.tops == alone


# Turns that are brought in when there is time.


def long_conversation(said: Conversation, count: int = 300) -> list[Turn]:
    return [said.answer(f"Reply {number}. " + LONG[:400]) for number in range(count)]


def text_of(image: QImage) -> QImage:
    """Without the edge where the scroll bar comes."""
    return image.copy(0, 0, 680, 500)


def test_only_the_end_of_a_long_conversation_is_there_at_once_and_the_rest_soon(transcript, said, qtbot: QtBot):
    turns = long_conversation(said)
    transcript.show_turns(turns)
    assert len(transcript._rows.messages) < 100
    before = picture(transcript)
    qtbot.waitUntil(lambda: len(transcript._rows.messages) == 300)
    assert text_of(picture(transcript)) == text_of(before)
    assert transcript.following
    assert [message.turn.id for message in transcript.messages()] == [turn.id for turn in turns]


def test_what_is_not_there_yet_is_fetched_and_nothing_moves_for_a_reader(transcript, said, qtbot: QtBot):
    turns = long_conversation(said)

    def before(turn_id: int, most: int) -> list[Turn]:
        place = next(place for place, turn in enumerate(turns) if turn.id == turn_id)
        return turns[max(0, place - most) : place]

    transcript.show_turns(turns[-30:], before)
    wheel(transcript, 5)
    shown = picture(transcript)
    qtbot.waitUntil(lambda: len(transcript._rows.messages) == 300)
    assert text_of(picture(transcript)) == text_of(shown)
    assert not transcript.following
    assert len({message.turn.id for message in transcript.messages()}) == 300


@pytest.mark.parametrize("way", ["home", "all", "find", "read", "change", "replace"])
def test_whoever_needs_all_of_it_has_all_of_it(transcript, said, qtbot: QtBot, way: str):
    turns = long_conversation(said, 120)
    transcript.show_turns(turns[-20:], lambda turn_id, most: turns[max(0, turn_id - 1 - most) : turn_id - 1])
    match way:
        case "home":
            QTest.keyClick(transcript, Qt.Key.Key_Home)
            assert transcript._rows.messages[0].turn.id == 1
        case "all":
            transcript.select_all()
            assert transcript.selected_text().count("Reply ") == 120
        case "find":
            transcript.finding.look_for("reply 3.")
            qtbot.waitUntil(lambda: transcript.finding._finder.total == 1)
        case "read":
            assert QAccessible.queryAccessibleInterface(transcript).childCount() == 120
        case "change":
            transcript.change_turn(finished(turns[2], "Another."))
            assert "Another." in transcript.plain_text()
        case "replace":
            transcript.replace_turns(turns[:50])
            assert len(transcript._rows.messages) == 50


def test_a_reply_that_grows_meanwhile_stays_at_the_end(transcript, said, qtbot: QtBot):
    turns = long_conversation(said)
    reply = said.answer("", TurnState.WRITING)
    transcript.show_turns([*turns, reply])
    for _ in range(40):
        grow(transcript, reply, "A paragraph.\n\n")
        assert transcript.verticalScrollBar().value() == transcript.verticalScrollBar().maximum()
    qtbot.waitUntil(lambda: len(transcript._rows.messages) == 301)
    assert transcript.verticalScrollBar().value() == transcript.verticalScrollBar().maximum()


def test_nothing_repeats_when_nothing_is_left_to_do(transcript: Transcript, said: Conversation, qtbot: QtBot):
    transcript.show_turns([said.answer(LONG + "\n\n```py\n" + "x = 1\n" * 100 + "```") for _ in range(50)])
    transcript.finding.look_for("words")
    qtbot.waitUntil(lambda: not any(timer.isActive() for timer in transcript.findChildren(QTimer)), timeout=20_000)

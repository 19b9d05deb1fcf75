from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from inference import (
    MemoryShort,
    ModelUnsupported,
    PromptTooLong,
    ServerBroke,
    WindowPolicy,
)
from tests.desktop.desk import ENTER, SERVER, Desk
from tests.desktop.fakes import MODEL, OTHER_MODEL


def break_the_model(desk: Desk) -> None:
    desk.window.opening.open(OTHER_MODEL)
    desk.engine.fail_to_load(ModelUnsupported(OTHER_MODEL, "it writes no text."))


def test_a_prompt_is_sent_with_everything_the_engine_needs_and_the_field_is_emptied(desk):
    window = desk.open()
    desk.send("Why do rivers bend?")
    assert desk.engine.requests[0].messages[-1].content == "Why do rivers bend?"
    assert desk.engine.requests[0].model.path == MODEL
    assert window.composer.text == ""
    assert window.page.currentWidget() is window.page.transcript


def test_the_reply_is_shown_while_it_is_written(desk):
    window = desk.open()
    desk.send("Why?")
    desk.engine.say("Because ")
    desk.engine.say("of water.")
    assert "Because of water." in window.page.transcript.plain_text()
    desk.engine.finish()
    assert "Because of water." in window.page.transcript.plain_text()


def test_the_figures_of_a_reply_stand_in_the_bar(desk):
    window = desk.open()
    desk.send("Why?")
    desk.engine.read(20, 20, batch_end=20, seconds=0.1)
    desk.engine.say("Because ")
    desk.engine.say("of water.")
    desk.engine.finish()
    assert window.speed_bar.decode.words == "10.0 tok/s"
    assert window.speed_bar.prefill.words == "40.0 tok/s (20 new, 0 cached)"
    assert window.speed_bar.device.words == "CPU, 1 thread"


def test_send_turns_into_stop_and_back(desk):
    window = desk.open()
    desk.send("Why?")
    assert window.composer.button.text() == "Stop"
    desk.engine.say("Because")
    desk.qtbot.mouseClick(window.composer.button, Qt.MouseButton.LeftButton)
    assert desk.engine.cancelled == [desk.engine.last]
    desk.engine.finish()
    assert window.composer.button.text() == "Send"


def test_a_refused_prompt_stays_in_the_field(desk):
    window = desk.open(ready=False)
    desk.send("Why?")
    assert window.composer.text == "Why?"
    assert desk.engine.requests == []


def test_a_prompt_typed_while_a_reply_is_written_stays_until_it_can_be_sent(desk):
    window = desk.open()
    desk.send("first")
    desk.engine.say("An answer.")
    desk.send("second")
    assert window.composer.text == "second"
    desk.engine.finish()
    desk.qtbot.keyClick(window.composer.field, ENTER)
    assert window.composer.text == ""
    assert desk.engine.requests[-1].messages[-1].content == "second"


def test_a_reply_of_another_conversation_is_not_shown_in_this_one(desk):
    window = desk.open()
    desk.send("Why?")
    running = desk.engine.last
    window.new_action.trigger()
    desk.engine.say("Because.", request=running)
    assert window.page.transcript.plain_text().strip() == ""
    assert window.composer.button.text() == "Send"
    desk.engine.finish(request=running)
    assert window.page.currentWidget() is window.page.empty_state


def test_what_was_typed_waits_in_its_conversation(desk):
    window = desk.open()
    desk.talk("Why?", "Because.")
    desk.type("a half-typed question")
    first = desk.library.current.conversation
    window.new_action.trigger()
    assert window.composer.text == ""
    assert first is not None
    desk.library.open(first.id)
    assert window.composer.text == "a half-typed question"


def test_a_session_that_was_let_go_is_followed_no_longer(desk):
    window = desk.open()
    desk.talk("Why?", "Because.")
    old = window.session
    window.new_action.trigger()
    old.failed.emit("from the past")
    assert window.session is not old
    assert window.board.notices == ()


def test_an_example_is_sent_when_it_is_chosen(desk):
    window = desk.open()
    prompt = window.page.empty_state.prompt_buttons[0].text()
    desk.qtbot.mouseClick(window.page.empty_state.prompt_buttons[0], Qt.MouseButton.LeftButton)
    assert desk.engine.requests[0].messages[-1].content == prompt


def test_an_example_does_not_cost_what_was_being_typed(desk):
    window = desk.open()
    desk.type("half a thought")
    desk.qtbot.mouseClick(window.page.empty_state.prompt_buttons[0], Qt.MouseButton.LeftButton)
    assert window.composer.text == "half a thought"
    assert desk.library.current.draft.text == "half a thought"


@pytest.mark.parametrize("lose_the_model", [Desk.eject, break_the_model])
def test_a_prompt_that_nobody_can_answer_stays_and_the_way_out_is_shown(desk, lose_the_model):
    window = desk.open()
    desk.talk("Why?", "Because.")
    lose_the_model(desk)
    for notice in window.board.notices:
        notice.close_button.click()
    desk.send("And how?")
    assert window.composer.text == "And how?"
    (notice,) = window.board.notices
    notice.action_button.click()
    assert desk.asked == [window]


@pytest.mark.parametrize("lose_the_model", [Desk.eject, break_the_model])
def test_nobody_is_written_to_while_nobody_answers(desk, lose_the_model):
    window = desk.open()
    assert window.composer.field.placeholderText() == "Message Small"
    lose_the_model(desk)
    assert window.composer.field.placeholderText() == "Message"


def test_a_prompt_that_is_too_long_is_mended_in_place(desk):
    window = desk.open()
    desk.talk("one", "1")
    desk.send("two")
    desk.engine.fail(PromptTooLong(5000, 4096, 2))
    window.page.transcript.offer_taken.emit(0)
    assert desk.engine.requests[-1].window_policy is WindowPolicy.DROP_OLDEST
    desk.engine.leave_out(0, 1)
    assert "2 older messages were not read" in window.page.transcript.plain_text()
    assert "does not fit" not in window.page.transcript.plain_text()
    desk.engine.say("2")
    desk.engine.finish()
    assert "2 older messages were not read" in window.page.transcript.plain_text()
    assert window.composer.window_meter.words.startswith("Oldest left out")


def test_a_policy_is_seen_and_changed_below_the_field_and_belongs_to_its_conversation(desk):
    window = desk.open()
    desk.talk("one", "1")
    window.composer.window_meter.policy_chosen.emit(WindowPolicy.DROP_OLDEST)
    assert "Oldest left out" in window.composer.window_meter.words
    window.new_action.trigger()
    assert "Oldest left out" not in window.composer.window_meter.words
    (conversation,) = desk.library.conversations()
    desk.library.open(conversation.id)
    assert "Oldest left out" in window.composer.window_meter.words


def test_a_draft_is_counted_while_it_is_typed(desk):
    window = desk.open()
    desk.type("Why?")
    desk.qtbot.waitUntil(lambda: desk.counter.asked != [])
    desk.draft_count.on_counted(desk.counter.counted(12, 6))
    assert window.composer.window_meter.words == "12 + 6 of 4,096"
    desk.send("")
    assert window.composer.window_meter.words == ""


def test_a_reply_that_a_server_broke_off_is_asked_for_again_in_place(desk):
    window = desk.open()
    desk.connect()
    desk.send("Why?")
    desk.engine.say("Be")
    desk.engine.fail(ServerBroke(SERVER.base_url, 500, ""))
    assert "Try again" in window.page.transcript.plain_text()
    window.page.transcript.offer_taken.emit(0)
    desk.engine.say("Because.")
    desk.engine.finish()
    assert "Try again" not in window.page.transcript.plain_text()
    assert window.page.transcript.plain_text().count("Why?") == 1


def test_what_is_offered_about_a_reply_goes_when_somebody_asks_on(desk):
    window = desk.open()
    desk.send("Why?")
    desk.engine.fail(MemoryShort())
    assert "Try again" in window.page.transcript.plain_text()
    desk.send("And how?")
    assert "Try again" not in window.page.transcript.plain_text()
    desk.engine.say("Like this.")
    desk.engine.finish()
    assert "Try again" not in window.page.transcript.plain_text()
    assert window.session.remedies == ()


def test_a_reply_that_ran_out_of_memory_is_asked_for_again_in_place(desk):
    window = desk.open()
    desk.send("Why?")
    desk.engine.fail(MemoryShort())
    assert "Try again" in window.page.transcript.plain_text()
    window.page.transcript.offer_taken.emit(0)
    assert desk.engine.requests[-1].messages[-1].content == "Why?"
    desk.engine.say("Because.")
    desk.engine.finish()
    assert "too little memory" not in window.page.transcript.plain_text()
    assert "Try again" not in window.page.transcript.plain_text()


def test_what_a_session_or_the_library_could_not_do_is_said(desk):
    window = desk.open()
    window.session.failed.emit("The disk is full.")
    desk.library.failed.emit("The file is locked.")
    assert [notice.text for notice in window.board.notices] == ["The disk is full.", "The file is locked."]

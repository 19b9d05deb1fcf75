"""One generation, followed from the question to the stored reply."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.activity import Phase
from desktop.conversations import TurnState
from desktop.model_choice import ModelChoice
from desktop.remedies import Remedy, RemedyKind
from desktop.settings import SettingsFile
from desktop.store import Store
from desktop.wishes import ReplyChoices
from inference import (
    FinishReason,
    KeyRefused,
    ModelConfig,
    ModelNotFound,
    PromptTooLong,
    RemoteModel,
    ReuseEnd,
    Role,
    ServerBroke,
    Timings,
    Trace,
    Usage,
    WindowPolicy,
)
from tests.desktop.fakes import MODEL, OTHER_MODEL, ScriptedEngine
from tests.desktop.watched import STREAMED, Watched, stored

# Asking.


def test_a_question_is_stored_shown_and_asked(watched, session, store, engine):
    watched.ask()
    question, reply = stored(store)
    assert watched.added == [question, reply]
    assert (question.message.role, question.message.content) == (Role.USER, "Why do rivers bend?")
    assert (reply.message.content, reply.state, reply.streamed) == ("", TurnState.WRITING, True)
    assert [message.content for message in engine.requests[0].messages] == ["Why do rivers bend?"]
    assert engine.requests[0].model == ModelConfig(MODEL)
    assert session.is_busy
    assert session.activity.phase is Phase.WAITING
    assert watched.titles == ["Why do rivers bend?"]


@pytest.mark.parametrize("text", ["", "  \n\t"])
def test_nothing_is_not_sent(session, store, engine, text):
    assert not session.send(text, STREAMED)
    assert store.conversations() == ()
    assert engine.requests == []


def test_a_second_question_waits_until_the_reply_has_ended(watched, session, engine):
    watched.ask()
    assert not session.send("And why?", STREAMED)
    engine.finish()
    assert session.send("And why?", STREAMED)


def test_without_a_model_nothing_is_sent(watched, session, models, engine, store):
    models.eject()
    assert not session.send("Hello", STREAMED)
    assert store.conversations() == ()


def test_an_empty_conversation_leaves_no_row(session, store):
    assert session.conversation is None
    assert store.conversations() == ()


def test_a_question_that_cannot_be_stored_is_not_asked_and_says_why(watched, session, store, engine, path):
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert not session.send("Hello", STREAMED)
    other.close()
    assert engine.requests == []
    assert session.turns == ()
    assert len(watched.sentences) == 1
    assert "locked" in watched.sentences[0]
    assert session.send("Hello", STREAMED)


def test_half_a_character_from_a_broken_clipboard_does_no_harm(watched, store):
    watched.ask("A \ud83d b 😀")
    assert stored(store)[0].message.content == "A \ufffd b 😀"


def test_the_whole_conversation_is_asked_with_the_ids_that_were_sampled(watched, engine):
    watched.ask("one")
    engine.say("1")
    engine.say("!")
    engine.finish(trace=Trace((11, 12, 2), (0.1, 0.2, 0.3), 2))
    watched.ask("two")
    assert [message.content for message in engine.requests[-1].messages] == ["one", "1!", "two"]
    assert engine.requests[-1].messages[1].token_ids == (11, 12)


def test_another_model_is_not_handed_the_first_ones_ids(watched, engine, models):
    watched.talk("one", "1")
    models.choose(OTHER_MODEL)
    engine.ready()
    watched.ask("two")
    assert engine.requests[-1].model == ModelConfig(OTHER_MODEL)
    assert engine.requests[-1].messages[1].token_ids == ()


def test_an_engine_that_is_closed_fails_the_reply(watched, engine, store):
    engine.close()
    watched.ask()
    assert watched.changed[-1].state is TurnState.FAILED
    assert stored(store)[-1].error != ""


# The reply.


def test_text_is_shown_as_it_comes_and_stored_whole_at_the_end(watched, session, engine, store):
    watched.ask()
    engine.say("They ")
    engine.say("erode.")
    assert watched.text == "They erode."
    assert session.turns[-1].message.content == "They erode."
    engine.finish()
    assert watched.changed == [session.turns[-1]]
    assert stored(store)[-1] == session.turns[-1]
    reply = stored(store)[-1]
    assert (reply.state, reply.finish_reason, reply.model_name) == (TurnState.COMPLETE, FinishReason.STOP, "small")
    assert reply.usage is not None
    assert reply.timings is not None
    assert reply.message.token_ids == (1, 2)
    assert store.trace(reply.id) == Trace((1, 2), (0.0, 0.1), 2, reuse_end=ReuseEnd.NEW_TEXT)


def test_without_streaming_the_text_is_withheld_and_the_counts_go_on(watched, session, engine):
    watched.ask(streaming=False)
    engine.say("They ")
    engine.say("erode.")
    assert watched.text == ""
    assert session.turns[-1].message.content == ""
    assert session.activity.output_tokens == 2
    assert session.activity.decode_seconds == pytest.approx(0.1)
    assert session.activity.streaming is False
    assert session.figures.decode_rate == pytest.approx(10.0)
    engine.finish()
    assert watched.changed[-1].message.content == "They erode."
    assert watched.changed[-1].streamed is False


@pytest.mark.parametrize("streaming", [True, False])
def test_a_growing_reply_is_stored_after_about_a_second(store, engine, models, qtbot, streaming):
    watched = Watched(store, engine, models, checkpoint_milliseconds=1)
    watched.ask(streaming=streaming)
    engine.say("half a sen")
    qtbot.waitUntil(lambda: stored(store)[-1].message.content == "half a sen")
    assert stored(store)[-1].state is TurnState.WRITING


def test_stopping_asks_the_engine_and_keeps_what_was_written(watched, session, engine, store):
    watched.ask()
    engine.say("They er")
    session.stop()
    assert engine.cancelled == [engine.last]
    assert session.is_busy  # until the engine says so
    engine.finish(FinishReason.CANCELLED)
    reply = stored(store)[-1]
    assert (reply.message.content, reply.state) == ("They er", TurnState.COMPLETE)
    assert reply.finish_reason is FinishReason.CANCELLED


def test_a_reply_stopped_before_its_first_word_stays_as_an_empty_one(watched, session, engine, store):
    watched.ask("one")
    session.stop()
    engine.finish(FinishReason.CANCELLED)
    assert stored(store)[-1].finish_reason is FinishReason.CANCELLED
    assert stored(store)[-1].message.content == ""
    watched.ask("two")
    assert [message.content for message in engine.requests[-1].messages] == ["one\n\ntwo"]


def test_stopping_when_nothing_runs_does_nothing(session, engine):
    session.stop()
    assert engine.cancelled == []


def test_a_reply_that_fails_keeps_its_text_and_says_why(watched, session, engine, store):
    watched.ask()
    engine.say("They er")
    engine.fail(PromptTooLong(5_000, 4_096))
    reply = stored(store)[-1]
    assert (reply.state, reply.message.content) == (TurnState.FAILED, "They er")
    assert reply.error == str(PromptTooLong(5_000, 4_096))
    assert watched.changed == [reply]
    assert session.send("shorter", STREAMED)


# When the disk will not have it.


def test_a_reply_that_cannot_be_stored_stays_visible_is_said_once_and_is_stored_later(
    store, engine, models, qtbot, path
):
    watched = Watched(store, engine, models, checkpoint_milliseconds=1)
    watched.ask()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    engine.say("They ")
    qtbot.waitUntil(lambda: len(watched.sentences) == 1)
    engine.say("erode.")
    engine.finish()
    session = watched.session
    assert session.turns[-1].message.content == "They erode."
    assert session.turns[-1].state is TurnState.COMPLETE
    assert (session.is_busy, session.is_settled) == (False, False)
    session.flush()
    session.flush()
    assert len(watched.sentences) == 1
    other.close()
    qtbot.waitUntil(lambda: session.is_settled)
    assert stored(store)[-1] == session.turns[-1]


# Reasoning.


def test_reasoning_is_shown_and_kept_apart_from_the_answer(watched, session, engine, store):
    watched.ask()
    engine.think("Hm, ")
    engine.think("water.")
    assert session.activity.is_thinking
    assert (watched.thoughts, watched.text) == ("Hm, water.", "")
    assert session.turns[-1].message.reasoning == "Hm, water."
    engine.say("They erode.")
    assert not session.activity.is_thinking
    engine.finish()
    reply = stored(store)[-1]
    assert reply == session.turns[-1]
    assert (reply.message.content, reply.message.reasoning) == ("They erode.", "Hm, water.")
    assert (watched.thoughts, watched.text) == ("Hm, water.", "They erode.")


def test_how_long_it_thought_runs_from_its_first_token_to_the_last_of_its_reasoning(watched, engine, store):
    watched.ask()
    engine.think("Hm", at=100.0)
    engine.think(".", at=104.2)
    engine.say("Well", at=105.0)
    engine.finish()
    assert stored(store)[-1].thought_seconds == pytest.approx(4.2)


def test_a_reply_without_reasoning_did_not_think(watched, engine, store):
    watched.ask()
    engine.say("Well")
    engine.finish()
    assert stored(store)[-1].thought_seconds is None


def test_reasoning_goes_back_so_that_the_template_decides(watched, engine):
    watched.ask("one")
    engine.think("Hm.")
    engine.say("1")
    engine.finish()
    watched.ask("two")
    assert engine.requests[-1].messages[1].reasoning == "Hm."


def test_with_streaming_off_reasoning_is_withheld_too(watched, session, engine):
    watched.ask(streaming=False)
    engine.think("Hm.")
    assert watched.thoughts == ""
    assert session.turns[-1].message.reasoning == ""
    assert session.activity.is_thinking
    engine.finish()
    assert session.turns[-1].message.reasoning == "Hm."


def test_what_was_thought_so_far_outlives_a_crash(store, engine, models, qtbot):
    watched = Watched(store, engine, models, checkpoint_milliseconds=1)
    engine.ready()
    watched.ask()
    engine.think("Hm, ")
    qtbot.waitUntil(lambda: stored(store)[-1].message.reasoning == "Hm, ")


def test_a_reply_that_fails_while_it_thinks_keeps_what_it_thought(watched, engine, store):
    watched.ask()
    engine.think("Hm.")
    engine.fail(ModelNotFound(MODEL))
    assert stored(store)[-1].message.reasoning == "Hm."


def test_the_choice_of_thinking_goes_along(session, engine):
    session.send("Why?", ReplyChoices(streaming=True, thinking=False))
    assert engine.requests[-1].thinking is False


@given(st.lists(st.tuples(st.booleans(), st.text(min_size=1)), max_size=12))
def test_however_they_alternate_each_text_stays_with_its_kind(tmp_path_factory, qapp, pieces):
    folder = tmp_path_factory.mktemp("kinds")
    store, engine = Store(folder / "c.sqlite3"), ScriptedEngine()
    models = ModelChoice(engine, SettingsFile(folder / "settings.toml"), MODEL)
    models.load()
    watched = Watched(store, engine, models)
    watched.ask()
    for is_thought, text in pieces:
        (engine.think if is_thought else engine.say)(text)
    engine.finish()
    assert watched.thoughts == "".join(text for is_thought, text in pieces if is_thought)
    assert watched.text == "".join(text for is_thought, text in pieces if not is_thought)
    store.close()


# A full window.

TOO_LONG = PromptTooLong(5_000, 4_096, 2)


def too_long(watched: Watched, engine: ScriptedEngine) -> None:
    watched.talk("one", "1")
    watched.ask("two")
    engine.fail(TOO_LONG)


def test_a_prompt_that_is_too_long_offers_what_can_be_done(watched, session, engine):
    too_long(watched, engine)
    offered = (Remedy(RemedyKind.LEAVE_OUT_OLDEST), Remedy(RemedyKind.LARGER_WINDOW, 8192))
    assert session.remedies == offered
    assert watched.remedies[-1] == offered


def test_leaving_out_the_oldest_asks_again_and_is_kept_with_the_conversation(watched, session, engine, store, models):
    too_long(watched, engine)
    failed = session.turns[-1]
    assert session.mend(Remedy(RemedyKind.LEAVE_OUT_OLDEST), STREAMED)
    assert engine.requests[-1].window_policy is WindowPolicy.DROP_OLDEST
    assert [message.content for message in engine.requests[-1].messages] == ["one", "1", "two"]
    assert [len(shown) for shown in watched.replaced] == [3]
    assert failed.id not in watched.replaced[0]
    assert failed not in session.turns
    engine.say("2")
    engine.finish()
    assert [turn.message.content for turn in stored(store)] == ["one", "1", "two", "2"]
    (conversation,) = store.conversations()
    assert conversation.window_policy is WindowPolicy.DROP_OLDEST
    again = Watched(store, engine, models, conversation=conversation).session
    assert again.window_policy is WindowPolicy.DROP_OLDEST
    assert again.remedies == ()


def test_a_larger_window_loads_the_model_anew_and_asks_again(watched, session, engine):
    too_long(watched, engine)
    assert session.mend(session.remedies[1], ReplyChoices(streaming=False))
    larger = ModelConfig(MODEL, context_size=8192)
    assert engine.loads[-1] == larger
    assert engine.requests[-1].model == larger
    assert session.turns[-1].streamed is False


def test_what_is_not_offered_is_not_done(watched, session, engine):
    too_long(watched, engine)
    count = len(engine.requests)
    assert not session.mend(Remedy(RemedyKind.CHANGE_KEY), STREAMED)
    assert len(engine.requests) == count


def test_what_can_be_done_is_still_offered_after_a_restart(watched, engine, store, models):
    too_long(watched, engine)
    (conversation,) = store.conversations()
    again = Watched(store, engine, models, conversation=conversation).session
    assert again.remedies == (Remedy(RemedyKind.LEAVE_OUT_OLDEST), Remedy(RemedyKind.LARGER_WINDOW, 8192))


def test_another_model_with_a_large_window_offers_another_try(watched, session, engine, models):
    too_long(watched, engine)
    models.choose(OTHER_MODEL)
    engine.ready(context_size=8192)
    assert Remedy(RemedyKind.TRY_AGAIN) in session.remedies


def test_turns_that_were_left_out_are_kept_with_the_reply(watched, session, engine, store):
    watched.ask("one")
    engine.finish(FinishReason.CANCELLED)  # without a word: read together with the next question
    watched.talk("two", "2")
    watched.ask("three")
    first, _, second, reply = session.turns[:4]
    engine.leave_out(0, 1)
    assert watched.left_out[-1].left_out == (first.id, second.id, reply.id)
    engine.say("3")
    engine.finish()
    assert session.turns[-1].left_out == (first.id, second.id, reply.id)
    assert stored(store)[-1] == session.turns[-1]


def test_the_policy_of_a_new_conversation_is_kept_from_its_first_prompt_on(watched, session, engine, store):
    session.set_window_policy(WindowPolicy.DROP_OLDEST)
    watched.ask()
    assert engine.requests[-1].window_policy is WindowPolicy.DROP_OLDEST
    (conversation,) = store.conversations()
    assert conversation.window_policy is WindowPolicy.DROP_OLDEST


# A server's model.

SERVER = RemoteModel("http://127.0.0.1:8080/v1", "big")


@pytest.fixture
def remote(watched, engine, models):
    engine.remote_listeners.append(models.on_event)
    models.choose(SERVER)
    engine.offer(SERVER, context_size=32_768)
    return watched


def test_a_servers_model_is_asked_and_named_in_the_reply(remote, session, engine, store):
    remote.ask()
    assert engine.requests[-1].model == SERVER
    assert engine.requests[-1].thinking is None
    engine.say("Well")
    engine.finish(model_name="big")
    reply = stored(store)[-1]
    assert (reply.remote, reply.model_path, reply.model_name) == (SERVER, None, "big")
    assert session.figures.device == "127.0.0.1:8080"
    assert session.figures.context_size == 32_768


def test_what_a_server_does_not_say_is_blank_and_what_is_measured_here_says_so(remote, session, engine):
    remote.ask()
    engine.say("Well")
    engine.say(" then")
    timings = Timings(queued=0.0, load=0.0, wait=0.5, decode=0.1, output_tokens=2, measured_at_client=True)
    engine.finish(timings=timings, usage=Usage(0, None, 2))
    figures = session.figures
    assert (figures.prefill_rate, figures.new_tokens, figures.cached_tokens, figures.reuse_end) == (None,) * 4
    assert (figures.ttft, figures.decode_rate, figures.measured_at_client) == (0.5, pytest.approx(10), True)
    assert figures.context_used is None
    assert figures.is_remote


@pytest.mark.parametrize(
    ("error", "kinds"),
    [
        (ServerBroke(SERVER.base_url, 500, ""), [RemedyKind.TRY_AGAIN]),
        (KeyRefused(SERVER.base_url, 401, False), [RemedyKind.CHANGE_KEY, RemedyKind.TRY_AGAIN]),
    ],
)
def test_a_server_that_fails_offers_what_may_help(remote, session, engine, error, kinds):
    remote.ask()
    engine.fail(error)
    assert [remedy.kind for remedy in session.remedies] == kinds
    assert session.mend(session.remedies[-1], STREAMED)
    assert engine.requests[-1].messages[-1].content == "Why do rivers bend?"


def test_a_reply_of_a_file_lends_its_ids_to_no_server(watched, engine, models):
    watched.talk("one", "1")
    engine.remote_listeners.append(models.on_event)
    models.choose(SERVER)
    watched.ask("two")
    assert engine.requests[-1].messages[1].token_ids == ()

"""One generation, followed from the question to the stored reply."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QTimer

from desktop.activity import Activity, Phase
from desktop.chat_session import ChatSession
from desktop.conversations import Turn, TurnState
from desktop.figures import Figures
from desktop.model_choice import ModelChoice
from desktop.remedies import Remedy, RemedyKind
from desktop.settings import SettingsFile
from desktop.store import Store
from inference import (
    FinishReason,
    GenerationFailed,
    KeyRefused,
    ModelConfig,
    ModelNotFound,
    PromptTooLong,
    RemoteModel,
    RemoteModelFailed,
    RemoteModelReady,
    ReuseEnd,
    Role,
    ServerBroke,
    Timings,
    Trace,
    Usage,
    WindowPolicy,
)
from tests.desktop.fakes import MODEL, OTHER_MODEL, ScriptedEngine
from tests.fakes import ManualClock


class Watched:
    """A session, and everything it said."""

    def __init__(self, store: Store, engine: ScriptedEngine, models: ModelChoice, **options: object) -> None:
        self.clock = ManualClock()
        self.session = ChatSession(store, engine, models, clock=self.clock, **options)  # type: ignore[arg-type]
        self.models = models
        engine.listeners.append(self.on_event)
        engine.remote_listeners.append(self.on_event)
        self.added: list[Turn] = []
        self.text = ""
        self.thoughts = ""
        self.replaced: list[tuple[int, ...]] = []
        self.left_out: list[Turn] = []
        self.remedies: list[tuple[Remedy, ...]] = []
        self.changed: list[Turn] = []
        self.activities: list[Activity] = []
        self.figures: list[Figures] = []
        self.titles: list[str] = []
        self.sentences: list[str] = []
        self.session.turn_added.connect(self.added.append)
        self.session.reply_grew.connect(self.grow)
        self.session.thought_grew.connect(self.think)
        self.session.turns_replaced.connect(self.take_turns)
        self.session.turns_left_out.connect(self.left_out.append)
        self.session.remedies_changed.connect(self.remedies.append)
        self.session.turn_changed.connect(self.changed.append)
        self.session.activity_changed.connect(self.activities.append)
        self.session.figures_changed.connect(self.figures.append)
        self.session.title_changed.connect(self.titles.append)
        self.session.failed.connect(self.sentences.append)

    def on_event(self, event: object) -> None:
        """As a library does."""
        self.session.on_model(self.models.state)
        if not isinstance(event, RemoteModelReady | RemoteModelFailed):
            self.session.on_event(event)  # type: ignore[arg-type]  # an Event, as no other comes

    def grow(self, turn_id: int, text: str) -> None:
        assert turn_id == self.session.turns[-1].id
        self.text += text

    def think(self, turn_id: int, text: str) -> None:
        assert turn_id == self.session.turns[-1].id
        self.thoughts += text

    def take_turns(self) -> None:
        self.replaced.append(tuple(turn.id for turn in self.session.turns))

    def ask(self, question: str = "Why do rivers bend?", *, streaming: bool = True) -> None:
        assert self.session.send(question, streaming=streaming)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "conversations.sqlite3"


@pytest.fixture
def store(path):
    store = Store(path, busy_seconds=0.01)
    yield store
    store.close()


@pytest.fixture
def engine():
    return ScriptedEngine()


@pytest.fixture
def models(qapp, engine, tmp_path):
    models = ModelChoice(engine, SettingsFile(tmp_path / "settings.toml"), MODEL)
    engine.listeners.append(models.on_event)
    models.load()
    return models


@pytest.fixture
def watched(store, engine, models):
    """A session whose model is loaded."""
    watched = Watched(store, engine, models)
    engine.ready()
    return watched


@pytest.fixture
def session(watched):
    return watched.session


def stored(store: Store) -> tuple[Turn, ...]:
    (conversation,) = store.conversations()
    return store.turns(conversation.head)


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
    assert not session.send(text, streaming=True)
    assert store.conversations() == ()
    assert engine.requests == []


def test_a_second_question_waits_until_the_reply_has_ended(watched, session, engine):
    watched.ask()
    assert not session.send("And why?", streaming=True)
    engine.finish()
    assert session.send("And why?", streaming=True)


def test_without_a_model_nothing_is_sent(watched, session, models, engine, store):
    models.eject()
    assert not session.send("Hello", streaming=True)
    assert store.conversations() == ()


def test_an_empty_conversation_leaves_no_row(session, store):
    assert session.conversation is None
    assert store.conversations() == ()


def test_a_question_that_cannot_be_stored_is_not_asked_and_says_why(watched, session, store, engine, path):
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert not session.send("Hello", streaming=True)
    other.close()
    assert engine.requests == []
    assert session.turns == ()
    assert len(watched.sentences) == 1
    assert "locked" in watched.sentences[0]
    assert session.send("Hello", streaming=True)


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
    watched.ask("one")
    engine.say("1")
    engine.finish()
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


# Phases.


def test_a_question_asked_while_the_model_loads_shows_the_loading_and_goes_on(store, engine, models):
    watched = Watched(store, engine, models)
    engine.loading(0.25)
    watched.ask()
    engine.loading(0.5)
    assert watched.session.activity == Activity(Phase.LOADING, load_fraction=0.5)
    engine.ready()
    assert watched.session.activity.phase is Phase.WAITING
    engine.read(0, 8, batch_end=8, seconds=0.0)
    engine.say("Well")
    assert [activity.phase for activity in watched.activities[-2:]] == [Phase.PREFILL, Phase.DECODE]


def test_another_models_loading_is_not_shown_as_this_replys(watched, session, engine):
    watched.ask()
    engine.loading(0.5, ModelConfig(OTHER_MODEL))
    assert session.activity.phase is Phase.WAITING


def test_phases_end_with_the_reply(watched, session, engine):
    watched.ask()
    engine.say("Well")
    engine.finish()
    assert session.activity == Activity()
    assert not session.is_busy
    assert watched.activities[-1].phase is Phase.IDLE


def test_prefill_counts_are_true_at_batch_borders(watched, session, engine):
    watched.ask()
    engine.read(0, 1_000, batch_end=512, seconds=0.0, cached=30)
    activity = session.activity
    assert (activity.phase, activity.evaluated, activity.batch_end, activity.cached_tokens) == (
        Phase.PREFILL,
        0,
        512,
        30,
    )
    assert activity.prefill_position(watched.clock() + 99) == 0  # nothing was measured yet: it stands still
    assert activity.prefill_seconds_left(watched.clock()) is None
    engine.read(512, 1_000, batch_end=1_000, seconds=2.0)
    activity = session.activity
    assert activity.rate == 256
    assert activity.prefill_position(watched.clock()) == 512
    assert activity.prefill_position(watched.clock() + 1) == 768
    assert activity.prefill_position(watched.clock() + 99) == 1_000
    assert activity.prefill_seconds_left(watched.clock()) == pytest.approx(488 / 256)


def test_the_first_batch_moves_at_the_rate_of_an_earlier_prompt(watched, session, engine):
    watched.ask("one")
    engine.read(100, 100, batch_end=100, seconds=0.5)
    engine.say("1")
    engine.finish()  # 100 tokens in half a second
    watched.ask("two")
    engine.read(0, 400, batch_end=400, seconds=0.0)
    assert session.activity.rate == 200
    assert session.figures.prefill_rate is None  # not measured yet in this prompt
    assert session.activity.prefill_position(watched.clock() + 1) == 200


def test_the_bar_is_asked_to_move_between_borders_and_only_then(watched, session, engine, qtbot):
    watched.ask()
    engine.read(100, 1_000, batch_end=1_000, seconds=0.5)
    count = len(watched.activities)
    qtbot.waitUntil(lambda: len(watched.activities) >= count + 2)
    assert watched.activities[-1] == session.activity
    engine.say("Well")
    assert not any(timer.isActive() for timer in session.findChildren(QTimer) if not timer.isSingleShot())


@given(
    evaluated=st.integers(0, 10_000),
    batch=st.integers(0, 2_048),
    rate=st.none() | st.floats(0.001, 1e6),
    later=st.floats(-10, 1e6),
)
def test_the_bar_never_passes_the_next_border_nor_goes_back(evaluated, batch, rate, later):
    activity = Activity(
        Phase.PREFILL, new_tokens=20_000, evaluated=evaluated, batch_end=evaluated + batch, border_at=50.0, rate=rate
    )
    assert evaluated <= activity.prefill_position(50.0 + later) <= evaluated + batch


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
    assert session.send("shorter", streaming=True)


def test_events_of_other_requests_pass_by(watched, session, engine, store):
    watched.ask()
    session.on_event(GenerationFailed(replace(engine.requests[0], id="other").id, ModelNotFound(Path("x"))))
    assert session.is_busy
    assert stored(store)[-1].state is TurnState.WRITING


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


# Figures.


def test_figures_are_blank_before_anything_is_known(store, engine, models):
    assert Watched(store, engine, models).session.figures == Figures()


def test_figures_follow_the_reply(watched, session, engine):
    assert session.figures == Figures(device="CPU", threads=1, context_size=4_096)
    watched.ask()
    assert session.figures.context_used is None
    engine.read(0, 38, batch_end=38, seconds=0.0, cached=774)
    engine.read(38, 38, batch_end=38, seconds=0.2, cached=774)
    assert session.figures == Figures("CPU", 1, 812, 4_096, 190.0, 38, 774, None, None)
    engine.say("They ", began=watched.clock() + 0.25)
    one_token = replace(session.figures, ttft=0.25)
    assert one_token == Figures("CPU", 1, 812, 4_096, 190.0, 38, 774, None, 0.25)  # one token is no rate
    assert session.figures.ttft == pytest.approx(0.25)
    engine.say("erode.", began=watched.clock() + 0.25)
    assert session.figures.decode_rate == pytest.approx(10.0)
    assert session.figures.context_used == 813  # the model takes the last one in when it is to choose another


def test_no_more_tokens_are_held_than_the_window_holds(watched, session, engine):
    watched.ask()
    engine.read(4_094, 4_094, batch_end=4_094, seconds=1.0)
    for piece in ("one ", "two ", "three"):
        engine.say(piece)
    assert session.figures.context_used == 4_096
    engine.finish(FinishReason.WINDOW)
    assert session.figures.context_used == session.figures.context_size == 4_096


def test_tokens_that_nobody_has_counted_are_not_guessed(watched, session, engine):
    watched.ask()
    engine.say("They ")
    assert session.figures.context_used is None


def test_figures_at_the_end_are_those_of_the_reply_that_is_stored(watched, session, engine, models, store):
    watched.ask()
    engine.read(38, 38, batch_end=38, seconds=0.2, cached=774)
    engine.say("They ")
    engine.say("erode.")
    engine.finish()
    timings = session.turns[-1].timings
    assert isinstance(timings, Timings)
    final = Figures("CPU", 1, 813, 4_096, timings.prefill_rate, 38, 774, timings.decode_rate, timings.ttft)
    final = replace(final, reuse_end=ReuseEnd.NEW_TEXT)
    assert session.figures == final
    assert watched.figures[-1] == final
    (conversation,) = store.conversations()
    assert Watched(store, engine, models, conversation=conversation).session.figures == final


def test_a_load_before_the_first_token_leaves_its_time_to_the_engine(store, engine, models):
    watched = Watched(store, engine, models)
    watched.ask()
    engine.loading(0.9)
    engine.ready()
    engine.read(0, 8, batch_end=8, seconds=0.0)
    engine.say("Well")
    assert watched.session.figures.ttft is None
    engine.finish()
    assert watched.session.figures.ttft is not None


def test_another_model_knows_nothing_of_the_context_in_use(watched, session, engine, models):
    watched.ask()
    engine.read(38, 38, batch_end=38, seconds=0.2)
    engine.say("Well")
    engine.finish()
    models.choose(OTHER_MODEL)
    engine.unloaded(ModelConfig(MODEL))
    assert session.figures == replace(session.figures, device="", threads=None, context_size=None)
    engine.ready(context_size=2_048)
    assert (session.figures.context_used, session.figures.context_size) == (None, 2_048)
    assert session.figures.prefill_rate is not None


def test_a_reply_stopped_while_it_waited_leaves_every_figure_blank(watched, session, engine, store):
    watched.ask()
    never_begun = Timings(queued=3.0, load=0.0)
    engine.finish(FinishReason.CANCELLED, timings=never_begun)
    assert session.figures == Figures(device="CPU", threads=1, context_size=4_096)


# Drafts.


def test_a_draft_is_kept(session, store):
    session.set_draft("Why do")
    assert session.draft == "Why do"
    assert store.new_draft == "Why do"


def test_a_draft_that_cannot_be_stored_is_said(watched, session, path):
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    session.set_draft("Why do")
    other.close()
    assert session.draft == "Why do"
    assert len(watched.sentences) == 1


def test_a_draft_is_there_when_the_conversation_is_opened_again(watched, session, store, engine, models):
    watched.ask()
    engine.finish()
    session.set_draft("And why")
    (conversation,) = store.conversations()
    assert ChatSession(store, engine, models, conversation).draft == "And why"


def test_sending_uses_the_draft_up(watched, session, store):
    session.set_draft("Why?")
    watched.ask("Why?")
    assert session.draft == ""
    assert store.new_draft == ""


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
    session.send("Why?", streaming=True, thinking=False)
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
    watched.ask("one")
    engine.say("1")
    engine.finish()
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
    assert session.mend(Remedy(RemedyKind.LEAVE_OUT_OLDEST), streaming=True)
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
    assert session.mend(session.remedies[1], streaming=False)
    larger = ModelConfig(MODEL, context_size=8192)
    assert engine.loads[-1] == larger
    assert engine.requests[-1].model == larger
    assert session.turns[-1].streamed is False


def test_what_is_not_offered_is_not_done(watched, session, engine):
    too_long(watched, engine)
    count = len(engine.requests)
    assert not session.mend(Remedy(RemedyKind.CHANGE_KEY), streaming=True)
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
    watched.ask("two")
    engine.say("2")
    engine.finish()
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
    assert session.mend(session.remedies[-1], streaming=True)
    assert engine.requests[-1].messages[-1].content == "Why do rivers bend?"


def test_a_reply_of_a_file_lends_its_ids_to_no_server(watched, engine, models):
    watched.ask("one")
    engine.say("1")
    engine.finish()
    engine.remote_listeners.append(models.on_event)
    models.choose(SERVER)
    watched.ask("two")
    assert engine.requests[-1].messages[1].token_ids == ()

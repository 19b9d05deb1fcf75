"""What one does with the messages of a session: again, otherwise, further, or no longer."""

from __future__ import annotations

import pytest

from desktop.chat_session import ChatSession
from desktop.conversations import TurnState
from desktop.remedies import Remedy, RemedyKind
from desktop.turns import Attachment, Turn
from desktop.wishes import ReplyChoices
from inference import (
    FinishReason,
    GenerationBroke,
    Message,
    ModelConfig,
    PromptTooLong,
    RemoteModel,
    Role,
    Sampling,
    Trace,
    WindowPolicy,
)
from tests.desktop.fakes import MODEL, OTHER_MODEL, ScriptedEngine
from tests.desktop.watched import STREAMED, Watched, kept, said

ADDRESS = "http://127.0.0.1:8080/v1"


def read(engine: ScriptedEngine) -> list[tuple[Role, str]]:
    return [(message.role, message.content) for message in engine.requests[-1].messages]


# Again.


def test_another_reply_stands_beside_the_first_and_reads_the_same(watched, session, engine, store):
    watched.talk("Why?", "Because.")
    first = engine.requests[-1].messages
    assert session.regenerate(session.turns[-1].id, STREAMED)
    assert engine.requests[-1].messages == first
    engine.say("Who knows.")
    engine.finish()
    assert said(session) == kept(store) == ["Why?", "Who knows."]
    assert len(session.branches_of(session.turns[-1].id)) == 2


def test_in_the_middle_of_a_conversation_what_follows_stays_on_its_branch(watched, session, engine, store):
    watched.talk("one", "1")
    watched.talk("two", "2")
    answer = session.turns[1].id
    assert session.regenerate(answer, STREAMED)
    assert read(engine) == [(Role.USER, "one")]
    engine.say("uno")
    engine.finish()
    assert said(session) == ["one", "uno"]
    assert session.show_branch(answer)
    assert said(session) == kept(store) == ["one", "1", "two", "2"]


def test_another_model_may_answer_once(watched, session, engine, models):
    watched.talk("Why?", "Because.")
    other = ModelConfig(OTHER_MODEL)
    assert session.regenerate(session.turns[-1].id, STREAMED, model=other)
    assert engine.requests[-1].model == other
    assert session.turns[-1].model_path == OTHER_MODEL
    assert models.config == ModelConfig(MODEL), "the choice of model stays"


def test_other_sampling_holds_for_that_reply_alone(watched, session, engine):
    watched.talk("Why?", "Because.")
    assert session.regenerate(session.turns[-1].id, STREAMED, sampling=Sampling(temperature=0))
    assert engine.requests[-1].sampling == Sampling(temperature=0)
    engine.say("It is so.")
    engine.finish()
    watched.ask("And?")
    assert engine.requests[-1].sampling == Sampling()


def test_a_question_whose_reply_is_gone_can_be_answered(watched, session, engine):
    watched.talk("Why?", "Because.")
    session.delete_message(session.turns[-1].id)
    assert session.remedies == (Remedy(RemedyKind.ASK),)
    assert session.mend(session.remedies[0], STREAMED)
    assert read(engine) == [(Role.USER, "Why?")]


def test_a_reply_to_nothing_cannot_be_made_again(watched, session, engine):
    watched.talk("Why?", "Because.")
    session.delete_message(session.turns[0].id)
    assert not session.can_regenerate(session.turns[0].id)
    assert not session.regenerate(session.turns[0].id, STREAMED)


def test_a_reply_that_was_withdrawn_without_a_word_leaves_no_branch(watched, session, engine):
    watched.ask("Why?")
    session.stop()
    engine.finish(FinishReason.CANCELLED)
    assert session.remedies == (Remedy(RemedyKind.TRY_AGAIN),)
    assert session.mend(session.remedies[0], STREAMED)
    assert session.branches_of(session.turns[-1].id) == (session.turns[-1].id,)


def test_nothing_is_done_while_a_reply_is_made(watched, session, engine):
    watched.talk("Why?", "Because.")
    question, answer = (turn.id for turn in session.turns)
    watched.ask("And?")
    assert not session.regenerate(answer, STREAMED)
    assert not session.edit_and_send(question, "How?", STREAMED)
    assert not session.edit_reply(answer, "So.")
    assert not session.continue_reply(answer, STREAMED)
    assert not session.delete_message(question)
    assert not session.delete_from(question)
    assert not session.show_branch(question)
    assert not session.set_turn_pinned(question, pinned=True)
    assert len(engine.requests) == 2


def test_where_another_window_went_on_nothing_is_put_out_of_sight(watched, session, engine, store, models):
    watched.talk("Why?", "Because.")
    (conversation,) = store.conversations()
    other = Watched(store, engine, models, conversation=conversation)
    other.talk("And?", "So.")
    assert not session.delete_from(session.turns[0].id)
    assert not session.regenerate(session.turns[1].id, STREAMED)
    assert "another window" in watched.sentences[-1]


# Otherwise.


def test_an_earlier_question_in_other_words_begins_a_branch(watched, session, engine, store):
    watched.talk("one", "1")
    watched.talk("two", "2")
    session.draft.set_text("half a thought")
    question = session.turns[2].id
    assert session.edit_and_send(question, "deux", STREAMED)
    assert read(engine) == [(Role.USER, "one"), (Role.ASSISTANT, "1"), (Role.USER, "deux")]
    engine.say("zwei")
    engine.finish()
    assert said(session) == kept(store) == ["one", "1", "deux", "zwei"]
    assert session.turns[2].edited
    assert len(session.branches_of(session.turns[2].id)) == 2
    assert session.draft.text == "half a thought", "it belongs to the next question"
    session.show_branch(question)
    assert said(session) == ["one", "1", "two", "2"]


def test_a_question_in_the_same_words_is_answered_again(watched, session, engine):
    watched.talk("Why?", "Because.")
    question = session.turns[0].id
    assert session.edit_and_send(question, "Why?", STREAMED)
    assert session.branches_of(question) == (question,)
    assert len(session.branches_of(session.turns[1].id)) == 2


def test_what_was_attached_stays_attached(watched, session, engine):
    table = Attachment("bends.csv", "csv", 8, "x,y\n")
    assert session.send("What is y?", STREAMED, attachments=(table,))
    engine.finish()
    assert session.edit_and_send(session.turns[0].id, "What is x?", STREAMED)
    assert session.turns[0].attachments == (table,)
    assert "x,y" in read(engine)[0][1]
    assert read(engine)[0][1].endswith("What is x?")


def test_a_file_can_be_sent_without_a_word(watched, session, engine, store):
    assert session.send("", STREAMED, attachments=(Attachment("bends.csv", "csv", 8, "x,y\n"),))
    (conversation,) = store.conversations()
    assert conversation.title == "bends.csv"


def test_a_reply_written_over_is_what_the_model_said_from_then_on(watched, session, engine, store):
    watched.talk("Why?", "Because.")
    first = session.turns[-1]
    assert session.edit_reply(first.id, "It just is.")
    assert said(session) == kept(store) == ["Why?", "It just is."]
    reply = session.turns[-1]
    assert (reply.edited, reply.message.token_ids, reply.usage) == (True, (), None)
    assert session.figures.decode_rate is None, "nobody measured these words"
    watched.ask("Really?")
    assert read(engine)[1] == (Role.ASSISTANT, "It just is.")


def test_nothing_cannot_be_said(watched, session, engine):
    watched.talk("Why?", "Because.")
    question, answer = (turn.id for turn in session.turns)
    assert not session.edit_and_send(question, "  ", STREAMED)
    assert not session.edit_reply(answer, "\n")
    assert not session.edit_reply(question, "a question is no reply")
    assert not session.edit_and_send(answer, "a reply is no question", STREAMED)
    assert said(session) == ["Why?", "Because."]


# Further.


def stopped(watched: Watched, engine: ScriptedEngine, ids: tuple[int, ...] = (5, 6)) -> None:
    watched.ask("Why?")
    engine.say("Because ")
    engine.finish(FinishReason.CANCELLED, trace=Trace(ids, (0.1, 0.2), len(ids)))


def test_a_reply_that_was_stopped_goes_on_where_it_ended(watched, session, engine, store):
    stopped(watched, engine)
    assert session.remedies == (Remedy(RemedyKind.CONTINUE, goes_on=True),)
    before = session.turns[-1]
    assert session.mend(session.remedies[0], STREAMED)
    request = engine.requests[-1]
    assert request.continues
    assert request.messages[-1] == Message(Role.ASSISTANT, "Because ")
    assert request.messages[-1].token_ids == (5, 6)
    assert said(session) == ["Why?", "Because "], "what is there stays in sight"
    assert session.turns[-1].state is TurnState.WRITING
    engine.say("it is so.")
    assert said(session) == ["Why?", "Because it is so."]
    engine.finish(trace=Trace((7, 8), (0.1, 0.2), 1), begun_ids=(5, 6))
    assert said(session) == kept(store) == ["Why?", "Because it is so."]
    assert session.turns[-1].message.token_ids == (5, 6, 7)
    assert session.branches_of(session.turns[-1].id) == (before.id, session.turns[-1].id)


def test_with_streaming_off_what_was_there_stays_in_sight(watched, session, engine):
    stopped(watched, engine)
    assert session.continue_reply(session.turns[-1].id, ReplyChoices(streaming=False))
    engine.say("it is so.")
    assert said(session)[-1] == "Because "
    engine.finish()
    assert said(session)[-1] == "Because it is so."


def test_going_on_that_is_withdrawn_leaves_the_reply_as_it_was(watched, session, engine):
    stopped(watched, engine)
    assert session.continue_reply(session.turns[-1].id, STREAMED)
    session.stop()
    engine.finish(FinishReason.CANCELLED, trace=Trace())
    assert said(session)[-1] == "Because "
    assert session.turns[-1].message.token_ids == (5, 6)
    assert session.can_continue(session.turns[-1].id)


def test_going_on_that_fails_keeps_all_there_is(watched, session, engine, store):
    stopped(watched, engine)
    assert session.continue_reply(session.turns[-1].id, STREAMED)
    engine.say("it ")
    engine.fail(GenerationBroke("It broke."))
    assert kept(store)[-1] == "Because it "
    assert session.turns[-1].message.token_ids == ()
    assert session.can_continue(session.turns[-1].id)


def test_reasoning_that_was_cut_goes_on_too(watched, session, engine):
    watched.ask("Why?")
    engine.think("Well, ", began=100.0, at=102.0)
    engine.finish(FinishReason.CANCELLED, trace=Trace((5,), (0.1,), 1))
    assert session.continue_reply(session.turns[-1].id, STREAMED)
    engine.think("so.", began=200.0, at=201.5)
    assert watched.thoughts == "Well, so."
    engine.say("Because.", began=200.0, at=202.0)
    engine.finish(begun_ids=(5,))
    reply = session.turns[-1]
    assert (reply.message.reasoning, reply.message.content) == ("Well, so.", "Because.")
    assert reply.thought_seconds == pytest.approx(3.5)


def test_a_reply_that_filled_the_window_goes_on_without_the_oldest_turns(watched, session, engine):
    watched.talk("one", "1")
    engine.ready(context_size=64, training_context=64)
    watched.ask("two")
    engine.read(60, 60, batch_end=60, seconds=0.1)
    for piece in ("a", "b", "c", "d"):
        engine.say(piece)
    engine.finish(FinishReason.WINDOW)
    assert session.remedies == (Remedy(RemedyKind.LEAVE_OUT_OLDEST, goes_on=True),)
    assert session.mend(session.remedies[0], STREAMED)
    request = engine.requests[-1]
    assert request.continues
    assert request.window_policy is WindowPolicy.DROP_OLDEST


def test_where_going_on_needs_room_the_remedies_go_on(watched, session, engine):
    watched.talk("one", "1")
    stopped(watched, engine)
    session.continue_reply(session.turns[-1].id, STREAMED)
    engine.fail(PromptTooLong(5_000, 4_096, 2))
    assert all(remedy.goes_on for remedy in session.remedies)
    assert session.mend(session.remedies[0], STREAMED)
    assert engine.requests[-1].continues


def test_only_the_last_reply_goes_on(watched, session, engine):
    stopped(watched, engine)
    first = session.turns[-1].id
    watched.talk("And?", "So.")
    assert not session.continue_reply(first, STREAMED)
    assert not session.continue_reply(session.turns[-1].id, STREAMED), "its model had ended it"


def test_a_server_is_not_asked_to_go_on(watched, session, engine, models):
    engine.remote_listeners.insert(0, models.on_event)
    stopped(watched, engine)
    models.choose(RemoteModel(ADDRESS, "big"))
    engine.offer(RemoteModel(ADDRESS, "big"))
    assert not session.continue_reply(session.turns[-1].id, STREAMED)
    assert session.remedies == ()


# No longer.


def test_what_is_deleted_comes_back(watched, session, engine, store):
    watched.talk("one", "1")
    watched.talk("two", "2")
    before = session.turns
    deleted: list[int] = []
    session.messages_deleted.connect(deleted.append)
    assert session.delete_from(session.turns[2].id)
    assert said(session) == kept(store) == ["one", "1"]
    assert deleted == [2]
    assert session.can_undo
    assert session.undo()
    assert session.turns == before
    assert kept(store) == ["one", "1", "two", "2"]
    assert not session.can_undo
    assert not session.undo()


def test_what_is_deleted_is_not_read(watched, session, engine):
    watched.talk("one", "1")
    watched.talk("two", "2")
    session.delete_message(session.turns[1].id)
    watched.ask("three")
    assert read(engine) == [(Role.USER, "one\n\ntwo"), (Role.ASSISTANT, "2"), (Role.USER, "three")]


def test_deletions_are_undone_last_first(watched, session, engine):
    watched.talk("one", "1")
    session.delete_message(session.turns[1].id)
    session.delete_message(session.turns[0].id)
    assert said(session) == []
    assert session.undo()
    assert said(session) == ["one"]
    assert session.undo()
    assert said(session) == ["one", "1"]


# For the whole conversation.


def test_a_pinned_turn_is_named_to_the_engine(watched, session, engine, store):
    session.set_prompt_and_sampling("Be short.", None)
    watched.talk("one", "1")
    marked: list[object] = []
    session.turn_marked.connect(marked.append)
    assert session.set_turn_pinned(session.turns[0].id, pinned=True)
    assert marked == [session.turns[0]]
    watched.ask("two")
    assert engine.requests[-1].pinned == (1,), "the system prompt comes first"
    (conversation,) = store.conversations()
    assert store.turns(conversation.head)[0].pinned


def test_system_prompt_and_sampling_hold_from_the_first_prompt_on(watched, session, engine, store, models):
    changes: list[None] = []
    session.prompt_changed.connect(lambda: changes.append(None))
    session.set_prompt_and_sampling("Be short.", Sampling(temperature=0.2))
    session.set_prompt_and_sampling("Be short.", Sampling(temperature=0.2))
    assert len(changes) == 1
    watched.ask("Why?")
    assert read(engine) == [(Role.SYSTEM, "Be short."), (Role.USER, "Why?")]
    assert engine.requests[-1].sampling == Sampling(temperature=0.2)
    engine.finish()
    session.set_prompt_and_sampling("Be long.", None)
    (conversation,) = store.conversations()
    assert (conversation.system_prompt, conversation.sampling) == ("Be long.", None)
    again = Watched(store, engine, models, conversation=conversation).session
    assert (again.system_prompt, again.sampling) == ("Be long.", None)


def test_what_was_left_out_is_named_by_its_turns_though_a_system_prompt_comes_first(watched, session, engine):
    session.set_prompt_and_sampling("Be short.", None)
    watched.talk("one", "1")
    watched.ask("two")
    engine.leave_out(1, 2)
    assert session.turns[-1].left_out == tuple(turn.id for turn in session.turns[:2])


def test_a_conversation_counts_what_all_its_replies_took(watched, session, engine):
    assert session.totals.output_tokens == 0
    watched.ask("Why?")
    engine.read(8, 8, batch_end=8, seconds=0.1, cached=2)
    engine.say("Because.")
    engine.finish()
    session.regenerate(session.turns[-1].id, STREAMED)
    engine.read(1, 1, batch_end=1, seconds=0.1, cached=9)
    engine.say("So.")
    engine.say(" There.")
    engine.finish()
    totals = session.totals
    assert (totals.input_tokens, totals.cached_tokens, totals.output_tokens) == (20, 11, 3)
    assert totals.seconds == pytest.approx(
        sum(turn.timings.total - turn.timings.queued for turn in replies(session) if turn.timings is not None)
    )


def replies(session: ChatSession) -> list[Turn]:
    shown = [session.turns[-1]]
    for turn in session.branches_of(session.turns[-1].id)[:-1]:
        session.show_branch(turn)
        shown.append(session.turns[-1])
    return shown

"""What can be done about a reply that failed."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.conversations import FailureKind, TurnState
from desktop.remedies import Remedy, RemedyKind, added_memory, can_go_on, failure_of, larger_window, remedies_for
from desktop.turns import Failure, Turn
from inference import (
    EngineFault,
    FinishReason,
    GenerationBroke,
    KeyRefused,
    MemoryShort,
    Message,
    ModelChanged,
    ModelConfig,
    ModelNotFound,
    PromptTooLong,
    RemoteModel,
    RemoteModelInfo,
    Role,
    ServerTimeout,
    Usage,
    WindowPolicy,
    embedded_model,
)
from tests.desktop.fakes import MODEL, OTHER_MODEL, model_info

INFO = model_info(ModelConfig(MODEL))
ADDRESS = "http://127.0.0.1:8080/v1"


def failed(failure: Failure) -> Turn:
    now = datetime.now(UTC)
    return Turn(2, 1, 1, Message(Role.ASSISTANT, ""), now, TurnState.FAILED, error="No.", failure=failure)


def remedies_of(turn: Turn, info=INFO, policy: WindowPolicy = WindowPolicy.STOP, older: int = 0) -> tuple[Remedy, ...]:
    question = Turn(1, 1, None, Message(Role.USER, "Why?"), turn.created)
    return remedies_for([question] * (1 + older) + [turn], info, info.config, policy)


def kinds(failure: Failure, info=INFO, policy: WindowPolicy = WindowPolicy.STOP) -> list[RemedyKind]:
    return [remedy.kind for remedy in remedies_of(failed(failure), info, policy)]


@pytest.mark.parametrize(
    ("error", "failure"),
    [
        (PromptTooLong(5000, 4096, 2), Failure(FailureKind.PROMPT_TOO_LONG, 5000, 2)),
        (KeyRefused(ADDRESS, 401, False), Failure(FailureKind.KEY_REFUSED)),
        (ServerTimeout(ADDRESS, 10), Failure(FailureKind.SERVER)),
        (ModelNotFound(Path("x")), Failure(FailureKind.OTHER)),
    ],
)
def test_what_matters_of_an_error_is_kept(error, failure):
    assert failure_of(error) == failure


@pytest.mark.parametrize(
    "error",
    [MemoryShort(), GenerationBroke("no."), ModelChanged(MODEL), ModelNotFound(MODEL), EngineFault("no", "no")],
)
def test_what_may_be_well_again_is_asked_again(error):
    turn = failed(failure_of(error))
    assert [remedy.kind for remedy in remedies_of(turn)] == [RemedyKind.TRY_AGAIN]
    begun = replace(turn, message=Message(Role.ASSISTANT, "Because"))
    assert [remedy.kind for remedy in remedies_of(begun)] == [RemedyKind.CONTINUE, RemedyKind.TRY_AGAIN]


def test_where_no_turn_can_be_left_out_a_larger_window_remains():
    assert kinds(Failure(FailureKind.PROMPT_TOO_LONG, 5000, 0)) == [RemedyKind.LARGER_WINDOW]


def test_where_the_oldest_are_left_out_already_it_is_not_offered_again():
    failure = Failure(FailureKind.PROMPT_TOO_LONG, 5000, 2)
    assert kinds(failure, policy=WindowPolicy.DROP_OLDEST) == [RemedyKind.LARGER_WINDOW]


def test_a_window_at_the_training_context_does_not_grow():
    failure = Failure(FailureKind.PROMPT_TOO_LONG, 9000, 2)
    assert kinds(failure, replace(INFO, context_size=8192)) == [RemedyKind.LEAVE_OUT_OLDEST]


def test_a_servers_window_is_not_ours_to_change():
    info = RemoteModelInfo(RemoteModel(ADDRESS, "big"), "big", context_size=4096)
    assert kinds(Failure(FailureKind.PROMPT_TOO_LONG, 5000, 0), info) == []


def test_a_reply_that_did_not_fail_offers_nothing():
    turn = replace(failed(Failure(FailureKind.SERVER)), state=TurnState.COMPLETE)
    assert remedies_of(turn) == ()


def test_a_reply_that_failed_before_kinds_were_kept_offers_nothing():
    assert remedies_of(replace(failed(Failure()), failure=None)) == ()


def test_a_larger_window_names_its_size():
    turn = failed(Failure(FailureKind.PROMPT_TOO_LONG, 4100, 0))
    assert remedies_of(turn) == (Remedy(RemedyKind.LARGER_WINDOW, 8192),)


@pytest.mark.skipif(embedded_model() is None, reason="the embedded model is not installed")
def test_a_larger_window_takes_more_memory():
    path = embedded_model()
    assert path is not None
    info = replace(INFO, config=ModelConfig(path))
    half, whole = added_memory(info, 6144), added_memory(info, 8192)
    assert half is not None
    assert whole is not None
    assert 0 < half < whole


def test_where_the_file_is_gone_the_price_is_blank():
    assert added_memory(INFO, 8192) is None


CUT_SHORT = replace(
    failed(Failure()),
    message=Message(Role.ASSISTANT, "Because", (5, 6)),
    state=TurnState.COMPLETE,
    finish_reason=FinishReason.CANCELLED,
    model_path=MODEL,
    error="",
    failure=None,
    usage=Usage(4000, 0, 97),
)
GO_ON = Remedy(RemedyKind.CONTINUE, goes_on=True)


@pytest.mark.parametrize("reason", [FinishReason.CANCELLED, FinishReason.LENGTH])
def test_a_reply_that_was_cut_short_goes_on(reason):
    assert remedies_of(replace(CUT_SHORT, finish_reason=reason)) == (GO_ON,)


def test_a_reply_that_the_model_ended_offers_nothing():
    assert remedies_of(replace(CUT_SHORT, finish_reason=FinishReason.STOP)) == ()


def test_a_reply_that_the_program_left_unfinished_goes_on_from_its_words():
    left = replace(CUT_SHORT, state=TurnState.INTERRUPTED, finish_reason=None)
    assert remedies_of(replace(left, message=Message(Role.ASSISTANT, "Because"))) == (GO_ON,)


@pytest.mark.parametrize("state", [TurnState.INTERRUPTED, TurnState.COMPLETE])
def test_without_a_word_it_is_asked_again(state):
    left = replace(CUT_SHORT, state=state, message=Message(Role.ASSISTANT, ""))
    assert remedies_of(left) == (Remedy(RemedyKind.TRY_AGAIN),)


def test_where_thinking_ended_is_known_by_the_tokens_of_the_model_that_thought():
    thought = replace(CUT_SHORT, message=Message(Role.ASSISTANT, "Because", (5, 6), "Why?"))
    assert can_go_on(thought, INFO.config)
    assert not can_go_on(thought, ModelConfig(OTHER_MODEL))
    assert not can_go_on(replace(thought, message=Message(Role.ASSISTANT, "Because", (), "Why?")), INFO.config)


def test_another_model_goes_on_from_the_words():
    assert can_go_on(CUT_SHORT, ModelConfig(OTHER_MODEL))


def test_no_server_is_asked_to_go_on():
    assert not can_go_on(CUT_SHORT, RemoteModel(ADDRESS, "big"))


def test_a_reply_that_was_written_over_can_go_on_but_that_is_not_offered_by_itself():
    edited = replace(CUT_SHORT, message=Message(Role.ASSISTANT, "Well"), finish_reason=None, edited=True)
    assert can_go_on(edited, INFO.config)
    assert remedies_of(edited) == ()


FULL = replace(CUT_SHORT, finish_reason=FinishReason.WINDOW)


def test_a_reply_that_filled_the_window_needs_room_first():
    assert remedies_of(FULL, older=2) == (
        Remedy(RemedyKind.LEAVE_OUT_OLDEST, goes_on=True),
        Remedy(RemedyKind.LARGER_WINDOW, 8192, goes_on=True),
    )


def test_where_nothing_is_older_only_a_larger_window_helps():
    assert remedies_of(FULL) == (Remedy(RemedyKind.LARGER_WINDOW, 8192, goes_on=True),)


def test_where_there_is_room_by_now_it_goes_on():
    assert remedies_of(FULL, replace(INFO, context_size=8192)) == (GO_ON,)
    assert remedies_of(FULL, policy=WindowPolicy.DROP_OLDEST, older=2) == (GO_ON,)


def test_a_question_without_a_reply_can_be_answered():
    question = Turn(1, 1, None, Message(Role.USER, "Why?"), datetime.now(UTC))
    assert remedies_for([question], None, None, WindowPolicy.STOP) == (Remedy(RemedyKind.ASK),)


@given(st.integers(1, 200_000), st.integers(1, 200_000), st.integers(1, 400_000))
def test_a_larger_window_is_larger_holds_the_prompt_and_was_trained_for(size, training, needed):
    info = replace(INFO, context_size=size, training_context=max(size, training))
    found = larger_window(info, needed)
    if found is not None:
        assert max(size, needed) < found <= info.training_context
    elif needed >= size:
        assert info.training_context <= max(size, needed)

"""What can be done about a reply that failed."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.conversations import Failure, FailureKind, Turn, TurnState
from desktop.remedies import Remedy, RemedyKind, added_memory, failure_of, larger_window, remedies_for
from inference import (
    KeyRefused,
    Message,
    ModelConfig,
    ModelNotFound,
    PromptTooLong,
    RemoteModel,
    RemoteModelInfo,
    Role,
    ServerTimeout,
    WindowPolicy,
    embedded_model,
)
from tests.desktop.fakes import MODEL, model_info

INFO = model_info(ModelConfig(MODEL))
ADDRESS = "http://127.0.0.1:8080/v1"


def failed(failure: Failure) -> Turn:
    now = datetime.now(UTC)
    return Turn(2, 1, 1, Message(Role.ASSISTANT, ""), now, TurnState.FAILED, error="No.", failure=failure)


def kinds(failure: Failure, info=INFO, policy: WindowPolicy = WindowPolicy.STOP) -> list[RemedyKind]:
    return [remedy.kind for remedy in remedies_for(failed(failure), info, policy)]


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
    assert remedies_for(turn, INFO, WindowPolicy.STOP) == ()


def test_a_reply_that_failed_before_kinds_were_kept_offers_nothing():
    assert remedies_for(replace(failed(Failure()), failure=None), INFO, WindowPolicy.STOP) == ()


def test_a_larger_window_names_its_size():
    turn = failed(Failure(FailureKind.PROMPT_TOO_LONG, 4100, 0))
    assert remedies_for(turn, INFO, WindowPolicy.STOP) == (Remedy(RemedyKind.LARGER_WINDOW, 8192),)


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


@given(st.integers(1, 200_000), st.integers(1, 200_000), st.integers(1, 400_000))
def test_a_larger_window_is_larger_holds_the_prompt_and_was_trained_for(size, training, needed):
    info = replace(INFO, context_size=size, training_context=max(size, training))
    found = larger_window(info, needed)
    if found is not None:
        assert max(size, needed) < found <= info.training_context
    elif needed >= size:
        assert info.training_context <= max(size, needed)

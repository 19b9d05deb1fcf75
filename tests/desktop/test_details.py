"""The figures of a reply in words."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from desktop.conversations import TurnState
from desktop.turns import Totals, Turn
from desktop.widgets.details import details_of, details_of_all, summary_of
from inference import FinishReason, Message, RemoteModel, ReuseEnd, Role, Timings, Trace, Usage

REPLY = Turn(
    2,
    1,
    1,
    Message(Role.ASSISTANT, "Because."),
    datetime.now(UTC),
    model_name="small",
    model_path=Path("/models/small.gguf"),
    finish_reason=FinishReason.STOP,
    usage=Usage(812, 774, 38),
    timings=Timings(0.2, 0.0, 0.01, 0.5, 0.001, 2.0, 0.001, prefill_tokens=38, output_tokens=38),
    streamed=True,
)
TRACE = Trace(reuse_end=ReuseEnd.NEW_TEXT, drafted_tokens=10, accepted_tokens=7)


def told(turn: Turn, trace: Trace | None = TRACE) -> dict[str, str]:
    return {detail.label: detail.value for detail in details_of(turn, trace)}


def test_what_is_known_is_told():
    details = told(REPLY)
    assert details["Model"] == "small"
    assert details["File"] == str(Path("/models/small.gguf"))
    assert details["Ended"] == "by the model"
    assert (details["Tokens read"], details["From the KV cache"], details["Tokens written"]) == ("38", "774", "38")
    assert details["Prefill"] == "0.50 s, 76.0 tok/s"
    assert details["Decode"] == "2.00 s, 18.5 tok/s"
    assert details["First token after"] == "0.71 s"
    assert details["Waited"] == "0.20 s"
    assert details["Drafts"] == "7 of 10 tokens taken"


def test_what_is_not_known_is_left_out():
    bare = replace(REPLY, usage=None, timings=None, finish_reason=None, streamed=None, state=TurnState.FAILED)
    assert set(told(bare, None)) == {"Model", "File", "Ended"}


def test_a_servers_reply_names_the_server():
    remote = RemoteModel("http://127.0.0.1:8080/v1", "big")
    details = told(replace(REPLY, model_path=None, remote=remote, usage=Usage(812, None, 38)))
    assert details["Server"] == "http://127.0.0.1:8080/v1"
    assert "From the KV cache" not in details
    assert "Reading began" not in details


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"finish_reason": FinishReason.CANCELLED}, "stopped by you"),
        ({"finish_reason": FinishReason.LENGTH}, "at the length asked for"),
        ({"finish_reason": FinishReason.WINDOW}, "with the context window full"),
        ({"state": TurnState.INTERRUPTED}, "interrupted: Headwater closed meanwhile"),
        ({"edited": True}, "written over by you"),
    ],
)
def test_how_it_ended(change, words):
    assert told(replace(REPLY, **change))["Ended"] == words


def test_reasoning_is_a_part_of_what_was_written():
    assert told(replace(REPLY, usage=Usage(812, 774, 38, 12)))["Tokens written"] == "38, 12 of them reasoning"


def test_a_conversation_has_totals():
    totals = Totals(12_340, 9_800, 2_310, 72.0)
    assert [detail.value for detail in details_of_all(totals)] == ["12,340", "9,800", "2,310", "72.0 s"]
    assert summary_of(totals) == "12,340 tokens read, 2,310 written"
    assert summary_of(Totals()) == ""

"""Whatever a server sends in the place of a value, what is made of it is of its types, can be written down, and says
nothing that was never measured."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from inference.configuration import RemoteModel
from inference.events import GenerationFailed, GenerationFinished, PrefillProgress, TextDelta
from inference.messages import Message, Role
from inference.remote.reply import Reply
from inference.remote.wire import Complaint, Unreadable, chunk_from, complaint_from, offer_from
from inference.requests import GenerationRequest
from inference.server_errors import ReplyBroken
from tests.deep_types import assert_of_its_types
from tests.fakes import ManualClock
from tests.odd_values import damaged
from tests.scripted_server import LlamaServer

SERVER = "http://127.0.0.1:8080/v1"
STREAM = list(LlamaServer(texts=("Hello", "."), reasoning=("hm",), batch=40).chunks())
OFFER = {
    "object": "list",
    "data": [
        {"id": "m/a.gguf", "owned_by": "llamacpp", "meta": {"n_ctx": 8, "n_ctx_train": 16, "n_params": 5, "size": 4}},
        {"id": "meta/llama", "owned_by": "vllm", "max_model_len": 4096, "context_length": 4096},
    ],
}
LLAMA_SAYS = {"message": "too long", "type": "exceed", "code": 400, "n_prompt_tokens": 5000, "n_ctx": 4096}


@given(damaged(STREAM), st.lists(st.sampled_from([0, 0.25, 1]), min_size=len(STREAM), max_size=len(STREAM)))
def test_a_stream_that_was_damaged_makes_a_reply_or_a_sentence(chunks: Any, waits: list[float]) -> None:
    clock = ManualClock()
    request = GenerationRequest(RemoteModel(SERVER), (Message(Role.USER, "Hi"),), submitted_at=clock.now)
    reply = Reply(request, "llama", clock)
    events: list[Any] = []
    for chunk, wait in zip(chunks if isinstance(chunks, list) else [chunks], waits, strict=False):
        clock.advance(wait)
        try:
            read = chunk_from(json.dumps(chunk))
        except Unreadable as error:
            events += reply.fail(ReplyBroken(SERVER, str(error)))
            break
        if isinstance(read, Complaint):
            assert_of_its_types(read)
            events += reply.fail(ReplyBroken(SERVER, read.reason))
            break
        assert_of_its_types(read)
        events += reply.feed(read)
    else:
        events += reply.finish()
    *before, last = events
    assert isinstance(last, GenerationFinished | GenerationFailed)
    assert all(isinstance(event, TextDelta | PrefillProgress) for event in before)
    for event in events:
        assert_of_its_types(event)
        assert_is_text(event)
    if isinstance(last, GenerationFinished):
        figures = (last.timings.prefill_rate, last.timings.decode_rate, last.timings.ttft, last.timings.total)
        assert all(figure is None or 0 <= figure < 1e26 for figure in figures), figures
        assert last.model_name


@given(damaged(OFFER))
def test_a_list_of_models_that_was_damaged_names_those_that_are_left(document: Any) -> None:
    try:
        offer = offer_from(SERVER, json.dumps(document))
    except Unreadable:
        return
    assert_of_its_types(offer)
    assert_is_text(offer)
    for model in offer.models:
        assert len(model.name.splitlines()) == 1


@given(damaged({"error": LLAMA_SAYS}) | damaged({"object": "error", **LLAMA_SAYS}), st.integers(400, 599))
def test_a_refusal_that_was_damaged_is_one_line(document: Any, status: int) -> None:
    complaint = complaint_from(json.dumps(document), status)
    assert_of_its_types(complaint)
    assert_is_text(complaint)
    assert complaint.reason.isprintable()
    assert complaint.status == status


def assert_is_text(value: object) -> None:
    """What cannot be encoded can be kept nowhere, and shows as nothing."""
    assert repr(value).encode()
    assert "\\ud8" not in repr(value)

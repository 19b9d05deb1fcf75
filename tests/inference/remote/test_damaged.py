"""Whatever a server sends in the place of a value, what is made of it is of its types, can be written down, and says
nothing that was never measured."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from inference.configuration import RemoteModel
from inference.errors import EngineFault
from inference.events import GenerationFailed, GenerationFinished, PrefillProgress, TextDelta
from inference.messages import Message, Role
from inference.remote.reply import Reply
from inference.remote.wire import Complaint, Unreadable, chunk_from, complaint_from, offer_from
from inference.requests import GenerationRequest
from inference.server_errors import ReplyBroken
from tests.deep_types import assert_of_its_types
from tests.fakes import ManualClock
from tests.inference.remote.test_server import ask_at
from tests.odd_values import damaged
from tests.scripted_server import DONE, Answer, LlamaServer, ScriptedServer, event

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
    assert all(isinstance(each, TextDelta | PrefillProgress) for each in before)
    for each in events:
        assert_of_its_types(each)
        assert_is_text(each)
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


HEADERS = st.dictionaries(
    st.sampled_from(["Retry-After", "Location"]),
    st.sampled_from(["", "soon", "1e400", "//x", "http://[", "Fri, 31 Dec 9999 23:59:59 -2359"]),
)
ANSWERS = st.builds(
    lambda chunks, status, kind, headers: Answer(
        [*(event(json.dumps(chunk)) for chunk in chunks), DONE], status, kind, headers
    ),
    damaged(STREAM).filter(lambda chunks: isinstance(chunks, list)),
    st.sampled_from([200, 200, 200, 204, 302, 400, 401, 404, 429, 500, 503, 599]),
    st.sampled_from(["text/event-stream", "text/event-stream", "application/json", "text/html", ""]),
    HEADERS,
)


@settings(max_examples=40)  # each over a connection of its own
@given(ANSWERS, damaged(OFFER))
def test_whatever_a_server_answers_a_request_ends_with_a_reply_or_a_failure_of_the_servers(
    answer: Answer, offer: Any
) -> None:
    offered = Answer([json.dumps(offer).encode()], content_type="application/json")
    with ScriptedServer(answer, offered) as server:
        last = ask_at(server.url)
    if isinstance(last, GenerationFailed):
        assert not isinstance(last.error, EngineFault)
        assert str(last.error).endswith((".", "…"))
    assert_of_its_types(last)


def assert_is_text(value: object) -> None:
    """What cannot be encoded can be kept nowhere, and shows as nothing."""
    assert repr(value).encode()
    assert "\\ud8" not in repr(value)

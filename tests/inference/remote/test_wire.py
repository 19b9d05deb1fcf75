"""What goes to a server and what comes back: every figure checked, no text lost, no key shown."""

from __future__ import annotations

import json
import math
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.configuration import RemoteModel
from inference.errors import InvalidRequest
from inference.events import RemoteModelInfo
from inference.messages import Message, Role
from inference.remote.wire import (
    Chunk,
    Complaint,
    Dialect,
    Progress,
    ServerTimings,
    ServerUsage,
    Unreadable,
    body_of,
    chunk_from,
    complaint_from,
    headers_of,
    offer_from,
)
from inference.requests import GenerationRequest, Sampling
from tests.scripted_server import LlamaServer, models, said, timings, usage

SERVER = "http://127.0.0.1:8080/v1"
HELLO = (Message(Role.SYSTEM, "Be brief."), Message(Role.USER, "Hi"))


def body(dialect: Dialect = Dialect.PLAIN, **wishes: Any) -> dict[str, Any]:
    request = GenerationRequest(RemoteModel(SERVER, "llama"), HELLO, **wishes)
    found: dict[str, Any] = json.loads(body_of(request, "llama", dialect))
    return found


def chunk(value: object) -> Chunk:
    found = chunk_from(json.dumps(value))
    assert isinstance(found, Chunk)
    return found


def complaint(value: object) -> Complaint:
    found = chunk_from(json.dumps(value))
    assert isinstance(found, Complaint)
    return found


def test_what_a_request_leaves_open_is_left_to_the_server() -> None:
    assert body() == {
        "model": "llama",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}],
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_what_a_request_wants_is_sent() -> None:
    sent = body(sampling=Sampling(0.5, 40, 0.9, 0.1, 1.2, 7), max_tokens=5, stop=("a", "b"))
    wanted = {"temperature": 0.5, "top_k": 40, "top_p": 0.9, "min_p": 0.1, "repeat_penalty": 1.2, "seed": 7}
    assert sent.items() >= (wanted | {"max_tokens": 5}).items()
    assert sent["stop"] == ["a", "b"]


def test_each_server_is_asked_in_its_own_words() -> None:
    sampling = Sampling(repeat_penalty=1.2)
    llama = body(Dialect.LLAMA_SERVER, sampling=sampling, max_tokens=5)
    assert llama.items() >= {"return_progress": True, "timings_per_token": True, "repeat_penalty": 1.2}.items()
    vllm = body(Dialect.VLLM, sampling=sampling, max_tokens=5)
    assert vllm["repetition_penalty"] == 1.2
    assert vllm["stream_options"]["continuous_usage_stats"]
    assert not {"repeat_penalty", "return_progress", "cache_prompt"} & set(vllm)
    openai = body(Dialect.OPENAI, max_tokens=5)
    assert openai["max_completion_tokens"] == 5
    assert not {"max_tokens", "return_progress", "cache_prompt"} & set(openai)


def test_every_way_of_choosing_tokens_is_sent_by_its_name() -> None:
    sent = body(sampling=Sampling(typical_p=0.5, dry_sequence_breakers=(".",), logit_bias=((5, 1.5), (7, -math.inf))))
    assert (sent["typical_p"], sent["dry_sequence_breakers"]) == (0.5, ["."])
    assert sent["logit_bias"] == {"5": 1.5, "7": -100.0}


def test_each_server_is_told_in_its_own_words_what_the_answer_looks_like() -> None:
    grammar = 'root ::= "yes" | "no"'
    assert body(Dialect.LLAMA_SERVER, grammar=grammar)["grammar"] == grammar
    assert body(Dialect.VLLM, grammar=grammar)["structured_outputs"] == {"grammar": grammar}
    schema = body(json_schema='{"type": "integer"}')["response_format"]
    assert schema == {"type": "json_schema", "json_schema": {"name": "answer", "schema": {"type": "integer"}}}


def test_reasoning_is_sent_back_and_switched_where_a_server_can_take_it() -> None:
    said_before = (
        Message(Role.USER, "Hi"),
        Message(Role.ASSISTANT, "Hello", reasoning="hm"),
        Message(Role.USER, "And?"),
    )
    request = GenerationRequest(RemoteModel(SERVER), said_before, thinking=False)
    for dialect in (Dialect.LLAMA_SERVER, Dialect.VLLM):
        sent = json.loads(body_of(request, "llama", dialect))
        assert sent["messages"][1] == {"role": "assistant", "content": "Hello", "reasoning_content": "hm"}
        assert sent["chat_template_kwargs"] == {"enable_thinking": False}
    sent = json.loads(body_of(request, "gpt", Dialect.OPENAI))
    assert sent["messages"][1] == {"role": "assistant", "content": "Hello"}
    assert "chat_template_kwargs" not in sent
    assert "chat_template_kwargs" not in body()


def test_half_a_character_in_a_prompt_is_sent_as_json_spells_it() -> None:
    request = GenerationRequest(RemoteModel(SERVER), (Message(Role.USER, "\ud83d"),))
    assert b"\\ud83d" in body_of(request, "llama", Dialect.PLAIN)


def test_a_key_stands_in_one_header_and_a_request_without_one_has_none() -> None:
    assert headers_of("sk-1")["Authorization"] == "Bearer sk-1"
    assert "Authorization" not in headers_of(None)
    assert "Authorization" not in headers_of("")


@pytest.mark.parametrize("key", ["secret\nX-Other: 1", "secret key", "secret\u00e9", "secret\x00"])
def test_what_cannot_be_a_key_is_refused_without_repeating_it(key: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        headers_of(key)
    assert "secret" not in str(refused.value)


def test_a_chunk_is_read_with_all_it_brings() -> None:
    found = chunk(
        said("Hi", "stop", reasoning_content="hm")
        | {"timings": timings(10, 20, 300.0, 4, 60.0), "usage": usage(30, 4, cached=10, reasoning=1)}
        | {"prompt_progress": {"total": 30, "cache": 10, "processed": 26, "time_ms": 250}}
    )
    assert found == Chunk(
        text="Hi",
        reasoning="hm",
        finish_reason="stop",
        model="scripted",
        progress=Progress(30, 10, 26, 0.25),
        timings=ServerTimings(20, 0.3, 4, 0.06, 10),
        usage=ServerUsage(30, 10, 4, 1),
    )


def test_reasoning_is_read_in_both_spellings_and_once_where_a_server_sends_both() -> None:
    assert chunk(said(reasoning_content="hm")).reasoning == "hm"
    assert chunk(said(reasoning="hm")).reasoning == "hm"
    assert chunk(said(reasoning="hm", reasoning_content="hm")).reasoning == "hm"


def test_a_whole_answer_of_a_server_that_does_not_stream_is_one_chunk() -> None:
    answer = {"choices": [{"message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}]}
    assert chunk(answer) == Chunk(text="Hi", finish_reason="stop")


@pytest.mark.parametrize("wrong", [-1, "7", None, True, [], float("nan"), float("inf"), 10**400])
def test_a_figure_that_is_none_counts_as_not_sent(wrong: object) -> None:
    found = chunk(
        said("Hi")
        | {"timings": timings(1, 2, 3.0, 4, 5.0) | {"prompt_n": wrong}}
        | {"usage": {"prompt_tokens": wrong, "completion_tokens": 4, "prompt_tokens_details": None}}
        | {"prompt_progress": {"total": 3, "cache": 1, "processed": wrong, "time_ms": 1}}
    )
    assert (found.timings, found.progress) == (None, None)
    assert found.usage == ServerUsage(output_tokens=4)


@pytest.mark.parametrize("data", ["", "no", "[]", "1", "[" * 100_000, '{"choices": [{"delta": {"content": ["Hi"]}}]}'])
def test_what_is_no_chunk_is_said_to_be_none(data: str) -> None:
    with pytest.raises(Unreadable, match=r"no JSON|no text"):
        chunk_from(data)


FIELDS = [
    *("choices", "delta", "message", "content", "reasoning", "finish_reason", "model", "error", "code", "usage"),
    *("timings", "prompt_n", "prompt_ms", "predicted_n", "predicted_ms", "prompt_progress", "total", "cache"),
    *("prompt_tokens", "prompt_tokens_details", "cached_tokens", "data", "id", "meta", "n_ctx", "owned_by"),
]
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=6),
    max_leaves=20,
)


@given(json_values | st.text())
def test_whatever_a_server_sends_is_read_or_refused(value: object) -> None:
    data = value if isinstance(value, str) else json.dumps(value)
    for read in (chunk_from, lambda text: offer_from(SERVER, text)):
        with suppress(Unreadable):
            read(data)
    assert "\n" not in complaint_from(data, 400).reason


def test_an_error_in_a_stream_is_read_in_each_servers_form() -> None:
    assert complaint({"error": {"code": 500, "message": "out of\nmemory", "type": "server_error"}}) == Complaint(
        "out of memory", "server_error", 500
    )
    assert complaint({"error": "it broke"}).reason == "it broke"
    assert complaint({"object": "error", "message": "no such model", "code": 404}).status == 404


def test_a_refusal_is_one_line_and_a_web_page_says_nothing() -> None:
    assert complaint_from('{"detail": "Not Found"}', 404) == Complaint("Not Found", status=404)
    assert complaint_from("it\tbroke\n", 500).reason == "it broke"
    assert complaint_from("<html><body>502 Bad Gateway</body></html>", 502) == Complaint(status=502)
    assert len(complaint_from("x" * 10_000, 500).reason) < 400


LLAMA_SERVER = {
    "message": "it is too long",
    "type": "exceed_context_size_error",
    "n_prompt_tokens": 5000,
    "n_ctx": 4096,
}
LLAMA_CPP_PYTHON = (
    "This model's maximum context length is 4096 tokens. However, you requested 5100 tokens "
    "(5000 in the messages, 100 in the completion). Please reduce the length of the messages or completion."
)
OPENAI = "This model's maximum context length is 4096 tokens. However, your messages resulted in 5000 tokens."


@pytest.mark.parametrize("error", [LLAMA_SERVER, {"message": LLAMA_CPP_PYTHON}, {"message": OPENAI}])
def test_how_much_too_long_a_prompt_is_is_taken_from_where_the_server_says_it(error: dict[str, object]) -> None:
    found = complaint_from(json.dumps({"error": error}), 400)
    assert (found.needed_tokens, found.context_size) == (5000, 4096)


def test_what_llama_server_says_of_its_model_is_kept() -> None:
    answer = models(
        "../models/Llama-8B.gguf", n_ctx=8192, n_ctx_train=131072, n_params=8_030_261_312, size=4_912_898_304
    )
    offer = offer_from(SERVER, text_of(answer.pieces))
    assert offer.dialect is Dialect.LLAMA_SERVER
    assert offer.names == ("../models/Llama-8B.gguf",)
    assert offer.models == (
        RemoteModelInfo(
            RemoteModel(SERVER, "../models/Llama-8B.gguf"),
            "Llama-8B",
            "llama-server",
            8192,
            131072,
            8_030_261_312,
            4_912_898_304,
        ),
    )


def test_vllm_says_its_window_elsewhere_and_ollama_nothing() -> None:
    vllm = {"data": [{"id": "meta/llama", "owned_by": "vllm", "max_model_len": 4096}]}
    assert offer_from(SERVER, json.dumps(vllm)).models[0].context_size == 4096
    assert offer_from(SERVER, json.dumps(vllm)).dialect is Dialect.VLLM
    ollama = {"data": [{"id": "llama3:8b", "owned_by": "library"}, {"id": ""}, 7]}
    offer = offer_from(SERVER, json.dumps(ollama))
    assert offer.models == (RemoteModelInfo(RemoteModel(SERVER, "llama3:8b"), "llama3:8b"),)
    assert offer.dialect is Dialect.PLAIN


def test_the_scripted_server_speaks_as_llama_server_does() -> None:
    """Its last two chunks, field by field, as llama.cpp's own sources write them."""
    *_, end, figures = LlamaServer().chunks()
    assert end["choices"][0] == {"index": 0, "delta": {}, "finish_reason": "stop"}
    assert figures["choices"] == []
    assert figures["usage"]["prompt_tokens_details"] == {"cached_tokens": 100}
    assert figures["timings"]["predicted_per_second"] == 1000 / 30 * 3


def text_of(pieces: object) -> str:
    assert isinstance(pieces, list)
    return b"".join(pieces).decode()

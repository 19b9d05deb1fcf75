"""The engine's contract holds for servers too: one last event for every request, whatever a server does and whenever it
is stopped."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import inference
from inference.configuration import ModelConfig, RemoteModel
from inference.engine import Engine
from inference.errors import EngineClosed, EngineFault, InvalidRequest
from inference.events import (
    DeltaKind,
    Event,
    FinishReason,
    GenerationFailed,
    GenerationFinished,
    PrefillProgress,
    RemoteModelEvent,
    RemoteModelFailed,
    RemoteModelInfo,
    RemoteModelReady,
    TextDelta,
)
from inference.ids import RequestId
from inference.messages import Message, Role
from inference.remote import RemoteEngine
from inference.remote.inbox import Patience
from inference.requests import GenerationRequest
from inference.server_errors import ModelNotOffered, NothingListens
from tests.inference.listening import PATIENCE, Listener
from tests.inference.remote.test_server import nobody_accepts
from tests.scripted_server import (
    DONE,
    Answer,
    Ending,
    LlamaServer,
    Received,
    ScriptedServer,
    event,
    models,
    plain,
    refusal,
    said,
)

PROMPT = (Message(Role.USER, "Hi"),)
ENDLESS = Answer([event(said("a"))], ending=Ending.ENDLESS)
SILENT = Answer(ending=Ending.SILENT, no_headers=True)
STALLED = Answer([event(said("a"))], ending=Ending.SILENT)

BEHAVIOURS = {
    "plain": plain("Hello", " there"),
    "llama": LlamaServer(reasoning=("hm",), prefill_ms=0.1, token_ms=0.01).answer(),
    "endless": ENDLESS,
    "silent": SILENT,
    "stalled": STALLED,
    "cut": Answer([event(said("a"))], ending=Ending.CUT),
    "reset": Answer([event(said("a"))], ending=Ending.RESET),
    "broken": Answer([event(said("a")), event("{no json"), DONE]),
    "complains": Answer([event(said("a")), event({"error": {"message": "out of memory"}})]),
    "page": Answer([b"<html>"], content_type="text/html"),
    "busy": refusal(429, {}, Retry_After="1"),
    "error": refusal(500, "<html>"),
    "away": refusal(307, "", Location="http://127.0.0.1:1/v1"),
}


def behave(received: Received) -> Answer:
    return BEHAVIOURS[received.body["model"]]


def ask(url: str, model: str = "", max_tokens: int | None = None) -> GenerationRequest:
    return GenerationRequest(RemoteModel(url, model), PROMPT, max_tokens=max_tokens)


@contextmanager
def engine_at() -> Iterator[tuple[RemoteEngine, Listener]]:
    listener = Listener()
    engine = RemoteEngine(listener)
    try:
        yield engine, listener
    finally:
        engine.close()


def finished(last: GenerationFinished | GenerationFailed) -> GenerationFinished:
    assert isinstance(last, GenerationFinished), last
    return last


def test_it_is_an_engine() -> None:
    with engine_at() as (engine, _):
        face: Engine = engine
        face.unload()


@pytest.mark.parametrize("kind", [TextDelta, GenerationFinished])
def test_a_listener_that_breaks_ends_its_request_alone(kind: type[Event]) -> None:
    listener, broken = Listener(), threading.Event()

    def emit(event: Event | RemoteModelEvent) -> None:
        if isinstance(event, kind) and not broken.is_set():
            broken.set()
            raise OSError("the pipe is gone")
        listener(event)

    engine = RemoteEngine(emit)
    try:
        with ScriptedServer(behave) as server:
            request = engine.generate(ask(server.url, "plain"))
            assert broken.wait(PATIENCE)
            if kind is TextDelta:
                failed = listener.last_of(request)
                assert isinstance(failed, GenerationFailed)
                assert isinstance(failed.error, EngineFault)
            assert finished(listener.last_of(engine.generate(ask(server.url, "plain")))).text == "Hello there"
    finally:
        engine.close()


def test_a_request_is_answered_on_the_engines_thread_with_the_servers_own_figures() -> None:
    with (
        ScriptedServer(LlamaServer(reasoning=("hm",), prefill_ms=0.1).answer()) as server,
        engine_at() as (engine, listener),
    ):
        request = ask(server.url)
        last = finished(listener.last_of(engine.generate(request)))
    kinds = [type(told) for told in listener.of(request.id)]
    assert kinds == [PrefillProgress] * 4 + [TextDelta] * 4 + [GenerationFinished]
    deltas = [told for told in listener.of(request.id) if isinstance(told, TextDelta)]
    assert [(delta.text, delta.kind) for delta in deltas[:2]] == [
        ("hm", DeltaKind.REASONING),
        ("Hello", DeltaKind.ANSWER),
    ]
    assert last.text == "Hello there."
    assert last.usage.cached_tokens == 100
    assert last.timings.prefill_tokens == 40
    assert not last.timings.measured_at_client
    assert listener.threads == {"remote engine"}


def test_the_first_token_waits_for_the_prompt_and_not_for_the_rest() -> None:
    """What was waited for is measured here; the decode is the server's."""
    told, go_on = threading.Event(), threading.Event()

    def hold() -> None:
        told.set()
        assert go_on.wait(PATIENCE)

    with (
        ScriptedServer(Answer([event(said("a")), hold, event(said("b", "stop")), DONE])) as server,
        engine_at() as (engine, listener),
    ):
        request = engine.generate(ask(server.url))
        assert told.wait(PATIENCE)
        listener.wait_for(lambda event: isinstance(event, TextDelta))
        waited = time.perf_counter()
        go_on.set()
        timings = finished(listener.last_of(request)).timings
    assert timings.measured_at_client
    assert timings.ttft is not None
    assert timings.decode is not None
    delta = next(event for event in listener.events if isinstance(event, TextDelta))
    assert timings.ttft <= waited - (delta.first_token_at - timings.ttft)
    assert timings.total >= timings.ttft + timings.decode


def test_requests_run_side_by_side() -> None:
    with ScriptedServer(behave) as server, engine_at() as (engine, listener):
        waiting = engine.generate(ask(server.url, "silent"))
        assert finished(listener.last_of(engine.generate(ask(server.url, "plain")))).text == "Hello there"
        engine.cancel(waiting)
        assert finished(listener.last_of(waiting)).finish_reason is FinishReason.CANCELLED


@pytest.mark.parametrize("model", ["silent", "stalled", "endless"])
def test_cancel_closes_the_connection_at_once(model: str) -> None:
    """Before the first byte, and in mid-stream whether anything comes or not."""
    waits = []
    for _ in range(5):
        with ScriptedServer(behave) as server, engine_at() as (engine, listener):
            request = engine.generate(ask(server.url, model))
            assert server.asked.wait(PATIENCE)
            if model != "silent":
                listener.wait_for(lambda event: isinstance(event, TextDelta))
            began = time.perf_counter()
            engine.cancel(request)
            last = finished(listener.last_of(request))
            waits.append(time.perf_counter() - began)
            assert server.left.wait(PATIENCE), "the server still writes to nobody"
            assert last.finish_reason is FinishReason.CANCELLED
            assert last.text == "".join(event.text for event in listener.events if isinstance(event, TextDelta))
    assert sorted(waits)[2] <= 0.05


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a full queue refuses")
def test_cancel_does_not_wait_for_a_connection() -> None:
    with nobody_accepts() as url, engine_at() as (engine, listener):
        listener.last_of(engine.generate(ask("http://127.0.0.1:1/v1")))  # the thread is there, its imports done
        request = engine.generate(ask(url))
        began = time.perf_counter()
        engine.cancel(request)
        last = finished(listener.last_of(request))
        assert time.perf_counter() - began <= 1.0
    assert last.finish_reason is FinishReason.CANCELLED
    assert (last.text, last.usage.output_tokens) == ("", 0)


def test_cancel_of_what_has_ended_or_was_never_asked_is_nothing() -> None:
    with ScriptedServer(behave) as server, engine_at() as (engine, listener):
        request = ask(server.url, "plain")
        engine.cancel(request.id)
        engine.generate(request)
        listener.last_of(request.id)
        engine.cancel(request.id)
        listener.last_of(engine.generate(ask(server.url, "plain")))
    assert sum(isinstance(event, GenerationFinished) for event in listener.of(request.id)) == 1


def test_close_ends_all_that_runs_then_there_is_silence() -> None:
    with ScriptedServer(behave) as server, engine_at() as (engine, listener):
        requests = [engine.generate(ask(server.url, model)) for model in ("silent", "stalled", "endless", "plain")]
        engine.load(RemoteModel(server.url))
        listener.wait_for(lambda event: isinstance(event, TextDelta))
        engine.close()
        count = len(listener.events)
        for request in requests:
            listener.last_of(request)
        engine.close()
        engine.cancel(requests[0])
        with pytest.raises(EngineClosed):
            engine.generate(ask(server.url))
        with pytest.raises(EngineClosed):
            engine.load(RemoteModel(server.url))
        assert len(listener.events) == count


def test_close_from_its_own_thread_does_not_wait_for_itself() -> None:
    listener = Listener()

    def emit(event: Event | RemoteModelEvent) -> None:
        listener(event)
        if isinstance(event, TextDelta):
            engine.close()

    with ScriptedServer(behave) as server:
        engine = RemoteEngine(emit)
        last = finished(listener.last_of(engine.generate(ask(server.url, "endless"))))
        engine.close()
    assert last.finish_reason is FinishReason.CANCELLED


def test_load_tells_what_the_server_says_of_its_model_and_what_else_it_has() -> None:
    offer = models("one", "two", n_ctx=4096, n_ctx_train=8192, n_params=7, size=9)
    with ScriptedServer(plain("a"), offer) as server, engine_at() as (engine, listener):
        engine.load(RemoteModel(server.url, "two"))
        told = listener.wait_for(lambda event: isinstance(event, RemoteModelReady))
        config = RemoteModel(server.url, "two")
        assert told == RemoteModelReady(
            RemoteModelInfo(config, "two", "llama-server", 4096, 8192, 7, 9), ("one", "two")
        )
        engine.load(RemoteModel(server.url, "three"))
        failed = listener.wait_for(lambda event: isinstance(event, RemoteModelFailed))
        assert isinstance(failed, RemoteModelFailed)
        assert isinstance(failed.error, ModelNotOffered)
        assert failed.error.offered == ("one", "two")


def test_a_server_is_asked_once_what_it_has_and_again_after_a_failure() -> None:
    with ScriptedServer(behave, models("plain", "error")) as server, engine_at() as (engine, listener):
        for model in ("", "plain", "error", ""):
            listener.last_of(engine.generate(ask(server.url, model)))
        asked = [received.method for received in server.received]
    assert asked == ["GET", "POST", "POST", "POST", "GET", "POST"]


def test_a_request_for_a_model_file_is_for_another_engine() -> None:
    with engine_at() as (engine, _):
        with pytest.raises(InvalidRequest):
            engine.generate(GenerationRequest(ModelConfig(Path("a.gguf")), PROMPT))
        with pytest.raises(InvalidRequest):
            engine.load(ModelConfig(Path("a.gguf")))


def test_a_fault_of_our_own_fails_the_request_with_a_report_and_the_engine_goes_on() -> None:
    listener = Listener()

    def emit(told: Event | RemoteModelEvent) -> None:
        if isinstance(told, TextDelta):
            raise ZeroDivisionError("ours")
        listener(told)

    with ScriptedServer(behave) as server:
        engine = RemoteEngine(emit)
        failed = listener.last_of(engine.generate(ask(server.url, "plain")))
        assert isinstance(failed, GenerationFailed)
        assert isinstance(failed.error, EngineFault)
        assert "ZeroDivisionError" in failed.error.report
        assert isinstance(listener.last_of(engine.generate(ask(server.url, "page"))), GenerationFailed)
        engine.close()


steps = st.lists(
    st.one_of(
        st.tuples(st.just("ask"), st.sampled_from([*BEHAVIOURS, "nowhere"])),
        st.tuples(st.just("cancel"), st.integers(0, 20)),
        st.tuples(st.sampled_from(["load", "unload", "breathe"])),
    ),
    max_size=12,
)


@pytest.fixture(scope="module")
def scripted() -> Iterator[ScriptedServer]:
    with ScriptedServer(behave) as server:
        yield server


@given(steps, st.booleans())
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
def test_every_request_ends_exactly_once_and_its_events_come_in_order(
    scripted: ScriptedServer, script: list[tuple[object, ...]], patient: bool
) -> None:
    listener = Listener()
    engine = RemoteEngine(listener, patience=Patience(silence=0.2 if patient else 60.0))
    asked: list[RequestId] = []
    for step in script:
        _do(step, engine, listener, asked, scripted.url)
    if patient:
        for request in asked:
            engine.cancel(request)
            listener.last_of(request)
    engine.close()
    for request in asked:
        events = listener.of(request)
        ends = [event for event in events if isinstance(event, GenerationFinished | GenerationFailed)]
        assert len(ends) == 1
        assert events[-1] is ends[0]
        _check_order(events)
    assert listener.threads <= {"remote engine"}


def _do(step: tuple[object, ...], engine: RemoteEngine, listener: Listener, asked: list[RequestId], url: str) -> None:
    match step:
        case ("ask", "nowhere"):
            asked.append(engine.generate(ask("http://127.0.0.1:1/v1")))
        case ("ask", str() as model):
            asked.append(engine.generate(ask(url, model)))
        case ("cancel", int() as which) if asked:
            engine.cancel(asked[which % len(asked)])
        case ("load",):
            engine.load(RemoteModel(url))
        case ("unload",):
            engine.unload()
        case ("breathe",) if asked:
            engine.cancel(asked[-1])
            listener.last_of(asked[-1])
        case _:
            pass


def _check_order(events: list[Event | RemoteModelEvent]) -> None:
    kinds = [type(event) for event in events]
    assert kinds == sorted(kinds, key=[PrefillProgress, TextDelta, GenerationFinished, GenerationFailed].index)
    deltas = [event for event in events if isinstance(event, TextDelta)]
    counts = [delta.output_tokens for delta in deltas]
    assert counts == sorted(counts)
    last = events[-1]
    assert isinstance(last, GenerationFinished | GenerationFailed)
    assert last.text == "".join(delta.text for delta in deltas if delta.kind is DeltaKind.ANSWER)


NEVER_CLOSED = """
import inference
from tests.inference.remote.test_engine import ENDLESS
from tests.scripted_server import ScriptedServer
with ScriptedServer(ENDLESS) as server:
    client = inference.connect(server.url)
    for event in client.stream("Hi"):
        if isinstance(event, inference.TextDelta):
            break
    stream = client.stream("Hi")
    next(stream)
    print("left in mid-stream")
"""


def test_a_script_that_never_closes_its_client_exits_cleanly_in_mid_reply() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", NEVER_CLOSED], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "left in mid-stream\n", "")


def test_the_same_client_speaks_to_a_server() -> None:
    with (
        ScriptedServer(LlamaServer(prefill_ms=0.1).answer()) as server,
        inference.connect(server.url.removesuffix("/v1"), model="llama", api_key="sk-1") as client,
    ):
        response = client.generate("Hi", max_tokens=9, temperature=0, top_k=5, stop="x")
        assert (response.text, response.finish_reason) == ("Hello there.", FinishReason.STOP)
        assert response.usage.input_tokens == 140
        assert [event.text for event in client.stream("Hi") if isinstance(event, TextDelta)] == ["Hello", " there", "."]
        sent = server.chats[0]
    assert sent.path == "/v1/chat/completions"
    assert sent.headers["authorization"] == "Bearer sk-1"
    assert sent.body.items() >= {"model": "llama", "max_tokens": 9, "temperature": 0, "top_k": 5, "stop": ["x"]}.items()


def test_a_client_raises_what_fails_and_its_stream_tells_it() -> None:
    with inference.connect("http://127.0.0.1:1/v1") as client:
        with pytest.raises(NothingListens):
            client.generate("Hi")
        assert isinstance(list(client.stream("Hi"))[-1], GenerationFailed)


def test_a_conversation_is_sent_whole_each_time() -> None:
    said_before = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello"},
        {"role": "user", "content": "And?"},
    ]
    with ScriptedServer(plain("a")) as server, inference.connect(server.url) as client:
        client.generate(messages=said_before)
        assert server.chats[0].body["messages"] == said_before
        assert json.dumps(server.chats[0].body)

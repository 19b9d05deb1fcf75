"""The client: the same calls whichever engine answers, and nothing to close."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from inference.client import Client, Mailbox, _left_with, connect
from inference.configuration import ModelConfig, RemoteModel
from inference.errors import EngineClosed, InferenceError, InvalidRequest, ModelNotFound
from inference.events import FinishReason, GenerationFailed, GenerationFinished, TextDelta
from inference.local_engine import LocalEngine
from inference.messages import Message, Role
from inference.remote import RemoteEngine
from tests.fakes import Script, ScriptedLoader, config
from tests.gguf_files import write_tiny_model
from tests.inference.listening import PATIENCE


def client_of(script: Script | None = None) -> tuple[Client, ScriptedLoader]:
    mailbox, loader = Mailbox(), ScriptedLoader(script)
    return Client(config(), LocalEngine(mailbox.post, loader=loader), mailbox), loader


@pytest.fixture
def client() -> Iterator[Client]:
    with client_of()[0] as client:
        yield client


def test_generate_gives_text_and_usage(client: Client) -> None:
    response = client.generate(prompt="Hi", max_tokens=50)
    assert response.text == "Hello there."
    assert response.usage.output_tokens == 4
    assert response.finish_reason is FinishReason.STOP
    assert response.timings.ttft is not None


def test_a_prompt_is_one_user_message(client: Client) -> None:
    by_prompt = client.generate("Hi")
    by_message = client.generate(messages=[{"role": "user", "content": "Hi"}])
    assert by_prompt.usage.input_tokens == by_message.usage.input_tokens


def test_stream_yields_the_same_text_piece_by_piece(client: Client) -> None:
    events = list(client.stream("Hi"))
    assert [event.text for event in events if isinstance(event, TextDelta)] == ["Hello", " there", "."]
    assert isinstance(events[-1], GenerationFinished)


def test_reasoning_comes_apart_and_can_be_switched_off_where_the_template_knows_how() -> None:
    template = "{{ messages[-1].content }}{{ '<think></think>' if enable_thinking is false else '<think>' }}"
    client, _ = client_of(Script(replies=(("Why?", "</think>", "So."), ("So.",)), template=template))
    with client:
        thought = client.generate("Hi")
        assert (thought.reasoning, thought.text, thought.usage.reasoning_tokens) == ("Why?", "So.", 2)
        plain = client.generate("Hi", thinking=False)
        assert (plain.reasoning, plain.text, plain.usage.reasoning_tokens) == ("", "So.", 0)


def test_leaving_a_stream_cancels_it_and_the_next_call_is_answered() -> None:
    client, _ = client_of(Script(endless=True, replies=(("a",),), context_size=10**6))
    with client:
        for event in client.stream("Hi"):
            if isinstance(event, TextDelta):
                break
        assert client.generate("Hi", max_tokens=3).usage.output_tokens == 3


def test_a_call_that_continues_a_conversation_reuses_its_cache_by_itself() -> None:
    client, loader = client_of(Script(replies=(("Hel", "lo"),)))
    with client:
        first = client.generate("Hi")
        held = len(loader.models[0].tokens)
        second = client.generate(
            messages=[
                {"role": "user", "content": "Hi"},
                {"role": "assistant", "content": first.text},
                {"role": "user", "content": "And?"},
            ]
        )
    assert second.usage.cached_tokens == held


def test_a_reply_at_the_end_of_the_messages_is_gone_on_with() -> None:
    client, _ = client_of(Script(replies=(("one ", "two "), ("three",))))
    with client:
        begun = client.generate("count", max_tokens=2)
        said = [{"role": "user", "content": "count"}, {"role": "assistant", "content": begun.text}]
        assert client.generate(messages=said).text == "three"


def test_a_stop_string_may_be_given_alone(client: Client) -> None:
    assert client.generate("Hi", stop=" there").text == "Hello"


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"prompt": "Hi", "messages": [Message(Role.USER, "Hi")]},
        {"messages": []},
        {"messages": [{"role": "wizard", "content": "Hi"}]},
        {"messages": [{"role": "user"}]},
        {"messages": [Message(Role.ASSISTANT, "Hi")]},
        {"prompt": "Hi", "max_tokens": 0},
        {"prompt": "Hi", "temperature": -1.0},
        {"prompt": "Hi", "temperature": float("nan")},
        {"prompt": "Hi", "top_p": 1.5},
        {"prompt": "Hi", "stop": [""]},
        {"prompt": "Hi", "seed": -1},
        {"prompt": 5},
        {"prompt": b"Hi"},
        {"prompt": "Hi", "max_tokens": 1.5},
        {"prompt": "Hi", "max_tokens": "5"},
        {"prompt": "Hi", "top_k": 1.5},
        {"prompt": "Hi", "seed": 1.5},
        {"prompt": "Hi", "stop": [1]},
        {"prompt": "Hi", "stop": b"x"},
        {"prompt": "Hi", "stop": None},
        {"prompt": "Hi", "temperature": "warm"},
        {"prompt": "Hi", "temperature": 10**400},
        {"prompt": "Hi", "top_p": [0.5]},
        {"prompt": "Hi", "top_k": "many"},
        {"prompt": "Hi", "logit_bias": [5]},
        {"prompt": "Hi", "logit_bias": {5: "much"}},
        {"prompt": "Hi", "logit_bias": {5: None}},
        {"prompt": "Hi", "grammar": 5},
        {"prompt": "Hi", "grammar": b'root ::= "a"'},
        {"messages": "Hi"},
        {"messages": ["Hi"]},
        {"messages": [None]},
        {"messages": {"role": "user", "content": "Hi"}},
    ],
)
def test_a_request_that_makes_no_sense_is_refused_at_once(client: Client, wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidRequest):
        client.stream(**wrong)  # type: ignore[arg-type]  # wrong on purpose


def test_what_fails_is_raised_by_generate_and_told_by_the_last_event_of_stream() -> None:
    with client_of(Script(context_size=16))[0] as client:
        with pytest.raises(InferenceError, match="the window holds 16"):
            client.generate("x" * 100)
        assert isinstance(list(client.stream("x" * 100))[-1], GenerationFailed)


def test_a_file_that_is_not_there_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(ModelNotFound):
        connect(ModelConfig(tmp_path / "none.gguf"))


@pytest.mark.parametrize(
    "path", ["none.gguf", "~nobody-of-this-name/a.gguf", "x" * 5000, "a\0b", "a\udc80b", "none/a.gguf"]
)
def test_a_path_that_leads_nowhere_is_a_model_that_is_not_there(path: str) -> None:
    with pytest.raises(ModelNotFound):
        connect(path)


def test_streams_forgotten_half_way_are_closed_wherever_the_garbage_collector_runs() -> None:
    client = client_of(Script(endless=True, replies=(("a",),), context_size=10**9))[0]
    before = gc.get_threshold()
    gc.set_threshold(1)
    try:
        with client:
            for _ in range(20):
                stream = client.stream("Hi")
                next(stream)
                loop: list[object] = [stream]
                loop.append(loop)
                del stream, loop
                assert client.generate("Hi", max_tokens=2).text == "aa"
    finally:
        gc.set_threshold(*before)


def test_several_threads_may_ask_at_once_and_each_gets_its_own_reply() -> None:
    client = client_of(Script(endless=True, replies=(("a",),), context_size=10**9))[0]
    with client, ThreadPoolExecutor(8) as threads:
        replies = threads.map(lambda length: client.generate("Hi", max_tokens=length).text, range(1, 41))
        assert list(replies) == ["a" * length for length in range(1, 41)]


@pytest.mark.parametrize(
    ("source", "more"),
    [
        ("http://127.0.0.1:8080/v1", {"context_size": 1024}),
        ("http://127.0.0.1:8080/v1", {"threads": 1}),
        ("http://127.0.0.1:8080/v1", {"device": "CPU"}),
        ("http://127.0.0.1:8080/v1", {"kv_type": "q8_0"}),
        (None, {"kv_type": "q3"}),
        ("http://127.0.0.1:8080/v1", {"model": Path("a.gguf")}),
        ("http://me:secret@127.0.0.1:8080/v1", {}),
        ("a.gguf", {"api_key": "sk-1"}),
        ("a.gguf", {"model": "llama"}),
    ],
)
def test_what_only_files_or_only_servers_have_is_refused_with_the_other(source: str, more: dict[str, object]) -> None:
    with pytest.raises(InvalidRequest):
        connect(source, **more)  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.parametrize("words", [("http://127.0.0.1:8080",), ()], ids=["first word", "by name"])
def test_an_address_makes_a_client_of_a_server(words: tuple[str, ...]) -> None:
    with connect(*words) if words else connect(model="http://127.0.0.1:8080") as client:
        assert client.model == RemoteModel("http://127.0.0.1:8080/v1")
    with connect("http://127.0.0.1:8080", model="llama", api_key="sk-1") as client:
        assert client.model == RemoteModel("http://127.0.0.1:8080/v1", "llama")


def running() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name in ("engine", "remote engine")}


@pytest.mark.parametrize("source", ["file", "server"])
@pytest.mark.parametrize("asked", [False, True])
@pytest.mark.parametrize("in_a_cycle", [False, True])
def test_a_client_that_nobody_has_any_more_leaves_no_thread_and_no_model(
    tmp_path: Path, source: str, asked: bool, in_a_cycle: bool
) -> None:
    before = running()
    if source == "file":
        client = connect(write_tiny_model(tmp_path / "tiny.gguf"), threads=1)
    else:
        client = connect("http://127.0.0.1:9/v1", model="none")
    if asked:
        with suppress(InferenceError):
            client.generate("Hi", max_tokens=2)
    if in_a_cycle:
        client.itself = client  # type: ignore[attr-defined]  # whatever a caller hangs on to it
    engine, (thread,) = weakref.ref(client._engine), running() - before
    del client
    gc.collect()
    thread.join(PATIENCE)
    assert not thread.is_alive()
    gc.collect()
    assert engine() is None


def test_a_stream_keeps_the_client_it_is_read_from(tmp_path: Path) -> None:
    path = write_tiny_model(tmp_path / "tiny.gguf")
    events = list(connect(path, threads=1).stream("Hi", max_tokens=5))
    assert isinstance(events[-1], GenerationFinished)
    assert events[-1].finish_reason is not FinishReason.CANCELLED


def test_a_client_may_be_collected_on_the_engines_own_thread_in_the_middle_of_an_event() -> None:
    class Collecting(Mailbox):
        def post(self, event: object) -> None:
            clients.clear()
            gc.collect()
            super().post(event)  # type: ignore[arg-type]  # whatever comes

    wanted: list[tuple[type[LocalEngine] | type[RemoteEngine], ModelConfig | RemoteModel]] = [
        (LocalEngine, config("gone")),
        (RemoteEngine, RemoteModel("http://127.0.0.1:9/v1", "none")),
    ]
    for engine_of, model in wanted:
        mailbox = Collecting()
        engine = engine_of(mailbox.post)
        clients = [Client(model, engine, mailbox)]
        _left_with(clients[0], engine)
        engine.load(model)  # type: ignore[arg-type]  # each its own kind
        engine._worker.wait(PATIENCE)
        with pytest.raises(EngineClosed):
            engine.load(model)  # type: ignore[arg-type]  # each its own kind
        engine.close()


INTERRUPTED = """
import os, signal
from inference.client import Client, Mailbox
from inference.local_engine import LocalEngine
from inference.events import TextDelta
from tests.fakes import Script, ScriptedLoader, config
mailbox = Mailbox()
script = Script(endless=True, replies=(("a",),), context_size=10**9)
client = Client(config(), LocalEngine(mailbox.post, loader=ScriptedLoader(script)), mailbox)
try:
    for event in client.stream("Hi"):
        if isinstance(event, TextDelta):
            os.kill(os.getpid(), signal.SIGINT)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_ctrl_c_in_mid_stream_of_a_client_never_closed_exits_cleanly() -> None:
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "interrupted\n", "")


@pytest.mark.model
def test_the_embedded_model_answers_through_the_public_face() -> None:
    import inference

    with inference.connect() as client:
        first = client.generate(prompt="What is the capital of Japan?", max_tokens=24, temperature=0)
        assert "Tokyo" in first.text
        again = client.generate(prompt="What is the capital of Japan?", max_tokens=24, temperature=0)
        assert again.text == first.text
        assert again.usage.cached_tokens == first.usage.input_tokens, "the logits of the prompt's end were kept"
        follow_up = client.generate(
            messages=[
                Message(Role.USER, "What is the capital of Japan?"),
                Message(Role.ASSISTANT, again.text),
                Message(Role.USER, "And of Italy?"),
            ],
            max_tokens=24,
            temperature=0,
        )
    assert (follow_up.usage.cached_tokens or 0) >= again.usage.input_tokens + again.usage.output_tokens - 2
    assert follow_up.timings.prefill_tokens == follow_up.usage.input_tokens - (follow_up.usage.cached_tokens or 0)


@pytest.mark.model
def test_a_client_holds_an_answer_to_a_schema_and_drafts_where_the_text_repeats_itself() -> None:
    schema = '{"type": "array", "items": {"type": "integer"}, "minItems": 3, "maxItems": 3}'
    repeated = "Repeat exactly: " + "the cat sat on the mat and the dog lay on the rug; " * 4
    with connect(threads=1) as client:
        held = client.generate(prompt="Three numbers.", json_schema=schema, temperature=0, max_tokens=64)
        numbers = json.loads(held.text)
        assert len(numbers) == 3
        assert all(isinstance(number, int) for number in numbers)
        drafted = client.generate(prompt=repeated, speculation=True, temperature=0, max_tokens=80)
        assert 0 < drafted.trace.accepted_tokens <= drafted.trace.drafted_tokens
        assert drafted.usage.output_tokens == len(drafted.trace.token_ids)
        plain = client.generate(prompt=repeated, temperature=0, max_tokens=80)
        assert plain.trace.drafted_tokens == 0

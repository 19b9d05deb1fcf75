"""A real server of somebody else's: the one that comes with llama-cpp-python, with the embedded model."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

import inference
from inference import Client, FinishReason, KeyRefused, ReplyBroken, TextDelta

KEY = "sk-loopback"
FRANCE = "What is the capital of France?"

pytestmark = [pytest.mark.model, pytest.mark.timeout(120)]


@contextmanager
def running_server() -> Iterator[str]:
    model = inference.embedded_model()
    assert model is not None
    options = {"model": model, "host": "127.0.0.1", "port": 0, "api_key": KEY, "chat_format": "chatml", "n_ctx": 1024}
    threads = {"n_threads": 1, "n_threads_batch": 1}
    words = [word for name, value in (options | threads).items() for word in (f"--{name}", str(value))]
    with subprocess.Popen(
        [sys.executable, "-m", "llama_cpp.server", *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stderr is not None
            address = next(found[0] for line in process.stderr if (found := re.search(r"http://[\d.]+:\d+", line)))
            # Its log goes on; nobody reading it would stop the server.
            threading.Thread(target=process.stderr.read, daemon=True).start()
            yield address
        finally:
            process.terminate()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with running_server() as found:
        yield found


@pytest.fixture
def client(address: str) -> Iterator[Client]:
    with inference.connect(address, api_key=KEY) as client:
        yield client


def test_it_answers_through_the_same_client(client: Client) -> None:
    response = client.generate(FRANCE, max_tokens=24, temperature=0)
    assert "Paris" in response.text
    again = client.generate(FRANCE, max_tokens=24, temperature=0)
    assert again.text == response.text
    timings = again.timings
    # It counts no tokens in a stream, so that there is no rate; what was waited for is measured.
    assert timings.measured_at_client
    assert (again.usage.output_tokens, again.usage.cached_tokens, timings.decode_rate) == (0, None, None)
    assert timings.ttft is not None
    assert timings.decode is not None
    assert 0 < timings.ttft + timings.decode <= timings.total


def test_it_streams_and_is_told_apart_from_a_reply_that_ended_by_itself(client: Client) -> None:
    events = list(client.stream("Write a story about a river.", max_tokens=8, temperature=0))
    last = events[-1]
    assert isinstance(last, inference.GenerationFinished)
    assert last.text == "".join(event.text for event in events if isinstance(event, TextDelta))
    assert sum(isinstance(event, TextDelta) for event in events) > 2
    # Without a count of tokens, the limit that was asked for is the one that was reached.
    assert last.finish_reason is FinishReason.LENGTH
    assert client.generate(FRANCE, temperature=0, stop="Paris").finish_reason is FinishReason.STOP


def test_it_says_the_same_as_the_model_on_this_machine(client: Client) -> None:
    with inference.connect(context_size=1024, threads=1) as here:
        near = here.generate(messages=[{"role": "system", "content": "Be brief."}, {"role": "user", "content": FRANCE}],
                             max_tokens=16, temperature=0, repeat_penalty=1.0)  # fmt: skip
    far = client.generate(messages=[{"role": "system", "content": "Be brief."}, {"role": "user", "content": FRANCE}],
                          max_tokens=16, temperature=0, repeat_penalty=1.0)  # fmt: skip
    assert far.text.strip() == near.text.strip()


def test_leaving_a_stream_frees_the_server_for_the_next(client: Client) -> None:
    for event in client.stream("Write a very long story about a river.", temperature=0):
        if isinstance(event, TextDelta):
            break
    began = time.perf_counter()
    assert "Paris" in client.generate(FRANCE, max_tokens=24, temperature=0).text
    assert time.perf_counter() - began < 5, "the first reply was written to its end, for nobody"


def test_it_wants_its_key(address: str) -> None:
    for key in (None, "sk-wrong"):
        with inference.connect(address, api_key=key) as client, pytest.raises(KeyRefused):
            client.generate(FRANCE)


def test_a_prompt_too_long_for_it_breaks_the_reply_off(client: Client) -> None:
    """It has begun its stream by then, and ends it without a word."""
    with pytest.raises(ReplyBroken):
        client.generate("word " * 2000)


def test_a_terminal_reaches_it_too(address: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "inference", "--model", address, "--max-tokens", "24", "--temperature", "0", FRANCE],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        env=os.environ | {"HEADWATER_API_KEY": KEY},
    )
    assert (done.returncode, "Paris" in done.stdout) == (0, True), done.stderr
    assert "first token" in done.stderr
    assert KEY not in done.stdout + done.stderr

"""Whoever wants to write into a model's file while a reply is read from it waits, and nobody dies of it."""

from __future__ import annotations

import queue
import subprocess
import sys
from pathlib import Path

import pytest

from inference import (
    GenerationFailed,
    GenerationFinished,
    GenerationRequest,
    LocalEngine,
    Message,
    ModelChanged,
    ModelConfig,
    ModelError,
    Role,
    Sampling,
    TextDelta,
)
from inference.events import Event
from inference.file_guard import FileGuard
from tests.gguf_files import write_tiny_model

CUT = "import os, sys; os.truncate(sys.argv[1], 1000)"
WRITE = "import sys; open(sys.argv[1], 'r+b').close()"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "model.gguf"
    path.write_bytes(bytes(10_000))
    with FileGuard([path]) as guard:
        if not guard.is_held:
            pytest.skip("this file system, or this system, gives no leases")
    return path


def another(program: str, path: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", program, str(path)])


@pytest.mark.parametrize("program", [CUT, WRITE])
def test_who_wants_to_write_waits_until_the_guard_goes(file, program):
    with FileGuard([file]) as guard:
        assert [guard.is_wanted] == [False]
        with another(program, file) as writer:
            while not guard.is_wanted:
                assert writer.poll() is None, "it did not wait"
            assert file.stat().st_size == 10_000
            guard.close()
            assert writer.wait() == 0
    assert file.stat().st_size == (1_000 if program == CUT else 10_000)


def test_who_reads_does_not_wait(file):
    with FileGuard([file]) as guard:
        assert len(file.read_bytes()) == 10_000
        assert not guard.is_wanted


def test_a_file_that_somebody_writes_into_already_is_not_guarded(file):
    with file.open("r+b"), FileGuard([file]) as guard:
        assert not guard.is_held
        assert not guard.is_wanted


def test_what_is_not_there_is_not_guarded(tmp_path):
    with FileGuard([tmp_path / "gone.gguf"]) as guard:
        assert not guard.is_held


@pytest.mark.usefixtures("file")
def test_a_file_that_is_cut_short_in_the_middle_of_a_reply_ends_the_reply_and_nothing_else(tmp_path):
    path = write_tiny_model(tmp_path / "tiny.gguf", context_length=4096)
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()
    engine = LocalEngine(events.put)
    try:
        config = ModelConfig(path, threads=1, context_size=4096)
        greedy = Sampling(temperature=0.0)
        request = GenerationRequest(config, (Message(Role.USER, "Hi"),), sampling=greedy, stop=(), max_tokens=4000)
        engine.generate(request)
        cutter = None
        for event in iter(events.get, None):
            if isinstance(event, TextDelta) and cutter is None:
                cutter = another(CUT, path)
            if isinstance(event, GenerationFinished | GenerationFailed):
                break
        assert cutter is not None
        assert isinstance(event, GenerationFailed)
        assert isinstance(event.error, ModelChanged)
        assert event.text
        assert cutter.wait() == 0
        engine.generate(GenerationRequest(config, (Message(Role.USER, "Hi"),)))
        failed = next(event for event in iter(events.get, None) if isinstance(event, GenerationFailed))
        assert isinstance(failed.error, ModelError)
    finally:
        engine.close()

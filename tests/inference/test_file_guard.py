"""Whoever wants to write into a model's file while a reply is read from it waits, and nobody dies of it."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from inference import (
    GenerationFailed,
    GenerationFinished,
    GenerationRequest,
    JobFailed,
    JobFinished,
    JobId,
    JobProgress,
    LocalEngine,
    Message,
    ModelChanged,
    ModelConfig,
    ModelError,
    ModelFailed,
    ModelLoading,
    ModelOnLoan,
    ModelUnloaded,
    Role,
    Sampling,
    TextDelta,
    new_job_id,
)
from inference.events import Event
from inference.file_guard import FileGuard
from inference.jobs import JobSteps
from tests.gguf_files import write_tiny_model

CUT = "import os, sys; os.truncate(sys.argv[1], 1000)"
HI = (Message(Role.USER, "Hi"),)
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


def cutting(path: Path) -> subprocess.Popen[bytes]:
    """A program that waits to cut the file short; the engine guards it too."""
    with FileGuard([path]) as guard:
        cutter = another(CUT, path)
        while not guard.is_wanted:
            assert cutter.poll() is None, "it did not wait"
    return cutter


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


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes in folders")
def test_a_pipe_that_nobody_writes_into_is_not_waited_for(tmp_path):
    path = tmp_path / "pipe.gguf"
    os.mkfifo(path)
    with FileGuard([path]) as guard:
        assert not guard.is_held
    # Nor by whoever asks the engine for it.
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()
    engine = LocalEngine(events.put)
    engine.load(ModelConfig(path))
    seen = [events.get(timeout=60)]
    while not isinstance(seen[-1], ModelFailed):
        seen.append(events.get(timeout=60))
    engine.close()
    assert "This is no file." in str(seen[-1].error)


@pytest.mark.usefixtures("file")
def test_a_file_that_is_cut_short_in_the_middle_of_a_reply_ends_the_reply_and_nothing_else(tmp_path):
    path = write_tiny_model(tmp_path / "tiny.gguf", context_length=4096)
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()
    cutters: list[subprocess.Popen[bytes]] = []

    def emit(event: Event) -> None:
        events.put(event)
        if isinstance(event, TextDelta) and not cutters:
            cutters.append(cutting(path))

    engine = LocalEngine(emit)
    try:
        config = ModelConfig(path, threads=1, context_size=4096)
        engine.generate(GenerationRequest(config, HI, Sampling(temperature=0.0), max_tokens=4000))
        event = next(
            event for event in iter(events.get, None) if isinstance(event, GenerationFinished | GenerationFailed)
        )
        assert isinstance(event, GenerationFailed)
        assert isinstance(event.error, ModelChanged)
        assert event.text
        assert cutters[0].wait() == 0
        assert next(event for event in iter(events.get, None)) == ModelUnloaded(config)
        engine.generate(GenerationRequest(config, HI))
        failed = next(event for event in iter(events.get, None) if isinstance(event, GenerationFailed))
        assert isinstance(failed.error, ModelError)
    finally:
        engine.close()


@dataclass(frozen=True, slots=True)
class Long:
    """Uses the model in one of the ways a job can, until it is ended."""

    model: ModelConfig
    use: str
    told: Callable[[], None]
    id: JobId = field(default_factory=new_job_id)

    def steps(self, loan: ModelOnLoan) -> JobSteps:
        yield JobProgress(self.id, 0.0, "begins")
        self.told()
        request = GenerationRequest(self.model, HI, Sampling(temperature=0.0), max_tokens=4000)
        if self.use == "by itself":
            while not loan.is_stopped:
                loan.hold(None)
                loan.model.evaluate([5, 6, 7])
            return "what there is by then"
        for event in loan.answer(request):
            if self.use == "hands on":
                yield event
            if isinstance(event, GenerationFailed):
                raise event.error
        return "all of it"


@pytest.mark.usefixtures("file")
@pytest.mark.parametrize("use", ["hands on", "keeps", "by itself"])
def test_a_file_that_is_cut_short_in_the_middle_of_a_job_ends_the_job_and_nothing_else(tmp_path, use):
    path = write_tiny_model(tmp_path / "tiny.gguf", context_length=4096)
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()
    cutters: list[subprocess.Popen[bytes]] = []
    engine = LocalEngine(events.put)
    try:
        config = ModelConfig(path, threads=1, context_size=4096)
        engine.run(Long(config, use, lambda: cutters.append(cutting(path))))
        failed = next(event for event in iter(events.get, None) if isinstance(event, JobFinished | JobFailed))
        assert isinstance(failed, JobFailed)
        assert isinstance(failed.error, ModelChanged)
        assert cutters[0].wait() == 0
        assert next(event for event in iter(events.get, None)) == ModelUnloaded(config)
        engine.generate(GenerationRequest(config, HI))
        refused = next(event for event in iter(events.get, None) if isinstance(event, GenerationFailed))
        assert isinstance(refused.error, ModelError)
    finally:
        engine.close()


@pytest.mark.usefixtures("file")
def test_a_file_that_is_cut_short_while_it_loads_is_not_loaded(tmp_path):
    path = write_tiny_model(tmp_path / "tiny.gguf")
    events: list[Event] = []
    cutters: list[subprocess.Popen[bytes]] = []
    failed = threading.Event()

    def emit(event: Event) -> None:
        events.append(event)
        if isinstance(event, ModelLoading) and event.fraction and not cutters:
            cutters.append(cutting(path))
        if isinstance(event, GenerationFailed):
            failed.set()

    engine = LocalEngine(emit)
    try:
        engine.generate(GenerationRequest(ModelConfig(path, threads=1), HI))
        assert failed.wait(10)
        assert cutters[0].wait() == 0
        assert [event.error for event in events if isinstance(event, ModelFailed)]
        assert all(isinstance(event.error, ModelChanged) for event in events if isinstance(event, GenerationFailed))
    finally:
        engine.close()

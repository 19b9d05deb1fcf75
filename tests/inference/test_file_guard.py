"""Whoever wants to write into a model's file while a reply is read from it waits, and nobody dies of it."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from inference import (
    FinishReason,
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
    ModelReady,
    ModelUnloaded,
    RequestId,
    Role,
    Sampling,
    TextDelta,
    Timings,
    Trace,
    Usage,
    new_job_id,
)
from inference.events import Event
from inference.file_guard import FileGuard
from inference.jobs import JobSteps, unless_changed
from inference.model import Model, StopFlag
from tests.fakes import Script, ScriptedLoader
from tests.gguf_files import write_tiny_model

CUT = "import os, sys; os.truncate(sys.argv[1], 1000)"
HI = (Message(Role.USER, "Hi"),)
PATIENCE = 30.0  # seconds; only what is broken takes them
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


class HeldUp(ScriptedLoader):
    """Loads a model whose first batch has its file cut short and takes until the stop flag is raised."""

    def __init__(self, path: Path) -> None:
        super().__init__(Script(during_evaluate=self._read))
        self.cutters: list[subprocess.Popen[bytes]] = []
        self._path = path

    def __call__(self, config: ModelConfig, stop_flag: StopFlag, progress: Callable[[float], None]) -> Model:
        self._stop_flag = stop_flag
        return super().__call__(config, stop_flag, progress)

    def _read(self, _token: int) -> None:
        if not self.cutters:
            self.cutters.append(cutting(self._path))
            end = time.monotonic() + PATIENCE
            while not self._stop_flag.is_set():
                assert time.monotonic() < end, "nothing was stopped"


@pytest.mark.parametrize("asked", ["a reply", "a job"])
def test_a_batch_that_takes_longer_than_anybody_waits_is_ended_in_its_middle(file, asked):
    """The kernel has whoever wants to write wait for so long and no longer."""
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()
    loader = HeldUp(file)
    engine = LocalEngine(events.put, loader=loader)
    try:
        config = ModelConfig(file)
        if asked == "a job":
            engine.run(Long(config, "keeps", lambda: None))
        else:
            engine.generate(GenerationRequest(config, HI))
        ends = GenerationFinished | GenerationFailed | JobFinished | JobFailed
        ended = next(event for event in iter(events.get, None) if isinstance(event, ends))
        assert isinstance(ended, GenerationFailed | JobFailed), ended
        assert isinstance(ended.error, ModelChanged)
        assert loader.cutters[0].wait() == 0
        assert next(event for event in iter(events.get, None)) == ModelUnloaded(config)
        assert loader.models[0].closed
    finally:
        engine.close()


def test_a_reply_that_ended_by_itself_is_whole_whoever_waits(tmp_path):
    end = GenerationFinished(RequestId("1"), "Hi", FinishReason.STOP, "small", Usage(1, 0, 1), Timings(0, 0), Trace())
    with FileGuard([]) as guard:
        guard.has_stopped = True
        assert list(unless_changed((event for event in (end,)), guard, tmp_path)) == [end]


@pytest.mark.parametrize("is_held", [True, False])
def test_a_guard_leaves_a_flag_alone_that_nobody_needs(file, is_held):
    flag, threads = StopFlag(), threading.active_count()
    with FileGuard([file] if is_held else []) as guard, guard.stopping(flag):
        assert threading.active_count() == threads + is_held
    assert threading.active_count() == threads
    assert not flag.is_set()
    assert not guard.has_stopped


class CutAtTheEnd(ScriptedLoader):
    """Has its file cut short when all of its progress was told."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.cutters: list[subprocess.Popen[bytes]] = []
        self._path = path

    def __call__(self, config: ModelConfig, stop_flag: StopFlag, progress: Callable[[float], None]) -> Model:
        model = super().__call__(config, stop_flag, progress)
        self.cutters.append(cutting(self._path))
        return model


def test_a_file_that_is_cut_short_at_the_very_end_of_its_load_is_let_go_of(file):
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()
    loader = CutAtTheEnd(file)
    engine = LocalEngine(events.put, loader=loader)
    try:
        engine.generate(GenerationRequest(ModelConfig(file), HI))
        failed = next(event for event in iter(events.get, None) if isinstance(event, GenerationFailed))
        assert isinstance(failed.error, ModelChanged)
        assert loader.cutters[0].wait() == 0
        assert loader.models[0].closed
        assert loader.models[0].read == []
    finally:
        engine.close()


def test_a_file_that_is_cut_short_as_soon_as_its_load_let_go_of_it_is_not_looked_into(file):
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()
    loader = ScriptedLoader()

    def emit(event: Event) -> None:
        if isinstance(event, ModelReady):
            os.truncate(file, file.stat().st_size // 2)
        events.put(event)

    engine = LocalEngine(emit, loader=loader)
    try:
        config = ModelConfig(file)
        engine.generate(GenerationRequest(config, HI))
        failed = next(event for event in iter(events.get, None) if isinstance(event, GenerationFailed))
        assert isinstance(failed.error, ModelChanged)
        assert events.get(timeout=PATIENCE) == ModelUnloaded(config)
        assert loader.models[0].read == []
        engine.run(Long(config, "keeps", lambda: None))
        refused = next(event for event in iter(events.get, None) if isinstance(event, JobFinished | JobFailed))
        assert isinstance(refused, JobFailed)
        assert isinstance(refused.error, ModelChanged)
    finally:
        engine.close()


@pytest.mark.parametrize("number", [1, 2])
def test_a_part_that_was_cut_short_while_nobody_asked_has_the_model_loaded_anew(tmp_path, number):
    parts = [tmp_path / f"model-0000{each}-of-00002.gguf" for each in (1, 2)]
    for part in parts:
        part.write_bytes(bytes(10_000))
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()
    loader = ScriptedLoader()
    engine = LocalEngine(events.put, loader=loader)
    try:
        for asked in (1, 1, 2):
            if asked == 2:
                os.truncate(parts[number - 1], 1_000)
            engine.generate(GenerationRequest(ModelConfig(parts[0]), HI))
            while not isinstance(event := events.get(timeout=PATIENCE), GenerationFinished):
                assert not isinstance(event, GenerationFailed)
            assert len(loader.models) == asked
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

import json
import queue
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from inference.configuration import EngineFiles, KvType, ModelConfig
from inference.errors import DeviceNotFound, ModelCrashed, ModelUnreadable, ModelUnsupported
from inference.events import Event, FinishReason, GenerationFinished, ModelFailed, ModelReady
from inference.gguf_header import GgufFacts
from inference.loading import LocalLoader, list_devices
from inference.local_engine import LocalEngine
from inference.machine import DeviceKind
from inference.measurements import Measurements, file_key
from inference.memory import forecast
from inference.messages import Message, Role
from inference.model import Loader, LoadStopped, StopFlag
from inference.model_names import embedded_model
from inference.requests import GenerationRequest
from tests.gguf_files import real_model, write_tiny_model


class Trials:
    """Stands in for the child process: remembers what was tried, and comes to harm where it is told to."""

    def __init__(self, failure: Exception | None = None) -> None:
        self.tried: list[ModelConfig] = []
        self.failure = failure

    def __call__(
        self, config: ModelConfig, facts: GgufFacts, stop_flag: StopFlag, progress: Callable[[float], None]
    ) -> None:
        self.tried.append(config)
        progress(0.5)
        if self.failure is not None:
            raise self.failure


class Machine:
    """What a machine remembers from one start of the program to the next."""

    def __init__(self, folder: Path) -> None:
        self.files = EngineFiles(folder / "machine.json", folder / "llama.log")
        self.trials = Trials()

    def load(self, path: Path, **wishes: object) -> list[float]:
        """Start the program, load a file, end; returns the progress that was shown."""
        fractions: list[float] = []
        loader: Loader = LocalLoader(self.files, Measurements(self.files.measurements), self.trials)
        config = ModelConfig(path, threads=1, **wishes)  # type: ignore[arg-type]  # what a test wishes
        loader(config, StopFlag(), fractions.append).close()
        return fractions

    def knows(self, path: Path) -> bool:
        return bool(Measurements(self.files.measurements).of(file_key(path)).known)


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path / "data")


@pytest.fixture
def tiny(tmp_path):
    return write_tiny_model(tmp_path / "tiny.gguf")


def test_a_file_is_tried_once_and_then_known(machine, tiny):
    shown = machine.load(tiny)
    assert [config.path for config in machine.trials.tried] == [tiny]
    assert shown == sorted(shown)
    assert shown[0] == pytest.approx(0.4), "the trial is a part of the load"
    assert shown[-1] == pytest.approx(1.0)
    again = machine.load(tiny)
    assert len(machine.trials.tried) == 1
    assert again[0] < 0.4


def test_another_window_does_not_make_a_file_unknown_but_another_device_does(machine, tiny):
    machine.load(tiny)
    machine.load(tiny, context_size=256)
    assert len(machine.trials.tried) == 1
    machine.load(tiny, device="CPU")
    assert len(machine.trials.tried) == 2


def test_a_file_that_was_written_anew_is_tried_again(machine, tiny):
    machine.load(tiny)
    write_tiny_model(tiny, block_count=3)
    machine.load(tiny)
    assert len(machine.trials.tried) == 2


def test_a_file_that_killed_its_trial_is_not_loaded_and_not_known(machine, tiny):
    machine.trials.failure = ModelCrashed(tiny, "it crashed", ("GGML_ASSERT failed",), 512)
    with pytest.raises(ModelCrashed):
        machine.load(tiny)
    assert not machine.knows(tiny)
    machine.trials.failure = None
    machine.load(tiny)
    assert machine.knows(tiny)


def test_a_stopped_trial_leaves_nothing_known(machine, tiny):
    machine.trials.failure = LoadStopped()
    with pytest.raises(LoadStopped):
        machine.load(tiny)
    assert not machine.knows(tiny)


def test_while_a_known_file_is_loaded_it_counts_as_not_known(machine, tiny):
    machine.load(tiny)
    seen: list[bool] = []
    loader = LocalLoader(machine.files, Measurements(machine.files.measurements), machine.trials)
    loader(ModelConfig(tiny, threads=1), StopFlag(), lambda _fraction: seen.append(machine.knows(tiny))).close()
    assert set(seen) == {False}, "were this process to die now, the next one would try the file first"
    assert machine.knows(tiny)


def test_a_load_that_fails_in_order_leaves_the_file_known(machine, tmp_path):
    path = write_tiny_model(tmp_path / "x.gguf", metadata={"llama.feed_forward_length": 65})
    with pytest.raises(ModelUnreadable, match="wrong shape"):
        machine.load(path)
    assert machine.knows(path), "nobody died of it"


def test_a_file_that_is_none_starts_no_trial(machine, tmp_path):
    page = tmp_path / "x.gguf"
    page.write_bytes(b"<html>")
    with pytest.raises(ModelUnreadable):
        machine.load(page)
    with pytest.raises(ModelUnsupported):
        machine.load(write_tiny_model(tmp_path / "y.gguf", architecture="bert"))
    assert machine.trials.tried == []


def test_without_a_place_to_remember_nothing_is_tried(tiny):
    trials = Trials()
    LocalLoader(EngineFiles(), Measurements(), trials)(ModelConfig(tiny, threads=1), StopFlag(), lambda _: None).close()
    assert trials.tried == []


def test_a_device_that_is_not_here_is_named_with_those_that_are(machine, tiny):
    with pytest.raises(DeviceNotFound, match=r"tiny.gguf was to run on CUDA7, which is not here. Choose CPU") as raised:
        machine.load(tiny, device="CUDA7")
    assert "CPU" in raised.value.offered


def test_a_load_is_measured_and_the_next_forecast_says_so(machine, tiny):
    machine.load(tiny, context_size=512)
    measurements = Measurements(machine.files.measurements)
    (run,) = measurements.of(file_key(tiny)).runs
    assert (run.device, run.gpu_layers, run.context_size, run.kv_type) == ("CPU", 0, 512, KvType.F16)
    said = forecast(tiny, 512, measurements=measurements)
    assert said.is_measured
    assert (said.weights, said.kv, said.compute) == pytest.approx((run.weights, run.kv, run.compute), abs=2)


def test_the_log_of_a_load_goes_to_the_file_and_nothing_to_the_terminal(machine, tiny):
    # Of its own, because a process has one log.
    program = """
import sys
from pathlib import Path
from inference.loading import LocalLoader
from inference.measurements import Measurements
from inference.model import StopFlag
from inference.configuration import EngineFiles, ModelConfig
log, model = map(Path, sys.argv[1:])
LocalLoader(EngineFiles(log=log), Measurements())(ModelConfig(model, threads=1), StopFlag(), lambda _: None).close()
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(machine.files.log), str(tiny)], capture_output=True, text=True, check=True
    )
    assert done.stdout == done.stderr == ""
    written = machine.files.log.read_text(encoding="utf-8")
    assert " INFO llama_kv_cache: " in written
    assert "llama_graph_n_input_tensors" not in written, "what is there to find mistakes is left out"


def test_the_devices_are_listed_with_their_memory():
    processor = next(device for device in list_devices() if device.kind is DeviceKind.CPU)
    assert processor.name == "CPU"
    assert processor.description
    assert 0 < processor.free <= processor.total


@pytest.mark.skipif(sys.platform == "win32", reason="what a child dies of is said in other words there")
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"architecture": "smallthinker"}, r"smallthinker\.cpp:\d+: GGML_ASSERT\(n_expert > 0"),
        (
            {"metadata": {"llama.attention.layer_norm_rms_epsilon": float("nan")}},
            r"ops\.cpp:\d+: GGML_ASSERT\(eps >= 0",
        ),
    ],
)
def test_a_file_that_ends_llama_cpp_ends_a_child_and_not_the_engine(machine, tmp_path, tiny, options, words):
    """Two files that really do it: one while it is loaded, one at its first token."""
    killer = write_tiny_model(tmp_path / "killer.gguf", **options)
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()
    engine = LocalEngine(events.put, files=machine.files)
    engine.load(ModelConfig(killer, threads=1))
    failed = next(event for event in iter(events.get, None) if isinstance(event, ModelFailed))
    assert isinstance(failed.error, ModelCrashed)
    assert re.match(words, failed.error.lines[-1]), failed.error.lines
    assert failed.error.outcome == "it gave up (SIGABRT)"
    assert failed.error.smaller_context is None
    assert not machine.knows(killer)
    engine.load(ModelConfig(tiny, threads=1))
    ready = next(event for event in iter(events.get, None) if isinstance(event, ModelReady))
    assert ready.info.name == "tiny"
    engine.close()


def test_a_request_cancelled_during_a_trial_ends_at_once_and_so_does_closing(machine, tiny):
    # On a busy machine not every one is that quick.
    assert min(seconds_to_close_after_a_cancelled_trial(machine, tiny) for _ in range(5)) < 0.05


def seconds_to_close_after_a_cancelled_trial(machine, tiny) -> float:
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()
    begun, ended = threading.Event(), threading.Event()

    def trial(_config: ModelConfig, _facts: GgufFacts, stop_flag: StopFlag, progress: Callable[[float], None]) -> None:
        begun.set()
        while not stop_flag.is_set():
            progress(0.1)
            ended.wait(0.001)
        raise LoadStopped

    measurements = Measurements(machine.files.measurements)
    engine = LocalEngine(events.put, loader=LocalLoader(machine.files, measurements, trial))
    request = GenerationRequest(ModelConfig(tiny), (Message(Role.USER, "Hi"),))
    engine.generate(request)
    assert begun.wait(60)
    engine.cancel(request.id)
    finished = next(event for event in iter(events.get, None) if isinstance(event, GenerationFinished))
    assert finished.finish_reason is FinishReason.CANCELLED
    began = time.perf_counter()
    engine.close()
    return time.perf_counter() - began


@pytest.mark.model
def test_the_embedded_model_is_loaded_at_once(machine):
    assert embedded_model() == real_model()
    machine.load(real_model(), context_size=256)
    assert machine.trials.tried == []
    assert not machine.files.measurements.exists(), "nothing is written before it is there"


@pytest.mark.model
def test_a_copy_of_the_real_model_is_really_tried_in_a_child(machine, tmp_path):
    copy = tmp_path / "copy.gguf"
    copy.write_bytes(real_model().read_bytes())
    fractions: list[float] = []
    loader = LocalLoader(machine.files, Measurements(machine.files.measurements))
    loader(ModelConfig(copy, threads=1, context_size=256), StopFlag(), fractions.append).close()
    assert fractions == sorted(fractions)
    assert json.loads(machine.files.measurements.read_text())["files"][file_key(copy)]["known"]

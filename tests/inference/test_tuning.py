import threading
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from inference.configuration import EngineFiles, ModelConfig
from inference.events import GenerationFinished, ModelInfo, ModelReady
from inference.llama import load_model
from inference.local_engine import LocalEngine
from inference.measurements import Measurements, Pace, Threads, file_key
from inference.messages import Message, Role
from inference.model import StopFlag
from inference.requests import GenerationRequest
from inference.tuning import ThreadTuner, candidates
from tests.fakes import Script, ScriptedLoader, ScriptedModel
from tests.gguf_files import write_tiny_model
from tests.inference.listening import PATIENCE, Listener
from tests.llama_models import read, write

FILE = "a file"


def busy(best: int) -> Callable[[int], float]:
    """A machine on which `best` threads are fastest."""
    return lambda threads: 0.010 + 0.002 * abs(threads - best)


class Bench:
    """A tuner over a scripted model, with up to eight threads."""

    def __init__(
        self,
        seconds_with: Callable[[int], float] | None = None,
        measurements: Measurements | None = None,
        bound: int = 8,
        info: Callable[[ModelInfo], ModelInfo] = lambda info: info,
        threads: int | None = None,
        script: Script | None = None,
    ) -> None:
        self.script = script or Script(threads=bound)
        self.script.seconds_with = seconds_with or busy(8)
        self.stop_flag = StopFlag()
        self.model = ScriptedModel(self.script, ModelConfig(Path("x.gguf"), threads=threads), self.stop_flag)
        self.model.info = info(self.model.info)
        self.measurements = measurements or Measurements()
        self.tuner = ThreadTuner(self.model, FILE, bound, self.measurements)

    @property
    def info(self) -> ModelInfo:
        return self.tuner.describe(self.model.info)

    def settle(self) -> list[bool]:
        """Be idle until nothing is left to find out."""
        said = []
        while self.tuner.has_work:
            said.append(self.tuner.idle())
        return said

    def reply(self, tokens: int = 40) -> bool:
        for _ in range(tokens):
            self.model.evaluate((1,))
        return self.tuner.after_reply()


@pytest.mark.parametrize(
    ("bound", "tried"), [(1, ()), (2, (2, 1)), (3, (3, 2)), (4, (4, 3, 2)), (7, (7, 6, 4)), (16, (16, 12, 8))]
)
def test_a_few_numbers_of_threads_are_tried_and_none_above_the_bound(bound, tried):
    assert candidates(bound) == tried


@pytest.mark.parametrize("best", [8, 6, 4])
def test_the_fastest_is_found_and_remembered(best):
    bench = Bench(busy(best))
    said = bench.settle()
    assert bench.info.threads == bench.model.threads[0] == best
    assert bench.model.threads[1] == 8, "a prompt is read with all"
    assert said == [False] * 8 + [best != 8]
    assert bench.measurements.of(FILE).threads == (Threads("CPU", 8, best),)
    assert bench.info.threads_note == ""


def test_fewer_threads_are_taken_where_more_bring_nothing():
    assert settled(lambda _threads: 0.010) == 4
    assert settled(lambda threads: {8: 0.0100, 6: 0.0102, 4: 0.0120}[threads]) == 6


def settled(seconds_with: Callable[[int], float]) -> int:
    bench = Bench(seconds_with)
    bench.settle()
    return bench.info.threads


def test_one_slow_moment_does_not_decide():
    calls = iter(range(10_000))

    def hiccups(threads: int) -> float:
        return 0.5 if next(calls) % 7 == 0 else busy(8)(threads)

    assert settled(hiccups) == 8


def test_a_trial_leaves_nothing_in_the_models_memory():
    bench = Bench()
    bench.model.evaluate((1, 2, 3))
    bench.settle()
    assert list(bench.model.tokens) == [1, 2, 3]


def test_a_memory_that_cannot_be_cut_is_left_alone():
    bench = Bench(script=Script(threads=8, rewindable=False))
    bench.model.evaluate((1, 2, 3))
    assert not bench.tuner.has_work
    assert bench.tuner.idle() is False
    bench.model.rewind(0)
    assert bench.tuner.has_work


def test_a_full_window_is_left_alone():
    bench = Bench(script=Script(threads=8, context_size=16))
    bench.model.evaluate(tuple(range(10)))
    assert not bench.tuner.has_work


@pytest.mark.parametrize(
    "changes",
    [
        {"bound": 1},
        {"threads": 4},  # a person's choice
        {"info": lambda info: replace(info, device="CUDA0: 33 of 33 layers", layers=33, gpu_layers=33)},
    ],
)
def test_where_there_is_no_choice_nothing_is_tried_and_nothing_costs_time(changes):
    bench = Bench(**changes)
    assert not bench.tuner.has_work
    bench.reply()
    bench.reply()
    assert bench.tuner.idle() is False
    assert all(batch == (1,) for batch in bench.model.read)
    assert bench.measurements.of(FILE).paces == ()


def test_layers_left_on_the_cpu_are_worth_a_trial():
    half = Bench(
        busy(4), info=lambda info: replace(info, device="CUDA0: 9 of 33 layers, 2.0 of 8.0 GB", layers=33, gpu_layers=9)
    )
    half.settle()
    assert half.measurements.of(FILE).threads == (Threads("CUDA0", 8, 4),)


def test_what_is_known_is_not_tried_again():
    first = Bench(busy(4))
    first.settle()
    again = Bench(busy(4), first.measurements, script=Script(threads=4))
    assert not again.tuner.has_work
    assert again.info.threads == 4
    other_bound = Bench(busy(4), first.measurements, bound=6)
    assert other_bound.tuner.has_work


def test_a_stop_ends_a_trial_at_once_and_it_goes_on_later():
    bench = Bench(busy(6))
    bench.tuner.idle()
    read = len(bench.model.read)

    def stop(_token: int) -> None:
        if len(bench.model.read) == read + 3:
            bench.stop_flag.set()

    bench.script.during_evaluate = stop
    assert bench.tuner.idle() is False
    assert len(bench.model.read) == read + 4, "the one that was stopped is the last"
    assert list(bench.model.tokens) == []
    assert bench.model.threads[0] == 8
    bench.script.during_evaluate = None
    bench.stop_flag.clear()
    bench.settle()
    assert bench.info.threads == 6


# Replies.


def test_the_first_reply_sets_what_is_usual_and_a_short_one_says_nothing():
    bench = Bench()
    bench.settle()
    bench.model.evaluate(tuple([5] * 300))  # deeper than the trial went
    bench.reply(10)
    assert len(bench.measurements.of(FILE).paces) == 1
    bench.reply(40)
    deep = bench.measurements.of(FILE).paces[-1]
    assert (deep.threads, deep.depth) == (8, 9)
    assert deep.seconds == pytest.approx(0.010)


def test_a_reply_at_less_than_half_the_usual_rate_lowers_the_threads_and_says_so():
    bench = Bench()
    bench.settle()
    bench.script.seconds_with = lambda _threads: 0.021
    assert bench.reply()
    assert bench.info.threads == 6
    assert bench.model.threads == (6, 6), "reading a prompt leaves a core free too"
    assert bench.info.threads_note == (
        "6 threads, not 8: the last reply was written at 47.6 tokens/s, usually it is 100. "
        "Something else uses the processor."
    )
    assert bench.measurements.of(FILE).threads == (Threads("CPU", 8, 8),), "what is fastest is not in doubt"


def test_a_machine_that_slept_in_mid_reply_has_learned_nothing_from_it():
    bench = Bench()
    bench.settle()
    before = bench.measurements.of(FILE).paces
    waits = iter([*[0.01] * 20, 3600.0])
    bench.script.seconds_with = lambda _threads: next(waits, 0.01)
    assert not bench.reply()
    assert (bench.info.threads, bench.info.threads_note) == (8, "")
    assert bench.measurements.of(FILE).paces == before


def test_a_reply_a_little_slower_than_usual_changes_nothing_but_what_is_usual():
    bench = Bench()
    bench.settle()
    bench.script.seconds_with = lambda _threads: 0.015
    assert not bench.reply()
    assert (bench.info.threads, bench.info.threads_note) == (8, "")
    assert bench.measurements.of(FILE).paces[-1].seconds == pytest.approx(0.0105)
    bench.script.seconds_with = lambda _threads: 0.008
    bench.reply()
    assert bench.measurements.of(FILE).paces[-1].seconds == pytest.approx(0.008)


def test_the_threads_come_back_once_the_processor_is_free_again():
    bench = Bench()
    bench.settle()
    bench.script.seconds_with = lambda _threads: 0.030
    bench.reply()
    assert bench.info.threads == 6
    bench.script.seconds_with = lambda threads: {8: 0.040, 6: 0.012}.get(threads, 0.05)
    assert not bench.reply(), "what is usual with six is learned first"
    assert bench.settle() == [False] * 6, "eight are still slower"
    assert bench.info.threads == 6
    assert bench.info.threads_note
    bench.script.seconds_with = busy(8)
    assert not bench.reply()
    assert bench.settle()[-1]
    assert (bench.info.threads, bench.info.threads_note) == (8, "")
    assert bench.model.threads == (8, 8)


def test_the_threads_never_fall_below_one():
    bench = Bench(bound=2)
    bench.settle()
    for step in range(5):
        bench.script.seconds_with = lambda _threads, step=step: 0.05 * 3**step
        bench.reply()
    assert bench.info.threads == 1


def test_a_reply_deep_in_the_window_is_compared_with_those_as_deep():
    measurements = Measurements()
    measurements.add_threads(FILE, Threads("CPU", 8, 8))
    measurements.add_pace(FILE, Pace("CPU", 8, 8, 0.010))
    bench = Bench(measurements=measurements)
    bench.model.evaluate(tuple([5] * 500))
    bench.model.evaluate(tuple([5] * 500))
    bench.script.seconds_with = lambda _threads: 0.025
    assert not bench.reply()
    deep = bench.measurements.of(FILE).paces[-1]
    assert deep.depth == 11
    assert deep.seconds == pytest.approx(0.025)


# With the engine around it.


@contextmanager
def engine_with(tmp_path: Path, script: Script):
    listener, loader = Listener(), ScriptedLoader(script)
    files = EngineFiles(measurements=tmp_path / "machine.json")
    engine = LocalEngine(listener, loader=loader, files=files, most_threads=8)
    try:
        yield engine, listener, loader
    finally:
        engine.close()


def test_an_idle_engine_finds_the_best_threads_and_says_so(tmp_path):
    config = ModelConfig(write_tiny_model(tmp_path / "x.gguf"))
    with engine_with(tmp_path, Script(threads=8, seconds_with=busy(6))) as (engine, listener, _):
        engine.load(config)
        ready = listener.wait_for(lambda event: isinstance(event, ModelReady) and event.info.threads == 6)
        assert isinstance(ready, ModelReady)
        assert [event.info.threads for event in listener.events if isinstance(event, ModelReady)] == [8, 6]
    kept = Measurements(tmp_path / "machine.json").of(file_key(config.path))
    assert kept.threads == (Threads("CPU", 8, 6),)


def test_a_request_ends_a_trial_at_once_and_is_answered_as_ever(tmp_path):
    reached, may_go_on = threading.Event(), threading.Event()

    def hold(_tokens: Sequence[int]) -> None:
        reached.set()
        assert may_go_on.wait(PATIENCE)

    script = Script(threads=8, seconds_with=busy(6), before_evaluate=hold)
    config = ModelConfig(write_tiny_model(tmp_path / "x.gguf"))
    with engine_with(tmp_path, script) as (engine, listener, loader):
        engine.load(config)
        assert reached.wait(PATIENCE)  # in the middle of a trial
        request = GenerationRequest(config, (Message(Role.USER, "Hi"),))
        engine.generate(request)
        may_go_on.set()
        finished = listener.wait_for(lambda event: isinstance(event, GenerationFinished))
        assert isinstance(finished, GenerationFinished)
        assert finished.text == "Hello there."
        assert finished.usage.cached_tokens == 0
        trial = loader.models[0].read[0]
        assert len(trial) == 1
        assert len(loader.models[0].read[1]) > 1, "the prompt came right after the token that was stopped"


def test_closing_ends_a_trial_at_once(tmp_path):
    reached = threading.Event()
    evaluated: list[int] = []

    def count(tokens: Sequence[int]) -> None:
        evaluated.extend(tokens)
        reached.set()

    script = Script(threads=8, seconds_with=busy(6), before_evaluate=count)
    with engine_with(tmp_path, script) as (engine, _, loader):
        engine.load(ModelConfig(write_tiny_model(tmp_path / "x.gguf")))
        assert reached.wait(PATIENCE)
    assert loader.models[0].closed


def test_without_a_place_for_measurements_nothing_is_tried():
    listener, loader = Listener(), ScriptedLoader(Script(threads=8))
    engine = LocalEngine(listener, loader=loader, most_threads=8)
    engine.load(ModelConfig(Path("x.gguf")))
    listener.wait_for(lambda event: isinstance(event, ModelReady))
    engine.close()
    assert loader.models[0].read == []


# With llama.cpp.


def test_a_real_model_writes_the_same_after_a_trial(tmp_path):
    path = write_tiny_model(tmp_path / "x.gguf", architecture="jamba", block_count=3)  # attends, and carries states
    measurements = Measurements()
    replies = []
    for is_tried in (False, True):
        model = load_model(ModelConfig(path), StopFlag(), lambda _fraction: None)
        tuner = ThreadTuner(model, FILE, 2, measurements)
        while is_tried and tuner.has_work:
            tuner.idle()
        assert list(model.tokens) == []
        model.use_threads(1, 1)
        read(model, list(range(20)))
        replies.append(write(model, 8))
        model.close()
    assert replies[0] == replies[1]
    (threads,) = measurements.of(FILE).threads
    assert threads.best in (1, 2)

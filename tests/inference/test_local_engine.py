"""The engine's contract: one last event for every request, in order, whatever is asked and whenever it is stopped."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inference.bounds import StateBudget
from inference.configuration import ModelConfig
from inference.errors import EngineClosed, EngineFault, MemoryShort, ModelNotFound
from inference.events import (
    Event,
    FinishReason,
    GenerationFailed,
    GenerationFinished,
    ModelFailed,
    ModelLoading,
    ModelReady,
    ModelUnloaded,
    PrefillProgress,
    RemoteModelEvent,
    TextDelta,
)
from inference.ids import RequestId
from inference.local_engine import LocalEngine
from inference.messages import Message, Role
from inference.requests import GenerationRequest
from tests.fakes import Script, ScriptedLoader, config
from tests.inference.listening import PATIENCE, Listener


@contextmanager
def engine_of(script: Script | None = None) -> Iterator[tuple[LocalEngine, Listener, ScriptedLoader]]:
    listener, loader = Listener(), ScriptedLoader(script)
    engine = LocalEngine(listener, loader=loader)
    try:
        yield engine, listener, loader
    finally:
        engine.close()


def ask(text: str = "Hi", model: str = "scripted", max_tokens: int | None = None) -> GenerationRequest:
    return GenerationRequest(config(model), (Message(Role.USER, text),), max_tokens=max_tokens)


def gate() -> tuple[threading.Event, threading.Event, Callable[..., None]]:
    """Two events and a step that tells it was reached and waits until it may go on."""
    reached, may_go_on = threading.Event(), threading.Event()

    def step(*_: object) -> None:
        reached.set()
        assert may_go_on.wait(PATIENCE)

    return reached, may_go_on, step


def test_a_request_loads_its_model_and_is_answered_on_the_engines_thread() -> None:
    with engine_of() as (engine, listener, _):
        finished = listener.last_of(engine.generate(ask()))
    assert isinstance(finished, GenerationFinished)
    assert finished.text == "Hello there."
    kinds = [type(event) for event in listener.events]
    assert kinds[0] is ModelLoading
    assert kinds.index(ModelReady) < kinds.index(PrefillProgress) < kinds.index(TextDelta)
    assert listener.threads == {"engine"}


class Broken:
    """Listens, but breaks over one event; what `threading.excepthook` is told is kept too."""

    def __init__(self, over: Callable[[Event], bool]) -> None:
        self.listener = Listener()
        self._over = over
        self.has_broken = False

    def __call__(self, event: Event) -> None:
        if not self.has_broken and self._over(event):
            self.has_broken = True
            raise OSError("the pipe is gone")
        self.listener(event)


@pytest.mark.parametrize("kind", [PrefillProgress, TextDelta])
def test_a_listener_that_breaks_over_a_reply_ends_that_reply_and_nothing_else(faults, kind) -> None:
    emit, loader = Broken(lambda event: isinstance(event, kind)), ScriptedLoader()
    engine = LocalEngine(emit, loader=loader)
    try:
        failed = emit.listener.last_of(engine.generate(ask()))
        assert isinstance(failed, GenerationFailed)
        assert isinstance(failed.error, EngineFault)
        assert "the pipe is gone" in failed.error.summary
        assert "test_local_engine.py" in failed.error.report
        finished = emit.listener.last_of(engine.generate(ask()))
        assert isinstance(finished, GenerationFinished)
        assert finished.text == "Hello there."
        assert [model.closed for model in loader.models] == [False]
        assert [sampler.closed for sampler in loader.models[0].samplers] == [True, True]
    finally:
        engine.close()
    assert faults == []


@pytest.mark.parametrize(
    "kind", [ModelLoading, ModelReady, ModelFailed, ModelUnloaded, GenerationFinished, GenerationFailed]
)
def test_a_listener_that_breaks_over_what_ends_nothing_is_told_of_and_the_engine_goes_on(faults, kind) -> None:
    emit, loader = Broken(lambda event: isinstance(event, kind)), ScriptedLoader()
    engine = LocalEngine(emit, loader=loader)
    try:
        loader.script.load_error = ModelNotFound(Path("gone.gguf"))
        engine.generate(ask(model="gone"))
        engine.load(config("gone"))
        emit.listener.wait_for(lambda e: isinstance(e, ModelFailed | GenerationFailed))
        loader.script.load_error = None
        engine.generate(ask())
        engine.unload()
        assert isinstance(emit.listener.last_of(engine.generate(ask())), GenerationFinished)
        assert [str(error) for error in faults] == ["the pipe is gone"]
    finally:
        engine.close()


def test_a_listener_that_breaks_over_the_end_of_a_withdrawn_request_leaves_the_running_one_alone(faults) -> None:
    reached, may_go_on, step = gate()
    waiting = ask("waits")
    emit = Broken(lambda event: getattr(event, "request", None) == waiting.id)
    engine = LocalEngine(emit, loader=ScriptedLoader(Script(before_evaluate=step)))
    try:
        running = engine.generate(ask())
        assert reached.wait(PATIENCE)
        engine.generate(waiting)
        engine.cancel(waiting.id)
        may_go_on.set()
        assert isinstance(emit.listener.last_of(running), GenerationFinished)
        assert len(faults) == 1
    finally:
        engine.close()


def test_a_listener_that_always_breaks_ends_no_engine(faults) -> None:
    def broken(event: Event) -> None:
        kinds.append(type(event))
        raise OSError("always")

    kinds: list[type[Event]] = []
    engine = LocalEngine(broken, loader=ScriptedLoader())
    engine.generate(ask())
    engine.generate(ask())
    engine.close()
    assert kinds.count(GenerationFailed) + kinds.count(GenerationFinished) == 2
    assert faults


def test_load_is_answered_also_when_the_model_is_there() -> None:
    with engine_of() as (engine, listener, loader):
        engine.load(config())
        engine.load(config())
        listener.last_of(engine.generate(ask()))
    assert sum(isinstance(event, ModelReady) for event in listener.events) == 2
    assert len(loader.models) == 1


def test_another_model_is_loaded_after_the_first_is_freed() -> None:
    with engine_of() as (engine, listener, loader):
        listener.last_of(engine.generate(ask(model="one")))
        listener.last_of(engine.generate(ask(model="two")))
        assert [model.closed for model in loader.models] == [True, False]
    assert [model.closed for model in loader.models] == [True, True]
    assert any(isinstance(event, ModelUnloaded) for event in listener.events)


def test_an_ejected_model_is_freed_and_loaded_again_for_the_next_request() -> None:
    with engine_of() as (engine, listener, loader):
        listener.last_of(engine.generate(ask()))
        engine.unload()
        listener.wait_for(lambda event: isinstance(event, ModelUnloaded))
        assert loader.models[0].closed
        assert isinstance(listener.last_of(engine.generate(ask())), GenerationFinished)


def test_a_file_that_was_replaced_or_written_to_is_loaded_again_and_one_that_was_deleted_is_not(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(b"one")

    def last_after_asking(engine: LocalEngine, listener: Listener) -> None:
        request = GenerationRequest(ModelConfig(path), (Message(Role.USER, "Hi"),))
        assert isinstance(listener.last_of(engine.generate(request)), GenerationFinished)

    with engine_of() as (engine, listener, loader):
        last_after_asking(engine, listener)
        last_after_asking(engine, listener)
        assert len(loader.models) == 1
        os.truncate(path, 1)
        last_after_asking(engine, listener)
        assert [model.closed for model in loader.models] == [True, False]
        tmp_path.joinpath("new").write_bytes(b"two")
        tmp_path.joinpath("new").replace(path)
        engine.load(ModelConfig(path))
        last_after_asking(engine, listener)
        assert len(loader.models) == 3
        path.unlink()
        last_after_asking(engine, listener)
        assert len(loader.models) == 3


def test_a_file_that_never_rests_is_answered_from_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(b"one")
    with path.open("ab", buffering=0) as file, engine_of() as (engine, listener, loader):
        loader.script.before_load = lambda: file.write(b"more")
        request = GenerationRequest(ModelConfig(path), (Message(Role.USER, "Hi"),))
        assert isinstance(listener.last_of(engine.generate(request)), GenerationFinished)
        assert len(loader.models) == 1


@pytest.mark.parametrize("on_disk", [True, False])
def test_closing_saves_a_state_only_where_it_outlasts_the_engine(tmp_path: Path, on_disk: bool) -> None:
    script, listener = Script(), Listener()
    engine = LocalEngine(listener, StateBudget(folder=tmp_path if on_disk else None), loader=ScriptedLoader(script))
    listener.last_of(engine.generate(ask("word " * 100)))
    engine.close()
    assert any(line.startswith("saved") for line in script.log) is on_disk
    assert bool(list(tmp_path.iterdir())) is on_disk


def test_another_budget_holds_at_once_and_what_is_held_stays(tmp_path: Path) -> None:
    script, listener = Script(), Listener()
    engine = LocalEngine(listener, StateBudget(folder=tmp_path), loader=ScriptedLoader(script))
    listener.last_of(engine.generate(ask("one " * 100)))
    listener.last_of(engine.generate(ask("two " * 100)))  # the first one's state is kept now
    engine.keep_states(StateBudget(disk=0, folder=tmp_path))
    again = listener.last_of(engine.generate(ask("one " * 100)))
    assert isinstance(again, GenerationFinished)
    assert again.usage.cached_tokens
    assert again.usage.cached_tokens >= 100
    assert list(tmp_path.iterdir()) == []
    engine.close()
    assert list(tmp_path.iterdir()) == []


def owned_by(owner: str, words: str, *, is_private: bool = False) -> GenerationRequest:
    return replace(ask(words), owner=owner, is_private=is_private)


def test_the_states_of_an_owner_are_forgotten_on_disk_and_in_memory(tmp_path: Path) -> None:
    listener = Listener()
    engine = LocalEngine(listener, StateBudget(folder=tmp_path), loader=ScriptedLoader(Script()))
    listener.last_of(engine.generate(owned_by("one", "one " * 100)))
    listener.last_of(engine.generate(owned_by("two", "two " * 100)))
    listener.last_of(engine.generate(owned_by("three", "three " * 100)))
    engine.forget_states(["one", "three"])
    again = listener.last_of(engine.generate(owned_by("one", "one " * 100)))
    assert isinstance(again, GenerationFinished)
    assert (again.usage.cached_tokens or 0) < 100
    engine.forget_states(["one"])
    engine.close()
    assert len(list(tmp_path.iterdir())) == 1  # of the second


def test_states_are_forgotten_although_the_engine_is_closed_at_once(tmp_path: Path) -> None:
    listener = Listener()
    before = LocalEngine(listener, StateBudget(folder=tmp_path), loader=ScriptedLoader(Script()))
    listener.last_of(before.generate(owned_by("one", "one " * 100)))
    before.close()
    assert len(list(tmp_path.iterdir())) == 1
    engine = LocalEngine(listener, StateBudget(folder=tmp_path), loader=ScriptedLoader(Script()))
    engine.forget_states(["one"])
    engine.close()
    assert list(tmp_path.iterdir()) == []


def test_nothing_private_is_written_to_disk(tmp_path: Path) -> None:
    listener = Listener()
    engine = LocalEngine(listener, StateBudget(folder=tmp_path), loader=ScriptedLoader(Script()))
    listener.last_of(engine.generate(owned_by("one", "one " * 100, is_private=True)))
    listener.last_of(engine.generate(owned_by("two", "two " * 100, is_private=True)))
    engine.close()
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_cannot_be_loaded_fails_its_request_and_the_engine_goes_on() -> None:
    error = ModelNotFound(Path("gone.gguf"))
    with engine_of(Script(load_error=error)) as (engine, listener, loader):
        failed = listener.last_of(engine.generate(ask()))
        assert isinstance(failed, GenerationFailed)
        assert failed.error is error
        assert isinstance(listener.wait_for(lambda event: isinstance(event, ModelFailed)), ModelFailed)
        loader.script = Script()
        assert isinstance(listener.last_of(engine.generate(ask())), GenerationFinished)


def test_a_request_submitted_while_its_model_loads_has_that_load_apart_from_its_waiting() -> None:
    reached, may_go_on, step = gate()
    with engine_of(Script(before_load=step)) as (engine, listener, _):
        engine.load(config())
        assert reached.wait(PATIENCE)
        request = engine.generate(ask())
        may_go_on.set()
        finished = listener.last_of(request)
    assert isinstance(finished, GenerationFinished)
    assert finished.timings.load > 0
    assert finished.timings.queued < finished.timings.load + 1


def test_a_request_withdrawn_while_its_model_loads_ends_at_once_and_the_load_goes_on() -> None:
    reached, may_go_on, step = gate()
    with engine_of(Script(before_load=step)) as (engine, listener, _):
        request = engine.generate(ask())
        assert reached.wait(PATIENCE)
        engine.cancel(request)
        may_go_on.set()
        finished = listener.last_of(request)
        assert isinstance(finished, GenerationFinished)
        assert finished.finish_reason is FinishReason.CANCELLED
        listener.wait_for(lambda event: isinstance(event, ModelReady))
    assert listener.events.index(finished) < next(
        index for index, event in enumerate(listener.events) if isinstance(event, ModelReady)
    )


def test_a_waiting_request_can_be_withdrawn_while_another_runs() -> None:
    reached, may_go_on, step = gate()
    script = Script(endless=True, replies=(("a",),), during_evaluate=step)
    with engine_of(script) as (engine, listener, _):
        running = engine.generate(ask(max_tokens=3))
        assert reached.wait(PATIENCE)
        waiting = engine.generate(ask())
        engine.cancel(waiting)
        may_go_on.set()
        assert isinstance(listener.last_of(running), GenerationFinished)
        withdrawn = listener.last_of(waiting)
    assert isinstance(withdrawn, GenerationFinished)
    assert withdrawn.finish_reason is FinishReason.CANCELLED
    assert listener.events.index(withdrawn) < listener.events.index(listener.last_of(running))


def test_cancel_ends_the_running_request_and_no_other() -> None:
    reached, may_go_on, step = gate()
    with engine_of(Script(endless=True, replies=(("a",),), during_evaluate=step)) as (engine, listener, _):
        running = engine.generate(ask())
        following = engine.generate(ask(max_tokens=2))
        assert reached.wait(PATIENCE)
        engine.cancel(running)
        engine.cancel(running)
        may_go_on.set()
        first, second = listener.last_of(running), listener.last_of(following)
        engine.cancel(running)
    assert isinstance(first, GenerationFinished)
    assert isinstance(second, GenerationFinished)
    assert first.finish_reason is FinishReason.CANCELLED
    assert second.finish_reason is FinishReason.LENGTH


def test_close_ends_what_runs_and_what_waits_then_there_is_silence() -> None:
    reached, may_go_on, step = gate()
    with engine_of(Script(endless=True, replies=(("a",),), during_evaluate=step)) as (engine, listener, loader):
        requests = [engine.generate(ask()) for _ in range(3)]
        assert reached.wait(PATIENCE)
        threading.Timer(0.05, may_go_on.set).start()
        engine.close()
        count = len(listener.events)
        for request in requests:
            finished = listener.last_of(request)
            assert isinstance(finished, GenerationFinished)
            assert finished.finish_reason is FinishReason.CANCELLED
        assert loader.models[0].closed
        with pytest.raises(EngineClosed):
            engine.generate(ask())
        assert len(listener.events) == count


def test_close_stops_a_load() -> None:
    reached, may_go_on, step = gate()
    with engine_of(Script(before_load=step)) as (engine, listener, loader):
        engine.load(config())
        assert reached.wait(PATIENCE)
        threading.Timer(0.05, may_go_on.set).start()
        engine.close()
    assert not loader.models
    assert not any(isinstance(event, ModelReady) for event in listener.events)


def test_a_fault_of_our_own_fails_the_request_with_a_report_and_the_engine_goes_on() -> None:
    def broken(_: object) -> None:
        raise ZeroDivisionError("ours")

    with engine_of(Script(before_evaluate=broken)) as (engine, listener, loader):
        failed = listener.last_of(engine.generate(ask()))
        assert isinstance(failed, GenerationFailed)
        assert isinstance(failed.error, EngineFault)
        assert "ZeroDivisionError" in failed.error.report
        loader.script = Script()
        assert isinstance(listener.last_of(engine.generate(ask())), GenerationFinished)
    assert loader.models[0].closed, "nobody knows that model's state any more"


def test_memory_that_runs_out_is_nobodys_fault_and_the_engine_goes_on() -> None:
    def greedy(_: object) -> None:
        raise RuntimeError("no graph") from MemoryError()

    with engine_of(Script(before_evaluate=greedy)) as (engine, listener, loader):
        failed = listener.last_of(engine.generate(ask()))
        assert isinstance(failed, GenerationFailed)
        assert isinstance(failed.error, MemoryShort)
        loader.script = Script()
        assert isinstance(listener.last_of(engine.generate(ask())), GenerationFinished)


def test_what_cannot_even_be_begun_fails_once() -> None:
    times = iter([1.0])

    def clock() -> float:
        if next(times, None) is not None:
            raise MemoryError
        return 0.0

    listener = Listener()
    engine = LocalEngine(listener, loader=ScriptedLoader(), clock=clock)
    engine.load(config())
    failed = listener.wait_for(lambda event: isinstance(event, ModelFailed))
    engine.load(config())
    listener.wait_for(lambda event: isinstance(event, ModelReady))
    engine.close()
    assert [event for event in listener.events if isinstance(event, ModelFailed)] == [failed]


steps = st.lists(
    st.one_of(
        st.tuples(st.just("ask"), st.sampled_from(["one", "two", "broken"]), st.integers(1, 30)),
        st.tuples(st.just("cancel"), st.integers(0, 20)),
        st.tuples(st.sampled_from(["load", "unload", "breathe"])),
    ),
    max_size=12,
)


@given(steps, st.booleans())
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_every_request_ends_exactly_once_and_its_events_come_in_order(
    script: list[tuple[object, ...]], breathe: bool
) -> None:
    listener = Listener()
    scripted = ScriptedLoader(Script(endless=True, replies=(("a", "b"),), batch_size=8))

    def loader(wanted, stop_flag, progress):
        if wanted.path.stem == "broken":
            raise ModelNotFound(wanted.path)
        return scripted(wanted, stop_flag, progress)

    engine = LocalEngine(listener, loader=loader)
    asked: list[RequestId] = []
    for step in script:
        _do(step, engine, listener, asked)
    if breathe:
        for request in asked:
            listener.last_of(request)
    engine.close()
    for request in asked:
        events = listener.of(request)
        ends = [event for event in events if isinstance(event, GenerationFinished | GenerationFailed)]
        assert len(ends) == 1
        assert events[-1] is ends[0]
        _check_order(events)
    assert all(model.closed for model in scripted.models)


def _do(step: tuple[object, ...], engine: LocalEngine, listener: Listener, asked: list[RequestId]) -> None:
    match step:
        case ("ask", str() as model, int() as limit):
            asked.append(engine.generate(ask("x" * limit, model, limit)))
        case ("cancel", int() as which) if asked:
            engine.cancel(asked[which % len(asked)])
        case ("load",):
            engine.load(config("one"))
        case ("unload",):
            engine.unload()
        case ("breathe",) if asked:
            listener.last_of(asked[-1])
        case _:
            pass


def _check_order(events: list[Event | RemoteModelEvent]) -> None:
    kinds = [type(event) for event in events]
    assert kinds == sorted(kinds, key=[PrefillProgress, TextDelta, GenerationFinished, GenerationFailed].index)
    counts = [event.output_tokens for event in events if isinstance(event, TextDelta)]
    assert counts == sorted(counts)
    last = events[-1]
    if isinstance(last, GenerationFinished):
        assert last.text == "".join(event.text for event in events if isinstance(event, TextDelta))


FORKED = """
import os, sys
from inference.client import Client, Mailbox
from inference.local_engine import LocalEngine
from inference.errors import EngineClosed
from tests.fakes import Script, ScriptedLoader, config
mailbox = Mailbox()
script = Script(endless=True, replies=(("a",),), context_size=10**9)
client = Client(config(), LocalEngine(mailbox.post, loader=ScriptedLoader(script)), mailbox)
stream = client.stream("Hi")
next(stream)
child = os.fork()
if not child:
    stream.close()
    try:
        client.generate("Hi")
    except EngineClosed:
        client.close()
        sys.exit(7)
    os._exit(1)
stream.close()
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), client.generate("Hi", max_tokens=3).text)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="forks")
def test_a_forked_process_is_told_that_the_engine_did_not_come_along_and_exits_cleanly() -> None:
    done = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "7 aaa\n", "")


def test_events_and_requests_are_equal_by_content() -> None:
    request = ask()
    assert replace(request) == request
    assert hash(replace(request)) == hash(request)


NEVER_CLOSED = """
import threading
import time
from inference.local_engine import LocalEngine
from inference.messages import Message, Role
from inference.requests import GenerationRequest
from tests.fakes import Script, ScriptedLoader, config
running = threading.Event()
script = Script(endless=True, replies=(("a",),), context_size=10**9, before_evaluate=lambda _: running.set())
engine = LocalEngine(lambda event: None, loader=ScriptedLoader(script))
engine.generate(GenerationRequest(config(), (Message(Role.USER, "Hi"),)))
assert running.wait(60)
"""


def test_a_script_that_never_closes_its_engine_exits_cleanly_in_mid_reply() -> None:
    done = subprocess.run([sys.executable, "-c", NEVER_CLOSED], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")


FOR_EVER = "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}"


def test_a_request_whose_template_does_not_come_to_an_end_can_be_cancelled() -> None:
    template = f"{{% if 'Hi' in messages[0].content %}}{FOR_EVER}{{% endif %}}{{{{ messages[0].content }}}}"
    with engine_of(Script(template=template)) as (engine, listener, _):
        request = engine.generate(ask())
        listener.wait_for(lambda event: isinstance(event, ModelReady))
        engine.cancel(request)
        finished = listener.last_of(request)
        assert isinstance(finished, GenerationFinished)
        assert finished.finish_reason is FinishReason.CANCELLED
        assert isinstance(listener.last_of(engine.generate(ask("Hello"))), GenerationFinished)


def test_an_engine_closes_at_once_while_a_template_that_does_not_end_is_checked() -> None:
    began = time.process_time()
    with engine_of(Script(template=FOR_EVER)) as (engine, listener, loader):
        request = engine.generate(ask())
        listener.wait_for(lambda event: isinstance(event, ModelLoading) and event.fraction == 1.0)
    assert time.process_time() - began < 3.0
    assert isinstance(listener.last_of(request), GenerationFinished)
    assert all(model.closed for model in loader.models)


def test_a_loaded_model_says_what_its_template_knows_and_what_it_does_not() -> None:
    template = (
        "{% if messages | length > 2 %}{{ raise_exception('one only') }}{% endif %}"
        "{{ messages[0].content }}{{ '<think>' if enable_thinking }}"
    )
    with engine_of(Script(template=template)) as (engine, listener, _):
        engine.load(config())
        ready = listener.wait_for(lambda event: isinstance(event, ModelReady))
    assert isinstance(ready, ModelReady)
    assert ready.info.has_thinking_switch
    assert ready.info.warnings == ("The model's chat template refuses a second question: one only.",)


def test_a_model_is_asked_by_the_template_that_was_given_with_it() -> None:
    given = replace(config(), template="{{ messages[0].content }}{{ '?' }}")
    with engine_of(Script(beginning=None)) as (engine, listener, loader):
        listener.last_of(engine.generate(replace(ask(), model=given)))
        assert bytes(loader.models[0].read[0]) == b"Hi?"
        ready = listener.wait_for(lambda event: isinstance(event, ModelReady))
    assert isinstance(ready, ModelReady)
    assert ready.info.template_name == "the one given"

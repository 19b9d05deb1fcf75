"""Jobs have the model to themselves and leave it as they found it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from inference.bounds import StateBudget
from inference.configuration import ModelConfig
from inference.errors import EngineClosed, EngineFault, GenerationBroke, InvalidRequest, ModelNotFound
from inference.events import (
    FinishReason,
    GenerationFinished,
    JobFailed,
    JobFinished,
    JobProgress,
    ModelFailed,
    ModelReady,
    ModelUnloaded,
    ReuseEnd,
)
from inference.ids import JobId, new_job_id
from inference.jobs import JobSteps, ModelOnLoan
from inference.local_engine import LocalEngine
from inference.messages import Message, Role
from inference.requests import GenerationRequest
from tests.fakes import Script, ScriptedLoader, config
from tests.inference.listening import PATIENCE, Listener
from tests.inference.test_local_engine import Broken, ask, engine_of, gate
from tests.llama_models import GREEDY


def nothing(_loan: ModelOnLoan) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Chore:
    """Asks the model something else, then does whatever a test wants."""

    model: ModelConfig = field(default_factory=config)
    id: JobId = field(default_factory=new_job_id)
    then: Callable[[ModelOnLoan], object] = nothing
    from_all_kept: bool = False
    messages: tuple[Message, ...] = (Message(Role.USER, "Something else altogether"),)

    def steps(self, loan: ModelOnLoan) -> JobSteps:
        yield JobProgress(self.id, 0.0, "asks")
        text = ""
        request = GenerationRequest(self.model, self.messages, GREEDY, max_tokens=8)
        for event in loan.answer(request, from_all_kept=self.from_all_kept):
            yield event
            if isinstance(event, GenerationFinished):
                text = event.text
        self.then(loan)
        return text


def end_of(listener: Listener, job: JobId) -> JobFinished | JobFailed:
    event = listener.wait_for(lambda e: isinstance(e, JobFinished | JobFailed) and e.job == job)
    assert isinstance(event, JobFinished | JobFailed)
    return event


def finished_of(listener: Listener, request: GenerationRequest) -> GenerationFinished:
    event = listener.last_of(request.id)
    assert isinstance(event, GenerationFinished)
    return event


def test_a_job_loads_its_model_says_how_far_it_is_and_ends_once_with_its_result() -> None:
    with engine_of() as (engine, listener, _):
        chore = Chore()
        assert engine.run(chore) == chore.id
        assert end_of(listener, chore.id) == JobFinished(chore.id, "Hello there.")
    kinds = [type(event) for event in listener.events]
    assert (
        kinds.index(ModelReady) < kinds.index(JobProgress) < kinds.index(GenerationFinished) < kinds.index(JobFinished)
    )
    assert kinds.count(JobFinished) == 1


def test_the_next_turn_after_a_job_reads_only_what_is_new() -> None:
    first = ask("Why do rivers bend? " * 8)
    with engine_of() as (engine, listener, loader):
        engine.generate(first)
        answer = finished_of(listener, first)
        held = list(loader.models[0].tokens)
        chore = Chore()
        engine.run(chore)
        end_of(listener, chore.id)
        assert list(loader.models[0].tokens) == held
        said = (
            *first.messages,
            Message(Role.ASSISTANT, answer.text, answer.trace.kept_ids),
            Message(Role.USER, "Yes?"),
        )
        second = GenerationRequest(config(), said)
        engine.generate(second)
        usage, trace = finished_of(listener, second).usage, finished_of(listener, second).trace
    assert usage.cached_tokens == len(held)
    assert trace.reuse_end is ReuseEnd.NEW_TEXT


def test_what_the_model_holds_after_a_job_is_still_its_owners(tmp_path: Path) -> None:
    first = replace(ask("Why do rivers bend? " * 8), owner="one")
    listener = Listener()
    engine = LocalEngine(listener, StateBudget(folder=tmp_path), loader=ScriptedLoader(Script()))
    engine.generate(first)
    finished_of(listener, first)
    chore = Chore(from_all_kept=True)
    engine.run(chore)
    end_of(listener, chore.id)
    engine.forget_states(["one"])
    engine.close()
    assert list(tmp_path.iterdir()) == []


def test_a_job_begins_with_what_the_model_holds_and_may_look_into_what_was_kept() -> None:
    long_ago = ask("A long time ago, in a valley far away, there was a river. " * 3)
    with engine_of() as (engine, listener, _):
        engine.generate(long_ago)
        finished_of(listener, long_ago)
        engine.generate(ask("Another conversation " * 9))
        plain = Chore(messages=long_ago.messages)
        looking = Chore(messages=long_ago.messages, from_all_kept=True)
        engine.run(plain)
        engine.run(looking)
        end_of(listener, plain.id)
        end_of(listener, looking.id)
    asked = [event for event in listener.events if isinstance(event, GenerationFinished)]
    without, kept = asked[-2], asked[-1]
    assert (without.usage.cached_tokens or 0) < 30
    assert (kept.usage.cached_tokens or 0) >= kept.usage.input_tokens - 1


def test_requests_wait_for_a_job_and_can_be_withdrawn_meanwhile() -> None:
    reached, may_go_on, step = gate()
    with engine_of() as (engine, listener, _):
        chore = Chore(then=step)
        engine.run(chore)
        assert reached.wait(60)
        withdrawn, waiting = ask(), ask()
        engine.generate(withdrawn)
        engine.generate(waiting)
        engine.cancel(withdrawn.id)
        may_go_on.set()
        assert finished_of(listener, withdrawn).finish_reason is FinishReason.CANCELLED
        assert finished_of(listener, waiting).finish_reason is FinishReason.STOP
    assert listener.events.index(end_of(listener, chore.id)) < listener.events.index(finished_of(listener, waiting))


def test_a_cancelled_job_ends_early_and_keeps_what_it_has() -> None:
    script = Script(replies=(("word ",),), endless=True)
    with engine_of(script) as (engine, listener, _):
        chore = Chore(messages=(Message(Role.USER, "Go on"),), then=lambda loan: seen.append(loan.is_stopped))
        seen: list[bool] = []
        script.during_evaluate = lambda _token: engine.cancel(chore.id)
        engine.run(chore)
        end = end_of(listener, chore.id)
    assert end == JobFinished(chore.id, "", cancelled=True)
    assert seen == [True]


def test_a_job_that_waits_can_be_withdrawn_and_closing_ends_all_of_them() -> None:
    reached, may_go_on, step = gate()
    with engine_of() as (engine, listener, _):
        running, waiting, never = Chore(then=step), Chore(), Chore()
        for chore in (running, waiting, never):
            engine.run(chore)
        assert reached.wait(60)
        engine.cancel(waiting.id)
        may_go_on.set()
        assert end_of(listener, waiting.id) == JobFinished(waiting.id, None, cancelled=True)
        engine.close()
        with pytest.raises(EngineClosed):
            engine.run(Chore())
    ended = [event.job for event in listener.events if isinstance(event, JobFinished)]
    assert sorted(ended) == sorted(chore.id for chore in (running, waiting, never))


def test_the_worlds_fault_ends_a_job_and_leaves_the_model_as_it_was() -> None:
    def break_off(_loan: ModelOnLoan) -> None:
        raise GenerationBroke("it was told to")

    with engine_of() as (engine, listener, loader):
        first = ask("Hello " * 20)
        engine.generate(first)
        finished_of(listener, first)
        held = list(loader.models[0].tokens)
        chore = Chore(then=break_off)
        engine.run(chore)
        end = end_of(listener, chore.id)
        assert isinstance(end, JobFailed)
        assert isinstance(end.error, GenerationBroke)
        assert list(loader.models[0].tokens) == held
        assert not loader.models[0].closed


def test_our_own_fault_ends_a_job_and_the_engine_goes_on() -> None:
    def fall_over(_loan: ModelOnLoan) -> None:
        raise KeyError("nobody foresaw this")

    with engine_of() as (engine, listener, _):
        chore = Chore(then=fall_over)
        engine.run(chore)
        end = end_of(listener, chore.id)
        assert isinstance(end, JobFailed)
        assert isinstance(end.error, EngineFault)
        after = ask()
        engine.generate(after)
        assert finished_of(listener, after).finish_reason is FinishReason.STOP


def test_a_job_whose_model_cannot_be_loaded_fails_as_a_request_would() -> None:
    missing = config("gone")
    with engine_of(Script(load_error=ModelNotFound(missing.path))) as (engine, listener, _):
        chore = Chore(missing)
        engine.run(chore)
        end = end_of(listener, chore.id)
    assert isinstance(end, JobFailed)
    assert isinstance(end.error, ModelNotFound)
    assert any(isinstance(event, ModelFailed) for event in listener.events)


def test_a_server_lends_no_model() -> None:
    from inference.remote import RemoteEngine

    engine = RemoteEngine(lambda _event: None)
    try:
        with pytest.raises(InvalidRequest):
            engine.run(Chore())
    finally:
        engine.close()


def test_a_listener_that_breaks_over_a_job_ends_that_job_and_the_model_holds_what_it_held() -> None:
    emit, loader = Broken(lambda event: isinstance(event, JobProgress)), ScriptedLoader()
    engine = LocalEngine(emit, loader=loader)
    try:
        first = ask("Why do rivers bend? " * 8)
        engine.generate(first)
        finished_of(emit.listener, first)
        held = list(loader.models[0].tokens)
        chore = Chore()
        engine.run(chore)
        failed = end_of(emit.listener, chore.id)
        assert isinstance(failed, JobFailed)
        assert isinstance(failed.error, EngineFault)
        assert list(loader.models[0].tokens) == held
        again = Chore()
        engine.run(again)
        assert isinstance(end_of(emit.listener, again.id), JobFinished)
    finally:
        engine.close()


def test_unloading_ends_the_jobs_that_run_and_wait_and_lets_replies_come_to_their_end() -> None:
    reached, may_go_on, step = gate()
    with engine_of(Script(endless=True, before_evaluate=step)) as (engine, listener, loader):
        running, waiting, reply = Chore(then=lambda loan: kept.append(loan.is_stopped)), Chore(), ask(max_tokens=3)
        kept: list[bool] = []
        engine.run(running)
        assert reached.wait(PATIENCE)
        engine.generate(reply)
        engine.run(waiting)
        engine.unload()
        may_go_on.set()
        ends = [end_of(listener, chore.id) for chore in (running, waiting)]
        assert [isinstance(end, JobFinished) and end.cancelled for end in ends] == [True, True]
        assert kept == [True]
        assert finished_of(listener, reply).finish_reason is FinishReason.LENGTH
        listener.wait_for(lambda event: isinstance(event, ModelUnloaded))
        assert [model.closed for model in loader.models] == [True]
        later = Chore(then=nothing)
        loader.script.endless = False
        engine.run(later)
        assert end_of(listener, later.id) == JobFinished(later.id, "Hello there.")

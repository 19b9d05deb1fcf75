"""What waits is done in its order or withdrawn, and what runs is stopped when it is meant."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from inference.bounds import StateBudget
from inference.configuration import ModelConfig
from inference.errors import EngineClosed
from inference.messages import Message, Role
from inference.model import StopFlag
from inference.requests import GenerationRequest
from inference.task_queue import Asked, Forget, Keep, Load, Run, TaskQueue, Try, Unload, id_of
from tests.inference.listening import PATIENCE
from tests.inference.test_jobs import Chore

CONFIG = ModelConfig(Path("x.gguf"))


def request() -> GenerationRequest:
    return GenerationRequest(CONFIG, (Message(Role.USER, "Hi"),))


def nothing_else() -> bool:
    return False


class Tasks:
    """A queue, and the flag that it stops things by."""

    def __init__(self) -> None:
        self.flag = StopFlag()
        self.queue = TaskQueue(self.flag)

    def begin(self, task: Asked) -> None:
        self.queue.put(task)
        assert self.queue.next(nothing_else) is task
        assert self.queue.take(task)

    def withdrawn(self) -> list[Asked]:
        return list(iter(self.queue.pop_withdrawn, None))


@pytest.fixture
def tasks() -> Tasks:
    return Tasks()


def test_tasks_are_done_in_the_order_they_came(tasks):
    put = [Load(CONFIG), request(), Keep(StateBudget()), request(), Unload()]
    for task in put:
        tasks.queue.put(task)
    done = []
    for _ in put:
        done.append(tasks.queue.next(nothing_else))
        assert tasks.queue.take(done[-1])
    assert done == put


def test_a_task_that_waits_is_withdrawn_and_never_begun(tasks):
    first, second = request(), request()
    tasks.begin(first)
    tasks.queue.put(second)
    tasks.queue.cancel(second.id)
    assert not tasks.flag.is_set()
    assert tasks.withdrawn() == [second]
    assert not tasks.queue.take(second)


def test_a_task_can_be_withdrawn_while_its_model_loads(tasks):
    only = request()
    tasks.queue.put(only)
    assert tasks.queue.next(nothing_else) is only
    tasks.queue.cancel(only.id)
    assert not tasks.queue.take(only)
    assert tasks.withdrawn() == [only]


def test_what_runs_is_stopped_and_what_comes_next_is_not(tasks):
    first, second = request(), request()
    tasks.begin(first)
    tasks.queue.cancel(first.id)
    assert tasks.flag.is_set()
    tasks.queue.release()
    tasks.begin(second)
    assert not tasks.flag.is_set()
    tasks.queue.cancel(first.id)
    assert not tasks.flag.is_set(), "it has ended"


def test_jobs_end_early_for_a_model_that_is_let_go_of_and_requests_do_not(tasks):
    running, waiting, asked = Run(Chore(CONFIG)), Run(Chore(CONFIG)), request()
    tasks.begin(running)
    tasks.queue.put(waiting)
    tasks.queue.put(asked)
    tasks.queue.put(Unload())
    assert tasks.flag.is_set()
    assert tasks.withdrawn() == [waiting]
    assert tasks.queue.next(nothing_else) is asked


def test_whoever_was_withdrawn_is_told_before_anything_else_is_waited_for(tasks):
    only = request()
    tasks.queue.put(only)
    tasks.queue.cancel(only.id)
    assert tasks.queue.next(nothing_else) is None
    assert tasks.withdrawn() == [only]


def test_idle_work_is_done_only_while_nothing_is_asked_and_ends_for_the_first_task(tasks):
    assert tasks.queue.next(lambda: True) == Try()
    tasks.queue.put(Load(CONFIG))
    assert tasks.flag.is_set()
    assert tasks.queue.next(lambda: True) == Load(CONFIG)


def test_who_waits_for_a_task_gets_the_first_that_comes(tasks):
    got: list[object] = []
    thread = threading.Thread(target=lambda: got.append(tasks.queue.next(nothing_else)), daemon=True)
    thread.start()
    tasks.queue.put(Load(CONFIG))
    thread.join(PATIENCE)
    assert got == [Load(CONFIG)]


def test_a_closed_queue_takes_and_gives_nothing(tasks):
    running, waiting = request(), request()
    tasks.begin(running)
    tasks.queue.put(waiting)
    tasks.queue.put(Forget(("somebody",)))
    tasks.queue.close()
    assert tasks.flag.is_set()
    assert tasks.queue.is_closing
    assert tasks.queue.next(lambda: True) is None
    assert not tasks.queue.take(waiting)
    assert not tasks.queue.may_load()
    assert tasks.flag.is_set(), "what runs is still to end"
    with pytest.raises(EngineClosed):
        tasks.queue.put(request())
    assert tasks.queue.withdraw_all() == (("somebody",),)
    assert tasks.withdrawn() == [waiting]


def test_a_task_that_broke_before_it_was_taken_does_not_come_again(tasks):
    first, second = Load(CONFIG), request()
    tasks.queue.put(first)
    tasks.queue.put(second)
    tasks.queue.drop(first)
    tasks.queue.drop(first)
    assert tasks.queue.next(nothing_else) is second


def test_requests_and_jobs_are_told_apart_by_their_ids():
    asked, job = request(), Run(Chore(CONFIG))
    assert id_of(asked) == asked.id
    assert id_of(job) == job.job.id

"""What an engine was asked and has not done yet, and what it does now: all that its thread shares with others."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from inference.bounds import StateBudget
from inference.configuration import ModelConfig
from inference.errors import EngineClosed
from inference.ids import JobId, RequestId
from inference.model import StopFlag
from inference.requests import GenerationRequest

if TYPE_CHECKING:
    from inference.jobs import Job


@dataclass(frozen=True, slots=True)
class Load:
    """Have this model loaded, in place of any other."""

    model: ModelConfig


@dataclass(frozen=True, slots=True)
class Unload:
    """Free the model. Jobs end early for it."""


@dataclass(frozen=True, slots=True)
class Keep:
    """Keep to this budget for KV states."""

    states: StateBudget


@dataclass(frozen=True, slots=True)
class Forget:
    """Delete all KV states of these owners."""

    owners: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Try:
    """Nothing is asked: find out a little more about the loaded model. Never in the queue."""


@dataclass(frozen=True, slots=True)
class Run:
    """Lend the model to this job."""

    job: Job


Asked = GenerationRequest | Run  # has an id, and can be withdrawn
Task = Asked | Load | Unload | Keep | Forget | Try


class TaskQueue:
    """One lock guards all of it, and is held for moments only; `next` alone waits.

    The flag stops what is done now: it is set here, and lowered when something else begins.
    """

    def __init__(self, stop_flag: StopFlag) -> None:
        self._stop_flag = stop_flag
        self._changed = threading.Condition()
        # Guarded by _changed: what waits, what was withdrawn while it waited, and what runs.
        self._tasks: deque[Task] = deque()
        self._withdrawn: deque[Asked] = deque()
        self._running: Asked | None = None
        self._is_trying = False
        self._closing = False

    # On any thread.

    def put(self, task: Task) -> None:
        """Have this done after all others.

        Raises:
            EngineClosed: nothing more is done.
        """
        with self._changed:
            if self._closing:
                raise EngineClosed
            if isinstance(task, Unload):
                self._end_early(lambda asked: isinstance(asked, Run))
            self._tasks.append(task)
            if self._is_trying:
                self._stop_flag.set()
            self._changed.notify()

    def cancel(self, number: RequestId | JobId) -> None:
        """End what has this id, wherever it is."""
        with self._changed:
            self._end_early(lambda asked: id_of(asked) == number)

    def close(self) -> None:
        """Stop what is done now, and do nothing more."""
        with self._changed:  # this thread may hold it already, in the middle of anything
            self._closing = True
            self._stop_flag.set()
            self._changed.notify()

    # On the engine's thread.

    @property
    def is_closing(self) -> bool:
        with self._changed:
            return self._closing

    def next(self, has_idle_work: Callable[[], bool]) -> Task | None:
        """The task to do next, left at the head of the queue so that it can be withdrawn while its model loads; `Try`
        where there is time for idle work, and some to do. `None` where something was withdrawn, or the end has come."""
        with self._changed:
            if self._begin_to_try(has_idle_work):
                return Try()
            self._changed.wait_for(lambda: self._closing or self._tasks or self._withdrawn)
            return self._tasks[0] if self._tasks and not self._closing else None

    def take(self, task: Task) -> bool:
        """Take `task` from the queue to do it; `False` where it was withdrawn meanwhile or the engine is closing."""
        with self._changed:
            if self._closing or task not in self._tasks:
                return False
            self._tasks.remove(task)
            self._stop_flag.clear()
            self._running = task if isinstance(task, Asked) else None
            return True

    def drop(self, task: Task) -> None:
        """Where it went wrong before it was taken, it would come up again and again."""
        with self._changed:
            if self._tasks and self._tasks[0] is task:
                self._tasks.popleft()

    def is_running(self, task: Task) -> bool:
        return self._running is task

    def release(self) -> None:
        """What was taken is done."""
        with self._changed:
            self._running = None

    def may_load(self) -> bool:
        """Whether a model can be loaded for what is next: a closing engine loads nothing. What was stopped before is
        over."""
        with self._changed:
            if not self._closing:
                self._stop_flag.clear()
            return not self._closing

    def pop_withdrawn(self) -> Asked | None:
        """One of those that are to be told that they were never begun."""
        with self._changed:
            return self._withdrawn.popleft() if self._withdrawn else None

    def withdraw_all(self) -> tuple[tuple[str, ...], ...]:
        """Nothing that waits is done; returns whose states are still to be forgotten."""
        with self._changed:
            forgotten = tuple(task.owners for task in self._tasks if isinstance(task, Forget))
            self._withdrawn.extend(task for task in self._tasks if isinstance(task, Asked))
            self._tasks.clear()
        return forgotten

    # Under the lock.

    def _end_early(self, is_meant: Callable[[Asked], bool]) -> None:
        """End what runs and withdraw what waits, where it is meant."""
        if self._running is not None and is_meant(self._running):
            self._stop_flag.set()
        meant = [task for task in self._tasks if isinstance(task, Asked) and is_meant(task)]
        for task in meant:
            self._tasks.remove(task)
            self._withdrawn.append(task)
        if meant:
            self._changed.notify()

    def _begin_to_try(self, has_idle_work: Callable[[], bool]) -> bool:
        """Whether there is time to find something out, and something to find out."""
        wanted = self._closing or self._tasks or self._withdrawn
        self._is_trying = not wanted and has_idle_work()
        if self._is_trying:
            self._stop_flag.clear()
        return self._is_trying


def id_of(asked: Asked) -> RequestId | JobId:
    """By which it can be cancelled."""
    return asked.job.id if isinstance(asked, Run) else asked.id

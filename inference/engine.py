"""Engine, and LocalEngine: one thread that owns the model, one task at a time.

Requests and jobs wait in one queue, in the order they came. Events are handed to `emit` on the engine's thread.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, assert_never

from inference.bounds import StateBudget
from inference.configuration import EngineFiles, ModelConfig, RemoteModel
from inference.errors import EngineClosed, InferenceError, InvalidRequest
from inference.events import (
    Event,
    FinishReason,
    GenerationFailed,
    GenerationFinished,
    JobFailed,
    JobFinished,
    ModelFailed,
    ModelLoading,
    ModelReady,
    ModelUnloaded,
    Timings,
    Trace,
    Usage,
)
from inference.faults import fault_of, tell_fault
from inference.ids import JobId, RequestId
from inference.leaving import Worker, closed_at_exit
from inference.model import Loader, LoadStopped, StopFlag
from inference.requests import GenerationRequest
from inference.sentences import Sentence

if TYPE_CHECKING:
    from inference.jobs import Job
    from inference.workbench import Workbench

Emit = Callable[[Event], None]


class Engine(Protocol):
    """What answers requests. Every method may be called from any thread and returns at once; only `close` waits.

    Every request ends with exactly one `GenerationFinished` or `GenerationFailed`, every job with one `JobFinished` or
    `JobFailed`; the events of each come in order; after `close` there are none. Where `emit` raises over one, its
    request or job ends there with an `EngineFault`, and nothing else does. Over a last event, or one of none of them,
    there is nothing to end: `threading.excepthook` is told.
    """

    def load(self, model: ModelConfig) -> None:
        """Have `model` loaded, in place of any other. Ends with `ModelReady` or `ModelFailed`."""

    def unload(self) -> None:
        """Free the model and its KV cache, once what was asked before is done. Jobs are ended early for it."""

    def keep_states(self, states: StateBudget) -> None:
        """Keep to this budget from now on, once what was asked before is done. What is beyond it goes at once."""

    def forget_states(self, owners: Iterable[str]) -> None:
        """Delete all that is kept of these owners' requests, in memory and on disk, once what was asked before is
        done; it is done even where the engine is closed meanwhile."""

    def generate(self, request: GenerationRequest) -> RequestId:
        """Queue a request; it loads its model where another or none is loaded.

        Raises:
            EngineClosed: the engine was closed before.
            InvalidRequest: its model is not of the kind this engine answers with.
        """

    def run(self, job: Job) -> JobId:
        """Queue a job, which has the model to itself until it ends.

        Raises:
            EngineClosed: the engine was closed before.
            InvalidRequest: this engine lends no models.
        """

    def cancel(self, request: RequestId | JobId) -> None:
        """End a request or a job early, wherever it is; what was written stays. One that has ended is left alone."""

    def close(self) -> None:
        """Cancel everything, wait for the last event, free the model. Closing twice is fine."""


@dataclass(frozen=True, slots=True)
class _Load:
    model: ModelConfig


@dataclass(frozen=True, slots=True)
class _Unload:
    pass


@dataclass(frozen=True, slots=True)
class _Keep:
    states: StateBudget


@dataclass(frozen=True, slots=True)
class _Forget:
    owners: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Try:
    """Nothing is asked: find out a little more about the loaded model. Never in the queue."""


@dataclass(frozen=True, slots=True)
class _Run:
    job: Job


_Asked = GenerationRequest | _Run  # has an id, and can be withdrawn
_Task = _Asked | _Load | _Unload | _Keep | _Forget | _Try


class _Unheard(Exception):
    """What listens broke over an event of a request or job; the cause is what it raised."""


class LocalEngine:
    """llama.cpp on this machine, on a thread of its own.

    A program that never closes it still exits cleanly: it is closed at the interpreter's exit. In a forked process it
    is closed from the beginning: threads do not come along.
    """

    def __init__(
        self,
        emit: Emit,
        states: StateBudget | None = None,
        loader: Loader | None = None,
        clock: Callable[[], float] = time.perf_counter,
        files: EngineFiles | None = None,
        most_threads: int | None = None,
    ) -> None:
        """`most_threads` bounds what is tried of them; `None` is one fewer than the cores."""
        self._emit_outside = emit
        self._states = states or StateBudget()
        self._files = files or EngineFiles()
        self._most_threads = most_threads
        self._loader = loader
        self._clock = clock
        self._stop_flag = StopFlag()
        self._changed = threading.Condition()
        # Guarded by _changed: what waits, what was withdrawn while it waited, and what runs.
        self._tasks: deque[_Task] = deque()
        self._withdrawn: deque[_Asked] = deque()
        self._running: _Asked | None = None
        self._is_trying = False
        self._closing = False
        # The thread's own, from its first task on.
        self._bench: Workbench | None = None
        self._worker = Worker(self._work, "engine")
        self._was_closed = closed_at_exit(self)
        self._worker.start()

    def load(self, model: ModelConfig) -> None:
        self._queue(_Load(model))

    def unload(self) -> None:
        self._queue(_Unload())

    def keep_states(self, states: StateBudget) -> None:
        self._queue(_Keep(states))

    def forget_states(self, owners: Iterable[str]) -> None:
        self._queue(_Forget(tuple(owners)))

    def generate(self, request: GenerationRequest) -> RequestId:
        _file_of(request)
        self._queue(replace(request, submitted_at=self._clock()))
        return request.id

    def run(self, job: Job) -> JobId:
        self._queue(_Run(job))
        return job.id

    def cancel(self, request: RequestId | JobId) -> None:
        if not self._worker.is_here:
            return
        with self._changed:
            self._end_early(lambda asked: _id_of(asked) == request)

    def close(self) -> None:
        self.leave()
        self._worker.wait()
        self._was_closed()

    def leave(self) -> None:
        """Have it closed, but wait for nothing: the garbage collector may ask for it, on any thread."""
        if self._worker.is_here:
            with self._changed:  # this thread may hold it already, in the middle of anything
                self._closing = True
                self._stop_flag.set()
                self._changed.notify()

    def _queue(self, task: _Task) -> None:
        if not self._worker.is_here:
            raise EngineClosed
        with self._changed:
            if self._closing:
                raise EngineClosed
            if isinstance(task, _Unload):
                self._end_early(lambda asked: isinstance(asked, _Run))
            self._tasks.append(task)
            if self._is_trying:
                self._stop_flag.set()
            self._changed.notify()

    def _end_early(self, is_meant: Callable[[_Asked], bool]) -> None:
        """End what runs and withdraw what waits, where it is meant. Under the lock."""
        if self._running is not None and is_meant(self._running):
            self._stop_flag.set()
        meant = [task for task in self._tasks if isinstance(task, GenerationRequest | _Run) and is_meant(task)]
        for task in meant:
            self._tasks.remove(task)
            self._withdrawn.append(task)
        if meant:
            self._changed.notify()

    # The engine's thread.

    def _work(self) -> None:
        while (task := self._next_task()) is not None:
            try:
                self._do(task, self._workbench())
            except _Unheard as unheard:
                self._end_with(task, fault_of(unheard.__cause__ or unheard))
            except Exception as error:  # noqa: BLE001 - the engine's loop: one bad task must not end it
                self._fault(task, error)
        for owners in self._end_all():
            self._workbench().forget_states(owners)
        if self._bench is not None:
            self._bench.close()

    def _workbench(self) -> Workbench:
        if self._bench is None:
            began = self._clock()
            # Templates, tokens and text take a tenth of a second to import, which no window should wait for.
            from inference.workbench import Workbench

            self._bench = Workbench(
                self._states, self._files, self._loader, self._stop_flag, self._clock, self._most_threads, began
            )
        return self._bench

    def _next_task(self) -> _Task | None:
        """The task to do next, left at the head of the queue so that it can be withdrawn while its model loads."""
        while True:
            with self._changed:
                if self._begin_to_try():
                    return _Try()
                self._changed.wait_for(lambda: self._closing or self._tasks or self._withdrawn)
                if self._closing:
                    return None
                task = self._tasks[0] if self._tasks else None
            self._end_withdrawn()
            if task is not None:
                return task

    def _begin_to_try(self) -> bool:
        """Whether there is time to find something out, and something to find out. Under the lock."""
        wanted = self._closing or self._tasks or self._withdrawn
        self._is_trying = not wanted and self._bench is not None and self._bench.has_idle_work
        if self._is_trying:
            self._stop_flag.clear()
        return self._is_trying

    def _do(self, task: _Task, bench: Workbench) -> None:
        match task:
            case _Load():
                self._take(task)
                if not bench.holds(task.model):
                    self._load(bench, task.model)
                elif bench.info is not None:
                    self._say(ModelReady(bench.info))
            case _Unload():
                self._take(task)
                self._unload(bench)
            case _Keep() | _Forget():
                self._take(task)
                _tend_states(task, bench)
            case GenerationRequest():
                self._answer(task, bench)
            case _Run(job):
                self._run(task, job, bench)
            case _Try():
                self._learn(bench, bench.idle)
            case _:
                assert_never(task)

    def _answer(self, request: GenerationRequest, bench: Workbench) -> None:
        error = self._have(bench, _file_of(request))
        if error is not None and self._take(request):
            self._say(GenerationFailed(request.id, error))
        if bench.info is None or not self._take(request):
            return
        with closing(bench.answer(request)) as events:
            for event in events:
                if isinstance(event, GenerationFinished | GenerationFailed):
                    self._release()
                    self._say(event)
                else:
                    self._emit(event)
        self._say_if_gone(bench, _file_of(request))
        self._learn(bench, bench.after_reply)

    def _learn(self, bench: Workbench, step: Callable[[], bool]) -> None:
        """Take a step that may find out more about the model that is loaded."""
        if bench.info is not None:
            config = bench.info.config
            if step() and bench.info is not None:
                self._say(ModelReady(bench.info))
            self._say_if_gone(bench, config)

    def _run(self, task: _Run, job: Job, bench: Workbench) -> None:
        error = self._have(bench, job.model)
        if error is not None and self._take(task):
            self._say(JobFailed(job.id, error))
        if bench.info is None or not self._take(task):
            return
        try:
            with closing(bench.run(job)) as steps:
                while True:
                    self._emit(next(steps))
        except StopIteration as ended:
            self._release()
            self._say(JobFinished(job.id, ended.value, cancelled=self._stop_flag.is_set()))
        except InferenceError as failure:
            self._release()
            self._say(JobFailed(job.id, failure))
        self._say_if_gone(bench, job.model)

    def _have(self, bench: Workbench, config: ModelConfig) -> InferenceError | None:
        """Have this model loaded; returns why that failed."""
        return None if bench.holds(config) else self._load(bench, config)

    def _take(self, task: _Task) -> bool:
        """Take `task` from the queue to do it; `False` where it was withdrawn meanwhile or the engine is closing."""
        with self._changed:
            if self._closing or task not in self._tasks:
                return False
            self._tasks.remove(task)
            self._stop_flag.clear()
            self._running = task if isinstance(task, GenerationRequest | _Run) else None
            return True

    def _release(self) -> None:
        with self._changed:
            self._running = None

    def _load(self, bench: Workbench, config: ModelConfig) -> InferenceError | None:
        """Load `config` in place of what is loaded; returns why that failed. A closing engine loads nothing."""
        self._unload(bench)
        with self._changed:
            if self._closing:
                return None
            self._stop_flag.clear()
        self._say(ModelLoading(config, 0.0))
        try:
            info = bench.load(config, self._progress_of(config))
        except LoadStopped:
            return None
        except InferenceError as error:
            self._say(ModelFailed(config, error))
            return error
        self._say(ModelReady(info))
        return None

    def _progress_of(self, config: ModelConfig) -> Callable[[float], None]:
        shown = 0.0

        def progress(fraction: float) -> None:
            nonlocal shown
            # llama.cpp calls once per tensor; a hundred steps are enough to see.
            if fraction >= shown + 0.01 or fraction >= 1.0 > shown:
                shown = fraction
                self._say(ModelLoading(config, fraction))
            else:
                self._end_withdrawn()

        return progress

    def _unload(self, bench: Workbench, *, keep: bool = True) -> None:
        if bench.info is not None:
            config = bench.info.config
            bench.unload(keep=keep)
            self._say(ModelUnloaded(config))

    def _fault(self, task: _Task, error: Exception) -> None:
        """Our own fault, or memory that ran out: say so, and let go of a model whose state nobody knows any more."""
        fault = fault_of(error)
        match task:
            case GenerationRequest() | _Run():
                self._end_with(task, fault)
            case _Load():
                self._drop(task)
                self._say(ModelFailed(task.model, fault))
            case _Unload() | _Keep() | _Forget():
                self._drop(task)
            case _Try():
                if self._bench is not None and self._bench.info is not None:
                    self._say(ModelFailed(self._bench.info.config, fault))
            case _:
                assert_never(task)
        if self._bench is not None:
            self._unload(self._bench, keep=False)

    def _drop(self, task: _Task) -> None:
        """Where it went wrong before it was taken, it would come up again and again."""
        with self._changed:
            if self._tasks and self._tasks[0] is task:
                self._tasks.popleft()

    def _end_with(self, task: _Task, fault: InferenceError) -> None:
        """End a request or job that has not ended yet."""
        if isinstance(task, GenerationRequest | _Run) and (self._running is task or self._take(task)):
            self._release()
            self._say(_failed(task, fault))

    def _say_if_gone(self, bench: Workbench, config: ModelConfig) -> None:
        """A file that is about to be written into is let go of in the middle of what it was used for."""
        if bench.info is None:
            self._say(ModelUnloaded(config))

    def _emit(self, event: Event) -> None:
        """Hand over an event of what runs now, which ends where that goes wrong."""
        self._end_withdrawn()
        try:
            self._emit_outside(event)
        except Exception as error:
            raise _Unheard from error

    def _say(self, event: Event) -> None:
        """Hand over an event after which nothing is to be ended."""
        self._end_withdrawn()
        self._say_only(event)

    def _say_only(self, event: Event) -> None:
        try:
            self._emit_outside(event)
        except Exception as error:  # noqa: BLE001 - the engine's loop: what listens may break, and the thread goes on
            tell_fault(error)

    def _end_withdrawn(self) -> None:
        while True:
            with self._changed:
                if not self._withdrawn:
                    return
                asked = self._withdrawn.popleft()
            self._say_only(self._never_begun(asked))

    def _end_all(self) -> tuple[tuple[str, ...], ...]:
        """End what waits; returns whose states are still to be forgotten."""
        with self._changed:
            waiting = [task for task in self._tasks if isinstance(task, GenerationRequest | _Run)]
            forgotten = tuple(task.owners for task in self._tasks if isinstance(task, _Forget))
            self._tasks.clear()
            self._withdrawn.extend(waiting)
        self._end_withdrawn()
        return forgotten

    def _never_begun(self, asked: _Asked) -> GenerationFinished | JobFinished:
        if isinstance(asked, _Run):
            return JobFinished(asked.job.id, None, cancelled=True)
        request = asked
        waited = self._clock() - (request.submitted_at or self._clock())
        return GenerationFinished(
            request=request.id,
            text="",
            finish_reason=FinishReason.CANCELLED,
            model_name=_file_of(request).path.stem,
            usage=Usage(0, 0, 0),
            timings=Timings(queued=waited, load=0.0),
            trace=Trace(),
        )


def _tend_states(task: _Keep | _Forget, bench: Workbench) -> None:
    if isinstance(task, _Keep):
        bench.keep_states(task.states)
    else:
        bench.forget_states(task.owners)


def _id_of(asked: _Asked) -> RequestId | JobId:
    return asked.job.id if isinstance(asked, _Run) else asked.id


def _failed(asked: _Asked, error: InferenceError) -> GenerationFailed | JobFailed:
    return JobFailed(asked.job.id, error) if isinstance(asked, _Run) else GenerationFailed(asked.id, error)


def _file_of(request: GenerationRequest) -> ModelConfig:
    if isinstance(request.model, RemoteModel):
        raise InvalidRequest(Sentence("This engine answers from a model file; the request names a server."))
    return request.model

"""LocalEngine: one thread that owns the model, one task at a time.

Requests and jobs wait in one queue, in the order they came. Events are handed to `emit` on the engine's thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

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
from inference.task_queue import Asked, Forget, Keep, Load, Run, Task, TaskQueue, Try, Unload

if TYPE_CHECKING:
    from inference.jobs import Job
    from inference.workbench import Workbench

Emit = Callable[[Event], None]


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
        self._tasks = TaskQueue(self._stop_flag)
        # The thread's own, from its first task on.
        self._bench: Workbench | None = None
        self._worker = Worker(self._work, "engine")
        self._was_closed = closed_at_exit(self)
        self._worker.start()

    def load(self, model: ModelConfig) -> None:
        self._put(Load(model))

    def unload(self) -> None:
        self._put(Unload())

    def keep_states(self, states: StateBudget) -> None:
        self._put(Keep(states))

    def forget_states(self, owners: Iterable[str]) -> None:
        self._put(Forget(tuple(owners)))

    def generate(self, request: GenerationRequest) -> RequestId:
        _file_of(request)
        self._put(replace(request, submitted_at=self._clock()))
        return request.id

    def run(self, job: Job) -> JobId:
        self._put(Run(job))
        return job.id

    def cancel(self, request: RequestId | JobId) -> None:
        if self._worker.is_here:
            self._tasks.cancel(request)

    def close(self) -> None:
        self.leave()
        self._worker.wait()
        self._was_closed()

    def leave(self) -> None:
        """Have it closed, but wait for nothing: the garbage collector may ask for it, on any thread."""
        if self._worker.is_here:
            self._tasks.close()

    def _put(self, task: Task) -> None:
        if not self._worker.is_here:
            raise EngineClosed
        self._tasks.put(task)

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

    def _next_task(self) -> Task | None:
        """The task to do next; `None` when the end has come."""
        while not self._tasks.is_closing:
            task = self._tasks.next(self._has_idle_work)
            self._end_withdrawn()
            if task is not None:
                return task
        return None

    def _has_idle_work(self) -> bool:
        return self._bench is not None and self._bench.has_idle_work

    def _do(self, task: Task, bench: Workbench) -> None:
        match task:
            case Load():
                self._tasks.take(task)
                if not bench.holds(task.model):
                    self._load(bench, task.model)
                elif bench.info is not None:
                    self._say(ModelReady(bench.info))
            case Unload():
                self._tasks.take(task)
                self._unload(bench)
            case Keep() | Forget():
                self._tasks.take(task)
                _tend_states(task, bench)
            case GenerationRequest():
                self._answer(task, bench)
            case Run(job):
                self._run(task, job, bench)
            case Try():
                self._learn(bench, bench.idle)
            case _:
                assert_never(task)

    def _answer(self, request: GenerationRequest, bench: Workbench) -> None:
        error = self._have(bench, _file_of(request))
        if error is not None and self._tasks.take(request):
            self._say(GenerationFailed(request.id, error))
        if bench.info is None or not self._tasks.take(request):
            return
        with closing(bench.answer(request)) as events:
            for event in events:
                if isinstance(event, GenerationFinished | GenerationFailed):
                    self._tasks.release()
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

    def _run(self, task: Run, job: Job, bench: Workbench) -> None:
        error = self._have(bench, job.model)
        if error is not None and self._tasks.take(task):
            self._say(JobFailed(job.id, error))
        if bench.info is None or not self._tasks.take(task):
            return
        try:
            with closing(bench.run(job)) as steps:
                while True:
                    self._emit(next(steps))
        except StopIteration as ended:
            self._tasks.release()
            self._say(JobFinished(job.id, ended.value, cancelled=self._stop_flag.is_set()))
        except InferenceError as failure:
            self._tasks.release()
            self._say(JobFailed(job.id, failure))
        self._say_if_gone(bench, job.model)

    def _have(self, bench: Workbench, config: ModelConfig) -> InferenceError | None:
        """Have this model loaded; returns why that failed."""
        return None if bench.holds(config) else self._load(bench, config)

    def _load(self, bench: Workbench, config: ModelConfig) -> InferenceError | None:
        """Load `config` in place of what is loaded; returns why that failed. A closing engine loads nothing."""
        self._unload(bench)
        if not self._tasks.may_load():
            return None
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

    def _fault(self, task: Task, error: Exception) -> None:
        """Our own fault, or memory that ran out: say so, and let go of a model whose state nobody knows any more."""
        fault = fault_of(error)
        match task:
            case GenerationRequest() | Run():
                self._end_with(task, fault)
            case Load():
                self._tasks.drop(task)
                self._say(ModelFailed(task.model, fault))
            case Unload() | Keep() | Forget():
                self._tasks.drop(task)
            case Try():
                if self._bench is not None and self._bench.info is not None:
                    self._say(ModelFailed(self._bench.info.config, fault))
            case _:
                assert_never(task)
        if self._bench is not None:
            self._unload(self._bench, keep=False)

    def _end_with(self, task: Task, fault: InferenceError) -> None:
        """End a request or job that has not ended yet."""
        if isinstance(task, Asked) and (self._tasks.is_running(task) or self._tasks.take(task)):
            self._tasks.release()
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
        while (asked := self._tasks.pop_withdrawn()) is not None:
            self._say_only(self._never_begun(asked))

    def _end_all(self) -> tuple[tuple[str, ...], ...]:
        """End what waits; returns whose states are still to be forgotten."""
        forgotten = self._tasks.withdraw_all()
        self._end_withdrawn()
        return forgotten

    def _never_begun(self, asked: Asked) -> GenerationFinished | JobFinished:
        if isinstance(asked, Run):
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


def _tend_states(task: Keep | Forget, bench: Workbench) -> None:
    if isinstance(task, Keep):
        bench.keep_states(task.states)
    else:
        bench.forget_states(task.owners)


def _failed(asked: Asked, error: InferenceError) -> GenerationFailed | JobFailed:
    return JobFailed(asked.job.id, error) if isinstance(asked, Run) else GenerationFailed(asked.id, error)


def _file_of(request: GenerationRequest) -> ModelConfig:
    if isinstance(request.model, RemoteModel):
        raise InvalidRequest(Sentence("This engine answers from a model file; the request names a server."))
    return request.model

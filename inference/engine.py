"""Engine, and LocalEngine: one thread that owns the model, one job at a time.

Jobs wait in one queue, in the order they came. Events are handed to `emit` on the engine's thread.
"""

from __future__ import annotations

import threading
import time
import traceback
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol, assert_never

from inference.errors import EngineClosed, EngineFault, InferenceError, InvalidRequest
from inference.events import (
    Event,
    FinishReason,
    GenerationFailed,
    GenerationFinished,
    ModelFailed,
    ModelInfo,
    ModelLoading,
    ModelReady,
    ModelUnloaded,
    Timings,
    Trace,
    Usage,
)
from inference.generation import Arrival, Clock, Generation
from inference.leaving import closed_at_exit
from inference.model import Loader, LoadStopped, Model, StopFlag
from inference.model_files import display_name
from inference.prefix_cache import PrefixCache, StateBudget
from inference.prompt import PromptBuilder
from inference.requests import GenerationRequest, ModelConfig, RemoteModel, RequestId
from inference.template import RenderStopped

Emit = Callable[[Event], None]


class Engine(Protocol):
    """What answers requests. Every method may be called from any thread and returns at once; only `close` waits.

    Every request ends with exactly one `GenerationFinished` or `GenerationFailed`; the events of a request come in
    order; after `close` there are none.
    """

    def load(self, model: ModelConfig) -> None:
        """Have `model` loaded, in place of any other. Ends with `ModelReady` or `ModelFailed`."""

    def unload(self) -> None:
        """Free the model and its KV cache, once what was asked before is done."""

    def generate(self, request: GenerationRequest) -> RequestId:
        """Queue a request; it loads its model where another or none is loaded.

        Raises:
            EngineClosed: the engine was closed before.
            InvalidRequest: its model is not of the kind this engine answers with.
        """

    def cancel(self, request: RequestId) -> None:
        """End a request early, wherever it is; what was written stays. One that has ended is left alone."""

    def close(self) -> None:
        """Cancel everything, wait for the last event, free the model. Closing twice is fine."""


@dataclass(frozen=True, slots=True)
class _Load:
    model: ModelConfig


@dataclass(frozen=True, slots=True)
class _Unload:
    pass


_Job = GenerationRequest | _Load | _Unload


@dataclass(frozen=True, slots=True)
class _Loaded:
    """The model that is loaded, with what was made for it, and when its load took place."""

    config: ModelConfig
    model: Model
    prompts: PromptBuilder
    info: ModelInfo
    began: float
    ended: float


class LocalEngine:
    """llama.cpp on this machine, on a thread of its own.

    A program that never closes it still exits cleanly: it is closed at the interpreter's exit.
    """

    def __init__(
        self,
        emit: Emit,
        states: StateBudget | None = None,
        loader: Loader | None = None,
        clock: Clock = time.perf_counter,
    ) -> None:
        self._emit_outside = emit
        self._cache = PrefixCache.within(states or StateBudget())
        self._loader = loader or _load_with_llama
        self._clock = clock
        self._stop_flag = StopFlag()
        self._changed = threading.Condition()
        # Guarded by _changed: what waits, what was withdrawn while it waited, and what runs.
        self._jobs: deque[_Job] = deque()
        self._withdrawn: deque[GenerationRequest] = deque()
        self._running: RequestId | None = None
        self._closing = False
        # The thread's own.
        self._loaded: _Loaded | None = None
        self._thread = threading.Thread(target=self._work, name="engine", daemon=True)
        self._was_closed = closed_at_exit(self)
        self._thread.start()

    def load(self, model: ModelConfig) -> None:
        self._queue(_Load(model))

    def unload(self) -> None:
        self._queue(_Unload())

    def generate(self, request: GenerationRequest) -> RequestId:
        _file_of(request)
        self._queue(replace(request, submitted_at=self._clock()))
        return request.id

    def cancel(self, request: RequestId) -> None:
        with self._changed:
            if request == self._running:
                self._stop_flag.set()
                return
            for job in self._jobs:
                if isinstance(job, GenerationRequest) and job.id == request:
                    self._jobs.remove(job)
                    self._withdrawn.append(job)
                    self._changed.notify()
                    return

    def close(self) -> None:
        with self._changed:
            self._closing = True
            self._stop_flag.set()
            self._changed.notify()
        if threading.current_thread() is not self._thread:
            self._thread.join()
        self._was_closed()

    def _queue(self, job: _Job) -> None:
        with self._changed:
            if self._closing:
                raise EngineClosed
            self._jobs.append(job)
            self._changed.notify()

    # The engine's thread.

    def _work(self) -> None:
        while (job := self._next_job()) is not None:
            try:
                self._do(job)
            except Exception as error:  # noqa: BLE001 - the engine's loop: one bad job must not end it
                self._fault(job, error)
        self._end_all()
        self._free_model()
        self._cache.close()

    def _next_job(self) -> _Job | None:
        """The job to do next, left at the head of the queue so that it can be withdrawn while its model loads."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closing or self._jobs or self._withdrawn)
                if self._closing:
                    return None
                job = self._jobs[0] if self._jobs else None
            self._end_withdrawn()
            if job is not None:
                return job

    def _do(self, job: _Job) -> None:
        match job:
            case _Load():
                self._take(job)
                self._load_again(job.model)
            case _Unload():
                self._take(job)
                self._unload()
            case GenerationRequest():
                self._answer(job)
            case _:
                assert_never(job)

    def _load_again(self, config: ModelConfig) -> None:
        if self._loaded is not None and self._loaded.config == config:
            self._emit(ModelReady(self._loaded.info))
        else:
            self._load(config)

    def _answer(self, request: GenerationRequest) -> None:
        loaded = self._load(_file_of(request))
        if isinstance(loaded, InferenceError):
            if self._take(request):
                self._emit(GenerationFailed(request.id, loaded))
            return
        if loaded is None or not self._take(request):
            return
        generation = Generation(
            request,
            loaded.model,
            loaded.prompts,
            self._cache,
            self._stop_flag,
            self._arrival(request, loaded),
            self._clock,
        )
        for event in generation.events():
            if isinstance(event, GenerationFinished | GenerationFailed):
                self._release()
            self._emit(event)

    def _arrival(self, request: GenerationRequest, loaded: _Loaded) -> Arrival:
        now = self._clock()
        submitted = now if request.submitted_at is None else request.submitted_at
        load = max(0.0, loaded.ended - max(loaded.began, submitted))
        return Arrival(submitted, now - submitted - load, load)

    def _take(self, job: _Job) -> bool:
        """Take `job` from the queue to do it; `False` where it was withdrawn meanwhile or the engine is closing."""
        with self._changed:
            if self._closing or job not in self._jobs:
                return False
            self._jobs.remove(job)
            self._stop_flag.clear()
            self._running = job.id if isinstance(job, GenerationRequest) else None
            return True

    def _release(self) -> None:
        with self._changed:
            self._running = None

    def _load(self, config: ModelConfig) -> _Loaded | InferenceError | None:
        """Load `config` unless it is loaded; `None` where the engine is closing."""
        if self._loaded is not None and self._loaded.config == config:
            return self._loaded
        self._unload()
        with self._changed:
            if self._closing:
                return None
            self._stop_flag.clear()
        began = self._clock()
        self._emit(ModelLoading(config, 0.0))
        try:
            model = self._loader(config, self._stop_flag, self._progress_of(config))
        except LoadStopped:
            return None
        except InferenceError as error:
            self._emit(ModelFailed(config, error))
            return error
        return self._loaded_with_prompts(config, model, began)

    def _loaded_with_prompts(self, config: ModelConfig, model: Model, began: float) -> _Loaded | InferenceError | None:
        try:
            prompts = PromptBuilder(model, self._stop_flag.is_set, config.template)
        except RenderStopped:
            model.close()
            return None
        except InferenceError as error:
            model.close()
            self._emit(ModelFailed(config, error))
            return error
        ended = self._clock()
        info = replace(
            model.info,
            template_name=prompts.template_name,
            has_thinking_switch=prompts.has_thinking_switch,
            warnings=prompts.warnings,
            load_seconds=ended - began,
        )
        self._loaded = _Loaded(config, model, prompts, info, began, ended)
        self._cache.open(model.state_key)
        self._emit(ModelReady(info))
        return self._loaded

    def _progress_of(self, config: ModelConfig) -> Callable[[float], None]:
        shown = 0.0

        def progress(fraction: float) -> None:
            nonlocal shown
            # llama.cpp calls once per tensor; a hundred steps are enough to see.
            if fraction >= shown + 0.01 or fraction >= 1.0 > shown:
                shown = fraction
                self._emit(ModelLoading(config, fraction))

        return progress

    def _unload(self, *, keep: bool = True) -> None:
        if self._loaded is not None:
            config = self._loaded.config
            self._free_model(keep=keep)
            self._emit(ModelUnloaded(config))

    def _free_model(self, *, keep: bool = True) -> None:
        if self._loaded is not None:
            model, self._loaded = self._loaded.model, None
            if keep:
                self._cache.keep_all_of(model)
            model.close()

    def _fault(self, job: _Job, error: Exception) -> None:
        """Our own fault: say so, and let go of a model whose state nobody knows any more."""
        fault = EngineFault(f"{type(error).__name__}: {error}", "".join(traceback.format_exception(error)))
        match job:
            case GenerationRequest():
                if self._take(job) or self._running == job.id:
                    self._release()
                    self._emit(GenerationFailed(job.id, fault))
            case _Load():
                self._emit(ModelFailed(job.model, fault))
            case _Unload():
                pass
            case _:
                assert_never(job)
        self._unload(keep=False)

    def _emit(self, event: Event) -> None:
        self._end_withdrawn()
        self._emit_outside(event)

    def _end_withdrawn(self) -> None:
        while True:
            with self._changed:
                if not self._withdrawn:
                    return
                request = self._withdrawn.popleft()
            self._emit_outside(self._never_begun(request))

    def _end_all(self) -> None:
        with self._changed:
            waiting = [job for job in self._jobs if isinstance(job, GenerationRequest)]
            self._jobs.clear()
            self._withdrawn.extend(waiting)
        self._end_withdrawn()

    def _never_begun(self, request: GenerationRequest) -> GenerationFinished:
        waited = self._clock() - (request.submitted_at or self._clock())
        return GenerationFinished(
            request=request.id,
            text="",
            finish_reason=FinishReason.CANCELLED,
            model_name=display_name(_file_of(request).path),
            usage=Usage(0, 0, 0),
            timings=Timings(queued=waited, load=0.0),
            trace=Trace(),
        )


def _file_of(request: GenerationRequest) -> ModelConfig:
    if isinstance(request.model, RemoteModel):
        raise InvalidRequest("This engine answers from a model file; the request names a server.")
    return request.model


def _load_with_llama(config: ModelConfig, stop_flag: StopFlag, progress: Callable[[float], None]) -> Model:
    # llama.cpp and numpy take a third of a second to import: on this thread, with the first model.
    from inference.llama import load_model

    return load_model(config, stop_flag, progress)

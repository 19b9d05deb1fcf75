"""The model that is loaded, with what was made for it: it answers one request after another.

It knows nothing of queues or threads. Importing it brings templates, tokens and text with it, so the engine does so
on its own thread, with the first job.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from inference.bounds import StateBudget
from inference.configuration import EngineFiles, ModelConfig
from inference.errors import InferenceError, ModelChanged
from inference.events import GenerationEvent, GenerationFailed, JobProgress, ModelInfo
from inference.file_guard import FileGuard
from inference.generation import Arrival, Clock, Generation
from inference.gguf_header import files_of
from inference.jobs import Job, ModelOnLoan, unless_changed
from inference.loading import LocalLoader
from inference.machine import default_threads
from inference.measurements import Measurements, file_key
from inference.model import Loader, LoadStopped, Model, StopFlag
from inference.prefix_cache import PrefixCache
from inference.prompt import PromptBuilder
from inference.requests import GenerationRequest
from inference.template import RenderStopped
from inference.tuning import ThreadTuner

Stamp: TypeAlias = tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class _Loaded:
    """A loaded model, its prompts, and when its load took place."""

    model: Model
    prompts: PromptBuilder
    info: ModelInfo
    began: float
    ended: float
    stamps: dict[Path, Stamp]  # of its files as they were when the load began


class Workbench:
    """Holds one model at a time, and the KV states of the conversations that were left."""

    def __init__(
        self,
        states: StateBudget,
        files: EngineFiles,
        loader: Loader | None,
        stop_flag: StopFlag,
        clock: Clock,
        most_threads: int | None = None,
        began: float | None = None,
    ) -> None:
        self._began = began  # the first load begins with importing this module
        self._cache = PrefixCache.within(states)
        self._measurements = Measurements(files.measurements)
        self._tunes = files.measurements is not None
        self._most_threads = most_threads
        self._tuner: ThreadTuner | None = None
        self._loader = loader or LocalLoader(files, self._measurements)
        self._stop_flag = stop_flag
        self._clock = clock
        self._loaded: _Loaded | None = None

    @property
    def info(self) -> ModelInfo | None:
        """The loaded model; `None` where there is none."""
        if self._loaded is None:
            return None
        return self._loaded.info if self._tuner is None else self._tuner.describe(self._loaded.info)

    def holds(self, config: ModelConfig) -> bool:
        """Whether this very model is loaded: none of its files has been written to or replaced since.

        One that was only deleted is still there for whoever has it open. One that was cut short is not: the next look
        into it would end the process.
        """
        loaded = self._loaded
        if loaded is None or loaded.info.config != config:
            return False
        return all(_stamp(path) in (None, stamp) for path, stamp in loaded.stamps.items())

    def load(self, config: ModelConfig, progress: Callable[[float], None]) -> ModelInfo:
        """Load a model; there must be none.

        Raises:
            InferenceError: the model cannot be loaded, or its template not be used.
            LoadStopped: the stop flag was raised meanwhile.
        """
        with FileGuard(files_of(config.path)) as guard:
            info = self._load(config, progress, guard)
            if guard.is_wanted:  # since the last of the progress
                self.unload(keep=False)
                raise ModelChanged(config.path)
            return info

    def _load(self, config: ModelConfig, progress: Callable[[float], None], guard: FileGuard) -> ModelInfo:
        def report(fraction: float) -> None:
            if guard.is_wanted:
                raise ModelChanged(config.path)
            progress(fraction)

        began, self._began = self._clock() if self._began is None else self._began, None
        stamps = {path: _stamp(path) for path in files_of(config.path)}
        model = self._loader(config, self._stop_flag, report)
        try:
            prompts = PromptBuilder(model, self._stop_flag.is_set, config.template)
        except RenderStopped:
            model.close()
            raise LoadStopped from None
        except BaseException:
            model.close()
            raise
        ended = self._clock()
        info = replace(
            model.info,
            template_name=prompts.template_name,
            has_thinking_switch=prompts.has_thinking_switch,
            warnings=prompts.warnings,
            load_seconds=ended - began,
        )
        self._loaded = _Loaded(model, prompts, info, began, ended, stamps)
        self._cache.open(model.state_key)
        if self._tunes:
            bound = self._most_threads or default_threads()
            self._tuner = ThreadTuner(model, file_key(config.path), bound, self._measurements)
        return info

    def answer(self, request: GenerationRequest) -> Generator[GenerationEvent, None, None]:
        """The events of a request, from the model that is loaded."""
        loaded = self._loaded
        if loaded is None:
            raise RuntimeError("no model is loaded")
        arrival = self._arrival(request, loaded)
        generation = Generation(
            request, loaded.model, loaded.prompts, self._cache, self._stop_flag, arrival, self._clock
        )
        path = loaded.info.config.path
        try:
            with self._guarded(path) as guard, guard.stopping(self._stop_flag):
                yield from unless_changed(generation.events(), guard, path)
        except ModelChanged as error:
            yield GenerationFailed(request.id, error)

    def run(self, job: Job) -> Generator[JobProgress | GenerationEvent, None, object]:
        """Do a job with the model that is loaded; returns its result. Then the KV cache holds again what it held, and
        what the job evaluated counts for nothing."""
        loaded, info = self._loaded, self.info
        if loaded is None or info is None:
            raise RuntimeError("no model is loaded")
        with self._guarded(loaded.info.config.path) as guard, guard.stopping(self._stop_flag):
            loan = ModelOnLoan(loaded.model, loaded.prompts, info, self._cache, self._stop_flag, self._clock, guard)
            before, holder = loan.held(), self._cache.holder
            try:
                result = yield from job.steps(loan)
            finally:
                loan.hold(before)
                self._cache.holder = holder
                loaded.model.take_step_times()
            if guard.is_wanted:
                raise ModelChanged(loaded.info.config.path)
            return result

    @contextmanager
    def _guarded(self, path: Path) -> Iterator[FileGuard]:
        """Keep the file as it is meanwhile. Where somebody waits to write into it, nothing looks into it afterwards.

        Raises:
            ModelChanged: somebody cut it short since it was loaded, perhaps as soon as the load let go of it.
        """
        with FileGuard(files_of(path)) as guard:
            if self._loaded is not None and any(map(_is_cut, self._loaded.stamps.items())):
                self.unload(keep=False)
                raise ModelChanged(path)
            try:
                yield guard
            finally:
                if guard.is_wanted:
                    self.unload(keep=False)

    @property
    def has_idle_work(self) -> bool:
        """Whether something could be found out about the model while nobody asks for anything."""
        # In a file that was cut short meanwhile, nothing may be looked into.
        loaded, tuner = self._loaded, self._tuner
        return loaded is not None and tuner is not None and tuner.has_work and self.holds(loaded.info.config)

    def idle(self) -> bool:
        """Find a little out; ends at once when the stop flag is raised. Returns whether `info` is another one now."""
        return self._tuned(ThreadTuner.idle)

    def after_reply(self) -> bool:
        """Learn from the reply that just ended. Returns whether `info` is another one now."""
        return self._tuned(ThreadTuner.after_reply)

    def keep_states(self, states: StateBudget) -> None:
        """Keep states within another budget; those in memory are taken along as far as it reaches."""
        self._cache.keep_to(states)

    def forget_states(self, owners: Iterable[str]) -> None:
        """Give up all that is kept of these owners' prompts."""
        self._cache.forget_of(owners, None if self._loaded is None else self._loaded.model)

    def unload(self, *, keep: bool = True) -> None:
        """Free the model; with `keep`, what it holds is kept with the other states."""
        if self._loaded is not None:
            model, self._loaded, self._tuner = self._loaded.model, None, None
            self._measurements.save()
            if keep:
                self._cache.keep_all_of(model)
            model.close()

    def close(self) -> None:
        """Free everything, once the states that were to be written are."""
        self.unload(keep=self._cache.outlasts)
        self._cache.close()

    def _tuned(self, step: Callable[[ThreadTuner], bool]) -> bool:
        if self._tuner is None or self._loaded is None:
            return False
        try:
            with self._guarded(self._loaded.info.config.path):
                return step(self._tuner)
        except InferenceError:  # whatever the model cannot do now, a reply will say
            self._tuner = None
            return False

    def _arrival(self, request: GenerationRequest, loaded: _Loaded) -> Arrival:
        now = self._clock()
        submitted = now if request.submitted_at is None else request.submitted_at
        load = max(0.0, loaded.ended - max(loaded.began, submitted))
        return Arrival(submitted, now - submitted - load, load)


def _is_cut(loaded: tuple[Path, Stamp]) -> bool:
    """Whether a file that is loaded is shorter than it was."""
    path, before = loaded
    now = _stamp(path)
    return before is not None and now is not None and now[:2] == before[:2] and now[2] < before[2]


def _stamp(path: Path) -> Stamp:
    """What changes when a file is written to or replaced; `None` where there is none."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns

"""Job: something that is done with a loaded model between two replies, such as an experiment.

It knows nothing of queues or threads: a job is handed a model on loan and yields what it wants to say meanwhile.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Protocol, TypeAlias

from inference.configuration import ModelConfig
from inference.errors import ModelChanged
from inference.events import (
    FinishReason,
    GenerationEvent,
    GenerationFailed,
    GenerationFinished,
    JobProgress,
    ModelInfo,
)
from inference.file_guard import FileGuard
from inference.generation import Arrival, Clock, Generation
from inference.ids import JobId
from inference.model import Model, Snapshot, StopFlag
from inference.prefix_cache import PrefixCache
from inference.prompt import PromptBuilder
from inference.requests import GenerationRequest

JobSteps: TypeAlias = Generator[JobProgress | GenerationEvent, None, object]


def unless_changed(
    events: Generator[GenerationEvent, None, None], guard: FileGuard, path: Path
) -> Iterator[GenerationEvent]:
    """The events of a reply, which ends with ModelChanged where somebody waits to write into the model's file."""
    with closing(events):
        for event in events:
            if guard.has_stopped and isinstance(event, GenerationFinished):
                yield _stopped(event, path)
                return
            if guard.is_wanted and not isinstance(event, GenerationFinished | GenerationFailed):
                yield events.throw(ModelChanged(path))
                return
            yield event


def _stopped(event: GenerationFinished, path: Path) -> GenerationFinished | GenerationFailed:
    """How a reply ended that may have been stopped for whoever wants to write."""
    if event.finish_reason is not FinishReason.CANCELLED:
        return event
    return GenerationFailed(event.request, ModelChanged(path), event.text, event.reasoning)


class Job(Protocol):
    """What an engine runs as one piece. It is a value, like a request."""

    @property
    def id(self) -> JobId: ...
    @property
    def model(self) -> ModelConfig:
        """The model it wants; loaded where another or none is."""

    def steps(self, loan: ModelOnLoan) -> JobSteps:
        """Do it, looking at `loan.is_stopped` between two steps; returns the result, or what there is of it.

        Raises:
            InferenceError: it cannot be done.
        """


class ModelOnLoan:
    """A loaded model with all that answers need, until the job is done.

    Whoever lends it puts back what its KV cache held.
    """

    def __init__(
        self,
        model: Model,
        prompts: PromptBuilder,
        info: ModelInfo,
        cache: PrefixCache,
        stop_flag: StopFlag,
        clock: Clock,
        guard: FileGuard,
    ) -> None:
        self.model = model
        self.prompts = prompts
        self.info = info
        self.clock = clock
        self._cache = cache
        self._stop_flag = stop_flag
        self._guard = guard

    @property
    def is_stopped(self) -> bool:
        """Whether somebody wants the job to end, or to write into the model's file."""
        return self._stop_flag.is_set() or self._guard.is_wanted

    def answer(self, request: GenerationRequest, *, from_all_kept: bool = False) -> Iterator[GenerationEvent]:
        """Every event of a reply, which begins now. It reuses what the model holds; with `from_all_kept` also what was
        kept of conversations that were left, as a turn of theirs would."""
        now = self.clock()
        cache = self._cache if from_all_kept else PrefixCache(0)
        asked = replace(request, submitted_at=now)
        arrival = Arrival(now, 0.0, 0.0)
        generation = Generation(asked, self.model, self.prompts, cache, self._stop_flag, arrival, self.clock)
        return unless_changed(generation.events(), self._guard, self.info.config.path)

    def hold(self, start: Snapshot | None) -> None:
        """Have the KV cache hold what it held then; nothing at all with `None`."""
        if start is None or not self.model.restore(start):
            self.model.rewind(0)

    def held(self) -> Snapshot | None:
        """What the KV cache holds now; `None` where that is nothing."""
        return self.model.save() if self.model.tokens else None

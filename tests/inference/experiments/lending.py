"""A scripted model on loan, whose every second is known, and ways to run a job with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from inference.events import GenerationEvent, JobProgress
from inference.experiments.trial import Trial
from inference.file_guard import FileGuard
from inference.ids import JobId
from inference.jobs import Job, ModelOnLoan
from inference.model import StopFlag
from inference.prefix_cache import PrefixCache
from inference.prompt import PromptBuilder
from tests.fakes import ManualClock, Script, ScriptedModel, config

READ, WRITE = 0.01, 0.1  # seconds for a token of a prompt, and of an answer


def timed(**facts: object) -> Script:
    """A script that takes READ and WRITE, and never ends a reply unless told otherwise."""
    known: dict[str, object] = {
        "replies": (("word ",),),
        "endless": True,
        "clock": ManualClock(),
        "seconds_per_prompt_token": READ,
        "seconds_per_token": WRITE,
    }
    return Script(**(known | facts))  # type: ignore[arg-type]  # a test names the facts it needs


@dataclass
class Lent:
    """A loan, with what a test wants to look at."""

    script: Script
    stop_flag: StopFlag = field(default_factory=StopFlag)

    def __post_init__(self) -> None:
        self.model = ScriptedModel(self.script, config(), self.stop_flag)
        prompts = PromptBuilder(self.model)
        clock = self.script.clock or ManualClock()
        self.loan = ModelOnLoan(
            self.model, prompts, self.model.info, PrefixCache(1 << 20), self.stop_flag, clock, FileGuard(())
        )
        self.said: list[JobProgress | GenerationEvent] = []

    def result(self, job: Job, watch: Callable[[JobProgress | GenerationEvent], None] = lambda _: None) -> object:
        """Run a job to its end."""
        steps = job.steps(self.loan)
        try:
            while True:
                event = next(steps)
                self.said.append(event)
                watch(event)
        except StopIteration as ended:
            return ended.value

    def stop_after(self, steps: int) -> Callable[[JobProgress | GenerationEvent], None]:
        """Stop the job when it has told so often how far it is."""

        def watch(_event: JobProgress | GenerationEvent) -> None:
            if sum(isinstance(event, JobProgress) for event in self.said) >= steps:
                self.stop_flag.set()

        return watch

    @property
    def fractions(self) -> list[float]:
        return [event.fraction for event in self.said if isinstance(event, JobProgress)]

    def trial(self, *, quick: bool = True) -> Trial:
        return Trial(self.loan, config(), JobId("job"), quick=quick)

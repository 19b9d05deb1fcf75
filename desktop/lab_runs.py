"""The Lab's experiments and measurements being run, one at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

import inference
from desktop.model_choice import ModelChoice
from desktop.settings import SettingsFile
from desktop.spoken import spoken
from inference import EngineClosed, JobId, ModelConfig

if TYPE_CHECKING:
    from inference.experiments import Bandwidth, ExperimentName, Outcome, Prices


class LabRuns(QObject):
    """Runs experiments with the chosen model. What came out last is kept until the program ends."""

    running_changed = Signal(object)  # ExperimentName, or None where nothing runs
    progressed = Signal(float, str)  # 0 to 1, and what is done now
    ended = Signal(object)  # Outcome
    failed = Signal(str)  # a sentence
    bandwidth_measured = Signal(object)  # Bandwidth

    def __init__(
        self, engine: inference.Engine, models: ModelChoice, settings: SettingsFile, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._engine = engine
        self._models = models
        self._settings = settings
        self._job: JobId | None = None
        self._name: ExperimentName | None = None
        self._outcomes: dict[ExperimentName, Outcome] = {}
        self._bandwidth: Bandwidth | None = None

    @property
    def running(self) -> ExperimentName | None:
        """Which one runs, or waits to."""
        return self._name

    @property
    def is_busy(self) -> bool:
        """Whether an experiment or a measurement runs, or waits to."""
        return self._job is not None

    @property
    def bandwidth(self) -> Bandwidth | None:
        """What was measured of the memory, if it was."""
        return self._bandwidth

    @property
    def prices(self) -> Prices:
        """What the reader entered."""
        now = self._settings.current
        return inference.experiments.Prices(now.price_input, now.price_cached, now.price_output, now.price_currency)

    def why_not(self) -> str:
        """Why none can be started; empty where one can."""
        if self._models.config is None:
            return self.tr("No model is open. Open one, then run the experiment.")
        if not isinstance(self._models.config, ModelConfig):
            return self.tr("Experiments run with a model of this machine. Choose one, then run the experiment.")
        return self.tr("Something is measured already.") if self.is_busy else ""

    def outcome(self, name: ExperimentName) -> Outcome | None:
        """How it came out last."""
        return self._outcomes.get(name)

    def start(self, name: ExperimentName, *, quick: bool) -> bool:
        """Run an experiment. False where that cannot be begun; `failed` says why."""
        return self._begin(name, quick=quick)

    def measure_bandwidth(self) -> bool:
        """Measure how fast this machine's memory is read."""
        return self._begin(None, quick=False)

    def stop(self) -> None:
        """End what runs; what was measured is kept."""
        if self._job is not None:
            self._engine.cancel(self._job)

    def on_event(self, event: inference.Event) -> None:
        """Follow the engine; what is not of this job passes by."""
        match event:
            case inference.JobProgress(job=job, fraction=fraction, step=step) if job == self._job:
                self.progressed.emit(fraction, spoken(step) if isinstance(step, str) else "")
            case inference.JobFinished(job=job, result=result) if job == self._job:
                self._end()
                self._take(result)
            case inference.JobFailed(job=job, error=error) if job == self._job:
                self._end()
                self.failed.emit(spoken(error))
            case _:
                pass

    def _begin(self, name: ExperimentName | None, *, quick: bool) -> bool:
        model = self._models.config
        if self.is_busy or not isinstance(model, ModelConfig):
            self.failed.emit(self.why_not())
            return False
        if name is None:
            job: inference.Job = inference.experiments.BandwidthJob(model)
        else:
            job = inference.experiments.LabJob(name, model, quick, self.prices)
        self._job, self._name = job.id, name
        try:
            self._engine.run(job)
        except EngineClosed as error:
            self._end()
            self.failed.emit(spoken(error))
            return False
        self.running_changed.emit(name)
        return True

    def _take(self, result: object) -> None:
        if isinstance(result, inference.experiments.Outcome):
            self._outcomes[inference.experiments.ExperimentName(result.name)] = result
            self.ended.emit(result)
        elif isinstance(result, inference.experiments.Bandwidth):
            self._bandwidth = result
            self.bandwidth_measured.emit(result)

    def _end(self) -> None:
        self._job = self._name = None
        self.running_changed.emit(None)

"""What models will need of this machine, and what there is: the same everywhere it is said."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

import inference
from desktop.model_choice import CPU, ModelChoice, ModelPhase
from desktop.settings import SettingsFile

if TYPE_CHECKING:
    from inference import Device, Forecast, GgufFacts, Machine, Measurements, Suitability

_FRESH_SECONDS = 2.0  # so long what was asked of the machine holds


class Sizing(QObject):
    """Knows the devices once they were listed, and what was measured so far. `measurements` is the engine's file."""

    def __init__(
        self,
        settings: SettingsFile,
        models: ModelChoice,
        measurements: Path | None,
        parent: QObject | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self._models = models
        self._file = measurements
        self._clock = clock
        self._devices: tuple[Device, ...] = ()
        self._measured: Measurements | None = None
        self._machine: Machine | None = None
        self._asked = -_FRESH_SECONDS

    def on_devices_listed(self, devices: tuple[Device, ...]) -> None:
        """Take what there is to compute on."""
        self._devices = devices
        self._machine = None

    def machine(self) -> Machine:
        """This machine, as it will be when what is loaded now has made room."""
        now = self._clock()
        if self._machine is None or now - self._asked > _FRESH_SECONDS:
            self._measured = inference.Measurements(self._file)
            self._machine = inference.Machine.here(self._measured, self._usable(), self._freed())
            self._asked = now
        return self._machine

    def suitability(self, size: int, needed: int = 0, *, is_mixture: bool = False) -> Suitability:
        """Of a model of this size; `needed` is what its header says, where that was read."""
        return inference.suitability_of(size, self.machine(), needed, is_mixture=is_mixture)

    def forecast(self, path: Path, facts: GgufFacts, context_size: int) -> Forecast:
        """What the model at `path` will take with such a window; quick enough to follow a slider."""
        machine = self.machine()
        device = next((each for each in self._devices if each.name == machine.device), None)
        record = None if self._measured is None else self._measured.of(inference.file_key(path))
        kv_type, freed = self._settings.current.kv_type, 0 if device is not None else self._freed()
        return inference.forecast_of(facts, context_size, kv_type=kv_type, device=device, record=record, freed=freed)

    def _usable(self) -> tuple[Device, ...]:
        chosen = self._settings.current.device
        if chosen == CPU or self._settings.current.gpu_layers == 0:
            return ()
        return tuple(device for device in self._devices if chosen in ("", device.name))

    def _freed(self) -> int:
        """Bytes of the system's memory that the loaded model gives back before another is loaded."""
        state = self._models.state
        info = state.file_info if state.phase is ModelPhase.READY else None
        return info.memory.total if info is not None and info.memory is not None and not info.gpu_layers else 0

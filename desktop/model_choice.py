"""Which model answers, and how far it is with loading."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from desktop.settings import SettingsFile
from inference import (
    Engine,
    Event,
    ModelConfig,
    ModelFailed,
    ModelInfo,
    ModelLoading,
    ModelReady,
    ModelUnloaded,
    display_name,
)

RECENT_MODELS = 8


class ModelPhase(StrEnum):
    """How far the chosen model is."""

    NONE = "none"
    LOADING = "loading"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ModelState:
    """The chosen model: `config` names it, `info` describes it once it is ready, `error` says why it failed."""

    phase: ModelPhase = ModelPhase.NONE
    config: ModelConfig | None = None
    fraction: float = 0.0  # of the loading, 0 to 1
    info: ModelInfo | None = None
    error: str = ""

    @property
    def name(self) -> str:
        """How the model is called on screen; empty where there is none."""
        if self.info is not None:
            return self.info.name
        return "" if self.config is None else display_name(self.config.path)


class ModelChoice(QObject):
    """The model that answers the next prompt. It is loaded as soon as it is chosen, in the background."""

    changed = Signal(object)  # ModelState

    def __init__(
        self, engine: Engine, settings: SettingsFile, embedded: Path | None, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._engine = engine
        self._settings = settings
        self._embedded = embedded
        self._state = ModelState()

    @property
    def state(self) -> ModelState:
        return self._state

    @property
    def config(self) -> ModelConfig | None:
        """What a prompt sent now would be answered by: nothing where no model is chosen or the chosen one failed."""
        return None if self._state.phase is ModelPhase.FAILED else self._state.config

    @property
    def embedded(self) -> Path | None:
        """The model that comes with the program."""
        return self._embedded

    def known_models(self) -> tuple[Path, ...]:
        """The embedded model and those used lately, as far as their files are still there."""
        recent = tuple(Path(name) for name in self._settings.current.recent_models)
        embedded = () if self._embedded is None else (self._embedded,)
        return tuple(path for path in (*embedded, *recent) if path.is_file())

    def load(self) -> None:
        """Begin with the model used last, else with the embedded one; without either there is none."""
        last = self._settings.current.model
        path = Path(last) if last else self._embedded
        if path is not None:
            self.choose(path)

    def choose(self, path: Path) -> None:
        """Let the model in this file answer from now on."""
        settings = self._settings.current
        config = ModelConfig(path.absolute(), settings.context_size, settings.threads)
        if config == self._state.config and self._state.phase in (ModelPhase.LOADING, ModelPhase.READY):
            return
        self._become(ModelState(ModelPhase.LOADING, config))
        self._engine.load(config)

    def eject(self) -> None:
        """Free the model and its memory; none answers until another is chosen."""
        self._become(ModelState())
        self._engine.unload()

    def on_event(self, event: Event) -> None:
        """Follow the engine. What it says about a model that is no longer the chosen one does not matter here."""
        match event:
            case ModelLoading(model, fraction) if model == self._state.config:
                self._become(ModelState(ModelPhase.LOADING, model, fraction))
            case ModelReady(info) if info.config == self._state.config:
                self._become(ModelState(ModelPhase.READY, info.config, 1.0, info))
                self._remember(info.config.path)
            case ModelFailed(model, error) if model == self._state.config:
                self._become(ModelState(ModelPhase.FAILED, model, error=str(error)))
            case ModelUnloaded(model) if model == self._state.config and self._state.phase is ModelPhase.READY:
                # Not ejected: the engine needed the room. The next prompt loads it again.
                self._become(ModelState(ModelPhase.NONE, model))
            case _:
                pass

    def _become(self, state: ModelState) -> None:
        self._state = state
        self.changed.emit(state)

    def _remember(self, path: Path) -> None:
        """Only a model that could be loaded is worth coming back to."""
        settings = self._settings.current
        if path == self._embedded:
            new = replace(settings, model="")
        else:
            others = tuple(name for name in settings.recent_models if name != str(path))
            new = replace(settings, model=str(path), recent_models=(str(path), *others)[:RECENT_MODELS])
        if new != settings:
            self._settings.save(new)

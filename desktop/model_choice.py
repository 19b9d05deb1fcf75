"""Which model answers, and how far it is with loading: a file on this machine, or a model of a server."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, assert_never
from urllib.parse import urlsplit

from PySide6.QtCore import QObject, Signal

import inference
from desktop.conversations import FailureKind
from desktop.settings import ModelWindow, Settings, SettingsFile
from desktop.spoken import spoken
from inference import AnyModel, InferenceError, ModelConfig, RemoteModel

if TYPE_CHECKING:
    from desktop.model_ways import Way
    from inference import GenerationRequest

RECENT_MODELS = 8
PROBABILITIES = 5  # of the likeliest tokens, where they are recorded
CPU = "CPU"

_MOST_FOUND = 50  # in a folder; a menu of more helps nobody
_NO_MODEL = r"(?i)mmproj|-(?!00001)\d{5}-of-\d{5}\.gguf$"


class ModelPhase(StrEnum):
    """How far the chosen model is. One of a server is loading while the server is asked about it."""

    NONE = "none"
    LOADING = "loading"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ModelState:
    """The chosen model: `config` names it, `info` describes it once it is ready, `error` says why it failed, and `ways`
    what may go better, the likeliest first."""

    phase: ModelPhase = ModelPhase.NONE
    config: AnyModel | None = None
    fraction: float = 0.0  # of the loading, 0 to 1
    info: inference.ModelInfo | inference.RemoteModelInfo | None = None
    error: str = ""
    failure: FailureKind = FailureKind.OTHER
    ways: tuple[Way, ...] = ()

    @property
    def name(self) -> str:
        """How the model is called on screen; empty where there is none."""
        if self.info is not None:
            return self.info.name
        return "" if self.config is None else name_of(self.config)

    @property
    def file_info(self) -> inference.ModelInfo | None:
        """`info` where it is of a model on this machine."""
        return self.info if self.info is not None and isinstance(self.info, inference.ModelInfo) else None

    @property
    def server(self) -> str:
        """The server that answers, as it is called in sentences; empty where the model is on this machine."""
        return urlsplit(self.config.base_url).netloc if isinstance(self.config, RemoteModel) else ""


def name_of(model: AnyModel) -> str:
    """How a model is called before anything else is known of it."""
    if isinstance(model, RemoteModel):
        return model.name or urlsplit(model.base_url).netloc
    return inference.display_name(model.path)


class ModelLoader(Protocol):
    """What a choice of model asks of the engines."""

    def load(self, model: AnyModel) -> None: ...
    def unload(self) -> None: ...


class ModelChoice(QObject):
    """The model that answers the next prompt. It is loaded as soon as it is chosen, in the background."""

    changed = Signal(object)  # ModelState
    offer_changed = Signal()  # which models are known

    def __init__(
        self, engine: ModelLoader, settings: SettingsFile, embedded: Path | None, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._engine = engine
        self._settings = settings
        self._embedded = embedded
        self._state = ModelState()
        self._missing: Path | None = None
        self._found: tuple[Path, ...] | None = None  # on this disk; `None` until somebody looked
        self.records_probabilities = False  # of each token of the replies to come, until the program ends

    @property
    def state(self) -> ModelState:
        return self._state

    @property
    def config(self) -> AnyModel | None:
        """What a prompt sent now would be answered by: nothing where no model is chosen or the chosen one failed."""
        return None if self._state.phase is ModelPhase.FAILED else self._state.config

    @property
    def embedded(self) -> Path | None:
        """The model that comes with the program."""
        return self._embedded

    @property
    def missing(self) -> Path | None:
        """The model used last, where its file is gone and the embedded one stands in for it."""
        return self._missing

    @property
    def as_wished(self) -> ModelConfig | None:
        """How the chosen model file would be loaded by the settings as they are now; `None` where it is so already."""
        config = self._state.config
        if not isinstance(config, ModelConfig):
            return None
        wished = self._config_of_file(config.path)
        return None if wished == config else wished

    def as_recorded(self, request: GenerationRequest) -> GenerationRequest:
        """The request with the probabilities recorded, where that is wished for and a model of this machine answers."""
        if not self.records_probabilities or isinstance(request.model, RemoteModel):
            return request
        return replace(request, record_probabilities=PROBABILITIES)

    def known_models(self) -> tuple[Path, ...]:
        """The embedded model and those used lately, as far as their files are still there, and those that were found on
        this disk; until somebody looked, those in the folder of models that was chosen."""
        recent = tuple(Path(name) for name in self._settings.current.recent_models)
        embedded = () if self._embedded is None else (self._embedded,)
        others = _models_in(self._settings.current.models_folder) if self._found is None else self._found[:_MOST_FOUND]
        found = (*embedded, *recent, *others)
        return tuple(path for path in dict.fromkeys(found) if path.is_file())

    def offer(self, found: Iterable[Path]) -> None:
        """Know these models of this disk, too."""
        before, self._found = self._found, tuple(found)
        if self._found != before:
            self.offer_changed.emit()

    def known_servers(self) -> tuple[RemoteModel, ...]:
        """The models of servers that answered lately."""
        return self._settings.current.servers

    def config_of(self, model: Path | RemoteModel) -> AnyModel:
        """This model as it would be loaded."""
        if isinstance(model, RemoteModel):
            return model
        return self._config_of_file(model)

    def intend(self, model: Path | RemoteModel | None = None) -> None:
        """Say which model will be loaded: this one, else the one used last, else the embedded one; without any of them
        there is none."""
        self._missing = None
        wanted = self._used_last() if model is None else model
        if wanted is not None:
            self._become(ModelState(ModelPhase.LOADING, self.config_of(wanted)))

    def intend_none(self) -> None:
        """Let no model answer until one is chosen."""
        self._become(ModelState())

    def load(self) -> None:
        """Begin with the model that was intended."""
        if self._state.config is None:
            self.intend()
        if self._state.config is not None:
            self._engine.load(self._state.config)

    def choose(self, model: Path | RemoteModel, context_size: int | None = None) -> None:
        """Let the model in this file, or of this server, answer from now on; a file's with a window of this size, where
        one is named."""
        self._missing = None
        config = self.config_of(model)
        if context_size is not None and isinstance(config, ModelConfig):
            config = replace(config, context_size=context_size)
        self._take(config)

    def load_as_wished(self) -> None:
        """Load the chosen model file anew where the settings are others than it was loaded with."""
        if (wished := self.as_wished) is not None:
            self._take(wished)

    def go(self, way: Way) -> None:
        """Load the chosen model file this way."""
        from desktop.model_ways import WayKind

        config = self._state.config
        if not isinstance(config, ModelConfig):
            return
        match way.kind:
            case WayKind.ON_CPU:
                self._take(replace(config, device=CPU, gpu_layers=None))
            case WayKind.SMALLER_WINDOW:
                self._take(replace(config, context_size=way.context_size))
            case WayKind.ANY_DEVICE:
                self._take(replace(config, device=None))
            case WayKind.AGAIN:
                self._take(config)
            case _:
                assert_never(way.kind)

    def use_window(self, context_size: int) -> None:
        """Load the chosen model file with a context window of this size."""
        if isinstance(self._state.config, ModelConfig):
            self._take(replace(self._state.config, context_size=context_size))

    def try_again(self) -> None:
        """Load once more what failed."""
        if self._state.phase is ModelPhase.FAILED and self._state.config is not None:
            self._take(self._state.config)

    def eject(self) -> None:
        """Free the model and its memory; none answers until another is chosen."""
        self._become(ModelState())
        self._engine.unload()

    def on_event(self, event: inference.Event | inference.RemoteModelEvent) -> None:
        """Follow the engines. What they say about a model that is no longer the chosen one does not matter here."""
        match event:
            case inference.ModelLoading(model, fraction) if model == self._state.config:
                self._become(ModelState(ModelPhase.LOADING, model, fraction))
            case inference.ModelReady(info) if info.config == self._state.config:
                self._remember_file(info.config)
                self._become(ModelState(ModelPhase.READY, info.config, 1.0, info))
            case inference.RemoteModelReady(remote) if self._is_chosen(remote.config):
                self._remember_server(remote.config)
                self._become(ModelState(ModelPhase.READY, remote.config, 1.0, remote))
            case inference.ModelFailed(model, error) | inference.RemoteModelFailed(model, error) if (
                model == self._state.config
            ):
                self._become(_failed(model, error))
            case inference.ModelUnloaded(model) if (
                model == self._state.config and self._state.phase is ModelPhase.READY
            ):
                # Not ejected: the engine needed the room. The next prompt loads it again.
                self._become(ModelState(ModelPhase.NONE, model))
            case _:
                pass

    def _take(self, config: AnyModel) -> None:
        if config == self._state.config and self._state.phase in (ModelPhase.LOADING, ModelPhase.READY):
            return
        self._become(ModelState(ModelPhase.LOADING, config))
        self._engine.load(config)

    def _used_last(self) -> Path | RemoteModel | None:
        settings = self._settings.current
        if settings.use_server and settings.servers:
            return settings.servers[0]
        last = Path(settings.model) if settings.model else None
        if last is not None and self._embedded is not None and not last.is_file():
            self._missing = last
        return self._embedded if self._missing is not None else last or self._embedded

    def _config_of_file(self, file: Path) -> ModelConfig:
        settings, path = self._settings.current, file.absolute()
        own = next((own for own in settings.windows if own.model == str(path)), ModelWindow(str(path)))
        return ModelConfig(
            path,
            own.context_size or settings.context_size,
            settings.threads,
            settings.gpu_layers if own.device in ("", settings.device) else None,
            device=own.device or settings.device or None,
            kv_type=settings.kv_type,
        )

    def _is_chosen(self, model: RemoteModel) -> bool:
        """Whether this is the chosen model; where none was named, the server has named its first."""
        chosen = self._state.config
        if not isinstance(chosen, RemoteModel) or chosen.base_url != model.base_url:
            return False
        return chosen.name in ("", model.name)

    def _become(self, state: ModelState) -> None:
        self._state = state
        self.changed.emit(state)

    def _remember_file(self, config: ModelConfig) -> None:
        """Only a model that could be loaded is worth coming back to, and only what it could be loaded with."""
        settings, path = self._settings.current, str(config.path)
        windows = tuple(window for window in settings.windows if window.model != path)
        size, device = config.context_size or 0, config.device or ""
        own = ModelWindow(
            path, 0 if size == (settings.context_size or 0) else size, "" if device == settings.device else device
        )
        if own != ModelWindow(path):
            windows = (own, *windows)
        new = replace(settings, windows=windows, use_server=False)
        if config.path == self._embedded:
            # Where it stands in, the other one is come back to: its disk may only be somewhere else.
            new = replace(new, model=new.model if self._missing is not None else "")
        else:
            others = tuple(name for name in settings.recent_models if name != path)
            new = replace(new, model=path, recent_models=(path, *others)[:RECENT_MODELS])
        self._save(new)

    def _remember_server(self, model: RemoteModel) -> None:
        settings = self._settings.current
        others = tuple(known for known in settings.servers if known != model)
        self._save(replace(settings, servers=(model, *others)[:RECENT_MODELS], use_server=True))

    def _save(self, settings: Settings) -> None:
        if settings != self._settings.current:
            self._settings.save(settings)


def _models_in(folder: str) -> tuple[Path, ...]:
    """The model files of a folder by their names; of one in several files the first, and of none a part that only
    helps another."""
    if not folder:
        return ()
    try:
        found = sorted(path for path in Path(folder).absolute().glob("*.gguf") if not re.search(_NO_MODEL, path.name))
    except OSError:
        return ()
    return tuple(found[:_MOST_FOUND])


def _failed(model: AnyModel, error: InferenceError) -> ModelState:
    from desktop.model_ways import ways_after  # most models can be loaded
    from desktop.remedies import failure_of

    return ModelState(
        ModelPhase.FAILED, model, error=spoken(error), failure=failure_of(error).kind, ways=ways_after(model, error)
    )

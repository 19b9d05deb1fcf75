"""Where models come from: this disk, the Hub, and what is on its way from there to here."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject

from desktop.downloads import DownloadQueue, Holder
from desktop.errands import Post
from desktop.hub_desk import HubDesk
from desktop.hub_door import HubDoor
from desktop.model_choice import ModelChoice, ModelPhase, ModelState
from desktop.secrets import Keys
from desktop.settings import SettingsFile
from desktop.shelf import Shelf
from desktop.sizing import Sizing
from inference import ModelConfig


@dataclass(frozen=True, slots=True)
class SupplyPlaces:
    """Where things are: the folder for models as it is chosen now, what is known of model files, what the engine
    measured, and the person's home."""

    models: Callable[[], Path]
    cache: Path | None = None
    measurements: Path | None = None
    home: Path | None = None


class Supply(QObject):
    """The parts, made together and connected."""

    def __init__(
        self,
        post: Callable[[Post], None],
        settings: SettingsFile,
        keys: Keys,
        models: ModelChoice,
        places: SupplyPlaces,
        holder: Holder,
        parent: QObject | None = None,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        super().__init__(parent)
        self._models = models
        self._loaded: Path | None = None
        self.door = HubDoor(lambda: settings.current, keys, environment)
        self.sizing = Sizing(settings, models, places.measurements, self)
        self.hub = HubDesk(post, self.door, self)
        self.downloads = DownloadQueue(post, self.door.session, places.models, settings, holder, self)
        self.shelf = Shelf(
            post,
            places.models,
            settings,
            models.embedded,
            places.cache,
            self.door.session,
            self,
            environment,
            places.home,
        )
        self.downloads.finished.connect(self.shelf.look)
        self.shelf.changed.connect(self._offer)
        self.shelf.facts_read.connect(self._withdraw)
        models.changed.connect(self._note_use)

    def put_off(self) -> Iterator[Callable[[], object]]:
        """What waits until the window is painted, in pieces."""
        yield self.shelf.look
        yield self.downloads.look

    def look(self) -> None:
        """Find out anew what there is."""
        self.shelf.look()
        self.downloads.look()

    def close(self) -> None:
        """Stop what is under way; what was fetched is kept."""
        self.hub.close()
        self.downloads.close()
        self.shelf.close()
        self.door.close()

    def _offer(self) -> None:
        self._models.offer(model.path for model in self.shelf.models if not self.shelf.refusal(model.path))

    def _withdraw(self, paths: tuple[Path, ...]) -> None:
        """Offer no longer what turned out to be none to chat with."""
        if any(self.shelf.refusal(path) for path in paths):
            self._offer()

    def _note_use(self, state: ModelState) -> None:
        """Each load once."""
        path = state.config.path if isinstance(state.config, ModelConfig) else None
        if state.phase is ModelPhase.READY and path is not None and path != self._loaded:
            self.shelf.note_use(path)
        if state.phase is not ModelPhase.LOADING:
            self._loaded = path if state.phase is ModelPhase.READY else None

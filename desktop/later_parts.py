"""The parts that the first picture does not show, each made when it is first wanted.

Each is also loaded then: all of them at once would hold up the window for more than a frame.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from desktop.engine_bridge import EngineBridge
from desktop.engines import Engines
from desktop.model_choice import ModelChoice
from desktop.places import Places
from desktop.settings import SettingsFile
from desktop.store import Store

if TYPE_CHECKING:
    from desktop.daily_backup import DailyBackup
    from desktop.draft_attachments import Reader
    from desktop.idle_unload import IdleUnload
    from desktop.import_reader import ConversationReader
    from desktop.secrets import Keys, KeysKept
    from desktop.server_choice import ServerChoice
    from desktop.supply import Supply
    from desktop.upkeep import Upkeep
    from desktop.vigil import Vigil
    from desktop.wakefulness import Wakefulness
    from desktop.widgets.behind import Behind
    from desktop.widgets.laboratory import Laboratory

    KeysMaker = Callable[[Callable[[KeysKept], None], str], Keys]


class LaterParts(QObject):
    """Makes them out of the first ones, and has them hear what reaches the bridge."""

    deletion_wanted = Signal()  # of everything this program keeps
    damaged = Signal(str)  # the conversations turned out to be when they were copied; a sentence

    def __init__(
        self,
        bridge: EngineBridge,
        store: Store,
        engine: Engines,
        models: ModelChoice,
        settings: SettingsFile,
        places: Places,
        parent: QObject | None = None,
        *,
        make_keys: KeysMaker | None = None,
        named_server: str = "",
    ) -> None:
        """`named_server` is the base URL that the start was given; without `make_keys` they are the system's."""
        super().__init__(parent)
        self._bridge = bridge
        self._store = store
        self._engine = engine
        self._models = models
        self._settings = settings
        self._places = places
        self._make_keys = make_keys
        self._named_server = named_server
        self._backup: DailyBackup | None = None
        self._vigil: Vigil | None = None
        self._idle_unload: IdleUnload | None = None
        self._wakefulness: list[Wakefulness] = []

    @cached_property
    def keys(self) -> Keys:
        from desktop.secrets import Keys

        return (self._make_keys or Keys)(self._bridge.post, self._named_server)

    @cached_property
    def servers(self) -> ServerChoice:
        from desktop.server_choice import ServerChoice

        servers = ServerChoice(self._engine, self.keys, self)
        self._bridge.server_answered.connect(servers.on_event)
        self._bridge.keys_kept.connect(servers.on_keys_kept)
        return servers

    @cached_property
    def upkeep(self) -> Upkeep:
        from desktop.devices import Devices
        from desktop.upkeep import Folders, Upkeep

        data = self._places.data
        folders = Folders(data, self._places.models or data / "models")
        upkeep = Upkeep(self._settings, self.keys, folders, Devices(self._bridge.post), self)
        self._bridge.keys_kept.connect(upkeep.on_keys_kept)
        self._bridge.devices_listed.connect(upkeep.on_devices_listed)
        upkeep.deletion_wanted.connect(self.deletion_wanted)
        return upkeep

    @cached_property
    def supply(self) -> Supply:
        from desktop.supply import Supply, SupplyPlaces
        from desktop.wakefulness import DOWNLOADING, Wakefulness

        places = self._places
        measurements = places.engine.measurements if places.engine is not None else None
        where = SupplyPlaces(lambda: self.upkeep.models_folder, places.model_facts, measurements, places.home)
        awake = Wakefulness(self, reason=DOWNLOADING)
        self._wakefulness.append(awake)
        supply = Supply(self._bridge.post, self._settings, self.keys, self._models, where, awake, self)
        self.upkeep.devices_listed.connect(supply.sizing.on_devices_listed)
        return supply

    @cached_property
    def behind(self) -> Behind:
        from desktop.presets import Presets
        from desktop.widgets.behind import Behind

        return Behind(self.upkeep, Presets(self._store, self))

    @cached_property
    def laboratory(self) -> Laboratory:
        from desktop.comparison import Comparisons
        from desktop.lab_runs import LabRuns
        from desktop.live_reply import LiveReply
        from desktop.widgets.laboratory import Laboratory

        comparisons = Comparisons(self._store, self._engine, self._models, self)
        runs = LabRuns(self._engine, self._models, self._settings, self)
        live = LiveReply(self)
        for watcher in (comparisons, runs, live):
            self._bridge.event_arrived.connect(watcher.on_event)
        return Laboratory(comparisons, runs, live, self._models, self._settings)

    @cached_property
    def conversation_reader(self) -> ConversationReader:
        from desktop.import_reader import ConversationReader

        return ConversationReader(self._bridge.post)

    @cached_property
    def file_reader(self) -> Reader:
        from desktop.file_reader import FileReader

        return FileReader(self._bridge.post)

    def watch_the_engine(self, call_back: Callable[[], object]) -> None:
        """From now on, while it replies the machine stays awake, and its model goes where nobody asks for long.
        `call_back` is called when a long reply has ended."""
        from desktop.idle_unload import IdleUnload
        from desktop.vigil import Vigil
        from desktop.wakefulness import Wakefulness

        awake = Wakefulness(self)
        self._wakefulness.append(awake)
        self._vigil = Vigil(awake, call_back, self)
        self._idle_unload = IdleUnload(self._engine.unload, self._settings, self)
        for watcher in (self._vigil, self._idle_unload):
            self._bridge.event_arrived.connect(watcher.on_event)

    def begin_daily_backups(self) -> None:
        if self._store.backups is not None:
            from desktop.daily_backup import DailyBackup

            self._backup = DailyBackup(self._store.backups, self)
            self._backup.damaged.connect(self.damaged)
            self._backup.look()

    def farewells(self) -> Iterator[Callable[[], object]]:
        """What is to be done about those that were made, when the engine is closed and its last events have come."""
        if self._vigil is not None:
            yield self._vigil.close
        if self._idle_unload is not None:
            yield self._idle_unload.close
        if "supply" in self.__dict__:
            yield self.supply.close
        for wakefulness in self._wakefulness:
            yield wakefulness.close

    def stop_backup(self) -> None:
        """Before the store is closed."""
        if self._backup is not None:
            self._backup.stop()

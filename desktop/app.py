"""Builds the parts, connects them, takes them down in order: the only place that knows them all."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication

import inference
from desktop.aftermath import Aftermath
from desktop.crash import CrashHook, show_at_once
from desktop.draft_attachments import DraftAttachments
from desktop.draft_count import DraftCount
from desktop.engine_bridge import EngineBridge
from desktop.engines import Engines
from desktop.last_runs import RUNS, LastRuns
from desktop.library import Library
from desktop.model_choice import CPU, ModelChoice, ModelPhase
from desktop.places import Places
from desktop.process_lock import held_in
from desktop.settings import Settings, SettingsFile, broken_of
from desktop.single_instance import Door, Entrance
from desktop.store import BACKUPS, StoreError, open_store
from desktop.theme import ThemeSource
from desktop.translation import speak
from desktop.warm_up import Piece, WarmUp
from desktop.widgets.insights import Insights
from desktop.widgets.model_views import ModelViews
from desktop.widgets.notice import NoticeKind
from desktop.window import Window
from inference import EngineFault, EngineFiles, RemoteModel, looks_like_model

# A window that is never painted, because it starts minimised, gets its model all the same.
UNPAINTED_MILLISECONDS = 2_000
KEYRING_SECONDS = 5.0  # that the keyring may take to forget, at the very end

# By steps, so that no one of them holds up the event loop: what it takes to run a model, and to show text.
_ENGINE = ("Sampling", "Event", "LocalEngine")
_TEXT = (
    "desktop.markdown",
    "desktop.widgets.typesetting",
    "desktop.widgets.segments",
    "desktop.widgets.text_segment",
    "desktop.widgets.boxes",
    "desktop.widgets.message_view",
    "desktop.widgets.rows_view",
    "desktop.widgets.message_controls",
    "desktop.widgets.reading_view",
    "desktop.widgets.transcript",
)

if TYPE_CHECKING:
    from desktop.calls import Call
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
    from inference import Proxy, StateBudget

    KeysMaker = Callable[[Callable[[KeysKept], None], str], Keys]
    EngineMaker = Callable[[Callable[[inference.Event], None], StateBudget], inference.Engine]


class App(QObject):
    """The running program."""

    painted = Signal()  # the window is on the screen
    begun = Signal()  # so is the first prompt's way: what a reply needs is there, the model is loading
    broke = Signal(str)  # a fault of our own, which was logged and shown; the report
    left = Signal(int)  # everything is closed; the exit status

    def __init__(
        self,
        application: QApplication,
        places: Places,
        make_engine: EngineMaker,
        embedded: Path | None,
        model: Path | RemoteModel | None = None,
        make_keys: KeysMaker | None = None,
        *,
        safe: bool = False,
        entrance: Entrance | None = None,
        watches: bool = False,
    ) -> None:
        """Without `make_keys` they are the system's. With `safe`, everything is as at first and computed on the CPU,
        whatever was chosen. At the `entrance` later starts hand over what they want. What `watches` has crashes of
        compiled code written down, from before its window is made.

        Raises:
            StoreError: the conversations cannot be opened.
        """
        super().__init__()
        self._asked_for = model
        self._has_begun = False
        self._has_left = False
        self._backup: DailyBackup | None = None
        self._deletes = False
        self._safe = safe
        self._entrance = entrance
        self._door: Door | None = None
        self._knows_place = False  # where somebody is; until then, where somebody was
        self.settings = SettingsFile(places.settings)
        if safe:
            self.settings.do_without(Settings(device=CPU, restore_place=False))
        else:
            self.settings.load()
        speak(application, self.settings.current.language)
        self._store, self._salvaged = open_store(places.conversations)
        self._crash = CrashHook(parent=self)
        self._bridge = EngineBridge(self)
        self._places = places
        post = self._bridge.post
        self._make_keys = make_keys
        self._engine = Engines(
            lambda: make_engine(post, self._budget()),
            lambda: inference.RemoteEngine(post, self._keys.key_of, way_out=self._way_out),
        )
        self.models = ModelChoice(self._engine, self.settings, embedded, self)
        if not isinstance(model, Path) or looks_like_model(model):
            self.models.intend(model)  # what will be loaded is named in the first picture of the window
        self.library = self._make_library()
        self._runs = _last_runs(places.data / RUNS)
        if watches and self._runs is not None:
            self._runs.catch_faults()
        self.aftermath = self._make_aftermath()
        self._themes = _themes_for(application, self.settings.current, self)
        if self.library.interrupted and not safe:
            self._open_newest()
        self._draft_count = DraftCount(lambda: inference.TokenCounter(post), self.models, self)
        self._drafts = DraftAttachments(self._file_reader, self)
        self.window = Window(
            self.library,
            self.models,
            self.settings,
            self._themes,
            draft_count=self._draft_count,
            servers=lambda: self._servers,
            behind=self._make_behind,
            drafts=self._drafts,
        )
        self.model_views = ModelViews(lambda: self.supply, self.models, self.settings, self._themes, self.window, self)
        self.insights = Insights(self._make_laboratory, self.library, self._themes, self.window, self)
        self._vigil: Vigil | None = None
        self._idle_unload: IdleUnload | None = None
        self._wakefulness: list[Wakefulness] = []
        self._warm_up = WarmUp(self._put_off(), self)
        self._connect()

    def show(self) -> None:
        """Show the window. The model and everything else that takes time begin once it is painted."""
        self._first_paint = _FirstPaint(self.window)
        self._first_paint.happened.connect(self.painted)
        self._first_paint.happened.connect(self._begin)
        QTimer.singleShot(UNPAINTED_MILLISECONDS, self._begin)
        self.window.show()

    def install_crash_hook(self) -> None:
        """Take what nobody catches, from now until the program leaves."""
        if self._runs is None:
            self._crash.install()
        else:
            self._crash.install(self._runs.write_down)

    def leave(self, status: int = 0) -> None:
        """Stop what runs, keep what was written, let go of everything. Leaving twice is fine."""
        if self._has_left:
            return
        self._has_left = True
        try:
            with ExitStack() as steps:
                for step in reversed(tuple(self._farewells())):
                    steps.callback(step)
        except Exception as error:  # noqa: BLE001 - the crash hook: what failed kept none of the other steps from being made
            show_at_once(error)
        self._crash.uninstall()
        self.left.emit(status)

    def _farewells(self) -> Iterator[Callable[[], object]]:
        yield self._keep_place
        yield partial(self.window.setEnabled, False)
        # The engine's last events are in the bridge when this returns; then they are kept like any others.
        yield self._warm_up.stop
        yield self.library.finish_deleting
        yield self._engine.close
        yield self._draft_count.close
        yield self._drafts.close
        yield self._bridge.drain
        if self._vigil is not None:
            yield self._vigil.close
        if self._idle_unload is not None:
            yield self._idle_unload.close
        if self._has_supply:
            yield self.supply.close
        for wakefulness in self._wakefulness:
            yield wakefulness.close
        yield self.library.flush
        yield self.library.close
        if self._backup is not None:
            yield self._backup.stop
        yield self._store.close
        if self._runs is not None:
            yield self._runs.close
        if self._door is not None:
            yield self._door.close
        if self._deletes:
            yield self._delete_everything

    def _connect(self) -> None:
        # The choice first: what a session shows of the model is then what the picker shows.
        self._bridge.event_arrived.connect(self.models.on_event)
        self._bridge.server_answered.connect(self.models.on_event)
        self.settings.listen(self._on_settings)
        self._bridge.event_arrived.connect(self.library.on_event)
        self._bridge.conversations_read.connect(self.library.on_file_read)
        self._bridge.event_arrived.connect(self._watch_for_faults)
        self._bridge.server_answered.connect(self._watch_for_faults)
        self._bridge.counted.connect(self._draft_count.on_counted)
        self._bridge.file_read.connect(self._drafts.on_read)
        self.window.closing.connect(self.leave)
        self._crash.shown.connect(self.broke)
        self._crash.ran_short.connect(self.window.board.show_error, Qt.ConnectionType.QueuedConnection)
        self._crash.ran_short.connect(self.broke, Qt.ConnectionType.QueuedConnection)
        if self.aftermath is not None:
            self._bridge.event_arrived.connect(self.aftermath.on_event)

    def _make_library(self) -> Library:
        try:
            return Library(self._store, self._engine, self.models, self, make_reader=self._conversation_reader)
        except StoreError:
            self._store.close()  # whoever tries again finds nobody in the way
            raise

    def _make_aftermath(self) -> Aftermath | None:
        if self._runs is None:
            return None
        aftermath = Aftermath(self._runs, self.library, self.models, self._crash.show_death, self)
        if self._asked_for is None:
            aftermath.consider()
        return aftermath

    # What the first picture does not show: made when it is first wanted, or once the window is painted

    @cached_property
    def _keys(self) -> Keys:
        from desktop.secrets import Keys

        named = self._asked_for.base_url if isinstance(self._asked_for, RemoteModel) else ""
        return (self._make_keys or Keys)(self._bridge.post, named)

    @cached_property
    def _servers(self) -> ServerChoice:
        from desktop.server_choice import ServerChoice

        servers = ServerChoice(self._engine, self._keys, self)
        self._bridge.server_answered.connect(servers.on_event)
        self._bridge.keys_kept.connect(servers.on_keys_kept)
        return servers

    @cached_property
    def _upkeep(self) -> Upkeep:
        from desktop.devices import Devices
        from desktop.upkeep import Folders, Upkeep

        data = self._places.data
        folders = Folders(data, self._places.models or data / "models")
        upkeep = Upkeep(self.settings, self._keys, folders, Devices(self._bridge.post), self)
        self._bridge.keys_kept.connect(upkeep.on_keys_kept)
        self._bridge.devices_listed.connect(upkeep.on_devices_listed)
        upkeep.deletion_wanted.connect(self._leave_nothing)
        return upkeep

    def _make_behind(self) -> Behind:
        from desktop.presets import Presets
        from desktop.widgets.behind import Behind

        return Behind(self._upkeep, Presets(self._store, self))

    def _make_laboratory(self) -> Laboratory:
        from desktop.comparison import Comparisons
        from desktop.lab_runs import LabRuns
        from desktop.live_reply import LiveReply
        from desktop.widgets.laboratory import Laboratory

        comparisons = Comparisons(self._store, self._engine, self.models, self)
        runs = LabRuns(self._engine, self.models, self.settings, self)
        live = LiveReply(self)
        for watcher in (comparisons, runs, live):
            self._bridge.event_arrived.connect(watcher.on_event)
        return Laboratory(comparisons, runs, live, self.models, self.settings)

    def _conversation_reader(self) -> ConversationReader:
        from desktop.import_reader import ConversationReader

        return ConversationReader(self._bridge.post)

    def _file_reader(self) -> Reader:
        from desktop.file_reader import FileReader

        return FileReader(self._bridge.post)

    @property
    def _has_supply(self) -> bool:
        return "supply" in self.__dict__

    @cached_property
    def supply(self) -> Supply:
        from desktop.supply import Supply, SupplyPlaces
        from desktop.wakefulness import DOWNLOADING, Wakefulness

        places = self._places
        measurements = places.engine.measurements if places.engine is not None else None
        where = SupplyPlaces(lambda: self._upkeep.models_folder, places.model_facts, measurements, places.home)
        awake = Wakefulness(self, reason=DOWNLOADING)
        self._wakefulness.append(awake)
        supply = Supply(self._bridge.post, self.settings, self._keys, self.models, where, awake, self)
        self._upkeep.devices_listed.connect(supply.sizing.on_devices_listed)
        return supply

    def _watch_the_engine(self) -> None:
        from desktop.idle_unload import IdleUnload
        from desktop.vigil import Vigil
        from desktop.wakefulness import Wakefulness

        awake = Wakefulness(self)
        self._wakefulness.append(awake)
        self._vigil = Vigil(awake, partial(QApplication.alert, self.window), self)
        self._idle_unload = IdleUnload(self._engine.unload, self.settings, self)
        for watcher in (self._vigil, self._idle_unload):
            self._bridge.event_arrived.connect(watcher.on_event)

    def _begin_daily_backups(self) -> None:
        if self._store.backups is not None:
            from desktop.daily_backup import DailyBackup

            self._backup = DailyBackup(self._store.backups, self)
            self._backup.damaged.connect(self.window.board.show_error)
            self._backup.look()

    def _open_newest(self) -> None:
        """Begin where the program was cut off."""
        conversations = self.library.conversations()
        if conversations:
            self.library.open(conversations[0].id)

    def _begin(self) -> None:
        if not self._has_begun and not self._has_left:
            self._has_begun = True
            self._warm_up.start()

    def _put_off(self) -> Iterator[Piece]:
        """What waits until the window is painted, in pieces that take less than a frame. The model is loaded last: its
        thread would be in the way of the others."""
        yield self.window.show_icon
        yield from (partial(getattr, inference, name) for name in _ENGINE)
        yield from (partial(import_module, name) for name in _TEXT)
        # A widget that Qt made: to say of what kind it is, PySide6 makes Python's half of every kind there is.
        yield self.window.page.empty_state.viewport
        yield self.window.page.prepare
        yield self._go_on_where_it_was_left
        yield self._speak_of_the_start
        yield self.insights.prepare
        yield self.model_views.prepare
        yield self._watch_the_engine
        yield self._load_model
        yield from self._crash.put_off()
        yield self.begun.emit
        yield self._open_door
        yield from self.library.put_off()
        yield from self.supply.put_off()
        yield self._begin_daily_backups

    def _speak_of_the_start(self) -> None:
        if self._salvaged is not None:
            self.window.board.show_notice(str(self._salvaged), NoticeKind.WARNING)
        if self._safe:
            self.window.board.show_notice(
                self.tr("Safe mode: all is as at first, on the CPU. What is chosen now is not kept.")
            )
        if self.aftermath is not None:
            self.aftermath.speak(self.window.board)

    def _open_door(self) -> None:
        if self._entrance is not None:
            self._door = self._entrance.listen(self)
        if self._door is not None:
            self._door.called.connect(self._on_call)

    def _on_call(self, call: Call) -> None:
        """Somebody started the program again: this window comes to the front, with the file that was named."""
        if call.model and inference.is_address(call.model):
            self.models.choose(RemoteModel(inference.base_url_of(call.model)))
        elif call.model:
            self.window.opening.open(Path(call.model))
        self.window.come_to_front(call.token)

    def _go_on_where_it_was_left(self) -> None:
        """Open the conversation that was read last, unless somebody has begun something else meanwhile."""
        self._knows_place = True
        settings, session = self.settings.current, self.library.current
        last = settings.last_conversation
        begun = session.conversation is not None or session.is_busy or bool(self.window.composer.text.strip())
        crashed_over = self.aftermath.crashed_over if self.aftermath is not None else None
        if not settings.restore_place or last is None or begun or last == crashed_over:
            return
        if any(conversation.id == last for conversation in self.library.conversations()):
            self.window.page.remember(last, settings.last_place)
            self.library.open(last)

    def _keep_place(self) -> None:
        conversation = self.library.current.conversation
        if not self._knows_place:
            return
        now = replace(self.settings.current, last_conversation=None, last_place="")
        if conversation is not None and not conversation.temporary:
            now = replace(now, last_conversation=conversation.id, last_place=self.window.page.place_words)
        if now != self.settings.current:
            self.settings.save(now)

    def _leave_nothing(self) -> None:
        """Leave, and delete everything. Another window of the program would go on with what is not there any more."""
        if held_in(self._places.locks) > 1:
            words = self.tr("Another window of Headwater is open. Close it, then delete everything.")
            self.window.board.show_notice(words, NoticeKind.WARNING)
            return
        self._deletes = True
        self.window.close()

    def _delete_everything(self) -> None:
        from desktop.deletion import delete_files
        from desktop.store.salvage import damaged_files_of

        places = self._places
        servers = {model.base_url for model in self.settings.current.servers}
        self._keys.forget_all({*servers, self.supply.door.endpoint}, KEYRING_SECONDS)
        self.settings.let_go()
        engine = places.engine or EngineFiles()
        settings = (places.settings, broken_of(places.settings))
        # The conversations last: where this is cut off, they are still seen, and it can be asked for again.
        files = (
            *(*settings, engine.measurements, engine.log, places.model_facts),
            *(*damaged_files_of(places.conversations), places.conversations),
        )
        folders = (places.states, places.locks, places.data / BACKUPS, places.data / RUNS)
        left = delete_files((file for file in files if file), (folder for folder in folders if folder))
        for path in left:
            logging.getLogger(__name__).warning("could not be deleted: %s", path)

    def _load_model(self) -> None:
        if isinstance(self._asked_for, Path) and self.models.state.phase is ModelPhase.NONE:
            self.window.opening.open(self._asked_for)  # it is none, and is refused in words
        if self.aftermath is None or not self.aftermath.holds_back:
            self.models.load()

    def _on_settings(self, before: Settings, after: Settings) -> None:
        """What the window does not do itself."""
        self._themes.set_reduced_motion(reduced=after.reduced_motion)
        budgets = before.kv_memory_megabytes, before.kv_disk_megabytes
        if budgets != (after.kv_memory_megabytes, after.kv_disk_megabytes) and not self._has_left:
            self._engine.keep_states(self._budget())

    def _budget(self) -> StateBudget:
        settings = self.settings.current
        return inference.StateBudget(
            settings.kv_memory_megabytes << 20, settings.kv_disk_megabytes << 20, self._places.states
        )

    def _way_out(self) -> Proxy:
        """Asked on the remote engine's thread: settings are replaced whole."""
        settings = self.settings.current
        return inference.Proxy(settings.proxy, settings.proxy_address)

    def _watch_for_faults(self, event: inference.Event | inference.RemoteModelEvent) -> None:
        """Our own faults inside the engines go where all of them go."""
        match event:
            case (
                inference.GenerationFailed(error=error)
                | inference.ModelFailed(error=error)
                | inference.RemoteModelFailed(error=error)
            ):
                if isinstance(error, EngineFault):
                    self._crash.take_fault(error.summary, error.report)
            case _:
                pass


class _FirstPaint(QObject):
    """Says when a window has been painted for the first time."""

    happened = Signal()

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            watched.removeEventFilter(self)
            # After this frame: what it paints is not on the screen yet.
            QTimer.singleShot(0, self.happened.emit)
        return False


def _themes_for(application: QApplication, settings: Settings, parent: QObject) -> ThemeSource:
    themes = ThemeSource(application, settings.colour_scheme, parent)
    themes.set_font(settings.font_family, settings.font_size)
    themes.set_reduced_motion(reduced=settings.reduced_motion)
    return themes


def _last_runs(folder: Path) -> LastRuns | None:
    try:
        return LastRuns(folder)
    except OSError:  # the conversations were opened all the same; nothing is remembered of this run
        return None

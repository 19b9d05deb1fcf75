"""Builds the parts, connects them, takes them down in order: the only place that knows them all."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack
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
from desktop.spoken import spoken
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
    from desktop.departure import Departure
    from desktop.last_place import LastPlace
    from desktop.later_parts import KeysMaker, LaterParts
    from inference import Proxy, StateBudget

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
        self._deletes = False
        self._safe = safe
        self._entrance = entrance
        self._door: Door | None = None
        self._place: LastPlace | None = None
        self._places = places
        self._make_keys = make_keys
        self.settings = _settings_in(places.settings, safe=safe)
        speak(application, self.settings.current.language)
        self._store, self._salvaged = open_store(places.conversations)
        self._crash = CrashHook(parent=self)
        self._bridge = EngineBridge(self)
        post = self._bridge.post
        self._engine = Engines(
            lambda: make_engine(post, self._budget()),
            lambda: inference.RemoteEngine(post, self.later.keys.key_of, way_out=self._way_out),
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
        self._drafts = DraftAttachments(lambda: self.later.file_reader, self)
        self.window = self._make_window()
        self.model_views = ModelViews(
            lambda: self.later.supply, self.models, self.settings, self._themes, self.window, self
        )
        self.insights = Insights(lambda: self.later.laboratory, self.library, self._themes, self.window, self)
        self._warm_up = WarmUp(self._put_off(), self)
        self._connect()

    @cached_property
    def later(self) -> LaterParts:
        """What the first picture does not show."""
        from desktop.later_parts import LaterParts

        later = LaterParts(
            self._bridge,
            self._store,
            self._engine,
            self.models,
            self.settings,
            self._places,
            self,
            make_keys=self._make_keys,
            named_server=self._asked_for.base_url if isinstance(self._asked_for, RemoteModel) else "",
        )
        later.deletion_wanted.connect(self._leave_nothing)
        later.damaged.connect(self.window.board.show_error)
        return later

    @cached_property
    def departure(self) -> Departure:
        """Waits for what has threads when the program leaves."""
        from desktop.departure import Departure

        return Departure()

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

    def answer(self, call: Call) -> None:
        """Somebody started the program again, or a desktop named a file: this window comes to the front with it."""
        if call.model and inference.is_address(call.model):
            self.models.choose(RemoteModel(inference.base_url_of(call.model)))
        elif call.model:
            self.window.opening.open(Path(call.model))
        self.window.come_to_front(call.token)

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
        if self._place is not None:
            yield self._place.keep
        yield partial(self.window.setEnabled, False)
        # The engine's last events are in the bridge when this returns; then they are kept like any others.
        yield self._warm_up.stop
        yield self.library.finish_deleting
        yield self._draft_count.close
        for what, close in (
            ("The engine", self._engine.close),
            ("What counts tokens", self._draft_count.let_go),
            ("What reads files", self._drafts.close),
        ):
            yield partial(self.departure.close, what, close)
        yield self._bridge.drain
        if self._has_later:
            yield from self.later.farewells()
        yield self.library.flush
        yield self.library.close
        if self._has_later:
            yield self.later.stop_backup
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
            return Library(
                self._store, self._engine, self.models, self, make_reader=lambda: self.later.conversation_reader
            )
        except StoreError:
            self._store.close()  # whoever tries again finds nobody in the way
            raise

    def _make_window(self) -> Window:
        return Window(
            self.library,
            self.models,
            self.settings,
            self._themes,
            draft_count=self._draft_count,
            servers=lambda: self.later.servers,
            behind=lambda: self.later.behind,
            drafts=self._drafts,
        )

    def _make_aftermath(self) -> Aftermath | None:
        if self._runs is None:
            return None
        aftermath = Aftermath(self._runs, self.library, self.models, self._crash.show_death, self)
        if self._asked_for is None:
            aftermath.consider()
        return aftermath

    @property
    def _has_later(self) -> bool:
        return "later" in self.__dict__

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
        yield partial(self.later.watch_the_engine, partial(QApplication.alert, self.window))
        yield self._load_model
        yield from self._crash.put_off()
        yield self.begun.emit
        yield self._open_door
        yield from self.library.put_off()
        yield from self.later.supply.put_off()
        yield self.later.begin_daily_backups
        yield self.window.filing.sweep

    def _speak_of_the_start(self) -> None:
        if self._salvaged is not None:
            self.window.board.show_notice(spoken(self._salvaged), NoticeKind.WARNING)
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
            self._door.called.connect(self.answer)

    def _go_on_where_it_was_left(self) -> None:
        from desktop.last_place import LastPlace

        self._place = LastPlace(self.settings, self.library, self.window)
        self._place.go_back(None if self.aftermath is None else self.aftermath.crashed_over)

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
        self.later.keys.forget_all({*servers, self.later.supply.door.endpoint}, KEYRING_SECONDS)
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


def _settings_in(file: Path, *, safe: bool) -> SettingsFile:
    settings = SettingsFile(file)
    if safe:
        settings.do_without(Settings(device=CPU, restore_place=False))
    else:
        settings.load()
    return settings


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

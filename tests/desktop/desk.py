"""A whole desk: a window with the real parts behind it, and an engine that a test drives."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, Qt, Signal
from PySide6.QtWidgets import QApplication, QWidget

from desktop.comparison import Comparisons
from desktop.devices import Devices
from desktop.draft_attachments import DraftAttachments
from desktop.draft_count import DraftCount
from desktop.engine_bridge import EngineBridge
from desktop.file_choosers import FileChoosers
from desktop.lab_runs import LabRuns
from desktop.library import Library
from desktop.live_reply import LiveReply
from desktop.model_choice import ModelChoice
from desktop.presets import Presets
from desktop.secrets import Keys
from desktop.server_choice import ServerChoice
from desktop.settings import SettingsFile
from desktop.store import Store
from desktop.supply import Supply, SupplyPlaces
from desktop.theme import ThemeSource
from desktop.upkeep import Folders, Upkeep
from desktop.widgets.behind import Behind
from desktop.widgets.insights import Insights
from desktop.widgets.laboratory import Laboratory
from desktop.widgets.model_views import ModelViews
from desktop.window import Window
from inference import RemoteModel
from tests.desktop.fakes import MODEL, ScriptedEngine
from tests.desktop.test_draft_attachments import ScriptedReader
from tests.desktop.test_draft_count import ScriptedCounter

ENTER = Qt.Key.Key_Return
SERVER = RemoteModel("http://127.0.0.1:8080/v1", "big")


class Awake:
    """Holds off no sleep, and knows whether it would."""

    def __init__(self) -> None:
        self.is_held = False

    def hold(self) -> None:
        self.is_held = True

    def release(self) -> None:
        self.is_held = False


class Plain(QWidget):
    """A view, or a panel, with nothing in it."""

    closed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.begins_at = self
        self.themes: list[str] = []

    def set_theme(self, theme) -> None:
        self.themes.append(theme.name)


class Desk:
    """A window with everything that stands behind it: the real parts, and an engine that a test drives."""

    def __init__(self, qtbot, tmp_path: Path, application: QApplication) -> None:
        self.qtbot = qtbot
        self.engine = ScriptedEngine()
        self.settings = SettingsFile(tmp_path / "settings.toml")
        self.settings.load()
        self.store = Store(tmp_path / "conversations.sqlite3", busy_seconds=0.01)
        self.models = ModelChoice(self.engine, self.settings, MODEL)
        self.library = Library(self.store, self.engine, self.models)
        self.engine.listeners += [self.models.on_event, self.library.on_event]
        self.themes = ThemeSource(application)
        self.counter = ScriptedCounter()
        self.draft_count = DraftCount(lambda: self.counter, self.models, pause=0)
        self.reader = ScriptedReader()
        self.drafts = DraftAttachments(lambda: self.reader)
        self.keys = Keys(lambda _: None, environment={}, open_keyring=lambda: None)
        self.servers = ServerChoice(self.engine, self.keys)
        self.engine.remote_listeners += [self.models.on_event, self.servers.on_event]
        folders = Folders(tmp_path / "data", tmp_path / "models")
        self.upkeep = Upkeep(self.settings, self.keys, folders, Devices(lambda _: None, lambda: ()))
        self.presets = Presets(self.store)
        self.comparisons = Comparisons(self.store, self.engine, self.models)
        self.lab_runs = LabRuns(self.engine, self.models, self.settings)
        self.live = LiveReply()
        self.engine.listeners += [self.comparisons.on_event, self.lab_runs.on_event, self.live.on_event]
        self.asked: list[QWidget] = []
        self.to_choose: Path | None = None
        self.file_choosers: FileChoosers | None = None
        self.windows: list[Window] = []
        self.folder = tmp_path
        self.supply: Supply | None = None

    def open(self, *, ready: bool = True) -> Window:
        if ready:
            self.models.load()
            self.engine.ready(name="Small")
        self.window = self.open_another()
        self.window.resize(1000, 700)
        self.window.show()
        self.window.activateWindow()
        QApplication.processEvents()
        return self.window

    def open_another(self) -> Window:
        parts = (self.library, self.models, self.settings, self.themes)
        self.windows.append(
            Window(
                *parts,
                choose_file=self.choose,
                draft_count=self.draft_count,
                servers=lambda: self.servers,
                behind=lambda: Behind(self.upkeep, self.presets),
                drafts=self.drafts,
                file_choosers=self.file_choosers,
            )
        )
        laboratory = Laboratory(self.comparisons, self.lab_runs, self.live, self.models, self.settings)
        window = self.windows[-1]
        self.insights = Insights(lambda: laboratory, self.library, self.themes, window, window)
        self.insights.prepare()
        return self.windows[-1]

    def furnish(self, **environment: str) -> ModelViews:
        """Have models in the window that is open, with the Hub that the environment names; offline without one."""
        self.bridge = EngineBridge()
        places = SupplyPlaces(
            lambda: self.upkeep.models_folder, self.folder / "facts.json", self.folder / "machine.json", self.folder
        )
        known = environment or {"HF_HUB_OFFLINE": "1"}
        self.awake = Awake()
        self.supply = Supply(
            self.bridge.post, self.settings, self.keys, self.models, places, self.awake, environment=known
        )
        parts = (lambda: self.supply, self.models, self.settings, self.themes)
        self.model_views = ModelViews(*parts, self.window, self.window, self._choose_folder)
        self.model_views.prepare()
        return self.model_views

    def _choose_folder(self, parent: QWidget, _start: Path) -> Path | None:
        return self.choose(parent)

    def close(self) -> None:
        if self.supply is not None:
            self.supply.close()
        for window in self.windows:
            window.close()
            window.deleteLater()
        # Now, not with the next event loop: there is none, and what lives on is styled again in every test.
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        self.engine.close()  # what runs ends, as when the program leaves: no timer is left to keep more of it
        self.store.close()

    def choose(self, parent: QWidget) -> Path | None:
        self.asked.append(parent)
        return self.to_choose

    def type(self, text: str) -> None:
        self.qtbot.keyClicks(self.window.composer.field, text)

    def send(self, text: str) -> None:
        self.type(text)
        self.qtbot.keyClick(self.window.composer.field, ENTER)

    def connect(self) -> None:
        """Have the model of a server answer, which is named as a person would."""
        self.window.opening.server_action.trigger()
        panel = self.window.server_area.panel
        assert panel is not None
        panel.address_field.setText("127.0.0.1:8080")
        panel.connect_button.click()
        self.engine.offer(SERVER)  # its only model is taken, and asked about
        self.engine.offer(SERVER, context_size=32_768)

    def eject(self) -> None:
        self.window.opening.eject_action.trigger()

    def talk(self, question: str, *answer: str) -> None:
        self.send(question)
        for piece in answer:
            self.engine.say(piece)
        self.engine.finish()

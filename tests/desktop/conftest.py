"""What the tests of the desktop share."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop.model_choice import ModelChoice
from desktop.settings import SettingsFile
from desktop.store import Store
from desktop.theme import Theme, load_theme
from desktop.translation import Translator, speak
from desktop.widgets.transcript import Transcript
from tests.desktop.desk import Desk
from tests.desktop.fakes import MODEL, ScriptedEngine
from tests.desktop.hub_desk_parts import ModelsOnDesk
from tests.desktop.talk import Conversation
from tests.desktop.watched import Watched
from tests.hub_server import HubServer, hub_server

PATIENCE = 30_000  # milliseconds: where others compute, what comes at once takes seconds


class PatientBot(QtBot):
    """Waits longer than pytest-qt's five seconds for what comes, and no longer than it takes to come."""

    def waitSignal(self, signal, *, timeout=PATIENCE, raising=None, check_params_cb=None):  # noqa: N802 - pytest-qt's name
        return super().waitSignal(signal, timeout=timeout, raising=raising, check_params_cb=check_params_cb)

    def waitUntil(self, callback: Callable[[], bool | None], *, timeout: int = PATIENCE) -> None:  # noqa: N802 - the same
        super().waitUntil(callback, timeout=timeout)


@pytest.fixture
def qtbot(qapp, request) -> QtBot:
    return PatientBot(request)


@pytest.fixture
def desk(qtbot, tmp_path, qapp):
    font, palette = qapp.font(), qapp.palette()
    desk = Desk(qtbot, tmp_path, qapp)
    yield desk
    desk.close()
    qapp.setFont(font)
    qapp.setPalette(palette)


@pytest.fixture
def german_program(qapp):
    before = QLocale()
    speak(qapp, "de")
    yield
    QLocale.setDefault(before)
    for translator in qapp.children():
        if isinstance(translator, Translator) or type(translator).__name__ == "QTranslator":
            qapp.removeTranslator(translator)
            translator.deleteLater()
    assert QWidget().tr("Choose a folder") == "Choose a folder"


@pytest.fixture
def said() -> Conversation:
    return Conversation()


@pytest.fixture
def theme() -> Theme:
    return load_theme("light")


@pytest.fixture
def transcript(qtbot: QtBot, theme: Theme) -> Iterator[Transcript]:
    view = Transcript(theme)
    qtbot.addWidget(view)
    view.resize(700, 500)
    with qtbot.waitExposed(view):
        view.show()
    yield view
    QApplication.sendPostedEvents(None, 0)


@pytest.fixture
def hub() -> Iterator[HubServer]:
    with hub_server() as server:
        yield server


@pytest.fixture
def models_on_desk(desk: Desk, qtbot: QtBot) -> ModelsOnDesk:
    """A window with models, offline."""
    return ModelsOnDesk(desk, qtbot)


@pytest.fixture
def models_online(desk: Desk, qtbot: QtBot, hub: HubServer) -> ModelsOnDesk:
    """A window with models, and a Hub."""
    return ModelsOnDesk(desk, qtbot, hub)


# One session, with a store and an engine that a test drives


@pytest.fixture
def path(tmp_path):
    return tmp_path / "conversations.sqlite3"


@pytest.fixture
def store(path):
    store = Store(path, busy_seconds=0.01)
    yield store
    store.close()


@pytest.fixture
def engine():
    return ScriptedEngine()


@pytest.fixture
def models(qapp, engine, tmp_path):
    models = ModelChoice(engine, SettingsFile(tmp_path / "settings.toml"), MODEL)
    engine.listeners.append(models.on_event)
    models.load()
    return models


@pytest.fixture
def watched(store, engine, models):
    """A session whose model is loaded."""
    watched = Watched(store, engine, models)
    engine.ready()
    return watched


@pytest.fixture
def session(watched):
    return watched.session

"""Whole programs in this process: started, shown, and left when a test is over."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.app import App
from desktop.places import Places
from desktop.secrets import Keys
from inference import RemoteModel
from tests.desktop.fakes import MODEL


class Programs:
    """Starts them, without a keyring."""

    def __init__(self, application: QApplication, qtbot: QtBot) -> None:
        self._application = application
        self._qtbot = qtbot
        self._apps: list[App] = []

    def start(
        self,
        places: Places,
        make_engine: Callable[..., Any],
        embedded: Path | None = MODEL,
        model: Path | RemoteModel | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> App:
        keys = partial(Keys, environment=environment or {}, open_keyring=lambda: None)
        app = App(self._application, places, make_engine, embedded, model, keys)
        self._apps.append(app)
        self._qtbot.addWidget(app.window)
        with self._qtbot.waitSignal(app.begun):
            app.show()
        return app

    def leave(self) -> None:
        for app in self._apps:
            app.leave()


@contextmanager
def programs(application: QApplication, qtbot: QtBot) -> Iterator[Programs]:
    started = Programs(application, qtbot)
    yield started
    started.leave()

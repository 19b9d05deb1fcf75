"""The real window with the real model, used by a script as somebody would use it.

A script is a generator: it does something, yields what it waits for, and goes on when that is so.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QTimer

from desktop.__main__ import main as run_program
from desktop.app import App
from desktop.model_choice import ModelPhase

GLANCE_MILLISECONDS = 20
PATIENCE_SECONDS = 240.0  # for any one thing

Condition = Callable[[], bool]
Script = Callable[[App], Iterator[Condition]]


def drive(
    script: Script,
    *,
    folder: Path | None = None,
    arguments: Sequence[str] = (),
    patience: float = PATIENCE_SECONDS,
) -> int:
    """Run the program until the script is at its end; returns the exit status, not 0 where it did not come so far."""
    drivers: list[Driver] = []

    def prepare(app: App) -> None:
        drivers.append(Driver(app, script, patience))

    with tempfile.TemporaryDirectory() as passing:
        status = run_program(("--data-dir", str(folder or passing), "--new-window", *arguments), prepare)
    if not drivers or drivers[0].failure:
        print(drivers[0].failure if drivers else "The program did not start.")
        return status or 1
    return status


class Driver(QObject):
    """Follows a script, step by step, and closes the window at its end."""

    def __init__(self, app: App, script: Script, patience: float = PATIENCE_SECONDS) -> None:
        super().__init__(app)
        self.failure = ""
        self._app = app
        self._steps = script(app)
        self._waits_for: Condition = lambda: True
        self._since = 0.0
        self._patience = patience
        self._timer = QTimer(self, interval=GLANCE_MILLISECONDS)
        self._timer.timeout.connect(self._look)
        app.begun.connect(self._timer.start)
        app.broke.connect(self._give_up)

    def _look(self) -> None:
        if not self._waits_for():
            if time.monotonic() - self._since > self._patience:
                self._give_up(f"It waited for more than {self._patience:.0f} seconds.")
            return
        step = next(self._steps, None)
        if step is None:
            self._leave()
        else:
            self._waits_for, self._since = step, time.monotonic()

    def _give_up(self, why: str) -> None:
        self.failure = why
        self._leave()

    def _leave(self) -> None:
        self._timer.stop()
        self._app.window.close()


def is_ready(app: App) -> Condition:
    """The model is loaded."""
    return lambda: app.models.state.phase is ModelPhase.READY


def is_quiet(app: App) -> Condition:
    """No reply is being made in the conversation that is shown."""
    return lambda: not app.window.session.is_busy


def send(app: App, words: str) -> None:
    """Send it as the key does."""
    app.window.composer.set_text(words)
    app.window.composer.submitted.emit(words)


def after(seconds: float) -> Condition:
    """So much later: what is moving has come to rest, what was asked in the background is there."""
    end = time.monotonic() + seconds
    return lambda: time.monotonic() >= end

"""Somebody types while the real model reads a long prompt and answers: how long each key took to be seen."""

from __future__ import annotations

import json
import random
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.__main__ import main as run

if TYPE_CHECKING:
    from desktop.app import App

LENGTH = 200  # tokens
SHORTEST_GAP, LONGEST_GAP = 0.02, 0.06  # seconds between two keys: as fast as one that is held down


class Typist:
    """Presses a key at moments of its own, whatever the window is doing, and notes when its letter was painted."""

    def __init__(self, app: App) -> None:
        from PySide6.QtCore import QEvent, QObject, Qt
        from PySide6.QtGui import QKeyEvent

        QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_A, Qt.KeyboardModifier.NoModifier)  # Qt's thread makes the keyboard
        self.seconds: dict[str, list[float]] = {}
        self._app = app
        self._field = app.window.composer.field
        self._viewport = self._field.viewport()
        self._pressed: list[tuple[float, str]] = []
        self._seen = 0
        self._ended = threading.Event()
        self._chance = random.Random(1)  # noqa: S311 - the same moments each time
        self._thread = threading.Thread(target=self._type, daemon=True)
        typist = self

        class Watch(QObject):
            def eventFilter(self, watched: QObject, event: QEvent) -> bool:
                return event.type() == QEvent.Type.Paint and typist.paint(event)

        self._watch = Watch()
        self._viewport.installEventFilter(self._watch)

    def begin(self) -> None:
        self._thread.start()

    def end(self) -> None:
        self._ended.set()
        self._thread.join()

    def paint(self, event: object) -> bool:
        """Let it be painted, then look at the clock: every key that is in the text by now was seen."""
        from PySide6.QtCore import QCoreApplication, QEvent

        assert isinstance(event, QEvent)
        self._viewport.removeEventFilter(self._watch)
        QCoreApplication.sendEvent(self._viewport, event)
        self._viewport.installEventFilter(self._watch)
        now = time.perf_counter()
        typed = self._field.document().characterCount() - 1
        for at, phase in self._pressed[self._seen : typed]:
            self.seconds.setdefault(phase, []).append(now - at)
        self._seen = max(self._seen, min(typed, len(self._pressed)))
        return True

    def _type(self) -> None:
        from PySide6.QtCore import QCoreApplication, QEvent, Qt
        from PySide6.QtGui import QKeyEvent

        while not self._ended.wait(self._chance.uniform(SHORTEST_GAP, LONGEST_GAP)):
            letter = self._chance.choice("abcdefgh ")
            key = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_A, Qt.KeyboardModifier.NoModifier, letter)
            self._pressed.append((time.perf_counter(), self._app.library.current.activity.phase.value))
            QCoreApplication.postEvent(self._field, key, Qt.EventPriority.HighEventPriority.value)


def main(folder: Path) -> None:
    """Write the seconds from each key to its letter, by what the model was doing, to standard output."""
    typists: list[Typist] = []

    def watch(app: App) -> None:
        session = app.library.current

        def ask() -> None:
            text = "Rivers bend because water runs faster on the outside of a curve. " * 40
            app.window.composer.set_text(f"{text}\nWrite a long story about it.")
            app.window.composer.submitted.emit(app.window.composer.text)
            typists.append(Typist(app))
            typists[0].begin()

        def follow(_activity: object) -> None:
            if session.activity.output_tokens >= LENGTH:
                session.stop()

        def leave(_turn: object) -> None:
            typists[0].end()
            app.leave()

        app.begun.connect(ask)
        session.activity_changed.connect(follow)
        session.turn_changed.connect(leave)

    run(["--data-dir", str(folder)], watch)
    print(json.dumps(typists[0].seconds))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

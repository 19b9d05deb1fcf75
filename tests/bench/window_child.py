"""A window in a process of its own: told when it is painted, or how late its event loop got."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

LENGTH = 200  # tokens


def main(what: str) -> None:
    """Show `what` ("headwater", "empty", or "lag"), write what was measured to standard output, and end."""
    match what:
        case "headwater":
            _headwater()
        case "empty":
            _empty()
        case "lag":
            _lag()
        case _:
            raise SystemExit(f"There is no {what}.")


def _empty() -> None:
    from PySide6.QtWidgets import QApplication, QMainWindow

    class Painted(QMainWindow):
        def paintEvent(self, event: object) -> None:
            print(time.monotonic(), flush=True)
            application.quit()

    application = QApplication([])
    window = Painted()
    window.show()
    application.exec()


def _headwater() -> None:
    from PySide6.QtWidgets import QApplication

    from desktop.app import App, Places
    from inference import LocalEngine, embedded_model

    with TemporaryDirectory() as folder:
        application = QApplication([])
        app = App(
            application, Places(Path(folder) / "data", Path(folder) / "settings.toml"), LocalEngine, embedded_model()
        )

        def painted() -> None:
            print(time.monotonic(), flush=True)
            application.quit()

        app.begun.connect(painted)
        app.show()
        application.exec()
        app.leave()


def _lag() -> None:
    from PySide6.QtCore import Qt, QTimer
    from PySide6.QtWidgets import QApplication

    from desktop.app import App, Places
    from inference import LocalEngine, embedded_model

    lateness: list[float] = []
    before = 0.0

    def beat() -> None:
        nonlocal before
        now = time.perf_counter()
        if before:
            lateness.append(max(0.0, now - before - 0.005))
        before = now

    with TemporaryDirectory() as folder:
        application = QApplication([])
        app = App(
            application, Places(Path(folder) / "data", Path(folder) / "settings.toml"), LocalEngine, embedded_model()
        )
        heart = QTimer(application)
        heart.setTimerType(Qt.TimerType.PreciseTimer)
        heart.setInterval(5)
        heart.timeout.connect(beat)
        session = app.library.current

        def ask() -> None:
            heart.start()
            text = "Rivers bend because water runs faster on the outside of a curve. " * 40
            app.window.composer.set_text(f"{text}\nWrite a long story about it.")
            app.window.composer.submitted.emit(app.window.composer.text)

        def watch(activity: object) -> None:
            if getattr(activity, "output_tokens", 0) >= LENGTH:
                session.stop()

        app.begun.connect(ask)
        session.activity_changed.connect(watch)
        session.turn_changed.connect(lambda _: application.quit())
        app.show()
        application.exec()
        app.leave()
    print(json.dumps(lateness))


if __name__ == "__main__":
    main(sys.argv[1])

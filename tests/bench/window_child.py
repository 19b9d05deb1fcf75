"""A window in a process of its own: told when it is painted, or how late its event loop got."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

LENGTH = 200  # tokens


def main(what: str, *words: str) -> None:
    """Show `what` ("headwater" with what is kept in a folder, "empty", or "lag"), write what was measured to standard
    output, and end."""
    match what:
        case "headwater":
            _headwater(Path(*words))
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


def _headwater(folder: Path) -> None:
    """The program itself, with all that it loads before it knows what it is asked to do."""
    import gc

    gc.disable()  # see there
    from PySide6.QtWidgets import QApplication

    import desktop.__main__  # noqa: F401
    from desktop.app import App, Places, run

    def painted() -> None:
        print(time.monotonic(), flush=True)
        QApplication.quit()

    def watch(app: App) -> None:
        app.painted.connect(painted)

    places = Places(folder / "conversations.sqlite3", folder / "settings.toml", folder / "kv-states")
    run(["headwater"], places, say=print, complain=print, prepare=watch)


def _lag() -> None:
    from PySide6.QtCore import Qt, QTimer

    from desktop.app import App, Places, run

    lateness: list[float] = []
    before = 0.0

    def beat() -> None:
        nonlocal before
        now = time.perf_counter()
        if before:
            lateness.append(max(0.0, now - before - 0.005))
        before = now

    def watch(app: App) -> None:
        heart = QTimer(app)
        heart.setTimerType(Qt.TimerType.PreciseTimer)
        heart.setInterval(5)
        heart.timeout.connect(beat)
        session = app.library.current

        def ask() -> None:
            text = "Rivers bend because water runs faster on the outside of a curve. " * 40
            app.window.composer.set_text(f"{text}\nWrite a long story about it.")
            app.window.composer.submitted.emit(app.window.composer.text)

        def follow(activity: object) -> None:
            if getattr(activity, "output_tokens", 0) >= LENGTH:
                session.stop()

        app.painted.connect(heart.start)
        app.begun.connect(ask)
        session.activity_changed.connect(follow)
        session.turn_changed.connect(lambda _: app.leave())

    with TemporaryDirectory() as folder:
        places = Places(Path(folder) / "conversations.sqlite3", Path(folder) / "settings.toml")
        run(["headwater"], places, say=print, complain=print, prepare=watch)
    print(json.dumps(lateness))


if __name__ == "__main__":
    main(*sys.argv[1:])

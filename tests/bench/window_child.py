"""A window in a process of its own: told when it is painted, or how late its event loop got."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from desktop.app import App

LENGTH = 200  # tokens


def main(what: str, *words: str) -> None:
    """Show `what`, write what was measured to standard output, and end.

    "headwater" takes a folder with what is kept, and so does "lag", which has it answer; "empty" is a bare window,
    "plain" one with menus, a list and words of Qt's own widgets: the least that any window like ours takes.
    """
    match what:
        case "headwater":
            _headwater(Path(*words))
        case "empty":
            _empty()
        case "plain":
            _plain()
        case "lag":
            _lag(Path(*words))
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


def _plain() -> None:
    from PySide6.QtCore import Qt, QTimer
    from PySide6.QtGui import QAction, QKeySequence, QPaintEvent, QStandardItem, QStandardItemModel
    from PySide6.QtWidgets import (
        QApplication,
        QHBoxLayout,
        QLabel,
        QListView,
        QMainWindow,
        QPlainTextEdit,
        QPushButton,
        QVBoxLayout,
        QWidget,
    )

    class Painted(QMainWindow):
        def paintEvent(self, _event: QPaintEvent) -> None:
            QTimer.singleShot(0, self.tell)

        def tell(self) -> None:
            print(time.monotonic(), flush=True)
            application.quit()

    application = QApplication([])
    window = Painted()
    for name in ("&File", "&Edit", "&Conversation", "&View", "&Help"):
        window.menuBar().addMenu(name).addAction(QAction(window, text="&New", shortcut=QKeySequence("Ctrl+N")))
    rows = QStandardItemModel(window)
    rows.appendRow(QStandardItem("Why do rivers bend?"))
    view, label = QListView(), QLabel("Which model answers")
    view.setModel(rows)
    label.setAlignment(Qt.AlignmentFlag.AlignCenter)
    right = QVBoxLayout()
    for part in (label, QPlainTextEdit(), QPushButton("Send")):
        right.addWidget(part)
    whole = QWidget()
    row = QHBoxLayout(whole)
    row.addWidget(view)
    row.addLayout(right)
    window.setCentralWidget(whole)
    window.resize(1100, 760)
    window.show()
    application.exec()


def _headwater(folder: Path) -> None:
    from desktop.__main__ import main as run

    def painted() -> None:
        from PySide6.QtWidgets import QApplication

        print(time.monotonic(), flush=True)
        QApplication.quit()

    run(["--data-dir", str(folder)], lambda app: app.painted.connect(painted))


def _lag(folder: Path) -> None:
    from desktop.__main__ import main as run

    lateness: list[float] = []
    before = 0.0

    def beat() -> None:
        nonlocal before
        now = time.perf_counter()
        if before:
            lateness.append(max(0.0, now - before - 0.005))
        before = now

    def watch(app: App) -> None:
        from PySide6.QtCore import Qt, QTimer

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

    run(["--data-dir", str(folder)], watch)
    print(json.dumps(lateness))


if __name__ == "__main__":
    main(*sys.argv[1:])

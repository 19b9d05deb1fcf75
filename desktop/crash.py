"""What happens to an exception nobody foresaw.

One hook takes what no other code caught, on any thread, and what Qt complains of. It is logged, and one dialog shows a
report that can be copied. The report holds no conversation: of an exception only what speaks of code is taken over.
"""

from __future__ import annotations

import logging
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from PySide6.QtCore import QMessageLogContext, QObject, Qt, QtMsgType, Signal, qInstallMessageHandler
from PySide6.QtWidgets import QApplication

if TYPE_CHECKING:
    from desktop.crash_dialog import CrashDialog

log = logging.getLogger("headwater")

# What these say names types, attributes and modules, never what somebody wrote.
_SPEAK_OF_CODE = (AttributeError, ImportError, NameError, TypeError, RecursionError, ZeroDivisionError, MemoryError)
_DEATHS = ("Fatal Python error", "Windows fatal exception", "Current thread", "Thread ")
_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


class CrashHook(QObject):
    """Takes what nobody caught. `show` is called on Qt's thread with the report; without it a dialog appears."""

    shown = Signal(str)  # the report
    _caught = Signal(str)

    def __init__(self, show: Callable[[str], None] | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._show = show or self._open_dialog
        self._dialog: CrashDialog | None = None
        # Queued even on Qt's own thread: the frame that raised is left before a dialog opens.
        self._caught.connect(self._on_caught, Qt.ConnectionType.QueuedConnection)

    def install(self) -> None:
        """Take everything from now on."""
        sys.excepthook = self.take
        threading.excepthook = self._take_from_thread
        qInstallMessageHandler(self._log_qt)

    def uninstall(self) -> None:
        """Leave things as Python and Qt have them."""
        sys.excepthook = sys.__excepthook__
        threading.excepthook = threading.__excepthook__
        qInstallMessageHandler(None)

    def take(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """An exception that reached the top of a thread."""
        if issubclass(kind, KeyboardInterrupt):
            QApplication.quit()
            return
        log.error("Nobody foresaw this:", exc_info=(kind, error, trace))
        self._caught.emit(report_of(error))

    def take_fault(self, summary: str, report: str) -> None:
        """A fault that another part caught at its own boundary; `report` is its traceback as text."""
        log.error("%s\n%s", summary, report)
        self._caught.emit("\n".join((*_surroundings(), "", *_frames_in(report))))

    def show_death(self, traces: str) -> None:
        """The report of an earlier run that crashed in compiled code, from what Python wrote down then."""
        self._show(report_of_death(traces))

    def _take_from_thread(self, arguments: threading.ExceptHookArgs) -> None:
        if arguments.exc_value is not None:
            self.take(arguments.exc_type, arguments.exc_value, arguments.exc_traceback)

    def _log_qt(self, kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
        log.log(_LEVELS.get(kind, logging.WARNING), "Qt: %s", message)

    def _on_caught(self, report: str) -> None:
        self.shown.emit(report)
        self._show(report)

    def _open_dialog(self, report: str) -> None:
        # The first fault is the one to report; those after it often only follow from it.
        if self._dialog is None:
            from desktop.crash_dialog import CrashDialog  # every start would pay for it, and hardly any needs it

            self._dialog = CrashDialog(report)
            self._dialog.finished.connect(self._on_closed)
            self._dialog.open()

    def _on_closed(self) -> None:
        if self._dialog is not None:
            self._dialog.deleteLater()
            self._dialog = None


def report_of(error: BaseException) -> str:
    """What to know of an exception to repair it: where it was raised, and nothing that somebody wrote."""
    lines = list(_surroundings())
    following: BaseException | None = error
    while following is not None:
        lines += ("", _named(following), *_frames_of(following))
        following = following.__cause__ or following.__context__
    return "\n".join(lines)


def report_of_death(traces: str) -> str:
    """What to know of a crash in compiled code: its name, and where each thread was."""
    kept = (line for line in traces.splitlines() if line.startswith((*_DEATHS, '  File "')))
    return "\n".join((*_surroundings(), "", *(_place(line) if line.startswith("  File") else line for line in kept)))


def _surroundings() -> tuple[str, ...]:
    import platform  # as above

    from desktop.versions import versions

    return (
        ", ".join(f"{name} {version}" for name, version in versions()),
        f"{platform.system()} {platform.release()} {platform.machine()}",
    )


def _named(error: BaseException) -> str:
    name = type(error).__qualname__
    if isinstance(error, OSError):
        return f"{name}: {error.strerror}"
    if isinstance(error, _SPEAK_OF_CODE):
        return f"{name}: {error}"
    return f"{name} (what it says is left out: it may quote a conversation)"


def _frames_of(error: BaseException) -> list[str]:
    frames = traceback.extract_tb(error.__traceback__)
    return [f"  {_short(frame.filename)}:{frame.lineno} in {frame.name}: {frame.line}" for frame in frames]


def _frames_in(report: str) -> list[str]:
    """The places in a traceback that is text already; its lines of code and its words are left out."""
    return [_place(line) for line in report.splitlines() if line.startswith('  File "')]


def _place(line: str) -> str:
    _, name, rest = line.split('"', 2)
    return f"  {_short(name)}{rest.replace(', line ', ':').replace(', in ', ' in ')}"


def _short(filename: str) -> str:
    # Where a program lies tells whose it is.
    return "/".join(Path(filename).parts[-3:])

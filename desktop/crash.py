"""What happens to an exception nobody foresaw.

One hook takes what no other code caught, on any thread, and what Qt complains of. It is logged, and one dialog shows a
report that can be copied. The report holds no conversation: of an exception only what speaks of code is taken over, and
the log says no more than the report does, for a desktop keeps what its programs say.
"""

from __future__ import annotations

import logging
import os
import re
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib import import_module
from pathlib import PurePath, PureWindowsPath
from types import TracebackType
from typing import TYPE_CHECKING

from PySide6.QtCore import QMessageLogContext, QObject, Qt, QtMsgType, Signal, qInstallMessageHandler
from PySide6.QtWidgets import QApplication

from inference import MemoryShort, is_shortage

if TYPE_CHECKING:
    from desktop.crash_dialog import CrashDialog

log = logging.getLogger("headwater")

# What these say names types, attributes and modules, never what somebody wrote.
_SPEAK_OF_CODE = (AttributeError, ImportError, NameError, TypeError, RecursionError, ZeroDivisionError, MemoryError)
_QT = "Qt: "
_DEATHS = ("Fatal Python error", "Windows fatal exception", "Current thread", "Thread ", _QT)
_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}
_QT_REMEMBERS = 10  # messages of Qt's that a report tells of
_LONGEST_WORDS = 300  # characters of what an exception or Qt says
_FIRST_FRAMES, _LAST_FRAMES = 20, 40  # of an endless recursion the middle is all alike
_SOURCES = ("desktop", "inference", "resources", "scripts", "site-packages", "dist-packages")
# Compiled when they are first used, as hardly any run does.
_NAME = r"[\w.()]{1,100}"
_QUOTED_NAME = rf"(?<!\w)(['\"])({_NAME})\1(?!\w)"
_SOMEBODYS = r"[\n'\"`\u2018\u201c]|\S*[/\\]"  # here begins what is quoted, or a path or an address


class CrashHook(QObject):
    """Takes what nobody caught. `show` is called on Qt's thread with the report; without it a dialog appears.

    What is raised at one place is told once: a fault in what is painted is raised at every frame. Memory that ran out
    is nobody's fault: that is said in a sentence, once, and there is no report.
    """

    shown = Signal(str)  # the report
    ran_short = Signal(str)  # memory ran out; the sentence
    _caught = Signal(str)

    def __init__(self, show: Callable[[str], None] | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._show = show or self._open_dialog
        self._dialog: CrashDialog | None = None
        self._told: set[tuple[str, ...]] = set()  # places
        self._is_short = False
        self._qt_said: deque[str] = deque(maxlen=_QT_REMEMBERS)
        self._write_down: Callable[[str], object] = lambda _: None
        self._before = sys.excepthook, threading.excepthook, sys.unraisablehook
        # Queued even on Qt's own thread: the frame that raised is left before a dialog opens.
        self._caught.connect(self._on_caught, Qt.ConnectionType.QueuedConnection)

    def install(self, write_down: Callable[[str], object] = lambda _: None) -> None:
        """Take everything from now on. Qt's last words, after which it ends the process, are `write_down`'s."""
        self._write_down = write_down
        self._before = sys.excepthook, threading.excepthook, sys.unraisablehook
        sys.excepthook = self.take
        threading.excepthook = self._take_from_thread
        sys.unraisablehook = self._take_from_nowhere
        qInstallMessageHandler(self._hear_qt)

    def put_off(self) -> Iterator[Callable[[], object]]:
        """Load what a report takes, in pieces: when files cannot be opened any more, it is too late."""
        for name in ("email.message", "importlib.metadata", "desktop.versions"):
            yield partial(import_module, name)
        from desktop.versions import PACKAGES, version_of

        yield from (partial(version_of, package) for package in PACKAGES)
        yield _surroundings
        yield partial(import_module, "desktop.crash_dialog")

    def uninstall(self) -> None:
        """Leave things as they were."""
        sys.excepthook, threading.excepthook, sys.unraisablehook = self._before
        qInstallMessageHandler(None)

    def take(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """An exception that reached the top of a thread."""
        if issubclass(kind, KeyboardInterrupt):
            QApplication.quit()
            return
        if is_shortage(error):
            self._tell_of_shortage()
            return
        self._tell(tuple(_frames_of(error, trace)), lambda: _report(*_said_of(error, trace), *self._words_of_qt()))

    def take_fault(self, summary: str, report: str) -> None:
        """A fault that another part caught at its own boundary; `report` is its traceback as text."""
        frames = _frames_in(report)
        kind = summary.partition(":")[0]
        named = (kind,) if re.fullmatch(_NAME, kind) else ()
        self._tell((*named, *frames), lambda: _report(*named, *frames, *self._words_of_qt()))

    def show_death(self, traces: str) -> None:
        """The report of an earlier run that crashed in compiled code, from what Python wrote down then."""
        self._show(report_of_death(traces))

    def _take_from_thread(self, arguments: threading.ExceptHookArgs) -> None:
        # Python itself lets a thread end so.
        if arguments.exc_value is not None and not issubclass(arguments.exc_type, SystemExit):
            self.take(arguments.exc_type, arguments.exc_value, arguments.exc_traceback)

    def _take_from_nowhere(self, unraisable: sys.UnraisableHookArgs) -> None:
        """What was raised where nobody can catch it: while something is freed, or called by compiled code."""
        if unraisable.exc_value is not None:
            self.take(unraisable.exc_type, unraisable.exc_value, unraisable.exc_traceback)

    def _hear_qt(self, kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
        words = _QT + _without_what_is_somebodys(message)
        log.log(_LEVELS.get(kind, logging.WARNING), "%s", words)
        if kind in (QtMsgType.QtWarningMsg, QtMsgType.QtCriticalMsg, QtMsgType.QtFatalMsg):
            self._qt_said.append(words)
            if kind is QtMsgType.QtFatalMsg:
                self._write_down(words)
            elif kind is QtMsgType.QtCriticalMsg:
                self._tell((words,), lambda: _report(*self._words_of_qt()))

    def _tell_of_shortage(self) -> None:
        if not self._is_short:
            self._is_short = True
            log.error("%s", MemoryShort())
            self.ran_short.emit(str(MemoryShort()))

    def _words_of_qt(self) -> tuple[str, ...]:
        return ("", *self._qt_said) if self._qt_said else ()

    def _tell(self, place: tuple[str, ...], report: Callable[[], str]) -> None:
        if place not in self._told:
            self._told.add(place)
            words = report()
            log.error("Nobody foresaw this:\n%s", words)
            self._caught.emit(words)

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


def show_at_once(error: BaseException) -> None:
    """Tell of a fault where no window is there yet, or any more: log it, and wait until its report was read. Where
    nobody sees a screen, the log is all. Where memory ran out, it is a sentence in the log."""
    if is_shortage(error):
        log.error("%s", MemoryShort())
        return
    report = report_of(error)
    log.error("Nobody foresaw this:\n%s", report)
    application = QApplication.instance()
    if isinstance(application, QApplication) and application.platformName() not in ("offscreen", "minimal"):
        from desktop.crash_dialog import CrashDialog

        CrashDialog(report, ends=True).exec()


def report_of(error: BaseException) -> str:
    """What to know of an exception to repair it: where it was raised, and nothing that somebody wrote."""
    return _report(*_said_of(error, error.__traceback__))


def report_of_death(traces: str) -> str:
    """What to know of a crash in compiled code: its name, and where each thread was."""
    kept = (line for line in traces.splitlines() if line.startswith((*_DEATHS, '  File "')))
    return _report(*(_place(line) if line.startswith("  File") else line for line in kept))


def _report(*lines: str) -> str:
    return "\n".join((*_surroundings(), "", *lines))


@cache
def _surroundings() -> tuple[str, ...]:
    import platform  # every start would pay for it, and hardly any needs it

    from desktop.versions import versions

    return (
        ", ".join(f"{name} {version}" for name, version in versions()),
        f"{platform.system()} {platform.release()} {platform.machine()}",
    )


def _said_of(error: BaseException, trace: TracebackType | None) -> list[str]:
    lines = [_named(error), *_frames_of(error, trace)]
    for following in _others_of(error):
        lines += ("", _named(following), *_frames_of(following, following.__traceback__))
    return lines


def _others_of(error: BaseException) -> Iterator[BaseException]:
    """What led to it, and what it is made of; each once, for they may lead to one another."""
    known, waiting = {id(error)}, deque([error])
    while waiting:
        current = waiting.popleft()
        parts = current.exceptions if isinstance(current, BaseExceptionGroup) else ()
        for other in (*parts, current.__cause__, current.__context__):
            if other is not None and id(other) not in known:
                known.add(id(other))
                waiting.append(other)
                yield other


def _named(error: BaseException) -> str:
    name = type(error).__qualname__
    if isinstance(error, OSError):
        # Not its own words: whoever raised it may have put a path or an address there.
        return f"{name}: {os.strerror(error.errno)}" if isinstance(error.errno, int) else name
    if isinstance(error, _SPEAK_OF_CODE):
        return f"{name}: {_without_what_is_somebodys(str(error))}"
    return f"{name} (what it says is left out: it may quote a conversation)"


def _without_what_is_somebodys(words: str) -> str:
    """As far as nothing is quoted but names as code has them, and no path or address comes."""
    kept = re.split(_SOMEBODYS, re.sub(_QUOTED_NAME, r"\0\2\0", words.strip()), maxsplit=1)[0]
    return kept.replace("\0", "'")[:_LONGEST_WORDS] + "…" * (len(kept) < len(words.strip()))


def _frames_of(error: BaseException, trace: TracebackType | None) -> list[str]:
    frames = [
        f"  {_short(frame.filename)}:{frame.lineno} in {frame.name}: {frame.line}"
        for frame in traceback.extract_tb(trace or error.__traceback__)
    ]
    left_out = len(frames) - _FIRST_FRAMES - _LAST_FRAMES
    if left_out > 1:
        frames[_FIRST_FRAMES:-_LAST_FRAMES] = [f"  … {left_out} more"]
    return frames


def _frames_in(report: str) -> list[str]:
    """The places in a traceback that is text already; its lines of code and its words are left out."""
    return [_place(line) for line in report.splitlines() if line.startswith('  File "')]


def _place(line: str) -> str:
    _, name, rest = line.split('"', 2)
    return f"  {_short(name)}{rest.replace(', line ', ':').replace(', in ', ' in ')}"


def _short(filename: str) -> str:
    """A file of code from its package on: where a program lies tells whose it is."""
    path = PureWindowsPath(filename) if "\\" in filename else PurePath(filename)
    parts = path.parts
    begins = (at for at, part in enumerate(parts[:-1]) if part in _SOURCES or part.startswith("python3."))
    return "/".join(parts[max(begins, default=len(parts) - 1) :])

"""Holds off the machine's sleep, by the platform's own means; where there are none it does nothing."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject, QProcess

from desktop.spoken import spoken
from inference import Sentence

_KEEP_SYSTEM = 0x80000001  # Windows: ES_CONTINUOUS | ES_SYSTEM_REQUIRED
_AS_USUAL = 0x80000000

WRITING = Sentence("A reply is being written")
DOWNLOADING = Sentence("A model is being downloaded")


def holder_of(
    platform: str,
    environment: Mapping[str, str],
    find: Callable[[str], str | None],
    process: int,
    reason: str = WRITING,
) -> tuple[str, ...]:
    """The command that holds off sleep for as long as it runs; nothing where there is none.

    On Linux it runs `cat` and so ends when nobody holds its standard input any more, on macOS when `process` ends: a
    program that crashes leaves no machine awake.
    """
    if platform == "darwin":
        return _found(("caffeinate", "-i", "-w", str(process)), find)
    if platform != "linux":
        return ()
    # Of GNOME's own idle suspend systemd knows nothing.
    gnome = ("gnome-session-inhibit", "--app-id", "headwater", "--reason", reason, "--inhibit", "suspend", "cat")
    systemd = ("systemd-inhibit", "--what=idle", "--who=Headwater", f"--why={reason}", "--mode=block", "cat")
    is_gnome = "GNOME" in environment.get("XDG_CURRENT_DESKTOP", "").upper()
    return (_found(gnome, find) if is_gnome else ()) or _found(systemd, find)


class Wakefulness(QObject):
    """At most one hold at a time."""

    def __init__(
        self, parent: QObject | None = None, command: tuple[str, ...] | None = None, reason: str = WRITING
    ) -> None:
        """`command` takes the place of the platform's own."""
        super().__init__(parent)
        self._command = (
            holder_of(sys.platform, os.environ, shutil.which, os.getpid(), spoken(reason))
            if command is None
            else command
        )
        self._process: QProcess | None = None

    @property
    def holds(self) -> bool:
        """Whether a command holds off sleep now."""
        return self._process is not None

    def hold(self) -> None:
        """Let the machine not fall asleep by itself from now on."""
        _tell_windows(_KEEP_SYSTEM)
        if self._process is None and self._command:
            process = QProcess(self)
            process.setStandardOutputFile(QProcess.nullDevice())
            process.setStandardErrorFile(QProcess.nullDevice())
            process.finished.connect(process.deleteLater)
            process.finished.connect(self._forget_ended)
            process.start(self._command[0], list(self._command[1:]))
            self._process = process

    def release(self) -> None:
        """Let it sleep when it wants."""
        _tell_windows(_AS_USUAL)
        process, self._process = self._process, None
        if process is not None:
            process.closeWriteChannel()
            process.terminate()

    def close(self) -> None:
        """Release it, and wait for the end of its commands: also of what was released just before."""
        self.release()
        for process in self.findChildren(QProcess):
            if process.state() is not QProcess.ProcessState.NotRunning:
                process.waitForFinished(1_000)

    def _forget_ended(self) -> None:
        """One that ended by itself, as it does at once where there is nobody to ask, is about to be gone."""
        if self._process is not None and self._process.state() is QProcess.ProcessState.NotRunning:
            self._process = None


def _found(command: tuple[str, ...], find: Callable[[str], str | None]) -> tuple[str, ...]:
    path = find(command[0])
    return () if path is None else (path, *command[1:])


def _tell_windows(state: int) -> None:
    if sys.platform == "win32":
        import ctypes

        ctypes.windll.kernel32.SetThreadExecutionState(state)

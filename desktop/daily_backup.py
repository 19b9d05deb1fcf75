"""A copy of the conversations a day, made in the background."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import UTC, datetime
from threading import Event, Thread

from PySide6.QtCore import QObject, QTimer, Signal

from desktop.spoken import spoken
from desktop.store import Backups, StoreDamaged, StoreError

_MOST_MILLISECONDS = 3_600_000  # a machine that slept did not count the time
_log = logging.getLogger(__name__)


def _utc() -> datetime:
    return datetime.now(UTC)


class DailyBackup(QObject):
    """Looks when the next copy is due, and has it made by a thread of its own, which ends early with the program."""

    damaged = Signal(
        str
    )  # the conversations turned out to be, which whoever copies them sees before others; a sentence

    def __init__(
        self, backups: Backups, parent: QObject | None = None, *, clock: Callable[[], datetime] = _utc
    ) -> None:
        super().__init__(parent)
        self._backups = backups
        self._clock = clock
        self._leaving = Event()
        self._thread: Thread | None = None
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.look)

    def look(self) -> None:
        """Make a copy if one is due; look again when the next one may be."""
        if self._leaving.is_set():
            return
        wait = (self._backups.next_at - self._clock()).total_seconds()
        if wait <= 0:
            self.wait()
            thread = Thread(target=self._make, name="backup", daemon=True)
            thread.start()
            self._thread = thread  # one that could not be started is not waited for
        else:
            self._backups.clear_away()
        self._timer.start(_MOST_MILLISECONDS if wait <= 0 else min(_MOST_MILLISECONDS, round(wait * 1_000) + 1))

    def wait(self) -> None:
        """Until the copy that is being made is."""
        if self._thread is not None:
            self._thread.join()

    def stop(self) -> None:
        """Make no more copies; one that is half made is thrown away."""
        self._leaving.set()
        self._timer.stop()
        self.wait()

    def _make(self) -> None:
        try:
            self._backups.make(is_stopped=self._leaving.is_set)
        except StoreDamaged as error:
            self.damaged.emit(spoken(error))
        except StoreError as error:
            # Nobody waits for it; what keeps it from being made is said where something is to be kept.
            _log.warning("no copy of the conversations was made: %s", error)

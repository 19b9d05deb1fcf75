"""Frees a model that nobody asked anything for a while; the next message loads it again."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

import inference
from desktop.settings import Settings, SettingsFile
from inference import JobId, RequestId

MINUTE_MILLISECONDS = 60_000


class IdleUnload(QObject):
    """Follows the engine of this machine."""

    def __init__(
        self,
        unload: Callable[[], object],
        settings: SettingsFile,
        parent: QObject | None = None,
        *,
        minute_milliseconds: int = MINUTE_MILLISECONDS,
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self._minute = minute_milliseconds
        self._is_loaded = False
        self._running: set[RequestId | JobId] = set()
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(unload)
        settings.listen(self._on_settings)

    @property
    def is_waiting(self) -> bool:
        """Whether a model will be freed unless somebody asks it something."""
        return self._timer.isActive()

    def on_event(self, event: inference.Event) -> None:
        """Take note of what the engine does."""
        match event:
            case inference.TextDelta() | inference.PrefillProgress() | inference.TurnsLeftOut():
                self._running.add(event.request)
                self._timer.stop()
                return
            case inference.GenerationFinished() | inference.GenerationFailed():
                self._running.discard(event.request)
            case inference.JobProgress():
                self._running.add(event.job)
                self._timer.stop()
                return
            case inference.JobFinished() | inference.JobFailed():
                self._running.discard(event.job)
            case inference.ModelReady():
                if self._is_loaded and self._timer.isActive():
                    return  # only its number of threads is another
                self._is_loaded = True
            case inference.ModelLoading() | inference.ModelUnloaded() | inference.ModelFailed():
                self._is_loaded = False
        self._wait()

    def close(self) -> None:
        self._timer.stop()
        self._is_loaded = False

    def _wait(self) -> None:
        minutes = self._settings.current.unload_after_minutes
        if minutes is not None and self._is_loaded and not self._running:
            self._timer.start(minutes * self._minute)
        else:
            self._timer.stop()

    def _on_settings(self, before: Settings, after: Settings) -> None:
        if after.unload_after_minutes != before.unload_after_minutes:
            self._wait()

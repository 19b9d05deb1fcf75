"""Where the window stands, how large it is and how wide its sidebar, as it was left."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QByteArray, QObject, QSize, QTimer
from PySide6.QtWidgets import QWidget

from desktop.settings import SettingsFile
from desktop.widgets.side_by_side import SideBySide

_FIRST_SIZE = QSize(1080, 720)
_PAUSE_MS = 500


class Placement(QObject):
    """Brings it back, and keeps it in the settings once nobody has moved anything for a moment."""

    def __init__(self, window: QWidget, sides: SideBySide, settings: SettingsFile) -> None:
        super().__init__(window)
        self._window = window
        self._sides = sides
        self._settings = settings
        self._timer = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._timer.timeout.connect(self.keep)
        sides.changed.connect(self.keep_soon)

    def restore(self) -> None:
        settings = self._settings.current
        # A little smaller than a small screen: the window manager's frame has to fit as well.
        self._window.resize(_FIRST_SIZE.boundedTo(self._window.screen().availableSize() * 0.9))
        if settings.window_geometry:
            self._window.restoreGeometry(QByteArray.fromBase64(settings.window_geometry.encode()))
        self._sides.set_sidebar_width(settings.sidebar_width)
        self._sides.arrange()

    def keep_soon(self) -> None:
        self._timer.start()

    def keep(self) -> None:
        self._timer.stop()
        settings = self._settings.current
        changed = replace(
            settings,
            window_geometry=bytes(self._window.saveGeometry().toBase64().data()).decode(),
            sidebar_shown=self._sides.sidebar_wanted,
            sidebar_width=self._sides.sidebar_width or settings.sidebar_width,
        )
        if changed != settings:
            self._settings.save(changed)

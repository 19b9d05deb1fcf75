"""Qt's application, which hears which files a desktop wants opened: macOS says so by an event, not by an argument."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication


class Application(QApplication):
    """Keeps the files that were named before anybody could open them: the first one comes with the start."""

    def __init__(self, arguments: Sequence[str]) -> None:
        super().__init__(list(arguments))
        self._named: list[Path] = []
        self._open: Callable[[Path], object] = self._named.append

    def have_files_opened(self, open_file: Callable[[Path], object]) -> None:
        """Hand over what was named, and from now on whatever will be."""
        self._open = open_file
        while self._named:
            open_file(self._named.pop(0))

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QFileOpenEvent) and event.file():
            self._open(Path(event.file()))
            return True
        return super().event(event)

"""What can be said of how a widget looks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget


@contextmanager
def from_right_to_left() -> Iterator[None]:
    """All layouts run so, and what is painted, as where the system is set to Arabic or Hebrew."""
    QApplication.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    QApplication.processEvents()
    try:
        yield
    finally:
        QApplication.setLayoutDirection(Qt.LayoutDirection.LeftToRight)


def inked_columns(widget: QWidget, ground_at: int | None = None) -> list[int]:
    """The columns in which anything stands, between the lines at the top and the bottom; `ground_at` is a height at
    which nothing stands at the left."""
    image = widget.grab().toImage()
    ground = image.pixel(0, image.height() // 2 if ground_at is None else ground_at)
    rows = range(3, image.height() - 3)
    return [x for x in range(image.width()) if any(image.pixel(x, y) != ground for y in rows)]

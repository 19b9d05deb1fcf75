"""What is too wide for the column, moved sideways: by key, by wheel, or to show a place in it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QWheelEvent

from desktop.widgets.boxes import BoxedSegment
from desktop.widgets.rows import Rows
from desktop.widgets.selection import Spot


class Sideways:
    """Moves the boxes in these rows; `repaint` is asked for where one has moved."""

    def __init__(self, rows: Rows, repaint: Callable[[], None]) -> None:
        self._rows = rows
        self._repaint = repaint

    def scroll_all(self, top: int, bottom: int, by: int) -> None:
        """Everything between two heights."""
        rows = self._rows.rows_between(top, bottom)
        seen = {row.segment.box: row.segment for row in rows if isinstance(row.segment, BoxedSegment)}
        moved = [segment.scroll(by, self._rows.setting, self._rows.look) for segment in seen.values()]
        if any(moved):
            self._repaint()

    def scroll_at(self, y: int, by: int) -> bool:
        """What stands at this height; whether it is too wide at all."""
        row = self._rows.row_near(y)
        segment = row.segment if row else None
        if not isinstance(segment, BoxedSegment) or not segment.overflows(self._rows.setting, self._rows.look):
            return False
        if segment.scroll(by, self._rows.setting, self._rows.look):
            self._repaint()
        return True

    def reveal(self, spot: Spot, x: int) -> None:
        """Have a place be seen that is so far from the left edge of the text."""
        segment, setting, look = spot.segment, self._rows.setting, self._rows.look
        if isinstance(segment, BoxedSegment) and segment.overflows(setting, look):
            inner, visible = x - segment.indent(look), segment.visible_width(setting, look)
            if not 0 <= inner < visible:
                segment.scroll(inner - visible // 2, setting, look)


def turned_sideways(event: QWheelEvent) -> int | None:
    """By how much a wheel, or a finger, goes sideways; `None` where it goes up and down."""
    delta = event.pixelDelta() if not event.pixelDelta().isNull() else event.angleDelta() / 2
    is_shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
    sideways = delta.y() if is_shifted and not delta.x() else delta.x()
    return sideways if is_shifted or (sideways and abs(sideways) >= abs(delta.y())) else None

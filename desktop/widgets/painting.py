"""Shapes that several widgets paint: rounded boxes, the focus ring, the hatching of what was cached."""

from __future__ import annotations

from itertools import product
from math import ceil

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QWidget

from desktop.theme import Theme, paint_icon

CORNER = 8
RING = 2


def text_width(font: QFont, text: str) -> int:
    """Whole pixels in which `text` stands without being cut."""
    return ceil(QFontMetricsF(font).horizontalAdvance(text)) + 1


def fill(painter: QPainter, rect: QRect, colour: QColor) -> None:
    """A plain rectangle. `fillRect` takes gradients too: PySide6 would make all their names before the first paint."""
    painter.setBackground(colour)
    painter.eraseRect(rect)


def along(widget: QWidget, rect: QRect) -> QRect:
    """Where `rect` of the widget is: on the other side in a layout that runs from right to left."""
    return rect.translated(widget.width() - rect.left() - rect.right() - 1, 0) if widget.isRightToLeft() else rect


def recolour(widget: QWidget, role: QPalette.ColorRole, colour: QColor) -> None:
    """Have a widget, and what stands in it, paint `role` in this colour."""
    palette = widget.palette()
    palette.setColor(role, colour)
    widget.setPalette(palette)


def paint_box(
    painter: QPainter, rect: QRect, *, fill: QColor | None = None, edge: QColor | None = None, corner: float = CORNER
) -> None:
    """A rounded box with a one-pixel edge."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen if edge is None else QPen(edge, 1))
    painter.setBrush(Qt.BrushStyle.NoBrush if fill is None else fill)
    # A pen runs along the middle of its line: half a pixel inwards it fills whole pixels.
    inset = 0.0 if edge is None else 0.5
    painter.drawRoundedRect(QRectF(rect).adjusted(inset, inset, -inset, -inset), corner, corner)


def paint_focus_ring(painter: QPainter, rect: QRect, colour: QColor, corner: float = CORNER) -> None:
    """The ring around what the keyboard is on, just inside `rect`."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(colour, RING))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(QRectF(rect).adjusted(RING / 2, RING / 2, -RING / 2, -RING / 2), corner - 1, corner - 1)


def paint_field(painter: QPainter, rect: QRect, theme: Theme, *, focused: bool) -> None:
    """The box around where something is written: an edge, or the ring while the keyboard is in it."""
    paint_box(painter, rect, fill=theme.surface, edge=None if focused else theme.field_edge)
    if focused:
        paint_focus_ring(painter, rect, theme.accent)


def cached_brush(theme: Theme) -> QBrush:
    """The hatching of what was not computed again."""
    from PySide6.QtGui import QImage  # the first paint needs none

    tile = QImage(4, 4, QImage.Format.Format_ARGB32)
    tile.fill(Qt.GlobalColor.transparent)
    for x, y in product(range(4), range(4)):
        if (x + y) % 4 < 2:
            tile.setPixelColor(x, y, theme.cached)
    return QBrush(tile)


class Emblem(QWidget):
    """The program's own icon."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.setFixedSize(size, size)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_icon(painter, "headwater", QColor(), QRectF(self.rect()))
        painter.end()

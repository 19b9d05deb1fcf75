"""A bar whose parts are to scale: a reply's phases, a prompt's blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QHelpEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from desktop.theme import Theme
from desktop.widgets.painting import cached_brush
from desktop.widgets.tips import as_tip

_HEIGHT = 22
_LEAST = 2  # pixels: what was there is seen


class PartInk(StrEnum):
    """What a part is about."""

    PREFILL = "prefill"
    DECODE = "decode"
    CACHED = "cached"
    LOAD = "load"
    QUIET = "quiet"


@dataclass(frozen=True, slots=True)
class BarPart:
    """So much of something; `words` say what, for the pointer and for assistive technology."""

    words: str
    amount: float
    ink: PartInk


class StackedBar(QWidget):
    """Shows parts beside each other, hairlines between them."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self._theme = theme
        self._parts: tuple[BarPart, ...] = ()
        self.setAccessibleName(name)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def parts(self) -> tuple[BarPart, ...]:
        return self._parts

    def show_parts(self, parts: Sequence[BarPart]) -> None:
        """Show these, from the left."""
        self._parts = tuple(parts)
        self.setAccessibleDescription("; ".join(part.words for part in self._parts))
        self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(240, _HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.code)
        for part, place in zip(self._parts, self.places(), strict=True):
            if part.ink is PartInk.CACHED:
                painter.fillRect(place, self._theme.surface)
            painter.fillRect(place, self._brush(part.ink))
            if place.right() < self.width() - 1:
                painter.fillRect(QRect(place.right(), 0, 1, self.height()), self._theme.surface)
        painter.end()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), as_tip(self._words_at(event.pos().x())), self)
            return True
        return super().event(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        QToolTip.showText(event.globalPosition().toPoint(), as_tip(self._words_at(round(event.position().x()))), self)

    def places(self) -> list[QRect]:
        """Where each part stands: to scale, but none so narrow that it is not seen."""
        seen = [part for part in self._parts if part.amount > 0]
        total = sum(part.amount for part in seen)
        room = max(0, self.width() - _LEAST * len(seen))
        places, left = [], 0.0
        for part in self._parts:
            width = _LEAST + room * part.amount / total if part.amount > 0 else 0.0
            places.append(QRect(round(left), 0, round(left + width) - round(left), self.height()))
            left += width
        return places

    def _words_at(self, x: int) -> str:
        found = zip(self._parts, self.places(), strict=True)
        return next((part.words for part, place in found if place.left() <= x <= place.right()), "")

    def _brush(self, ink: PartInk) -> QBrush:
        theme = self._theme
        if ink is PartInk.CACHED:
            return cached_brush(theme)
        colours: dict[PartInk, QColor] = {
            PartInk.PREFILL: theme.prefill,
            PartInk.DECODE: theme.decode,
            PartInk.LOAD: theme.muted,
        }
        return QBrush(colours.get(ink, theme.field_edge), Qt.BrushStyle.SolidPattern)

"""A switch: on or off, at once."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QCheckBox, QSizePolicy, QWidget

from desktop.theme import Theme, control_font
from desktop.widgets.painting import paint_box, paint_focus_ring, text_width

_TRACK = QSize(34, 20)
_KNOB = 14
_GAP = 8
_MARGIN = 6


class Switch(QCheckBox):
    """A check box that looks like what it is: its text, then a track with a knob left (off) or right (on). With
    `bare`, its words stand elsewhere."""

    def __init__(self, theme: Theme, text: str, parent: QWidget | None = None, *, bare: bool = False) -> None:
        super().__init__("" if bare else text, parent)
        self._theme = theme
        self.setFont(control_font())
        self.setAccessibleName(text)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        text = text_width(self.font(), self.text()) + _GAP if self.text() else 0
        return QSize(text + _TRACK.width() + 2 * _MARGIN, 32)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def hitButton(self, position: QPoint) -> bool:
        return self.rect().contains(position)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self._theme.text)
        painter.drawText(self.rect().adjusted(_MARGIN, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, self.text())
        self._paint_track(painter, self._track())
        if self.hasFocus():
            paint_focus_ring(painter, self.rect(), self._theme.accent)
        painter.end()

    def _track(self) -> QRect:
        left = self.width() - _MARGIN - _TRACK.width()
        return QRect(QPoint(left, (self.height() - _TRACK.height()) // 2), _TRACK)

    def _paint_track(self, painter: QPainter, track: QRect) -> None:
        on, theme = self.isChecked(), self._theme
        edge = theme.text if self.underMouse() and not on else theme.accent if on else theme.field_edge
        paint_box(painter, track, fill=theme.accent if on else theme.surface, edge=edge, corner=_TRACK.height() / 2)
        inset = (_TRACK.height() - _KNOB) // 2
        left = track.right() + 1 - inset - _KNOB if on else track.left() + inset
        knob = QRect(left, track.top() + inset, _KNOB, _KNOB)
        paint_box(painter, knob, fill=theme.on_accent if on else edge, corner=_KNOB / 2)

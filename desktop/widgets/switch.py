"""A switch: on or off, at once."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QCheckBox, QSizePolicy, QWidget

from desktop.theme import Theme, control_font
from desktop.widgets.painting import along, paint_box, paint_focus_ring, text_width

_TRACK = QSize(34, 20)
_KNOB = 14
_GAP = 8


class Switch(QCheckBox):
    """A check box that looks like what it is: its text, then a track with a knob left (off) or right (on); in a layout
    from right to left it is the other way round. Where there is no room, the text is cut, and left out where less than
    half of it would be left. With `bare`, its words stand elsewhere."""

    def __init__(self, theme: Theme, text: str, parent: QWidget | None = None, *, bare: bool = False) -> None:
        super().__init__("" if bare else text, parent)
        self._theme = theme
        self.setFont(control_font())
        self.setAccessibleName(text)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        text = text_width(self.font(), self.text()) + _GAP if self.text() else 0
        return QSize(text + _TRACK.width(), 32)

    def minimumSizeHint(self) -> QSize:
        return QSize(_TRACK.width(), 32)

    def hitButton(self, position: QPoint) -> bool:
        return self.rect().contains(position)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setLayoutDirection(self.layoutDirection())
        track = self._track()
        place = QRect(0, 0, max(0, track.left() - _GAP), self.height())
        painter.setPen(self._theme.text)
        painter.drawText(along(self, place), Qt.AlignmentFlag.AlignVCenter, self._words_within(place.width()))
        self._paint_track(painter, track)
        if self.hasFocus():
            self._paint_ring(painter, track)
        painter.end()

    def _words_within(self, width: int) -> str:
        needed = text_width(self.font(), self.text())
        if needed <= width:
            return self.text()
        if width < needed / 2:
            return ""
        return QFontMetrics(self.font()).elidedText(self.text(), Qt.TextElideMode.ElideRight, width)

    def _track(self) -> QRect:
        return QRect(QPoint(self.width() - _TRACK.width(), (self.height() - _TRACK.height()) // 2), _TRACK)

    def _paint_ring(self, painter: QPainter, track: QRect) -> None:
        """Within the track: what is outside it stands flush with its neighbours."""
        on, theme = self.isChecked(), self._theme
        ring = along(self, track.adjusted(2, 2, -2, -2) if on else track)
        paint_focus_ring(painter, ring, theme.on_accent if on else theme.accent, ring.height() / 2)

    def _paint_track(self, painter: QPainter, track: QRect) -> None:
        on, theme = self.isChecked(), self._theme
        edge = theme.text if self.underMouse() and not on else theme.accent if on else theme.field_edge
        paint_box(
            painter,
            along(self, track),
            fill=theme.accent if on else theme.surface,
            edge=edge,
            corner=_TRACK.height() / 2,
        )
        inset = (_TRACK.height() - _KNOB) // 2
        left = track.right() + 1 - inset - _KNOB if on else track.left() + inset
        knob = along(self, QRect(left, track.top() + inset, _KNOB, _KNOB))
        paint_box(painter, knob, fill=theme.on_accent if on else edge, corner=_KNOB / 2)

"""The floating button that brings the reader back to the newest text."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QPushButton, QWidget

from desktop.theme import Theme, control_font, paint_icon
from desktop.widgets.painting import paint_focus_ring

_HEIGHT = 32
_SIDE = 14
_ICON = 16
_SHADOW = 3


class LatestPill(QPushButton):
    """Says "Latest"; shown while the reader is elsewhere."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setText(self.tr("Latest"))
        self.setFont(control_font())
        self.setAccessibleName(self.tr("Go to the latest text"))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.resize(self.sizeHint())
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        width = QFontMetrics(self.font()).horizontalAdvance(self.text()) + _ICON + 6 + 2 * _SIDE
        return QSize(width + 2 * _SHADOW, _HEIGHT + 2 * _SHADOW)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_shadow(painter)
        body = self.rect().adjusted(_SHADOW, _SHADOW, -_SHADOW, -_SHADOW)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._fill())
        painter.drawRoundedRect(QRectF(body), _HEIGHT / 2, _HEIGHT / 2)
        painter.setPen(self._theme.on_accent)
        icon = QRectF(body.left() + _SIDE, body.center().y() - _ICON / 2 + 1, _ICON, _ICON)
        paint_icon(painter, "chevron-down", self._theme.on_accent, icon)
        place = QRect(body.left() + _SIDE + _ICON + 6, body.top(), body.width(), body.height())
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.text())
        if self.hasFocus():
            paint_focus_ring(painter, body.adjusted(2, 2, -2, -2), self._theme.on_accent, _HEIGHT / 2 - 2)
        painter.end()

    def _paint_shadow(self, painter: QPainter) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        for step in range(1, _SHADOW + 1):
            painter.setBrush(QColor(0, 0, 0, 18))
            place = self.rect().adjusted(step, step, -step, -step + 1)
            painter.drawRoundedRect(QRectF(place), place.height() / 2, place.height() / 2)

    def _fill(self) -> QColor:
        if not self.underMouse() and not self.isDown():
            return self._theme.accent
        return self._theme.accent.lighter(108) if self._theme.is_dark else self._theme.accent.darker(108)

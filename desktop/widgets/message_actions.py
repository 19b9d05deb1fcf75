"""What can be done with a message: buttons that keep their place and show themselves when they are wanted."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QToolButton, QWidget

from desktop.theme import Theme, control_font, figure_font
from desktop.widgets.buttons import PADDING, height_in_lines
from desktop.widgets.painting import paint_box, paint_focus_ring, text_width
from desktop.widgets.quiet_button import QuietButton

_HEIGHT = 28
_SIDE = 8
_ICON = 14
_GAP = 6
_BETWEEN_OFFERS = 8


def places_in_rows(texts: Sequence[str], column: int) -> tuple[QRect, ...]:
    """Where buttons with these texts stand: beside each other as far as there is room, then below."""
    places: list[QRect] = []
    left = top = height = 0
    for text in texts:
        width = min(column, text_width(control_font(), text) + 2 * PADDING)
        if left and left + width > column:
            left, top = 0, top + height + _BETWEEN_OFFERS
        height = height_in_lines(control_font(), text, width - 2 * PADDING)
        places.append(QRect(left, top, width, height))
        left += width + _BETWEEN_OFFERS
    return tuple(places)


class CopyButton(QuietButton):
    """Copies a message; wanted while the mouse is over what it copies."""

    asked = Signal(object)  # what it was made for

    def __init__(self, theme: Theme, subject: object, name: str, parent: QWidget) -> None:
        super().__init__(theme, name, parent)
        self.subject = subject
        self.setText(self.tr("Copy"))
        self.setFont(figure_font())
        self.resize(self.sizeHint())
        self.clicked.connect(self._ask)

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(self.font())
        widest = max(metrics.horizontalAdvance(text) for text in (self.tr("Copy"), self.tr("Copied")))
        return QSize(widest + _ICON + _GAP + 2 * _SIDE, _HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        if not self.is_shown:
            return
        painter = QPainter(self)
        if self.underMouse() or self.isDown():
            paint_box(painter, self.rect(), fill=self._theme.bubble, corner=6)
        self._paint_sheets(painter)
        painter.setPen(self._theme.text if self.underMouse() else self._theme.muted)
        text = self.tr("Copied") if self._says_done else self.tr("Copy")
        place = QRect(_SIDE + _ICON + _GAP, 0, self.width(), self.height())
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
        if self.hasFocus():
            paint_focus_ring(painter, self.rect(), self._theme.accent, 6)
        painter.end()

    def _paint_sheets(self, painter: QPainter) -> None:
        """Two sheets, one upon the other."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._theme.text if self.underMouse() else self._theme.muted, 1.25))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        top = (self.height() - _ICON) / 2
        painter.drawRoundedRect(QRectF(_SIDE + 4, top + 4, 9, 9), 2, 2)
        painter.drawLine(_SIDE + 1, round(top) + 9, _SIDE + 1, round(top) + 2)
        painter.drawLine(_SIDE + 2, round(top) + 1, _SIDE + 9, round(top) + 1)

    def _ask(self) -> None:
        self.say_done()
        self.asked.emit(self.subject)


class FoldButton(QToolButton):
    """The line that stands for a reply's reasoning: it shows and hides it."""

    asked = Signal(object)  # what it was made for

    def __init__(self, theme: Theme, subject: object, parent: QWidget) -> None:
        super().__init__(parent)
        self.subject = subject
        self._theme = theme
        self.setFont(figure_font())
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.clicked.connect(self._ask)

    def show_words(self, words: str, *, is_open: bool) -> None:
        """Say how long, or how far."""
        if self.text() != words:
            self.setText(words)
            self.setAccessibleName(words)
            self.resize(self.sizeHint())
        if self.isChecked() != is_open or not self.accessibleDescription():
            self.setChecked(is_open)
            told = self.tr("Hide the reasoning") if is_open else self.tr("Show the reasoning")
            self.setAccessibleDescription(told)
            self.setToolTip(told)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(text_width(self.font(), self.text()) + _ICON + _GAP + 2 * _SIDE, _HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        pointed = self.underMouse() or self.isDown()
        if pointed:
            paint_box(painter, self.rect(), fill=self._theme.bubble, corner=6)
        ink = self._theme.text if pointed else self._theme.muted
        self._paint_chevron(painter, QPen(ink, 1.5))
        painter.setPen(ink)
        place = QRect(_SIDE + _ICON + _GAP, 0, self.width(), self.height())
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.text())
        if self.hasFocus():
            paint_focus_ring(painter, self.rect(), self._theme.accent, 6)
        painter.end()

    def _paint_chevron(self, painter: QPainter, pen: QPen) -> None:
        """Down where the reasoning is open, else to the right."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(pen)
        middle = QPointF(_SIDE + _ICON / 2, self.height() / 2)
        points = [QPointF(-4, -2), QPointF(0, 2), QPointF(4, -2)]
        if not self.isChecked():
            points = [point.transposed() for point in points]
        painter.drawPolyline([middle + point for point in points])

    def _ask(self) -> None:
        self.asked.emit(self.subject)

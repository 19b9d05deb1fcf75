"""The mark of a conversation that is kept nowhere."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop.theme import Theme, control_font, paint_icon
from desktop.widgets.buttons import HEIGHT
from desktop.widgets.painting import paint_box, text_width

_ICON = 16
_PADDING = 8


class TemporaryMark(QWidget):
    """Says it in the header, with its icon alone where there is no room for the words."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._words = self.tr("Temporary: kept nowhere")
        self.setFont(control_font())
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self._words)
        self.setToolTip(
            self.tr(
                "This chat is held in memory alone. It is in no file, no search index and no backup,\n"
                "and gone when Headwater is closed. What you export of it yourself stays."
            )
        )
        self.setAccessibleDescription(self.toolTip())

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self.minimumSizeHint().width() + _PADDING + text_width(self.font(), self._words), HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(2 * _PADDING + _ICON, HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_box(painter, self.rect(), fill=self._theme.bubble)
        words = self.rect().adjusted(2 * _PADDING + _ICON, 0, -_PADDING, 0)
        has_words = words.width() >= text_width(self.font(), self._words[:8])
        mirrored = self.isRightToLeft()
        left = self.width() - _PADDING - _ICON if mirrored and has_words else _PADDING
        paint_icon(painter, "temporary", self._theme.text, QRectF(left, (self.height() - _ICON) / 2, _ICON, _ICON))
        if has_words:
            self._paint_words(painter, words.translated(-_PADDING - _ICON, 0) if mirrored else words)
        painter.end()

    def _paint_words(self, painter: QPainter, place: QRect) -> None:
        painter.setFont(self.font())
        painter.setPen(self._theme.text)
        words = QFontMetrics(self.font()).elidedText(self._words, Qt.TextElideMode.ElideRight, place.width())
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, words)

"""The one button of the window, painted in the theme: with an icon, a text or both."""

from __future__ import annotations

from enum import StrEnum

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from desktop.theme import Theme, control_font, paint_icon
from desktop.widgets.painting import paint_box, paint_focus_ring, text_width

HEIGHT = 32
PADDING = 12
GAP = 8
ICON = 20
_IN_LINES = Qt.AlignmentFlag.AlignHCenter | Qt.TextFlag.TextWordWrap
_TALLEST = 10_000


def height_in_lines(font: QFont, text: str, room: int) -> int:
    """How high a button is whose words have so much room in a line."""
    if text_width(font, text) <= room:
        return HEIGHT
    box = QRect(0, 0, max(1, room), _TALLEST)
    return max(HEIGHT, QFontMetrics(font).boundingRect(box, _IN_LINES, text).height() + 2 * GAP)


class ButtonKind(StrEnum):
    """How much a button asks for attention."""

    PRIMARY = "primary"  # filled: the one thing to do here
    OUTLINED = "outlined"  # has an edge: something one may do
    QUIET = "quiet"  # shows itself when pointed at


class Button(QPushButton):
    """A push button. One without a text takes its accessible name from `name`, which is its tooltip too."""

    def __init__(
        self,
        theme: Theme,
        *,
        text: str = "",
        name: str = "",
        icon_name: str = "",
        kind: ButtonKind = ButtonKind.QUIET,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setText(text)  # not with the making of it: see `make_action`
        self._theme = theme
        self._icon_name = icon_name
        self._kind = kind
        self._room = 0  # how wide it may be before its words are broken into lines; 0 where they never are
        self.setFont(control_font())
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves the caret where one types
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setAccessibleName(name or text)
        self.setToolTip(name)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def set_icon_name(self, icon_name: str) -> None:
        self._icon_name = icon_name
        self.update()

    def break_words_at(self, room: int) -> None:
        """Have the words stand in several lines where they need more than this width."""
        if room != self._room:
            self._room = room
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        if not self.text():
            return QSize(HEIGHT, HEIGHT)
        beside = 2 * PADDING + (ICON + GAP if self._icon_name else 0)
        width = text_width(self.font(), self.text()) + beside
        if not self._room or width <= self._room:
            return QSize(width, HEIGHT)
        return QSize(self._room, height_in_lines(self.font(), self.text(), self._room - beside))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_box(painter, self.rect(), fill=self._fill(), edge=self._edge())
        self._paint_content(painter)
        if self.hasFocus():
            primary = self._kind is ButtonKind.PRIMARY
            ring = self.rect().adjusted(2, 2, -2, -2) if primary else self.rect()
            paint_focus_ring(painter, ring, self._theme.on_accent if primary else self._theme.accent)
        painter.end()

    def _paint_content(self, painter: QPainter) -> None:
        if not self.text():
            self._paint_icon(painter, QRect((self.width() - ICON) // 2, (self.height() - ICON) // 2, ICON, ICON))
            return
        left = PADDING
        if self._icon_name:
            self._paint_icon(painter, QRect(left, (self.height() - ICON) // 2, ICON, ICON))
            left += ICON + GAP
        painter.setPen(self._ink())
        box = QRect(left, 0, self.width() - left - PADDING, self.height())
        if self._room and self.height() > HEIGHT:
            painter.drawText(box, _IN_LINES | Qt.AlignmentFlag.AlignVCenter, self.text())
            return
        text = QFontMetrics(self.font()).elidedText(self.text(), Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_icon(self, painter: QPainter, rect: QRect) -> None:
        if self._icon_name:
            paint_icon(painter, self._icon_name, self._ink(), QRectF(rect))

    def _ink(self) -> QColor:
        if not self.isEnabled():
            return self._theme.field_edge
        return self._theme.on_accent if self._kind is ButtonKind.PRIMARY else self._theme.text

    def _edge(self) -> QColor | None:
        return self._theme.field_edge if self._kind is ButtonKind.OUTLINED else None

    def _fill(self) -> QColor | None:
        pressed, pointed = self.isDown(), self.underMouse() and self.isEnabled()
        if self._kind is ButtonKind.PRIMARY:
            if not self.isEnabled():
                return self._theme.bubble
            if not pressed and not pointed:
                return self._theme.accent
            # Both ways leave the text on it at 4.5 : 1 and more: away from the text's own lightness.
            step = 115 if pressed else 108
            return self._theme.accent.lighter(step) if self._theme.is_dark else self._theme.accent.darker(step)
        if pressed or pointed:
            return self._theme.bubble
        return self._theme.surface if self._kind is ButtonKind.OUTLINED else None

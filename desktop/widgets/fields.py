"""Where something is picked, in the theme's colours: a number, one of several."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFocusEvent, QPainter, QPaintEvent, QPalette, QWheelEvent
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QSizePolicy

from desktop.theme import Theme, control_font, paint_icon
from desktop.widgets.buttons import HEIGHT
from desktop.widgets.painting import paint_field, recolour, text_width

CHOICE_WIDTH = 240  # at most; longer words are cut

_CHEVRON = 16
_PADDING = 10


class Choice(QComboBox):
    """One of several, each with a value that is no text."""

    picked = Signal(object)  # the value, when a person chose it

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self._theme = theme
        self._values: list[object] = []  # not Qt's: that would make plain texts of texts with a meaning
        self.setAccessibleName(name)
        self.setFont(control_font())
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMaxVisibleItems(16)
        self.activated.connect(self._on_activated)

    @property
    def value(self) -> object:
        return self._values[self.currentIndex()] if 0 <= self.currentIndex() < len(self._values) else None

    def offer(self, values: Sequence[tuple[str, object]]) -> None:
        """Offer these, and keep what is shown where it is among them."""
        shown, had_any = self.value, bool(self._values)
        self.clear()
        self.addItems([words for words, _ in values])
        self._values = [value for _, value in values]
        if had_any and shown in self._values:
            self.show_value(shown)
        self.updateGeometry()

    def show_value(self, value: object) -> None:
        """Show this one; where it is not offered, it is added as it is called."""
        if value not in self._values:
            self.addItem(str(value))
            self._values.append(value)
        self.setCurrentIndex(self._values.index(value))

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        widest = max((text_width(self.font(), self.itemText(place)) for place in range(self.count())), default=0)
        return QSize(min(CHOICE_WIDTH, widest + 2 * _PADDING + _CHEVRON + 8), HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(min(120, self.sizeHint().width()), HEIGHT)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # the page is what is scrolled

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        theme = self._theme
        paint_field(painter, self.rect(), theme, focused=self.hasFocus())
        painter.setFont(self.font())
        painter.setPen(theme.text if self.isEnabled() else theme.field_edge)
        box = self.rect().adjusted(_PADDING, 0, -_PADDING - _CHEVRON - 4, 0)
        words = self.fontMetrics().elidedText(self.currentText(), Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)
        middle = (self.height() - _CHEVRON) // 2
        place = QRectF(self.width() - _PADDING - _CHEVRON, middle, _CHEVRON, _CHEVRON)
        paint_icon(painter, "chevron-down", theme.muted, place)
        painter.end()

    def _on_activated(self, _place: int) -> None:
        self.picked.emit(self.value)


class Number(QDoubleSpinBox):
    """A number, or, at its lowest, the words that stand for leaving it open. Without decimals it is a whole one."""

    picked = Signal(object)  # the number, `None` where it is left open; when a person chose it

    def __init__(
        self,
        theme: Theme,
        name: str,
        least: float,
        most: float,
        *,
        open_words: str = "",
        unit: str = "",
        step: float = 1,
        decimals: int = 0,
    ) -> None:
        super().__init__()
        self._theme = theme
        self._may_be_open = bool(open_words)
        self.setAccessibleName(name)
        self.setDecimals(decimals)
        self.setRange(least - step if open_words else least, most)
        self.setSingleStep(step)
        self.setSuffix(f" {unit}" if unit else "")
        self.setGroupSeparatorShown(True)
        self._make_field()
        self.set_open_words(open_words)
        self._known: float | None = None
        self.show_number(None)
        self.editingFinished.connect(self._on_finished)
        self.set_theme(theme)

    @property
    def number(self) -> float | None:
        if self._may_be_open and self.value() == self.minimum():
            return None
        return self.value() if self.decimals() else round(self.value())

    def show_number(self, number: float | None) -> None:
        self.setValue(self.minimum() if number is None else number)
        self._known = self.number

    def set_open_words(self, words: str) -> None:
        """What stands there while the number is left open."""
        self.setSpecialValueText(words)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        recolour(self.lineEdit(), QPalette.ColorRole.Text, theme.text)
        self.update()

    def stepBy(self, steps: int) -> None:  # noqa: N802 - Qt's virtual
        super().stepBy(steps)
        self._on_finished()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        QTimer.singleShot(0, self.selectAll)  # what is typed then takes the place of what is there

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # the page is what is scrolled

    def sizeHint(self) -> QSize:
        return QSize(160, HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(96, HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_field(painter, self.rect(), self._theme, focused=self.hasFocus())
        painter.end()

    def _make_field(self) -> None:
        self.setFont(control_font())
        self.setFrame(False)
        self.setButtonSymbols(self.ButtonSymbols.NoButtons)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setKeyboardTracking(False)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.lineEdit().setTextMargins(6, 0, 6, 0)
        recolour(self.lineEdit(), QPalette.ColorRole.Base, QColor(Qt.GlobalColor.transparent))

    def _on_finished(self) -> None:
        if self.number != self._known:
            self._known = self.number
            self.picked.emit(self.number)

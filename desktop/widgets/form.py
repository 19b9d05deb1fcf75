"""What forms are made of: a page that scrolls, headings, and rows with a control each."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from desktop.theme import Theme, Themed, control_font, figure_font, scroll_bar_style
from desktop.widgets.buttons import Button
from desktop.widgets.painting import recolour

_NARROW = 440  # below this width a control stands below its words


class Row(QWidget):
    """Words, a quiet line below them, and the control they belong to at the right; below them where it is narrow."""

    def __init__(self, theme: Theme, words: str, control: QWidget, hint: str = "") -> None:
        super().__init__()
        self.control = control
        self._words = label(words, control_font())
        self._hint = Quiet(theme, hint)
        self._hint.setVisible(bool(hint))
        self._words.setBuddy(control)
        control.setAccessibleDescription(hint)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(0, 1)
        self._grid.addWidget(self._words, 0, 0)
        self._grid.addWidget(self._hint, 1, 0, Qt.AlignmentFlag.AlignTop)
        self._place(narrow=False)
        self.set_theme(theme)

    @property
    def words(self) -> str:
        return self._words.text()

    @property
    def hint(self) -> str:
        return self._hint.text()

    def set_hint(self, hint: str) -> None:
        self._hint.setText(hint)
        self._hint.setVisible(bool(hint))
        self.control.setAccessibleDescription(hint)
        self._place(narrow=self.width() < _NARROW)

    def set_theme(self, theme: Theme) -> None:
        recolour(self._words, QPalette.ColorRole.WindowText, theme.text)
        self._hint.set_theme(theme)
        _set_theme(self.control, theme)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place(narrow=self.width() < _NARROW)

    def _place(self, *, narrow: bool) -> None:
        if narrow:
            self._grid.addWidget(self.control, 2, 0, Qt.AlignmentFlag.AlignLeft)
        else:
            middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
            rows = 2 if self._hint.text() else 1
            self._grid.addWidget(self.control, 0, 1, rows, 1, middle)


class Page(QScrollArea):
    """A column of parts under a title, with a button that closes it, as Escape does; it scrolls where it is longer than
    its room."""

    closed = Signal()

    def __init__(self, theme: Theme, width: int) -> None:
        super().__init__()
        self._theme = theme
        self._parts: list[QWidget] = []
        self._title = label("", heading_font(1.6))
        self.close_button = Button(theme, name="", icon_name="close")
        self.close_button.clicked.connect(self.closed)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAutoFillBackground(True)  # below the scroll bar too
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the keyboard stops at what is on it
        self.begins_at: QWidget = self.close_button
        head = QHBoxLayout()
        head.addWidget(self._title, 1)
        head.addWidget(self.close_button, 0, Qt.AlignmentFlag.AlignTop)
        self.column = QVBoxLayout()
        self.column.setContentsMargins(24, 16, 24, 32)
        self.column.setSpacing(12)
        self.column.addLayout(head)
        self._lay_out(width)

    @property
    def words(self) -> tuple[str, ...]:
        """Every word that is shown, from top to bottom."""
        return tuple(found.text() for found in self.findChildren(QLabel) if not found.isHidden())

    def set_title(self, title: str, close_words: str) -> None:
        self._title.setText(title)
        self.setAccessibleName(title)
        self.close_button.setAccessibleName(close_words)
        self.close_button.setToolTip(close_words)

    def add_heading(self, words: str) -> QLabel:
        """Begin a section."""
        heading = label(words, heading_font(1.15))
        self.column.addSpacing(16)
        self.column.addWidget(heading)
        return heading

    def add_row(self, words: str, control: QWidget, hint: str = "") -> Row:
        """A row of the usual kind."""
        row = Row(self._theme, words, control, hint)
        self.add(row)
        return row

    def add(self, part: QWidget) -> None:
        """Add something of its own kind."""
        self.column.addWidget(part)
        self._parts.append(part)

    def add_words(self, words: str) -> QLabel:
        """A quiet paragraph."""
        paragraph = Quiet(self._theme, words)
        self.add(paragraph)
        return paragraph

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        recolour(self, QPalette.ColorRole.Window, theme.surface)
        recolour(self, QPalette.ColorRole.WindowText, theme.text)
        self.verticalScrollBar().setStyleSheet(scroll_bar_style(theme))
        self.close_button.set_theme(theme)
        for part in self._parts:
            _set_theme(part, theme)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        else:
            super().keyPressEvent(event)

    def _lay_out(self, width: int) -> None:
        inner = QWidget()
        inner.setMaximumWidth(width)
        inner.setLayout(self.column)
        page = QWidget()
        row = QHBoxLayout(page)
        row.setContentsMargins(0, 0, 0, 0)
        row.addStretch(1)
        row.addWidget(inner, 1000)
        row.addStretch(1)
        self.setWidget(page)


class Quiet(QLabel):
    """A paragraph in the quiet colour."""

    def __init__(self, theme: Theme, words: str = "") -> None:
        super().__init__(words)
        self.setFont(figure_font())
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setMinimumWidth(40)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        recolour(self, QPalette.ColorRole.WindowText, theme.muted)


class Side(QWidget):
    """Controls beside each other, from the left."""

    def __init__(self, *controls: QWidget) -> None:
        super().__init__()
        self._controls = controls
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        for control in controls:
            row.addWidget(control)
        row.addStretch(1)

    def set_theme(self, theme: Theme) -> None:
        for control in self._controls:
            _set_theme(control, theme)


def label(words: str, font: QFont) -> QLabel:
    """Words that break where there is no room for them."""
    made = QLabel(words)
    made.setFont(font)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setWordWrap(True)
    made.setMinimumWidth(40)
    return made


def row_of(*widgets: QWidget, wide: QWidget | None = None) -> QHBoxLayout:
    """These beside each other; `wide` takes what room is left, else nothing does."""
    row = QHBoxLayout()
    row.setSpacing(8)
    for widget in widgets:
        row.addWidget(widget, int(widget is wide))
    if wide is None:
        row.addStretch(1)
    return row


def column_in(page: QWidget) -> QVBoxLayout:
    """What fills a page to its edges, part below part."""
    column = QVBoxLayout(page)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(8)
    return column


def heading_font(factor: float) -> QFont:
    """For titles: so much larger than what stands below them."""
    font = control_font()
    font.setPointSizeF(factor * font.pointSizeF())
    font.setWeight(QFont.Weight.DemiBold)
    return font


def _set_theme(part: QWidget, theme: Theme) -> None:
    if hasattr(part, "set_theme"):
        cast("Themed", part).set_theme(theme)

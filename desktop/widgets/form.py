"""What forms are made of: a page that scrolls, headings, and rows with a control each."""

from __future__ import annotations

import re
from typing import cast

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from desktop.theme import Theme, Themed, control_font, figure_font, scroll_bar_style
from desktop.widgets.buttons import Button
from desktop.widgets.flow import Flow
from desktop.widgets.painting import recolour, text_width

_NARROW = 440  # below this width a control stands below its words
_SIDES = 24  # of a page
_TITLE, _HEADING = 1.6, 1.15  # how much larger than controls they are
_LEAST_WIDE = 160  # of what takes the room that is left


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
        self._words.setMinimumWidth(longest_word(self._words))  # the font may be another one
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
        self._title = label("", heading_font(_TITLE))
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
        self.column.setContentsMargins(_SIDES, 16, _SIDES, 32)
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
        heading = label(words, heading_font(_HEADING))
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
        self._fit_title()  # the font may be another one

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        room = self.viewport().width() - 2 * _SIDES
        for button in self.findChildren(Button):
            button.break_words_at(room)
        self._fit_title()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        else:
            super().keyPressEvent(event)

    def _fit_title(self) -> None:
        """As large as any title, where its words have room beside the button."""
        self._title.setFont(heading_font(_TITLE))
        room = self.viewport().width() - 2 * _SIDES - self.close_button.sizeHint().width() - self.column.spacing()
        if longest_word(self._title) > room:
            self._title.setFont(heading_font(_HEADING))

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


class Value(QLabel):
    """A word or two at the end of a row, in the quiet colour: in one line where there is room for it."""

    def __init__(self, theme: Theme, words: str = "") -> None:
        super().__init__(words)
        self.setFont(control_font())
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        recolour(self, QPalette.ColorRole.WindowText, theme.muted)

    def sizeHint(self) -> QSize:
        return QSize(text_width(self.font(), self.text()), self.fontMetrics().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(longest_word(self), self.fontMetrics().height())


class Side(QWidget):
    """Controls beside each other; those that have no room there go on below them. `wide` takes what room is left."""

    def __init__(self, *controls: QWidget, wide: QWidget | None = None) -> None:
        super().__init__()
        self._controls = controls
        row = Flow(self, wide=wide, least=_LEAST_WIDE)
        for control in controls:
            row.addWidget(control)

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


def longest_word(words: QLabel) -> int:
    """How much room a text needs at least, broken wherever that can be: at blanks, and after a stroke."""
    return max((text_width(words.font(), word) for word in re.split(r"\s|(?<=[-/])", words.text())), default=0)


def row_of(*widgets: QWidget, wide: QWidget | None = None) -> Flow:
    """These beside each other, or below each other where it is narrow; `wide` takes what room is left in its line."""
    row = Flow(wide=wide, least=_LEAST_WIDE)
    for widget in widgets:
        row.addWidget(widget)
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

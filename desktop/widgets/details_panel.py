"""The panel with the details of a reply and the totals of its conversation."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from desktop.theme import Theme, control_font, figure_font, scroll_bar_style
from desktop.widgets.buttons import Button
from desktop.widgets.details import Detail
from desktop.widgets.form import longest_word
from desktop.widgets.painting import fill, recolour, text_width

_SIDES = 16
_GAP = 12


class DetailsPanel(QWidget):
    """It stands beside the conversation. All of its text can be selected and copied."""

    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._title = QLabel(self.tr("Details"))
        self._title.setFont(control_font())
        self.close_button = Button(theme, name=self.tr("Close the details"), icon_name="close")
        self.close_button.clicked.connect(self.closed)
        self._area = QScrollArea()
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setWidgetResizable(True)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._labels: list[QLabel] = []
        self._pairs: list[tuple[int, QLabel, QLabel]] = []  # each value, and its name with its row
        self._grid: QGridLayout | None = None
        self.begins_at: QWidget = self.close_button
        self.setAccessibleName(self.tr("Details"))
        self._lay_out()
        self.set_theme(theme)

    @property
    def text(self) -> str:
        """All that it says, a line for each detail."""
        return "\n".join(label.text() for label in self._labels)

    def show_details(self, sections: Sequence[tuple[str, Sequence[Detail]]]) -> None:
        """Show these, each section under its heading."""
        self._labels, self._pairs = [], []
        page = QWidget()
        self._grid = grid = QGridLayout(page)
        grid.setContentsMargins(_SIDES, 4, _SIDES, 16)
        grid.setHorizontalSpacing(_GAP)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(1, 1)
        for heading, details in sections:
            if not details:
                continue
            if grid.rowCount() > 1:
                grid.setRowMinimumHeight(grid.rowCount(), 8)
            grid.addWidget(self._label(heading, is_heading=True), grid.rowCount(), 0, 1, 2)
            for detail in details:
                name = self._label(detail.label, is_quiet=True)
                row = grid.rowCount()
                grid.addWidget(name, row, 0, Qt.AlignmentFlag.AlignTop)
                grid.setRowMinimumHeight(row + 1, 0)  # for the value, where it stands below its name
                self._pairs.append((row, name, self._label(detail.value)))
        grid.setRowStretch(grid.rowCount(), 1)
        self._place_values()
        self._area.setWidget(page)
        self.set_theme(self._theme)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_values()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.close_button.set_theme(theme)
        recolour(self._area, QPalette.ColorRole.Window, theme.surface)
        self._area.verticalScrollBar().setStyleSheet(scroll_bar_style(theme))
        for label in (self._title, *self._labels):
            quiet = label.property("quiet")
            recolour(label, QPalette.ColorRole.WindowText, theme.muted if quiet else theme.text)
        self._place_values()  # the font may be another one
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        fill(painter, self.rect(), self._theme.surface)
        painter.end()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(16, 8, 8, 4)
        head.addWidget(self._title, 1)
        head.addWidget(self.close_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self._area, 1)

    def _place_values(self) -> None:
        """Each beside its name; below it where a word of one of them has no room there."""
        if self._grid is None:
            return
        names = max((text_width(name.font(), name.text()) for _, name, _ in self._pairs), default=0)
        values = max((longest_word(value) for _, _, value in self._pairs), default=0)
        room = self.width() - 2 * _SIDES - self._area.verticalScrollBar().sizeHint().width()
        below = names + _GAP + values > room
        for row, _, value in self._pairs:
            place = (row + 1, 0, 1, 2) if below else (row, 1, 1, 1)
            self._grid.addWidget(value, *place, Qt.AlignmentFlag.AlignTop)

    def _label(self, text: str, *, is_heading: bool = False, is_quiet: bool = False) -> QLabel:
        label = QLabel(text)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setFont(control_font() if is_heading else figure_font())
        label.setWordWrap(not is_quiet)
        label.setProperty("quiet", is_quiet)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        label.setMinimumWidth(40)
        self._labels.append(label)
        return label

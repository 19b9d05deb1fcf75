"""The row above the conversation: which model answers, and how replies appear."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRect
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop.theme import Theme
from desktop.widgets.buttons import Button
from desktop.widgets.model_picker import ModelPicker
from desktop.widgets.surface import Surface
from desktop.widgets.temporary_mark import TemporaryMark


class Header(Surface):
    """Its first two buttons stand in for the sidebar's while that is folded. Where there is no room for all words, the
    switch has them before the model's name is shown whole, and that before there are totals and the mark has any."""

    def __init__(self, theme: Theme, picker: ModelPicker, totals: QWidget, streaming: QWidget) -> None:
        super().__init__(theme, line_below=True)
        self._totals = totals
        self._streaming = streaming
        self.unfold_button = Button(theme, name=self.tr("Show the sidebar (Ctrl+B)"), icon_name="sidebar")
        self.new_button = Button(theme, name=self.tr("New conversation (Ctrl+N)"), icon_name="plus")
        self._picker = picker
        self.temporary_mark = TemporaryMark(theme)
        self.beside_switch = QHBoxLayout()  # what opens the panels
        self._lay_out()

    @property
    def tab_stops(self) -> tuple[QWidget, ...]:
        return (
            self.unfold_button,
            self.new_button,
            self._picker,
            self._totals,
            self._streaming,
            *stops_in(self.beside_switch),
        )

    def show_sidebar_buttons(self, *, shown: bool) -> None:
        self.unfold_button.setVisible(shown)
        self.new_button.setVisible(shown)

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        for part in (self.unfold_button, self.new_button, self._picker, self.temporary_mark):
            part.set_theme(theme)

    def _share_room(self, width: int) -> None:
        """A layout would take as much from each of them, and cut them all."""
        self._totals.setVisible(width >= self._width_with_totals())
        free = max(0, width - self._row.minimumSize().width())
        for part, may_be_cut in ((self._streaming, False), (self._picker, True), (self.temporary_mark, False)):
            if part.isHidden():
                continue
            least, whole = part.minimumSizeHint().width(), part.sizeHint().width()
            given = min(whole, least + free) if may_be_cut or free >= whole - least else least
            part.setMaximumWidth(given)
            free -= given - least

    def _width_with_totals(self) -> int:
        least = self._row.minimumSize().width()
        if self._totals.isHidden():
            least += self._totals.sizeHint().width() + self._row.spacing()
        return least + sum(
            part.sizeHint().width() - part.minimumSizeHint().width() for part in (self._streaming, self._picker)
        )

    def _lay_out(self) -> None:
        row = self._row = _Row(self, self._share_room)
        row.setContentsMargins(8, 8, 8, 9)
        row.setSpacing(4)
        for part in (self.unfold_button, self.new_button, self._picker, self.temporary_mark):
            row.addWidget(part)
        row.addStretch(1)
        row.addWidget(self._totals)
        row.addWidget(self._streaming)
        row.addLayout(self.beside_switch)


class _Row(QHBoxLayout):
    """Says how wide it is whenever it lays out anew."""

    def __init__(self, parent: QWidget, on_width: Callable[[int], object]) -> None:
        super().__init__(parent)
        self._on_width = on_width

    def setGeometry(self, rect: QRect) -> None:  # noqa: N802 - Qt's virtual
        self._on_width(rect.width())
        super().setGeometry(rect)


def stops_in(row: QHBoxLayout) -> list[QWidget]:
    """What the keyboard can stop at in it."""
    return [widget for place in range(row.count()) if (item := row.itemAt(place)) and (widget := item.widget())]

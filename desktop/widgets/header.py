"""The row above the conversation: which model answers, and how replies appear."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop.theme import Theme
from desktop.widgets.buttons import Button
from desktop.widgets.model_picker import ModelPicker
from desktop.widgets.surface import Surface
from desktop.widgets.temporary_mark import TemporaryMark


class Header(Surface):
    """Its first two buttons stand in for the sidebar's while that is folded. Where there is no room for all words, the
    switch has them before the model's name is shown whole, and that before the mark has any."""

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

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_room()

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:  # one of its parts came, went or has other words
            self._share_room()
        return done

    def _share_room(self) -> None:
        """A layout would take as much from each of them, and cut them all."""
        free = max(0, self.width() - self._row.minimumSize().width())
        for part, may_be_cut in ((self._streaming, False), (self._picker, True), (self.temporary_mark, False)):
            if part.isHidden():
                continue
            least, whole = part.minimumSizeHint().width(), part.sizeHint().width()
            width = min(whole, least + free) if may_be_cut or free >= whole - least else least
            part.setMaximumWidth(width)
            free -= width - least
        self._row.activate()  # before anything is painted

    def _lay_out(self) -> None:
        row = self._row = QHBoxLayout(self)
        row.setContentsMargins(8, 8, 8, 9)
        row.setSpacing(4)
        for part in (self.unfold_button, self.new_button, self._picker, self.temporary_mark):
            row.addWidget(part)
        row.addStretch(1)
        row.addWidget(self._totals)
        row.addWidget(self._streaming)
        row.addLayout(self.beside_switch)


def stops_in(row: QHBoxLayout) -> list[QWidget]:
    """What the keyboard can stop at in it."""
    return [widget for place in range(row.count()) if (item := row.itemAt(place)) and (widget := item.widget())]

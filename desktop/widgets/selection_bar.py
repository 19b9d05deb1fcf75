"""The bar below the list while several conversations are chosen: how many, and what can be done with them."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QSizePolicy, QWidget

from desktop import wording
from desktop.theme import Theme, control_font
from desktop.widgets.buttons import Button
from desktop.widgets.conversation_actions import ConversationActions
from desktop.widgets.painting import fill, text_width


class SelectionBar(QWidget):
    """Its buttons do what the actions do."""

    let_go = Signal()

    def __init__(self, theme: Theme, actions: ConversationActions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._actions = actions
        self._number = 0
        self._count = QLabel()
        self._count.setFont(control_font())
        self._count.setMinimumWidth(0)
        self._count.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.pin_button = Button(theme, name=self.tr("Pin"), icon_name="pin")
        self.move_button = Button(theme, name=self.tr("Move to a folder"), icon_name="folder")
        self.export_button = Button(theme, name=self.tr("Export"), icon_name="export")
        self.delete_button = Button(theme, name=self.tr("Delete (Del)"), icon_name="trash")
        self.close_button = Button(theme, name=self.tr("Let go of them (Esc)"), icon_name="close")
        self.setAccessibleName(self.tr("What can be done with those chosen"))
        self._lay_out()
        self._connect()

    @property
    def buttons(self) -> tuple[Button, ...]:
        """From left to right."""
        return (self.pin_button, self.move_button, self.export_button, self.delete_button, self.close_button)

    def show_count(self, count: int) -> None:
        """Say how many there are; the bar is there for several."""
        self._number = count
        self._say_number()
        self._actions.name_pin()
        words = self._actions.pin.text().replace("&", "")
        self.pin_button.setAccessibleName(words)
        self.pin_button.setToolTip(words)
        self.setVisible(count > 1)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for button in self.buttons:
            button.set_theme(theme)
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._say_number()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        fill(painter, self.rect(), self._theme.background)
        fill(painter, QRect(0, 0, self.width(), 1), self._theme.border)
        painter.end()

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 5, 8, 4)
        row.setSpacing(0)
        row.addWidget(self._count, 1)
        for button in self.buttons:
            row.addWidget(button)

    def _connect(self) -> None:
        self.pin_button.clicked.connect(self._actions.pin.trigger)
        self.move_button.clicked.connect(self._offer_folders)
        self.export_button.clicked.connect(self._offer_formats)
        self.delete_button.clicked.connect(self._actions.delete.trigger)
        self.close_button.clicked.connect(self.let_go)

    def _say_number(self) -> None:
        number = wording.whole(self._number)
        words = self.tr("{count} chosen").format(count=number)
        has_room = self._count.width() >= text_width(self._count.font(), words)
        self._count.setText(words if has_room else number)
        self._count.setAccessibleName(words)

    def _offer_folders(self) -> None:
        menu = QMenu(self)
        self._actions.fill_with_folders(menu)
        self._open(menu, self.move_button)

    def _offer_formats(self) -> None:
        menu = QMenu(self)
        menu.addActions([self._actions.as_markdown, self._actions.as_json])
        self._open(menu, self.export_button)

    def _open(self, menu: QMenu, button: Button) -> None:
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(button.mapToGlobal(QPoint(0, -menu.sizeHint().height())))

"""Where a server is named, in place: the panel for it is made when somebody wants one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop.theme import Theme
from desktop.widgets.column import column_width, in_the_middle

if TYPE_CHECKING:
    from desktop.server_choice import ServerChoice
    from desktop.widgets.server_panel import ServerPanel


class ServerArea(QWidget):
    """Takes no room until then, and none when it has been put away."""

    panel_made = Signal(QWidget)
    chosen = Signal(object)  # RemoteModel
    opened = Signal()  # it is to be seen now
    left = Signal()  # it was put away, with or without a choice

    def __init__(self, theme: Theme, make_servers: Callable[[], ServerChoice] | None) -> None:
        """Without servers to ask nothing opens here."""
        super().__init__()
        self._theme = theme
        self._make_servers = make_servers
        self._room = 0
        self.panel: ServerPanel | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.hide()

    @property
    def can_open(self) -> bool:
        return self._make_servers is not None

    def open(self, address: str = "") -> None:
        """Let a server be named, or the key of one that is known be changed."""
        if self._make_servers is None:
            return
        if self.panel is None:
            self.panel = self._make_panel(self._make_servers())
        self.show()
        self.opened.emit()
        self.panel.set_room(self._room)
        self.panel.begin(address)

    def set_room(self, height: int) -> None:
        """As high as this a window would be that the panel has for itself."""
        self._room = height
        if self.panel is not None:
            self.panel.set_room(height)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        if self.panel is not None:
            self.panel.set_theme(theme)
            self.panel.setMaximumWidth(column_width())  # the font may be another one

    def _make_panel(self, servers: ServerChoice) -> ServerPanel:
        from desktop.widgets.server_panel import ServerPanel

        panel = ServerPanel(self._theme, servers)
        panel.chosen.connect(self._choose)
        panel.closed.connect(self._put_away)
        self.setLayout(in_the_middle(panel, (16, 12, 16, 0)))
        self.panel_made.emit(panel)
        return panel

    def _choose(self, model: object) -> None:
        self._put_away()
        self.chosen.emit(model)

    def _put_away(self) -> None:
        self.hide()
        self.left.emit()

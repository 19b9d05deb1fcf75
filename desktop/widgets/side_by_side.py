"""The sidebar, the conversation and a panel side by side; where there is no room for that, by turns."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSplitter, QSplitterHandle, QStackedWidget, QWidget

from desktop.theme import Theme
from desktop.widgets.painting import fill
from desktop.widgets.place import as_view, widgets_in

NARROW = 700  # below this width the sidebar and the conversation take turns
PANEL_WIDTH = 320  # of what stands beside the conversation, at least

_SIDEBAR_WIDTH = 180  # at least
_MIDDLE_WIDTH = 320


class SideBySide(QSplitter):
    """Knows what is wanted, and shows of it what the width of the window allows. Its handles are hairlines."""

    arranged = Signal(bool)  # whether the sidebar is shown now
    changed = Signal()  # somebody wants the sidebar otherwise, or of another width
    panel_closed = Signal()

    def __init__(self, theme: Theme, sidebar: QWidget, middle: QWidget, *, sidebar_wanted: bool) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.line = theme.border
        self.sidebar_wanted = sidebar_wanted
        self._sidebar = sidebar
        self._middle = middle
        self._panels = QStackedWidget()
        self._sidebar_over = False  # in a narrow window: whether the sidebar stands where the conversation was
        self._panel_wanted = False
        self._lay_out()
        self.splitterMoved.connect(self._on_moved)

    @property
    def is_narrow(self) -> bool:
        return self.window().width() < NARROW

    @property
    def panel(self) -> QWidget | None:
        """What stands beside the conversation, if anything."""
        return self._panels.currentWidget() if self._panel_wanted else None

    @property
    def panels(self) -> tuple[QWidget, ...]:
        """All that stood there until now."""
        return tuple(widgets_in(self._panels))

    @property
    def in_place_of_conversation(self) -> QWidget | None:
        """Where the keyboard begins in what stands where the conversation is otherwise; `None` while that is shown."""
        if not self._middle.isHidden():
            return None
        panel = self._panels.currentWidget()
        return self._sidebar if panel is None or self._panels.isHidden() else as_view(panel).begins_at

    @property
    def sidebar_width(self) -> int | None:
        """As wide it was made; `None` while it does not stand beside the conversation."""
        width = self.sizes()[0]
        return width if self._sidebar.isVisible() and not self.is_narrow and width > 0 else None

    def set_sidebar_width(self, width: int) -> None:
        width = max(_SIDEBAR_WIDTH, width)
        self.setSizes([width, max(_MIDDLE_WIDTH, self.window().width() - width)])

    def open_panel(self, panel: QWidget) -> None:
        """Show this `View` beside the conversation; where there is no room for both, in its place."""
        if self._panels.indexOf(panel) < 0:
            self._panels.addWidget(panel)
            as_view(panel).closed.connect(self.close_panel)
        self._panels.setCurrentWidget(panel)
        self._panel_wanted = True
        self.uncover()
        as_view(panel).begins_at.setFocus(Qt.FocusReason.OtherFocusReason)

    def close_panel(self) -> None:
        """Put away what stands beside the conversation."""
        if self._panel_wanted:
            self._panel_wanted = False
            self.arrange()
            self.panel_closed.emit()

    def toggle_sidebar(self) -> None:
        if self.is_narrow:
            self._sidebar_over = not self._sidebar_over
        else:
            self.sidebar_wanted = not self.sidebar_wanted
            self.changed.emit()
        self.arrange()

    def uncover(self) -> None:
        """Have the sidebar stand in the conversation's place no longer."""
        self._sidebar_over = False
        self.arrange()

    def arrange(self) -> None:
        """Show what there is room for; to be called when the window has another width."""
        narrow = self.is_narrow
        shown = self._sidebar_over if narrow else self.sidebar_wanted
        self._sidebar.setVisible(shown)
        instead = self._panel_wanted and self.window().width() < NARROW + PANEL_WIDTH
        self._panels.setVisible(self._panel_wanted and not (narrow and shown))
        self._middle.setVisible(not (narrow and shown) and not instead)
        self.setStretchFactor(2, int(instead))  # then the panel takes the room, not the sidebar
        self.arranged.emit(shown)

    def set_theme(self, theme: Theme) -> None:
        self.line = theme.border
        for panel in widgets_in(self._panels):
            as_view(panel).set_theme(theme)
        self.update()

    def createHandle(self) -> QSplitterHandle:  # noqa: N802 - Qt's virtual
        return _Handle(self)

    def _lay_out(self) -> None:
        self.setHandleWidth(1)
        self.setChildrenCollapsible(False)
        self._sidebar.setMinimumWidth(_SIDEBAR_WIDTH)
        self._middle.setMinimumWidth(_MIDDLE_WIDTH)
        self._panels.setMinimumWidth(PANEL_WIDTH)
        self._panels.hide()
        for part in (self._sidebar, self._middle, self._panels):
            self.addWidget(part)
        self.setStretchFactor(1, 1)

    def _on_moved(self) -> None:
        self.changed.emit()


class _Handle(QSplitterHandle):
    """Wider to the mouse than to the eye."""

    def __init__(self, splitter: SideBySide) -> None:
        super().__init__(splitter.orientation(), splitter)
        self._splitter = splitter

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        fill(painter, self.rect(), self._splitter.line)
        painter.end()

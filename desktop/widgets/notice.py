"""A notice in place: what happened and what to do about it."""

from __future__ import annotations

from enum import StrEnum

from PySide6.QtCore import QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QGridLayout, QLabel, QSizePolicy, QWidget

from desktop.theme import Theme, control_font, paint_icon
from desktop.widgets.buttons import Button, ButtonKind
from desktop.widgets.painting import paint_box
from desktop.widgets.tab_order import put_after

_ICON = 20
_NARROW = 480


class NoticeKind(StrEnum):
    """How bad it is; the value names the icon."""

    INFORMATION = "information"
    WARNING = "warning"
    ERROR = "error"


class Notice(QWidget):
    """One sentence, perhaps an action, others instead of it, and a button that puts it away."""

    action_chosen = Signal()
    closed = Signal()
    gone = Signal()  # whoever took it away, and after whatever was chosen

    def __init__(
        self,
        theme: Theme,
        text: str,
        kind: NoticeKind = NoticeKind.INFORMATION,
        action: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self.kind = kind
        self.is_answered = False  # whether its action was chosen
        self.takes_back = False  # whether its action undoes something: then it stands longer than others
        self.is_of_conversation = False  # whether it goes with the conversation that is shown; else it is the window's
        self._label = _sentence(text)
        self.action_button = Button(theme, text=action, kind=ButtonKind.OUTLINED)
        self.action_button.clicked.connect(self._choose)
        self.other_buttons: list[Button] = []
        self._is_below = False
        self.close_button = Button(theme, name=self.tr("Put this notice away"), icon_name="close")
        self.close_button.clicked.connect(self.closed)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self.setAccessibleName(text)
        self._lay_out()
        self.action_button.setVisible(bool(action))

    @property
    def text(self) -> str:
        return self._label.text()

    def offer(self, action: str) -> Button:
        """One more thing that can be done instead; with several, they stand below the sentence."""
        button = Button(self._theme, text=action, kind=ButtonKind.OUTLINED)
        button.clicked.connect(self._answer)
        self.other_buttons.append(button)
        self._actions.insertWidget(len(self.other_buttons), button, 0, Qt.AlignmentFlag.AlignLeft)
        put_after((self.action_button, *self.other_buttons)[-2], (button,))
        self._arrange()
        return button

    def announce(self) -> None:
        """Have a screen reader say it."""
        announce(self, self.text, at_once=self.kind is not NoticeKind.INFORMATION)

    def put_away_after(self, seconds: float) -> None:
        """Have it put away then; as long as the mouse or the keyboard is on it, it stays."""
        self._patience = QTimer(self, interval=round(seconds * 1000))
        self._patience.timeout.connect(self._lose_patience)
        self._patience.start()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for button in (self.action_button, *self.other_buttons):
            button.set_theme(theme)
        self.close_button.set_theme(theme)
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_box(painter, self.rect(), fill=self._theme.background, edge=self._colour())
        place = QRect(12, self._first_line - _ICON // 2, _ICON, _ICON)
        paint_icon(painter, self.kind.value, self._colour(), QRectF(place))
        painter.end()

    @property
    def _first_line(self) -> int:
        """Where the middle of the sentence's first line is: of a tall notice, that is in sight."""
        label = self._label
        above = (label.height() - label.heightForWidth(label.width())) // 2
        return label.y() + above + QFontMetrics(label.font()).height() // 2

    def _arrange(self) -> None:
        """Below the sentence where both would be squeezed; one below the other where they have no room side by side.
        The words of one that is wider than all there is are broken into lines."""
        buttons = (self.action_button, *self.other_buttons)
        margins = self._grid.contentsMargins()
        room = self.width() - margins.left() - margins.right()
        for button in buttons:
            button.break_words_at(room)
        widest = max(button.sizeHint().width() for button in buttons)
        is_below = self.width() < _NARROW or bool(self.other_buttons) or widest > room // 2
        if is_below is not self._is_below:
            self._is_below = is_below
            self._grid.removeItem(self._actions)
            self._actions.setParent(None)
            self._grid.addLayout(self._actions, *((1, 0, 1, 3) if is_below else (0, 1)))
        gaps = (len(buttons) - 1) * self._actions.spacing()
        fits = sum(button.sizeHint().width() for button in buttons) + gaps <= room
        way = QBoxLayout.Direction.LeftToRight if fits else QBoxLayout.Direction.TopToBottom
        self._actions.setDirection(way)
        for button in buttons:
            # Below the sentence they keep no window from becoming narrower: then they are arranged anew.
            button.setMinimumWidth(1 if is_below else 0)

    def _choose(self) -> None:
        self._answer()
        self.action_chosen.emit()

    def _answer(self) -> None:
        self.is_answered = True

    def _lose_patience(self) -> None:
        if not self.underMouse() and self.window().focusWidget() not in self.findChildren(Button):
            self._patience.stop()
            self.closed.emit()

    def _lay_out(self) -> None:
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(12 + _ICON + 12, 8, 8, 8)
        self._grid.setSpacing(8)
        self._grid.setColumnStretch(0, 1)
        self._grid.addWidget(self._label, 0, 0)
        self._actions = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._actions.setSpacing(8)
        self._actions.addWidget(self.action_button, 0, Qt.AlignmentFlag.AlignLeft)
        self._actions.addStretch()
        self._grid.addLayout(self._actions, 0, 1)
        self._grid.addWidget(self.close_button, 0, 2, Qt.AlignmentFlag.AlignTop)

    def _colour(self) -> QColor:
        match self.kind:
            case NoticeKind.INFORMATION:
                return self._theme.accent
            case NoticeKind.WARNING:
                return self._theme.warning
            case NoticeKind.ERROR:
                return self._theme.error


def announce(widget: QWidget, text: str, *, at_once: bool = False) -> None:
    """Have a screen reader say something on behalf of a widget, in the middle of whatever it says where it must."""
    # Python's half of QAccessible, two hundred roles and events, is not made before there is something to say.
    from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent

    event = QAccessibleAnnouncementEvent(widget, text)
    if at_once:
        event.setPoliteness(QAccessible.AnnouncementPoliteness.Assertive)
    QAccessible.updateAccessibility(event)


def _sentence(text: str) -> QLabel:
    label = QLabel(text)
    label.setFont(control_font())
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    # A sentence that holds a long path has to break somewhere before it pushes the window wider.
    label.setMinimumWidth(80)
    return label

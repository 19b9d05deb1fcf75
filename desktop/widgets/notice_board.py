"""What is said in place at the moment: notices one below the other, none twice and not many at a time."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from desktop.theme import Theme, scroll_bar_style
from desktop.widgets.column import column_width, in_the_middle
from desktop.widgets.notice import Notice, NoticeKind
from desktop.widgets.painting import recolour

_MOST = 3


class NoticeBoard(QScrollArea):
    """As high as its notices are; where that is too much, they scroll."""

    said = Signal()  # there is one more
    fitted = Signal(int)  # how high it is now
    left = Signal()  # the notice that the keyboard was in is gone

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._room = 0
        self._notices: list[Notice] = []
        self._column = QVBoxLayout()
        self._page = QWidget()
        self._lay_out()
        self.set_theme(theme)
        self.hide()

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Those that stand there now, the oldest first."""
        return tuple(self._notices)

    @property
    def can_take_back(self) -> bool:
        return any(notice.takes_back for notice in self._notices)

    def show_notice(
        self,
        text: str,
        kind: NoticeKind = NoticeKind.INFORMATION,
        action: str = "",
        on_action: Callable[[], object] | None = None,
        *,
        here: bool = False,
    ) -> Notice:
        """Say something below what is said already. What stands there is not said twice, unless it can be undone: two
        of one name are still two. What is said `here` is about the conversation that is shown, and stands over no
        other."""
        for shown in self._notices:
            if (shown.text, shown.kind) == (text, kind) and not shown.takes_back:
                shown.is_of_conversation = shown.is_of_conversation or here
                return shown
        notice = Notice(self._theme, text, kind, action)
        notice.is_of_conversation = here
        notice.closed.connect(partial(self.put_away, notice))
        if on_action is not None:
            notice.action_chosen.connect(partial(self._act, notice, on_action))
        self._notices.append(notice)
        if len(self._notices) > _MOST:
            self.put_away(next((old for old in self._notices[:-1] if not old.takes_back), self._notices[0]))
        self._column.addWidget(notice)
        self.show()
        self._fit()
        self.ensureWidgetVisible(notice, 0, 0)
        self.said.emit()
        notice.announce()
        return notice

    def leave_conversation(self) -> None:
        """Another conversation is shown from now on; what is said of the model, the disk or the library stays."""
        for notice in self.notices:
            if notice.is_of_conversation:
                self.put_away(notice)

    def offer(self, notice: Notice, action: str, on_action: Callable[[], object]) -> None:
        """Offer this too in a notice that stands there."""
        notice.offer(action).clicked.connect(partial(self._act, notice, on_action))
        self._fit()
        self.ensureWidgetVisible(notice, 0, 0)

    def show_error(self, sentence: str) -> None:
        """Say what failed."""
        self.show_notice(sentence, NoticeKind.ERROR)

    def put_away(self, notice: Notice) -> None:
        """Say it no longer. To put away what is not there any more is fine."""
        if notice not in self._notices:
            return
        self._notices.remove(notice)
        had_focus = self.window().focusWidget() in notice.findChildren(QWidget)
        self._column.removeWidget(notice)
        notice.hide()
        notice.gone.emit()
        notice.deleteLater()
        self.setVisible(bool(self._notices))
        self._fit()
        if had_focus:
            self.left.emit()

    def take_back(self) -> None:
        """Undo what the last of those would undo that offer it."""
        for notice in reversed(self._notices):
            if notice.takes_back:
                notice.action_button.click()
                return

    def set_room(self, height: int) -> None:
        """As high as this it may be."""
        self._room = height
        self._fit()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for notice in self._notices:
            notice.set_theme(theme)
        self._stack.setMaximumWidth(column_width())  # the font may be another one
        recolour(self, QPalette.ColorRole.Window, theme.surface)
        self.verticalScrollBar().setStyleSheet(scroll_bar_style(theme))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()  # a notice needs another height
        return super().eventFilter(watched, event)

    def _act(self, notice: Notice, action: Callable[[], object]) -> None:
        self.put_away(notice)
        action()

    def _lay_out(self) -> None:
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)
        self._stack = QWidget()
        self._stack.setLayout(self._column)
        self._page.setLayout(in_the_middle(self._stack, (16, 12, 16, 0)))
        self.setWidget(self._page)
        self._page.installEventFilter(self)

    def _fit(self) -> None:
        """Let the page be as high as its words need, and this as high as the page where there is room."""
        width = self.width()
        height = self._page.heightForWidth(width)
        if height > self._room:
            width -= self.verticalScrollBar().sizeHint().width()
            height = self._page.heightForWidth(width)
        self._page.resize(width, height)
        self.setFixedHeight(max(0, min(self._room, height)))
        self.fitted.emit(0 if self.isHidden() else self.height())

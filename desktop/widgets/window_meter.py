"""How full the context window will be, and what is done once it is full."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QColor, QPainter
from PySide6.QtWidgets import QMenu, QSizePolicy, QWidget

from desktop import wording
from desktop.draft_count import WindowUse
from desktop.theme import Theme, figure_font
from desktop.widgets.buttons import HEIGHT, Button
from desktop.widgets.painting import text_width
from inference import WindowPolicy

_SIDE = 8


class WindowMeter(Button):
    """Quiet figures; a click offers what is to be done when they no longer fit. Blank, it takes no room."""

    policy_chosen = Signal(object)  # WindowPolicy

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent=parent)
        self._use: WindowUse | None = None
        self._policy = WindowPolicy.STOP
        self.setFont(figure_font())
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._actions = self._make_menu()
        self._show()

    @property
    def words(self) -> str:
        """What stands there."""
        return self.text()

    def show_use(self, use: WindowUse | None) -> None:
        """Show the tokens; `None` where they are not known."""
        self._use = use
        self._show()

    def show_policy(self, policy: WindowPolicy) -> None:
        """Show what is done with a conversation that does not fit."""
        self._policy = policy
        self._show()

    def sizeHint(self) -> QSize:
        return QSize(text_width(self.font(), self.text()) + 2 * _SIDE, HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, HEIGHT)

    def _make_menu(self) -> dict[WindowPolicy, QAction]:
        menu = QMenu(self)
        menu.addSection(self.tr("When the window is full"))
        group = QActionGroup(menu)
        names = {
            WindowPolicy.STOP: self.tr("Stop and say so"),
            WindowPolicy.DROP_OLDEST: self.tr("Leave out the oldest turns"),
        }
        actions = {policy: QAction(name, group) for policy, name in names.items()}
        for policy, action in actions.items():
            action.setCheckable(True)
            action.setData(policy.value)
            menu.addAction(action)
        group.triggered.connect(self._choose)
        self.setMenu(menu)
        return actions

    def _choose(self, action: QAction) -> None:
        self.policy_chosen.emit(WindowPolicy(action.data()))

    def _show(self) -> None:
        self.setText(_joined(self._policy_words(), self._figures()))
        self.setVisible(bool(self.text()))
        for policy, action in self._actions.items():
            action.setChecked(policy is self._policy)
        told = self._explained()
        self.setAccessibleName(self.tr("Context window: {figures}").format(figures=self.text()))
        self.setAccessibleDescription(told)
        self.setToolTip(told)
        self.updateGeometry()
        self.update()

    def _policy_words(self) -> str:
        return self.tr("Oldest left out") if self._policy is WindowPolicy.DROP_OLDEST else ""

    def _figures(self) -> str:
        if self._use is None:
            return ""
        return self.tr("{tokens} of {size}").format(tokens=self._tokens(), size=wording.whole(self._use.context_size))

    def _tokens(self) -> str:
        if self._use is None:
            return ""
        said, draft = wording.whole(self._use.conversation), wording.whole(self._use.draft)
        return self.tr("{said} + {draft}").format(said=said, draft=draft) if self._use.draft else said

    def _explained(self) -> str:
        lines = []
        if self._use is not None:
            lines.append(self.tr("Tokens of the conversation, and of what you type, of those the window holds."))
            if not self._use.fits:
                lines.append(self._what_will_happen())
        if self._policy is WindowPolicy.DROP_OLDEST:
            lines.append(self.tr("When the window is full, the oldest turns are not read; each reply says how many."))
        return "\n".join(lines)

    def _what_will_happen(self) -> str:
        if self._policy is WindowPolicy.DROP_OLDEST:
            return self.tr("It does not fit: the oldest turns will not be read.")
        return self.tr("It does not fit: sending it will offer what can be done.")

    def _ink(self) -> QColor:
        too_much = self._use is not None and not self._use.fits and self._policy is WindowPolicy.STOP
        if too_much:
            return self._theme.warning
        return self._theme.text if self.underMouse() else self._theme.muted

    def _paint_content(self, painter: QPainter) -> None:
        painter.setPen(self._ink())
        place = QRect(_SIDE, 0, self.width() - 2 * _SIDE, self.height())
        text = self.fontMetrics().elidedText(self._words_for(place.width()), Qt.TextElideMode.ElideLeft, place.width())
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, text)

    def _words_for(self, room: int) -> str:
        """The most that there is room for; whether anything is left out is told to the last."""
        policy = self._policy_words()
        short = self.tr("Oldest out") if policy else ""
        choices = (_joined(policy, self._figures()), _joined(short, self._figures()), _joined(short, self._tokens()))
        return next((words for words in choices if text_width(self.font(), words) <= room), short or self._tokens())


def _joined(*parts: str) -> str:
    return " · ".join(part for part in parts if part)

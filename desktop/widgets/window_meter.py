"""How full the context window will be, what is done once it is full, and what that will leave out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QColor, QPainter
from PySide6.QtWidgets import QMenu, QSizePolicy, QWidget

from desktop import wording
from desktop.theme import Theme, figure_font
from desktop.widgets.buttons import HEIGHT, Button
from desktop.widgets.painting import cached_brush, fill, text_width
from inference import WindowPolicy

if TYPE_CHECKING:
    from desktop.window_use import WindowUse

_SIDE = 8
_BAR = 3
_MOST_LINES = 5  # of figures, told one by one


class WindowMeter(Button):
    """Quiet figures over a thin bar: what was said, what will be read anew, what is left. A click tells them one by one
    and offers what is to be done when they no longer fit. Blank, it takes no room."""

    policy_chosen = Signal(object)  # WindowPolicy

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent=parent)
        self._use: WindowUse | None = None
        self._policy = WindowPolicy.STOP
        self.setFont(figure_font())
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._figures_in_menu: list[QAction] = []
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
        self._figures_in_menu = [QAction(menu, enabled=False) for _ in range(_MOST_LINES)]
        menu.addActions(self._figures_in_menu)
        menu.addSection(self.tr("When the window is full"))
        group = QActionGroup(menu)
        names = {
            WindowPolicy.STOP: self.tr("Stop and say so"),
            WindowPolicy.DROP_OLDEST: self.tr("Leave out the oldest turns"),
        }
        actions = {policy: QAction(group, text=name) for policy, name in names.items()}
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
        lines = self._lines()
        for number, action in enumerate(self._figures_in_menu):
            action.setVisible(number < len(lines))
            action.setText(lines[number].replace("&", "&&") if number < len(lines) else "")
        told = self._explained()
        self.setAccessibleName(self.tr("Context window: {figures}").format(figures=self.text()))
        self.setAccessibleDescription(told)
        self.setToolTip(told)
        self.updateGeometry()
        self.update()

    def _policy_words(self) -> str:
        if self._policy is not WindowPolicy.DROP_OLDEST:
            return ""
        count = 0 if self._use is None else self._use.left_out
        return self._left_out(count) if count else self.tr("Oldest left out")

    def _short_policy_words(self) -> str:
        if self._policy is not WindowPolicy.DROP_OLDEST:
            return ""
        count = 0 if self._use is None else self._use.left_out
        return self.tr("{count} out").format(count=wording.whole(count)) if count else self.tr("Oldest out")

    def _left_out(self, count: int) -> str:
        if count == 1:
            return self.tr("1 message left out")
        return self.tr("{count} messages left out").format(count=wording.whole(count))

    def _lines(self) -> list[str]:
        """The figures one by one."""
        use = self._use
        if use is None:
            return []
        files = sum(use.attachments)
        lines = [
            (self.tr("The conversation: {tokens} tokens"), use.conversation, True),
            (self.tr("What you typed: {tokens} tokens"), use.draft - files, use.draft > files),
            (self.tr("Attached files: {tokens} tokens"), files, files > 0),
            (self.tr("Left for the reply: {tokens} tokens"), use.room, not use.left_out and use.enough),
            (self.tr("Will not be read: {tokens} of the oldest messages"), use.left_out, use.left_out > 0),
        ]
        return [words.format(tokens=wording.whole(tokens)) for words, tokens, shown in lines if shown]

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
            lines += self._lines()
            if not self._use.fits or not self._use.enough:
                lines.append(self._what_will_happen(self._use))
        if self._policy is WindowPolicy.DROP_OLDEST:
            lines.append(self.tr("When the window is full, the oldest turns are not read; each reply says how many."))
        return "\n".join(lines)

    def _what_will_happen(self, use: WindowUse) -> str:
        if self._policy is WindowPolicy.DROP_OLDEST and use.enough:
            return self.tr("It does not fit: the oldest turns will not be read.")
        return self.tr("It does not fit: sending it will offer what can be done.")

    @property
    def _is_too_much(self) -> bool:
        use = self._use
        return use is not None and (not use.enough or (not use.fits and self._policy is WindowPolicy.STOP))

    def _ink(self) -> QColor:
        if self._is_too_much:
            return self._theme.warning
        return self._theme.text if self.underMouse() else self._theme.muted

    def _paint_content(self, painter: QPainter) -> None:
        painter.setPen(self._ink())
        place = QRect(_SIDE, 0, self.width() - 2 * _SIDE, self.height())
        text = self.fontMetrics().elidedText(self._words_for(place.width()), Qt.TextElideMode.ElideLeft, place.width())
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, text)
        if self._use is not None:
            self._paint_bar(painter, self._use, QRect(place.left(), self.height() - 2 - _BAR, place.width(), _BAR))

    def _paint_bar(self, painter: QPainter, use: WindowUse, place: QRect) -> None:
        """The window from end to end: what was said hatched, as what need not be read again, then what will be read."""
        whole = max(use.context_size, use.conversation + use.draft, 1)
        fill(painter, place, self._theme.border)
        said = place.width() * use.conversation // whole
        painter.fillRect(QRect(place.left(), place.top(), said, _BAR), cached_brush(self._theme))
        colour = self._theme.warning if self._is_too_much else self._theme.prefill
        anew = max(1, place.width() * use.draft // whole) if use.draft else 0
        fill(painter, QRect(place.left() + said, place.top(), anew, _BAR), colour)

    def _words_for(self, room: int) -> str:
        """The most that there is room for; whether anything is left out is told to the last."""
        policy, short = self._policy_words(), self._short_policy_words()
        choices = (_joined(policy, self._figures()), _joined(short, self._figures()), _joined(short, self._tokens()))
        return next((words for words in choices if text_width(self.font(), words) <= room), short or self._tokens())


def _joined(*parts: str) -> str:
    return " · ".join(part for part in parts if part)

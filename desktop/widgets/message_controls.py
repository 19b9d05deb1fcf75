"""The widgets that stand on a message while it is seen: what can be done with it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QCoreApplication, QPoint, QRect, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from desktop import wording
from desktop.theme import Theme, figure_font
from desktop.widgets.action_button import SIZE, ActionButton, MessageAction
from desktop.widgets.buttons import Button, ButtonKind
from desktop.widgets.message_actions import FoldButton
from desktop.widgets.message_view import MessageView
from desktop.widgets.painting import text_width

_INSET = 8  # the icons stand under the text, their edges outside of it

OnAction = Callable[[MessageView, MessageAction], None]


class MessageControls:
    """The widgets that belong to a message that is seen.

    The actions of a message are one stop of the tab key; arrow keys go from one to the next. They show themselves while
    the mouse is over the message or one of them has the focus; where there are other branches, which one is shown is
    seen always.
    """

    def __init__(
        self, theme: Theme, message: MessageView, parent: QWidget, act: OnAction, *, answers: bool = True
    ) -> None:
        """`answers` says whether the message is a reply to a question."""
        self._message = message
        self._branch = message.branch
        self._answers = answers
        self._hovered = False
        self._is_busy = False
        self.fold = FoldButton(theme, message, parent) if message.has_thought else None
        self.offers = tuple(
            Button(theme, text=words, kind=ButtonKind.OUTLINED, parent=parent) for words in message.offers
        )
        self.actions = tuple(self._button(theme, action, parent, act) for action in self._wanted_actions())
        self._count = _BranchCount(theme, *self._branch, parent) if self._branch is not None else None
        self._leave_one_stop(0)

    @property
    def widgets(self) -> tuple[QWidget, ...]:
        """Those that the keyboard reaches, from top to bottom."""
        return (*((self.fold,) if self.fold else ()), *self.offers, *self.actions)

    @property
    def has_focus(self) -> bool:
        return any(widget.hasFocus() for widget in self.widgets)

    def fit(self, message: MessageView, *, answers: bool = True) -> bool:
        """Whether they are those that the message needs now."""
        return (
            (self.fold is not None) == message.has_thought
            and len(self.offers) == len(message.offers)
            and self._branch == message.branch
            and self._answers == answers
        )

    def action(self, kind: MessageAction) -> ActionButton | None:
        """The button for this, where there is one."""
        return next((button for button in self.actions if button.action_kind is kind), None)

    def place(self, message: MessageView, corner: QPoint) -> None:
        """Put them where they belong while the corner of the message's text is there."""
        self.show_words(message)
        if self.fold is not None:
            self.fold.move(corner + QPoint(-8, message.fold_top))
            self.fold.setVisible(not message.is_edited)
        for button in self.offers:
            button.setVisible(not message.is_edited)
        for button, place in zip(self.offers, message.offer_places, strict=False):  # none while it is edited
            button.break_words_at(place.width())
            button.setGeometry(place.translated(corner))
        self._place_actions(message, corner + QPoint(-_INSET, message.foot_top))

    def show_words(self, message: MessageView) -> None:
        if self.fold is not None:
            self.fold.show_words(message.fold_words, is_open=message.is_open)

    def set_hovered(self, *, hovered: bool) -> None:
        """Whether the mouse is over the message."""
        self._hovered = hovered
        self._show_wanted()

    def set_busy(self, *, busy: bool) -> None:
        """While a reply is being made nothing can be done but copying."""
        self._is_busy = busy
        for button in self.actions:
            button.setEnabled(not busy or button.action_kind in (MessageAction.COPY, MessageAction.MORE))

    def focus(self, kind: MessageAction) -> None:
        """Put the focus on the button for this, or where it can't be pressed now, on the first that can."""
        wanted = self.action(kind)
        buttons = self.actions if wanted is None else (wanted, *self.actions)
        button = next((each for each in buttons if each.isEnabled()), self.actions[0])
        self._leave_one_stop(self.actions.index(button))
        button.setFocus(Qt.FocusReason.OtherFocusReason)

    def set_theme(self, theme: Theme) -> None:
        themed = (*((self.fold,) if self.fold else ()), *self.offers, *self.actions)
        for widget in themed:
            widget.set_theme(theme)
        if self._count is not None:
            self._count.set_theme(theme)

    def drop(self) -> None:
        for widget in (*self.widgets, *((self._count,) if self._count is not None else ())):
            widget.hide()
            widget.deleteLater()

    def _wanted_actions(self) -> tuple[MessageAction, ...]:
        turning = (MessageAction.OLDER_BRANCH, MessageAction.NEWER_BRANCH) if self._branch is not None else ()
        is_answer = self._message.turn.is_reply and self._answers
        again = (MessageAction.REGENERATE,) if is_answer else ()
        return (*turning, MessageAction.COPY, *again, MessageAction.EDIT, MessageAction.MORE)

    def _button(self, theme: Theme, action: MessageAction, parent: QWidget, act: OnAction) -> ActionButton:
        words = _words(action)
        name = _tr("{action}: message of {name}").format(action=words, name=self._message.caption.name)
        if action in (MessageAction.OLDER_BRANCH, MessageAction.NEWER_BRANCH) and self._branch is not None:
            number, count = map(wording.whole, self._branch)
            name = _tr("{action}, {number} of {count}").format(action=words, number=number, count=count)
        button = ActionButton(theme, action, words, name, parent)
        button.clicked.connect(partial(self._act, button, act))
        button.focus_changed.connect(self._show_wanted)
        button.sideways.connect(partial(self._go_sideways, button))
        return button

    def _act(self, button: ActionButton, act: OnAction) -> None:
        if button.action_kind is MessageAction.COPY:
            button.say_done()
        act(self._message, button.action_kind)

    def _go_sideways(self, button: ActionButton, step: int) -> None:
        place = (self.actions.index(button) + step) % len(self.actions)
        while not self.actions[place].isEnabled():
            place = (place + step) % len(self.actions)
        self._leave_one_stop(place)
        self.actions[place].setFocus(Qt.FocusReason.OtherFocusReason)

    def _leave_one_stop(self, place: int) -> None:
        for number, button in enumerate(self.actions):
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus if number == place else Qt.FocusPolicy.NoFocus)

    def _show_wanted(self) -> None:
        wanted = self._hovered or any(button.hasFocus() for button in self.actions)
        for button in self.actions:
            always = button.action_kind in (MessageAction.OLDER_BRANCH, MessageAction.NEWER_BRANCH)
            button.set_wanted(wanted=wanted or always)

    def _place_actions(self, message: MessageView, place: QPoint) -> None:
        shown = bool(message.text or message.turn.attachments or not message.turn.is_reply) or self._branch is not None
        shown = shown and not message.is_growing and not message.is_edited
        begin = place.x()
        for button in self.actions:
            button.move(place)
            button.setVisible(shown)
            place += QPoint(SIZE, 0)
            if self._count is not None and button.action_kind is MessageAction.OLDER_BRANCH:
                self._count.move(place)
                self._count.setVisible(shown)
                place += QPoint(self._count.width(), 0)
        message.foot_taken = place.x() - begin - _INSET if shown else 0
        self._show_wanted()


class _BranchCount(QWidget):
    """Which of the branches is shown."""

    def __init__(self, theme: Theme, number: int, count: int, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._text = f"{wording.whole(number)} / {wording.whole(count)}"
        self.setFont(figure_font())
        widest = f"{wording.whole(count)} / {wording.whole(count)}"
        self.resize(text_width(self.font(), widest) + 4, SIZE)
        self.setAccessibleName(_tr("Branch {number} of {count}").format(number=number, count=count))
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self._theme.muted)
        painter.drawText(QRect(0, 0, self.width(), self.height()), Qt.AlignmentFlag.AlignCenter, self._text)
        painter.end()


def _words(action: MessageAction) -> str:
    match action:
        case MessageAction.OLDER_BRANCH:
            return _tr("The branch before")
        case MessageAction.NEWER_BRANCH:
            return _tr("The next branch")
        case MessageAction.COPY:
            return _tr("Copy")
        case MessageAction.REGENERATE:
            return _tr("Regenerate")
        case MessageAction.EDIT:
            return _tr("Edit")
        case MessageAction.MORE:
            return _tr("More")


def _tr(text: str) -> str:
    return QCoreApplication.translate("MessageControls", text)

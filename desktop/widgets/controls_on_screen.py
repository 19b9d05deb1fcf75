"""The controls of the messages and of the code that are seen, where they belong, in the order of the tab key."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import pairwise

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from desktop.theme import Theme
from desktop.widgets.boxes import Box
from desktop.widgets.code_buttons import CodeButtons
from desktop.widgets.message_controls import MessageControls
from desktop.widgets.message_view import MessageView
from desktop.widgets.rows import Rows


class ControlsOnScreen(QObject):
    """They are made when their message is seen, and let go when it is not, unless the keyboard is on them."""

    offer_taken = Signal(int)  # which of the things that were offered for the last message
    fold_turned = Signal(object)  # the message whose reasoning is to be opened or closed
    acted = Signal(object, object)  # message, MessageAction
    scrolled = Signal()  # code was moved sideways

    def __init__(self, rows: Rows, view: QWidget, surface: QWidget) -> None:
        """They stand on `surface`, the part of `view` that scrolls."""
        super().__init__(view)
        self._rows = rows
        self._view = view
        self._surface = surface
        self._controls: dict[MessageView, MessageControls] = {}
        self._code_buttons = CodeButtons(surface, _copy_code, self._scroll_code)
        self._branches: Mapping[int, tuple[int, int]] = {}
        self._is_busy = False
        self._hovered: MessageView | None = None
        self._tabs_are_old = False

    def of(self, message: MessageView) -> MessageControls | None:
        """Those of a message that is seen."""
        return self._controls.get(message)

    def set_branches(self, branches: Mapping[int, tuple[int, int]]) -> None:
        """Where there are several in a turn's place: which it is, counted from one, and of how many."""
        self._branches = branches

    def set_busy(self, *, busy: bool) -> None:
        """While a reply is being made, nothing can be done with messages but copying."""
        self._is_busy = busy
        for controls in self._controls.values():
            controls.set_busy(busy=busy)

    def set_theme(self, theme: Theme) -> None:
        self._code_buttons.set_theme(theme)
        for controls in self._controls.values():
            controls.set_theme(theme)

    def hover(self, message: MessageView | None, box: Box | None) -> None:
        """The mouse is over this message, and over this box of code."""
        self._code_buttons.hover(box)
        if message is not self._hovered:
            self._hovered = message
            for shown, controls in self._controls.items():
                controls.set_hovered(hovered=shown is message)

    def place(self, first: int, height: int, left: int) -> None:
        """Put them where they belong while this stretch of the conversation is seen."""
        seen: list[MessageView] = []
        for index in self._rows.between(first, first + height):
            message = self._rows.messages[index]
            if message.is_growing and not message.has_thought:
                continue
            controls = self._controls.get(message)
            message.branch = self._branches.get(message.turn.id)
            answers = index > 0 and not self._rows.messages[index - 1].turn.is_reply
            if controls is None or not controls.fit(message, answers=answers):
                self.drop(message)
                controls = self._made(message, answers=answers)
            controls.place(message, QPoint(left, self._rows.tops[index] - first))
            seen.append(message)
        for message in [message for message in self._controls if message not in seen]:
            if not self._controls[message].has_focus:
                self.drop(message)
        rows = self._rows.rows_between(first, first + height)
        if self._code_buttons.place(rows, QPoint(left, -first), self._rows.setting, self._rows.look):
            self._tabs_are_old = True
        if self._tabs_are_old:
            self.order_tabs()

    def order_tabs(self) -> None:
        """Tab goes from top to bottom."""
        self._tabs_are_old = False
        messages = (widget for controls in self._controls.values() for widget in controls.widgets)
        widgets = (*messages, *self._code_buttons.widgets)
        stops = [widget for widget in widgets if widget.focusPolicy() & Qt.FocusPolicy.TabFocus]
        stops.sort(key=lambda widget: (widget.y(), widget.x()))
        for before, after in pairwise([self._view, *stops]):
            QWidget.setTabOrder(before, after)

    def drop(self, message: MessageView) -> None:
        """Let go of the controls of a message."""
        if (controls := self._controls.pop(message, None)) is not None:
            controls.drop()

    def drop_code(self) -> None:
        """The code that is seen is another."""
        self._code_buttons.clear()

    def clear(self) -> None:
        """The messages are others."""
        for message in list(self._controls):
            self.drop(message)
        self.drop_code()
        self._hovered = None

    def _made(self, message: MessageView, *, answers: bool) -> MessageControls:
        controls = MessageControls(self._rows.look.theme, message, self._surface, self.acted.emit, answers=answers)
        controls.set_hovered(hovered=message is self._hovered)
        controls.set_busy(busy=self._is_busy)
        if controls.fold is not None:
            controls.fold.asked.connect(self.fold_turned)
        for number, button in enumerate(controls.offers):
            button.clicked.connect(partial(self.offer_taken.emit, number))
        self._controls[message] = controls
        self._tabs_are_old = True
        return controls

    def _scroll_code(self, box: object, by: int) -> None:
        if isinstance(box, Box) and box.members:
            box.members[0].scroll(by, self._rows.setting, self._rows.look)
            self.scrolled.emit()


def _copy_code(box: object) -> None:
    if isinstance(box, Box):
        QGuiApplication.clipboard().setText(box.code)

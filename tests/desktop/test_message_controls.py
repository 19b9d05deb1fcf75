"""The widgets on a message: one stop of the tab key, in their place whether they are seen or not."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from desktop.conversations import TurnState
from desktop.theme import load_theme
from desktop.turns import Turn
from desktop.widgets.action_button import MessageAction
from desktop.widgets.captions import caption_of
from desktop.widgets.message_controls import MessageControls
from desktop.widgets.message_view import MessageView
from desktop.widgets.typesetting import Look, Setting
from inference import Message, Role

LIGHT = load_theme("light")
REPLY = Turn(2, 1, 1, Message(Role.ASSISTANT, "Because."), datetime.now(UTC), model_name="small")
QUESTION = Turn(1, 1, None, Message(Role.USER, "Why?"), datetime.now(UTC))


class Shown:
    """A message with its controls, in a window."""

    def __init__(self, qtbot, turn: Turn, *, branch: tuple[int, int] | None = None, answers: bool = True) -> None:
        self.parent = QWidget()
        qtbot.addWidget(self.parent)
        self.look = Look(LIGHT)
        self.message = MessageView(turn, caption_of(turn), self.look)
        self.message.branch = branch
        self.message.lay_out(Setting(600, 600), self.look)
        self.acts: list[MessageAction] = []
        self.controls = MessageControls(
            LIGHT, self.message, self.parent, lambda _message, action: self.acts.append(action), answers=answers
        )
        self.parent.resize(700, 300)
        self.parent.show()
        self.parent.activateWindow()
        self.place()
        self.parent.setFocus()

    def place(self) -> None:
        self.controls.place(self.message, QPoint(40, 0))
        QApplication.processEvents()

    @property
    def kinds(self) -> list[MessageAction]:
        return [button.action_kind for button in self.controls.actions]


A = MessageAction


@pytest.mark.parametrize(
    ("turn", "branch", "answers", "kinds"),
    [
        (QUESTION, None, False, [A.COPY, A.EDIT, A.MORE]),
        (REPLY, None, True, [A.COPY, A.REGENERATE, A.EDIT, A.MORE]),
        (REPLY, None, False, [A.COPY, A.EDIT, A.MORE]),
        (REPLY, (2, 3), True, [A.OLDER_BRANCH, A.NEWER_BRANCH, A.COPY, A.REGENERATE, A.EDIT, A.MORE]),
    ],
)
def test_a_message_has_what_can_be_done_with_it(qtbot, turn, branch, answers, kinds):
    assert Shown(qtbot, turn, branch=branch, answers=answers).kinds == kinds


def test_all_of_them_are_seen_while_the_mouse_is_over_the_message_or_one_has_the_focus(qtbot):
    shown = Shown(qtbot, REPLY)
    places = [button.geometry() for button in shown.controls.actions]
    assert not any(button.is_shown for button in shown.controls.actions)
    shown.controls.set_hovered(hovered=True)
    assert all(button.is_shown for button in shown.controls.actions)
    shown.controls.set_hovered(hovered=False)
    shown.controls.actions[0].setFocus(Qt.FocusReason.TabFocusReason)
    assert all(button.is_shown for button in shown.controls.actions)
    assert [button.geometry() for button in shown.controls.actions] == places, "they keep their place"


def test_which_branch_is_shown_is_seen_always(qtbot):
    shown = Shown(qtbot, REPLY, branch=(2, 3))
    seen = [button.action_kind for button in shown.controls.actions if button.is_shown]
    assert seen == [A.OLDER_BRANCH, A.NEWER_BRANCH]


def test_the_tab_key_stops_once_and_arrow_keys_go_on(qtbot):
    shown = Shown(qtbot, REPLY)
    copy, regenerate, *_, more = shown.controls.actions
    stops = [button for button in shown.controls.actions if button.focusPolicy() is not Qt.FocusPolicy.NoFocus]
    assert stops == [copy]
    copy.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(copy, Qt.Key.Key_Right)
    assert regenerate.hasFocus()
    QTest.keyClick(regenerate, Qt.Key.Key_Left)
    QTest.keyClick(copy, Qt.Key.Key_Left)
    assert more.hasFocus(), "from the first to the last"
    QTest.keyClick(more, Qt.Key.Key_Return)
    assert shown.acts == [A.MORE]


def test_what_cannot_be_done_now_is_passed_over(qtbot):
    shown = Shown(qtbot, REPLY)
    shown.controls.set_busy(busy=True)
    copy, regenerate, edit, more = shown.controls.actions
    assert not regenerate.isEnabled()
    assert not edit.isEnabled()
    copy.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(copy, Qt.Key.Key_Right)
    assert more.hasFocus()


def test_a_reply_that_grows_and_one_that_is_written_over_have_none(qtbot):
    growing = Shown(qtbot, replace(REPLY, state=TurnState.WRITING))
    assert not any(button.isVisible() for button in growing.controls.actions)
    shown = Shown(qtbot, REPLY)
    shown.message.set_room(100)
    shown.place()
    assert not any(button.isVisible() for button in shown.controls.actions)


def test_a_reply_without_a_word_has_none_but_its_branches(qtbot):
    empty = replace(REPLY, message=Message(Role.ASSISTANT, ""))
    assert not any(button.isVisible() for button in Shown(qtbot, empty).controls.actions)
    assert all(button.isVisible() for button in Shown(qtbot, empty, branch=(1, 2)).controls.actions)


def test_they_are_made_anew_when_the_branches_are_others(qtbot):
    shown = Shown(qtbot, REPLY)
    assert shown.controls.fit(shown.message)
    assert not shown.controls.fit(shown.message, answers=False)
    shown.message.branch = (1, 2)
    assert not shown.controls.fit(shown.message)


def test_the_figures_leave_them_their_place(qtbot):
    shown = Shown(qtbot, REPLY)
    assert shown.message.foot_taken >= shown.controls.actions[-1].geometry().right() - 40


def test_copying_shows_for_a_moment_that_it_was_done(qtbot):
    shown = Shown(qtbot, REPLY)
    copy = shown.controls.action(A.COPY)
    assert copy is not None
    copy.click()
    assert shown.acts == [A.COPY]
    assert copy.is_shown

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from desktop.theme import load_theme
from desktop.widgets.buttons import HEIGHT, Button, ButtonKind
from desktop.widgets.painting import text_width


@pytest.fixture
def button(qtbot):
    def build(**facts):
        made = Button(load_theme("light"), **facts)
        qtbot.addWidget(made)
        made.show()
        return made

    return build


def test_a_button_without_a_text_is_named_all_the_same(button):
    made = button(name="New conversation", icon_name="plus")
    assert made.accessibleName() == made.toolTip() == "New conversation"
    assert made.sizeHint().width() == HEIGHT


def test_a_text_has_room_to_stand_in_whole(button):
    made = button(text="Open a model file…", icon_name="open", kind=ButtonKind.PRIMARY)
    assert made.sizeHint().width() >= text_width(made.font(), made.text()) + 20


def test_a_click_leaves_the_keyboard_where_it_is(button):
    assert button(text="Send").focusPolicy() is Qt.FocusPolicy.TabFocus


@pytest.mark.parametrize("kind", list(ButtonKind))
def test_one_sees_where_the_keyboard_is(button, qtbot, kind):
    made = button(text="Send", kind=kind)
    before = made.grab().toImage()
    made.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(made.hasFocus)
    assert made.grab().toImage() != before


@pytest.mark.parametrize("kind", list(ButtonKind))
def test_a_button_that_cannot_be_pressed_shows_it(button, kind):
    made = button(text="Send", kind=kind)
    before = made.grab().toImage()
    made.setEnabled(False)
    assert made.grab().toImage() != before

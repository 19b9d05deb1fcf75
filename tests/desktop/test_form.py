"""A form scrolls, and its rows break where it is narrow."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLabel

from desktop.theme import load_theme
from desktop.widgets.buttons import Button
from desktop.widgets.fields import Choice, Number
from desktop.widgets.form import Page, Row, Side

THEME = load_theme("light")


@pytest.fixture
def page(qtbot):
    page = Page(THEME, 600)
    page.set_title("Form", "Close the form")
    qtbot.addWidget(page)
    page.resize(700, 400)
    return page


def test_a_control_stands_beside_its_words_and_below_them_where_it_is_narrow(page, qtbot):
    number = Number(THEME, "Threads", 1, 512)
    row = page.add_row("Threads", number, "How many compute.")
    page.column.addStretch(1)
    page.show()
    assert number.x() > row.width() / 2
    page.resize(360, 400)
    qtbot.waitUntil(lambda: number.x() == 0)
    assert number.y() > 20


def test_a_control_is_explained_to_a_screen_reader_by_the_line_below_its_words(page):
    number = Number(THEME, "Threads", 1, 512)
    row = page.add_row("Threads", number, "How many compute.")
    assert number.accessibleDescription() == "How many compute."
    row.set_hint("Others hold.")
    assert (number.accessibleDescription(), row.hint) == ("Others hold.", "Others hold.")


def test_a_page_says_that_it_was_put_away(page, qtbot):
    assert page.close_button.accessibleName() == "Close the form"
    with qtbot.waitSignal(page.closed):
        page.close_button.click()


def test_a_long_page_scrolls_and_never_sideways(page, qtbot):
    for number in range(40):
        page.add(Row(THEME, f"Row {number}", Number(THEME, "n", 0, 9), "words " * 30))
    page.resize(340, 300)
    page.show()
    qtbot.waitUntil(lambda: page.verticalScrollBar().maximum() > 0)
    assert page.horizontalScrollBar().maximum() == 0


def test_everything_on_a_page_changes_its_colours(page):
    page.add_row("Threads", Number(THEME, "Threads", 1, 512), "How many.")
    dark = load_theme("dark")
    page.set_theme(dark)
    assert page.palette().window().color() == dark.surface
    words, hint = page.findChildren(Row)[0].findChildren(QLabel)
    assert words.palette().windowText().color() == dark.text
    assert hint.palette().windowText().color() == dark.muted


def test_a_control_that_takes_what_room_is_left_lets_another_stand_beside_it(qtbot):
    theme = load_theme("light")
    choice, button = Choice(theme, "Reply"), Button(theme, text="Copy all")
    choice.offer([("A reply with a name that is longer than all the room there is", 1)])
    side = Side(choice, button, wide=choice)
    qtbot.addWidget(side)
    side.resize(280, 32)
    side.show()
    assert choice.y() == button.y()
    assert button.geometry().right() == side.rect().right()

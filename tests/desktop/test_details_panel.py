"""The panel with the details."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from desktop.theme import load_theme
from desktop.widgets.details import Detail
from desktop.widgets.details_panel import DetailsPanel


@pytest.fixture
def panel(qtbot):
    panel = DetailsPanel(load_theme("light"))
    qtbot.addWidget(panel)
    panel.show_details((("This reply", (Detail("Model", "small"),)), ("Nothing", ())))
    return panel


def test_it_says_what_it_is_given_and_no_empty_section(panel):
    assert panel.text == "This reply\nModel\nsmall"


def test_other_details_take_the_place_of_those_before(panel):
    panel.show_details((("This conversation", (Detail("Time", "3.00 s"),)),))
    assert panel.text == "This conversation\nTime\n3.00 s"


def test_escape_and_its_button_close_it(panel, qtbot):
    with qtbot.waitSignal(panel.closed):
        QTest.keyClick(panel, Qt.Key.Key_Escape)
    with qtbot.waitSignal(panel.closed):
        panel.close_button.click()


def test_its_words_follow_the_theme(panel):
    panel.set_theme(load_theme("dark"))
    colours = {label.palette().windowText().color().name() for label in panel._labels}
    dark = load_theme("dark")
    assert colours == {dark.text.name(), dark.muted.name()}

"""The models of the window as a whole: in German, in all sizes, by keyboard, in the dark."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from desktop.settings import ColourScheme
from desktop.translation import Translator, read_translations
from desktop.widgets.model_browser import Section
from tests.desktop.test_translation import cut_off


@pytest.fixture
def german(qapp):
    translator = Translator(read_translations("de"), qapp)
    qapp.installTranslator(translator)
    yield translator
    qapp.removeTranslator(translator)


@pytest.mark.parametrize("width", [360, 700, 1100])
def test_no_word_is_cut_off_in_german(german, models_on_desk, width):
    models_on_desk.put("one.gguf")
    browser = models_on_desk.open()
    models_on_desk.window.resize(width, 700)
    for section in Section:
        browser.show_section(section)
        QApplication.processEvents()  # it is laid out
        assert set(cut_off(browser)) == set(), section


def test_sections_go_by_keyboard(models_on_desk, qtbot):
    browser = models_on_desk.open()
    qtbot.keyClick(browser, Qt.Key.Key_4, Qt.KeyboardModifier.AltModifier)
    reached = [browser.section]
    qtbot.keyClick(browser, Qt.Key.Key_1, Qt.KeyboardModifier.AltModifier)
    assert [*reached, browser.section] == [Section.DOWNLOADS, Section.HERE]


def test_the_keyboard_goes_along_to_what_each_section_is_about(models_online, hub, qtbot):
    hub.add("maker/small-GGUF", {"a.gguf": b"GGUF"})
    models_online.put("one.gguf")
    browser = models_online.open()
    browser.here.list.setFocus()
    first = (browser.here.list, browser.recommended.list, browser.search.field, browser.downloads.list)
    for number in (1, 2, 3, 0):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_1 + number, Qt.KeyboardModifier.AltModifier)
        assert QApplication.focusWidget() is first[number]


def test_offline_the_keyboard_is_not_lost_where_nothing_can_be_done(models_on_desk, qtbot):
    browser = models_on_desk.open()
    browser.here.list.setFocus()
    qtbot.keyClick(browser.here.list, Qt.Key.Key_3, Qt.KeyboardModifier.AltModifier)
    assert QApplication.focusWidget() is browser.tabs[Section.SEARCH]


def test_it_follows_the_colours(models_on_desk):
    models_on_desk.put("one.gguf")
    browser = models_on_desk.open()
    light = browser.grab().toImage().pixelColor(2, 2)
    models_on_desk.desk.themes.set_scheme(ColourScheme.DARK)
    assert browser.grab().toImage().pixelColor(2, 2).lightness() < light.lightness()


def test_in_a_window_of_the_first_size_no_section_scrolls(models_on_desk):
    models_on_desk.window.resize(1080, 720)
    for section in Section:
        browser = models_on_desk.open(section)
        for _ in range(4):
            QApplication.processEvents()
        assert not browser._room.verticalScrollBar().isVisible(), section

"""What one can do while reading, from the window's menus."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from desktop.window import Window
from tests.desktop.talk import LONG

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def window(desk) -> Window:
    opened: Window = desk.open()
    return opened


def keys_of(action: QAction) -> set[str]:
    return {shortcut.toString(QKeySequence.SequenceFormat.PortableText) for shortcut in action.shortcuts()}


def test_find_by_keyboard_from_the_field_and_back(window: Window, desk):
    desk.talk("Why do rivers bend?", "Rivers bend.")
    QTest.keyClick(window.composer.field, Qt.Key.Key_F, CONTROL)
    bar = window.page.transcript.finding.bar
    assert bar is not None
    assert bar.isVisible()
    QTest.keyClicks(bar.field, "bend")
    desk.qtbot.waitUntil(lambda: bar.count.text().endswith("of 2"))
    shown = bar.count.text()
    window.reading.find_next.trigger()
    assert bar.count.text() != shown
    window.reading.find_previous.trigger()
    assert bar.count.text() == shown
    QTest.keyClick(bar.field, Qt.Key.Key_Escape)
    assert not bar.isVisible()


def test_escape_in_the_bar_does_not_stop_the_reply(window: Window, desk):
    desk.send("Why?")
    desk.engine.say("Because")
    window.reading.find.trigger()
    bar = window.page.transcript.finding.bar
    assert bar is not None
    QTest.keyClick(bar.field, Qt.Key.Key_Escape)
    assert window.session.is_busy
    desk.engine.finish()


def test_the_usual_keys_are_there(window: Window):
    assert {"Ctrl+F"} <= keys_of(window.reading.find)
    assert {"F3"} <= keys_of(window.reading.find_next)
    assert {"Shift+F3"} <= keys_of(window.reading.find_previous)
    assert {"Ctrl++", "Ctrl+="} <= keys_of(window.reading.zoom_in)
    assert {"Ctrl+-"} <= keys_of(window.reading.zoom_out)
    assert keys_of(window.reading.usual_size) == {"Ctrl+0"}
    assert keys_of(window.reading.copy_as_markdown) == {"Ctrl+Shift+C"}


def test_zoom_is_kept_for_the_next_window(window: Window, desk):
    desk.talk("Why?", "Because.")
    window.reading.zoom_in.trigger()
    window.reading.zoom_in.trigger()
    assert window.page.transcript.zoom == 1.25
    assert desk.settings.current.zoom == 125
    again = desk.open_another()
    assert again.page.transcript.zoom == 1.25
    window.reading.usual_size.trigger()
    window.reading.zoom_out.trigger()
    assert desk.settings.current.zoom == 90


def test_what_is_selected_is_copied_as_markdown(window: Window, desk):
    desk.talk("Why?", "So **it** is.")
    window.page.transcript.select_all()
    window.reading.copy_as_markdown.trigger()
    assert QGuiApplication.clipboard().text() == "Why?\n\nSo **it** is."


def test_without_a_conversation_nothing_is_found_and_nothing_breaks(window: Window):
    for action in (window.reading.find, window.reading.find_next, window.reading.copy_as_markdown):
        action.trigger()
    assert not window.page.shows_transcript


def test_a_conversation_is_come_back_to_where_it_was_left(window: Window, desk):
    desk.talk("Why?", LONG)
    first = window.session.conversation
    assert first is not None
    bar = window.page.transcript.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    QApplication.processEvents()
    place = window.page.transcript.place()
    desk.library.new()
    desk.talk("And?", LONG)
    second = window.session.conversation
    assert second is not None
    desk.library.open(first.id)
    assert window.page.transcript.place() == place
    assert not window.page.transcript.following
    desk.library.open(second.id)
    assert window.page.transcript.following

"""Views are made when they are wanted, and stay as they were left."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from desktop.settings import ColourScheme


def test_nothing_is_made_before_it_is_wanted(desk):
    window = desk.open()
    assert (window.views.preferences, window.views.chat_settings, window.views.shortcuts) == (None, None, None)


def test_preferences_open_by_their_shortcut_and_are_made_once(desk):
    window = desk.open()
    desk.qtbot.keyClick(window, Qt.Key.Key_Comma, Qt.KeyboardModifier.ControlModifier)
    first = window.views.preferences
    assert window.view == first
    window.close_view()
    window.views.open_preferences()
    assert window.views.preferences is first


def test_the_overview_is_made_anew_and_no_old_one_is_left(desk):
    window = desk.open()
    for _ in range(3):
        window.views.open_shortcuts()
        desk.qtbot.keyClick(window, Qt.Key.Key_Escape)
    window.views.open_shortcuts()
    desk.qtbot.waitUntil(lambda: window._views.count() == 2)


def test_what_the_platform_calls_its_own_goes_there(desk):
    window = desk.open()
    preferences, *_ = window.views_actions
    assert preferences.menuRole() is QAction.MenuRole.PreferencesRole


def test_open_views_change_their_colours_with_the_window(desk):
    window = desk.open()
    window.views.open_preferences()
    window.views.toggle_chat_settings()
    desk.settings.save(desk.settings.current.__class__(colour_scheme=ColourScheme.DARK))
    dark = desk.themes.current
    assert dark.is_dark
    for view in (window.views.preferences, window.views.chat_settings):
        assert view.palette().window().color() == dark.surface


@pytest.mark.parametrize(
    "open_panel",
    [
        lambda desk: desk.window.views.toggle_chat_settings(),
        lambda desk: desk.insights.inspector_action.trigger(),
        lambda desk: desk.window.turn_actions.show_totals(),
    ],
    ids=["settings of the conversation", "inspector", "details"],
)
def test_escape_puts_a_panel_away_wherever_in_it_the_keyboard_is(desk, qtbot, open_panel):
    window = desk.open()
    window.resize(1300, 800)
    desk.send("Hi")
    desk.engine.say("Hello.")
    desk.engine.finish()
    open_panel(desk)
    stops = [
        stop
        for stop in window.panel.findChildren(QWidget)
        if stop.focusPolicy() & Qt.FocusPolicy.TabFocus and stop.isVisible() and stop.isEnabled()
    ]
    assert stops
    for stop in stops:
        if window.panel is None:
            open_panel(desk)
        stop.setFocus()
        qtbot.keyClick(stop, Qt.Key.Key_Escape)
        assert window.panel is None, stop.accessibleName()

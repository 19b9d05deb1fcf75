from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from tests.desktop.desk import Plain


def test_the_sidebar_folds_and_comes_back(desk):
    window = desk.open()
    assert window.conversation_list.isVisible()
    assert not window.header.unfold_button.isVisible()
    window.sidebar_action.trigger()
    assert not window.conversation_list.isVisible()
    assert window.header.unfold_button.isVisible()
    assert window.header.new_button.isVisible()
    desk.qtbot.mouseClick(window.header.unfold_button, Qt.MouseButton.LeftButton)
    assert window.conversation_list.isVisible()


def test_a_narrow_window_folds_the_sidebar_by_itself_and_a_wide_one_brings_it_back(desk):
    window = desk.open()
    window.resize(600, 700)
    QApplication.processEvents()
    assert not window.conversation_list.isVisible()
    assert window.composer.isVisible()
    window.resize(1000, 700)
    QApplication.processEvents()
    assert window.conversation_list.isVisible()


def test_in_a_narrow_window_list_and_conversation_take_turns(desk):
    window = desk.open()
    desk.talk("Why?", "Because.")
    window.resize(400, 600)
    QApplication.processEvents()
    window.sidebar_action.trigger()
    assert window.conversation_list.isVisible()
    assert not window.composer.isVisible()
    conversation = desk.library.current.conversation
    assert conversation is not None
    window.conversation_list.opened.emit(conversation.id)
    assert window.composer.isVisible()


def test_a_panel_stands_beside_the_conversation_and_in_its_place_where_it_is_narrow(desk):
    window, panel = desk.open(), Plain()
    window.resize(1200, 700)
    window.open_panel(panel)
    assert window.panel == panel
    assert panel.isVisible()
    assert window.composer.isVisible()
    window.resize(600, 700)
    assert panel.isVisible()
    assert not window.composer.isVisible()
    panel.closed.emit()
    assert window.panel is None
    assert window.composer.isVisible()


def test_a_view_that_is_opened_behind_a_panel_is_seen_in_a_narrow_window(desk):
    window, panel, view = desk.open(), Plain(), Plain()
    window.resize(600, 700)
    window.open_panel(panel)
    window.open_view(view)
    assert view.isVisible()
    assert window.panel is None


def test_what_is_found_in_a_conversation_is_seen_whatever_stood_in_its_place(desk):
    window, view = desk.open(), Plain()
    desk.talk("Why?", "Because.")
    window.open_view(view)
    window.reading.find.trigger()
    assert window.view is None
    assert window.page.isVisible()


def test_a_server_is_asked_for_where_it_is_seen_in_a_narrow_window(desk):
    window = desk.open()
    window.resize(400, 600)
    QApplication.processEvents()
    window.sidebar_action.trigger()
    assert not window.composer.isVisible()
    window.server_area.open()
    assert window.server_area.isVisible()


def test_the_keyboard_is_never_in_what_is_covered(desk):
    window, view = desk.open(), Plain()
    window.open_view(view)
    window.sidebar_action.trigger()
    window.sidebar_action.trigger()
    assert window.focusWidget().isVisibleTo(window)
    window.close_view()
    window.conversation_list.begin_search()
    window.resize(400, 600)
    QApplication.processEvents()
    assert window.focusWidget().isVisibleTo(window)

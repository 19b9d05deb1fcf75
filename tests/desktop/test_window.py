from __future__ import annotations

from dataclasses import replace
from itertools import groupby, pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget

from desktop.chat_session import ChatSession
from desktop.settings import ColourScheme
from desktop.turns import Attachment
from desktop.widgets.column import column_width
from desktop.widgets.notice import NoticeKind
from desktop.widgets.prompt_field import LONG_TEXT
from desktop.window import Window
from tests.desktop.desk import Plain
from tests.desktop.fakes import OTHER_MODEL

# From the key to the reply


def test_escape_stops_a_reply(desk):
    window = desk.open()
    assert not window.stop_action.isEnabled()
    desk.send("Why?")
    assert window.stop_action.isEnabled()
    desk.qtbot.keyClick(window.composer.field, Qt.Key.Key_Escape)
    assert desk.engine.cancelled == [desk.engine.last]


def test_the_title_and_the_list_follow_the_conversation(desk):
    window = desk.open()
    assert window.windowTitle() == "Headwater"
    desk.talk("Why do rivers bend?", "Because.")
    assert window.windowTitle() == "Why do rivers bend? - Headwater"
    assert window.conversation_list.titles() == ("Today", "Why do rivers bend?")


def test_a_new_conversation_begins_empty_and_leaves_nothing_behind(desk):
    window = desk.open()
    desk.talk("Why?", "Because.")
    window.new_action.trigger()
    assert window.page.currentWidget() is window.page.empty_state
    assert window.windowTitle() == "Headwater"
    assert len(window.conversation_list.titles()) == 2
    assert window.speed_bar.decode.words == ""


def test_a_conversation_is_opened_from_the_list(desk):
    window = desk.open()
    desk.talk("Why?", "Because.")
    first = desk.library.current.conversation
    window.new_action.trigger()
    desk.talk("How?", "Slowly.")
    assert first is not None
    window.conversation_list.opened.emit(first.id)
    assert "Because." in window.page.transcript.plain_text()
    assert "Slowly." not in window.page.transcript.plain_text()
    assert window.conversation_list.view.currentIndex().data() == "Why?"


def test_the_keyboard_is_in_the_field_at_once(desk):
    window = desk.open()
    assert window.composer.field.hasFocus()
    window.new_action.trigger()
    assert window.composer.field.hasFocus()


# The empty window


def test_without_a_model_the_window_offers_to_open_one(desk):
    window = desk.open(ready=False)
    assert window.opening.picker.words == "No model"
    assert not window.opening.eject_action.isEnabled()
    desk.to_choose = OTHER_MODEL
    desk.qtbot.mouseClick(window.page.empty_state.open_button, Qt.MouseButton.LeftButton)
    assert [load.path for load in desk.engine.loads] == [OTHER_MODEL]


# The model


def test_one_may_type_and_send_while_the_model_loads(desk):
    window = desk.open(ready=False)
    desk.models.load()
    desk.engine.loading(0.42)
    assert "42 %" in window.opening.picker.accessibleDescription()
    desk.send("Why?")
    assert window.composer.text == ""
    assert len(desk.engine.requests) == 1


def test_a_plain_template_is_named_in_the_window(desk):
    window = desk.open(ready=False)
    desk.models.load()
    desk.engine.ready(has_own_template=False, template_name="ChatML")
    (notice,) = window.board.notices
    assert "ChatML" in notice.text
    assert notice.kind is NoticeKind.INFORMATION


def drop(window: Window, *paths: Path) -> bool:
    """Drag files over the window and let go; whether it wanted them."""
    files = QMimeData()
    files.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    place, copy = QPointF(300, 300), Qt.DropAction.CopyAction
    left, no_key = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    entered = QDragEnterEvent(QPoint(300, 300), copy, files, left, no_key)
    window.dragEnterEvent(entered)
    if entered.isAccepted():
        window.dropEvent(QDropEvent(place, copy, files, left, no_key))
    return entered.isAccepted()


def test_a_dropped_model_is_opened(desk):
    window = desk.open()
    assert drop(window, Path("/somewhere/readme.txt"), OTHER_MODEL)
    assert desk.engine.loads[-1].path == OTHER_MODEL


def test_another_dropped_file_goes_along_with_the_next_prompt(desk):
    window = desk.open()
    loads = len(desk.engine.loads)
    assert drop(window, Path("/somewhere/notes.txt"))
    assert len(desk.engine.loads) == loads
    assert [file.name for file in desk.drafts.files] == ["notes.txt"]


def test_what_is_no_file_cannot_be_dropped(desk):
    window = desk.open()
    files = QMimeData()
    files.setUrls([QUrl("https://example.org/model.gguf")])
    entered = QDragEnterEvent(
        QPoint(3, 3), Qt.DropAction.CopyAction, files, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    entered.ignore()
    window.dragEnterEvent(entered)
    assert not entered.isAccepted()


# Settings and layout


@pytest.mark.parametrize("size", [(360, 360), (400, 600), (699, 500), (700, 500), (2560, 1400)])
def test_the_window_takes_every_size_it_is_given(desk, size):
    window = desk.open()
    window.board.show_notice("a sentence " * 30, NoticeKind.ERROR, "Do something")
    window.resize(*size)
    QApplication.processEvents()
    assert (window.width(), window.height()) == size


def test_closing_is_told_once(desk):
    window = desk.open()
    with desk.qtbot.waitSignal(window.closing):
        window.close()


def test_settings_that_were_damaged_are_said_at_the_start(desk):
    desk.settings.path.write_text("not = [toml")
    desk.settings.load()
    window = desk.open()
    assert "settings file was damaged" in window.board.notices[0].text


# Keyboard and names


def test_everything_that_can_be_focused_has_a_name(desk):
    window = desk.open()
    desk.talk("Why?", "Because.")
    nameless = [
        child
        for child in window.findChildren(QWidget)
        if child.focusPolicy() & Qt.FocusPolicy.TabFocus
        and not isinstance(child, type(window.menuBar()))
        and not (child.accessibleName() or getattr(child, "text", str)())
    ]
    assert nameless == []


def test_tab_goes_round_in_the_order_one_reads(desk):
    window = desk.open()
    desk.talk("Why?", "Because.")
    desk.type("x")
    for name in ("a.txt", "b.txt"):
        desk.drafts.add(Attachment(name, "txt", 4, "text"))
    seen = []
    window.conversation_list.fold_button.setFocus(Qt.FocusReason.TabFocusReason)
    for _ in range(24):
        widget = window.focusWidget()
        assert widget is not None
        seen.append(widget)
        desk.qtbot.keyClick(widget, Qt.Key.Key_Tab)
    wanted = [
        window.conversation_list.fold_button,
        window.conversation_list.new_button,
        window.conversation_list.search_field,
        window.conversation_list.view,
        window.opening.picker,
        window.choices.streaming_switch,
        desk.insights.inspector_button,
        desk.insights.lab_button,
        window.page.transcript,
        window.composer.attachment_row.chips[0].cross,
        window.composer.attachment_row.chips[1].cross,
        window.composer.field,
        window.composer.attach_button,
        desk.insights.compare_button,
        window.composer.button,
        window.speed_bar.context,
    ]
    assert [widget for widget in seen if widget in wanted][: len(wanted)] == wanted


def where_tab_comes_by(desk) -> list[QWidget]:
    """Every widget at which Tab stops, once round."""
    first = desk.window.conversation_list.fold_button
    first.setFocus(Qt.FocusReason.TabFocusReason)
    seen: list[QWidget] = []
    while (widget := desk.window.focusWidget()) not in seen:
        seen.append(widget)
        desk.qtbot.keyClick(widget, Qt.Key.Key_Tab)
    assert widget is first
    return seen


def test_tab_comes_by_what_is_made_later_where_it_stands(desk):
    window = desk.open()
    desk.furnish()
    window.resize(1300, 900)
    desk.talk("Why?", "Because of `this`.")
    window.board.show_notice("One.", action="Undo")
    window.opening.server_action.trigger()
    window.board.show_notice("Two.", action="Undo")
    window.conversation_list.search_field.setText("because")
    window.conversation_list.search_field.search_now()
    desk.insights.inspector_action.trigger()
    places = [window.conversation_list, window.header, window.server_area, window.board]
    below = [window.composer, desk.insights.inspector, window.speed_bar]
    openers = (
        window.close_view,
        window.views.open_preferences,
        window.views.open_about,
        window.views.open_shortcuts,
        desk.insights.open_lab,
        desk.insights.compare_draft,
        desk.model_views.open,
        lambda: window.board.show_notice("Three."),
        window.close_view,
    )
    for show in openers:
        show()
        QApplication.processEvents()
        regions = [*places, window.view or window.page, *below]
        stops = where_tab_comes_by(desk)
        came_by = [next(part for part in regions if part.isAncestorOf(stop)) for stop in stops]
        came_to = [type(part).__name__ for part, _ in groupby(came_by)]
        assert came_to == [type(part).__name__ for part in regions if part in came_by]
        reachable = [
            widget
            for region in regions
            for widget in region.findChildren(QWidget)
            if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isVisible() and widget.isEnabled()
            if widget.focusProxy() is None and not any(stop.isAncestorOf(widget) for stop in stops)
        ]
        assert [widget for widget in reachable if widget not in stops] == []
        field = window.conversation_list.search_field
        assert stops[stops.index(field) + 1] is field.clear_button
        assert {window.server_area, window.board, window.header} <= set(came_by)


def test_tab_leads_from_a_long_paste_to_the_offer_to_attach_it_and_back(desk):
    window = desk.open()
    QApplication.clipboard().setText("x " * LONG_TEXT)
    window.composer.field.paste()
    offer = window.composer.paste_offer
    assert offer is not None
    QApplication.processEvents()  # now it is shown
    way = [window.composer.field, offer.action_button, offer.close_button, window.composer.attach_button]
    for stops, key in zip((way, way[::-1]), (Qt.Key.Key_Tab, Qt.Key.Key_Backtab), strict=True):
        seen = []
        for _ in stops:
            seen.append(window.focusWidget())
            desk.qtbot.keyClick(seen[-1], key)
        assert seen == stops
        stops[-1].setFocus(Qt.FocusReason.TabFocusReason)
    offer.action_button.setFocus(Qt.FocusReason.TabFocusReason)
    desk.qtbot.keyClick(offer.action_button, Qt.Key.Key_Space)
    assert window.focusWidget() is window.composer.field


def test_tab_comes_by_the_examples_on_its_way_to_the_prompt(desk):
    window = desk.open()
    seen = []
    window.choices.streaming_switch.setFocus(Qt.FocusReason.TabFocusReason)
    for _ in range(9):
        widget = window.focusWidget()
        assert widget is not None
        seen.append(widget)
        desk.qtbot.keyClick(widget, Qt.Key.Key_Tab)
    assert seen == [
        window.choices.streaming_switch,
        desk.insights.inspector_button,
        desk.insights.lab_button,
        *window.page.empty_state.prompt_buttons,
        window.composer.field,
        window.composer.attach_button,
        desk.insights.compare_button,
    ]


def test_every_action_of_the_menus_does_something(desk):
    window = desk.open()
    for menu in (action.menu() for action in window.menuBar().actions()):
        assert menu is not None
        assert [action for action in menu.actions() if not action.isSeparator()]
    shortcuts = [
        action.shortcut().toString()
        for action in (window.new_action, window.opening.open_action, window.quit_action, window.sidebar_action)
    ]
    assert shortcuts == ["Ctrl+N", "Ctrl+O", "Ctrl+Q", "Ctrl+B"]


def test_the_shown_session_is_the_librarys(desk):
    window = desk.open()
    assert isinstance(window.session, ChatSession)
    assert window.session is desk.library.current


# Thinking, and a full window


def test_a_switch_for_thinking_is_there_where_the_model_has_one(desk):
    window = desk.open()
    assert window.composer.thinking_switch.isHidden()
    desk.models.choose(OTHER_MODEL)
    desk.engine.ready(has_thinking_switch=True)
    assert window.composer.thinking_switch.isVisible()


def test_reasoning_is_counted_above_the_answer_and_stays_folded(desk):
    window = desk.open()
    desk.send("Why?")
    desk.engine.think("Hm, ")
    desk.engine.think("water.")
    assert "Thinking, 2 tokens" in window.page.transcript.plain_text()
    assert "Hm, " not in window.page.transcript.plain_text()
    desk.engine.say("They erode.")
    assert "Thought for 0.1 s" in window.page.transcript.plain_text()
    desk.engine.finish()
    assert "Thought for 0.1 s" in window.page.transcript.plain_text()
    assert "They erode." in window.page.transcript.plain_text()


def test_a_view_takes_the_place_of_the_conversation_until_escape(desk):
    window, view = desk.open(), Plain()
    window.open_view(view)
    assert window.view == view
    assert view.isVisible()
    assert not window.composer.isVisible()
    desk.qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert window.view is None
    assert window.composer.isVisible()
    assert window.composer.field.hasFocus()


def test_escape_closes_a_view_before_it_stops_a_reply(desk):
    window, view = desk.open(), Plain()
    desk.send("Hi")
    window.open_view(view)
    desk.qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert window.session.is_busy
    assert not desk.engine.cancelled
    desk.qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert desk.engine.cancelled


def test_opening_a_conversation_closes_a_view(desk):
    window, view = desk.open(), Plain()
    desk.talk("Hi", "Hello")
    window.open_view(view)
    window.new_action.trigger()
    assert window.view is None


def test_views_and_panels_change_their_colours_with_the_window(desk):
    window, view, panel = desk.open(), Plain(), Plain()
    window.open_view(view)
    window.open_panel(panel)
    desk.themes.set_scheme(ColourScheme.DARK)
    assert (view.themes[-1], panel.themes[-1]) == ("dark", "dark")


def test_in_a_larger_font_the_column_is_as_many_letters_wide(desk):
    window = desk.open()
    before = window.composer.maximumWidth()
    desk.settings.save(replace(desk.settings.current, font_size=20))
    assert window.composer.maximumWidth() > 1.5 * before
    assert window.composer.maximumWidth() == column_width()


def test_figures_that_have_no_room_in_a_large_font_are_left_out(desk):
    window = desk.open()
    window.resize(1000, 700)
    assert window.speed_bar.device.isVisible()
    desk.settings.save(replace(desk.settings.current, font_size=20))
    assert not window.speed_bar.device.isVisible()
    shown = [figure for figure in window.speed_bar._all if figure.isVisible()]
    assert all(before.geometry().right() < after.geometry().left() for before, after in pairwise(shown))


def test_what_is_typed_while_reading_goes_into_the_prompt(desk):
    window = desk.open()
    desk.talk("Why?", "Because.")
    window.page.transcript.setFocus()
    for letter in "And then":
        desk.qtbot.keyClicks(window.focusWidget(), letter)
    assert window.composer.field.hasFocus()
    assert window.composer.text == "And then"


def test_keys_that_mean_something_else_stay_what_they_are(desk):
    window = desk.open()
    desk.talk("Why?", "Because.")
    window.page.transcript.setFocus()
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_Return, Qt.Key.Key_Backspace):
        desk.qtbot.keyClick(window.page.transcript, key)
    desk.qtbot.keyClick(window.page.transcript, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert window.composer.text == ""
    assert window.page.transcript.hasFocus()
    window.views_actions[0].trigger()  # the preferences, where there is no prompt
    desk.qtbot.keyClicks(window, "lost")
    assert window.composer.text == ""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QObject, QPoint, QPointF, Qt, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget

from desktop.chat_session import ChatSession
from desktop.conversations import Attachment
from desktop.settings import ColourScheme, SettingsFile
from desktop.theme import load_theme
from desktop.widgets.column import column_width
from desktop.widgets.notice import NoticeKind
from desktop.window import Window
from inference import (
    KeyRefused,
    ModelUnreadable,
    NothingListens,
    PromptTooLong,
    RemoteModel,
    ServerBroke,
    TokenCount,
    WindowPolicy,
)
from tests.desktop.desk import ENTER, Desk
from tests.desktop.fakes import MODEL, OTHER_MODEL


def page(window: Window) -> QWidget | None:
    return window.page.currentWidget()


# From the key to the reply


def test_a_prompt_is_sent_with_everything_the_engine_needs_and_the_field_is_emptied(desk):
    window = desk.open()
    desk.send("Why do rivers bend?")
    assert desk.engine.requests[0].messages[-1].content == "Why do rivers bend?"
    assert desk.engine.requests[0].model.path == MODEL
    assert window.composer.text == ""
    assert page(window) is window.transcript


def test_the_reply_is_shown_while_it_is_written(desk):
    window = desk.open()
    desk.send("Why?")
    desk.engine.say("Because ")
    desk.engine.say("of water.")
    assert "Because of water." in window.transcript.plain_text()
    desk.engine.finish()
    assert "Because of water." in window.transcript.plain_text()


def test_with_streaming_off_the_reply_appears_whole_at_its_end(desk):
    window = desk.open()
    window.streaming_switch.setChecked(False)
    desk.send("Why?")
    desk.engine.say("Because ")
    desk.engine.say("of water.")
    assert "Because" not in window.transcript.plain_text()
    desk.engine.finish()
    assert "Because of water." in window.transcript.plain_text()


def test_the_figures_of_a_reply_stand_in_the_bar(desk):
    window = desk.open()
    desk.send("Why?")
    desk.engine.read(20, 20, batch_end=20, seconds=0.1)
    desk.engine.say("Because ")
    desk.engine.say("of water.")
    desk.engine.finish()
    assert window.speed_bar.decode.words == "10.0 tok/s"
    assert window.speed_bar.prefill.words == "40.0 tok/s (20 new, 0 cached)"
    assert window.speed_bar.device.words == "CPU, 1 thread"


def test_send_turns_into_stop_and_back(desk):
    window = desk.open()
    desk.send("Why?")
    assert window.composer.button.text() == "Stop"
    desk.engine.say("Because")
    desk.qtbot.mouseClick(window.composer.button, Qt.MouseButton.LeftButton)
    assert desk.engine.cancelled == [desk.engine.last]
    desk.engine.finish()
    assert window.composer.button.text() == "Send"


def test_escape_stops_a_reply(desk):
    window = desk.open()
    assert not window.stop_action.isEnabled()
    desk.send("Why?")
    assert window.stop_action.isEnabled()
    desk.qtbot.keyClick(window.composer.field, Qt.Key.Key_Escape)
    assert desk.engine.cancelled == [desk.engine.last]


def test_a_refused_prompt_stays_in_the_field(desk):
    window = desk.open(ready=False)
    desk.send("Why?")
    assert window.composer.text == "Why?"
    assert desk.engine.requests == []


def test_a_prompt_typed_while_a_reply_is_written_stays_until_it_can_be_sent(desk):
    window = desk.open()
    desk.send("first")
    desk.engine.say("An answer.")
    desk.send("second")
    assert window.composer.text == "second"
    desk.engine.finish()
    desk.qtbot.keyClick(window.composer.field, ENTER)
    assert window.composer.text == ""
    assert desk.engine.requests[-1].messages[-1].content == "second"


class Browser(QObject):
    """Where links would be opened."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []

    @Slot(QUrl)
    def open(self, url: QUrl) -> None:
        self.opened.append(url.toString())


@pytest.fixture
def browser():
    browser = Browser()
    for scheme in ("https", "file"):
        QDesktopServices.setUrlHandler(scheme, browser, "open")  # type: ignore[arg-type]  # the stubs ask for bytes, Qt refuses them
    yield browser
    QDesktopServices.unsetUrlHandler("https")
    QDesktopServices.unsetUrlHandler("file")


def test_a_link_shows_where_it_leads_before_it_is_opened(desk, browser):
    window = desk.open()
    window.transcript.link_activated.emit("https://example.org/a?b=c")
    (notice,) = window.notices
    assert "https://example.org/a?b=c" in notice.text
    assert browser.opened == []
    desk.qtbot.mouseClick(notice.action_button, Qt.MouseButton.LeftButton)
    assert browser.opened == ["https://example.org/a?b=c"]


@pytest.mark.parametrize("address", ["file:///etc/passwd", "javascript:alert(1)", "smb://host/share", "x"])
def test_a_link_to_anything_but_a_page_or_an_address_is_never_opened(desk, browser, address):
    window = desk.open()
    window.transcript.link_activated.emit(address)
    (notice,) = window.notices
    assert not notice.action_button.isVisible()
    assert browser.opened == []


# Conversations


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
    assert page(window) is window.empty_state
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
    assert "Because." in window.transcript.plain_text()
    assert "Slowly." not in window.transcript.plain_text()
    assert window.conversation_list.view.currentIndex().data() == "Why?"


def test_a_reply_of_another_conversation_is_not_shown_in_this_one(desk):
    window = desk.open()
    desk.send("Why?")
    running = desk.engine.last
    window.new_action.trigger()
    desk.engine.say("Because.", request=running)
    assert window.transcript.plain_text().strip() == ""
    assert window.composer.button.text() == "Send"
    desk.engine.finish(request=running)
    assert page(window) is window.empty_state


def test_what_was_typed_waits_in_its_conversation(desk):
    window = desk.open()
    desk.talk("Why?", "Because.")
    desk.type("a half-typed question")
    first = desk.library.current.conversation
    window.new_action.trigger()
    assert window.composer.text == ""
    assert first is not None
    desk.library.open(first.id)
    assert window.composer.text == "a half-typed question"


def test_a_session_that_was_let_go_is_followed_no_longer(desk):
    window = desk.open()
    desk.talk("Why?", "Because.")
    old = window.session
    window.new_action.trigger()
    old.failed.emit("from the past")
    assert window.session is not old
    assert window.notices == ()


def test_the_keyboard_is_in_the_field_at_once(desk):
    window = desk.open()
    assert window.composer.field.hasFocus()
    window.new_action.trigger()
    assert window.composer.field.hasFocus()


# The empty window


def test_an_example_is_sent_when_it_is_chosen(desk):
    window = desk.open()
    prompt = window.empty_state.prompt_buttons[0].text()
    desk.qtbot.mouseClick(window.empty_state.prompt_buttons[0], Qt.MouseButton.LeftButton)
    assert desk.engine.requests[0].messages[-1].content == prompt


def test_an_example_does_not_cost_what_was_being_typed(desk):
    window = desk.open()
    desk.type("half a thought")
    desk.qtbot.mouseClick(window.empty_state.prompt_buttons[0], Qt.MouseButton.LeftButton)
    assert window.composer.text == "half a thought"
    assert desk.library.current.draft == "half a thought"


def test_without_a_model_the_window_offers_to_open_one(desk):
    window = desk.open(ready=False)
    assert window.model_picker.words == "No model"
    assert not window.eject_action.isEnabled()
    desk.to_choose = OTHER_MODEL
    desk.qtbot.mouseClick(window.empty_state.open_button, Qt.MouseButton.LeftButton)
    assert [load.path for load in desk.engine.loads] == [OTHER_MODEL]


# The model


def test_one_may_type_and_send_while_the_model_loads(desk):
    window = desk.open(ready=False)
    desk.models.load()
    desk.engine.loading(0.42)
    assert "42 %" in window.model_picker.accessibleDescription()
    desk.send("Why?")
    assert window.composer.text == ""
    assert len(desk.engine.requests) == 1


def test_a_model_that_fails_is_said_with_its_sentence_and_an_action(desk):
    window = desk.open(ready=False)
    window.open_model(OTHER_MODEL)
    desk.engine.fail_to_load(ModelUnreadable(OTHER_MODEL, "it ends too early."))
    (notice,) = window.notices
    assert notice.kind is NoticeKind.ERROR
    assert notice.text == "other.gguf cannot be read as a model: it ends too early."
    desk.qtbot.mouseClick(notice.action_button, Qt.MouseButton.LeftButton)
    assert desk.asked == [window]
    assert window.notices == ()


def test_the_failure_is_forgotten_once_another_model_loads(desk):
    window = desk.open(ready=False)
    window.open_model(OTHER_MODEL)
    desk.engine.fail_to_load(ModelUnreadable(OTHER_MODEL, "it ends too early."))
    window.open_model(MODEL)
    desk.engine.ready()
    assert window.notices == ()


def eject(desk: Desk) -> None:
    desk.window.eject_action.trigger()


def break_the_model(desk: Desk) -> None:
    desk.window.open_model(OTHER_MODEL)
    desk.engine.fail_to_load(ModelUnreadable(OTHER_MODEL, "it ends too early."))


@pytest.mark.parametrize("lose_the_model", [eject, break_the_model])
def test_a_prompt_that_nobody_can_answer_stays_and_the_way_out_is_shown(desk, lose_the_model):
    window = desk.open()
    desk.talk("Why?", "Because.")
    lose_the_model(desk)
    for notice in window.notices:
        notice.close_button.click()
    desk.send("And how?")
    assert window.composer.text == "And how?"
    (notice,) = window.notices
    notice.action_button.click()
    assert desk.asked == [window]


@pytest.mark.parametrize("lose_the_model", [eject, break_the_model])
def test_nobody_is_written_to_while_nobody_answers(desk, lose_the_model):
    window = desk.open()
    assert window.composer.field.placeholderText() == "Message Small"
    lose_the_model(desk)
    assert window.composer.field.placeholderText() == "Message"


def test_what_was_refused_is_forgotten_once_a_model_is_tried(desk):
    window = desk.open()
    window.open_model(Path("notes.txt"))
    eject(desk)
    desk.send("Why?")
    window.open_model(OTHER_MODEL)
    desk.engine.ready()
    assert window.notices == ()


def test_a_file_that_is_refused_does_not_cover_what_holds_of_the_model(desk):
    window = desk.open(ready=False)
    desk.models.load()
    desk.engine.ready(has_own_template=False, template_name="ChatML")
    window.open_model(Path("notes.txt"))
    assert len(window.notices) == 2


def test_a_choice_that_cannot_be_kept_is_said(desk):
    window = desk.open()
    desk.settings.path.unlink(missing_ok=True)
    desk.settings.path.mkdir()  # where nothing can be written in its place
    (desk.settings.path / "something").touch()
    window.streaming_switch.setChecked(False)
    (notice,) = window.notices
    assert str(desk.settings.path) in notice.text
    assert not window.streaming_switch.isChecked()


def test_notices_leave_room_for_the_conversation_in_the_smallest_window(desk):
    window = desk.open()
    desk.talk("Why?", "Because.")
    for name in ("one", "two", "three"):
        window.show_notice(f"{name}.txt is not a model file. " * 3, NoticeKind.WARNING, "Open a model file…")
    window.resize(360, 360)
    for _ in range(3):
        QApplication.processEvents()
    assert window.transcript.height() >= 40
    assert window.composer.geometry().bottom() <= window.composer.parentWidget().height()


def test_a_plain_template_is_named_in_the_window(desk):
    window = desk.open(ready=False)
    desk.models.load()
    desk.engine.ready(has_own_template=False, template_name="ChatML")
    (notice,) = window.notices
    assert "ChatML" in notice.text
    assert notice.kind is NoticeKind.INFORMATION


def test_a_model_can_be_ejected(desk):
    window = desk.open()
    window.eject_action.trigger()
    assert desk.engine.unloads == 1
    assert window.model_picker.words == "No model"
    assert not window.eject_action.isEnabled()


def test_a_model_is_chosen_from_the_menu(desk, tmp_path):
    known = tmp_path / "known.gguf"
    known.touch()
    desk.settings.save(replace(desk.settings.current, recent_models=(str(known),)))
    window = desk.open()
    window.model_picker.menu().actions()[0].trigger()
    assert desk.engine.loads[-1].path == known


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


def test_the_streaming_switch_is_remembered_and_so_is_its_menu(desk):
    window = desk.open()
    window.streaming_switch.setChecked(False)
    assert not window.streaming_action.isChecked()
    assert not SettingsFile(desk.settings.path).load().streaming
    window.streaming_action.trigger()
    assert window.streaming_switch.isChecked()


def test_the_switch_says_what_it_does(desk):
    window = desk.open()
    assert "whole at its end" in window.streaming_switch.toolTip()
    assert window.streaming_switch.accessibleName() == "Streaming"


def test_colours_are_chosen_in_the_menu_and_remembered(desk, qapp):
    window = desk.open()
    window.scheme_actions[ColourScheme.DARK].trigger()
    assert desk.themes.current == load_theme("dark")
    assert desk.settings.current.colour_scheme is ColourScheme.DARK
    assert window.grab().toImage().pixelColor(5, 300) == load_theme("dark").background
    window.scheme_actions[ColourScheme.SYSTEM].trigger()
    assert desk.themes.current == load_theme("light")


def test_the_sidebar_folds_and_comes_back(desk):
    window = desk.open()
    assert window.conversation_list.isVisible()
    assert not window.unfold_button.isVisible()
    window.sidebar_action.trigger()
    assert not window.conversation_list.isVisible()
    assert window.unfold_button.isVisible()
    assert window.new_button.isVisible()
    desk.qtbot.mouseClick(window.unfold_button, Qt.MouseButton.LeftButton)
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


@pytest.mark.parametrize("size", [(360, 360), (400, 600), (699, 500), (700, 500), (2560, 1400)])
def test_the_window_takes_every_size_it_is_given(desk, size):
    window = desk.open()
    window.show_notice("a sentence " * 30, NoticeKind.ERROR, "Do something")
    window.resize(*size)
    QApplication.processEvents()
    assert (window.width(), window.height()) == size


def test_place_and_size_are_as_they_were_left(desk):
    window = desk.open()
    window.resize(780, 633)
    window._splitter.setSizes([333, 446])
    window.sidebar_action.trigger()
    window.sidebar_action.trigger()
    window.close()
    kept = SettingsFile(desk.settings.path).load()
    assert kept.sidebar_shown
    assert kept.sidebar_width == 333
    again = desk.open_another()
    again.show()
    assert (again.width(), again.height()) == (780, 633)
    assert again._splitter.sizes()[0] == 333


def test_a_folded_sidebar_stays_folded_at_the_next_start(desk):
    window = desk.open()
    window.sidebar_action.trigger()
    window.close()
    again = desk.open_another()
    again.show()
    assert not again.conversation_list.isVisible()


def test_the_first_window_fits_on_the_screen(desk):
    desk.models.load()
    window = desk.open_another()
    room = window.screen().availableSize()
    assert window.width() < room.width()
    assert window.height() < room.height()


@pytest.mark.parametrize("geometry", ["not base64 at all!", "AAAA", "é"])
def test_a_damaged_geometry_is_no_reason_not_to_open(desk, geometry):
    desk.settings.save(replace(desk.settings.current, window_geometry=geometry))
    assert desk.open().isVisible()


def test_closing_is_told_once(desk):
    window = desk.open()
    with desk.qtbot.waitSignal(window.closing):
        window.close()


# Notices


def test_the_same_thing_is_not_said_twice(desk):
    window = desk.open()
    first = window.show_notice("The disk is full.", NoticeKind.ERROR)
    assert window.show_notice("The disk is full.", NoticeKind.ERROR) is first
    assert len(window.notices) == 1


def test_notices_do_not_fill_the_window(desk):
    window = desk.open()
    for number in range(6):
        window.show_notice(f"notice {number}")
    assert [notice.text for notice in window.notices] == ["notice 3", "notice 4", "notice 5"]


def test_a_notice_can_be_put_away(desk):
    window = desk.open()
    notice = window.show_notice("The disk is full.", NoticeKind.ERROR)
    assert window._notice_stack.isVisible()
    desk.qtbot.mouseClick(notice.close_button, Qt.MouseButton.LeftButton)
    assert window.notices == ()
    assert not window._notice_stack.isVisible()


def test_what_a_session_or_the_library_could_not_do_is_said(desk):
    window = desk.open()
    window.session.failed.emit("The disk is full.")
    desk.library.failed.emit("The file is locked.")
    assert [notice.text for notice in window.notices] == ["The disk is full.", "The file is locked."]


def test_settings_that_were_damaged_are_said_at_the_start(desk):
    desk.settings.path.write_text("not = [toml")
    desk.settings.load()
    window = desk.open()
    assert "settings file was damaged" in window.notices[0].text


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
        window.model_picker,
        window.streaming_switch,
        desk.insights.inspector_button,
        desk.insights.lab_button,
        window.transcript,
        window.composer.attachment_row.chips[0].cross,
        window.composer.attachment_row.chips[1].cross,
        window.composer.field,
        window.composer.attach_button,
        desk.insights.compare_button,
        window.composer.button,
        window.speed_bar.context,
    ]
    assert [widget for widget in seen if widget in wanted][: len(wanted)] == wanted


def test_tab_comes_by_the_examples_on_its_way_to_the_prompt(desk):
    window = desk.open()
    seen = []
    window.streaming_switch.setFocus(Qt.FocusReason.TabFocusReason)
    for _ in range(9):
        widget = window.focusWidget()
        assert widget is not None
        seen.append(widget)
        desk.qtbot.keyClick(widget, Qt.Key.Key_Tab)
    assert seen == [
        window.streaming_switch,
        desk.insights.inspector_button,
        desk.insights.lab_button,
        *window.empty_state.prompt_buttons,
        window.composer.field,
        window.composer.attach_button,
        desk.insights.compare_button,
    ]


def test_copy_takes_what_is_marked_where_one_is(desk, qapp):
    window = desk.open()
    desk.type("copied words")
    window.composer.field.selectAll()
    window.copy_action.trigger()
    assert qapp.clipboard().text() == "copied words"


def test_every_action_of_the_menus_does_something(desk):
    window = desk.open()
    for menu in (action.menu() for action in window.menuBar().actions()):
        assert menu is not None
        assert [action for action in menu.actions() if not action.isSeparator()]
    shortcuts = [
        action.shortcut().toString()
        for action in (window.new_action, window.open_action, window.quit_action, window.sidebar_action)
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


def test_the_choice_of_thinking_goes_along_and_is_kept(desk):
    window = desk.open()
    desk.models.choose(OTHER_MODEL)
    desk.engine.ready(has_thinking_switch=True)
    desk.talk("Why?", "Because.")
    window.composer.thinking_switch.click()
    desk.talk("Why?", "Because.")
    assert [request.thinking for request in desk.engine.requests] == [True, False]
    assert SettingsFile(desk.settings.path).load().thinking is False
    assert not desk.open_another().composer.thinking_switch.isChecked()


def test_reasoning_is_counted_above_the_answer_and_stays_folded(desk):
    window = desk.open()
    desk.send("Why?")
    desk.engine.think("Hm, ")
    desk.engine.think("water.")
    assert "Thinking, 2 tokens" in window.transcript.plain_text()
    assert "Hm, " not in window.transcript.plain_text()
    desk.engine.say("They erode.")
    assert "Thought for 0.1 s" in window.transcript.plain_text()
    desk.engine.finish()
    assert "Thought for 0.1 s" in window.transcript.plain_text()
    assert "They erode." in window.transcript.plain_text()


def test_a_prompt_that_is_too_long_is_mended_in_place(desk):
    window = desk.open()
    desk.talk("one", "1")
    desk.send("two")
    desk.engine.fail(PromptTooLong(5000, 4096, 2))
    window.transcript.offer_taken.emit(0)
    assert desk.engine.requests[-1].window_policy is WindowPolicy.DROP_OLDEST
    desk.engine.leave_out(0, 1)
    assert "2 older messages were not read" in window.transcript.plain_text()
    assert "does not fit" not in window.transcript.plain_text()
    desk.engine.say("2")
    desk.engine.finish()
    assert "2 older messages were not read" in window.transcript.plain_text()
    assert window.composer.window_meter.words.startswith("Oldest left out")


def test_a_policy_is_seen_and_changed_below_the_field_and_belongs_to_its_conversation(desk):
    window = desk.open()
    desk.talk("one", "1")
    window.composer.window_meter.policy_chosen.emit(WindowPolicy.DROP_OLDEST)
    assert "Oldest left out" in window.composer.window_meter.words
    window.new_action.trigger()
    assert "Oldest left out" not in window.composer.window_meter.words
    (conversation,) = desk.library.conversations()
    desk.library.open(conversation.id)
    assert "Oldest left out" in window.composer.window_meter.words


def test_a_draft_is_counted_while_it_is_typed(desk):
    window = desk.open()
    desk.type("Why?")
    desk.qtbot.waitUntil(lambda: desk.counter.asked != [])
    model, _, draft = desk.counter.asked[-1]
    desk.draft_count.on_counted(TokenCount(model, draft, 12, 6))
    assert window.composer.window_meter.words == "12 + 6 of 4,096"
    desk.send("")
    assert window.composer.window_meter.words == ""


# Servers

SERVER = RemoteModel("http://127.0.0.1:8080/v1", "big")


def connect(desk: Desk) -> None:
    desk.window.server_action.trigger()
    assert desk.window.server_panel is not None
    desk.window.server_panel.address_field.setText("127.0.0.1:8080")
    desk.window.server_panel.connect_button.click()
    desk.engine.offer(SERVER)  # its only model is taken, and asked about
    desk.engine.offer(SERVER, context_size=32_768)


def test_nothing_about_servers_is_made_before_it_is_wanted(desk):
    assert desk.open().server_panel is None


def test_a_servers_model_answers_once_it_is_chosen_and_is_remembered_without_a_key(desk):
    window = desk.open()
    desk.keys.use(SERVER.base_url, "secret")
    connect(desk)
    assert window.server_panel is not None
    assert not window.server_panel.isVisible()
    assert window.model_picker.words == "big"
    desk.talk("Why?", "Because.")
    assert desk.engine.requests[-1].model == SERVER
    assert window.speed_bar.device.words == "127.0.0.1:8080"
    assert "big at 127.0.0.1:8080" in window.model_picker.menu_texts
    assert SettingsFile(desk.settings.path).load().servers == (SERVER,)
    assert "secret" not in desk.settings.path.read_text()


def test_the_model_of_this_machine_is_one_choice_away(desk):
    window = desk.open()
    connect(desk)
    desk.models.choose(MODEL)
    desk.engine.ready(name="Small")
    assert window.model_picker.words == "Small"
    assert window.speed_bar.device.words == "CPU, 1 thread"


def test_a_server_that_is_gone_is_said_with_another_try(desk):
    window = desk.open()
    desk.models.choose(SERVER)
    desk.engine.fail_to_reach(SERVER, NothingListens(SERVER.base_url))
    (notice,) = window.notices
    assert "Nothing answers" in notice.text
    notice.action_button.click()
    assert desk.engine.loads[-2:] == [SERVER, SERVER]


def test_a_refused_key_leads_to_the_place_where_it_is_typed(desk):
    window = desk.open()
    desk.models.choose(SERVER)
    desk.engine.fail_to_reach(SERVER, KeyRefused(SERVER.base_url, 401, False))
    window.notices[0].action_button.click()
    assert window.server_panel is not None
    assert window.server_panel.isVisible()
    assert window.server_panel.address_field.text() == SERVER.base_url


def test_a_reply_that_a_server_broke_off_is_asked_for_again_in_place(desk):
    window = desk.open()
    connect(desk)
    desk.send("Why?")
    desk.engine.say("Be")
    desk.engine.fail(ServerBroke(SERVER.base_url, 500, ""))
    assert "Try again" in window.transcript.plain_text()
    window.transcript.offer_taken.emit(0)
    desk.engine.say("Because.")
    desk.engine.finish()
    assert "Try again" not in window.transcript.plain_text()
    assert window.transcript.plain_text().count("Why?") == 1


def test_a_reply_that_wanted_another_key_leads_there_and_asks_nothing(desk):
    window = desk.open()
    connect(desk)
    desk.send("Why?")
    desk.engine.fail(KeyRefused(SERVER.base_url, 401, True))
    count = len(desk.engine.requests)
    window.transcript.offer_taken.emit(0)
    assert window.server_panel is not None
    assert window.server_panel.isVisible()
    assert len(desk.engine.requests) == count


def test_escape_puts_the_panel_away_and_lets_a_reply_go_on(desk):
    window = desk.open()
    desk.send("Why?")
    window.server_action.trigger()
    panel = window.server_panel
    assert panel is not None
    panel.address_field.setFocus()
    desk.qtbot.keyClick(panel.address_field, Qt.Key.Key_Escape)
    assert not panel.isVisible()
    assert desk.engine.cancelled == []


def test_the_keyboard_goes_from_the_address_to_the_models(desk):
    window = desk.open()
    window.server_action.trigger()
    panel = window.server_panel
    assert panel is not None
    assert panel.address_field.hasFocus()
    panel.address_field.setText("127.0.0.1:8080")
    desk.qtbot.keyClick(panel.address_field, ENTER)
    desk.engine.offer(SERVER, "big", "other")
    assert panel.models.hasFocus()


def test_the_panel_follows_the_theme(desk):
    window = desk.open()
    window.server_action.trigger()
    desk.themes.set_scheme(ColourScheme.DARK)
    assert window.server_panel is not None
    assert window.server_panel._theme.is_dark


class Plain(QWidget):
    """A view, or a panel, with nothing in it."""

    closed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.themes: list[str] = []

    def set_theme(self, theme) -> None:
        self.themes.append(theme.name)


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


@pytest.mark.parametrize("says_something", [False, True])
def test_a_server_and_its_models_can_be_chosen_in_the_smallest_window(desk, says_something):
    window = desk.open()
    window.resize(360, 640)
    if says_something:
        window.show_notice("Nothing answers at 127.0.0.1:8080. Start the server there.", action="Try again")
    window.server_action.trigger()
    desk.servers.ask("127.0.0.1:8080")
    names = tuple(f"model-{number}" for number in range(12))
    desk.engine.offer(RemoteModel("http://127.0.0.1:8080/v1"), *names)
    desk.qtbot.waitUntil(window.server_panel.use_button.isVisible)
    QApplication.processEvents()
    panel = window.server_panel
    assert panel.use_button.visibleRegion().boundingRect().size() == panel.use_button.size()
    assert panel.models.height() >= 2 * 28
    assert window.composer.field.isVisible()


def test_figures_that_have_no_room_in_a_large_font_are_left_out(desk):
    window = desk.open()
    window.resize(1000, 700)
    assert window.speed_bar.device.isVisible()
    desk.settings.save(replace(desk.settings.current, font_size=20))
    assert not window.speed_bar.device.isVisible()
    shown = [figure for figure in window.speed_bar._all if figure.isVisible()]
    assert all(before.geometry().right() < after.geometry().left() for before, after in pairwise(shown))


def test_what_is_undone_by_a_notice_is_undone_by_the_key_too(desk):
    window = desk.open()
    desk.talk("Why?", "Because.")
    kept = window.session.conversation.id
    window.housekeeping._delete([kept])
    assert [conversation.id for conversation in desk.library.conversations()] == []
    window.conversation_list.view.setFocus()
    desk.qtbot.keyClick(window.conversation_list.view, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert [conversation.id for conversation in desk.library.conversations()] == [kept]
    window.session.delete_message(window.session.turns[-1].id)
    window.undo_action.trigger()
    assert [turn.message.content for turn in window.session.turns] == ["Why?", "Because."]
    window.undo_action.trigger()  # nothing is left to be undone


def test_undoing_in_the_prompt_undoes_what_was_typed_first(desk):
    window = desk.open()
    desk.talk("Why?", "Because.")
    window.session.delete_message(window.session.turns[-1].id)
    window.composer.field.setFocus()
    window.composer.field.clear()
    desk.type("And")
    while window.composer.field.document().isUndoAvailable():
        window.undo_action.trigger()
        assert len(window.session.turns) == 1
    window.undo_action.trigger()
    assert len(window.session.turns) == 2


def test_what_can_be_undone_is_not_pushed_out_by_what_is_only_said(desk):
    window = desk.open()
    desk.talk("Why?", "Because.")
    kept = window.session.conversation.id
    window.housekeeping._delete([kept])
    for number in range(5):
        window.show_notice(f"Something else, {number}.")
    assert window.notices[0].takes_back
    assert [notice.text for notice in window.notices[1:]] == ["Something else, 3.", "Something else, 4."]
    window.undo_action.trigger()
    assert [conversation.id for conversation in desk.library.conversations()] == [kept]


def test_of_one_link_at_a_time_is_asked(desk):
    window = desk.open()
    desk.talk("Why?", "See [one](https://one.example) and [two](https://two.example).")
    for address in ("https://one.example", "https://two.example", "https://two.example"):
        window.page.link_activated.emit(address)
    assert [notice.text for notice in window.notices] == ["The link leads to https://two.example"]


def test_what_is_typed_while_reading_goes_into_the_prompt(desk):
    window = desk.open()
    desk.talk("Why?", "Because.")
    window.transcript.setFocus()
    for letter in "And then":
        desk.qtbot.keyClicks(window.focusWidget(), letter)
    assert window.composer.field.hasFocus()
    assert window.composer.text == "And then"


def test_keys_that_mean_something_else_stay_what_they_are(desk):
    window = desk.open()
    desk.talk("Why?", "Because.")
    window.transcript.setFocus()
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_Return, Qt.Key.Key_Backspace):
        desk.qtbot.keyClick(window.transcript, key)
    desk.qtbot.keyClick(window.transcript, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert window.composer.text == ""
    assert window.transcript.hasFocus()
    window.views_actions[0].trigger()  # the preferences, where there is no prompt
    desk.qtbot.keyClicks(window, "lost")
    assert window.composer.text == ""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QApplication, QLabel, QVBoxLayout, QWidget
from shiboken6 import isValid

from desktop.file_reader import FileRead
from desktop.theme import load_theme
from desktop.turns import Attachment
from desktop.widgets.notice import NoticeKind
from desktop.widgets.notice_board import NoticeBoard

SENTENCES = (
    "The disk is full.",
    "notes.txt is not a model file. Headwater opens files that end in .gguf.",
    "a long sentence about a model file " * 8,
)


@pytest.fixture
def board(qtbot):
    """A board in a window of its own, with three notices that can be acted on."""
    window = QWidget()
    column = QVBoxLayout(window)
    made = NoticeBoard(load_theme("light"))
    made.set_room(2_000)
    column.addWidget(made)
    column.addStretch(1)
    qtbot.addWidget(window)
    window.resize(700, 900)
    window.show()
    for sentence in SENTENCES:
        made.show_notice(sentence, NoticeKind.ERROR, "Open a model file…")
    yield made
    window.close()


@pytest.mark.parametrize("width", [320, 360, 480, 520, 700, 1200])
@pytest.mark.parametrize("room", [60, 200, 2_000])
def test_no_line_of_a_notice_is_ever_cut(board, width, room):
    board.set_room(room)
    board.window().resize(width, 900)
    for _ in range(3):
        QApplication.processEvents()
    assert board.height() <= room
    for notice in board.notices:
        (label,) = notice.findChildren(QLabel)
        assert label.height() >= label.heightForWidth(label.width())


def test_it_is_as_high_as_its_notices_where_there_is_room(board):
    QApplication.processEvents()
    assert board.verticalScrollBar().maximum() == 0
    assert board.height() > sum(notice.height() for notice in board.notices)


def test_without_room_for_all_the_newest_notice_is_in_sight_and_the_others_are_scrolled_to(board):
    board.set_room(120)
    newest = board.show_notice("The file is locked.")
    QApplication.processEvents()
    assert not newest.visibleRegion().isEmpty()
    assert board.verticalScrollBar().maximum() > 0


def test_an_empty_board_takes_no_room(board):
    for notice in board.notices:
        board.put_away(notice)
    assert not board.isVisible()


def test_the_same_thing_is_not_said_twice(desk):
    window = desk.open()
    first = window.board.show_notice("The disk is full.", NoticeKind.ERROR)
    assert window.board.show_notice("The disk is full.", NoticeKind.ERROR) is first
    assert len(window.board.notices) == 1


def test_notices_do_not_fill_the_window(desk):
    window = desk.open()
    for number in range(6):
        window.board.show_notice(f"notice {number}")
    assert [notice.text for notice in window.board.notices] == ["notice 3", "notice 4", "notice 5"]


def test_a_notice_can_be_put_away(desk):
    window = desk.open()
    notice = window.board.show_notice("The disk is full.", NoticeKind.ERROR)
    assert window.board.isVisible()
    desk.qtbot.mouseClick(notice.close_button, Qt.MouseButton.LeftButton)
    assert window.board.notices == ()
    assert not window.board.isVisible()


def test_notices_leave_room_for_the_conversation_in_the_smallest_window(desk):
    window = desk.open()
    desk.talk("Why?", "Because.")
    for name in ("one", "two", "three"):
        window.board.show_notice(f"{name}.txt is not a model file. " * 3, NoticeKind.WARNING, "Open a model file…")
    window.resize(360, 360)
    for _ in range(3):
        QApplication.processEvents()
    assert window.page.transcript.height() >= 40
    assert window.composer.geometry().bottom() <= window.composer.parentWidget().height()


def test_what_can_be_undone_is_not_pushed_out_by_what_is_only_said(desk):
    window = desk.open()
    desk.talk("Why?", "Because.")
    kept = window.session.conversation.id
    window.housekeeping._delete([kept])
    for number in range(5):
        window.board.show_notice(f"Something else, {number}.")
    assert window.board.notices[0].takes_back
    assert [notice.text for notice in window.board.notices[1:]] == ["Something else, 3.", "Something else, 4."]
    window.editing.undo.trigger()
    assert [conversation.id for conversation in desk.library.conversations()] == [kept]


def test_what_is_said_of_a_conversation_stands_over_no_other_and_what_is_said_of_the_window_stays(desk):
    window = desk.open()
    desk.talk("Why?", "Because.")
    of_window = [
        window.board.show_notice("The model is gone.", NoticeKind.ERROR),
        window.board.show_notice("A conversation came in.", action="Show it", on_action=list),
    ]
    window.links.make("https://example.org/")
    of_conversation = window.board.notices[-1]
    window.new_action.trigger()
    assert list(window.board.notices) == of_window
    assert of_conversation not in window.board.notices


def test_a_file_that_is_refused_is_said_over_its_own_conversation_only(desk):
    window = desk.open()
    desk.talk("Why?", "Because.")
    first = window.session.conversation
    assert first is not None
    window.attaching.take([Path("a.png")])
    window.new_action.trigger()
    desk.drafts.on_read(FileRead(desk.reader.asked["a.png"], None, "a.png is a picture."))
    assert window.board.notices == ()
    desk.library.open(first.id)
    assert [notice.text for notice in window.board.notices] == ["a.png is a picture."]
    window.new_action.trigger()
    assert window.board.notices == ()


def test_that_a_conversation_went_on_elsewhere_is_said_over_that_one_only(desk):
    window = desk.open()
    desk.talk("Why?", "Because.")
    conversation = window.session.conversation
    assert conversation is not None
    turn = window.session.turns[0]
    desk.store.set_head(conversation.id, turn.id)
    desk.send("And?")
    (notice,) = window.board.notices
    assert "went on in another window" in notice.text
    desk.library.open(conversation.id)
    window.new_action.trigger()
    assert window.board.notices == ()


def test_what_goes_takes_nothing_along_that_the_keyboard_comes_to_after_it(desk):
    window = desk.open()
    desk.talk("Why?", "Because.")
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    stay = window.findChildren(QWidget)
    desk.drafts.add(Attachment("a.txt", "txt", 4, "text"))
    notice = window.board.show_notice("Said.", action="Undo")
    window.board.put_away(notice)
    desk.drafts.remove(desk.drafts.files[0].key)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert not isValid(notice)
    assert [type(widget) for widget in stay if not isValid(widget)] == []


def test_nobody_asks_for_the_next_widget_of_the_keyboards_way():
    """PySide takes what it answers for a child of what was asked, and has it die with that one."""
    sources = (Path(__file__).parents[2] / "desktop").rglob("*.py")
    assert [path.name for path in sources if "InFocusChain" in path.read_text("utf-8")] == []

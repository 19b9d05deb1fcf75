from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QApplication, QLabel, QVBoxLayout, QWidget

from desktop.theme import load_theme
from desktop.widgets.notice import Notice, NoticeKind, NoticeStack


@pytest.fixture
def notice(qtbot):
    def build(text="The disk is full.", *facts):
        made = Notice(load_theme("light"), text, *facts)
        qtbot.addWidget(made)
        made.resize(500, made.sizeHint().height())
        made.show()
        return made

    return build


def test_a_notice_says_its_sentence(notice):
    made = notice("The disk is full.", NoticeKind.ERROR)
    assert made.text == made.accessibleName() == "The disk is full."


def test_what_a_model_or_a_file_is_called_is_never_taken_for_markup(notice):
    made = notice("<b>evil</b>.gguf is not a model file.")
    assert made.text.startswith("<b>evil</b>")
    assert made.findChild(type(made._label)).textFormat() is Qt.TextFormat.PlainText


def test_without_an_action_there_is_no_button_for_one(notice):
    assert not notice().action_button.isVisible()


def test_the_action_is_handed_on(notice, qtbot):
    made = notice("No model.", NoticeKind.ERROR, "Open another…")
    with qtbot.waitSignal(made.action_chosen):
        qtbot.mouseClick(made.action_button, Qt.MouseButton.LeftButton)


def test_it_can_be_put_away_by_keyboard(notice, qtbot):
    made = notice()
    with qtbot.waitSignal(made.closed):
        qtbot.keyClick(made.close_button, Qt.Key.Key_Space)
    assert made.close_button.accessibleName()


def test_a_long_sentence_takes_more_lines_not_more_width(notice):
    made = notice("a long sentence about a model file " * 12)
    assert made.minimumSizeHint().width() < 300
    assert made.heightForWidth(300) > made.heightForWidth(900)


@pytest.mark.parametrize("kind", list(NoticeKind))
def test_each_kind_is_painted_in_both_themes(notice, kind):
    made = notice("Something happened.", kind)
    made.announce()
    light = made.grab().toImage()
    made.set_theme(load_theme("dark"))
    assert made.grab().toImage() != light


def test_in_a_narrow_window_the_action_stands_below_the_sentence(notice):
    made = notice("No model file is there any more.", NoticeKind.ERROR, "Open another…")
    QApplication.processEvents()
    assert made.action_button.x() > made._label.x()
    made.resize(360, made.heightForWidth(360))
    QApplication.processEvents()
    assert made.action_button.y() >= made._label.y() + made._label.height()


SENTENCES = (
    "The disk is full.",
    "notes.txt is not a model file. Headwater opens files that end in .gguf.",
    "a long sentence about a model file " * 8,
)


@pytest.fixture
def stack(qtbot):
    """A stack in a window of its own, with three notices that can be acted on."""
    window = QWidget()
    column = QVBoxLayout(window)
    made = NoticeStack(load_theme("light"), 680)
    made.set_room(2_000)
    column.addWidget(made)
    column.addStretch(1)
    qtbot.addWidget(window)
    window.resize(700, 900)
    window.show()
    for sentence in SENTENCES:
        made.add(Notice(load_theme("light"), sentence, NoticeKind.ERROR, "Open a model file…"))
    yield made
    window.close()


def notices_of(stack: NoticeStack) -> list[Notice]:
    return stack.findChildren(Notice)


@pytest.mark.parametrize("width", [320, 360, 480, 520, 700, 1200])
@pytest.mark.parametrize("room", [60, 200, 2_000])
def test_no_line_of_a_notice_is_ever_cut(stack, width, room):
    stack.set_room(room)
    stack.window().resize(width, 900)
    for _ in range(3):
        QApplication.processEvents()
    assert stack.height() <= room
    for notice in notices_of(stack):
        (label,) = notice.findChildren(QLabel)
        assert label.height() >= label.heightForWidth(label.width())


def test_a_stack_is_as_high_as_its_notices_where_there_is_room(stack):
    QApplication.processEvents()
    assert stack.verticalScrollBar().maximum() == 0
    assert stack.height() > sum(notice.height() for notice in notices_of(stack))


def test_without_room_for_all_the_newest_notice_is_in_sight_and_the_others_are_scrolled_to(stack):
    stack.set_room(120)
    newest = Notice(load_theme("light"), "The file is locked.")
    stack.add(newest)
    QApplication.processEvents()
    assert not newest.visibleRegion().isEmpty()
    assert stack.verticalScrollBar().maximum() > 0


def test_an_empty_stack_takes_no_room(stack):
    for notice in notices_of(stack):
        stack.remove(notice)
    assert not stack.isVisible()


def test_a_notice_is_put_away_after_a_while_unless_somebody_is_at_it(notice, qtbot):
    made = notice("Deleted.", NoticeKind.INFORMATION, "Undo")
    made.activateWindow()
    made.action_button.setFocus()
    qtbot.waitUntil(made.action_button.hasFocus)
    QApplication.sendEvent(made, QEvent(QEvent.Type.Leave))  # wherever the mouse is when the tests run
    made.put_away_after(0.01)
    with qtbot.assertNotEmitted(made.closed), qtbot.waitSignal(made._patience.timeout):
        pass
    with qtbot.waitSignal(made.closed):
        made.action_button.clearFocus()
    assert not made._patience.isActive()


def test_a_notice_says_that_it_is_gone_and_whether_it_was_answered(notice, qtbot):
    made = notice("Deleted.", NoticeKind.INFORMATION, "Undo")
    stack = NoticeStack(load_theme("light"), 500)
    qtbot.addWidget(stack)
    stack.add(made)
    assert not made.is_answered
    qtbot.mouseClick(made.action_button, Qt.MouseButton.LeftButton)
    assert made.is_answered
    with qtbot.waitSignal(made.gone):
        stack.remove(made)

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QApplication

from desktop.theme import load_theme
from desktop.widgets.buttons import PADDING
from desktop.widgets.notice import Notice, NoticeKind


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


def test_several_actions_stand_side_by_side_where_there_is_room_and_else_one_below_the_other(notice):
    made = notice("There is too little memory.", NoticeKind.ERROR, "Use a window of 4,096 tokens")
    buttons = [made.action_button, made.offer("Try again"), made.offer("Open another…")]
    for width, levels in ((700, 1), (300, 3)):
        made.resize(width, made.heightForWidth(width))
        QApplication.processEvents()
        made.resize(width, made.heightForWidth(width))
        QApplication.processEvents()
        assert len({button.y() for button in buttons}) == levels
        assert all(made.rect().contains(button.geometry()) for button in buttons)
        assert min(button.y() for button in buttons) >= made._label.y() + made._label.height()


@pytest.mark.parametrize("width", [300, 388, 480, 700])
@pytest.mark.parametrize("others", [(), ("Nochmal versuchen", "Andere öffnen…")])
def test_the_words_of_a_button_are_never_cut(notice, width, others):
    made = notice("Dafür ist zu wenig Speicher da.", NoticeKind.ERROR, "Ein Fenster von 4.096 Tokens nehmen")
    buttons = [made.action_button, *(made.offer(other) for other in others)]
    for button in buttons:
        button.setFont(QFont("Sans", 18))
    for room in (width, 900, width):  # narrower again, too
        for _ in range(3):
            made.resize(room, made.heightForWidth(room))
            QApplication.processEvents()
    for button in buttons:
        box = button.rect().adjusted(PADDING, 0, -PADDING, 0)
        metrics = QFontMetrics(button.font())
        words = metrics.boundingRect(box, Qt.TextFlag.TextWordWrap, button.text())
        assert words.width() <= box.width()
        assert words.height() <= max(button.height(), metrics.height())
        assert made.rect().contains(made.mapFromGlobal(button.mapToGlobal(button.rect().topLeft())))
        assert made.rect().contains(made.mapFromGlobal(button.mapToGlobal(button.rect().bottomRight())))
    assert made._label.height() >= made._label.heightForWidth(made._label.width())


def test_the_keyboard_comes_to_each_action_and_then_to_the_button_that_puts_it_away(notice, qtbot):
    made = notice("There is too little memory.", NoticeKind.ERROR, "Use a window of 4,096 tokens")
    order = [made.action_button, made.offer("Try again"), made.offer("Open another…"), made.close_button]
    made.activateWindow()
    order[0].setFocus()
    for stop in order:
        qtbot.waitUntil(stop.hasFocus)
        qtbot.keyClick(stop, Qt.Key.Key_Tab)

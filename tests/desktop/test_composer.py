from __future__ import annotations

from time import thread_time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QImage, QInputMethodEvent, QKeyEvent, QTextCursor
from PySide6.QtWidgets import QApplication

from desktop.draft_file import DraftFile
from desktop.settings import SendingKey
from desktop.theme import load_theme
from desktop.turns import Attachment
from desktop.widgets.composer import Composer
from desktop.widgets.prompt_field import LONG_TEXT, MOST_INSERTED, MOST_LINES
from desktop.window_use import WindowUse

ENTER = Qt.Key.Key_Return


@pytest.fixture
def composer(qtbot):
    composer = Composer(load_theme("light"))
    qtbot.addWidget(composer)
    composer.resize(500, composer.sizeHint().height())
    composer.show()
    composer.focus_field()
    return composer


def compose(composer: Composer, preedit: str, commit: str = "") -> None:
    event = QInputMethodEvent(preedit, [])
    event.setCommitString(commit)
    QApplication.sendEvent(composer.field, event)


def test_enter_submits_what_was_typed(composer, qtbot):
    qtbot.keyClicks(composer.field, "Why do rivers bend?")
    with qtbot.waitSignal(composer.submitted) as submitted:
        qtbot.keyClick(composer.field, ENTER)
    assert submitted.args == ["Why do rivers bend?"]


def test_what_was_submitted_stays_until_it_is_accepted(composer, qtbot):
    qtbot.keyClicks(composer.field, "Why?")
    qtbot.keyClick(composer.field, ENTER)
    assert composer.text == "Why?"
    composer.accept()
    assert composer.text == ""


def test_undo_brings_back_what_was_sent(composer, qtbot):
    qtbot.keyClicks(composer.field, "Why?")
    composer.accept()
    composer.field.undo()
    assert composer.text == "Why?"


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter])
def test_shift_and_enter_break_the_line(composer, qtbot, key):
    qtbot.keyClicks(composer.field, "one")
    with qtbot.assertNotEmitted(composer.submitted):
        qtbot.keyClick(composer.field, key, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(composer.field, "two")
    assert composer.text == "one\ntwo"


def test_enter_never_sends_while_an_input_method_composes(composer, qtbot):
    compose(composer, "に")
    with qtbot.assertNotEmitted(composer.submitted):
        QApplication.sendEvent(
            composer.field, QKeyEvent(QKeyEvent.Type.KeyPress, ENTER, Qt.KeyboardModifier.NoModifier, "\r")
        )
    assert composer.is_composing


def test_enter_sends_again_once_the_input_method_is_done(composer, qtbot):
    compose(composer, "に")
    compose(composer, "", commit="二")
    with qtbot.waitSignal(composer.submitted) as submitted:
        qtbot.keyClick(composer.field, ENTER)
    assert submitted.args == ["二"]


@pytest.mark.parametrize("text", ["", " ", "\n \t"])
def test_nothing_is_not_sent(composer, qtbot, text):
    composer.set_text(text)
    assert not composer.button.isEnabled()
    with qtbot.assertNotEmitted(composer.submitted):
        qtbot.keyClick(composer.field, ENTER)


def test_without_a_model_one_may_type_but_the_button_waits(composer, qtbot):
    composer.set_can_send(can_send=False)
    qtbot.keyClicks(composer.field, "Why?")
    assert not composer.button.isEnabled()
    assert (composer.button.toolTip(), composer._hint.text()) == (
        "No model is open that could answer",
        "No model is open",
    )
    composer.set_can_send(can_send=True)
    assert composer.button.isEnabled()
    assert composer._hint.text() == "Shift+Enter for a new line"


def test_the_button_sends(composer, qtbot):
    composer.set_text("Why?")
    with qtbot.waitSignal(composer.submitted):
        qtbot.mouseClick(composer.button, Qt.MouseButton.LeftButton)


def test_while_a_reply_is_written_the_button_stops_it(composer, qtbot):
    composer.set_text("the next question")
    composer.set_busy(busy=True)
    assert composer.button.text() == "Stop"
    with qtbot.waitSignal(composer.stop_wanted), qtbot.assertNotEmitted(composer.submitted):
        qtbot.mouseClick(composer.button, Qt.MouseButton.LeftButton)
    assert composer.text == "the next question"


def test_an_empty_field_can_still_stop(composer):
    composer.set_busy(busy=True)
    assert composer.button.isEnabled()
    composer.set_busy(busy=False)
    assert not composer.button.isEnabled()


def test_the_button_keeps_its_place_when_its_word_changes(composer):
    before = composer.button.geometry(), composer._hint.geometry()
    composer.set_busy(busy=True)
    QApplication.processEvents()
    assert (composer.button.geometry(), composer._hint.geometry()) == before


def test_a_narrow_composer_hides_its_hint_before_cutting_it(composer):
    assert composer._hint.fits
    composer.resize(220, composer.height())
    assert not composer._hint.fits


def test_the_field_grows_with_its_text_up_to_a_limit(composer):
    line = composer.field.height()
    composer.set_text("a\nb\nc")
    three = composer.field.height()
    composer.set_text("\n".join("x" * 3 for _ in range(MOST_LINES)))
    most = composer.field.height()
    composer.set_text("\n".join("x" * 3 for _ in range(50)))
    assert line < three < most == composer.field.height()
    assert composer.field.verticalScrollBarPolicy() is Qt.ScrollBarPolicy.ScrollBarAsNeeded


def test_in_a_low_window_it_shows_fewer_lines_and_as_many_as_before_in_a_high_one(composer):
    composer.set_text("\n".join("x" * 3 for _ in range(50)))
    most = composer.field.height()
    composer.set_room(400)
    assert composer.field.height() < most
    assert composer.field.verticalScrollBarPolicy() is Qt.ScrollBarPolicy.ScrollBarAsNeeded
    composer.set_room(1)
    assert composer.field.height() >= composer.field.fontMetrics().lineSpacing()
    composer.set_room(900)
    assert composer.field.height() == most


def test_a_long_line_is_wrapped_and_counts_as_many(composer):
    line = composer.field.height()
    composer.set_text("words that go on " * 12)
    assert composer.field.height() > line


def test_it_shrinks_when_the_text_was_sent(composer):
    line = composer.field.height()
    composer.set_text("a\nb\nc")
    composer.accept()
    assert composer.field.height() == line


def test_what_is_typed_is_told_but_what_is_shown_is_not(composer, qtbot):
    with qtbot.assertNotEmitted(composer.draft_changed):
        composer.set_text("a draft from yesterday")
    with qtbot.waitSignal(composer.draft_changed) as told:
        qtbot.keyClicks(composer.field, "!")
    assert told.args == ["a draft from yesterday!"]


def test_the_recipient_is_named(composer):
    composer.set_recipient("SmolLM2 135M")
    assert composer.field.placeholderText() == "Message SmolLM2 135M"


def test_a_long_name_is_cut_to_one_line(composer):
    composer.set_recipient("A-Model-With-A-Name-" * 20)
    assert composer.field.placeholderText().endswith("…")
    assert composer.field.fontMetrics().horizontalAdvance(composer.field.placeholderText()) < composer.width()


def test_a_dropped_file_is_left_to_the_window(composer):
    files = QMimeData()
    files.setUrls([QUrl.fromLocalFile("/models/a.gguf")])
    actions = Qt.DropAction.CopyAction
    event = QDragEnterEvent(
        QPointF(3, 3).toPoint(), actions, files, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    composer.field.dragEnterEvent(event)
    assert not event.isAccepted()


def test_dropped_words_are_taken(composer):
    words = QMimeData()
    words.setText("dropped")
    assert composer.field.canInsertFromMimeData(words)


def test_tab_leaves_the_field(composer):
    assert composer.field.tabChangesFocus()
    assert composer.field.accessibleName() == "Message"


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp"]), max_size=60))
def test_any_text_comes_out_as_it_went_in(composer, text):
    composer.set_text(text)
    expected = text.replace("\u00a0", " ")  # Qt's plain text writes the no-break space as a space
    assert composer.text == expected
    composer.accept()
    assert composer.text == ""


UNBROKEN = [
    "x" * 200_000,
    "iVBORw0KGgo/" * 16_000,
    ("y" * 4_900 + " ") * 40,
    "Look at this: data:image/png;base64," + "Zm9v" * 50_000 + " What is it?",
    "\n".join(["z" * 50_000] * 4),
]


@pytest.mark.parametrize("text", UNBROKEN, ids=range(len(UNBROKEN)))
def test_what_cannot_be_broken_into_lines_does_not_hold_up_the_window(composer, qtbot, text):
    composer.resize(680, composer.height())
    QApplication.clipboard().setText(text)
    began = thread_time()
    composer.field.paste()
    qtbot.keyClicks(composer.field, "!")
    assert composer.text == text + "!"
    composer.set_text("")
    composer.set_text(text)
    composer.set_text("")
    assert thread_time() - began < 0.7


def test_words_are_broken_between_again_once_such_a_text_is_gone(composer):
    between_words = composer.field.wordWrapMode()
    for leave in (composer.accept, lambda: composer.set_text("")):
        QApplication.clipboard().setText("x" * 2_000)
        composer.field.paste()
        assert composer.field.wordWrapMode() is not between_words
        leave()
        QApplication.clipboard().setText("a few words")
        composer.field.paste()
        assert composer.field.wordWrapMode() is between_words
        composer.set_text("")


def test_showing_another_draft_is_not_taken_for_typing(composer, qtbot):
    composer.set_text("x" * 2_000)
    with qtbot.assertNotEmitted(composer.draft_changed):
        composer.set_text("a few words")
    assert composer.text == "a few words"


@pytest.mark.parametrize("width", [240, 320, 359, 360, 500, 680])
@pytest.mark.parametrize("busy", [False, True])
def test_the_button_stands_at_the_right_in_any_width(composer, width, busy):
    composer.resize(width, composer.height())
    composer.set_busy(busy=busy)
    QApplication.processEvents()
    assert composer.button.geometry().right() == width - 8 - 1


def test_the_other_key_can_send_and_enter_begins_a_new_line_then(qtbot, composer):
    composer.set_sending_key(SendingKey.CTRL_ENTER)
    sent: list[str] = []
    composer.submitted.connect(sent.append)
    composer.field.setPlainText("one")
    composer.field.moveCursor(QTextCursor.MoveOperation.End)
    qtbot.keyClick(composer.field, Qt.Key.Key_Return)
    assert (sent, composer.text) == ([], "one\n")
    qtbot.keyClick(composer.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert sent == ["one\n"]
    assert composer.button.toolTip() == "Send (Ctrl+Enter)"


def test_with_enter_as_the_sending_key_ctrl_enter_begins_a_new_line(qtbot, composer):
    sent: list[str] = []
    composer.submitted.connect(sent.append)
    composer.field.setPlainText("one")
    composer.field.moveCursor(QTextCursor.MoveOperation.End)
    qtbot.keyClick(composer.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert (sent, composer.text) == ([], "one\n")


# Files

TABLE = DraftFile(1, "bends.csv", Attachment("bends.csv", "csv", 8, "x,y"))
UNREAD = DraftFile(2, "notes.pdf")


def paste(composer: Composer, data: QMimeData) -> None:
    QApplication.clipboard().setMimeData(data)
    composer.field.paste()


def test_pasted_files_are_handed_on_and_not_typed(composer, qtbot):
    files = QMimeData()
    files.setUrls([QUrl.fromLocalFile("/a/one.csv"), QUrl.fromLocalFile("/a/two.pdf")])
    files.setText("/a/one.csv /a/two.pdf")  # as file managers do
    with qtbot.waitSignal(composer.files_given) as given:
        paste(composer, files)
    assert [path.name for path in given.args[0]] == ["one.csv", "two.pdf"]
    assert composer.text == ""


def test_an_address_of_the_web_is_typed(composer, qtbot):
    link = QMimeData()
    link.setUrls([QUrl("https://example.org/a")])
    link.setText("https://example.org/a")
    with qtbot.assertNotEmitted(composer.files_given):
        paste(composer, link)
    assert composer.text == "https://example.org/a"


def test_a_pasted_picture_is_said_to_be_one_but_words_beside_it_are_taken(composer, qtbot):
    picture = QMimeData()
    picture.setImageData(QImage(2, 2, QImage.Format.Format_RGB32))
    with qtbot.waitSignal(composer.picture_given):
        paste(composer, picture)
    both = QMimeData()
    both.setImageData(QImage(2, 2, QImage.Format.Format_RGB32))
    both.setText("words")
    with qtbot.assertNotEmitted(composer.picture_given):
        paste(composer, both)
    assert composer.text == "words"


def test_files_alone_can_be_sent(composer, qtbot):
    composer.show_files([TABLE])
    assert composer.button.isEnabled()
    with qtbot.waitSignal(composer.submitted) as submitted:
        qtbot.keyClick(composer.field, ENTER)
    assert submitted.args == [""]


def test_nothing_is_sent_before_every_file_is_read(composer, qtbot):
    qtbot.keyClicks(composer.field, "What is this?")
    composer.show_files([TABLE, UNREAD])
    assert not composer.button.isEnabled()
    with qtbot.assertNotEmitted(composer.submitted):
        qtbot.keyClick(composer.field, ENTER)
    composer.show_files([TABLE])
    assert composer.button.isEnabled()


def test_the_button_for_files_is_there_only_where_somebody_takes_them(composer, qtbot):
    composer.offer_attaching(offered=False)
    assert composer.attach_button.isHidden()
    composer.offer_attaching(offered=True)
    with qtbot.waitSignal(composer.attach_wanted):
        qtbot.mouseClick(composer.attach_button, Qt.MouseButton.LeftButton)


def test_what_will_not_fit_is_marked_and_said(composer):
    other = DraftFile(3, "long.txt", Attachment("long.txt", "txt", 9_000, "x"))
    composer.show_files([TABLE, other])
    composer.show_use(WindowUse(3_000, 2_110, 4_096, (90, 2_000)))
    assert [chip.fits for chip in composer.attachment_row.chips] == [True, False]
    assert composer._warning.isVisible()
    assert "5,110 tokens with these files; the window holds 4,096" in composer._warning.text()
    composer.show_use(WindowUse(3_000, 2_110, 4_096, (90, 2_000), left_out=4))
    assert [chip.fits for chip in composer.attachment_row.chips] == [True, True]
    assert not composer._warning.isVisible()
    composer.show_use(WindowUse(3_000, 2_110, 4_096, (90, 2_000), enough=False))
    assert composer._warning.isVisible()


def test_a_count_of_other_files_marks_none(composer):
    composer.show_files([TABLE])
    composer.show_use(WindowUse(5_000, 10, 4_096))
    assert composer.attachment_row.chips[0].fits
    assert not composer._warning.isVisible()


LONG = [("x " * (LONG_TEXT // 2 + 1)), "\n".join("line" for _ in range(41))]


@pytest.mark.parametrize("text", LONG, ids=["characters", "lines"])
def test_a_long_paste_can_become_a_file_instead(composer, qtbot, text):
    qtbot.keyClicks(composer.field, "Read this: ")
    QApplication.clipboard().setText(text)
    composer.field.paste()
    qtbot.keyClicks(composer.field, " Well?")
    assert composer.paste_offer is not None
    with qtbot.waitSignal(composer.text_given) as given:
        qtbot.mouseClick(composer.paste_offer.action_button, Qt.MouseButton.LeftButton)
    assert given.args == [text]
    assert composer.text == "Read this:  Well?"
    assert composer.paste_offer is None


def test_a_short_paste_stays_what_it_is(composer):
    QApplication.clipboard().setText("\n".join("line" for _ in range(40)))
    composer.field.paste()
    assert composer.paste_offer is None


@pytest.mark.parametrize("leave", ["accept", "set_text", "undo", "close", "delete"])
def test_the_offer_goes_with_what_it_is_about(composer, qtbot, leave):
    QApplication.clipboard().setText("x " * LONG_TEXT)
    composer.field.paste()
    offer = composer.paste_offer
    match leave:
        case "accept":
            composer.accept()
        case "set_text":
            composer.set_text("another draft")
        case "undo":
            composer.field.undo()
        case "close":
            qtbot.mouseClick(offer.close_button, Qt.MouseButton.LeftButton)
            assert composer.text == "x " * LONG_TEXT
        case _:
            composer.field.selectAll()
            qtbot.keyClick(composer.field, Qt.Key.Key_Delete)
    assert composer.paste_offer is None


def test_where_nobody_takes_files_nothing_is_offered(composer):
    composer.offer_attaching(offered=False)
    QApplication.clipboard().setText("x " * LONG_TEXT)
    composer.field.paste()
    assert composer.paste_offer is None


def test_what_would_hold_up_the_window_becomes_a_file_at_once(composer, qtbot):
    text = "word " * (MOST_INSERTED // 5 + 1)
    QApplication.clipboard().setText(text)
    with qtbot.waitSignal(composer.text_given) as given:
        composer.field.paste()
    assert given.args == [text]
    assert composer.text == ""

"""Files come by button, paste and drop, are shown with their tokens, and go along with the prompt."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QApplication

from desktop.file_reader import FileRead
from desktop.turns import Attachment
from tests.desktop.desk import ENTER, Desk
from tests.desktop.fakes import OTHER_MODEL

TABLE = Attachment("bends.csv", "csv", 8, "x,y\n1,2\n")
NOTES = Attachment("notes.md", "md", 5, "words")


def drop(desk: Desk, *names: str) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(name) for name in names])
    event = QDropEvent(
        QPointF(5, 5), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    desk.window.dropEvent(event)


def was_read(desk: Desk, attachment: Attachment) -> None:
    desk.drafts.on_read(FileRead(desk.reader.asked[attachment.name], attachment))


def chips(desk: Desk) -> list[str]:
    return [chip.file.name for chip in desk.window.composer.attachment_row.chips]


def test_dropped_files_go_along_with_the_prompt_and_are_gone_from_the_draft(desk):
    desk.open()
    drop(desk, "/a/bends.csv", "/a/notes.md")
    was_read(desk, TABLE)
    was_read(desk, NOTES)
    desk.send("What is y?")
    (message,) = desk.engine.requests[0].messages
    assert message.content.startswith("Attached: bends.csv\n```csv\nx,y\n1,2\n```\n\nAttached: notes.md")
    assert message.content.endswith("What is y?")
    assert desk.window.session.turns[0].attachments == (TABLE, NOTES)
    assert chips(desk) == []
    assert desk.window.composer.text == ""


def test_a_model_among_dropped_files_is_opened_and_the_others_go_along(desk):
    desk.open()
    drop(desk, "/a/bends.csv", str(OTHER_MODEL))
    assert chips(desk) == ["bends.csv"]
    assert desk.engine.loads[-1].path == OTHER_MODEL


def test_what_could_not_be_sent_stays(desk):
    desk.open()
    desk.drafts.add(TABLE)
    desk.models.eject()
    desk.send("Why?")
    assert desk.engine.requests == []
    assert chips(desk) == ["bends.csv"]
    assert desk.window.composer.text == "Why?"


def test_files_wait_in_their_conversation(desk):
    desk.open()
    desk.talk("Why?", "Because.")
    desk.drafts.add(TABLE)
    desk.window.new_action.trigger()
    assert chips(desk) == []
    desk.library.open(desk.library.conversations()[0].id)
    assert chips(desk) == ["bends.csv"]


def test_refused_files_are_named_in_one_notice(desk):
    desk.open()
    drop(desk, "/a/a.png", "/a/b.png")
    for name in ("a.png", "b.png"):
        desk.drafts.on_read(FileRead(desk.reader.asked[name], None, f"{name} is a picture."))
    assert [notice.text for notice in desk.window.board.notices] == ["a.png is a picture.\nb.png is a picture."]
    assert chips(desk) == []


def test_tokens_are_shown_before_it_is_sent(desk, qtbot):
    desk.open()
    desk.drafts.add(TABLE)
    qtbot.waitUntil(lambda: desk.counter.asked != [])
    desk.draft_count.on_counted(desk.counter.counted(0, 40, (31,)))
    assert desk.window.composer.attachment_row.chips[0].details == "8 bytes · 31 tokens"
    assert desk.window.composer.window_meter.words == "0 + 40 of 4,096"


def test_a_chip_is_removed_with_its_cross(desk, qtbot):
    desk.open()
    desk.drafts.add(TABLE)
    qtbot.mouseClick(desk.window.composer.attachment_row.chips[0].cross, Qt.MouseButton.LeftButton)
    assert desk.drafts.attachments == ()
    assert chips(desk) == []


def test_pasted_texts_have_names_of_their_own(desk, qtbot):
    desk.open()
    for text in ("one ", "two "):
        QApplication.clipboard().setText(text * 1_000)
        desk.window.composer.field.paste()
        offer = desk.window.composer.paste_offer
        assert offer is not None
        qtbot.mouseClick(offer.action_button, Qt.MouseButton.LeftButton)
    assert chips(desk) == ["Pasted text", "Pasted text 2"]
    assert desk.window.composer.text == ""
    assert desk.window.session.draft.text == ""


def test_a_picture_is_refused_in_words(desk):
    desk.open()
    desk.window.composer.picture_given.emit()
    assert [notice.text for notice in desk.window.board.notices] == [
        "A picture cannot go along; only text can be read."
    ]


@pytest.mark.parametrize("typed", ["", "What is y?"])
def test_enter_sends_them_with_or_without_words(desk, qtbot, typed):
    desk.open()
    desk.drafts.add(TABLE)
    desk.type(typed)
    qtbot.keyClick(desk.window.composer.field, ENTER)
    assert len(desk.engine.requests) == 1
    assert desk.library.conversations()[0].title == (typed or "bends.csv")


@pytest.mark.parametrize(
    ("size", "points"), [((420, 400), 10), ((1000, 400), 10), ((1000, 400), 13), ((1000, 700), 18), ((420, 720), 13)]
)
def test_however_low_the_window_is_nothing_of_the_composer_lies_over_another(desk, size, points):
    window = desk.open()
    desk.settings.save(replace(desk.settings.current, font_size=points))
    window.resize(*size)
    for attachment in (TABLE, NOTES):
        desk.drafts.add(attachment)
    window.board.show_notice("small.png is a picture; only text can be read.")
    window.composer.set_text("line\n" * 14)
    if size[1] > 600:
        window.opening.server_action.trigger()  # a panel takes room, too
    for _ in range(6):
        QApplication.processEvents()
    composer = window.composer
    assert composer.attachment_row.geometry().bottom() < composer.field.geometry().top()
    for below in (composer.attach_button, composer.button):
        assert composer.field.geometry().bottom() < below.geometry().top()
        assert below.geometry().bottom() < composer.height()
    assert window.rect().contains(composer.geometry().translated(composer.parentWidget().mapTo(window, QPoint())))

"""Conversations on their way with the mouse: their ids for us, files for others, written when they are asked for."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QUrl

from desktop.library import FileFormat
from desktop.theme import load_theme
from desktop.widgets.conversation_drag import CONVERSATIONS, ConversationMime, conversations_in, picture_of


class Maker:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.asked: list[tuple[tuple[int, ...], FileFormat]] = []

    def __call__(self, conversations, kind: FileFormat) -> list[Path]:
        self.asked.append((tuple(conversations), kind))
        return [self.folder / f"{number} a title.md" for number in conversations]


@pytest.fixture
def maker(tmp_path):
    return Maker(tmp_path)


def test_the_ids_are_there_without_a_file_being_written(qapp, maker):
    assert conversations_in(ConversationMime((3, -1), maker)) == (3, -1)
    assert maker.asked == []


def test_another_program_gets_files_which_are_written_once(qapp, maker, tmp_path):
    mime = ConversationMime((3, 4), maker)
    assert mime.hasUrls()
    assert maker.asked == []
    files = [QUrl.fromLocalFile(str(tmp_path / f"{number} a title.md")) for number in (3, 4)]
    assert mime.urls() == files == mime.urls()
    assert b"3%20a%20title.md" in bytes(mime.data("text/uri-list").data())
    assert maker.asked == [((3, 4), FileFormat.MARKDOWN)]


def test_without_somebody_who_writes_them_there_are_no_files(qapp):
    assert not ConversationMime((3,), None).hasUrls()


def test_what_else_is_dragged_is_no_conversation(qapp):
    other = QMimeData()
    other.setText("3 4")
    assert conversations_in(other) == ()


@pytest.mark.parametrize("words", [b"three", b"3 \xff", b"9" * 5_000, b"3;4", b"1_0"])
def test_what_another_program_makes_up_is_no_conversation(qapp, words):
    made_up = QMimeData()
    made_up.setData(CONVERSATIONS, words)
    assert conversations_in(made_up) == ()


@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_what_hangs_at_the_mouse_is_as_wide_as_its_words_as_far_as_there_is_room(qapp, ratio):
    theme = load_theme("light")
    short, long, longer = (picture_of("word " * count, theme, ratio) for count in (2, 100, 200))
    assert short.width() < long.width() == longer.width() == 240 * ratio
    assert {picture.devicePixelRatio() for picture in (short, long)} == {ratio}
    assert short.toImage().pixelColor(short.rect().center().x(), 3) == theme.bubble

"""Chips tell of each file what is known, in any width, and every one can be removed by mouse and by keyboard."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from desktop.draft_file import DraftFile
from desktop.theme import load_theme
from desktop.turns import Attachment
from desktop.widgets.attachment_row import MOST_ROWS, AttachmentRow, Fit


def file(key: int, name: str = "", size: int = 1_204) -> DraftFile:
    name = name or f"file-{key}.txt"
    return DraftFile(key, name, Attachment(name, "txt", size, "text"))


@pytest.fixture
def row(qtbot):
    row = AttachmentRow(load_theme("light"))
    qtbot.addWidget(row)
    row.resize(500, 10)
    return row


def show(row: AttachmentRow, *files: DraftFile) -> None:
    row.show_files(files)
    row.show()
    row.activateWindow()
    QApplication.processEvents()


def test_without_files_there_is_no_row(row):
    row.show_files([])
    assert row.isHidden()
    row.show_files([file(1)])
    assert not row.isHidden()


def test_a_chip_says_name_size_and_tokens_as_far_as_they_are_known(row):
    show(row, DraftFile(1, "slow.pdf"), file(2, "bends.csv"))
    assert [chip.details for chip in row.chips] == ["reading…", "1.2 kB"]
    row.show_fit(Fit((412,), 1))
    assert [chip.details for chip in row.chips] == ["reading…", "1.2 kB · 412 tokens"]
    assert row.chips[1].cross.accessibleName() == "Remove bends.csv, 1.2 kB · 412 tokens"


@pytest.mark.parametrize(
    ("size", "words"),
    [(0, "0 bytes"), (999, "999 bytes"), (45_678, "45.7 kB"), (999_499, "999 kB"), (1_250_000, "1.2 MB")],
)
def test_sizes_have_digits_that_mean_something(row, size, words):
    show(row, file(1, size=size))
    assert row.chips[0].details == words


def test_what_does_not_fit_says_so(row):
    show(row, file(1), file(2), file(3))
    row.show_fit(Fit((5, 6, 7), 1))
    assert [chip.fits for chip in row.chips] == [True, False, False]
    assert "does not fit" in row.chips[1].cross.accessibleName()
    row.show_fit(None)
    assert all(chip.fits for chip in row.chips)


def test_other_files_are_not_shown_with_the_tokens_of_those_before(row):
    show(row, file(1))
    row.show_fit(Fit((5,), 0))
    row.show_files([file(2)])
    assert row.chips[0].details == "1.2 kB"
    assert row.chips[0].fits


def test_a_click_on_the_cross_removes(row, qtbot):
    show(row, file(1), file(2))
    with qtbot.waitSignal(row.removed) as removed:
        qtbot.mouseClick(row.chips[1].cross, Qt.MouseButton.LeftButton)
    assert removed.args == [2]


@pytest.mark.parametrize("key", [Qt.Key.Key_Delete, Qt.Key.Key_Backspace, Qt.Key.Key_Space])
def test_so_do_keys(row, qtbot, key):
    show(row, file(1), file(2))
    row.chips[0].cross.setFocus()
    with qtbot.waitSignal(row.removed) as removed:
        qtbot.keyClick(row.chips[0].cross, key)
    assert removed.args == [1]


def test_arrow_keys_go_from_one_to_the_next(row, qtbot):
    show(row, file(1), file(2))
    row.chips[0].cross.setFocus()
    qtbot.keyClick(row.chips[0].cross, Qt.Key.Key_Right)
    assert row.chips[1].has_focus
    qtbot.keyClick(row.chips[1].cross, Qt.Key.Key_Right)
    assert row.chips[1].has_focus
    qtbot.keyClick(row.chips[1].cross, Qt.Key.Key_Up)
    assert row.chips[0].has_focus


def test_the_focus_goes_on_to_the_next_and_at_last_leaves(row, qtbot):
    show(row, file(1), file(2), file(3))
    row.chips[1].cross.setFocus()
    row.show_files([file(1), file(3)])
    assert row.chips[1].has_focus
    row.show_files([file(1)])
    assert row.chips[0].has_focus
    with qtbot.waitSignal(row.left):
        row.show_files([])


@pytest.mark.parametrize("width", [60, 240, 340, 700])
@pytest.mark.parametrize("direction", [Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft])
def test_chips_stand_in_rows_within_the_width_and_do_not_overlap(row, width, direction):
    row.setLayoutDirection(direction)
    row.resize(width, 10)
    show(row, *(file(n, "a name that is rather long " * (n % 3 + 1)) for n in range(7)))
    row.resize(width, row.height())
    places = [chip.geometry() for chip in row.chips]
    assert all(place.left() >= 0 and place.right() < width for place in places)
    assert not any(one.intersects(other) for n, one in enumerate(places) for other in places[:n])


def test_many_chips_scroll_and_the_one_with_the_focus_is_in_sight(row, qtbot):
    show(row, *(file(n) for n in range(30)))
    assert row.height() == MOST_ROWS * 36 - 4
    last = row.chips[-1]
    last.cross.setFocus()
    assert row.viewport().rect().contains(last.mapTo(row.viewport(), last.rect().center()))

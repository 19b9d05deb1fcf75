"""Parts beside each other, in as many lines as they need."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication, QWidget

from desktop.widgets.flow import Flow
from tests.desktop.looks import from_right_to_left


class Part(QWidget):
    def __init__(self, width: int, height: int = 32) -> None:
        super().__init__()
        self._size = QSize(width, height)

    def sizeHint(self) -> QSize:
        return self._size

    def minimumSizeHint(self) -> QSize:
        return QSize(min(60, self._size.width()), self._size.height())


def laid_out(qtbot, width: int, *parts: Part, wide: Part | None = None) -> list[tuple[int, int, int]]:
    """Where each part begins, and how wide it is."""
    page = QWidget()
    flow = Flow(page, wide=wide, least=100)
    for part in parts:
        flow.addWidget(part)
    qtbot.addWidget(page)
    page.resize(width, max(1, flow.heightForWidth(width)))
    page.show()
    QApplication.processEvents()
    return [(part.x(), part.y(), part.width()) for part in parts]


def test_what_has_room_stands_in_one_line(qtbot):
    assert laid_out(qtbot, 300, Part(100), Part(120)) == [(0, 0, 100), (108, 0, 120)]


def test_what_has_none_goes_on_in_the_next(qtbot):
    assert laid_out(qtbot, 200, Part(100), Part(120), Part(60)) == [(0, 0, 100), (0, 40, 120), (128, 40, 60)]


def test_a_part_that_is_wider_than_a_line_is_as_wide_as_it(qtbot):
    assert laid_out(qtbot, 80, Part(100), Part(50)) == [(0, 0, 80), (0, 40, 50)]


def test_one_takes_the_room_that_is_left_in_its_line(qtbot):
    for width, places in ((300, [(0, 0, 192), (200, 0, 100)]), (150, [(0, 0, 150), (0, 40, 100)])):
        field, button = Part(500), Part(100)
        assert laid_out(qtbot, width, field, button, wide=field) == places


def test_parts_of_a_line_stand_in_its_middle(qtbot):
    assert [top for _, top, _ in laid_out(qtbot, 300, Part(50, 40), Part(50, 20))] == [0, 10]


def test_from_right_to_left_it_begins_at_the_right(qtbot):
    with from_right_to_left():
        assert laid_out(qtbot, 300, Part(100), Part(120)) == [(200, 0, 100), (72, 0, 120)]


@pytest.mark.parametrize("width", [0, 1, 1000])
def test_what_is_hidden_takes_no_room(qtbot, width):
    page, part = QWidget(), Part(100)
    flow = Flow(page)
    flow.addWidget(part)
    part.hide()
    assert flow.heightForWidth(width) == 0
    assert flow.sizeHint() == QSize(0, 0)
    qtbot.addWidget(page)

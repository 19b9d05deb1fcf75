"""A table that is read, walked through and copied."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from desktop.theme import load_theme
from desktop.widgets.data_table import DataTable
from inference import experiments


@pytest.fixture
def table(qtbot):
    table = DataTable(load_theme("light"), "Every token")
    qtbot.addWidget(table)
    table.show_table(experiments.Table("Runs", ("run", "seconds"), ((1, 0.123456), (2, None))))
    table.show()
    return table


def test_cells_are_texts_with_numbers_at_the_right(table):
    model = table.model()
    assert [model.index(0, column).data() for column in (0, 1)] == ["1", "0.1235"]
    assert model.index(1, 1).data() == ""
    assert model.index(0, 1).data(Qt.ItemDataRole.TextAlignmentRole) & Qt.AlignmentFlag.AlignRight
    assert model.headerData(1, Qt.Orientation.Horizontal) == "seconds"
    assert table.accessibleName() == "Runs"


def test_all_of_it_is_copied_or_the_rows_that_are_selected(qtbot, table):
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "run\tseconds\n1\t0.1235\n2\t"
    table.selectRow(1)
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "run\tseconds\n2\t"


def test_tab_leaves_the_table(table):
    assert not table.tabKeyNavigation()


def test_where_it_is_narrow_a_bar_of_the_programs_own_moves_it_sideways(table):
    table.resize(80, table.height())
    table.setVisible(True)
    bar = table.horizontalScrollBar()
    assert bar.maximum() > 0
    assert bar.styleSheet() == table.verticalScrollBar().styleSheet()
    assert table.viewport().height() >= table.verticalHeader().length()  # no row lies below it

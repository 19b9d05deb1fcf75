"""A table of figures that can be read, walked through and copied."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractTableModel, QEvent, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QPalette
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

import inference
from desktop import wording
from desktop.spoken import spoken
from desktop.theme import Theme, figure_font, scroll_bar_style
from desktop.widgets.tips import as_tip

_MOST_ROWS_SHOWN = 12

_Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()


class DataTable(QTableView):
    """Shows rows of texts and numbers. Control+C copies what is selected, or all of it."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self._rows = _Rows()
        self.setModel(self._rows)
        self.setAccessibleName(name)
        self.setFont(figure_font())
        self.horizontalHeader().setFont(figure_font())
        self.verticalHeader().hide()
        self.setShowGrid(False)
        self.setAlternatingRowColors(True)
        self.setWordWrap(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.horizontalHeader().setHighlightSections(False)
        self.setFrameShape(QTableView.Shape.NoFrame)
        self.set_theme(theme)

    def show_table(self, table: inference.experiments.Table) -> None:
        """Show this one, in the language of the program."""
        text = inference.experiments.cell_text
        rows = [tuple(text(cell, spoken, wording.written) for cell in row) for row in table.rows]
        self.show_rows(tuple(map(spoken, table.columns)), rows)
        self.setAccessibleName(spoken(table.title))

    def show_rows(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Show these."""
        self._rows.show(columns, rows)
        line = self.fontMetrics().height() + 8
        self.verticalHeader().setDefaultSectionSize(line)
        shown = min(len(rows), _MOST_ROWS_SHOWN)
        self.setFixedHeight(self.horizontalHeader().sizeHint().height() + line * shown + 18)

    def as_text(self, rows: Sequence[int] | None = None) -> str:
        """Columns and rows, tabs between the cells."""
        return self._rows.as_text(rows)

    def set_theme(self, theme: Theme) -> None:
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Base, theme.surface)
        palette.setColor(QPalette.ColorRole.AlternateBase, theme.code)
        palette.setColor(QPalette.ColorRole.Text, theme.text)
        palette.setColor(QPalette.ColorRole.Button, theme.background)
        self.setPalette(palette)
        for bar in (self.verticalScrollBar(), self.horizontalScrollBar()):
            bar.setStyleSheet(scroll_bar_style(theme))

    def event(self, event: QEvent) -> bool:
        is_copy = isinstance(event, QKeyEvent) and event.matches(QKeySequence.StandardKey.Copy)
        if is_copy and event.type() == QEvent.Type.ShortcutOverride:
            event.accept()  # the window's own Copy is for messages
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            chosen = sorted({index.row() for index in self.selectionModel().selectedRows()})
            QGuiApplication.clipboard().setText(self.as_text(chosen or None))
            return
        super().keyPressEvent(event)


class _Rows(QAbstractTableModel):
    """Texts; numbers stand at the right."""

    def __init__(self) -> None:
        super().__init__()
        self._columns: Sequence[str] = ()
        self._cells: Sequence[Sequence[str]] = ()

    def show(self, columns: Sequence[str], cells: Sequence[Sequence[str]]) -> None:
        self.beginResetModel()
        self._columns, self._cells = columns, cells
        self.endResetModel()

    def as_text(self, rows: Sequence[int] | None) -> str:
        chosen = self._cells if rows is None else [self._cells[row] for row in rows]
        return "\n".join("\t".join(line) for line in (self._columns, *chosen))

    def rowCount(self, parent: _Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._cells)

    def columnCount(self, parent: _Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._columns)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        text = self._cells[index.row()][index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return text
        if role == Qt.ItemDataRole.ToolTipRole:
            return as_tip(text)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if text[:1].isdigit() else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self._columns[section]
        return None

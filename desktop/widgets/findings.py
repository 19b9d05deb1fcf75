"""What an experiment or a comparison says: its verdict, plots, tables and notes, one below the other."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QVBoxLayout, QWidget

import inference
from desktop.spoken import spoken
from desktop.theme import Theme, message_font
from desktop.widgets.data_table import DataTable
from desktop.widgets.fields import Choice
from desktop.widgets.form import Quiet, Side, label
from desktop.widgets.notice import announce
from desktop.widgets.painting import recolour
from desktop.widgets.plot import PlotView
from desktop.widgets.result_export import ExportButton, PlaceChooser, ask_for_place

if TYPE_CHECKING:
    from inference.experiments import Comparison, Outcome

_PLOT_HEIGHT = 280


class Findings(QWidget):
    """Hidden until there is something to say. Where there are several plots or tables, one is chosen.

    The `verdict` may be laid out elsewhere; it comes and goes with the rest."""

    def __init__(self, theme: Theme, choose_place: PlaceChooser = ask_for_place) -> None:
        super().__init__()
        self._theme = theme
        self._result: Comparison | Outcome | None = None
        self.verdict = label("", message_font())
        self.verdict.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.plot = PlotView(theme)
        self.plot.setMinimumHeight(_PLOT_HEIGHT)
        self.plot_choice = Choice(theme, self.tr("Plot"))
        self.plot_choice.picked.connect(self._show_plot)
        self.table = DataTable(theme, self.tr("Table"))
        self.table_choice = Choice(theme, self.tr("Table"))
        self.table_choice.picked.connect(self._show_table)
        self.notes = Quiet(theme)
        self.export = ExportButton(theme, self.plot, choose_place)
        self.said = Quiet(theme)
        self.export.said.connect(self._say)
        self._side = Side(self.plot_choice, self.table_choice, self.export)
        self._lay_out()
        self.set_theme(theme)
        self.verdict.hide()
        self.hide()

    @property
    def result(self) -> Comparison | Outcome | None:
        return self._result

    def show_result(self, result: Comparison | Outcome | None, stem: str) -> None:
        """Show this one; `None` hides everything."""
        self._result = result
        self.setVisible(result is not None)
        self.verdict.setVisible(result is not None)
        self.export.offer(result, stem)
        self._say("")
        if result is None:
            return
        conclusion = self._conclusion
        verdict = spoken(conclusion.verdict.sentence)
        self.verdict.setText(_unbroken(verdict))
        self.verdict.setAccessibleName(verdict)
        self.plot_choice.offer([(spoken(plot.title), number) for number, plot in enumerate(conclusion.plots)])
        self.table_choice.offer([(spoken(table.title), number) for number, table in enumerate(conclusion.tables)])
        self.plot_choice.setVisible(len(conclusion.plots) > 1)
        self.table_choice.setVisible(len(conclusion.tables) > 1)
        self._show_plot(0)
        self._show_table(0)
        self.notes.setText("\n".join(map(spoken, result.notes)))
        announce(self.verdict, verdict)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        recolour(self.verdict, QPalette.ColorRole.WindowText, theme.text)
        for part in (self.plot, self.plot_choice, self.table, self.table_choice, self.export, self.notes, self.said):
            part.set_theme(theme)

    @property
    def _conclusion(self) -> inference.experiments.Conclusion:
        result = self._result
        if isinstance(result, inference.experiments.Comparison):
            return result.conclusion()
        if isinstance(result, inference.experiments.Outcome):
            return result.conclusion
        raise ValueError("there is no result")

    def _show_plot(self, number: object) -> None:
        plots = self._conclusion.plots
        self.plot.setVisible(bool(plots))
        if plots and isinstance(number, int):
            self.plot_choice.show_value(number)
            self.plot.show_plot(plots[number])

    def _show_table(self, number: object) -> None:
        tables = self._conclusion.tables
        self.table.setVisible(bool(tables))
        if tables and isinstance(number, int):
            self.table_choice.show_value(number)
            self.table.show_table(tables[number])

    def _say(self, words: str) -> None:
        self.said.setText(words)
        self.said.setVisible(bool(words))

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 0)
        column.setSpacing(12)
        for part in (self.verdict, self._side, self.said, self.plot, self.table, self.notes):
            column.addWidget(part)


def _unbroken(words: str) -> str:
    """The same, with no line ending between a number and what it counts."""
    return re.sub(r"(?<=\d) (?=(?:s|ms|µs)\b)", "\u00a0", words.replace("n = ", "n\u00a0=\u00a0"))

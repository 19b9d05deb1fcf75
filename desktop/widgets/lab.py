"""The experiments, their plots and their verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QProgressBar

import inference
from desktop.lab_runs import LabRuns
from desktop.spoken import spoken
from desktop.theme import Theme, figure_font, message_font
from desktop.widgets.buttons import Button, ButtonKind
from desktop.widgets.fields import Choice
from desktop.widgets.findings import Findings
from desktop.widgets.form import Page, Quiet, Side, heading_font, label
from desktop.widgets.painting import recolour
from desktop.widgets.result_export import PlaceChooser, ask_for_place
from desktop.widgets.switch import Switch

if TYPE_CHECKING:
    from inference.experiments import ExperimentName, Outcome

_WIDTH = 880
_STEPS = 1000  # of the progress bar


class LabView(Page):
    """One experiment at a time: what it asks, a run with progress, and what came out."""

    def __init__(self, theme: Theme, runs: LabRuns, choose_place: PlaceChooser = ask_for_place) -> None:
        super().__init__(theme, _WIDTH)
        self._runs = runs
        self._name: ExperimentName = inference.experiments.ExperimentName.PHASES
        self.set_title(self.tr("Lab"), self.tr("Close the Lab (Esc)"))
        self.choice = Choice(theme, self.tr("Experiment"))
        self.choice.offer([(self._words_for(name), name) for name in inference.experiments.ExperimentName])
        self._question = label("", heading_font(1.15))
        self._asks = label("", message_font())
        self.quick_switch = Switch(theme, self.tr("Short form"))
        self.quick_switch.setToolTip(self.tr("Fewer rounds and shorter texts: faster, with less certainty"))
        self.run_button = Button(theme, text=self.tr("Run"), kind=ButtonKind.PRIMARY)
        self.progress = QProgressBar()
        self.progress.setRange(0, _STEPS)
        self.progress.setTextVisible(False)
        self.progress.setFixedHeight(6)
        self.progress.setAccessibleName(self.tr("Progress"))
        self.status = Quiet(theme)
        self.status.setFont(figure_font())
        self.findings = Findings(theme, choose_place)
        self._add_parts()
        self._connect()
        self.begins_at = self.choice
        self.set_theme(theme)
        self.show_experiment(self._name)

    @property
    def experiment(self) -> ExperimentName:
        """The one that is shown."""
        return self._name

    def show_experiment(self, name: ExperimentName) -> None:
        """Show this one, with what came out of it last."""
        self._name = name
        self.choice.show_value(name)
        texts = inference.experiments.about(name)
        self._question.setText(spoken(texts.question))
        self._asks.setText(spoken(texts.asks))
        self.findings.show_result(self._runs.outcome(name), str(name))
        self._show_running()

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        for part in (self._question, self._asks):
            recolour(part, QPalette.ColorRole.WindowText, theme.text)
        recolour(self.progress, QPalette.ColorRole.Highlight, theme.decode)

    def _add_parts(self) -> None:
        self.add(Side(self.choice, self.run_button))
        self.add(Side(self.quick_switch))
        self.column.addWidget(self._question)
        self.column.addWidget(self._asks)
        self.add(self.progress)
        self.add(self.status)
        self.add(self.findings)
        self.column.addStretch(1)

    def _connect(self) -> None:
        self.choice.picked.connect(self.show_experiment)
        self.run_button.clicked.connect(self._run_or_stop)
        self._runs.running_changed.connect(self._on_running)
        self._runs.progressed.connect(self._on_progress)
        self._runs.ended.connect(self._on_ended)
        self._runs.failed.connect(self.status.setText)

    def _run_or_stop(self) -> None:
        if self._runs.is_busy:
            self._runs.stop()
            self.status.setText(self.tr("Stopping"))
        elif self._runs.start(self._name, quick=self.quick_switch.isChecked()):
            self.findings.show_result(None, "")
            self.status.setText(self.tr("Waiting for its turn"))

    def _on_running(self, _name: ExperimentName | None) -> None:
        self._show_running()
        if not self._runs.is_busy:
            self.status.setText("")

    def _show_running(self) -> None:
        busy = self._runs.is_busy
        self.run_button.setText(self.tr("Stop") if busy else self.tr("Run"))
        self.run_button.setAccessibleName(self.run_button.text())
        self.choice.setEnabled(not busy)
        self.quick_switch.setEnabled(not busy)
        self.progress.setVisible(busy)
        if not busy:
            self.progress.setValue(0)

    def _on_progress(self, fraction: float, words: str) -> None:
        self.progress.setValue(round(_STEPS * fraction))
        if words and self._runs.running is not None:
            self.status.setText(words)

    def _on_ended(self, outcome: Outcome) -> None:
        if outcome.name == self._name:
            self.findings.show_result(outcome, outcome.name)
            # Once it is laid out: before, it has no place to scroll to.
            QTimer.singleShot(0, self._reveal)

    def _reveal(self) -> None:
        self.ensureWidgetVisible(self.findings.verdict)

    def _words_for(self, name: ExperimentName) -> str:
        return spoken(inference.experiments.about(name).title)

"""The Lab: what is asked, a run with progress and stop, and what came out."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from desktop.theme import load_theme
from inference import GenerationBroke
from inference.experiments import ExperimentName, LabJob, about
from tests.fakes import config
from tests.inference.experiments.lending import Lent, timed


def outcome_of(name: ExperimentName):
    script = timed(replies=(("Rivers", " bend", "."),), endless=name is not ExperimentName.STREAMING)
    return Lent(script).result(LabJob(name, config(), quick=True))


@pytest.fixture
def lab(desk):
    desk.open()
    desk.insights.lab_action.trigger()
    return desk.insights.lab


@pytest.mark.parametrize("name", list(ExperimentName))
def test_each_experiment_says_what_it_asks_and_shows_what_came_out(desk, lab, name):
    lab.show_experiment(name)
    assert about(name).asks in lab.words
    lab.run_button.click()
    desk.engine.finish_job(outcome_of(name))
    assert lab.findings.verdict.text()
    assert lab.findings.plot.plot.series
    assert lab.findings.table.model().rowCount() > 0
    assert "Meanwhile:" in lab.findings.notes.text() or lab.findings.notes.text()
    assert lab.findings.export.isEnabled()


def test_a_run_shows_its_progress_and_can_be_stopped_by_key(desk, qtbot, lab):
    lab.quick_switch.setChecked(True)
    lab.run_button.setFocus()
    qtbot.keyClick(lab.run_button, Qt.Key.Key_Space)
    assert desk.engine.jobs[-1].quick
    assert lab.status.text() == "Waiting for its turn"
    desk.engine.progress(0.25, "Reading about 24 tokens")
    assert (lab.progress.value(), lab.status.text()) == (250, "Reading about 24 tokens")
    assert lab.run_button.text() == "Stop"
    assert not lab.choice.isEnabled()
    qtbot.keyClick(lab.run_button, Qt.Key.Key_Space)
    assert desk.engine.cancelled == [desk.engine.jobs[-1].id]
    desk.engine.finish_job(outcome_of(ExperimentName.PHASES), cancelled=True)
    assert lab.run_button.text() == "Run"
    assert lab.progress.isHidden()


def test_what_came_out_is_there_again_when_one_comes_back(desk, lab):
    lab.run_button.click()
    desk.engine.finish_job(outcome_of(ExperimentName.PHASES))
    lab.show_experiment(ExperimentName.COST)
    assert lab.findings.isHidden()
    lab.show_experiment(ExperimentName.PHASES)
    assert not lab.findings.isHidden()


def test_several_plots_and_tables_are_chosen_from(desk, lab):
    lab.show_experiment(ExperimentName.COST)
    lab.run_button.click()
    desk.engine.finish_job(outcome_of(ExperimentName.COST))
    assert lab.findings.plot_choice.count() == 2
    lab.findings.plot_choice.picked.emit(1)
    assert lab.findings.plot.plot.title == "Tokens, added up"


def test_a_failure_is_said_in_place(desk, lab):
    lab.run_button.click()
    desk.engine.fail_job(GenerationBroke("it was told to"))
    assert "it was told to" in lab.status.text()


def test_it_is_painted_dark_and_narrow(desk, lab):
    lab.run_button.click()
    desk.engine.finish_job(outcome_of(ExperimentName.PHASES))
    desk.window.resize(400, 700)
    lab.set_theme(load_theme("dark"))
    assert not lab.grab().isNull()
    assert lab.horizontalScrollBar().maximum() == 0

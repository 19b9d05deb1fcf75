"""What an experiment says, one part below the other."""

from __future__ import annotations

from desktop.theme import load_theme
from desktop.widgets.findings import Findings
from tests.inference.experiments.test_comparison import of


def test_nothing_is_shown_before_there_is_something_to_say(qtbot):
    findings = Findings(load_theme("light"))
    qtbot.addWidget(findings)
    assert findings.isHidden()
    result = of([(0.5, 7.0)], [(7.0, 7.0)])
    findings.show_result(result, "streaming")
    assert findings.result == result
    assert not findings.isHidden()
    assert findings.verdict.accessibleName() == result.sentence
    findings.show_result(None, "")
    assert findings.isHidden()


def test_one_plot_alone_is_not_chosen_from_and_two_tables_are(qtbot):
    findings = Findings(load_theme("dark"))
    qtbot.addWidget(findings)
    findings.show_result(of([(0.5, 7.0)], [(7.0, 7.0)]), "streaming")
    assert findings.plot_choice.isHidden()
    assert not findings.table_choice.isHidden()
    findings.table_choice.picked.emit(1)
    assert findings.table.as_text().startswith("run\tstreaming")

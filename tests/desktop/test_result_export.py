"""Results written into files."""

from __future__ import annotations

import json

import pytest
from PySide6.QtGui import QGuiApplication, QImage

from desktop.theme import load_theme
from desktop.widgets.plot import PlotView
from desktop.widgets.result_export import ExportButton
from tests.inference.experiments.test_comparison import of


@pytest.fixture
def export(qtbot, tmp_path):
    theme = load_theme("light")
    plot = PlotView(theme)
    qtbot.addWidget(plot)
    result = of([(0.5, 7.0)], [(7.0, 7.0)])
    plot.show_plot(result.timeline())
    button = ExportButton(theme, plot, lambda _parent, name: tmp_path / name)
    qtbot.addWidget(button)
    button.offer(result, "streaming")
    return button


@pytest.mark.parametrize("suffix", [".md", ".csv", ".json", ".png", ".svg"])
def test_each_form_is_written_under_its_name(qtbot, export, tmp_path, suffix):
    with qtbot.waitSignal(export.said) as said:
        export.export(suffix)
    path = tmp_path / f"streaming{suffix}"
    assert said.args == [f"Written: {path}"]
    assert path.stat().st_size > 0
    if suffix == ".json":
        assert json.loads(path.read_text())["sentence"].startswith("Streaming showed")
    if suffix == ".png":
        assert not QImage(str(path)).isNull()


@pytest.mark.parametrize("suffix", [".md", ".png"])
def test_what_cannot_be_written_is_said(qtbot, export, tmp_path, suffix):
    export._choose_place = lambda _parent, name: tmp_path / "no folder" / name
    with qtbot.waitSignal(export.said) as said:
        export.export(suffix)
    assert "cannot be written" in said.args[0]


def test_a_chooser_that_is_put_away_writes_nothing(qtbot, export, tmp_path):
    export._choose_place = lambda _parent, _name: None
    with qtbot.assertNotEmitted(export.said):
        export.export(".md")
    assert list(tmp_path.iterdir()) == []


def test_it_is_copied_as_markdown(qtbot, export):
    export.copy_action.trigger()
    assert QGuiApplication.clipboard().text().startswith("# Streaming on and off")


def test_without_a_result_nothing_is_offered(export):
    export.offer(None, "")
    assert not export.isEnabled()

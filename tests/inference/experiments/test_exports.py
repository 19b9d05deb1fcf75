"""Results as files."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from hypothesis import given, settings

from inference.experiments.comparison import comparison_from, kept_comparison
from inference.experiments.exports import as_object, cell_text, table_of, to_csv, to_json, to_markdown
from inference.experiments.lab import ExperimentName, LabJob
from inference.experiments.results import Outcome
from tests.fakes import config
from tests.inference.experiments.lending import Lent, timed
from tests.inference.experiments.test_comparison import of
from tests.odd_values import damaged


@pytest.fixture
def outcome() -> Outcome:
    result = Lent(timed()).result(LabJob(ExperimentName.PHASES, config(), quick=True))
    assert isinstance(result, Outcome)
    return result


def test_a_comparison_as_json_names_samples_and_medians_of_each_mode() -> None:
    found = json.loads(to_json(of([(0.5, 7.0), (0.6, 7.2)], [(7.1, 7.1), (7.0, 7.0)])))
    assert found["on"]["first_text"] == {"samples": [0.5, 0.6], "median": 0.55}
    assert found["off"]["total"] == {"samples": [pytest.approx(7.1), pytest.approx(7.0)], "median": pytest.approx(7.05)}
    assert set(found["on"]) >= {"first_text", "total", "decode_rate"}
    assert found["on"]["first_paint"] is None
    assert found["sentence"].startswith("Streaming showed the first words")


def test_markdown_has_the_verdict_each_table_and_every_note(outcome: Outcome) -> None:
    text = to_markdown(outcome)
    assert text.startswith("# Two phases\n")
    assert f"**{outcome.conclusion.verdict.sentence}**" in text
    for table in outcome.conclusion.tables:
        assert f"## {table.title}" in text
    for note in outcome.notes:
        assert f"- {note}" in text
    widths = {line.count(" | ") for line in text.splitlines() if line.startswith("| round")}
    assert len(widths) == 1


def test_a_prompt_is_quoted_whole_in_markdown() -> None:
    text = to_markdown(of([(0.5, 7.0)], [(7.1, 7.1)], prompt="Why?\n\n# Not a heading | of ours"))
    assert "> Why?\n> \n> # Not a heading | of ours" in text


def test_csv_can_be_read_back_with_every_point(outcome: Outcome) -> None:
    rows = list(csv.reader(io.StringIO(to_csv(outcome))))
    for table in (*outcome.conclusion.tables, *map(table_of, outcome.conclusion.plots)):
        begin = rows.index([table.title]) + 1
        assert rows[begin] == list(table.columns)
        for row, expected in zip(rows[begin + 1 :], table.rows, strict=False):
            assert row == ["" if cell is None else str(cell) for cell in expected]


def test_a_text_is_never_a_formula_in_a_spreadsheet() -> None:
    from inference.experiments.exports import _safe

    assert _safe("=cmd()") == "'=cmd()"
    assert _safe(-1.5) == -1.5


def test_an_outcome_as_json_is_one_object_with_its_figures(outcome: Outcome) -> None:
    found = json.loads(to_json(outcome))
    assert found == json.loads(json.dumps(as_object(outcome)))
    assert found["verdict"]["shown"] is True
    assert found["figures"]["ratio"] > 1
    assert found["subject"]["model"] == "scripted"


def test_cells_are_written_as_a_person_reads_them() -> None:
    assert [cell_text(cell) for cell in (None, 0.017234, 1234, 12345.6, "on")] == [
        "",
        "0.01723",
        "1,234",
        "12,346",
        "on",
    ]


SOUND = kept_comparison(of([(0.5, 7.0), (0.6, 7.2)], [(7.1, 7.1), (7.0, 7.0)]))


@settings(max_examples=60)
@given(damaged(SOUND))
def test_whatever_figures_were_kept_they_are_written_as_files_that_others_can_read(content: Any) -> None:
    try:
        found = comparison_from(content)
    except ValueError:
        return
    assert to_markdown(found).encode()
    assert list(csv.reader(io.StringIO(to_csv(found))))
    assert json.loads(to_json(found), parse_constant=pytest.fail)

"""Results as files: Markdown to read, CSV for a spreadsheet, JSON for programs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict

from inference.experiments.comparison import METRICS, Comparison, Mode, kept_comparison
from inference.experiments.results import Cell, Outcome, Plot, Table, axis_text
from inference.sentences import Sentence

Result = Comparison | Outcome
Said = Callable[[str], str]
_COMPARISON_TITLE = Sentence("Streaming on and off")


def to_markdown(result: Result, said: Said = str, written: Said = str) -> str:
    """The result to be read: question, verdict, tables, and what one should know. Whoever wants it in another language
    than English says how sentences are `said` there, and how numbers are `written`."""
    conclusion = result.conclusion() if isinstance(result, Comparison) else result.conclusion
    measured = Sentence("Measured with {subject}, {when}.", subject=result.subject.words, when=result.when)
    lines = [f"# {said(_title(result))}", "", said(_question(result)), ""]
    lines += [f"**{said(conclusion.verdict.sentence)}**", "", said(measured), ""]
    for table in conclusion.tables:
        lines += [f"## {said(table.title)}", "", *_markdown_rows(table, said, written), ""]
    lines += [f"- {_plain(said(note))}" for note in result.notes]
    return "\n".join(lines).rstrip() + "\n"


def to_csv(result: Result) -> str:
    """Every table and every plotted point, one after another, each under a line with its title."""
    conclusion = result.conclusion() if isinstance(result, Comparison) else result.conclusion
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([_title(result), conclusion.verdict.sentence])
    for table in (*conclusion.tables, *map(table_of, conclusion.plots)):
        writer.writerow([])
        writer.writerow([table.title])
        writer.writerow(table.columns)
        writer.writerows([["" if cell is None else _safe(cell) for cell in row] for row in table.rows])
    return file.getvalue()


def to_json(result: Result) -> str:
    """`as_object`, written out."""
    return json.dumps(as_object(result), indent=1, ensure_ascii=False)


def as_object(result: Result) -> dict[str, object]:
    """One JSON object, as the terminal prints it."""
    if isinstance(result, Comparison):
        return {
            "sentence": result.sentence,
            "shown": result.shown,
            **{str(mode): _figures(result, mode) for mode in Mode},
            "texts_differ": bool(result.difference),
            "notes": list(result.notes),
            "comparison": kept_comparison(result),
        }
    conclusion = result.conclusion
    return {
        "name": result.name,
        "title": result.title,
        "verdict": {"shown": conclusion.verdict.shown, "sentence": conclusion.verdict.sentence},
        "figures": conclusion.figures,
        "tables": [asdict(table) for table in conclusion.tables],
        "plots": [asdict(plot) for plot in conclusion.plots],
        "notes": list(result.notes),
        "subject": asdict(result.subject),
        "surroundings": asdict(result.surroundings),
        "when": result.when,
        "stopped": result.stopped,
        "quick": result.quick,
    }


def table_of(plot: Plot) -> Table:
    """The points of a plot as a table: what is drawn can be read."""
    rows: list[tuple[Cell, ...]] = [(series.name, x, y) for series in plot.series for x, y in series.points]
    return Table(
        plot.title,
        (Sentence("series"), axis_text(plot.x_name, plot.x_unit), axis_text(plot.y_name, plot.y_unit)),
        tuple(rows),
    )


def cell_text(cell: Cell, said: Said = str, written: Said = str) -> str:
    """A cell as a person reads it: four digits that mean something, blank where it is not known."""
    match cell:
        case None:
            return ""
        case str():
            return said(cell)
        case float():
            return written(f"{cell:,.0f}" if abs(cell) >= 1e4 else f"{cell:.4g}")
        case _:
            return written(f"{cell:,}")


def _figures(comparison: Comparison, mode: Mode) -> dict[str, object]:
    """Samples and median of every figure; null where it is not known."""
    figures: dict[str, object] = {}
    for metric in METRICS:
        found = comparison.statistic(metric.key, mode)
        figures[metric.key] = None if found is None else {"samples": list(found.samples), "median": found.median}
    return figures


def _title(result: Result) -> str:
    return _COMPARISON_TITLE if isinstance(result, Comparison) else result.title


def _question(result: Result) -> str:
    if isinstance(result, Comparison):
        return "\n".join(f"> {line}" for line in result.prompt.splitlines()) or ">"
    return result.asks


def _markdown_rows(table: Table, said: Said, written: Said) -> list[str]:
    head = [_plain(said(column)) for column in table.columns]
    rows = [[_plain(cell_text(cell, said, written)) for cell in row] for row in table.rows]
    return [_markdown_row(head), _markdown_row(["---"] * len(head)), *map(_markdown_row, rows)]


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _plain(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _safe(cell: str | int | float) -> str | int | float:
    """A text that a spreadsheet would take for a formula is marked as text."""
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@", "\t") else cell

"""Comparisons and the Lab: order, runs, statistics, verdicts; no screen.

What is measured and what follows from it are kept apart: each experiment has a step that asks the model, and a plain
function that draws the conclusion from whatever was measured.
"""

from inference.experiments.comparison import (
    MOST_RUNS,
    CompareJob,
    Comparison,
    Mode,
    Paint,
    Run,
    RunBegan,
    RunEnded,
    comparison_from,
    comparison_of_replies,
    kept_comparison,
)
from inference.experiments.exports import as_object, cell_text, table_of, to_csv, to_json, to_markdown
from inference.experiments.lab import ExperimentName, LabJob, about
from inference.experiments.limits import METHOD, Bandwidth, BandwidthJob, bytes_per_token, share_of_limit
from inference.experiments.prices import NO_PRICES, Prices
from inference.experiments.results import (
    Cell,
    Conclusion,
    Ink,
    Outcome,
    Plot,
    Series,
    Shape,
    Subject,
    Table,
    Verdict,
    axis_text,
)
from inference.experiments.samples import Statistic, percentile, seconds_text, statistic
from inference.experiments.surroundings import Surroundings

__all__ = [
    "METHOD",
    "MOST_RUNS",
    "NO_PRICES",
    "Bandwidth",
    "BandwidthJob",
    "Cell",
    "CompareJob",
    "Comparison",
    "Conclusion",
    "ExperimentName",
    "Ink",
    "LabJob",
    "Mode",
    "Outcome",
    "Paint",
    "Plot",
    "Prices",
    "Run",
    "RunBegan",
    "RunEnded",
    "Series",
    "Shape",
    "Statistic",
    "Subject",
    "Surroundings",
    "Table",
    "Verdict",
    "about",
    "as_object",
    "axis_text",
    "bytes_per_token",
    "cell_text",
    "comparison_from",
    "comparison_of_replies",
    "kept_comparison",
    "percentile",
    "seconds_text",
    "share_of_limit",
    "statistic",
    "table_of",
    "to_csv",
    "to_json",
    "to_markdown",
]

"""`compare` and `lab` in a terminal: what they take, and what they print.

It prints nothing by itself: results are texts, and progress goes to whoever wants it.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inference.client import Client
from inference.configuration import ModelConfig
from inference.errors import InvalidRequest
from inference.events import JobFinished, JobProgress
from inference.experiments import (
    CompareJob,
    Comparison,
    ExperimentName,
    LabJob,
    Outcome,
    Prices,
    RunBegan,
    about,
    to_csv,
    to_json,
    to_markdown,
)
from inference.jobs import Job
from inference.messages import Message

COMPARED_TOKENS = 200  # as in the window: enough to see both ways, where six replies are waited for
_RUNS = 3


def add_compare_options(parser: argparse.ArgumentParser) -> None:
    """What `compare` takes beside what any prompt does."""
    parser.add_argument("--runs", type=int, default=_RUNS, metavar="N", help=f"runs of each kind, 1 to 9 ({_RUNS})")
    _add_forms(parser)


def add_lab_options(parser: argparse.ArgumentParser) -> None:
    """What `lab` takes beside the model."""
    names = "; ".join(f"{name}: {about(name).question}" for name in ExperimentName)
    parser.add_argument("name", metavar="NAME", choices=[name.value for name in ExperimentName], help=names)
    parser.add_argument("--quick", action="store_true", help="fewer rounds and shorter texts")
    for kind in ("input", "cached", "output"):
        parser.add_argument(
            f"--{kind}-price", type=float, default=0.0, metavar="P", help=f"per million {kind} tokens, for `cost`"
        )
    parser.add_argument("--currency", default="", metavar="WORD", help="what the prices are in, such as EUR")
    _add_forms(parser)


def compare(
    client: Client,
    messages: Sequence[Message],
    wishes: Mapping[str, Any],
    options: argparse.Namespace,
    tell: Callable[[str], None],
) -> str:
    """Make the comparison; its result in the form that was asked for."""
    request = client.request(messages=messages, **wishes)
    return _in_form(_result_of(client, CompareJob(request, options.runs), tell), options)


def lab(client: Client, options: argparse.Namespace, tell: Callable[[str], None]) -> str:
    """Run the experiment; its result in the form that was asked for."""
    if not isinstance(client.model, ModelConfig):
        raise InvalidRequest("Experiments run with a model of this machine, not with a server's.")
    prices = Prices(options.input_price, options.cached_price, options.output_price, options.currency)
    job = LabJob(ExperimentName(options.name), client.model, options.quick, prices)
    return _in_form(_result_of(client, job, tell), options)


def _add_forms(parser: argparse.ArgumentParser) -> None:
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="write one JSON object (default: Markdown)")
    form.add_argument("--csv", action="store_true", help="write the tables and the plotted points as CSV")


def _result_of(client: Client, job: Job, tell: Callable[[str], None]) -> Comparison | Outcome:
    for event in client.run(job):
        match event:
            case JobProgress(step=RunBegan() as began):
                kind = "warm-up" if began.is_warm_up else f"run {began.number} of {began.of}, streaming {began.mode}"
                tell(f"{event.fraction:4.0%}  {kind}")
            case JobProgress(step=str(words)):
                tell(f"{event.fraction:4.0%}  {words}")
            case JobFinished(result=Comparison() | Outcome() as result):
                return result
            case _:
                pass
    raise AssertionError("a job ends with its result")


def _in_form(result: Comparison | Outcome, options: argparse.Namespace) -> str:
    if options.json:
        return to_json(result)
    return to_csv(result) if options.csv else to_markdown(result)

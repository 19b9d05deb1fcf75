"""What typing costs while a reply is made."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench.figures import Figure, below, median_figure, percentile

RUNS = 3
ROOT = Path(__file__).parents[2]


def echo() -> list[Figure]:
    """From a key to its letter on the screen, while the real model prefills and streams."""
    seconds: dict[str, list[float]] = {}
    for _ in range(RUNS):
        with TemporaryDirectory() as folder:
            for phase, measured in _typed(folder).items():
                seconds.setdefault(phase, []).extend(measured)
    how = "key press to its letter painted, wall clock, a key every 20 to 60 ms"
    every = [1000 * each for phase in ("prefill", "decode") for each in seconds[phase]]
    whole = median_figure("echo_p99", every, "ms", f"{how}, a prompt of 600 tokens and 200 streamed; p99", below(33))
    return [
        replace(whole, value=percentile(every, 0.99), low=None, high=None),
        *(
            median_figure(f"echo_{phase}", [1000 * each for each in measured], "ms", f"{how}; in {phase}")
            for phase, measured in seconds.items()
        ),
    ]


def _typed(folder: str) -> dict[str, list[float]]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.echo_child", folder], capture_output=True, text=True, check=False, cwd=ROOT
    )
    if done.returncode:
        raise SystemExit(f"The benchmark's child ended with {done.returncode}: {done.stderr}")
    measured: dict[str, list[float]] = json.loads(done.stdout)
    return measured


BENCHMARKS: dict[str, Callable[[], list[Figure]]] = {"echo": echo}

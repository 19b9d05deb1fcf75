"""python -m tests.bench [NAME...] [--json]: the figures, beside what they should be."""

from __future__ import annotations

import argparse
import json
import os
import sys

from tests.bench import composer, download, engine, store, transcript, window
from tests.bench.figures import Benchmark, Figure

BENCHMARKS: dict[str, Benchmark] = {
    **engine.BENCHMARKS,
    **window.BENCHMARKS,
    **transcript.BENCHMARKS,
    **composer.BENCHMARKS,
    **download.BENCHMARKS,
    **store.BENCHMARKS,
}


def main() -> int:
    """Run the benchmarks that are named, all where none is; exit status 1 where a target was missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"any of: {', '.join(BENCHMARKS)}")
    parser.add_argument("--json", action="store_true", help="write one object with every figure and its samples")
    options = parser.parse_args()
    if unknown := set(options.names) - set(BENCHMARKS):
        parser.error(f"there is no benchmark named {', '.join(sorted(unknown))}")
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    figures: list[Figure] = []
    for name in options.names or BENCHMARKS:
        print(f"{name} ...", file=sys.stderr, flush=True)
        figures += BENCHMARKS[name]()
    if options.json:
        print(json.dumps({figure.name: figure.as_object() for figure in figures}, indent=1))
    else:
        print(table(figures))
    return 1 if any(figure.ok is False for figure in figures) else 0


def table(figures: list[Figure]) -> str:
    """A line for each figure: value, 90 % interval of the median, target, verdict, and how it is measured."""
    lines = []
    for figure in figures:
        interval = "" if figure.low is None or figure.high is None else f"[{figure.low:.4g}, {figure.high:.4g}]"
        verdict = {True: "ok", False: "MISSED", None: ""}[figure.ok]
        target = "" if figure.target is None else str(figure.target)
        lines.append(
            f"{figure.name:32} {figure.value:>9.4g} {figure.unit:6} {interval:20} {target:8} {verdict:7} {figure.how}"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())

"""A download while a window is open: what it adds to the memory, and how late the event loop comes."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from typing import Any

from tests.bench.download_child import REPO
from tests.bench.figures import Benchmark, Bound, Figure, Target
from tests.hub_server import Contents, hub_server

_SIZE = 2 * 10**9
_BLOCK = 1 << 20


def fetched(size: int) -> dict[str, Any]:
    """Fetch so many bytes of made data from a server in this process into a child's folder; see `download_child`."""
    block = os.urandom(_BLOCK) * 2

    def piece(begin: int, end: int) -> bytes:
        if end - begin > _BLOCK:
            return b"".join(piece(at, min(end, at + _BLOCK)) for at in range(begin, end, _BLOCK))
        return block[begin % _BLOCK :][: end - begin]

    with hub_server() as server:
        server.add(REPO, {"large-Q4_K_M.gguf": Contents(size, piece)})
        command = [sys.executable, "-m", "tests.bench.download_child", server.address]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def download() -> list[Figure]:
    """2 GB."""
    found = fetched(_SIZE)
    lags = [1000 * lag for lag in found["lag"]]
    p95 = statistics.quantiles(lags, n=20)[-1]
    return [
        Figure(
            "download_memory",
            found["added"] / 1e6,
            "MB",
            (found["added"] / 1e6,),
            "most that 2 GB of made data added to the process",
            Target(Bound.BELOW, 50),
        ),
        Figure(
            "download_lag_p95",
            p95,
            "ms",
            tuple(lags[:: max(1, len(lags) // 500)]),
            "95 of 100 ticks of the event loop come no later meanwhile",
            Target(Bound.BELOW, 16),
        ),
    ]


BENCHMARKS: dict[str, Benchmark] = {"download": download}

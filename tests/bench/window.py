"""The window's price: decode while it paints, how late its event loop gets, and how long it takes to stand there."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from PySide6.QtCore import QEventLoop
from PySide6.QtWidgets import QApplication

from desktop.app import App, Places
from desktop.conversations import Turn
from inference import (
    Event,
    GenerationFailed,
    GenerationFinished,
    GenerationRequest,
    LocalEngine,
    ModelConfig,
    RequestId,
    StateBudget,
)
from inference.messages import Message, Role
from tests.bench.engine import BLOCK, BLOCKS, GREEDY, STORY, embedded
from tests.bench.figures import Figure, at_least, at_most, below, median_figure, percentile

STARTS = 9


class ShortReplies:
    """A local engine whose replies are greedy and one block long, however they are asked for.

    While `aside` is set, events go there and not to the window: the same engine with nobody to paint for.
    """

    def __init__(self, emit: Callable[[Event], None]) -> None:
        self.aside: Callable[[Event], None] | None = None
        self._emit = emit
        self._engine = LocalEngine(self._hand_over)

    def _hand_over(self, event: Event) -> None:
        (self.aside or self._emit)(event)

    def load(self, model: ModelConfig) -> None:
        self._engine.load(model)

    def unload(self) -> None:
        self._engine.unload()

    def generate(self, request: GenerationRequest) -> RequestId:
        return self._engine.generate(replace(request, sampling=GREEDY, max_tokens=BLOCK + 1))

    def cancel(self, request: RequestId) -> None:
        self._engine.cancel(request)

    def close(self) -> None:
        self._engine.close()


class WindowUnderTest:
    """The real program, offscreen, in this process."""

    def __init__(self, folder: Path) -> None:
        instance = QApplication.instance()
        application = instance if isinstance(instance, QApplication) else QApplication([])
        self.engines: list[ShortReplies] = []
        self.config = embedded()
        self.app = App(
            application, Places(folder / "data", folder / "settings.toml"), self._make_engine, self.config.path
        )
        self.app.show()
        wait_until(self.app.begun)

    def _make_engine(self, emit: Callable[[Event], None], _states: StateBudget) -> ShortReplies:
        self.engines.append(ShortReplies(emit))
        return self.engines[-1]

    def reply_in_window(self, text: str) -> Turn:
        """Type and send `text` in a new conversation; returns the reply, every frame of it painted."""
        self.app.library.new()
        window = self.app.window
        window.composer.set_text(text)
        session = self.app.library.current
        ended: list[Turn] = []
        loop = QEventLoop()
        session.turn_changed.connect(ended.append)
        session.turn_changed.connect(loop.quit)
        window.composer.submitted.emit(window.composer.text)
        loop.exec()
        return ended[0]

    def reply_alone(self, text: str) -> GenerationFinished:
        """The same request to the same engine, with nobody to paint for: this thread only waits."""
        engine = self.engines[0]
        events: list[Event] = []
        ended = threading.Event()

        def keep(event: Event) -> None:
            events.append(event)
            if isinstance(event, GenerationFinished | GenerationFailed):
                ended.set()

        engine.aside = keep
        engine.generate(GenerationRequest(self.app.models.config or self.config, (Message(Role.USER, text),)))
        ended.wait()
        engine.aside = None
        last = events[-1]
        assert isinstance(last, GenerationFinished)
        return last


def wait_until(signal: object) -> None:
    loop = QEventLoop()
    signal.connect(loop.quit)  # type: ignore[attr-defined]  # a bound Qt signal, which has no type of its own
    loop.exec()


def in_window() -> list[Figure]:
    """Blocks of 32 tokens written in the window, streaming and painting, and by the engine alone, in turn."""
    ratios = []
    with TemporaryDirectory() as folder:
        window = WindowUnderTest(Path(folder))
        window.reply_in_window(STORY)
        for _ in range(BLOCKS):
            alone = window.reply_alone(STORY).timings.decode_rate
            painted = window.reply_in_window(STORY).timings
            if alone and painted is not None and painted.decode_rate:
                ratios.append(painted.decode_rate / alone)
        window.app.leave()
    how = f"decode rate in the window, streaming and painting / the engine alone, blocks of {BLOCK}"
    return [median_figure("window_decode_ratio", ratios, "ratio", how, at_least(0.93))]


def lag() -> list[Figure]:
    """How late a 5 ms heartbeat of the event loop comes, from the first paint to the end of a reply."""
    lateness = [1000 * seconds for seconds in json.loads(_child("lag"))]
    how = "lateness of a 5 ms heartbeat, wall clock: first imports, load, a prompt of 600 tokens, 200 tokens streamed"
    return [
        replace(
            median_figure("lag_p95", lateness, "ms", f"{how}; 95th percentile", below(16)),
            value=percentile(lateness, 0.95),
            samples=(),
        ),
        replace(
            median_figure("lag_max", lateness, "ms", f"{how}; the latest", below(100)),
            value=max(lateness),
            samples=tuple(lateness),
        ),
    ]


def start_up() -> list[Figure]:
    """Process start to first painted window, beside an empty QMainWindow's, in turn."""
    ratios, ours = [], []
    _child("headwater"), _child("empty")
    for _ in range(STARTS):
        ours.append(_seconds_to_paint("headwater"))
        ratios.append(ours[-1] / _seconds_to_paint("empty"))
    return [
        median_figure("start_up_ratio", ratios, "ratio", "start to first paint / an empty QMainWindow's", at_most(1.8)),
        median_figure("start_up", ours, "s", "process start to first painted window"),
    ]


def _seconds_to_paint(what: str) -> float:
    began = time.monotonic()
    return float(_child(what)) - began


def _child(what: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.window_child", what], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"The benchmark's child {what} ended with {done.returncode}: {done.stderr}")
    return done.stdout


BENCHMARKS: dict[str, Callable[[], list[Figure]]] = {"window": in_window, "lag": lag, "start-up": start_up}

"""The window's price: decode while it paints, how late its event loop gets, and how long it takes to stand there."""

from __future__ import annotations

import compileall
import json
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from PySide6.QtCore import QEventLoop
from PySide6.QtWidgets import QApplication

from desktop.app import App
from desktop.changes import NewConversation
from desktop.conversations import TurnState
from desktop.places import Places
from desktop.settings import Settings, SettingsFile
from desktop.store import Store
from desktop.turns import ReplyOrigin, Turn
from inference import (
    Event,
    FinishReason,
    GenerationFailed,
    GenerationFinished,
    GenerationRequest,
    Job,
    JobId,
    LocalEngine,
    Message,
    ModelConfig,
    RequestId,
    Role,
    StateBudget,
)
from tests.bench.engine import BLOCK, BLOCKS, GREEDY, STORY, embedded
from tests.bench.figures import Figure, at_least, at_most, below, median_figure, percentile
from tests.bench.store import CONVERSATIONS, Words, keep_conversations

STARTS = 15
REPAINTS = 50
LONG_REPLY = 10_000  # tokens
PLOT_SIZE = (640, 280)
KEPT_CONVERSATIONS = 200
ROOT = Path(__file__).parents[2]


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

    def keep_states(self, states: StateBudget) -> None:
        self._engine.keep_states(states)

    def forget_states(self, owners: Iterable[str]) -> None:
        self._engine.forget_states(owners)

    def generate(self, request: GenerationRequest) -> RequestId:
        return self._engine.generate(replace(request, sampling=GREEDY, max_tokens=BLOCK + 1))

    def run(self, job: Job) -> JobId:
        return self._engine.run(job)

    def cancel(self, request: RequestId | JobId) -> None:
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
    _compile()
    with TemporaryDirectory() as folder:
        lateness = [1000 * seconds for seconds in json.loads(_child("lag", folder))]
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
    _compile()
    empty: list[float] = []
    plain: list[float] = []
    first: list[float] = []
    usual: list[float] = []
    large: list[float] = []
    with TemporaryDirectory() as name, TemporaryDirectory() as other:
        kept, many = Path(name), Path(other)
        _keep_conversations(kept)
        _keep_many_conversations(many)
        for _ in range(STARTS + 1):
            empty.append(_seconds_to_paint("empty"))
            plain.append(_seconds_to_paint("plain"))
            with TemporaryDirectory() as fresh:
                first.append(_seconds_to_paint("headwater", fresh))
            usual.append(_seconds_to_paint("headwater", str(kept)))
            large.append(_seconds_to_paint("headwater", str(many)))
    # The first of each found nothing in the system's caches.
    del empty[0], plain[0], first[0], usual[0], large[0]
    return [
        median_figure(
            "plain_start_up_ratio",
            [seconds / others for seconds, others in zip(plain, empty, strict=True)],
            "ratio",
            "start to first paint of Qt's own widgets with menus, a list and words / an empty QMainWindow's, in turn",
        ),
        *_start_figures("start_up", first, empty, "nothing kept yet"),
        *_start_figures("usual_start_up", usual, empty, f"{KEPT_CONVERSATIONS} conversations kept"),
        median_figure(
            "large_start_up_ratio",
            [seconds / others for seconds, others in zip(large, first, strict=True)],
            "ratio",
            f"start to first paint with {CONVERSATIONS} conversations / with none, in turn",
            at_most(1.2),
        ),
    ]


def _start_figures(name: str, ours: list[float], empty: list[float], which: str) -> list[Figure]:
    ratios = [seconds / others for seconds, others in zip(ours, empty, strict=True)]
    how = f"start to first paint / an empty QMainWindow's; {which}"
    return [
        median_figure(f"{name}_ratio", ratios, "ratio", how, at_most(1.8)),
        median_figure(name, ours, "s", f"process start to first painted window; {which}"),
    ]


def _keep_conversations(folder: Path) -> None:
    """A folder as somebody has it who has used the program for a while."""
    settings = SettingsFile(folder / "settings.toml")
    settings.save(Settings(recent_models=tuple(str(folder / f"model-{n}.gguf") for n in range(5)), sidebar_width=280))
    store = Store(folder / "conversations.sqlite3")
    config = embedded()
    for number in range(KEPT_CONVERSATIONS):
        asked = store.begin_exchange(
            f"What are the {number} rivers of this valley?",
            ReplyOrigin(config, config.path.stem, streamed=True),
            conversation=NewConversation(f"The {number} rivers of this valley"),
        )
        answer = Message(Role.ASSISTANT, "They bend, because water runs faster on the outside of a curve. " * 20)
        done = replace(asked.reply, message=answer, state=TurnState.COMPLETE, finish_reason=FinishReason.STOP)
        store.finish(done, None)
    store.close()


def _keep_many_conversations(folder: Path) -> None:
    store = Store(folder / "conversations.sqlite3")
    keep_conversations(store, Words(random.Random(1)), CONVERSATIONS, 2)  # noqa: S311 - the same text every time
    store.close()


def _seconds_to_paint(*words: str) -> float:
    began = time.monotonic()
    return float(_child(*words)) - began


def _compile() -> None:
    """An installed program has its bytecode; a checkout may have none, or an old one."""
    for package in ("desktop", "inference", "resources"):
        compileall.compile_dir(ROOT / package, quiet=1)


def _child(*words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.window_child", *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    if done.returncode:
        raise SystemExit(f"The benchmark's child {words[0]} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def plot() -> list[Figure]:
    """One token more in a plot of a long reply, drawn anew."""
    from desktop.theme import load_theme
    from desktop.widgets.plot import PlotView
    from inference import experiments

    instance = QApplication.instance()
    application = instance if isinstance(instance, QApplication) else QApplication([])
    view = PlotView(load_theme("light"))
    gaps = tuple((float(number), 17.0 + number * 7919 % 13 / 13) for number in range(LONG_REPLY))
    series = experiments.Series("", gaps, experiments.Ink.DECODE, experiments.Shape.LINE)
    view.show_plot(experiments.Plot("Time for each token", "token", "", "time", "ms", (series,)))
    view.resize(*PLOT_SIZE)
    view.show()
    application.processEvents()
    costs = []
    for number in range(REPAINTS):
        view.add_point(0, float(LONG_REPLY + number), 17.0)
        began = time.thread_time()
        view.repaint()
        costs.append(1000 * (time.thread_time() - began))
    view.close()
    how = f"CPU time of a repaint after one token more, {LONG_REPLY:,} tokens, {PLOT_SIZE[0]} x {PLOT_SIZE[1]} pixels"
    return [median_figure("plot_repaint", costs, "ms", how, below(4))]


BENCHMARKS: dict[str, Callable[[], list[Figure]]] = {
    "window": in_window,
    "lag": lag,
    "start-up": start_up,
    "plot": plot,
}

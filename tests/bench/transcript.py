"""What the conversation costs the window's thread: opening, streaming, scrolling, resizing, lying idle.

CPU time of the GUI thread unless it says wall clock, painted offscreen. The transcript is the real one; only the words
are made up.
"""

from __future__ import annotations

import gc
import os
import random
import re
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, thread_time

import psutil
from PySide6.QtCore import QCoreApplication, QEventLoop, QTimer
from PySide6.QtWidgets import QApplication

from desktop.changes import NewConversation
from desktop.conversations import TurnState
from desktop.library import Library
from desktop.model_choice import ModelChoice
from desktop.settings import SettingsFile
from desktop.store import Store
from desktop.theme import ThemeSource, load_theme
from desktop.turns import ReplyOrigin, Turn
from desktop.widgets.transcript import Transcript
from desktop.window import Window
from inference import FinishReason, Message, ModelConfig, Role, Usage
from tests.bench.figures import Figure, at_most, below, median_figure, percentile
from tests.desktop.fakes import MODEL, ScriptedEngine, timings_of

FLUSH = 0.033  # seconds
RATES = {30: 0.4, 100: 0.7, 200: 1.0}  # tokens a second: milliseconds of text work per flush, at most
FLUSHES = 600
SOAK_TOKENS = 100_000
IDLE_SECONDS = 60.0


def transcript() -> list[Figure]:
    """Opening, streaming, resizing and scrolling."""
    _application()
    return [*_opening(), *_streaming(), *_growing(), *_resizing(), *_scrolling()]


def soak() -> list[Figure]:
    """A reply of 100,000 tokens at 200 a second, every frame of it."""
    _application()
    gc.collect()
    gc.freeze()  # as the program does when it has started
    view = _view()
    reply = _reply(1)
    view.show_turns([*_turns(100), reply])
    before = _megabytes()
    frames: list[float] = []
    for piece in _pieces(SOAK_TOKENS, 200 * FLUSH):
        frames.append(1000 * _cost_of_frame(view, reply, piece))
        if len(frames) == 300:
            before = _megabytes()
    how = f"CPU time of a frame, flush and painting, {SOAK_TOKENS:,} tokens in one reply at 200 tok/s"
    return [
        Figure("frame_p99", percentile(frames, 0.99), "ms", (), f"{how}; 99th percentile", below(8)),
        Figure("frame_max", max(frames), "ms", (), f"{how}; the dearest", below(16)),
        Figure("frame_mean", statistics.mean(frames), "ms", (), f"{how}; mean"),
        Figure("soak_memory", _megabytes() - before, "MB", (), "memory gained after the first 300 frames of it"),
    ]


def idle() -> list[Figure]:
    """A minute in which nobody does anything."""
    with TemporaryDirectory() as folder:
        kept = _keep_conversation(Path(folder), 100)
        window, library, engine = _window(Path(folder))
        library.open(kept)
        _run_for(3)
        process = psutil.Process()
        began = sum(process.cpu_times()[:2])
        _run_for(IDLE_SECONDS)
        share = 100 * (sum(process.cpu_times()[:2]) - began) / IDLE_SECONDS
        repeating = [timer for timer in window.findChildren(QTimer) if timer.isActive() and not timer.isSingleShot()]
        window.close()
        engine.close()
    return [
        Figure("idle_cpu", share, "%", (), f"CPU time of the process in {IDLE_SECONDS:g} s of nothing", below(0.1)),
        Figure("idle_timers", float(len(repeating)), "timers", (), "that repeat in the window meanwhile", at_most(0)),
    ]


def _opening() -> list[Figure]:
    """From the click in the list to the painted conversation, through library, store and window."""
    long: list[float] = []
    short: list[float] = []
    with TemporaryDirectory() as folder:
        ids = {count: _keep_conversation(Path(folder), count) for count in (1000, 100, 2)}
        window, library, engine = _window(Path(folder))
        for _ in range(9):
            for count, costs in ((1000, long), (100, short)):
                library.open(ids[2])
                QApplication.processEvents()
                began = perf_counter()
                library.open(ids[count])
                window.page.transcript.viewport().repaint()
                costs.append(1000 * (perf_counter() - began))
                QApplication.processEvents()
        window.close()
        engine.close()
    ratios = [one / other for one, other in zip(long, short, strict=True)]
    how = "from library, store and window to the painted conversation, wall clock"
    return [
        median_figure("open_1000", long, "ms", f"{how}: 1,000 messages, 1 MB", at_most(50)),
        median_figure("open_ratio", ratios, "ratio", f"{how}: 1,000 messages / 100", at_most(2)),
    ]


def _streaming() -> list[Figure]:
    figures = []
    for rate, most in RATES.items():
        view = _view()
        reply = _reply(1)
        view.show_turns([*_turns(100), reply])
        costs: list[float] = []
        for piece in _pieces(round(FLUSHES * rate * FLUSH), rate * FLUSH):
            began = thread_time()
            view.grow(reply.id, piece)
            view._flush()
            costs.append(1000 * (thread_time() - began))
            QApplication.processEvents()
        how = f"text work per flush at {rate} tok/s, {len(costs)} flushes"
        figures.append(Figure(f"text_{rate}", statistics.mean(costs), "ms", (), f"{how}; mean", at_most(most)))
        view.deleteLater()
    return figures


def _growing() -> list[Figure]:
    """The same tokens upon a short reply and upon a long one, in turn."""
    ratios = []
    for seed in range(5):
        costs = []
        for size in (1_000, 100_000):
            view = _view()
            reply = _reply(1)
            view.show_turns([reply])
            view.grow(reply.id, _text(_chance(seed), size) + "\n\n")
            QApplication.processEvents()
            frames = [_cost_of_frame(view, reply, piece) for piece in _pieces(1000, 200 * FLUSH, seed)]
            costs.append(statistics.mean(frames))
            view.deleteLater()
        ratios.append(costs[1] / costs[0])
    how = "mean frame at 200 tok/s upon a reply of 100 KB / of 1 KB"
    return [median_figure("long_reply_ratio", ratios, "ratio", how, at_most(1.5))]


def _resizing() -> list[Figure]:
    view = _view()
    view.show_turns(_turns(1000))
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() // 2)
    _settle(view)
    costs = []
    for width in (*range(820, 1100, 7), *range(1100, 500, -7)):
        began = thread_time()
        view.resize(width, 760)
        QApplication.processEvents()
        costs.append(1000 * (thread_time() - began))
    how = "one step of a resize in the middle of 1,000 messages, painted; 95th percentile"
    return [Figure("resize_p95", percentile(costs, 0.95), "ms", (), how, at_most(16))]


def _scrolling() -> list[Figure]:
    view = _view()
    view.show_turns(_turns(1000))
    _settle(view)
    bar = view.verticalScrollBar()
    costs = []
    for _ in range(400):
        began = thread_time()
        bar.setValue(bar.value() - 90)
        QApplication.processEvents()
        costs.append(1000 * (thread_time() - began))
    how = "one step of 90 pixels into text nobody saw, painted; 95th percentile"
    return [Figure("scroll_p95", percentile(costs, 0.95), "ms", (), how, at_most(12))]


def _application() -> QApplication:
    instance = QApplication.instance()
    return instance if isinstance(instance, QApplication) else QApplication([])


def _view() -> Transcript:
    view = Transcript(load_theme("light"))
    view.resize(820, 760)
    view.show()
    QApplication.processEvents()
    _warm(view)
    return view


def _warm(view: Transcript) -> None:
    """What is loaded with the first text of its kind is no part of what the next one costs."""
    view.show_turns(_turns(6))
    _settle(view)


def _settle(view: Transcript) -> None:
    """Until nothing is left to do for it."""
    until = perf_counter() + 5
    while view._idle_timer.isActive() and perf_counter() < until:
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)


def _cost_of_frame(view: Transcript, reply: Turn, piece: str) -> float:
    began = thread_time()
    view.grow(reply.id, piece)
    view._flush()
    QApplication.processEvents()
    return thread_time() - began


def _window(folder: Path) -> tuple[Window, Library, ScriptedEngine]:
    application = _application()
    engine = ScriptedEngine()
    settings = SettingsFile(folder / "settings.toml")
    models = ModelChoice(engine, settings, MODEL)
    library = Library(Store(folder / "conversations.sqlite3"), engine, models)
    window = Window(library, models, settings, ThemeSource(application))
    window.resize(1080, 720)
    window.show()
    QApplication.processEvents()
    return window, library, engine


def _keep_conversation(folder: Path, count: int) -> int:
    """Store a conversation of so many messages of about 1 KB; its id."""
    store = Store(folder / "conversations.sqlite3")
    chance = _chance(count)
    origin = ReplyOrigin(ModelConfig(MODEL), "Made up", streamed=True)
    conversation: int | None = None
    parent: int | None = None
    for number in range(count // 2):
        asked = store.begin_exchange(
            _text(chance, 1000),
            origin,
            conversation=NewConversation(f"{count} messages") if conversation is None else conversation,
            parent=parent,
        )
        answer = Message(Role.ASSISTANT, _text(chance, 1000))
        done = replace(
            asked.reply,
            message=answer,
            state=TurnState.COMPLETE,
            finish_reason=FinishReason.STOP,
            usage=Usage(900, 700, 250),
            timings=timings_of(200, 250),
        )
        store.finish(done, None)
        conversation, parent = asked.reply.conversation, asked.reply.id
        if number % 100 == 0:
            print(f"  {2 * number} of {count} messages stored", file=sys.stderr)
    store.close()
    assert conversation is not None
    return conversation


def _turns(count: int) -> list[Turn]:
    chance = _chance(count)
    turns = []
    for number in range(count):
        role = Role.ASSISTANT if number % 2 else Role.USER
        message = Message(role, _text(chance, 1000))
        turns.append(Turn(1000 + number, 1, None, message, datetime.now(UTC), model_name="Made up"))
    return turns


def _reply(turn: int) -> Turn:
    message = Message(Role.ASSISTANT, "")
    return Turn(turn, 1, None, message, datetime.now(UTC), state=TurnState.WRITING, model_name="Made up")


def _pieces(tokens: int, per_flush: float, seed: int = 7) -> Iterator[str]:
    """So many tokens, as many together as come between two flushes."""
    chance = _chance(seed)
    waiting: list[str] = []
    due = 0.0
    while tokens > 0:
        for token in _TOKEN.findall(_text(chance, 4000) + "\n\n"):
            waiting.append(token)
            tokens -= 1
            if len(waiting) >= due + per_flush:
                due += per_flush - len(waiting)
                yield "".join(waiting)
                waiting = []
            if tokens <= 0:
                break
    if waiting:
        yield "".join(waiting)


def _text(chance: random.Random, length: int) -> str:
    """A text as models write: paragraphs, lists, code, tables, some of it marked."""
    parts: list[str] = []
    size = 0
    while size < length:
        part = chance.choices(_PARTS, (8, 2, 3, 2, 1, 1))[0](chance)
        parts.append(part)
        size += len(part) + 2
    return "\n\n".join(parts)[:length]


def _chance(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - the same words each time


def _sentence(chance: random.Random) -> str:
    words = [chance.choice(_WORDS) for _ in range(chance.randint(6, 16))]
    if chance.random() < 0.3:
        words[3] = f"**{words[3]}**"
    if chance.random() < 0.2:
        words[4] = f"`{words[4]}`"
    if chance.random() < 0.1:
        words[2] = f"[{words[2]}](https://example.org/{words[1]})"
    return " ".join(words).capitalize() + "."


def _paragraph(chance: random.Random) -> str:
    return " ".join(_sentence(chance) for _ in range(chance.randint(2, 5)))


def _heading(chance: random.Random) -> str:
    return "#" * chance.randint(1, 3) + " " + _sentence(chance)[:40]


def _bullets(chance: random.Random) -> str:
    return "\n".join(f"- {_sentence(chance)}" for _ in range(chance.randint(3, 6)))


def _code(chance: random.Random) -> str:
    lines = [f"    {chance.choice(_WORDS)} = {chance.choice(_WORDS)}({chance.randint(1, 99)})  # why" for _ in range(8)]
    return "\n".join(("```python", f"def {chance.choice(_WORDS)}():", *lines, "```"))


def _table(chance: random.Random) -> str:
    rows = ["| what | how much | why |", "|:--|--:|---|"]
    rows += [f"| {chance.choice(_WORDS)} | {chance.randint(1, 999)} | {chance.choice(_WORDS)} |" for _ in range(5)]
    return "\n".join(rows)


def _quote(chance: random.Random) -> str:
    return f"> {_sentence(chance)}"


def _megabytes() -> float:
    QCoreApplication.sendPostedEvents(None, 0)
    return float(psutil.Process(os.getpid()).memory_info().rss) / 1e6


def _run_for(seconds: float) -> None:
    loop = QEventLoop()
    QTimer.singleShot(round(1000 * seconds), loop.quit)
    loop.exec()


_PARTS: Sequence[Callable[[random.Random], str]] = (_paragraph, _heading, _bullets, _code, _table, _quote)
_WORDS = tuple(
    re.findall(
        r"\w+",
        "river water valley bend stone because faster outside slower inside bank carries sand gravel every curve grows "
        "until cuts through leaves lake behind model token cache layer attention value key query memory context window",
    )
)
_TOKEN = re.compile(r" ?\w{1,6}|\s|[^\w\s]")

BENCHMARKS: dict[str, Callable[[], list[Figure]]] = {"transcript": transcript, "soak": soak, "idle": idle}

"""An hour of use of the real window with the real model, measured: memory, open files, threads and timers.

    python -m scripts.soak [--minutes 60]

It says every minute what it finds, and ends with status 1 where memory has grown by more than a tenth after the first
five minutes (a twelfth of a shorter run), or where files, threads or timers heap up.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import cycle

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import psutil
from PySide6.QtCore import QObject, QTimer

from desktop.app import App
from desktop.library import FileFormat
from desktop.wishes import ReplyChoices
from inference import Sampling
from scripts.driving import Condition, after, drive, is_quiet, is_ready

MOST_GROWTH = 1.1
WARM_SHARE = 1 / 12  # of the run: five minutes of an hour
STATES = 32  # megabytes of KV states in memory
SPARE = 2  # files, threads and timers
FEW = 5  # looks; the least of them counts, as the processes for formulas and documents come and go with their pipes
ENOUGH = 60  # tokens of a reply

QUESTIONS = (
    "Why do rivers bend?",
    "Write a Python function that adds two numbers, and explain it.",
    "Write a table of three rivers with their lengths.",
    "What is $a^2 + b^2$ in a right triangle?",
    "List five things that one can see at a river, with a sentence each.",
)


@dataclass(frozen=True, slots=True)
class Figures:
    """What was found at one moment."""

    minutes: float
    megabytes: float
    files: int
    threads: int
    timers: int  # that are running
    objects: int  # of Qt's, below the window
    replies: int

    def __str__(self) -> str:
        return (
            f"{self.minutes:5.1f} min: {self.megabytes:6.1f} MB, {self.files} files, {self.threads} threads,"
            f" {self.timers} timers, {self.objects} objects, {self.replies} replies"
        )


class Soak:
    """Uses the window, and looks at the process now and then."""

    def __init__(self, minutes: float) -> None:
        self._seconds = minutes * 60
        self._began = time.monotonic()
        self._replies = 0
        self.figures: list[Figures] = []

    def script(self, app: App) -> Iterator[Condition]:
        """What is done until the time is up."""
        # What is kept of conversations that were left fills its budget in an hour otherwise, and hides all else.
        app.settings.save(replace(app.settings.current, kv_memory_megabytes=STATES))
        yield is_ready(app)
        self._began = time.monotonic()
        questions = cycle(QUESTIONS)
        for number in range(sys.maxsize):
            if self._elapsed >= self._seconds:
                break
            yield from self._round(app, next(questions), number)
        app.library.new()
        yield after(2.0)
        self._look(app)

    def verdict(self) -> list[str]:
        """What is not as it should be."""
        warm = next((f for f in self.figures if f.minutes * 60 >= self._seconds * WARM_SHARE), self.figures[0])
        last = self.figures[-1]
        found = []
        if last.megabytes > MOST_GROWTH * warm.megabytes:
            found.append(f"memory grew from {warm.megabytes:.0f} to {last.megabytes:.0f} MB")
        for name in ("files", "threads", "timers"):
            before = min(getattr(figures, name) for figures in self.figures[:FEW])
            now = min(getattr(figures, name) for figures in self.figures[-FEW:])
            if now > before + SPARE:
                found.append(f"{name} grew from {before} to {now}")
        return found

    @property
    def _elapsed(self) -> float:
        return time.monotonic() - self._began

    def _round(self, app: App, question: str, number: int) -> Iterator[Condition]:
        window, library = app.window, app.library
        if number % 3 == 0:
            library.new()
        window.session.set_prompt_and_sampling("", Sampling(temperature=0.7))
        yield from self._ask(app, question)
        match number % 6:
            case 1:
                window.conversation_list.search_field.setText(question.split()[-2])
                yield after(0.5)
                window.conversation_list.search_field.setText("")
            case 2 if window.session.turns:
                window.session.regenerate(window.session.turns[-1].id, ReplyChoices(streaming=False))
                yield is_quiet(app)
            case 3:
                app.insights.toggle_inspector()
                yield after(0.5)
                app.insights.toggle_inspector()
            case 4:
                first = library.conversations()[-1]
                library.open(first.id)
                yield after(0.5)
                library.exported([first.id], FileFormat.JSON)
                library.exported([first.id], FileFormat.MARKDOWN)
            case 5:
                app.insights.compare(question)
                yield after(1.0)
                yield app.insights.is_at_rest
                window.close_view()
            case _:
                pass
        if not self.figures or self._elapsed / 60 - self.figures[-1].minutes >= 1.0:
            self._look(app)

    def _ask(self, app: App, question: str) -> Iterator[Condition]:
        session = app.window.session
        session.send(question, ReplyChoices(streaming=True))
        yield lambda: not session.is_busy or session.activity.output_tokens >= ENOUGH
        session.stop()
        yield is_quiet(app)
        self._replies += 1

    def _look(self, app: App) -> None:
        process = psutil.Process()
        timers = [timer for timer in app.findChildren(QTimer) if timer.isActive()]
        timers += [timer for timer in app.window.findChildren(QTimer) if timer.isActive()]
        self.figures.append(
            Figures(
                self._elapsed / 60,
                process.memory_info().rss / 1e6,
                process.num_fds() if hasattr(process, "num_fds") else 0,
                process.num_threads(),
                len(timers),
                len(app.window.findChildren(QObject)),
                self._replies,
            )
        )
        print(self.figures[-1], flush=True)


def main(arguments: Sequence[str]) -> int:
    """Use it for so long; returns the exit status."""
    parser = argparse.ArgumentParser(prog="soak", description="Use the window for a while, and measure.")
    parser.add_argument("--minutes", type=float, default=60.0)
    soak = Soak(parser.parse_args(arguments).minutes)
    status = drive(soak.script)
    found = soak.verdict() if soak.figures else ["it did not come so far"]
    print("Nothing heaps up." if not found else f"Not as it should be: {'; '.join(found)}.")
    return status or int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

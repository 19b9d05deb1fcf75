"""A whole window that is killed at any moment has what it kept, shows it when it starts again, and offers to go on."""

from __future__ import annotations

import os
import random
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from desktop.store import open_store
from inference import embedded_model
from tests.gguf_files import write_tiny_model
from tests.killing import Life, moments, seed

VICTIMS = "tests.desktop.kills.window"
MOMENTS = moments(few=4, some=8)
MOST = 4 * MOMENTS  # lives, until enough ended within a stage: how long one takes, the machine decides each time anew
BEGINNING = 60  # letters of a question, by which it is known in what is shown
STAGES = ("start", "sending", "prefill", "streaming")

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that begin in a moment"),
    pytest.mark.timeout(120 + 15 * MOST),
]


@dataclass
class Kept:
    """What the window said that it had kept, life by life."""

    path: Path
    asked: dict[int, list[str]] = field(default_factory=dict)  # by conversation
    said: dict[int, str] = field(default_factory=dict)
    open: int | None = None  # the conversation that was open when it was killed
    starts: int = 0  # that showed what was open

    def take(self, life: Life) -> None:
        """Look at how it started, and take note of what it kept."""
        for fact in life.facts:
            match fact:
                case ["shows", conversation, shown, notices]:
                    if self.open is not None:
                        assert conversation == self.open, notices
                        assert all(words[:BEGINNING] in shown for words in self.asked.get(conversation, ()))
                        self.starts += 1
                    self.open = conversation
                case ["left"]:
                    self.open = None
                case ["ended", "sending", conversation, words]:
                    self.asked.setdefault(conversation, []).append(words)
                    self.open = conversation
                case ["ended", "streaming" | "prefill", number, text]:
                    self.said[number] = text

    def check(self) -> None:
        store, salvage = open_store(self.path)
        store.close()
        assert salvage is None
        with closing(sqlite3.connect(self.path)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            turns = connection.execute("SELECT id, conversation, role, content, state FROM turns").fetchall()
        there = {(conversation, content) for _, conversation, role, content, _ in turns if role == "user"}
        assert {(number, words) for number, asked in self.asked.items() for words in asked} <= there
        assert self.said.items() <= {(number, content) for number, _, _, content, _ in turns}
        assert "writing" not in {state for *_, state in turns}


@pytest.mark.parametrize(
    ("model", "lines"),
    [
        pytest.param("tiny", 20, id="tiny"),
        pytest.param("embedded", 8, id="embedded", marks=pytest.mark.model),
    ],
)
def test_a_window_killed_at_any_moment_shows_what_it_kept_when_it_starts_again(nursery, tmp_path, model, lines):
    found = write_tiny_model(tmp_path / "tiny.gguf", context_length=2048) if model == "tiny" else embedded_model()
    kept = Kept(tmp_path / "data" / "conversations.sqlite3")

    def order(name: str, most: int | None) -> tuple[object, ...]:
        return "open_window", str(kept.path.parent), str(found), name, lines, most

    whole = nursery.live(*order("whole", 1))
    kept.take(whole)
    kept.check()
    kept.open = None  # it has left by itself
    seconds = {stage: whole.seconds_of(stage) for stage in STAGES}
    dice = random.Random(seed())  # noqa: S311 - the same moments each time
    places: Counter[str] = Counter()

    def enough() -> bool:
        in_stages = sum(places[stage] for stage in STAGES)
        rarest = min(places[stage] for stage in STAGES if stage != "sending")
        return in_stages >= MOMENTS / 2 and kept.starts >= MOMENTS / 3 and (MOMENTS < 20 or rarest >= MOMENTS / 20)

    for number in range(MOST):
        if number >= MOMENTS and enough():
            break
        stage = STAGES[number % len(STAGES)]
        life = nursery.live(*order(str(number), None), begins=stage, seconds=dice.uniform(0, seconds[stage]))
        places[life.place] += 1
        kept.take(life)
        if number % 5 == 4:
            kept.check()
    kept.check()
    spans = {stage: round(span, 3) for stage, span in seconds.items()}
    told = f"seed {seed()}, {places.total()} moments within {spans} s: {dict(places)}; {kept.starts} starts went on"
    print(told)  # noqa: T201 - with -s
    assert enough(), told

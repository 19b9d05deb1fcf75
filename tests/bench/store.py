"""The price of many conversations: searching all of them."""

from __future__ import annotations

import random
import re
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from desktop.conversations import Conversation
from desktop.store import Store
from desktop.turns import Turn
from inference import Message, Role
from tests.bench.figures import Benchmark, Figure, at_most, median_figure, percentile

CONVERSATIONS = 10_000
TURNS = 10  # in each
SEARCHES = 300
ROOT = Path(__file__).parents[2]


def searching() -> list[Figure]:
    """What people type into a search field, over many conversations, as it is typed: from the first letter on."""
    chance = random.Random(1)  # noqa: S311 - the same text every time
    words = Words(chance)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "conversations.sqlite3"
        store = Store(path)
        keep_conversations(store, words, CONVERSATIONS, TURNS)
        while store.tidy():
            pass
        store.close()
        store = Store(path)
        seconds: list[float] = []
        cpu: list[float] = []
        found = 0
        for typed in _typed(chance, words):
            began, worked = time.perf_counter(), time.thread_time()
            hits = store.search(typed)
            seconds.append(time.perf_counter() - began)
            cpu.append(1_000 * (time.thread_time() - worked))
            found += bool(hits)
        size = path.stat().st_size
        store.close()
    milliseconds = [1_000 * each for each in seconds]
    how = (
        f"{CONVERSATIONS} conversations of {TURNS} turns, {size >> 20} MiB; {len(seconds)} searches of letters, pieces,"
        f" words and phrases, {found} with hits; wall clock"
    )
    return [
        Figure("search_p95", percentile(milliseconds, 0.95), "ms", tuple(milliseconds), how, at_most(50)),
        Figure("search_cpu_p95", percentile(cpu, 0.95), "ms", (), "the same, CPU time of its thread"),
        median_figure("search_median", milliseconds, "ms", "the same"),
        Figure("search_max", max(milliseconds), "ms", (), "the same"),
    ]


class Words:
    """English as this project's own pages use it: its words, as often as they come there."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
        text = " ".join(page.read_text(encoding="utf-8") for page in sorted(pages))
        counted = Counter(re.findall(r"[^\W\d_]+", text))
        self.all = tuple(counted)
        self._weights = tuple(counted.values())

    def some(self, count: int) -> str:
        return " ".join(self._chance.choices(self.all, self._weights, k=count))

    def turn(self, *, is_reply: bool) -> str:
        """A question of a line, or a reply of a paragraph up to a page."""
        return self.some(self._chance.choice((40, 120, 300, 500)) if is_reply else self._chance.randint(3, 40)) + "."


def keep_conversations(store: Store, words: Words, count: int, turns: int) -> None:
    """Fill a store, the oldest conversation first."""
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    for number in range(count):
        moment += timedelta(minutes=17)
        conversation = Conversation(number, words.some(6), moment, moment, head=turns)
        store.import_tree(conversation, tuple(_turns(words, conversation, turns)))


def _turns(words: Words, conversation: Conversation, count: int) -> Iterator[Turn]:
    for number in range(1, count + 1):
        is_reply = number % 2 == 0
        message = Message(Role.ASSISTANT if is_reply else Role.USER, words.turn(is_reply=is_reply))
        yield Turn(number, conversation.id, number - 1 or None, message, conversation.created)


def _typed(chance: random.Random, words: Words) -> Iterator[str]:
    for _ in range(SEARCHES // 6):
        rare, common = chance.choice(words.all), words.some(1)
        yield rare
        yield common[: chance.randint(1, 2)]
        yield rare[: chance.randint(3, 6)]
        yield f"{common} {rare}"
        yield f'"{words.some(2)}"'
        yield f"{rare}{chance.choice(words.all)}"


BENCHMARKS: dict[str, Benchmark] = {"search": searching}

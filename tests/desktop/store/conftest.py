"""A store on a file of its own, and a clock that a test sets."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from desktop.changes import Exchange
from desktop.conversations import TurnState
from desktop.store import Store
from desktop.turns import Turn
from inference import FinishReason, Message, ModelConfig, Role, Timings, Usage

MODEL = Path("models/small.gguf")
TIMINGS = Timings(0.001, 0.0, 0.002, 0.5, 0.001, 2.0, 0.003, prefill_tokens=100, output_tokens=21)


@dataclass
class Clock:
    """Stands still until it is moved."""

    now: datetime = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def go_on(self, **by: float) -> None:
        self.now += timedelta(**by)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "data" / "conversations.sqlite3"


@pytest.fixture
def store(path):
    store = Store(path)
    yield store
    store.close()


def ask(store: Store, question: str, after: Exchange | None = None, model: Path = MODEL) -> Exchange:
    return store.begin_exchange(
        question,
        conversation=None if after is None else after.conversation.id,
        parent=None if after is None else after.reply.id,
        title=question,
        model_name="small",
        model=ModelConfig(model),
        streamed=True,
    )


def saying(reply: Turn, text: str, reasoning: str = "") -> Turn:
    return replace(reply, message=Message(Role.ASSISTANT, text, reasoning=reasoning))


def ended(reply: Turn, text: str) -> Turn:
    return replace(
        reply,
        message=Message(Role.ASSISTANT, text, (5, 70_000)),
        state=TurnState.COMPLETE,
        finish_reason=FinishReason.STOP,
        usage=Usage(120, 20, 21),
        timings=TIMINGS,
    )


def answered(store: Store, question: str, answer: str, after: Exchange | None = None) -> Exchange:
    exchange = ask(store, question, after)
    store.finish(ended(exchange.reply, answer), None)
    return exchange

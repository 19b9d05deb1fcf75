"""A store on a file of its own, and a clock that a test sets."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from desktop.store import Store


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

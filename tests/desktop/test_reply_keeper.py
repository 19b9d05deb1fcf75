"""Keeping a reply: soon while it grows, at once at its end, and again where that failed."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

import pytest

from desktop.conversations import TurnState
from desktop.reply_keeper import ReplyKeeper
from desktop.store import Store
from desktop.turns import Turn
from inference import FinishReason, Message, Role
from tests.desktop.exchanges import ask


class Kept:
    def __init__(self, path) -> None:
        self.path = path
        self.store = Store(path, busy_seconds=0.01)
        self.exchange = ask(self.store)
        self.growing: Turn | None = self.exchange.reply
        self.complaints: list[str] = []
        self.keeper = ReplyKeeper(self.store, lambda: self.growing, self.complaints.append, milliseconds=0)

    def saying(self, text: str) -> Turn:
        return replace(self.exchange.reply, message=Message(Role.ASSISTANT, text))

    def end(self, text: str) -> None:
        self.growing = None
        ended = replace(self.saying(text), state=TurnState.COMPLETE, finish_reason=FinishReason.STOP)
        self.keeper.end(ended, None)

    def text(self) -> str:
        return self.store.turns(self.exchange.reply.id)[-1].message.content


@pytest.fixture
def kept(qapp, tmp_path):
    kept = Kept(tmp_path / "conversations.sqlite3")
    yield kept
    kept.store.close()


def test_what_grows_is_kept_soon(kept, qtbot):
    kept.growing = kept.saying("Because")
    kept.keeper.grew()
    assert kept.text() == ""
    qtbot.waitUntil(lambda: kept.text() == "Because")


def test_what_has_ended_is_kept_at_once(kept):
    kept.end("Because.")
    assert kept.text() == "Because."
    assert kept.keeper.is_settled


def test_what_cannot_be_kept_is_said_once_and_kept_later(kept, qtbot):
    other = sqlite3.connect(kept.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    kept.end("Because.")
    kept.keeper.save()
    assert len(kept.complaints) == 1
    assert not kept.keeper.is_settled
    other.execute("ROLLBACK")
    other.close()
    qtbot.waitUntil(lambda: kept.keeper.is_settled)
    assert kept.text() == "Because."


def test_where_the_store_was_closed_meanwhile_nothing_is_kept_and_nobody_complains(kept, qtbot):
    kept.growing = kept.saying("Because")
    kept.keeper.grew()
    kept.store.close()
    with qtbot.captureExceptions() as raised:
        qtbot.waitUntil(lambda: not kept.keeper.is_waiting)
    assert raised == kept.complaints == []

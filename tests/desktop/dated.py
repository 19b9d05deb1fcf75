"""Conversations of a day, and of days before it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any

from desktop.conversations import Conversation

TODAY = date(2026, 3, 20)
NOON = datetime.fromisoformat("2026-03-20 12:00").astimezone()


def conversation(number: int, days_ago: float = 0, **facts: Any) -> Conversation:
    then = NOON - timedelta(days=days_ago)
    return replace(Conversation(number, f"conversation {number}", then, then), **facts)

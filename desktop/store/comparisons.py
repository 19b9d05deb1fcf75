"""Comparisons that were made, with the conversation each was asked in."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from desktop.store.database import Database, insert
from desktop.store.faults import StoreError
from desktop.store.rows import moment_or_long_ago, moment_text
from desktop.store.strict import as_text
from inference import Sentence

if TYPE_CHECKING:
    from desktop.keepsakes import KeptComparison

_MOST = 200  # the oldest go first


class Comparisons:
    """What a store does with comparisons. One that was asked in a conversation goes with it."""

    _database: Database
    _clock: Callable[[], datetime]

    def keep_comparison(self, title: str, content: dict[str, Any], conversation: int | None = None) -> KeptComparison:
        """Keep a comparison; `content` is what JSON can hold."""
        with self._database.writing() as connection:
            number = insert(
                connection,
                "INSERT INTO comparisons (conversation, title, created, content) VALUES (?, ?, ?, ?)",
                *(conversation, title, moment_text(self._clock()), json.dumps(content)),
            )
            connection.execute(
                "DELETE FROM comparisons WHERE id NOT IN (SELECT id FROM comparisons ORDER BY id DESC LIMIT ?)",
                (_MOST,),
            )
            row = connection.execute(f"{_KEPT} WHERE id = ?", (number,)).fetchone()
        return _kept_from(row)

    def comparisons(self) -> tuple[KeptComparison, ...]:
        """All of them, the newest first; without those of conversations that were deleted."""
        with self._database.reading() as connection:
            rows = connection.execute(
                f"{_KEPT} WHERE conversation IS NULL OR conversation IN"
                " (SELECT id FROM conversations WHERE deleted IS NULL) ORDER BY id DESC"
            ).fetchall()
        return tuple(_kept_from(row) for row in rows)

    def comparison(self, number: int) -> dict[str, Any]:
        """What was kept of one."""
        with self._database.reading() as connection:
            row = connection.execute("SELECT content FROM comparisons WHERE id = ?", (number,)).fetchone()
        if row is None:
            raise StoreError(Sentence("This comparison is no longer there."))
        try:
            content = json.loads(row[0])
        except (ValueError, TypeError, RecursionError):  # a flipped bit may have made a number of it
            content = None
        if not isinstance(content, dict):
            raise StoreError(Sentence("This comparison is damaged."))
        return content

    def delete_comparison(self, number: int) -> None:
        """Delete one for good."""
        with self._database.writing() as connection:
            connection.execute("DELETE FROM comparisons WHERE id = ?", (number,))
        self._database.empty_log()


_KEPT = "SELECT id, title, created, conversation FROM comparisons"


def _kept_from(row: tuple[Any, ...]) -> KeptComparison:
    from desktop.keepsakes import KeptComparison

    number, title, created, conversation = row
    known = conversation if type(conversation) is int else None
    return KeptComparison(number, as_text(title), moment_or_long_ago(created), known)

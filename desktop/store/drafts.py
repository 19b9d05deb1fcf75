"""What is typed, and attached to it, before it is sent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from desktop.store.database import Database
from desktop.store.strict import as_text, size_or_0

if TYPE_CHECKING:
    from desktop.turns import Attachment


class Drafts:
    """A draft for each conversation, and one (`None`) for a conversation that has no prompt yet."""

    _database: Database

    @property
    def new_draft(self) -> str:
        """What was typed for a conversation that has no prompt yet."""
        with self._database.reading() as connection:
            row = connection.execute("SELECT text FROM new_draft").fetchone()
        return "" if row is None else as_text(row[0])

    def set_draft(self, conversation: int | None, text: str) -> None:
        """Keep what is being typed."""
        with self._database.writing() as connection:
            if conversation is None:
                connection.execute("DELETE FROM new_draft")
                connection.execute("INSERT INTO new_draft (text) VALUES (?)", (text,))
            else:
                connection.execute("UPDATE conversations SET draft = ? WHERE id = ?", (text, conversation))

    def draft_attachments(self, conversation: int | None) -> tuple[Attachment, ...]:
        """What will go along with it, in order."""
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT name, kind, size, text FROM draft_attachments WHERE conversation IS ? ORDER BY position",
                (conversation,),
            ).fetchall()
        return tuple(_attachment(row) for row in rows)

    def set_draft_attachments(self, conversation: int | None, attachments: Sequence[Attachment]) -> None:
        """Keep what will go along with it."""
        with self._database.writing() as connection:
            connection.execute("DELETE FROM draft_attachments WHERE conversation IS ?", (conversation,))
            connection.executemany(
                "INSERT INTO draft_attachments (conversation, position, name, kind, size, text)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (
                    (conversation, position, each.name, each.kind, each.size, each.text)
                    for position, each in enumerate(attachments)
                ),
            )


def _attachment(row: tuple[Any, ...]) -> Attachment:
    from desktop.turns import Attachment  # hardly any start finds one

    name, kind, size, text = row
    return Attachment(as_text(name), as_text(kind), size_or_0(size), as_text(text))

"""What was typed in one conversation and not sent, with the files that were attached to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from desktop.conversations import Conversation
from desktop.spoken import spoken
from desktop.store import Store, StoreError

if TYPE_CHECKING:
    from desktop.turns import Attachment


class Draft(QObject):
    """It is kept as it changes. Where that fails it stays here: `complain` is told why, once, and it is tried again so
    many milliseconds later."""

    def __init__(
        self,
        store: Store,
        conversation: Conversation | None,
        complain: Callable[[str], object],
        parent: QObject,
        *,
        milliseconds: int,
    ) -> None:
        super().__init__(parent)
        self._store = store
        self._complain = complain
        self._conversation = None if conversation is None else conversation.id
        self._text = store.new_draft if conversation is None else conversation.draft
        self._is_kept = True
        self._has_said_why_not = False
        self._timer = QTimer(self, singleShot=True, interval=milliseconds)
        self._timer.timeout.connect(self.keep)

    @property
    def text(self) -> str:
        return self._text

    @property
    def is_kept(self) -> bool:
        return self._is_kept

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        """Read anew each time."""
        try:
            return self._store.draft_attachments(self._conversation)
        except StoreError as error:
            self._complain(spoken(error))
            return ()

    def set_text(self, text: str) -> None:
        if text != self._text:
            self._text, self._is_kept = text, False
            self.keep()

    def set_attachments(self, attachments: Sequence[Attachment]) -> None:
        try:
            self._store.set_draft_attachments(self._conversation, attachments)
        except StoreError as error:
            self._complain(spoken(error))

    def keep(self) -> None:
        """Once more, where it could not be kept."""
        if self._is_kept or self._store.is_closed:
            return
        try:
            self._store.set_draft(self._conversation, self._text)
            self._is_kept, self._has_said_why_not = True, False
        except StoreError as error:
            if not self._has_said_why_not:
                self._has_said_why_not = True
                self._complain(spoken(error))
            self._timer.start()

    def begin_anew(self, conversation: int) -> None:
        """It was sent, in this conversation."""
        self._conversation, self._text, self._is_kept = conversation, "", True

"""All conversations: which there are, which is open, and which have a reply running."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from desktop.chat_session import ChatSession
from desktop.conversations import Conversation
from desktop.model_choice import ModelChoice
from inference import Event

if TYPE_CHECKING:
    from desktop.store import Store
    from inference import Engine


class Library(QObject):
    """The conversations and their sessions. A session lives while it is open or has a reply running."""

    conversations_changed = Signal()
    opened = Signal(object)  # ChatSession: the one to show now

    def __init__(self, store: Store, engine: Engine, models: ModelChoice, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._engine = engine
        self._models = models
        self._current = ChatSession(store, engine, models, parent=self)

    @property
    def current(self) -> ChatSession:
        """The session that is shown."""
        return self._current

    @property
    def interrupted(self) -> int:
        """How many replies were found cut off when the program started."""
        return 0

    def conversations(self) -> tuple[Conversation, ...]:
        """Newest first."""
        return ()

    def new(self) -> None:
        """Open an empty conversation; it is kept from its first prompt on."""

    def open(self, conversation_id: int) -> None:
        """Show a conversation."""

    def on_event(self, event: Event) -> None:
        """Hand an event of the engine to the session it belongs to."""

"""All conversations: which there are, which is open, and which have a reply running."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

import inference
from desktop.chat_session import ChatSession
from desktop.conversations import Conversation, Turn
from desktop.model_choice import ModelChoice, ModelState
from desktop.store import Store, StoreError


class Library(QObject):
    """The conversations and their sessions. A session lives while it is open or has something left to do."""

    conversations_changed = Signal()
    opened = Signal(object)  # ChatSession: the one to show now
    failed = Signal(str)  # a sentence that belongs to no conversation

    def __init__(
        self, store: Store, engine: inference.Engine, models: ModelChoice, parent: QObject | None = None
    ) -> None:
        """Raises StoreError where the conversations cannot be read."""
        super().__init__(parent)
        self._store = store
        self._engine = engine
        self._models = models
        self._known = store.conversations()
        self._sessions: list[ChatSession] = []
        self._current = self._new_session(None)
        models.changed.connect(self._on_model)

    @property
    def current(self) -> ChatSession:
        """The session that is shown."""
        return self._current

    @property
    def interrupted(self) -> int:
        """How many replies were found cut off when the program started."""
        return self._store.interrupted

    def conversations(self) -> tuple[Conversation, ...]:
        """Newest first; those last known where they cannot be read now."""
        try:
            self._known = self._store.conversations()
        except StoreError as error:
            self.failed.emit(str(error))
        return self._known

    def new(self) -> None:
        """Open an empty conversation; it is kept from its first prompt on."""
        if self._current.conversation is None:
            self.opened.emit(self._current)
            return
        try:
            self._show(self._session_of(None))
        except StoreError as error:
            self.failed.emit(str(error))

    def open(self, conversation_id: int) -> None:
        """Show a conversation; a reply that runs in it goes on in either case."""
        try:
            self._show(self._session_of(conversation_id))
        except StoreError as error:
            self.failed.emit(str(error))

    def on_event(self, event: inference.Event) -> None:
        """Hand an event of the engine to the sessions; each knows which requests are its own."""
        for session in tuple(self._sessions):
            session.on_event(event)

    def flush(self) -> None:
        """Store now what otherwise waits a moment."""
        for session in self._sessions:
            session.flush()

    def _session_of(self, conversation_id: int | None) -> ChatSession:
        """The one that has something left to do there, else another, which reads what other windows did meanwhile.

        `None` is for an empty conversation.
        """
        for session in self._sessions:
            conversation = session.conversation
            is_of_it = (None if conversation is None else conversation.id) == conversation_id
            if is_of_it and not session.is_settled:
                return session
        return self._new_session(None if conversation_id is None else self._store.conversation(conversation_id))

    def _new_session(self, conversation: Conversation | None) -> ChatSession:
        session = ChatSession(self._store, self._engine, self._models, conversation, self)
        session.title_changed.connect(self.conversations_changed)
        session.turn_added.connect(self._on_turn_added)
        session.turn_changed.connect(self._on_turn_changed)
        self._sessions.append(session)
        return session

    def _show(self, session: ChatSession) -> None:
        left = self._current
        left.flush()
        self._current = session
        self._let_go_of_settled()
        self.opened.emit(session)

    def _let_go_of_settled(self) -> None:
        for session in tuple(self._sessions):
            if session is not self._current and session.is_settled:
                self._sessions.remove(session)
                session.deleteLater()

    def _on_model(self, state: ModelState) -> None:
        for session in tuple(self._sessions):
            session.on_model(state)

    def _on_turn_added(self, turn: Turn) -> None:
        # A conversation with a new question moves to the top of the list; its reply follows at once.
        if turn.is_reply:
            self.conversations_changed.emit()

    def _on_turn_changed(self, _turn: Turn) -> None:
        self._let_go_of_settled()
        self.conversations_changed.emit()

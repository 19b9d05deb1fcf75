"""All conversations: which there are, which is open, and which have a reply running."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, assert_never

from PySide6.QtCore import QObject, QTimer, Signal

import inference
from desktop.chat_session import ChatSession
from desktop.conversations import Conversation
from desktop.known_conversations import KnownConversations
from desktop.model_choice import ModelChoice, ModelState
from desktop.spoken import spoken
from desktop.store import Store, StoreError
from desktop.whole_files import whole_file
from inference import EngineClosed

if TYPE_CHECKING:
    from desktop.changes import Deletion
    from desktop.exchange import Tree
    from desktop.hits import Hit
    from desktop.import_reader import ConversationReader, ConversationsRead
    from desktop.imports import Imports
    from desktop.turns import Turn

FORGOTTEN_AFTER = 3_600.0  # seconds after which what was deleted in a window that is gone is purged
TIDY_MILLISECONDS = 20  # between two small pieces of work that nobody waits for

_Result = TypeVar("_Result")


class FileFormat(StrEnum):
    """What conversations are written as."""

    MARKDOWN = "markdown"
    JSON = "json"


class Library(QObject):
    """The conversations and their sessions. A session lives while it is open or has something left to do.

    Temporary conversations are in a store of their own, in memory, and have ids below zero.
    """

    conversations_changed = Signal()
    opened = Signal(object)  # ChatSession: the one to show now
    deleted = Signal(object)  # the conversations that `undo_delete` brings back: a tuple
    imported = Signal(object)  # ImportReport: all of a file is kept
    busy_changed = Signal()  # replies are made in other conversations than before
    failed = Signal(str)  # a sentence that belongs to no conversation

    def __init__(
        self,
        store: Store,
        engine: inference.Engine,
        models: ModelChoice,
        parent: QObject | None = None,
        *,
        make_reader: Callable[[], ConversationReader] | None = None,
    ) -> None:
        """The reader hands what it reads to `on_file_read`; without one, files are read while the window waits.

        Raises:
            StoreError: the conversations cannot be read.
        """
        super().__init__(parent)
        self._store = store
        self._engine = engine
        self._models = models
        self._known = KnownConversations(store)
        self._temporary: Store | None = None
        self._deleted: list[tuple[int, ...]] = []
        self._deletions: dict[int, list[Deletion]] = {}  # of messages, in conversations that were left
        self._sessions: list[ChatSession] = []
        self._busy: frozenset[int] = frozenset()
        self._current = self._new_session(None, store)
        self._make_reader = make_reader or self._reader_at_once
        self._imports: Imports | None = None  # made with the first file
        self._tidy_timer = QTimer(self, singleShot=True, interval=TIDY_MILLISECONDS)
        self._tidy_timer.timeout.connect(self._tidy)
        models.changed.connect(self._on_model)

    @property
    def current(self) -> ChatSession:
        """The session that is shown."""
        return self._current

    @property
    def interrupted(self) -> int:
        """How many replies were found cut off when the program started."""
        return self._store.interrupted

    @property
    def busy(self) -> frozenset[int]:
        """The conversations in which a reply is being made."""
        return self._busy

    @property
    def can_undo_delete(self) -> bool:
        """Whether something was deleted that can be brought back."""
        return bool(self._deleted)

    def conversations(self) -> tuple[Conversation, ...]:
        """Newest first, temporary ones before all others; those last known where they cannot be read now."""
        kept = self._attempt(self._known.current)
        temporary = () if self._temporary is None else self._temporary.conversations()
        return (*temporary, *(self._known.last_read if kept is None else kept))

    def folders(self) -> tuple[str, ...]:
        """Those that something is in, by name."""
        return self._attempt(self._store.folders) or ()

    def search(self, words: str, limit: int = 50) -> tuple[Hit, ...]:
        """Where all these words are, in titles and texts, the best first; temporary conversations before all others."""
        temporary = () if self._temporary is None else self._temporary.search(words, limit)
        kept = self._attempt(lambda: self._store.search(words, limit))
        return (*temporary, *(kept or ()))[:limit]

    # Opening

    def new(self, *, temporary: bool = False) -> None:
        """Open an empty conversation; it is kept from its first prompt on, a temporary one nowhere but in memory."""
        store = self._temporary_store() if temporary else self._store
        if self._current.conversation is None and self._current.is_temporary is temporary:
            self.opened.emit(self._current)
            return
        self._attempt(lambda: self._show(self._session_of(None, store)))

    def open(self, conversation_id: int) -> None:
        """Show a conversation; a reply that runs in it goes on in either case."""
        self._attempt(lambda: self._show(self._session_of(conversation_id, self._store_of(conversation_id))))

    # What can be done with them

    def rename(self, conversation_id: int, title: str) -> None:
        """Give a conversation another title; an empty one is none."""
        words = " ".join(title.encode("utf-16", "surrogatepass").decode("utf-16", "replace").split())
        if words:
            self._change([conversation_id], lambda store, _: store.rename(conversation_id, words))

    def set_pinned(self, conversations: Iterable[int], *, pinned: bool) -> None:
        """Keep conversations before all others, or no longer."""

        def pin(store: Store, numbers: Sequence[int]) -> None:
            for number in numbers:
                store.set_pinned(number, pinned=pinned)

        self._change(conversations, pin)

    def move_to_folder(self, conversations: Iterable[int], folder: str) -> None:
        """Put conversations into a folder; "" takes them out of all."""
        self._change(conversations, lambda store, numbers: store.set_folder(numbers, " ".join(folder.split())))

    def duplicate(self, conversation_id: int) -> Conversation | None:
        """Keep a conversation a second time, with all of its branches, and open it."""
        store = self._store_of(conversation_id)
        self.flush()

        def copy() -> Conversation:
            title = self.tr("{title} (copy)").format(title=store.conversation(conversation_id).title)
            return store.duplicate(conversation_id, title)

        made = self._attempt(copy)
        if made is not None:
            self._on_changed([made.id])
            self.open(made.id)
        return made

    # Deleting

    def delete(self, conversations: Iterable[int]) -> None:
        """Put conversations out of sight, ending the replies that run in them; `undo_delete` brings them back."""
        numbers = frozenset(conversations)
        gone = tuple(conversation for conversation in self.conversations() if conversation.id in numbers)
        if not gone:
            return
        for session in self._sessions:
            if session.conversation is not None and session.conversation.id in numbers:
                session.stop()
                session.flush()
        chosen = tuple(conversation.id for conversation in gone)
        if not self._change(chosen, lambda store, some: store.delete(some)):
            return
        self._deleted.append(chosen)
        if self._current.conversation is not None and self._current.conversation.id in numbers:
            self.new()
        self.deleted.emit(gone)

    def undo_delete(self) -> None:
        """Bring back what was deleted last; a single conversation is opened again."""
        if not self._deleted:
            return
        numbers = self._deleted[-1]
        if self._change(numbers, lambda store, some: store.restore(some)):
            self._deleted.pop()
            if len(numbers) == 1:
                self.open(numbers[0])

    def finish_deleting(self) -> None:
        """Delete for good what was deleted: from now on nothing brings it back."""
        numbers = tuple(number for some in self._deleted for number in some)
        self._deleted.clear()
        self._purge(numbers)

    # Files

    def import_file(self, path: Path) -> None:
        """Keep the conversations of a file; ends with `imported`, or with `failed`."""
        self._make_reader().read(path)

    def on_file_read(self, read: ConversationsRead) -> None:
        """Keep what the reader found."""
        if self._imports is None:
            self._imports = self._make_imports()
        self._imports.take(read)

    def exported(self, conversations: Iterable[int], kind: FileFormat) -> str | None:
        """Conversations as the text of a file: as JSON with all branches and figures, as Markdown as they are shown."""
        from desktop import exchange

        self.flush()
        chosen = tuple(conversations)
        match kind:
            case FileFormat.JSON:
                trees = self._attempt(lambda: [self._tree(number) for number in chosen])
                return None if trees is None else exchange.to_json_of(trees)
            case FileFormat.MARKDOWN:
                texts = self._attempt(lambda: [self._as_markdown(number) for number in chosen])
                return None if texts is None else "\n---\n\n".join(texts)
            case _:
                assert_never(kind)

    def export(self, conversations: Iterable[int], path: Path, kind: FileFormat) -> bool:
        """Write conversations into a file; whether that was possible."""
        text = self.exported(conversations, kind)
        if text is None:
            return False
        try:
            with whole_file(path) as half_written:
                half_written.write_text(text, encoding="utf-8", newline="\n")
        except OSError as error:
            self.failed.emit(
                self.tr("{file} cannot be written: {reason}.").format(file=path.name, reason=error.strerror or error)
            )
            return False
        return True

    # The program

    def put_off(self) -> Iterator[Callable[[], object]]:
        """What is to be done once the window stands, in small pieces."""
        while not self._known.is_whole:
            yield self._read_more
        yield self.conversations_changed.emit
        yield self._purge_forgotten
        yield self._tidy_timer.start

    def on_event(self, event: inference.Event) -> None:
        """Hand an event of the engine to the sessions; each knows which requests are its own."""
        for session in tuple(self._sessions):
            session.on_event(event)

    def flush(self) -> bool:
        """Store now what otherwise waits a moment; whether all of it could be."""
        is_kept = True
        for session in self._sessions:
            is_kept = session.flush() and is_kept
        return is_kept

    def close(self) -> None:
        """Let go of what is in memory alone, and leave undone what can wait."""
        self._tidy_timer.stop()
        if self._imports is not None:
            self._imports.stop()
        if self._temporary is not None:
            self._temporary.close()

    def _reader_at_once(self) -> ConversationReader:
        from desktop.import_reader import ConversationReader

        return ConversationReader(self.on_file_read, in_background=False)

    def _make_imports(self) -> Imports:
        from desktop.imports import Imports

        imports = Imports(self._store, self)
        imports.kept.connect(self._on_changed)
        imports.ended.connect(self.imported)
        imports.failed.connect(self.failed)
        return imports

    def _tree(self, number: int) -> Tree:
        from desktop.exchange import Tree

        store = self._store_of(number)
        return Tree(store.conversation(number), self._as_said(store.tree(number)), store.traces(number))

    def _as_markdown(self, number: int) -> str:
        from desktop.exchange import to_markdown

        store = self._store_of(number)
        conversation = store.conversation(number)
        return to_markdown(conversation, self._as_said(store.turns(conversation.head)))

    def _as_said(self, turns: Iterable[Turn]) -> tuple[Turn, ...]:
        """The turns with what could not be kept yet."""
        unkept = {_key(turn): turn for session in self._sessions if (turn := session.unkept) is not None}
        return tuple(replace(unkept.get(_key(turn), turn), parent=turn.parent) for turn in turns)

    def _store_of(self, conversation_id: int) -> Store:
        return self._store if conversation_id >= 0 else self._temporary_store()

    def _temporary_store(self) -> Store:
        if self._temporary is None:
            self._temporary = Store(None)
        return self._temporary

    def _session_of(self, conversation_id: int | None, store: Store) -> ChatSession:
        """The one that has something left to do there, else another, which reads what other windows did meanwhile.

        `None` is for an empty conversation.
        """
        for session in self._sessions:
            conversation = session.conversation
            is_of_it = (None if conversation is None else conversation.id) == conversation_id
            if is_of_it and session.is_temporary is store.is_temporary and not session.is_settled:
                return session
        return self._new_session(None if conversation_id is None else store.conversation(conversation_id), store)

    def _new_session(self, conversation: Conversation | None, store: Store) -> ChatSession:
        deletions = None if conversation is None else self._deletions_in(conversation.id)
        session = ChatSession(store, self._engine, self._models, conversation, self, deletions=deletions)
        session.title_changed.connect(self._on_title_changed)
        session.turn_added.connect(self._on_turn_added)
        session.turn_changed.connect(self._on_turn_changed)
        session.activity_changed.connect(self._on_activity)
        self._sessions.append(session)
        return session

    def _deletions_in(self, conversation_id: int) -> list[Deletion]:
        """The messages that were deleted there and can be brought back, whichever session that was."""
        for session in self._sessions:
            if session.conversation is not None and session.conversation.id == conversation_id:
                self._deletions[conversation_id] = session.deletions
        return self._deletions.setdefault(conversation_id, [])

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
                if session.conversation is not None and session.deletions:
                    self._deletions[session.conversation.id] = session.deletions
                session.deleteLater()

    def _change(self, conversations: Iterable[int], change: Callable[[Store, Sequence[int]], None]) -> bool:
        """Do something with conversations, in whichever stores they are; whether that was possible."""
        chosen = tuple(conversations)
        kept = [number for number in chosen if number >= 0]
        temporary = [number for number in chosen if number < 0]

        def change_all() -> bool:
            if kept:
                change(self._store, kept)
            if temporary:
                change(self._temporary_store(), temporary)
            return True

        done = bool(self._attempt(change_all))
        self._on_changed(chosen)
        return done

    def _on_changed(self, numbers: Iterable[int]) -> None:
        chosen = tuple(numbers)
        self._known.changed(number for number in chosen if number >= 0)
        for session in self._sessions:
            if session.conversation is not None and session.conversation.id in chosen:
                self._attempt(session.reread)
        self.conversations_changed.emit()
        self._tidy_timer.start()

    def _purge_forgotten(self) -> None:
        """Purge what was deleted in windows that were closed, or ended, before they could."""
        self._purge(self._attempt(lambda: self._store.deleted(for_seconds=FORGOTTEN_AFTER)) or ())
        # Another window may have held their states still, and written them when it was left.
        self._forget_states(self._attempt(self._store.purged) or ())
        # A deleted message is in the states of its conversation too.
        self._forget_states(self._attempt(lambda: self._store.purge_turns(for_seconds=FORGOTTEN_AFTER)) or ())

    def _purge(self, numbers: Sequence[int]) -> None:
        if numbers and self._change(numbers, lambda store, some: store.purge(some)):
            self._forget_states(numbers)

    def _forget_states(self, numbers: Sequence[int]) -> None:
        if numbers:
            from desktop.asking import states_owner

            with suppress(EngineClosed):  # it is told again with the next start
                self._engine.forget_states([states_owner(number) for number in numbers])

    def _read_more(self) -> None:
        self._attempt(self._known.read_more)

    def _tidy(self) -> None:
        """Index and tidy a little, while no reply is being made, until nothing is left to do."""
        if any(session.is_busy for session in self._sessions):
            return
        stores = [store for store in (self._store, self._temporary) if store is not None]
        try:
            has_more = [store.tidy() for store in stores]
            if any(has_more):
                self._tidy_timer.start()
        except StoreError:
            return  # nobody waits for it; the next change begins again, and searches index what they need

    def _attempt(self, work: Callable[[], _Result]) -> _Result | None:
        """What `work` gives; `None` where the world was against it, which is then said."""
        try:
            return work()
        except StoreError as error:
            self.failed.emit(spoken(error))
            return None

    def _on_model(self, state: ModelState) -> None:
        for session in tuple(self._sessions):
            session.on_model(state)

    def _on_title_changed(self) -> None:
        self.conversations_changed.emit()

    def _on_turn_added(self, turn: Turn) -> None:
        # A conversation with a new question moves to the top of the list; its reply follows at once.
        if turn.is_reply:
            self._know_of_change(turn)
            self.conversations_changed.emit()

    def _on_turn_changed(self, turn: Turn) -> None:
        self._know_of_change(turn)
        self._let_go_of_settled()
        self.conversations_changed.emit()
        self._tidy_timer.start()

    def _on_activity(self) -> None:
        found = (session.conversation for session in self._sessions if session.is_busy)
        busy = frozenset(conversation.id for conversation in found if conversation is not None)
        if busy != self._busy:
            self._busy = busy
            self.busy_changed.emit()

    def _know_of_change(self, turn: Turn) -> None:
        if turn.conversation >= 0:
            self._known.changed([turn.conversation])


def _key(turn: Turn) -> tuple[int, int]:
    """Those of temporary conversations have ids of their own."""
    return turn.conversation, turn.id

"""The conversations as they were last read, so that nobody reads all of them again for one that changed."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from operator import attrgetter

from desktop.conversations import Conversation
from desktop.store import Store

AT_ONCE = 200  # are read for the first picture of the window, and at a time when it stands


class KnownConversations:
    """What is in a store, newest first. What is said to have changed is read again when somebody asks.

    Raises:
        StoreError: where they cannot be read.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._all: dict[int, Conversation] = {}
        self._changed: set[int] = set()
        self._sorted: tuple[Conversation, ...] = ()
        self._version = -1
        self._is_whole = False
        self._read_to: tuple[datetime, int] | None = None
        self._begin()

    @property
    def is_whole(self) -> bool:
        """Whether all are known."""
        return self._is_whole

    @property
    def last_read(self) -> tuple[Conversation, ...]:
        """Those known, whatever changed since."""
        return self._sorted

    def changed(self, numbers: Iterable[int]) -> None:
        """Something was done with these: they were added, deleted, renamed."""
        self._changed.update(numbers)

    def current(self) -> tuple[Conversation, ...]:
        """Those known, as they are now: the newest and those that are pinned, and all once `read_more` has said so."""
        if self._store.foreign_changes != self._version:
            self._begin()
            while self.read_more():
                pass
        if self._changed:
            found = self._store.conversations_of(tuple(self._changed))
            for number in self._changed:
                self._all.pop(number, None)
            self._changed.clear()
            self._know(found)
        return self._sorted

    def read_more(self) -> bool:
        """Know a few more of them; whether there may be others."""
        if not self._is_whole:
            page = self._store.conversations(AT_ONCE, self._read_to)
            self._is_whole = len(page) < AT_ONCE
            if page:
                self._read_to = (page[-1].updated, page[-1].id)
            self._all |= {conversation.id: conversation for conversation in page}
            if self._is_whole:
                self._know(())
        return not self._is_whole

    def _begin(self) -> None:
        version, newest = self._store.foreign_changes, self._store.conversations(AT_ONCE)
        is_whole = len(newest) < AT_ONCE
        known = newest if is_whole else (*newest, *self._store.pinned())
        self._version, self._is_whole = version, is_whole
        self._read_to = (newest[-1].updated, newest[-1].id) if newest else None
        self._all.clear()
        self._changed.clear()
        self._know(known)

    def _know(self, conversations: Iterable[Conversation]) -> None:
        self._all |= {conversation.id: conversation for conversation in conversations}
        self._sorted = tuple(sorted(self._all.values(), key=attrgetter("updated", "id"), reverse=True))

"""The list of conversations is always that of the store, however little of it is read."""

from __future__ import annotations

import pytest

from desktop.conversations import Conversation
from desktop.known_conversations import AT_ONCE, KnownConversations
from desktop.store import Store
from tests.desktop.store.conftest import Clock


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "conversations.sqlite3", clock=Clock())
    yield store
    store.close()


def fill(store: Store, count: int) -> list[int]:
    """Conversations of one moment and of several, the last one the newest."""
    moments = Clock()
    numbers = []
    for number in range(count):
        moments.go_on(seconds=number % 3 == 0)
        numbers.append(store.import_tree(Conversation(0, str(number), moments(), moments()), ()).id)
    return numbers


def test_few_conversations_are_known_at_once(store):
    fill(store, 5)
    known = KnownConversations(store)
    assert known.is_whole
    assert known.current() == store.conversations()


def test_of_many_the_newest_and_the_pinned_are_known_first_and_then_all(store):
    numbers = fill(store, 2 * AT_ONCE + 30)
    store.set_pinned(numbers[7], pinned=True)
    known = KnownConversations(store)
    assert known.current() == (*store.conversations(AT_ONCE), store.conversation(numbers[7]))
    pages = 1
    while known.read_more():
        pages += 1
    assert pages == 2
    assert known.current() == store.conversations()


def test_what_changes_while_they_are_read_is_known_too(store):
    numbers = fill(store, 2 * AT_ONCE + 30)
    known = KnownConversations(store)
    store.rename(numbers[0], "renamed")
    store.delete([numbers[50], numbers[-1]])
    known.changed([numbers[0], numbers[50], numbers[-1]])
    known.current()
    while known.read_more():
        pass
    assert known.current() == store.conversations()


def test_only_what_changed_is_read_again(store):
    numbers = fill(store, 5)
    known = KnownConversations(store)
    store.rename(numbers[0], "renamed")
    store.rename(numbers[1], "renamed, too")
    store.purge([numbers[4]])
    known.changed([numbers[0], numbers[4]])
    assert [each.title for each in known.current()] == ["3", "2", "1", "renamed"]
    assert known.last_read == known.current()


def test_what_another_window_did_is_known_without_being_told(store, tmp_path):
    numbers = fill(store, AT_ONCE + 5)
    known = KnownConversations(store)
    other = Store(tmp_path / "conversations.sqlite3")
    other.rename(numbers[0], "renamed elsewhere")
    other.delete([numbers[-1]])
    assert known.current() == store.conversations()
    other.close()

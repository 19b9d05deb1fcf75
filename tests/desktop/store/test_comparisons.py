"""Comparisons that are kept, and go with the conversation they were asked in."""

from __future__ import annotations

import pytest

from desktop.store import Store, StoreError
from tests.desktop.exchanges import ask

CONTENT = {"prompt": "Why?", "runs": [1, 2.5, None]}


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "conversations.sqlite3")
    yield store
    store.close()


def conversation_in(store: Store) -> int:
    return ask(store).conversation.id


def test_what_was_kept_comes_back_the_newest_first(store):
    first = store.keep_comparison("Why?", CONTENT)
    second = store.keep_comparison("How?", {"prompt": "How?"})
    assert store.comparisons() == (second, first)
    assert store.comparison(first.id) == CONTENT


def test_one_that_is_deleted_is_gone(store):
    kept = store.keep_comparison("Why?", CONTENT)
    store.delete_comparison(kept.id)
    assert store.comparisons() == ()
    with pytest.raises(StoreError, match="no longer there"):
        store.comparison(kept.id)


def test_it_goes_with_its_conversation_and_comes_back_with_it(store):
    conversation = conversation_in(store)
    kept = store.keep_comparison("Why?", CONTENT, conversation)
    assert kept.conversation == conversation
    store.delete([conversation])
    assert store.comparisons() == ()
    store.restore([conversation])
    assert store.comparisons() == (kept,)
    store.delete([conversation])
    store.purge([conversation])
    with pytest.raises(StoreError):
        store.comparison(kept.id)


def test_nothing_of_a_purged_one_is_left_in_the_files(store, tmp_path):
    conversation = conversation_in(store)
    store.keep_comparison("Why?", {"prompt": "a very particular sentence"}, conversation)
    store.purge([conversation])
    store.close()
    assert all(b"a very particular sentence" not in file.read_bytes() for file in tmp_path.glob("*.sqlite3*"))


def test_only_so_many_are_kept_the_oldest_go_first(store):
    kept = [store.keep_comparison(str(number), CONTENT) for number in range(203)]
    assert [each.title for each in store.comparisons()] == [each.title for each in reversed(kept[3:])]

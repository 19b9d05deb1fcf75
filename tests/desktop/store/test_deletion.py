"""What was deleted can be brought back until it is deleted for good; then no byte of it is left anywhere."""

from __future__ import annotations

import random
import sqlite3
import string
from dataclasses import replace
from pathlib import Path

import pytest

from desktop.changes import NewConversation
from desktop.conversations import TurnState
from desktop.keepsakes import Preset
from desktop.store import Store, StoreError
from desktop.turns import Attachment
from desktop.wishes import Wishes
from inference import Message, Role, Trace
from tests.desktop.exchanges import SMALL, answered, ask, ended, saying

SCHEMAS = Path(__file__).parent / "schemas"
SECRETS = ("Zwergpinguin", "Quittenmus", "Flusskrebs", "Xylophon", "Jodprobe", "Wippsteert", "Ypsilon")


def files_with(folder, *words: str) -> set[tuple[str, str]]:
    """Which of the words stand in which file, in any case and as UTF-8 or UTF-16."""
    found = set()
    for path in folder.rglob("*"):
        if path.is_file():
            content = path.read_bytes().lower()
            for word in words:
                if any(word.lower().encode(code) in content for code in ("utf-8", "utf-16-le", "utf-16-be")):
                    found.add((path.name, word))
    return found


def tell_secrets(store: Store) -> int:
    """A conversation with a secret in each place where there is text."""
    store.set_draft(None, f"typing {SECRETS[0]}")
    exchange = store.begin_exchange(
        f"What of {SECRETS[0]}?",
        SMALL,
        conversation=NewConversation(f"On {SECRETS[1]}", Wishes(f"Mind the {SECRETS[4]}.")),
        attachments=(Attachment(f"{SECRETS[2]}.txt", "txt", 9, f"about {SECRETS[3]} " * 500),),
    )
    for length in range(1, 40):
        store.checkpoint(saying(exchange.reply, f"a {SECRETS[5]} " * 50 * length, f"thinking of {SECRETS[6]}" * length))
    reply = replace(
        ended(exchange.reply, ""), message=Message(Role.ASSISTANT, f"a {SECRETS[5]} " * 100, (1, 2), SECRETS[6])
    )
    store.finish(reply, Trace((5, 7), (0.5, 0.6), 2))
    store.set_draft(exchange.conversation.id, f"and then {SECRETS[0]}")
    return exchange.conversation.id


def fill(store: Store, number: int) -> None:
    chance = random.Random(number)  # noqa: S311 - text to fill the file with, the same every time
    words = ["".join(chance.choices(string.ascii_lowercase, k=chance.randint(2, 9))) for _ in range(400)]
    for _ in range(10):
        answered(store, " ".join(chance.choices(words, k=9)), " ".join(chance.choices(words, k=300)))


def tidy(store: Store) -> None:
    while store.tidy():
        pass


def test_no_byte_of_what_was_purged_is_left_while_the_program_goes_on(store, path):
    fill(store, 1)
    secret = tell_secrets(store)
    fill(store, 2)
    tidy(store)
    store.search(SECRETS[5])
    assert {word for _, word in files_with(path.parent, *SECRETS)} == set(SECRETS)
    store.delete([secret])
    store.purge([secret])
    assert files_with(path.parent, *SECRETS) == set()
    tidy(store)
    assert files_with(path.parent, *SECRETS) == set()
    assert len(store.conversations()) == 20


def test_nor_when_it_was_never_indexed_or_a_second_window_is_open(store, path):
    secret = tell_secrets(store)
    other = Store(path)
    assert len(other.turns(other.conversation(secret).head)) == 2
    store.purge([secret])
    assert files_with(path.parent, *SECRETS) == set()
    with pytest.raises(StoreError, match="no longer there"):
        other.conversation(secret)
    other.close()


def test_what_another_window_is_reading_leaves_the_log_when_it_has_read(store, path):
    secret = tell_secrets(store)
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM turns").fetchall()
    store.purge([secret])
    reader.execute("COMMIT")
    reader.close()
    tidy(store)
    assert files_with(path.parent, *SECRETS) == set()


def test_a_file_of_an_earlier_version_keeps_nothing_that_was_overwritten(path):
    """Earlier versions left in unused places of the file what had been there."""
    path.parent.mkdir()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA secure_delete = OFF")
    connection.executescript((SCHEMAS / "2.sql").read_text())
    connection.execute("UPDATE turns SET content = ? WHERE id = 1", (f"{SECRETS[0]} " * 900,))
    connection.commit()
    connection.execute("UPDATE turns SET content = 'short' WHERE id = 1")
    connection.commit()
    connection.close()
    assert files_with(path.parent, SECRETS[0]) != set()
    Store(path).close()
    assert {name for name, _ in files_with(path.parent, SECRETS[0])} == {next((path.parent / "backups").iterdir()).name}


def test_deleted_conversations_come_back_as_they_were(store):
    one, two = answered(store, "one", "1"), answered(store, "two", "2")
    before = store.conversations()
    store.delete([one.conversation.id, two.conversation.id])
    assert store.conversations() == ()
    with pytest.raises(StoreError, match="no longer there"):
        store.conversation(one.conversation.id)
    store.restore([one.conversation.id, two.conversation.id])
    assert store.conversations() == before


@pytest.mark.parametrize("days", [-1, -4000])
def test_what_was_deleted_before_the_clock_was_set_back_is_purged_all_the_same(path, clock, days):
    store = Store(path, clock=clock)
    one, two = ask(store, "one"), ask(store, "two")
    store.delete([one.conversation.id])
    for exchange in (one, two):
        store.finish(replace(exchange.reply, state=TurnState.COMPLETE), None)
    store.delete_turns(two.conversation.id, (two.reply.id,), head=two.question.id)
    assert store.deleted(for_seconds=3600) == ()
    clock.go_on(days=days)
    assert store.deleted(for_seconds=3600) == (one.conversation.id,)
    assert two.conversation.id in store.purge_turns(for_seconds=3600)
    store.close()


def test_what_was_deleted_is_known_by_how_long_ago_that_was(path, clock):
    store = Store(path, clock=clock)
    one, two = ask(store, "one").conversation, ask(store, "two").conversation
    store.delete([one.id])
    clock.go_on(minutes=5)
    store.delete([one.id, two.id])
    assert store.deleted() == (one.id, two.id)
    assert store.deleted(for_seconds=300) == (one.id,)
    store.close()


def test_others_are_told_for_a_while_what_was_purged(path, clock):
    store = Store(path, clock=clock)
    other = Store(path, clock=clock)
    one = ask(store, "one").conversation
    store.purge([one.id])
    assert other.purged() == (one.id,)
    clock.go_on(days=31)
    assert other.purged() == ()
    assert ask(store, "two").conversation.id > one.id  # so that nobody takes it for the one that is gone
    other.close()
    store.close()


def test_a_reply_that_ends_after_its_conversation_was_purged_is_kept_nowhere(store, path):
    exchange = ask(store, "Hello")
    Store(path).purge([exchange.conversation.id])
    store.checkpoint(saying(exchange.reply, "Hi"))
    store.finish(ended(exchange.reply, "Hi"), Trace((5, 7), (0.5, 0.6), 2))
    assert store.conversations() == ()
    assert store.trace(exchange.reply.id) is None


def test_a_long_conversation_is_purged_in_a_moment(store):
    """Nothing is looked through for each of its turns."""
    last = None
    for number in range(300):
        last = answered(store, f"question {number}", "answer", last)
    steps = 0

    def count() -> None:
        nonlocal steps
        steps += 1

    store._database._connection.set_progress_handler(count, 1_000)
    store.purge([store.conversations()[0].id])
    assert steps < 300


def test_a_temporary_conversation_leaves_nothing_but_is_searched_and_purged_like_any(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    beside = Store(tmp_path / "data" / "conversations.sqlite3")
    store = Store(None)
    secret = tell_secrets(store)
    store.save_preset(Preset(SECRETS[0], SECRETS[1]))
    assert [hit.conversation.temporary for hit in store.search(SECRETS[5])] == [True]
    store.duplicate(secret)
    tidy(store)
    assert files_with(tmp_path, *SECRETS) == set()
    store.purge([secret])
    assert [conversation.id for conversation in store.conversations()] == [-2]
    store.close()
    beside.close()
    assert files_with(tmp_path, *SECRETS) == set()

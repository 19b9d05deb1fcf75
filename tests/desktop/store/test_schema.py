"""A file of every earlier version is brought up to date, and one of a newer version is left alone.

`schemas/` holds what each earlier version made, word for word, with a conversation in it.
"""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from desktop.conversations import Conversation
from desktop.store import MIGRATIONS, Store, StoreError
from inference import FinishReason, WindowPolicy
from tests.desktop.exchanges import SMALL

SCHEMAS = Path(__file__).parent / "schemas"
VERSIONS = range(1, len(MIGRATIONS))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "conversations.sqlite3"


def write_file(path: Path, version: int) -> None:
    connection = sqlite3.connect(path)
    connection.executescript((SCHEMAS / f"{version}.sql").read_text())
    connection.close()


def tables_of(path: Path) -> set[tuple[str, str, str]]:
    """Every table, index and column there is."""
    connection = sqlite3.connect(path)
    found = {
        (kind, name, column)
        for kind, name in connection.execute("SELECT type, name FROM sqlite_master")
        for (column,) in [("",), *connection.execute("SELECT name FROM pragma_table_info(?)", (name,))]
    }
    connection.close()
    return found


def test_every_earlier_version_has_its_file():
    assert {path.name for path in SCHEMAS.iterdir()} == {f"{version}.sql" for version in VERSIONS}


@pytest.mark.parametrize("version", VERSIONS)
def test_a_file_of_every_earlier_version_is_brought_up_to_date(path, version):
    write_file(path, version)
    store = Store(path)
    (conversation,) = store.conversations()
    policy = WindowPolicy.STOP if version < 2 else WindowPolicy.DROP_OLDEST
    assert conversation == Conversation(
        1, "Rivers", conversation.created, conversation.updated, head=2, draft="and", window_policy=policy
    )
    question, reply = store.turns(conversation.head)
    assert (question.message.content, question.attachments, question.pinned) == ("Why do rivers bend?", (), False)
    assert (reply.message.content, reply.message.token_ids, reply.finish_reason) == (
        "They erode.",
        (5,),
        FinishReason.STOP,
    )
    assert store.new_draft == "not sent"
    assert store.prefill_rate(Path("models/small.gguf")) == 200.0
    more = store.begin_exchange("And then?", SMALL, conversation=1, parent=2)
    assert store.turns(more.reply.id)[:2] == (question, reply)
    store.close()


@pytest.mark.parametrize("version", VERSIONS)
def test_it_is_then_made_as_a_new_file_is(path, version, tmp_path):
    write_file(path, version)
    Store(path).close()
    Store(tmp_path / "new.sqlite3").close()
    assert tables_of(path) == tables_of(tmp_path / "new.sqlite3")


CUT_OFF = """
import os, signal, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA cache_size = 1")
connection.execute("BEGIN")
connection.execute("UPDATE turns SET content = 'half'")
connection.execute("CREATE TABLE more (text TEXT)")
connection.executemany("INSERT INTO more VALUES (?)", (("x" * 9_000,) for _ in range(99)))
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL there")
def test_a_file_without_a_log_that_somebody_was_killed_over_is_opened_as_it_was(path):
    write_file(path, 1)
    subprocess.run([sys.executable, "-c", CUT_OFF, str(path)], check=False)
    assert path.with_name(f"{path.name}-journal").stat().st_size > 0
    store = Store(path)
    assert [turn.message.content for turn in store.turns(2)] == ["Why do rivers bend?", "They erode."]
    store.close()


def test_a_file_of_a_newer_version_is_refused_and_left_untouched(path):
    Store(path).close()
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="newer version of Headwater"):
        Store(path)
    assert path.read_bytes() == before

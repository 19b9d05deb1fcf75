"""What was said is kept: on real SQLite, through a kill, a full disk, a lock, damage and a second window."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import zlib
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.changes import NewConversation
from desktop.conversations import FailureKind, TurnState
from desktop.keepsakes import Preset
from desktop.store import Store, StoreError, packed_trace, trace_from
from desktop.turns import Attachment, Failure, ReplyOrigin
from desktop.wishes import Wishes
from inference import (
    BlockKind,
    Candidate,
    PromptBlock,
    RemoteModel,
    ReuseEnd,
    Sampling,
    Trace,
    WindowPolicy,
)
from tests.desktop.exchanges import SMALL, TIMINGS, ask, ended, saying
from tests.desktop.fakes import MODEL
from tests.mounts import disk_of

TRACE = Trace(
    token_ids=(5, 70_000, 3),
    token_times=(0.5, 0.6, 0.75),
    kept_tokens=2,
    blocks=(PromptBlock(BlockKind.SYSTEM, 0, 12, 12), PromptBlock(BlockKind.NEW_MESSAGE, 1, 8, 0)),
    reuse_end=ReuseEnd.NEW_TEXT,
)


def test_a_reply_comes_back_with_all_that_belongs_to_it(store):
    exchange = ask(store, "Why?")
    reply = replace(
        saying(exchange.reply, "Because.", "Hm."),
        state=TurnState.FAILED,
        thought_seconds=4.2,
        left_out=(3, 4, 7),
        error="Too long.",
        failure=Failure(FailureKind.PROMPT_TOO_LONG, 5000, 2),
    )
    store.finish(reply, None)
    assert store.turns(reply.id)[-1] == reply
    assert store.turns(reply.id)[-1].message.reasoning == "Hm."


def test_a_checkpoint_keeps_reasoning_and_what_was_left_out(store):
    exchange = ask(store, "Why?")
    store.checkpoint(replace(saying(exchange.reply, "Be", "Hm."), left_out=(9,)))
    (_, reply) = store.turns(exchange.reply.id)
    assert (reply.message.content, reply.message.reasoning, reply.left_out) == ("Be", "Hm.", (9,))


def test_the_model_of_a_server_comes_back_as_what_it_is(store):
    model = RemoteModel("https://example.org/v1", "big")
    exchange = store.begin_exchange(
        "Hello", ReplyOrigin(model, "big", streamed=True), conversation=NewConversation("t")
    )
    assert (exchange.reply.remote, exchange.reply.model_path) == (model, None)


def test_another_reply_takes_the_place_of_the_first_which_is_kept(store):
    exchange = ask(store, "Why?")
    store.finish(replace(saying(exchange.reply, ""), state=TurnState.FAILED, error="No."), None)
    other = store.begin_reply(exchange.question.id, SMALL, conversation=exchange.conversation.id)
    (conversation,) = store.conversations()
    assert conversation.head == other.id
    assert store.turns(other.id) == (exchange.question, other)
    assert store.turns(exchange.reply.id)[-1].error == "No."


def test_attachments_go_with_their_question_in_the_order_they_came(store):
    attachments = tuple(Attachment(f"{name}.md", "md", 7, f'# {name}\n\0"🏞️') for name in "bac")
    exchange = store.begin_exchange(
        "What is this?",
        SMALL,
        conversation=NewConversation("t"),
        attachments=attachments,
    )
    assert exchange.question.attachments == attachments
    assert store.turns(exchange.reply.id) == (exchange.question, exchange.reply)
    assert exchange.reply.attachments == ()


SAMPLING = Sampling(
    temperature=0.0, seed=7, dry_sequence_breakers=("\n", ":"), logit_bias=((5, float("-inf")), (7, 1.5))
)


def test_a_system_prompt_and_sampling_are_kept_with_their_conversation(store):
    exchange = store.begin_exchange("Hello", SMALL, conversation=NewConversation("t", Wishes("Be brief.", SAMPLING)))
    assert (exchange.conversation.system_prompt, exchange.conversation.sampling) == ("Be brief.", SAMPLING)
    store.set_prompt_and_sampling(exchange.conversation.id, "", None)
    kept = store.conversation(exchange.conversation.id)
    assert (kept.system_prompt, kept.sampling) == ("", None)


def test_a_conversation_can_be_renamed_pinned_and_put_into_a_folder(store):
    one, two = ask(store, "one").conversation, ask(store, "two").conversation
    store.rename(one.id, "First")
    store.set_pinned(one.id, pinned=True)
    store.set_folder([one.id, two.id], "work")
    kept = store.conversation(one.id)
    assert (kept.title, kept.pinned, kept.folder, kept.updated) == ("First", True, "work", one.updated)
    store.set_pinned(one.id, pinned=False)
    assert not store.conversation(one.id).pinned


def test_a_folder_is_there_as_long_as_something_is_in_it(store):
    one, two, three = (ask(store, title).conversation.id for title in ("one", "two", "three"))
    store.set_folder([one, two], "work")
    store.set_folder([three], "Home")
    assert store.folders() == ("Home", "work")
    store.set_folder([one], "")
    store.delete([two])
    assert store.folders() == ("Home",)


def test_conversations_come_page_by_page_and_those_that_are_pinned_by_themselves(path, clock):
    store = Store(path, clock=clock)  # which stands still: several are of the same moment
    numbers = [ask(store, str(number)).conversation.id for number in range(6)]
    store.set_pinned(numbers[1], pinned=True)
    store.set_pinned(numbers[5], pinned=True)
    first = store.conversations(4)
    assert [each.title for each in first] == ["5", "4", "3", "2"]
    assert [each.title for each in store.conversations(4, (first[-1].updated, first[-1].id))] == ["1", "0"]
    assert {each.title for each in store.pinned()} == {"1", "5"}
    assert len(store.conversations()) == 6
    store.close()


def test_only_what_another_window_writes_is_a_foreign_change(store, path):
    ask(store, "mine")
    before = store.foreign_changes
    ask(store, "mine, too")
    assert store.foreign_changes == before
    other = Store(path)
    ask(other, "theirs")
    assert store.foreign_changes != before
    other.close()


def test_several_conversations_are_read_at_once(store):
    one, two, three = (ask(store, title).conversation for title in ("one", "two", "three"))
    store.delete([two.id])
    assert {each.id for each in store.conversations_of([one.id, two.id, three.id, 99])} == {one.id, three.id}


def test_presets_are_kept_by_name(store):
    store.save_preset(Preset("terse", "Be brief."))
    store.save_preset(Preset("exact", "", SAMPLING))
    store.save_preset(Preset("terse", "Be very brief."))
    assert store.presets() == (Preset("exact", "", SAMPLING), Preset("terse", "Be very brief."))
    store.delete_preset("exact")
    assert store.presets() == (Preset("terse", "Be very brief."),)


def test_what_is_temporary_is_kept_in_memory_alone_and_counted_below_zero(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store = Store(None)
    first, second = ask(store, "Hello"), ask(store, "again")
    store.finish(ended(first.reply, "Hi"), TRACE)
    assert sorted((each.id, each.temporary) for each in store.conversations()) == [(-2, True), (-1, True)]
    assert store.turns(second.reply.id) == (second.question, second.reply)
    store.close()
    assert list(tmp_path.rglob("*")) == []


def test_a_policy_is_kept_with_its_conversation(store):
    one, two = ask(store, "one").conversation, ask(store, "two").conversation
    assert one.window_policy is WindowPolicy.STOP
    store.set_window_policy(one.id, WindowPolicy.DROP_OLDEST)
    assert store.conversation(one.id).window_policy is WindowPolicy.DROP_OLDEST
    assert store.conversation(two.id).window_policy is WindowPolicy.STOP


def test_an_exchange_comes_back_as_it_was_stored(store, path):
    exchange = ask(store, "Why do rivers bend?")
    reply = ended(exchange.reply, "They erode 🏞️.")
    store.finish(reply, TRACE)
    store.close()

    again = Store(path)
    (conversation,) = again.conversations()
    assert (conversation.title, conversation.head) == ("Why do rivers bend?", reply.id)
    assert again.turns(conversation.head) == (exchange.question, reply)
    assert again.turns(conversation.head)[-1].message.token_ids == (5, 70_000)
    assert again.trace(reply.id) == TRACE
    again.close()


def test_a_reply_is_stored_as_being_written_before_its_first_word(store):
    reply = ask(store, "Hello").reply
    assert (reply.state, reply.message.content, reply.model_path) == (TurnState.WRITING, "", MODEL)


def test_turns_hang_together_from_the_first_to_the_head(store):
    first = ask(store, "one")
    second = ask(store, "two", after=first)
    ask(store, "another conversation")
    aside = ask(store, "two, said otherwise", after=first)
    contents = [turn.message.content for turn in store.turns(aside.reply.id) if not turn.is_reply]
    assert contents == ["one", "two, said otherwise"]
    assert store.turns(second.reply.id)[2] == second.question
    assert store.turns(None) == ()


def test_the_conversation_with_the_newest_turn_comes_first(store):
    first = ask(store, "first")
    ask(store, "second")
    ask(store, "more", after=first)
    assert [conversation.title for conversation in store.conversations()] == ["first", "second"]


def test_token_ids_never_outlive_the_text_they_are_of(store):
    exchange = ask(store, "Hello")
    store.finish(ended(exchange.reply, "Good day"), TRACE)
    store.checkpoint(saying(exchange.reply, "Good day to you"))
    assert store.turns(exchange.reply.id)[-1].message.token_ids == ()


def test_a_reply_without_a_trace_has_none(store):
    exchange = ask(store, "Hello")
    store.finish(ended(exchange.reply, "Hi"), None)
    assert store.trace(exchange.reply.id) is None


def test_an_exchange_that_cannot_be_stored_whole_is_not_stored_at_all(store):
    with pytest.raises(sqlite3.IntegrityError):
        store.begin_exchange("Hello", SMALL, conversation=NewConversation("t"), parent=77)
    assert store.conversations() == ()


def test_drafts_are_kept_and_a_question_uses_them_up(store, path):
    exchange = ask(store, "Hello")
    store.set_draft(None, "for a new one")
    store.set_draft(exchange.conversation.id, "and an")
    store.set_draft(exchange.conversation.id, "and another thing")
    store.close()
    again = Store(path)
    assert again.new_draft == "for a new one"
    assert again.conversation(exchange.conversation.id).draft == "and another thing"
    ask(again, "and another thing", after=exchange)
    ask(again, "for a new one")
    assert again.new_draft == ""
    assert again.conversation(exchange.conversation.id).draft == ""
    again.close()


def test_the_last_known_prefill_rate_is_that_of_the_model_file(store):
    assert store.prefill_rate(MODEL) is None
    store.finish(ended(ask(store, "Hello").reply, "Hi"), None)
    nothing_read = replace(ended(ask(store, "again").reply, "Hi"), timings=replace(TIMINGS, prefill_tokens=0))
    store.finish(nothing_read, None)
    assert store.prefill_rate(MODEL) == 200.0
    assert store.prefill_rate(Path("models/other.gguf")) is None


def test_a_conversation_that_is_gone_is_said_so(store):
    with pytest.raises(StoreError, match="no longer there"):
        store.conversation(99)


def test_everything_written_is_its_owners_only(path):
    old = os.umask(0)
    try:
        store = Store(path)
        ask(store, "Hello")
        modes = {entry.name: stat.S_IMODE(entry.stat().st_mode) for entry in path.parent.rglob("*")}
        folder = stat.S_IMODE(path.parent.stat().st_mode)
        store.close()
    finally:
        os.umask(old)
    assert folder == 0o700
    assert {path.name, f"{path.name}-wal", f"{path.name}-shm"} <= modes.keys()
    assert all(mode in {0o600, 0o700} for mode in modes.values())
    assert modes.pop("locks") == 0o700
    assert set(modes.values()) == {0o600}


# Interrupted or running.

WRITE_AND_WAIT = """
import sys, time
from pathlib import Path
from dataclasses import replace
from desktop.store import Store
from tests.desktop.exchanges import ask, saying

store = Store(Path(sys.argv[1]))
store.checkpoint(saying(ask(store).reply, "Because the water"))
print("written", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def writer(path):
    """Another process in the middle of a reply."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITE_AND_WAIT, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        text=True,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "written\n"
        yield process
        process.kill()


def test_a_reply_running_in_another_window_is_not_taken_for_an_interrupted_one(writer, path):
    store = Store(path)
    (conversation,) = store.conversations()
    assert store.interrupted == 0
    assert store.turns(conversation.head)[-1].state is TurnState.WRITING
    store.close()


def test_a_reply_whose_process_was_killed_is_there_and_interrupted(writer, path):
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    store = Store(path)
    (conversation,) = store.conversations()
    question, reply = store.turns(conversation.head)
    assert store.interrupted == 1
    assert (question.message.content, question.state) == ("Why?", TurnState.COMPLETE)
    assert (reply.message.content, reply.state) == ("Because the water", TurnState.INTERRUPTED)
    store.close()

    again = Store(path)
    assert again.interrupted == 0  # said once
    assert list((path.parent / "locks").glob("*.lock")) != []
    again.close()
    assert list((path.parent / "locks").glob("*.lock")) == []


def test_a_window_that_was_open_before_sees_the_interruption_too(writer, path):
    store = Store(path)
    (conversation,) = store.conversations()
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    assert store.turns(conversation.head)[-1].state is TurnState.INTERRUPTED
    store.close()


def test_a_reply_left_unfinished_at_closing_counts_as_interrupted(store, path):
    ask(store, "Hello")
    store.close()
    again = Store(path)
    assert again.interrupted == 1
    again.close()


def test_two_windows_write_side_by_side(store, path):
    other = Store(path)
    mine, theirs = ask(store, "mine"), ask(other, "theirs")
    other.checkpoint(saying(theirs.reply, "half"))
    store.finish(ended(mine.reply, "whole"), TRACE)
    assert {conversation.title for conversation in store.conversations()} == {"mine", "theirs"}
    assert store.turns(theirs.reply.id)[-1].state is TurnState.WRITING
    other.close()


# What the world does to files.


def test_a_file_that_is_no_database_says_so_and_stays(path):
    path.parent.mkdir()
    path.write_bytes(b"these are not the conversations " * 100)
    with pytest.raises(StoreError, match="damaged"):
        Store(path)
    assert path.read_bytes() == b"these are not the conversations " * 100


def test_a_locked_file_says_so_and_nothing_is_half_written(path):
    store = Store(path, busy_seconds=0.01)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="locked"):
        ask(store, "Hello")
    other.execute("ROLLBACK")
    other.close()
    assert ask(store, "Hello").conversation in store.conversations()
    store.close()


def test_a_folder_that_cannot_be_made_says_so(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match="cannot be opened"):
        Store(tmp_path / "file" / "conversations.sqlite3")


@pytest.fixture
def small_disk(tmp_path):
    """A file system of its own that is full after a few hundred kilobytes."""
    with disk_of(tmp_path / "small disk", "400k") as folder:
        yield folder


def test_a_full_disk_is_said_and_costs_nothing_that_was_stored(small_disk):
    store = Store(small_disk / "conversations.sqlite3")
    exchange = ask(store, "Hello")
    store.checkpoint(saying(exchange.reply, "some text"))
    with pytest.raises(StoreError, match="is full"):
        store.checkpoint(saying(exchange.reply, "x" * 500_000))
    assert store.turns(exchange.reply.id)[-1].message.content == "some text"
    store.checkpoint(saying(exchange.reply, "other text"))
    store.close()


def test_a_disk_that_is_full_before_anything_is_stored_is_said_in_the_same_words(small_disk):
    with (small_disk / "filling").open("wb") as file, suppress(OSError):
        file.write(bytes(600_000))
    with pytest.raises(StoreError, match="is full"):
        Store(small_disk / "conversations.sqlite3")


# A trace is kept in few bytes.

TOKENS = st.lists(st.tuples(st.integers(0, 2**31 - 1), st.integers(0, 10**9)), max_size=50)
BLOCKS = st.builds(PromptBlock, st.sampled_from(BlockKind), st.integers(0, 99), st.integers(0, 9999), st.integers(0, 9))


@given(TOKENS, st.lists(BLOCKS, max_size=5), st.sampled_from(ReuseEnd))
def test_every_trace_comes_back_to_the_microsecond(tokens, blocks, reuse_end):
    trace = Trace(
        token_ids=tuple(token for token, _ in tokens),
        token_times=tuple(moment / 1e6 for _, moment in tokens),
        kept_tokens=len(tokens) // 2,
        blocks=tuple(blocks),
        reuse_end=reuse_end,
    )
    assert trace_from(packed_trace(trace)) == trace


def test_a_trace_takes_a_few_bytes_per_token():
    ids = tuple((7919 * i) % 49_152 for i in range(4_000))
    times = tuple(0.2 + 0.0156 * i + 1e-6 * ((31 * i * i) % 997) for i in range(4_000))
    assert len(packed_trace(Trace(ids, times, 4_000))) < 8 * 4_000


@pytest.mark.parametrize(
    ("before", "now"), [("nothing held", ReuseEnd.MODEL_RELOADED), ("text differs", ReuseEnd.TURN_CHANGED)]
)
def test_a_trace_with_a_reason_that_was_renamed_is_still_read(before, now):
    packed = json.loads(zlib.decompress(packed_trace(TRACE)))
    renamed = zlib.compress(json.dumps({**packed, "reuse_end": before}).encode())
    assert trace_from(renamed) == replace(TRACE, reuse_end=now)


def test_bytes_and_likeliest_tokens_of_a_trace_come_back(store):
    likeliest = (Candidate(5, b"\xc3", 0.5), Candidate(6, "ü ".encode(), 0.25))
    trace = replace(TRACE, pieces=(b"\xc3", b"\xbc", b""), candidates=(likeliest, (), likeliest[:1]))
    assert trace_from(packed_trace(trace)) == trace

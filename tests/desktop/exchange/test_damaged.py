"""Whatever damage or another program made of a file of conversations, what is read of it can be kept, shown and written
again, and all else gets a sentence."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

import inference
from desktop.conversations import Conversation, FailureKind
from desktop.exchange import Imported, ImportRefused, Tree, file_name_of, read, to_json, to_markdown
from desktop.store import Store
from desktop.turns import Attachment, Failure, Turn
from inference import BlockKind, Candidate, FinishReason, Message, PromptBlock, RemoteModel, Role, Sampling, Timings
from tests.deep_types import assert_of_its_types
from tests.desktop.exchange.test_chatgpt import exported, node
from tests.odd_values import damaged

NOW = datetime(2026, 3, 4, tzinfo=UTC)

ASKED = Turn(1, 7, None, Message(Role.USER, "Why?"), NOW, attachments=(Attachment("a.csv", "csv", 4, "x,y\n"),))
ANSWERED = Turn(
    2,
    7,
    1,
    Message(Role.ASSISTANT, "So.", (5, 6), "Hm."),
    NOW,
    model_name="Small",
    model_path=Path("/models/small.gguf"),
    finish_reason=FinishReason.STOP,
    usage=inference.Usage(30, 10, 4, 1),
    timings=Timings(0.0, 0.5, 0.1, 1.0, 0.01, 0.5, 0.1, 20, 4, None, measured_at_client=False),
    streamed=True,
    thought_seconds=1.5,
)
FAILED = replace(
    ANSWERED,
    id=3,
    error="It broke.",
    failure=Failure(FailureKind.PROMPT_TOO_LONG, 5_000, 2),
    model_path=None,
    remote=RemoteModel("http://127.0.0.1:8080/v1", "small"),
    left_out=(1,),
    pinned=True,
    edited=True,
)
TRACE = inference.Trace(
    (5, 6), (0.1, 0.25), 2, (PromptBlock(BlockKind.TURN, 0, 20, 10),), pieces=(b"S", b"o."),
    candidates=((Candidate(5, b"S", 0.75),), ()),
)  # fmt: skip
RIVERS = Conversation(
    7, "Rivers", NOW, NOW, 2, "and", folder="Water", system_prompt="Be brief.",
    sampling=Sampling(0.5, seed=7, dry_sequence_breakers=("*",), logit_bias=((5, -1.5), (6, -float("inf")))),
)  # fmt: skip
OWN = json.loads(to_json(RIVERS, (ASKED, ANSWERED, FAILED), {2: TRACE}))

THOUGHTS = {"content_type": "thoughts", "thoughts": [{"summary": "Water", "content": "It is fast."}]}
PARTS = {"content_type": "multimodal_text", "parts": [{"content_type": "audio_transcription", "text": "Hello."}, "Hi"]}
CHATGPT = [
    exported(
        node("root", None),
        node("asked", "root", "user", PARTS, metadata={"attachments": [{"mime_type": "image/png"}]}),
        node("thought", "asked", "assistant", THOUGHTS),
        node("answered", "thought", "assistant", "So.", metadata={"model_slug": "gpt-4o"}),
    ),
    exported(node("asked", None, "user", "Why?")),
]
LISTS = [
    {
        "title": "Rivers",
        "model": "small",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": [{"type": "text", "text": "Why?"}, {"type": "image_url"}, "now"]},
            {"role": "assistant", "content": "So.", "reasoning_content": "Hm.", "tool_calls": [{"id": "1"}]},
        ],
    },
    {"messages": [{"role": "user", "content": "Why?"}]},
]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Imported], None]]:
    """Keeps what was imported, and sees that what is kept is what was imported."""
    store = Store(tmp_path_factory.mktemp("kept") / "conversations.sqlite3")

    def keep(found: Imported) -> None:
        for tree in found.conversations:
            conversation = store.import_tree(tree.conversation, tree.turns, tree.traces)
            turns, traces = store.tree(conversation.id), store.traces(conversation.id)
            assert conversation == replace(tree.conversation, id=conversation.id, head=conversation.head)
            assert (conversation.head is None) == (tree.conversation.head is None)
            ids = dict(zip((turn.id for turn in tree.turns), (turn.id for turn in turns), strict=True))
            for turn, again in zip(tree.turns, turns, strict=True):
                assert again == replace(
                    turn,
                    id=again.id,
                    conversation=conversation.id,
                    parent=None if turn.parent is None else ids[turn.parent],
                    left_out=tuple(ids[left] for left in turn.left_out),
                )
                assert again.message.token_ids == turn.message.token_ids
            assert set(traces) == {ids[turn] for turn in tree.traces}

    yield keep
    store.close()


def assert_is_taken_or_refused(path: Path, document: object, keep: Callable[[Imported], None]) -> None:
    path.write_text(json.dumps(document), encoding="utf-8")
    try:
        found = read(path, now=NOW)
    except ImportRefused as refusal:
        sentence = str(refusal)
        assert sentence.encode()
        assert sentence.endswith((".", ")."))
        return
    assert all(type(count) is int and count > 0 for count in found.left_out.values())
    for tree in found.conversations:
        assert_of_its_types(tree)
        assert_can_be_written(tree, path.with_name("again.json"))
    keep(found)


def assert_can_be_written(tree: Tree, path: Path) -> None:
    path.write_text(to_json(tree.conversation, tree.turns, tree.traces), encoding="utf-8")
    assert read(path).conversations == (tree,)
    assert to_markdown(tree.conversation, tree.turns).encode()
    assert file_name_of(tree.conversation, ".md").encode()


@given(damaged(OWN))
def test_an_export_of_ours_that_was_damaged_is_taken_or_refused(kept, tmp_path_factory, document: Any) -> None:
    assert_is_taken_or_refused(tmp_path_factory.getbasetemp() / "own.json", document, kept)


@given(damaged(CHATGPT))
def test_so_is_one_of_chatgpt(kept, tmp_path_factory, document: Any) -> None:
    assert_is_taken_or_refused(tmp_path_factory.getbasetemp() / "chatgpt.json", document, kept)


@given(damaged(LISTS))
def test_so_are_lists_of_messages(kept, tmp_path_factory, document: Any) -> None:
    assert_is_taken_or_refused(tmp_path_factory.getbasetemp() / "lists.json", document, kept)

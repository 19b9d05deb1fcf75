"""Whatever somebody chooses as a file of conversations gives conversations, or a sentence."""

from __future__ import annotations

import json
import os
import zipfile
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.exchange import Imported, ImportRefused, LeftOut, read

NOW = datetime(2026, 3, 4, tzinfo=UTC)
ASKED = {"role": "user", "content": "Why do rivers bend?"}
ANSWERED = {"role": "assistant", "content": "They erode."}


@pytest.fixture
def read_text(tmp_path):
    def put(text: str | bytes, name: str = "chat.json", **bounds: int) -> Imported:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read(path, now=NOW, **bounds)

    return put


def said(found: Imported) -> list[list[str]]:
    return [[f"{turn.message.role}: {turn.message.content}" for turn in tree.turns] for tree in found.conversations]


TALK = ["user: Why do rivers bend?", "assistant: They erode."]


@pytest.mark.parametrize(
    "document",
    [
        [ASKED, ANSWERED],
        {"model": "m", "messages": [ASKED, ANSWERED]},
        [{"messages": [ASKED, ANSWERED]}],
        [[ASKED, ANSWERED]],
    ],
    ids=range(4),
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_list_of_messages_is_a_conversation(read_text, document, encoding):
    found = read_text(json.dumps(document).encode(encoding))
    assert said(found) == [TALK]
    tree = found.conversations[0]
    assert tree.conversation.title == "Why do rivers bend?"
    assert tree.conversation.head == tree.turns[-1].id
    assert tree.turns[1].parent == tree.turns[0].id
    assert not found.left_out


def test_json_lines_are_a_conversation_each_or_a_message_each(read_text):
    line = json.dumps({"messages": [ASKED, ANSWERED]})
    assert said(read_text(f"{line}\n\n{line}\n")) == [TALK, TALK]
    assert said(read_text(f"{json.dumps(ASKED)}\r\n{json.dumps(ANSWERED)}")) == [TALK]
    assert said(read_text(json.dumps(ASKED))) == [TALK[:1]]


def test_lines_that_are_broken_are_counted(read_text):
    found = read_text(f"{json.dumps(ASKED)}\n{{\n{json.dumps(ANSWERED)}\n")
    assert said(found) == [TALK]
    assert found.left_out == {LeftOut.UNREADABLE: 1}


def test_instructions_at_the_beginning_become_the_system_prompt(read_text):
    system, developer = {"role": "system", "content": "Be short."}, {"role": "developer", "content": "Be kind."}
    found = read_text(json.dumps([system, developer, ASKED, system, ANSWERED]))
    assert found.conversations[0].conversation.system_prompt == "Be short.\n\nBe kind."
    assert said(found) == [TALK]
    assert found.left_out == {LeftOut.INSTRUCTIONS: 1}


def test_parts_that_are_no_text_are_counted_by_what_they_are(read_text):
    parts = [
        {"type": "text", "text": "Look:"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "input_image"},
        {"type": "input_audio", "input_audio": {}},
        {"type": "input_file", "file_id": "1"},
        {"type": "text", "text": "What is it?"},
        {"type": "text", "text": 4},
        17,
    ]
    found = read_text(json.dumps([{"role": "user", "content": parts}]))
    assert said(found) == [["user: Look:\n\nWhat is it?"]]
    assert found.left_out == {LeftOut.IMAGES: 2, LeftOut.AUDIO: 1, LeftOut.FILES: 1, LeftOut.UNREADABLE: 2}


def test_tools_and_unknown_speakers_are_counted(read_text):
    call = {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}, {"id": "2"}]}
    answer, pirate = {"role": "tool", "content": "42"}, {"role": "pirate", "content": "Arr"}
    found = read_text(json.dumps([ASKED, call, answer, pirate, {"role": ["user"]}, "x", ANSWERED]))
    assert said(found) == [TALK]
    assert found.left_out == {LeftOut.TOOLS: 3, LeftOut.ROLES: 2, LeftOut.UNREADABLE: 1}


def test_reasoning_comes_along(read_text):
    found = read_text(json.dumps([ASKED, {**ANSWERED, "reasoning_content": "Water is fast."}]))
    assert found.conversations[0].turns[1].message.reasoning == "Water is fast."


def test_a_message_of_more_than_a_book_is_counted(read_text):
    found = read_text(json.dumps([ASKED, {"role": "assistant", "content": "x" * 8_000_001}]))
    assert said(found) == [TALK[:1]]
    assert found.left_out == {LeftOut.TOO_LONG: 1}


def test_conversations_without_a_message_are_counted_beside_others(read_text):
    found = read_text(json.dumps([{"messages": []}, {"messages": [ASKED]}]))
    assert said(found) == [TALK[:1]]
    assert found.left_out == {LeftOut.CONVERSATIONS: 1}


NO_CONVERSATION = [
    b"",
    b"null",
    b"[]",
    b"{}",
    b"17",
    b'"text"',
    b"# Notes",
    b"\x89PNG\r\n\x1a\n\x00\x00",
    b'{"messages": []}',
    b'{"messages": 4}',
    b'{"format": "other", "version": 1}',
    b"[[[]]]",
    b"\xff\xfe",
    b"1" * 5_000,
]


@pytest.mark.parametrize("text", NO_CONVERSATION, ids=range(len(NO_CONVERSATION)))
def test_what_holds_no_conversation_gets_a_sentence(read_text, text):
    with pytest.raises(ImportRefused, match=r"There is no conversation in chat\.json"):
        read_text(text)


@pytest.mark.parametrize("text", ["[" * 3_000_000, '{"a":' * 1_000_000, "[" * 100_000 + "]" * 100_000])
def test_what_nests_too_deep_gets_a_sentence(read_text, text):
    with pytest.raises(ImportRefused):
        read_text(text)


def test_what_is_too_large_gets_a_sentence(read_text):
    with pytest.raises(ImportRefused, match="too large: 1 MB"):
        read_text(json.dumps([{"role": "user", "content": "x" * (1 << 20)}]), most_bytes=1 << 20)


def test_a_folder_and_a_file_that_is_not_there_get_a_sentence(tmp_path):
    for path in (tmp_path, tmp_path / "gone.json"):
        with pytest.raises(ImportRefused, match="is not a file"):
            read(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no such files here")
def test_what_would_never_end_is_not_begun(tmp_path):
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(ImportRefused, match="is not a file"):
        read(tmp_path / "pipe.json")


# Archives

CHAT = json.dumps({"messages": [ASKED, ANSWERED]})


def archive(path, **files: str | bytes):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, text in files.items():
            zipped.writestr(name.replace("__", "."), text)
    return path


def test_conversations_are_read_out_of_an_archive_wherever_they_lie(tmp_path):
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as zipped:
        zipped.writestr("../../conversations-001.json", CHAT)
        zipped.writestr("a/conversations-000.json", "[]")
        zipped.writestr("/conversations.json", CHAT)
        zipped.writestr("user.json", "not read")
    before = sorted(tmp_path.iterdir())
    assert said(read(tmp_path / "export.zip")) == [TALK, TALK]
    assert sorted(tmp_path.iterdir()) == before


def test_an_archive_without_conversations_gets_a_sentence(tmp_path):
    with pytest.raises(ImportRefused, match=r"without a conversations\.json"):
        read(archive(tmp_path / "export.zip", chat__html="<html>"))


def test_what_an_archive_expands_to_is_bounded(tmp_path):
    bomb = archive(tmp_path / "bomb.zip", conversations__json=b" " * (20 << 20))
    assert bomb.stat().st_size < 100_000
    with pytest.raises(ImportRefused, match="too large"):
        read(bomb, most_bytes=1 << 20)


def test_so_is_what_all_of_its_files_expand_to(tmp_path):
    padded = CHAT + " " * 600_000
    path = archive(tmp_path / "a.zip", **{"conversations-1__json": padded, "conversations-2__json": padded})
    assert len(read(path).conversations) == 2
    with pytest.raises(ImportRefused, match="too large"):
        read(path, most_bytes=1_000_000)


@settings(max_examples=60, deadline=None)
@given(at=st.integers(0, 10_000), value=st.integers(0, 255), cut=st.booleans())
def test_a_damaged_archive_gets_a_sentence_or_is_read(tmp_path_factory, at, value, cut):
    folder = tmp_path_factory.getbasetemp()
    text = bytearray(archive(folder / "whole.zip", conversations__json=CHAT).read_bytes())
    at %= len(text)
    text[at] = value
    path = folder / "damaged.zip"
    path.write_bytes(text[:at] if cut else text)
    try:
        found = read(path)
    except ImportRefused as error:
        assert "damaged.zip" in str(error)  # noqa: PT017 - either way is fine
    else:
        assert found.conversations


# Anything at all

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "role",
                    "content",
                    "messages",
                    "mapping",
                    "message",
                    "author",
                    "parent",
                    "parts",
                    "title",
                    "content_type",
                    "metadata",
                    "create_time",
                    "type",
                    "text",
                    "thoughts",
                    "attachments",
                ]
            ),
            inner | st.sampled_from(["user", "assistant", "system", "text", "thoughts"]),
            max_size=5,
        )
    ),
    max_leaves=25,
)


@settings(max_examples=300, deadline=None)
@given(document=JSON)
def test_no_document_is_too_strange_to_be_refused_in_words(tmp_path_factory, document):
    path = tmp_path_factory.getbasetemp() / "strange.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    try:
        found = read(path)
    except ImportRefused:
        return
    assert all(tree.turns for tree in found.conversations)

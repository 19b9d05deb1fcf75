"""What ChatGPT exports becomes conversations, with their branches, and a count of what they cannot take along."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from desktop.exchange import Imported, LeftOut, read

NOW = datetime(2026, 3, 4, tzinfo=UTC)


def node(name: str, parent: str | None, role: str = "", text: object = "", **more: object) -> dict[str, object]:
    """A node as the export has it; `more` is put into the message."""
    if not role:
        return {"id": name, "message": None, "parent": parent, "children": []}
    content = text if isinstance(text, dict) else {"content_type": "text", "parts": [text]}
    message = {
        "id": name,
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": 1_700_000_000.5,
        "content": content,
        "recipient": "all",
        "metadata": {},
        **more,
    }
    return {"id": name, "message": message, "parent": parent, "children": []}


def exported(*nodes: dict[str, object], **about: object) -> dict[str, object]:
    return {
        "title": "Rivers",
        "create_time": 1_700_000_000.0,
        "update_time": 1_700_000_100.0,
        "mapping": {str(entry["id"]): entry for entry in nodes},
        "current_node": nodes[-1]["id"],
        **about,
    }


def imported(tmp_path, *conversations: object) -> Imported:
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps(conversations), encoding="utf-8")
    return read(path, now=NOW)


def shown(found: Imported) -> list[tuple[int | None, str]]:
    return [(turn.parent, turn.message.content) for turn in found.conversations[0].turns]


ROOT = node("root", None)
HIDDEN = node("hidden", "root", "system", "")
ASKED = node("asked", "hidden", "user", "Why do rivers bend?")
ANSWERED = node("answered", "asked", "assistant", "They erode.", metadata={"model_slug": "gpt-4o"})


def test_a_conversation_is_read_with_its_times_title_and_model(tmp_path):
    found = imported(tmp_path, exported(ROOT, HIDDEN, ASKED, ANSWERED))
    tree = found.conversations[0]
    assert shown(found) == [(None, "Why do rivers bend?"), (1, "They erode.")]
    assert (tree.conversation.title, tree.conversation.head) == ("Rivers", 2)
    assert tree.conversation.created == datetime.fromtimestamp(1_700_000_000, UTC)
    assert tree.conversation.updated == datetime.fromtimestamp(1_700_000_100, UTC)
    assert tree.turns[0].created == datetime.fromtimestamp(1_700_000_000.5, UTC)
    assert tree.turns[1].model_name == "gpt-4o"
    assert not found.left_out


def test_branches_stay_branches_and_the_shown_one_is_the_shown_one(tmp_path):
    again = node("again", "asked", "assistant", "Water is fast.")
    edited = node("edited", "hidden", "user", "Why do roads bend?")
    talk = exported(ROOT, HIDDEN, ASKED, edited, ANSWERED, again, current_node="answered")
    found = imported(tmp_path, talk)
    assert shown(found) == [
        (None, "Why do rivers bend?"),
        (None, "Why do roads bend?"),
        (1, "They erode."),
        (1, "Water is fast."),
    ]
    assert found.conversations[0].conversation.head == 3


def test_what_was_left_out_is_bridged(tmp_path):
    call = node("call", "asked", "assistant", {"content_type": "code", "text": "search()"}, recipient="browser")
    result = node("result", "call", "tool", {"content_type": "tether_browsing_display", "result": "..."})
    late = node("late", "result", "assistant", "They erode.")
    found = imported(tmp_path, exported(ROOT, HIDDEN, ASKED, call, result, late))
    assert shown(found) == [(None, "Why do rivers bend?"), (1, "They erode.")]
    assert found.left_out == {LeftOut.TOOLS: 2}


def test_thoughts_become_the_reasoning_of_the_reply_after_them(tmp_path):
    content = {
        "content_type": "thoughts",
        "thoughts": [{"summary": "Water", "content": "It is fast."}, {"summary": "Sand"}],
    }
    thoughts = node("thoughts", "asked", "assistant", content)
    recap = node("recap", "thoughts", "assistant", {"content_type": "reasoning_recap", "content": "Thought for 3s"})
    late = node("late", "recap", "assistant", "They erode.")
    found = imported(tmp_path, exported(ROOT, HIDDEN, ASKED, thoughts, recap, late))
    assert found.conversations[0].turns[1].message.reasoning == "It is fast.\n\nSand"
    assert not found.left_out


def test_pictures_sound_and_files_are_counted(tmp_path):
    parts = [
        {"content_type": "image_asset_pointer", "asset_pointer": "file-service://x"},
        {"content_type": "audio_transcription", "text": "Hello."},
        {"content_type": "audio_asset_pointer"},
        "What is this?",
    ]
    files = [{"name": "a.png", "mime_type": "image/png"}, {"name": "b.pdf", "mime_type": "application/pdf"}]
    asked = node(
        "asked", "root", "user", {"content_type": "multimodal_text", "parts": parts}, metadata={"attachments": files}
    )
    found = imported(tmp_path, exported(ROOT, asked))
    assert shown(found) == [(None, "Hello.\n\nWhat is this?")]
    assert found.left_out == {LeftOut.IMAGES: 1, LeftOut.AUDIO: 1, LeftOut.FILES: 1}


def test_what_a_profile_added_is_counted_and_not_said(tmp_path):
    profile = node("profile", "root", "user", {"content_type": "user_editable_context", "user_profile": "A sailor"})
    whispered = node("w", "profile", "user", "hidden", metadata={"is_visually_hidden_from_conversation": True})
    asked = node("asked", "w", "user", "Why?")
    found = imported(tmp_path, exported(ROOT, profile, whispered, asked))
    assert shown(found) == [(None, "Why?")]
    assert found.left_out == {LeftOut.INSTRUCTIONS: 2}


def test_nodes_that_lead_to_themselves_or_are_none_are_counted(tmp_path):
    ring = [node("a", "b", "user", "a"), node("b", "a", "assistant", "b")]
    talk = exported(ROOT, HIDDEN, ASKED, *ring)
    talk["mapping"] |= {"broken": 4, "odd": {"message": {"author": "me"}}}  # type: ignore[operator]  # a mapping
    found = imported(tmp_path, talk)
    assert shown(found) == [(None, "Why do rivers bend?")]
    assert found.conversations[0].conversation.head == 1
    assert found.left_out == {LeftOut.UNREADABLE: 4}


def test_a_conversation_of_any_depth_is_read(tmp_path):
    chain = [ROOT, *(node(str(n), str(n - 1) if n else "root", "user", f"line {n}") for n in range(5_000))]
    found = imported(tmp_path, exported(*chain))
    assert len(found.conversations[0].turns) == 5_000
    assert found.conversations[0].conversation.head == 5_000


def test_times_that_are_none_are_those_of_now(tmp_path):
    for moment in (None, "soon", 1e300, float("nan"), True, -62_135_596_800, 253_402_300_799):
        found = imported(tmp_path, exported(ROOT, HIDDEN, ASKED, create_time=moment, update_time=moment))
        assert found.conversations[0].conversation.updated == NOW


def test_conversations_in_which_nobody_spoke_are_counted(tmp_path):
    found = imported(tmp_path, exported(ROOT), exported(ROOT, HIDDEN, ASKED))
    assert len(found.conversations) == 1
    assert found.left_out == {LeftOut.CONVERSATIONS: 1}


def thinking(name: str, parent: str, text: str) -> dict[str, object]:
    return node(name, parent, "assistant", {"content_type": "thoughts", "thoughts": [{"content": text}]})


def test_thoughts_that_branches_share_are_the_reasoning_of_each_reply(tmp_path):
    chain = [thinking("t1", "asked", "First."), thinking("t2", "t1", "Then."), thinking("none", "t2", " ")]
    replies = [node("early", "t1", "assistant", "A."), node("late", "none", "assistant", "B.")]
    found = imported(tmp_path, exported(ROOT, HIDDEN, ASKED, *chain, *replies))
    thought = {turn.message.content: turn.message.reasoning for turn in found.conversations[0].turns}
    assert thought == {"Why do rivers bend?": "", "A.": "First.", "B.": "First.\n\nThen."}


def test_long_thoughts_do_not_grow_with_the_replies_that_follow_them(tmp_path):
    chain = [thinking("t0", "asked", "x" * 7_000_000), *(thinking(f"t{n}", f"t{n - 1}", "y") for n in range(1, 3_000))]
    replies = [node(f"r{n}", "t2999", "assistant", f"{n}") for n in range(20)]
    found = imported(tmp_path, exported(ROOT, HIDDEN, ASKED, *chain, *replies))
    lengths = [len(turn.message.reasoning) for turn in found.conversations[0].turns[1:]]
    assert lengths[0] > 7_000_000
    assert sum(lengths) < 64_000_000
    assert found.left_out == {LeftOut.TOO_LONG: lengths.count(0)}


def test_kinds_nested_as_deep_as_json_may_be_are_no_kinds(tmp_path):
    deep: object = "image/"
    for _ in range(800):
        deep = [deep]
    parts = {"content_type": "multimodal_text", "parts": [{"content_type": deep}, "Why?"]}
    asked = node("asked", "root", "user", parts, metadata={"attachments": [{"mime_type": deep}]})
    found = imported(tmp_path, exported(ROOT, asked))
    assert shown(found) == [(None, "Why?")]
    assert found.left_out == {LeftOut.UNREADABLE: 1, LeftOut.FILES: 1}

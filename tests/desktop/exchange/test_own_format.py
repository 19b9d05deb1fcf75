"""What Headwater writes of its conversations it reads again, to the last figure; a damaged file it does not."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import inference
from desktop.conversations import Conversation, FailureKind, TurnState
from desktop.exchange import ImportRefused, Tree, read, to_json, to_json_of
from desktop.turns import Attachment, Failure, Turn
from inference import Message, RemoteModel, Role, Sampling, WindowPolicy

NOW = datetime(2026, 3, 4, 10, 22, 5, 123456, tzinfo=UTC)
TEXT = st.text(st.characters(codec="utf-8"), max_size=30)
SMALL = st.integers(0, 2**31 - 1)
SECONDS = st.floats(0, 1e6)
MAYBE_SECONDS = st.none() | SECONDS
MOMENTS = st.integers(-(10**13), 10**13).map(
    lambda microseconds: (NOW + timedelta(microseconds=microseconds)).astimezone(timezone(timedelta(hours=3)))
)
SAMPLINGS = st.builds(
    Sampling,
    temperature=st.none() | st.floats(0, 100),
    top_k=st.none() | SMALL,
    dry_sequence_breakers=st.none() | st.lists(st.text("abc", min_size=1, max_size=3), max_size=3).map(tuple),
    logit_bias=st.none() | st.lists(st.tuples(SMALL, st.floats(-100, 100) | st.just(-float("inf")))).map(tuple),
)
TRACES = st.builds(
    inference.Trace,
    token_ids=st.lists(SMALL).map(tuple),
    token_times=st.lists(SECONDS).map(tuple),
    kept_tokens=SMALL,
    blocks=st.lists(st.builds(inference.PromptBlock, st.sampled_from(inference.BlockKind), SMALL, SMALL, SMALL)).map(
        tuple
    ),
    reuse_end=st.sampled_from(inference.ReuseEnd),
    pieces=st.lists(st.binary(max_size=4), max_size=4).map(tuple),
    candidates=st.lists(
        st.lists(st.builds(inference.Candidate, SMALL, st.binary(max_size=4), st.floats(0, 1)), max_size=2).map(tuple),
        max_size=2,
    ).map(tuple),
)


@st.composite
def turns(draw, number: int, before: list[Turn]):
    ids = [turn.id for turn in before]
    role = draw(st.sampled_from([Role.USER, Role.ASSISTANT]))
    return Turn(
        id=number,
        conversation=7,
        parent=draw(st.none() | st.sampled_from(ids)) if ids else None,
        message=Message(role, draw(TEXT), draw(st.lists(SMALL, max_size=5).map(tuple)), draw(TEXT)),
        created=draw(MOMENTS),
        state=draw(st.sampled_from([TurnState.COMPLETE, TurnState.FAILED, TurnState.INTERRUPTED])),
        model_name=draw(TEXT),
        model_path=draw(st.none() | st.sampled_from([Path("/models/a b.gguf"), Path.home() / "m" / "ü.gguf"])),
        finish_reason=draw(st.none() | st.sampled_from(inference.FinishReason)),
        usage=draw(st.none() | st.builds(inference.Usage, SMALL, st.none() | SMALL, SMALL, SMALL)),
        timings=draw(st.none() | st.builds(inference.Timings, SECONDS, SECONDS, MAYBE_SECONDS, decode=MAYBE_SECONDS)),
        streamed=draw(st.none() | st.booleans()),
        error=draw(TEXT),
        failure=draw(st.none() | st.builds(Failure, st.sampled_from(FailureKind), SMALL, SMALL)),
        remote=draw(st.none() | st.builds(RemoteModel, st.just("http://127.0.0.1:8080/v1"), TEXT)),
        thought_seconds=draw(MAYBE_SECONDS),
        left_out=tuple(draw(st.lists(st.sampled_from(ids), max_size=3))) if ids else (),
        attachments=tuple(draw(st.lists(st.builds(Attachment, TEXT, TEXT, SMALL, TEXT), max_size=2))),
        pinned=draw(st.booleans()),
        edited=draw(st.booleans()),
    )


@st.composite
def trees(draw):
    told: list[Turn] = []
    for number in draw(st.lists(st.integers(1, 2**50), unique=True, max_size=6)):
        told.append(draw(turns(number, told)))
    conversation = Conversation(
        id=7,
        title=draw(TEXT),
        created=draw(MOMENTS),
        updated=draw(MOMENTS),
        head=draw(st.none() | st.sampled_from([turn.id for turn in told])) if told else None,
        draft=draw(TEXT),
        window_policy=draw(st.sampled_from(WindowPolicy)),
        pinned=draw(st.booleans()),
        folder=draw(TEXT),
        system_prompt=draw(TEXT),
        sampling=draw(st.none() | SAMPLINGS),
    )
    traces = draw(st.dictionaries(st.sampled_from([turn.id for turn in told]), TRACES)) if told else {}
    return Tree(conversation, tuple(told), traces)


@settings(max_examples=60, deadline=None)
@given(kept=st.lists(trees(), min_size=1, max_size=3))
def test_what_was_written_is_read_again_as_it_was(kept, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "kept.json"
    path.write_text(to_json_of(kept), encoding="utf-8")
    found = read(path)
    assert list(found.conversations) == kept
    assert not found.left_out
    for tree, again in zip(kept, found.conversations, strict=True):
        # No part of what is compared: see `Message`.
        assert [turn.message.token_ids for turn in again.turns] == [turn.message.token_ids for turn in tree.turns]


def question(number: int, parent: int | None, text: str = "Why?") -> Turn:
    return Turn(number, 7, parent, Message(Role.USER, text), NOW)


def written(*kept: Turn, head: int | None = None, **about: object) -> str:
    return to_json(replace(Conversation(7, "Rivers", NOW, NOW, head), **about), kept)  # type: ignore[arg-type]  # by name


def test_each_turn_stands_on_a_line_of_its_own_with_what_differs_from_the_usual():
    text = written(question(1, None), question(2, 1), head=2)
    lines = text.splitlines()
    assert len(lines) == 5
    assert json.loads(lines[2].removesuffix(",")) == {
        "id": 1,
        "parent": None,
        "message": {"role": "user", "content": "Why?"},
        "created": "2026-03-04T10:22:05.123456+00:00",
    }


def test_a_file_of_the_first_version_is_read_for_ever():
    found = read(Path(__file__).parent / "version_1.json").conversations[0]
    assert found.conversation.title == "Why rivers bend"
    assert [turn.message.content for turn in found.turns] == ["Why do rivers bend?", "They erode.", "Water is fast."]
    assert found.turns[1].usage == inference.Usage(38, 12, 4)
    assert found.turns[2].parent == found.turns[1].parent == found.turns[0].id
    assert found.turns[0].attachments[0].text == "x,y\n1,2\n"
    assert found.traces[2].token_ids == (5, 6)


def test_no_home_folder_is_named(tmp_path):
    reply = Turn(1, 7, None, Message(Role.ASSISTANT, "a"), NOW, model_path=Path.home() / "models" / "a.gguf")
    text = written(reply)
    assert str(Path.home()) not in text
    (tmp_path / "a.json").write_text(text, encoding="utf-8")
    assert read(tmp_path / "a.json").conversations[0].turns == (reply,)


def test_what_a_turn_lost_its_parent_to_does_not_stop_it(tmp_path):
    (tmp_path / "a.json").write_text(written(question(5, 3)), encoding="utf-8")
    assert read(tmp_path / "a.json").conversations[0].turns[0].parent is None


def test_a_reply_that_was_being_written_was_interrupted(tmp_path):
    writing = Turn(1, 7, None, Message(Role.ASSISTANT, "half"), NOW, TurnState.WRITING)
    (tmp_path / "a.json").write_text(written(writing), encoding="utf-8")
    assert read(tmp_path / "a.json").conversations[0].turns[0].state is TurnState.INTERRUPTED


def test_a_temporary_conversation_that_is_imported_is_kept(tmp_path):
    (tmp_path / "a.json").write_text(written(question(1, None), temporary=True), encoding="utf-8")
    assert not read(tmp_path / "a.json").conversations[0].conversation.temporary


def test_fields_of_later_versions_are_passed_over(tmp_path):
    data = json.loads(written(question(1, None)))
    data["conversations"][0]["mood"] = "calm"
    data["conversations"][0]["turns"][0]["mood"] = "calm"
    (tmp_path / "a.json").write_text(json.dumps(data), encoding="utf-8")
    assert len(read(tmp_path / "a.json").conversations[0].turns) == 1


def test_a_later_version_is_not_guessed_at(tmp_path):
    (tmp_path / "a.json").write_text(written(question(1, None)).replace('"version": 1', '"version": 2'))
    with pytest.raises(ImportRefused, match="newer version"):
        read(tmp_path / "a.json")


WRONG = [
    ("id", "one"),
    ("id", True),
    ("id", 2**53 + 1),
    ("parent", 1),
    ("parent", 99),
    ("message", None),
    ("message", {"role": "pirate", "content": ""}),
    ("message", {"role": "user"}),
    ("message", {"role": "user", "content": ["a"]}),
    ("message", {"role": "user", "content": "", "token_ids": [2**31]}),
    ("created", "yesterday"),
    ("created", "0001-01-01T00:00:00+14:00"),
    ("created", "0001-01-01T12:00:00+00:00"),
    ("created", "9999-12-31T12:00:00+00:00"),
    ("created", 5),
    ("state", ["complete"]),
    ("usage", {"input_tokens": 1.5, "cached_tokens": 1, "output_tokens": 1}),
    ("usage", []),
    ("timings", {"queued": "fast", "load": 0}),
    ("timings", {"queued": 10**400, "load": 0}),
    ("remote", {"base_url": "file:///etc/passwd"}),
    ("left_out", {"0": 1}),
    ("attachments", [{"name": "a"}]),
    ("trace", {"blocks": [{"kind": "turn", "message": 0}]}),
    ("pinned", "yes"),
]


@pytest.mark.parametrize(("field", "value"), WRONG, ids=range(len(WRONG)))
def test_a_damaged_file_is_refused_whole(tmp_path, field, value):
    data = json.loads(written(question(1, None), question(2, 1)))
    data["conversations"][0]["turns"][0][field] = value
    (tmp_path / "bad.json").write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(ImportRefused, match=r"bad\.json is damaged.*conversations\[0\]\.turns\[[01]\]"):
        read(tmp_path / "bad.json")


@pytest.mark.parametrize(
    ("field", "value"), [("head", 99), ("sampling", {"temperature": -1}), ("turns", {}), ("title", 4)]
)
def test_so_is_one_with_a_damaged_conversation(tmp_path, field, value):
    data = json.loads(written(question(1, None)))
    data["conversations"][0][field] = value
    (tmp_path / "bad.json").write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(ImportRefused, match=r"bad\.json is damaged"):
        read(tmp_path / "bad.json")


def test_half_a_character_becomes_a_sign(tmp_path):
    text = written(question(1, None, "HERE")).replace("HERE", "\\ud800 and \\ud83d\\ude00")
    (tmp_path / "a.json").write_text(text, encoding="utf-8")
    assert read(tmp_path / "a.json").conversations[0].turns[0].message.content == "\ufffd and 😀"

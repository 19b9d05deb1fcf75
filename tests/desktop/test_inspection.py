"""One reply under the glass, as plain values."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from desktop.conversations import TurnState
from desktop.inspection import PhaseKind, inspect, phases_of
from desktop.turns import Attachment, Turn
from inference import (
    BlockKind,
    Candidate,
    Message,
    PromptBlock,
    RemoteModel,
    ReuseEnd,
    Role,
    Timings,
    Trace,
    Usage,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)
TIMINGS = Timings(0.01, 0.5, 0.02, 1.0, 0.001, 2.0, 0.002, prefill_tokens=30, output_tokens=5)


def turn(number: int, text: str, role: Role = Role.USER, **facts: object) -> Turn:
    parent = number - 1 or None
    return Turn(number, 1, parent, Message(role, text), NOW, **facts)  # type: ignore[arg-type]  # a test's facts


def reply(number: int = 4, **facts: object) -> Turn:
    known = {"model_path": Path("small.gguf"), "model_name": "small", "timings": TIMINGS, "usage": Usage(40, 10, 5)}
    return turn(number, "They bend.", Role.ASSISTANT, **(known | facts))


TURNS = (
    turn(1, "Why do rivers bend?"),
    turn(2, "Water.", Role.ASSISTANT, model_path=Path("small.gguf")),
    turn(3, "And then?", attachments=(Attachment("notes.txt", "txt", 9, "A note."),)),
)
TRACE = Trace(
    token_ids=(7, 8, 9, 10, 11),
    token_times=(1.5, 1.6, 1.7, 2.7, 2.8),
    kept_tokens=4,
    blocks=(
        PromptBlock(BlockKind.SYSTEM, 0, 8, 8),
        PromptBlock(BlockKind.TURN, 1, 10, 2),
        PromptBlock(BlockKind.TURN, 2, 6, 0),
        PromptBlock(BlockKind.NEW_MESSAGE, 3, 16, 0),
    ),
    reuse_end=ReuseEnd.TURN_CHANGED,
    pieces=(b"They", b" b", b"\xc3", b"end", b""),
    candidates=((Candidate(7, b"They", 0.6), Candidate(1, b"It", 0.2)),),
)


def test_phases_are_those_that_were_reached_and_make_up_the_whole():
    found = inspect(TURNS, reply(), TRACE)
    assert [part.kind for part in found.phases] == [
        PhaseKind.WAITING,
        PhaseKind.LOADING,
        PhaseKind.PREPARING,
        PhaseKind.PREFILL,
        PhaseKind.SAMPLING,
        PhaseKind.DECODE,
        PhaseKind.FINISHING,
    ]
    assert found.total == pytest.approx(TIMINGS.total)


def test_a_servers_wait_stands_for_what_it_does_not_say():
    kinds = [part.kind for part in phases_of(Timings(0.1, 0.0, wait=2.0, decode=1.0, finish=0.0))]
    assert kinds == [PhaseKind.WAITING, PhaseKind.SERVER, PhaseKind.DECODE, PhaseKind.FINISHING]
    assert phases_of(None) == ()


def test_gaps_have_a_median_a_percentile_and_named_outliers():
    found = inspect(TURNS, reply(), TRACE)
    assert found.gaps == pytest.approx((0.1, 0.1, 1.0, 0.1))
    assert found.median_gap == pytest.approx(0.1)
    assert found.p95_gap == pytest.approx(1.0)
    (outlier,) = found.outliers
    assert (outlier.number, outlier.text) == (4, "end")
    assert outlier.seconds == pytest.approx(1.0)


def test_the_prompts_blocks_say_where_they_come_from():
    found = inspect(TURNS, reply(), TRACE, system_prompt="Be brief.")
    assert [block.preview for block in found.blocks[:3]] == ["Be brief.", "Why do rivers bend?", "Water."]
    assert "And then?" in found.blocks[3].preview
    assert [(block.tokens, block.cached) for block in found.blocks] == [(8, 8), (10, 2), (6, 0), (16, 0)]
    assert found.reuse_end is ReuseEnd.TURN_CHANGED


def test_the_median_of_an_even_number_of_gaps_lies_between_the_middle_ones():
    found = inspect(TURNS, reply(), Trace((1, 2, 3), (1.0, 1.1, 1.4), 3))
    assert found.median_gap == pytest.approx(0.2)


def test_blocks_are_named_right_where_turns_were_left_out():
    kept = Trace(blocks=(PromptBlock(BlockKind.SYSTEM, 0, 8, 8), PromptBlock(BlockKind.NEW_MESSAGE, 3, 16, 0)))
    found = inspect(TURNS, reply(left_out=(1, 2)), kept, system_prompt="Be brief.")
    assert found.blocks[0].preview == "Be brief."
    assert "And then?" in found.blocks[1].preview
    assert found.blocks[1].files == ("notes.txt",)


def test_a_file_belongs_to_the_turn_it_went_along_with_and_to_no_other():
    turns = (
        turn(1, "Why", attachments=(Attachment("notes.txt", "txt", 9, "A note."),)),
        turn(2, "Water.", Role.ASSISTANT, model_path=Path("small.gguf")),
        turn(3, "Why do rivers bend?"),
    )
    blocks = (PromptBlock(BlockKind.TURN, 0, 8, 8), PromptBlock(BlockKind.NEW_MESSAGE, 2, 16, 0))
    found = inspect(turns, reply(), Trace(blocks=blocks))
    assert [block.files for block in found.blocks] == [("notes.txt",), ()]


def test_files_without_a_word_are_named_too():
    turns = (turn(3, "", attachments=(Attachment("notes.txt", "txt", 9, "A note."),)),)
    found = inspect(turns, reply(), Trace(blocks=(PromptBlock(BlockKind.NEW_MESSAGE, 0, 16, 0),)))
    assert found.blocks[0].files == ("notes.txt",)


@pytest.mark.parametrize("before", [(), TURNS[:2]])
def test_a_reply_whose_question_is_gone_is_looked_into_without_harm(before):
    found = inspect(before, reply(), TRACE)
    assert [block.tokens for block in found.blocks] == [8, 10, 6, 16]


def test_tokens_have_their_text_their_time_and_what_they_might_have_been():
    tokens = inspect(TURNS, reply(), TRACE).tokens()
    assert [token.text for token in tokens] == ["They", " b", "C3", "end", ""]
    assert [token.seconds for token in tokens] == pytest.approx([1.5, 0.1, 0.1, 1.0, 0.1])
    assert tokens[0].probability == 0.6
    assert tokens[0].others == (("It", 0.2),)
    assert (tokens[1].probability, tokens[1].others) == (None, ())


def test_a_reply_of_an_earlier_version_has_tokens_without_texts():
    old = Trace((7, 8), (0.1, 0.2), 2)
    tokens = inspect(TURNS, reply(), old).tokens()
    assert [(token.token, token.text) for token in tokens] == [(7, ""), (8, "")]


def test_without_a_trace_there_are_the_figures_alone():
    found = inspect(TURNS, reply(), None)
    assert (found.gaps, found.blocks, found.tokens(), found.reuse_end) == ((), (), (), None)
    assert found.phases


def test_a_servers_reply_does_not_say_why_reading_began():
    remote = reply(remote=RemoteModel("http://127.0.0.1/v1", "m"), model_path=None)
    assert inspect(TURNS, remote, Trace((1,), (0.1,), 1)).reuse_end is None


def test_a_reply_that_failed_before_it_began_is_looked_into_without_harm():
    failed = reply(state=TurnState.FAILED, timings=None, usage=None)
    found = inspect(TURNS, failed, None)
    assert (found.phases, found.total, found.median_gap, found.held) == ((), 0, None, None)

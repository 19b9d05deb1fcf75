"""A trace is read as it was kept, and one that was damaged is none."""

from __future__ import annotations

import json
import zlib

from hypothesis import given
from hypothesis import strategies as st

from desktop.store.traces import packed_trace, trace_from, trace_if_sound
from inference import BlockKind, Candidate, PromptBlock, ReuseEnd, Trace
from tests.deep_types import assert_of_its_types
from tests.odd_values import damaged

TRACE = Trace(
    token_ids=(5, 6),
    token_times=(0.25, 0.5),
    kept_tokens=1,
    blocks=(PromptBlock(BlockKind.TURN, 0, 4, 2),),
    reuse_end=ReuseEnd.NEW_TEXT,
    drafted_tokens=3,
    accepted_tokens=1,
    pieces=(b"\xe2", b""),
    candidates=((Candidate(5, b"\xe2", 0.5), Candidate(6, b"", 0.25)),),
)


def test_a_trace_is_read_as_it_was_kept():
    assert trace_from(packed_trace(TRACE)) == TRACE


@given(damaged(json.loads(zlib.decompress(packed_trace(TRACE)))))
def test_what_damage_left_of_a_trace_is_of_its_types_or_none(content):
    trace = trace_if_sound(zlib.compress(json.dumps(content).encode()))
    if trace is not None:
        assert_of_its_types(trace)


@given(st.none() | st.integers() | st.floats() | st.text(max_size=9) | st.binary(max_size=40))
def test_a_column_that_holds_something_else_holds_no_trace(packed):
    assert trace_if_sound(packed) is None

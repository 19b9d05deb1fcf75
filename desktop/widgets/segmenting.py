"""Blocks put together into segments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from desktop.markdown import Block, Fence, Rule, Table
from desktop.widgets.boxes import Box, BoxedSegment, CodeSegment, TableSegment
from desktop.widgets.segments import Segment
from desktop.widgets.text_segment import TextSegment

_SEGMENT_LENGTH = 700  # characters: short enough to be laid out again with every token


def grouped(blocks: Sequence[Block]) -> Iterator[tuple[Block, ...]]:
    """The blocks segment by segment. What stands before the last segment does not change when blocks are added."""
    group: list[Block] = []
    length = 0
    for block in blocks:
        if isinstance(block, Fence | Table):
            if group:
                yield tuple(group)
            yield (block,)
            group, length = [], 0
            continue
        group.append(block)
        length += 40 if isinstance(block, Rule) else sum(len(run.text) for run in block.runs)
        if length >= _SEGMENT_LENGTH:
            yield tuple(group)
            group, length = [], 0
    if group:
        yield tuple(group)


def make_segment(blocks: tuple[Block, ...], previous: Segment | None) -> Segment:
    """The segment for blocks that `grouped` put together."""
    before = previous.last_block if previous else None
    match blocks[0]:
        case Fence():
            return CodeSegment(blocks, before, _shared_box(blocks[0], previous, CodeSegment))
        case Table():
            return TableSegment(blocks, before, _shared_box(blocks[0], previous, TableSegment))
        case _:
            return TextSegment(blocks, before)


def _shared_box(block: Block, previous: Segment | None, kind: type[BoxedSegment]) -> Box:
    return previous.box if block.place.resumes and isinstance(previous, kind) else Box()

"""How a reply came about, in few bytes."""

from __future__ import annotations

import json
import zlib
from itertools import pairwise

import inference
from desktop.store.rows import DAMAGE
from inference import LARGEST_NUMBER


def packed_trace(trace: inference.Trace) -> bytes:
    """A trace as a few bytes per token; its times are kept to the microsecond."""
    moments = [0, *(round(time * 1e6) for time in trace.token_times)]
    content = {
        "ids": trace.token_ids,
        "gaps": [later - earlier for earlier, later in pairwise(moments)],
        "kept": trace.kept_tokens,
        "blocks": [(block.kind, block.message, block.tokens, block.cached) for block in trace.blocks],
        "reuse_end": trace.reuse_end,
        "drafts": (trace.drafted_tokens, trace.accepted_tokens),
        "pieces": [_text(piece) for piece in trace.pieces],
        "candidates": [[(c.token, _text(c.piece), c.probability) for c in place] for place in trace.candidates],
    }
    return zlib.compress(json.dumps(content, separators=(",", ":")).encode())


def trace_if_sound(packed: bytes) -> inference.Trace | None:
    """The same; `None` where damage left none."""
    try:
        return trace_from(packed)
    except (*DAMAGE, zlib.error):
        return None


def trace_from(packed: bytes) -> inference.Trace:
    """The trace that was packed."""
    content = json.loads(zlib.decompress(packed))
    drafted, accepted = _numbers(content.get("drafts", (0, 0)))  # traces of earlier versions have none
    moment = 0
    times = []
    for gap in _numbers(content["gaps"]):
        moment += gap
        times.append(moment / 1e6)
    (kept,) = _numbers([content["kept"]])
    return inference.Trace(
        token_ids=_numbers(content["ids"]),
        token_times=tuple(times),
        kept_tokens=kept,
        blocks=tuple(
            inference.PromptBlock(inference.BlockKind(kind), *_numbers(numbers)) for kind, *numbers in content["blocks"]
        ),
        reuse_end=_reuse_end(content["reuse_end"]),
        drafted_tokens=drafted,
        accepted_tokens=accepted,
        pieces=tuple(_bytes(piece) for piece in content.get("pieces", ())),
        candidates=tuple(tuple(_candidate(*each) for each in place) for place in content.get("candidates", ())),
    )


def _candidate(token: int, piece: str, probability: float) -> inference.Candidate:
    if type(probability) not in (float, int) or not 0 <= probability <= 1.001:  # a softmax rounds
        raise ValueError(probability)
    (number,) = _numbers([token])
    return inference.Candidate(number, _bytes(piece), probability)


def _numbers(values: list[int]) -> tuple[int, ...]:
    """Counts and ids. A gap between two moments may be below zero, where a clock was rounded."""
    if not all(type(each) is int and abs(each) <= LARGEST_NUMBER for each in values):
        raise ValueError(values)
    return tuple(values)


def _text(piece: bytes) -> str:
    """A token may be a part of a character, and JSON holds only text: each byte becomes the character of its number."""
    return piece.decode("latin-1")


def _bytes(text: str) -> bytes:
    return text.encode("latin-1")


def _reuse_end(name: str) -> inference.ReuseEnd:
    match name:
        case "nothing held":  # these two were called otherwise before
            return inference.ReuseEnd.MODEL_RELOADED
        case "text differs":
            return inference.ReuseEnd.TURN_CHANGED
        case _:
            return inference.ReuseEnd(name)

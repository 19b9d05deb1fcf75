"""How a reply came about, in few bytes."""

from __future__ import annotations

import json
import zlib
from itertools import pairwise

import inference
from desktop.store.rows import DAMAGE


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
    drafted, accepted = content.get("drafts", (0, 0))  # traces of earlier versions have none
    moment = 0
    times = []
    for gap in content["gaps"]:
        moment += gap
        times.append(moment / 1e6)
    return inference.Trace(
        token_ids=tuple(content["ids"]),
        token_times=tuple(times),
        kept_tokens=content["kept"],
        blocks=tuple(
            inference.PromptBlock(inference.BlockKind(kind), *numbers) for kind, *numbers in content["blocks"]
        ),
        reuse_end=_reuse_end(content["reuse_end"]),
        drafted_tokens=drafted,
        accepted_tokens=accepted,
        pieces=tuple(_bytes(piece) for piece in content.get("pieces", ())),
        candidates=tuple(
            tuple(inference.Candidate(token, _bytes(piece), probability) for token, piece, probability in place)
            for place in content.get("candidates", ())
        ),
    )


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

"""One reply under the glass: its phases, its tokens, its prompt, as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from statistics import median

import inference
from desktop.asking import messages_for
from desktop.turns import Turn, turns_of_messages
from inference import AnyModel, ModelConfig

_OUTLIER = 3.0  # times the median
_MOST_OUTLIERS = 5
_PREVIEW = 48  # letters of a block


class PhaseKind(StrEnum):
    """What a reply's time went into, in this order."""

    WAITING = "waiting"
    LOADING = "loading"
    PREPARING = "preparing"
    PREFILL = "prefill"
    SAMPLING = "first sample"
    SERVER = "server"  # it does not say what it did meanwhile
    DECODE = "decode"
    FINISHING = "finishing"


@dataclass(frozen=True, slots=True)
class PhasePart:
    """A phase and its seconds."""

    kind: PhaseKind
    seconds: float


@dataclass(frozen=True, slots=True)
class Outlier:
    """A token that took much longer than the others; `number` counts from one, `text` is empty where not known."""

    number: int
    seconds: float
    text: str


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of the prompt: what it comes from, how it begins, the files that went along, its tokens."""

    kind: inference.BlockKind
    preview: str
    files: tuple[str, ...]
    tokens: int
    cached: int


@dataclass(frozen=True, slots=True)
class Token:
    """One token of the reply. `seconds` is the time since the one before, for the first since the request; the
    probability and the other candidates are known where they were recorded."""

    number: int
    token: int
    text: str
    seconds: float
    probability: float | None
    others: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Inspection:
    """What is known of one reply; what is not is empty or `None`."""

    turn: Turn
    phases: tuple[PhasePart, ...] = ()
    gaps: tuple[float, ...] = ()  # seconds from each token to the next
    outliers: tuple[Outlier, ...] = ()
    blocks: tuple[Block, ...] = ()
    reuse_end: inference.ReuseEnd | None = None
    trace: inference.Trace | None = None

    @property
    def total(self) -> float:
        return sum(part.seconds for part in self.phases)

    @property
    def median_gap(self) -> float | None:
        return median(self.gaps) if self.gaps else None

    @property
    def p95_gap(self) -> float | None:
        return inference.experiments.percentile(self.gaps, 0.95) if self.gaps else None

    @property
    def held(self) -> int | None:
        """Tokens that the KV cache held half-way through the reply; `None` where that is not known."""
        usage = self.turn.usage
        return None if usage is None or not usage.input_tokens else usage.input_tokens + usage.output_tokens // 2

    def tokens(self) -> tuple[Token, ...]:
        """Every token: to be asked for when somebody wants to see them."""
        trace = self.trace
        if trace is None:
            return ()
        before = 0.0
        found = []
        # Of a kept trace that was damaged there may be more of the one than of the other.
        for place, (token, moment) in enumerate(zip(trace.token_ids, trace.token_times, strict=False)):
            candidates = trace.candidates[place] if place < len(trace.candidates) else ()
            found.append(
                Token(
                    number=place + 1,
                    token=token,
                    text=_text(trace.pieces[place]) if place < len(trace.pieces) else "",
                    seconds=moment - before,
                    probability=next((c.probability for c in candidates if c.token == token), None),
                    others=tuple((_text(c.piece), c.probability) for c in candidates if c.token != token),
                )
            )
            before = moment
        return tuple(found)


def inspect(turns: Sequence[Turn], reply: Turn, trace: inference.Trace | None, system_prompt: str = "") -> Inspection:
    """Look into `reply`; `turns` is the branch it stands in, up to it or further."""
    gaps = () if trace is None else tuple(later - earlier for earlier, later in pairwise(trace.token_times))
    return Inspection(
        turn=reply,
        phases=phases_of(reply.timings),
        gaps=gaps,
        outliers=_outliers(gaps, trace),
        blocks=_blocks(turns, reply, trace, system_prompt),
        reuse_end=None if trace is None or reply.remote is not None or not trace.blocks else trace.reuse_end,
        trace=trace,
    )


def phases_of(timings: inference.Timings | None) -> tuple[PhasePart, ...]:
    """The phases that were reached, in order."""
    if timings is None:
        return ()
    parts = (
        (PhaseKind.WAITING, timings.queued),
        (PhaseKind.LOADING, timings.load or None),
        (PhaseKind.PREPARING, timings.prepare),
        (PhaseKind.PREFILL, timings.prefill),
        (PhaseKind.SAMPLING, timings.first_sample),
        (PhaseKind.SERVER, timings.wait),
        (PhaseKind.DECODE, timings.decode),
        (PhaseKind.FINISHING, timings.finish),
    )
    return tuple(PhasePart(kind, seconds) for kind, seconds in parts if seconds is not None)


def _outliers(gaps: Sequence[float], trace: inference.Trace | None) -> tuple[Outlier, ...]:
    if not gaps or trace is None:
        return ()
    usual = median(gaps)
    # Where most tokens came with the one before, as accepted drafts do, there is nothing to compare with.
    slow = [(seconds, place) for place, seconds in enumerate(gaps) if 0 < _OUTLIER * usual < seconds]
    longest = sorted(slow, reverse=True)[:_MOST_OUTLIERS]
    # A gap is before a token: the first one leads to the second token.
    return tuple(
        Outlier(place + 2, seconds, _text(trace.pieces[place + 1]) if place + 1 < len(trace.pieces) else "")
        for seconds, place in longest
    )


def _blocks(turns: Sequence[Turn], reply: Turn, trace: inference.Trace | None, system_prompt: str) -> tuple[Block, ...]:
    if trace is None or not trace.blocks:
        return ()
    # The blocks name messages by their place in the whole request, those that the window had no room for included.
    before = [turn for turn in turns if turn.id < reply.id or turn.id == reply.parent]
    messages = messages_for(before, _model_of(reply), system_prompt)
    turns_read = turns_of_messages(before)
    made_of = (((),) if len(messages) > len(turns_read) else ()) + turns_read  # of a system prompt, no turn
    files = {turn.id: [each.name for each in turn.attachments] for turn in before}
    found = []
    for block in trace.blocks:
        is_known = 0 <= block.message < len(messages)
        said = messages[block.message].content if is_known else ""
        names = [name for turn in made_of[block.message] for name in files[turn]] if is_known else []
        found.append(Block(block.kind, _preview(said), tuple(names), block.tokens, block.cached))
    return tuple(found)


def _model_of(reply: Turn) -> AnyModel:
    """Whose token ids are kept does not matter here: only the words are looked at."""
    if reply.remote is not None:
        return reply.remote
    return ModelConfig(reply.model_path or Path())  # none where it was damaged


def _preview(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _PREVIEW else f"{line[: _PREVIEW - 1]}…"


def _text(piece: bytes) -> str:
    """A token's bytes as they can be read; a part of a character is shown by its bytes."""
    try:
        return piece.decode()
    except UnicodeDecodeError:
        return " ".join(f"{byte:02X}" for byte in piece)

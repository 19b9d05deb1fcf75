"""The figures of one reply and of its whole conversation, in words: what `Details` shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from PySide6.QtCore import QCoreApplication

import inference
from desktop import wording
from desktop.conversations import TurnState
from desktop.turns import Totals, Turn
from desktop.widgets.reuse_words import why_reading_began


@dataclass(frozen=True, slots=True)
class Detail:
    """One line: what it is, and how much."""

    label: str
    value: str


def details_of(turn: Turn, trace: inference.Trace | None) -> tuple[Detail, ...]:
    """What is known of a reply; what is not known is left out."""
    details = (
        Detail(_tr("Model"), turn.model_name),
        Detail(_tr("File"), "" if turn.model_path is None else str(turn.model_path)),
        Detail(_tr("Server"), "" if turn.remote is None else turn.remote.base_url),
        Detail(_tr("Ended"), _ending(turn)),
        Detail(_tr("Shown"), _shown(turn)),
        *_tokens(turn, trace),
        *_times(turn),
    )
    return tuple(detail for detail in details if detail.value)


def details_of_all(totals: Totals) -> tuple[Detail, ...]:
    """What a whole conversation has taken."""
    return (
        Detail(_tr("Tokens read"), wording.whole(totals.input_tokens)),
        Detail(_tr("of which cached"), wording.whole(totals.cached_tokens)),
        Detail(_tr("Tokens written"), wording.whole(totals.output_tokens)),
        Detail(_tr("Time"), _seconds(totals.seconds)),
    )


def summary_of(totals: Totals) -> str:
    """In a few words; none where nothing was asked yet."""
    if not totals.input_tokens and not totals.output_tokens:
        return ""
    read, written = wording.whole(totals.input_tokens), wording.whole(totals.output_tokens)
    return _tr("{read} tokens read, {written} written").format(read=read, written=written)


def _tokens(turn: Turn, trace: inference.Trace | None) -> tuple[Detail, ...]:
    usage = turn.usage
    if usage is None:
        return ()
    cached = usage.cached_tokens
    thought = _tr("{tokens}, {reasoning} of them reasoning").format(
        tokens=wording.whole(usage.output_tokens), reasoning=wording.whole(usage.reasoning_tokens)
    )
    drafted = trace is not None and trace.drafted_tokens > 0
    return (
        Detail(_tr("Tokens read"), wording.whole(usage.input_tokens - (cached or 0)) if usage.input_tokens else ""),
        Detail(_tr("From the KV cache"), "" if cached is None else wording.whole(cached)),
        Detail(_tr("Reading began"), "" if trace is None or turn.remote else why_reading_began(trace.reuse_end)),
        Detail(_tr("Left out"), _left_out(turn)),
        Detail(
            _tr("Tokens written"),
            (thought if usage.reasoning_tokens else wording.whole(usage.output_tokens)) if usage.output_tokens else "",
        ),
        Detail(_tr("Drafts"), _drafts(trace) if trace is not None and drafted else ""),
    )


def _times(turn: Turn) -> tuple[Detail, ...]:
    timings = turn.timings
    if timings is None:
        return ()
    return (
        Detail(_tr("Waited"), _seconds(timings.queued) if timings.queued >= _WORTH_SAYING else ""),
        Detail(_tr("Loading the model"), _seconds(timings.load) if timings.load else ""),
        Detail(_tr("Prefill"), _phase(timings.prefill, timings.prefill_rate)),
        Detail(_tr("First token after"), "" if timings.ttft is None else _seconds(timings.ttft)),
        Detail(_tr("Decode"), _phase(timings.decode, timings.decode_rate)),
        Detail(_tr("In all"), _seconds(timings.total)),
    )


_WORTH_SAYING = 0.05  # seconds


def _phase(seconds: float | None, rate: float | None) -> str:
    if seconds is None or rate is None:
        return ""
    return _tr("{seconds} s, {rate} tok/s").format(seconds=wording.duration(seconds), rate=wording.rate(rate))


def _seconds(seconds: float) -> str:
    return _tr("{seconds} s").format(seconds=wording.duration(seconds))


def _drafts(trace: inference.Trace) -> str:
    return _tr("{accepted} of {drafted} tokens taken").format(
        accepted=wording.whole(trace.accepted_tokens), drafted=wording.whole(trace.drafted_tokens)
    )


def _left_out(turn: Turn) -> str:
    count = len(turn.left_out)
    if count == 1:
        return _tr("1 older message")
    return _tr("{count} older messages").format(count=wording.whole(count)) if count else ""


def _shown(turn: Turn) -> str:
    if turn.streamed is None:
        return ""
    return _tr("while it was written") if turn.streamed else _tr("whole, at its end")


def _ending(turn: Turn) -> str:
    if turn.edited:
        return _tr("written over by you")
    match turn.state:
        case TurnState.WRITING:
            return ""
        case TurnState.FAILED:
            return _tr("failed")
        case TurnState.INTERRUPTED:
            return _tr("interrupted: Headwater closed meanwhile")
        case TurnState.COMPLETE:
            return _reason(turn.finish_reason)
    assert_never(turn.state)


def _reason(reason: inference.FinishReason | None) -> str:
    match reason:
        case None:
            return ""
        case inference.FinishReason.STOP:
            return _tr("by the model")
        case inference.FinishReason.LENGTH:
            return _tr("at the length asked for")
        case inference.FinishReason.WINDOW:
            return _tr("with the context window full")
        case inference.FinishReason.CANCELLED:
            return _tr("stopped by you")
    assert_never(reason)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Details", text)

"""The figures that the status bar shows, of a reply and of the model that answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import inference

if TYPE_CHECKING:
    from desktop.turns import Turn


@dataclass(frozen=True, slots=True)
class Figures:
    """What the status bar shows: of the running reply, else of the last one. `None` (or "") where not known.

    `device` is a server where that answers; `reuse_end` says why reading began where it did.
    """

    device: str = ""
    threads: int | None = None
    context_used: int | None = None
    context_size: int | None = None
    prefill_rate: float | None = None
    new_tokens: int | None = None
    cached_tokens: int | None = None
    decode_rate: float | None = None
    ttft: float | None = None
    reuse_end: inference.ReuseEnd | None = None
    is_remote: bool = False
    measured_at_client: bool = False  # the decode rate: from text to text as they came here


def figures_of(reply: Turn, trace: inference.Trace | None) -> Figures:
    """Those of a reply that has ended."""
    usage, timings = reply.usage, reply.timings
    if usage is None or timings is None or (timings.prepare is None and timings.wait is None):
        # It failed, or was stopped before its prompt was looked at: nothing was held, read or reused.
        return Figures()
    cached = usage.cached_tokens
    # What a server does not say is blank.
    read = timings.prefill_tokens if reply.remote is None else timings.prefill_tokens or None
    return Figures(
        context_used=_tokens_held(usage, timings) if reply.remote is None else _tokens_told(usage),
        prefill_rate=timings.prefill_rate,
        new_tokens=read,
        cached_tokens=cached,
        decode_rate=timings.decode_rate,
        ttft=timings.ttft,
        reuse_end=None if trace is None or reply.remote is not None else trace.reuse_end,
        measured_at_client=timings.measured_at_client,
    )


def figures_with(
    of_reply: Figures, info: inference.ModelInfo | inference.RemoteModelInfo | None, last: Turn | None
) -> Figures:
    """A reply's figures, with those of the model that answers next. Another than that of the `last` turn counts the
    same text differently."""
    if info is None:
        return replace(of_reply, context_used=None)
    is_remote = isinstance(info, inference.RemoteModelInfo)
    return replace(
        of_reply,
        device=urlsplit(info.config.base_url).netloc if isinstance(info, inference.RemoteModelInfo) else info.device,
        is_remote=is_remote,
        threads=None if isinstance(info, inference.RemoteModelInfo) else info.threads,
        context_size=info.context_size,
        context_used=of_reply.context_used if last is not None and last.is_by(info.config) else None,
    )


def held(prompt_tokens: int, written: inference.TextDelta | inference.Usage) -> int:
    """With the reply, but for its last token: the model takes that in only when it is to choose one more."""
    return prompt_tokens + max(0, written.output_tokens - 1)


def _tokens_held(usage: inference.Usage, timings: inference.Timings) -> int | None:
    cached = usage.cached_tokens
    return None if cached is None else held(cached + timings.prefill_tokens, usage)


def _tokens_told(usage: inference.Usage) -> int | None:
    """What a server says that it read and wrote."""
    return usage.input_tokens + usage.output_tokens if usage.input_tokens and usage.output_tokens else None

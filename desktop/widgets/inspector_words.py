"""What the Inspector says of a reply, in words."""

from __future__ import annotations

from typing import assert_never

from PySide6.QtCore import QCoreApplication

import inference
from desktop import wording
from desktop.inspection import Block, Inspection, PhaseKind, PhasePart
from desktop.spoken import spoken
from desktop.widgets.reuse_words import why_reading_began
from desktop.widgets.stacked_bar import BarPart, PartInk


def phase_name(kind: PhaseKind) -> str:
    """What a phase is called."""
    match kind:
        case PhaseKind.WAITING:
            return _tr("Waiting")
        case PhaseKind.LOADING:
            return _tr("Loading the model")
        case PhaseKind.PREPARING:
            return _tr("Preparing")
        case PhaseKind.PREFILL:
            return _tr("Prefill")
        case PhaseKind.SAMPLING:
            return _tr("First sample")
        case PhaseKind.SERVER:
            return _tr("At the server")
        case PhaseKind.DECODE:
            return _tr("Decode")
        case PhaseKind.FINISHING:
            return _tr("Finishing")
    assert_never(kind)


def phase_part(part: PhasePart, total: float) -> BarPart:
    """A phase as a part of the bar."""
    inks = {
        PhaseKind.PREFILL: PartInk.PREFILL,
        PhaseKind.SERVER: PartInk.PREFILL,
        PhaseKind.DECODE: PartInk.DECODE,
        PhaseKind.LOADING: PartInk.LOAD,
    }
    share = part.seconds / total if total else 0.0
    words = _tr("{phase}: {seconds}, {share} %").format(
        phase=phase_name(part.kind), seconds=seconds(part.seconds), share=wording.decimals(100 * share, 1)
    )
    return BarPart(words, part.seconds, inks.get(part.kind, PartInk.QUIET))


def block_name(block: Block) -> str:
    """Where a stretch of the prompt comes from, and how it begins."""
    kinds = {
        inference.BlockKind.SYSTEM: _tr("System prompt"),
        inference.BlockKind.TURN: _tr("Turn"),
        inference.BlockKind.NEW_MESSAGE: _tr("New message"),
    }
    name = kinds[block.kind]
    if block.preview:
        name = _tr("{kind} “{preview}”").format(kind=name, preview=block.preview)
    if block.files:
        name = _tr("{block} with {files}").format(block=name, files=", ".join(block.files))
    return name


def block_parts(block: Block) -> tuple[BarPart, ...]:
    """A stretch of the prompt as parts of the bar: cached, then read."""
    name, read = block_name(block), block.tokens - block.cached
    cached_words = _tr("{block}: {count} tokens cached").format(block=name, count=wording.whole(block.cached))
    read_words = _tr("{block}: {count} tokens read").format(block=name, count=wording.whole(read))
    return tuple(
        BarPart(words, count, ink)
        for words, count, ink in ((cached_words, block.cached, PartInk.CACHED), (read_words, read, PartInk.PREFILL))
        if count
    )


def tokens_words(found: Inspection) -> str:
    """How the time went from token to token; empty where too little is known."""
    median, p95 = found.median_gap, found.p95_gap
    if median is None or p95 is None:
        return ""
    words = [
        _tr("From token to token: median {median}, 95th percentile {p95}, {count} gaps.").format(
            median=seconds(median), p95=seconds(p95), count=wording.whole(len(found.gaps))
        )
    ]
    words += [
        _tr("Token {number}{text} took {seconds}, {times} times the median.").format(
            number=wording.whole(outlier.number),
            text=f" {outlier.text.strip()!r}" if outlier.text.strip() else "",
            seconds=seconds(outlier.seconds),
            times=wording.decimals(outlier.seconds / median, 1),
        )
        for outlier in found.outliers
    ]
    if not found.outliers:
        words.append(_tr("None took more than three times the median."))
    if found.turn.timings is not None and found.turn.timings.measured_at_client:
        words.append(_tr("Measured here, from text to text: the server does not say."))
    return "\n".join(words)


def prompt_words(found: Inspection) -> str:
    """The prompt's blocks, a line each, and why reuse ended."""
    lines = [
        _tr("{block}: {cached} cached, {read} read").format(
            block=block_name(block),
            cached=wording.whole(block.cached),
            read=wording.whole(block.tokens - block.cached),
        )
        for block in found.blocks
    ]
    if found.reuse_end is not None:
        lines.append(why_reading_began(found.reuse_end))
    return "\n".join(lines)


def usage_words(usage: inference.Usage | None) -> str:
    """The tokens of one reply; empty where they are not known."""
    if usage is None or not (usage.input_tokens or usage.output_tokens):
        return ""
    cached = "" if usage.cached_tokens is None else wording.whole(usage.cached_tokens)
    return _tr("Input {input} tokens, of which cached {cached}; output {output}; in all {total}.").format(
        input=wording.whole(usage.input_tokens),
        cached=cached or _tr("not known"),
        output=wording.whole(usage.output_tokens),
        total=wording.whole(usage.input_tokens + usage.output_tokens),
    )


def cost_words(usage: inference.Usage | None, prices: inference.experiments.Prices) -> str:
    """What the same tokens would cost at the reader's prices."""
    if usage is None:
        return ""
    if not prices.are_given:
        return _tr("Enter prices per million tokens to see what the same tokens would cost elsewhere.")
    return _tr("About {cost}: an estimate at the prices above, which you entered.").format(
        cost=spoken(prices.text(prices.cost(usage)))
    )


def share_words(
    found: Inspection, info: inference.ModelInfo | None, bandwidth: inference.experiments.Bandwidth | None
) -> str:
    """The part of the memory's bandwidth that decode took; or why that is not said."""
    lab = inference.experiments
    rate = found.turn.timings.decode_rate if found.turn.timings is not None else None
    if info is None or found.turn.model_path != info.config.path:
        return _tr("Known for replies of the model that is loaded now.")
    if rate is None or found.held is None:
        return _tr("Not known for this reply.")
    if info.gpu_layers:
        return _tr("Computed for models on the CPU: the memory of a GPU is not measured.")
    moved = lab.bytes_per_token(info, found.held)
    each = _tr("One token moves {megabytes} MB").format(megabytes=wording.whole(round(moved / 1e6)))
    if bandwidth is None:
        return _tr("{each}. Measure the memory to see the share.").format(each=each)
    return _tr(
        "{each}; at {rate} tok/s that is {used} GB/s of {best} GB/s measured: {share} % of the limit.\n{method}"
    ).format(
        each=each,
        rate=wording.rate(rate),
        used=wording.decimals(moved * rate / 1e9, 1),
        best=wording.decimals(bandwidth.best / 1e9, 1),
        share=wording.decimals(100 * lab.share_of_limit(rate, moved, bandwidth), 0),
        method=spoken(lab.METHOD),
    )


def seconds(value: float) -> str:
    """A time with its unit."""
    return spoken(inference.experiments.seconds_text(value))


def _tr(text: str) -> str:
    return QCoreApplication.translate("Inspector", text)

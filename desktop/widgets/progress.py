"""What a running generation is at, in the words of the quiet line at the end of the growing reply."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from PySide6.QtCore import QCoreApplication

from desktop import wording
from desktop.activity import Activity, Phase


class ProgressKind(StrEnum):
    """What a reply that shows no text yet is waiting for."""

    WAITING = "waiting"
    LOADING = "loading"
    PREFILL = "prefill"
    DECODE = "decode"


@dataclass(frozen=True, slots=True)
class Progress:
    """The quiet line at the end of a growing reply, over a thin bar where the fraction is known."""

    text: str
    fraction: float | None
    kind: ProgressKind


def progress_of(activity: Activity, now: float, waits_for: str = "") -> Progress | None:
    """The line for `activity` at the moment `now`; none while text itself shows that something is written. `waits_for`
    says what it waits for, where that is known."""
    match activity.phase:
        case Phase.IDLE:
            return None
        case Phase.WAITING:
            return Progress(waits_for or _tr("Waiting for its turn"), None, ProgressKind.WAITING)
        case Phase.LOADING:
            percent = int(100 * activity.load_fraction)
            words = _tr("Loading the model, {percent} %").format(percent=percent)
            return Progress(words, activity.load_fraction, ProgressKind.LOADING)
        case Phase.PREFILL:
            return Progress(_reading(activity, now), activity.prefill_fraction(now), ProgressKind.PREFILL)
        case Phase.DECODE:
            return None if activity.streaming else Progress(_writing(activity), None, ProgressKind.DECODE)
    assert_never(activity.phase)


def thinking_of(activity: Activity) -> str:
    """What stands for the reasoning of the reply that is being written; empty where there is none."""
    if activity.is_thinking:
        return _tr("Thinking, {tokens} tokens").format(tokens=wording.whole(activity.output_tokens))
    if activity.thought_seconds is None:
        return ""
    return _tr("Thought for {seconds} s").format(seconds=wording.running(activity.thought_seconds))


def _reading(activity: Activity, now: float) -> str:
    tokens = wording.whole(activity.new_tokens)
    left = activity.prefill_seconds_left(now)
    if left is None:
        return _tr("Reading {tokens} tokens").format(tokens=tokens)
    return _tr("Reading {tokens} tokens, {seconds} s left").format(tokens=tokens, seconds=wording.remaining(left))


def _writing(activity: Activity) -> str:
    tokens, seconds = wording.whole(activity.output_tokens), wording.running(activity.decode_seconds)
    words = (
        _tr("Thinking, {tokens} tokens, {seconds} s") if activity.is_thinking else _tr("{tokens} tokens, {seconds} s")
    )
    return words.format(tokens=tokens, seconds=seconds)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Progress", text)

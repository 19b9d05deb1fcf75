"""Two times in words: how long something took with streaming on, and with it off."""

from __future__ import annotations

from inference.experiments.samples import Statistic, differ, seconds_text
from inference.sentences import Sentence

ALIKE_TO_THE_EYE = 0.05  # further apart, two times are not called the same without their spread


def words_of_first(on: Statistic, off: Statistic) -> Sentence:
    """Whether the first words were there sooner with streaming."""
    apart = seconds_text(abs(off.median - on.median))
    if not differ(on, off):
        figures = {"on": seconds_text(on.median), "off": seconds_text(off.median)}
        return Sentence("Streaming showed the first words no sooner ({on} and {off})", **figures)
    if on.median < off.median:
        return Sentence("Streaming showed the first words {apart} sooner", apart=apart)
    return Sentence("Streaming showed the first words {apart} later", apart=apart)


def words_of_total(on: Statistic, off: Statistic) -> Sentence:
    """Whether the whole answer took the same time; it goes on a sentence."""
    both, apart = both_texts(on, off), seconds_text(abs(on.median - off.median))
    if differ(on, off):
        if on.median > off.median:
            return Sentence("the whole answer took {apart} longer with streaming: {both}", apart=apart, both=both)
        return Sentence("the whole answer took {apart} less with streaming: {both}", apart=apart, both=both)
    if _alike_to_the_eye(on, off):
        return Sentence("the whole answer took the same time: {both}", both=both)
    return Sentence("the whole answer took the same time within the spread: {both}", both=both)


def both_texts(on: Statistic, off: Statistic) -> Sentence:
    """Two times, on and off: with their spread where they are no different but do not look alike."""
    if differ(on, off) or _alike_to_the_eye(on, off):
        return Sentence("{on} and {off}", on=seconds_text(on.median), off=seconds_text(off.median))
    return Sentence("{on} and {off}", on=_with_spread(on), off=_with_spread(off))


def _with_spread(figure: Statistic) -> Sentence:
    lowest, highest = seconds_text(figure.low), seconds_text(figure.high)
    return Sentence(
        "{median} ({lowest} to {highest})", median=seconds_text(figure.median), lowest=lowest, highest=highest
    )


def _alike_to_the_eye(on: Statistic, off: Statistic) -> bool:
    return abs(on.median - off.median) <= ALIKE_TO_THE_EYE * max(on.median, off.median)

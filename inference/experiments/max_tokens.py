"""max_tokens is not latency: one short answer under many limits, and a really longer one beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inference.events import FinishReason, JobProgress
from inference.experiments.results import Conclusion, Ink, Plot, Series, Shape, Table, Verdict
from inference.experiments.samples import Statistic, differ, seconds_text, statistic, times_text
from inference.experiments.trial import Trial, rounds_of

PROMPT = "Explain why rivers bend."
_LIMITS = (64, 256, 1024, 4096)
_SENTENCE_ENDS = (".", "!", "?", "\n")  # where the short answer is cut: the same words, whatever the limit
_LONG, _QUICK_LONG = 512, 64
_ROUNDS, _QUICK_ROUNDS = 3, 2
_LONG_ROUNDS, _QUICK_LONG_ROUNDS = 2, 1
_LONGER = 2.0  # times the tokens: less is not a longer answer


@dataclass(frozen=True, slots=True)
class Measured:
    """One answer: the short one under a limit, or the long one (`limit` is then its length)."""

    limit: int
    is_long: bool
    tokens: int
    seconds: float
    finish_reason: FinishReason


def measure(trial: Trial, found: list[Measured]) -> Iterator[JobProgress]:
    """The short answer under each limit, then the long one."""
    rounds = _QUICK_ROUNDS if trial.quick else _ROUNDS
    (long,) = trial.fitting((_QUICK_LONG if trial.quick else _LONG,))
    long_rounds = _QUICK_LONG_ROUNDS if trial.quick else _LONG_ROUNDS
    trial.plan(1 + rounds * len(_LIMITS) + long_rounds)
    yield trial.begin("Warming up; not counted")
    trial.ask(PROMPT, stop=_SENTENCE_ENDS, max_tokens=min(_LIMITS))
    for turn, limit in rounds_of(_LIMITS, rounds):
        yield trial.begin(f"A short answer under a limit of {limit:,} tokens, round {turn + 1} of {rounds}")
        reply = trial.ask(PROMPT, stop=_SENTENCE_ENDS, max_tokens=limit)
        tokens = reply.usage.output_tokens
        found.append(Measured(limit, False, tokens, reply.timings.total, reply.finish_reason))
    for turn in range(long_rounds):
        yield trial.begin(f"A longer answer of {long:,} tokens, round {turn + 1} of {long_rounds}")
        reply = trial.ask(PROMPT, max_tokens=long, exactly=True)
        found.append(Measured(long, True, reply.usage.output_tokens, reply.timings.total, reply.finish_reason))


def conclude(found: Sequence[Measured]) -> Conclusion:
    """The limit changes nothing; the length does."""
    short = [each for each in found if not each.is_long]
    long = [each for each in found if each.is_long]
    by_limit = {limit: _seconds(e for e in short if e.limit == limit) for limit in sorted({e.limit for e in short})}
    return Conclusion(
        verdict=_verdict(short, long, by_limit),
        plots=(
            Plot(
                "Time by the limit",
                "limit",
                "tokens",
                "whole answer",
                "s",
                (
                    Series("the same short answer", _points(short), Ink.DECODE, Shape.DOTS),
                    Series("a longer answer", _points(long), Ink.PLAIN, Shape.DOTS),
                ),
            ),
        ),
        tables=(
            Table(
                "Answers",
                ("answer", "limit (tokens)", "tokens written", "seconds", "ended by"),
                tuple(
                    ("long" if e.is_long else "short", e.limit, e.tokens, e.seconds, str(e.finish_reason))
                    for e in found
                ),
            ),
        ),
        notes=(
            "One warm-up came first and is not counted.",
            "The short answer ends at its first sentence, the long one is kept from ending before its length.",
            "Both answer the same prompt, from an empty KV cache.",
        ),
        figures={
            "seconds_by_limit": {str(e.limit): [o.seconds for o in short if o.limit == e.limit] for e in short},
            "long_seconds": [each.seconds for each in long],
            "short_tokens": sorted({each.tokens for each in short}),
            "long_tokens": sorted({each.tokens for each in long}),
        },
    )


def _verdict(short: Sequence[Measured], long: Sequence[Measured], by_limit: dict[int, Statistic | None]) -> Verdict:
    times = {limit: found for limit, found in by_limit.items() if found is not None}
    everything, longer = _seconds(short), _seconds(long)
    if len(times) < 2 or everything is None or longer is None:
        return Verdict(None, "Too little was measured: it takes two limits and a longer answer.")
    lowest, highest = min(times), max(times)
    tokens, more = max(e.tokens for e in short), max(e.tokens for e in long)
    cut = any(each.finish_reason is FinishReason.LENGTH for each in short)
    figures = (
        f"the same answer of {tokens:,} tokens took {seconds_text(times[lowest].median)} under a limit of {lowest:,} "
        f"and {seconds_text(times[highest].median)} under {highest:,} ({seconds_text(everything.low)} to "
        f"{seconds_text(everything.high)} in all); one of {more:,} tokens took {seconds_text(longer.median)}, "
        f"{times_text(longer.median / everything.median)} times as long"
    )
    same = not any(differ(times[lowest], other) for other in times.values())
    slower = longer.median > everything.median and differ(everything, longer) and more >= _LONGER * tokens
    if same and slower and not cut and len({each.tokens for each in short}) == 1:
        return Verdict(True, f"{figures[0].upper()}{figures[1:]}.")
    reason = " (the short answer was longer than the lowest limit and was cut off)" if cut else ""
    return Verdict(False, f"Not shown on this machine{reason}: {figures}.")


def _seconds(found: Iterator[Measured] | Sequence[Measured]) -> Statistic | None:
    return statistic(each.seconds for each in found)


def _points(found: Sequence[Measured]) -> tuple[tuple[float, float], ...]:
    return tuple(sorted((float(each.limit), each.seconds) for each in found))

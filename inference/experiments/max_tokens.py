"""max_tokens is not latency: one short answer under many limits, and a really longer one beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inference.events import FinishReason, JobProgress
from inference.experiments.results import Conclusion, Ink, Plot, Series, Shape, Table, Verdict, verdict_of
from inference.experiments.samples import Statistic, differ, seconds_text, statistic, times_text
from inference.experiments.trial import WARMING_UP, Trial, rounds_of
from inference.sentences import Sentence

PROMPT = "Explain why rivers bend."
_LIMITS = (64, 256, 1024, 4096)
_SENTENCE_ENDS = (".", "!", "?", "\n")  # where the short answer is cut: the same words, whatever the limit
_LONG, _QUICK_LONG = 512, 64
_ROUNDS, _QUICK_ROUNDS = 3, 2
_LONG_ROUNDS, _QUICK_LONG_ROUNDS = 2, 1
_LONGER = 2.0  # times the tokens: less is not a longer answer
_ENDS = {
    FinishReason.STOP: Sentence("stop"),
    FinishReason.LENGTH: Sentence("length"),
    FinishReason.WINDOW: Sentence("window"),
    FinishReason.CANCELLED: Sentence("cancelled"),
}


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
    yield trial.begin(WARMING_UP)
    trial.ask(PROMPT, stop=_SENTENCE_ENDS, max_tokens=min(_LIMITS))
    for turn, limit in rounds_of(_LIMITS, rounds):
        words = Sentence(
            "A short answer under a limit of {limit:,} tokens, round {turn} of {rounds}",
            limit=limit,
            turn=turn + 1,
            rounds=rounds,
        )
        yield trial.begin(words)
        reply = trial.ask(PROMPT, stop=_SENTENCE_ENDS, max_tokens=limit)
        tokens = reply.usage.output_tokens
        found.append(Measured(limit, False, tokens, reply.timings.total, reply.finish_reason))
    for turn in range(long_rounds):
        words = Sentence(
            "A longer answer of {length:,} tokens, round {turn} of {rounds}",
            length=long,
            turn=turn + 1,
            rounds=long_rounds,
        )
        yield trial.begin(words)
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
                Sentence("Time by the limit"),
                Sentence("limit"),
                Sentence("tokens"),
                Sentence("whole answer"),
                "s",
                (
                    Series(Sentence("the same short answer"), _points(short), Ink.DECODE, Shape.DOTS),
                    Series(Sentence("a longer answer"), _points(long), Ink.PLAIN, Shape.DOTS),
                ),
            ),
        ),
        tables=(_table(found),),
        notes=(
            Sentence("One warm-up came first and is not counted."),
            Sentence(
                "The short answer ends at its first sentence, the long one is kept from ending before its length."
            ),
            Sentence("Both answer the same prompt, from an empty KV cache."),
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
        return Verdict(None, Sentence("Too little was measured: it takes two limits and a longer answer."))
    lowest, highest = min(times), max(times)
    tokens, more = max(e.tokens for e in short), max(e.tokens for e in long)
    cut = any(each.finish_reason is FinishReason.LENGTH for each in short)
    figures = Sentence(
        "the same answer of {tokens:,} tokens took {at_lowest} under a limit of {lowest:,} and {at_highest} under "
        "{highest:,} ({least} to {most} in all); one of {more:,} tokens took {longer}, {times} times as long",
        tokens=tokens,
        at_lowest=seconds_text(times[lowest].median),
        lowest=lowest,
        at_highest=seconds_text(times[highest].median),
        highest=highest,
        least=seconds_text(everything.low),
        most=seconds_text(everything.high),
        more=more,
        longer=seconds_text(longer.median),
        times=times_text(longer.median / everything.median),
    )
    same = not any(differ(times[lowest], other) for other in times.values())
    slower = longer.median > everything.median and differ(everything, longer) and more >= _LONGER * tokens
    because = Sentence(" (the short answer was longer than the lowest limit and was cut off)") if cut else ""
    shown = same and slower and not cut and len({each.tokens for each in short}) == 1
    return verdict_of(figures, shown=shown, because=because)


def _table(found: Sequence[Measured]) -> Table:
    long, short = Sentence("long"), Sentence("short")
    columns = (
        Sentence("answer"),
        Sentence("limit (tokens)"),
        Sentence("tokens written"),
        Sentence("seconds"),
        Sentence("ended by"),
    )
    rows = tuple((long if e.is_long else short, e.limit, e.tokens, e.seconds, _ENDS[e.finish_reason]) for e in found)
    return Table(Sentence("Answers"), columns, rows)


def _seconds(found: Iterator[Measured] | Sequence[Measured]) -> Statistic | None:
    return statistic(each.seconds for each in found)


def _points(found: Sequence[Measured]) -> tuple[tuple[float, float], ...]:
    return tuple(sorted((float(each.limit), each.seconds) for each in found))

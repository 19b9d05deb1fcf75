"""Two phases: what one more token costs in the prompt, and what in the answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inference.events import JobProgress
from inference.experiments.results import Conclusion, Ink, Plot, Series, Shape, Table, Verdict, verdict_of
from inference.experiments.samples import Statistic, seconds_text, slope, statistic, times_text
from inference.experiments.trial import WARMING_UP, Trial, rounds_of
from inference.sentences import Sentence

_PROMPTS, _QUICK_PROMPTS = (64, 128, 256, 512, 1024), (24, 64, 128)
_ANSWERS, _QUICK_ANSWERS = (16, 32, 64, 128), (8, 16, 32)
_ROUNDS, _QUICK_ROUNDS = 3, 2
_WORTH_SAYING = 1.1  # times as much


@dataclass(frozen=True, slots=True)
class Measured:
    """One prompt read from nothing (`tokens` newly evaluated), or one answer written (`tokens` sampled)."""

    round: int
    is_reading: bool
    tokens: int
    seconds: float


def measure(trial: Trial, found: list[Measured]) -> Iterator[JobProgress]:
    """Read prompts, write answers."""
    prompts = trial.fitting(_QUICK_PROMPTS if trial.quick else _PROMPTS)
    answers = trial.fitting(_QUICK_ANSWERS if trial.quick else _ANSWERS)
    rounds = _QUICK_ROUNDS if trial.quick else _ROUNDS
    trial.plan(1 + rounds * (len(prompts) + len(answers)))
    yield trial.begin(WARMING_UP)
    trial.ask(trial.text_of(64), max_tokens=8, exactly=True)
    for turn, length in rounds_of(prompts, rounds):
        words = Sentence(
            "Reading about {length:,} tokens, round {turn} of {rounds}", length=length, turn=turn + 1, rounds=rounds
        )
        yield trial.begin(words)
        timings = trial.ask(trial.text_of(length), max_tokens=1).timings
        if timings.prefill is not None:
            found.append(Measured(turn, is_reading=True, tokens=timings.prefill_tokens, seconds=timings.prefill))
    for turn, length in rounds_of(answers, rounds):
        words = Sentence(
            "Writing {length:,} tokens, round {turn} of {rounds}", length=length, turn=turn + 1, rounds=rounds
        )
        yield trial.begin(words)
        timings = trial.ask("Tell me about rivers.", max_tokens=length, exactly=True).timings
        if timings.decode is not None:
            found.append(Measured(turn, is_reading=False, tokens=timings.output_tokens, seconds=timings.decode))


def conclude(found: Sequence[Measured]) -> Conclusion:
    """Two slopes and their ratio."""
    reading = [each for each in found if each.is_reading]
    writing = [each for each in found if not each.is_reading]
    return Conclusion(
        verdict=_verdict(reading, writing),
        plots=(
            Plot(
                Sentence("Time against length"),
                Sentence("tokens"),
                Sentence("tokens"),
                Sentence("time"),
                "s",
                (
                    Series(Sentence("reading a prompt"), _points(reading), Ink.PREFILL, Shape.DOTS),
                    Series(Sentence("reading, line"), _line(reading), Ink.PREFILL, Shape.LINE),
                    Series(Sentence("writing an answer"), _points(writing), Ink.DECODE, Shape.DOTS),
                    Series(Sentence("writing, line"), _line(writing), Ink.DECODE, Shape.LINE),
                ),
            ),
        ),
        tables=(_slopes_table(reading, writing), _samples_table(found)),
        notes=(Sentence("One warm-up came first and is not counted. Every prompt was read into an empty KV cache."),),
        figures={
            "seconds_per_input_token": slope(_points(reading)),
            "seconds_per_output_token": slope(_points(writing)),
            "ratio": _ratio(reading, writing),
            "ratios": _ratios(reading, writing),
        },
    )


def _verdict(reading: Sequence[Measured], writing: Sequence[Measured]) -> Verdict:
    per_input, per_output = slope(_points(reading)), slope(_points(writing))
    ratio, ratios = _ratio(reading, writing), statistic(_ratios(reading, writing))
    if ratio is None or ratios is None or per_input is None or per_output is None:
        words = Sentence("Too little was measured: it takes two lengths of prompts and two of answers.")
        return Verdict(None, words)
    figures = Sentence(
        "one more token of the prompt costs {per_input}, one more token of the answer {per_output}: {times} times as "
        "much ({spread})",
        per_input=seconds_text(per_input),
        per_output=seconds_text(per_output),
        times=times_text(ratio),
        spread=_spread(ratios),
    )
    return verdict_of(figures, shown=ratios.low > _WORTH_SAYING)


def _spread(ratios: Statistic) -> Sentence:
    if ratios.count == 1:
        return Sentence("one round, so no spread is known")
    lowest, highest = times_text(ratios.low), times_text(ratios.high)
    return Sentence("{lowest} to {highest} in {count} rounds", lowest=lowest, highest=highest, count=ratios.count)


def _ratio(reading: Sequence[Measured], writing: Sequence[Measured]) -> float | None:
    per_input, per_output = slope(_points(reading)), slope(_points(writing))
    return None if per_input is None or per_output is None or per_input <= 0 else per_output / per_input


def _ratios(reading: Sequence[Measured], writing: Sequence[Measured]) -> list[float]:
    turns = sorted({each.round for each in writing})
    ratios = (
        _ratio([r for r in reading if r.round == turn], [w for w in writing if w.round == turn]) for turn in turns
    )
    return [ratio for ratio in ratios if ratio is not None]


def _points(found: Sequence[Measured]) -> tuple[tuple[float, float], ...]:
    return tuple(sorted((float(each.tokens), each.seconds) for each in found))


def _line(found: Sequence[Measured]) -> tuple[tuple[float, float], ...]:
    points = _points(found)
    steepness = slope(points)
    if steepness is None:
        return ()
    offset = statistic(y - steepness * x for x, y in points)
    base = 0.0 if offset is None else offset.median
    return tuple((x, base + steepness * x) for x in (points[0][0], points[-1][0]))


def _slopes_table(reading: Sequence[Measured], writing: Sequence[Measured]) -> Table:
    rows = tuple(
        (name, slope(_points(found)), *_extent([s for s in _slopes(found) if s is not None]))
        for name, found in ((Sentence("prompt (prefill)"), reading), (Sentence("answer (decode)"), writing))
    )
    columns = (Sentence("phase"), Sentence("all rounds"), Sentence("lowest round"), Sentence("highest round"))
    return Table(Sentence("Seconds for one more token"), columns, rows)


def _slopes(found: Sequence[Measured]) -> list[float | None]:
    return [slope(_points([e for e in found if e.round == turn])) for turn in sorted({e.round for e in found})]


def _extent(values: Sequence[float]) -> tuple[float | None, float | None]:
    return (min(values), max(values)) if values else (None, None)


def _samples_table(found: Sequence[Measured]) -> Table:
    read, written = Sentence("read"), Sentence("written")
    rows = tuple((each.round + 1, read if each.is_reading else written, each.tokens, each.seconds) for each in found)
    columns = (Sentence("round"), Sentence("what"), Sentence("tokens"), Sentence("seconds"))
    return Table(Sentence("Every sample"), columns, rows)

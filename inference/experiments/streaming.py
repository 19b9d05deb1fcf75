"""Streaming: the comparison of on and off, on set prompts of three lengths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inference.configuration import ModelConfig
from inference.events import GenerationEvent, JobProgress
from inference.experiments.comparison import Comparison, Mode, Run, compared, now_text, sides
from inference.experiments.results import Conclusion, Ink, Plot, Series, Shape, Subject, Table, Verdict
from inference.experiments.samples import Statistic
from inference.experiments.times_in_words import both_texts
from inference.experiments.trial import Stopped, Trial
from inference.ids import JobId
from inference.messages import Message, Role
from inference.requests import GenerationRequest, Sampling
from inference.sentences import Sentence, in_a_row

_PROMPTS, _QUICK_PROMPTS = (16, 192, 768), (16, 48, 96)  # tokens, roughly
_TOKENS, _QUICK_TOKENS = 96, 16
_RUNS, _QUICK_RUNS = 3, 2
_GREEDY = Sampling(temperature=0.0, repeat_penalty=1.0, seed=1)


@dataclass(frozen=True, slots=True)
class Measured:
    """The comparison of one prompt."""

    prompt_tokens: int
    comparison: Comparison


def measure(
    trial: Trial, model: ModelConfig, job: JobId, found: list[Measured]
) -> Iterator[JobProgress | GenerationEvent]:
    """Compare, one prompt after another."""
    prompts = trial.fitting(_QUICK_PROMPTS if trial.quick else _PROMPTS, reserve=_TOKENS)
    runs, tokens = (_QUICK_RUNS, _QUICK_TOKENS) if trial.quick else (_RUNS, _TOKENS)
    for number, length in enumerate(prompts):
        made: list[Run] = []
        said = f"{trial.text_of(length)}\nGo on with this text."
        request = GenerationRequest(model, (Message(Role.USER, said),), _GREEDY, tokens)
        span = number / len(prompts), (number + 1) / len(prompts)
        trial.loan.hold(None)
        for event in compared(trial.loan, request, runs, job, made, span):
            if isinstance(event, JobProgress):
                words = Sentence(
                    "Prompt {number} of {count}, about {length:,} tokens",
                    number=number + 1,
                    count=len(prompts),
                    length=length,
                )
                yield JobProgress(job, event.fraction, words)
        if made:
            read = made[0].usage.input_tokens
            subject = Subject.of(trial.loan.info)
            found.append(Measured(read, Comparison(said, subject, runs, tuple(made), now_text(), max_tokens=tokens)))
        if trial.loan.is_stopped:
            raise Stopped


def conclude(found: Sequence[Measured]) -> Conclusion:
    """Sooner words, the same time for all of them, at every length."""
    return Conclusion(
        verdict=_verdict(found),
        plots=(
            Plot(
                Sentence("When the first words and the last are there"),
                Sentence("prompt"),
                Sentence("tokens"),
                Sentence("time"),
                "s",
                _series(found),
            ),
        ),
        tables=(_table(found),),
        notes=_notes(found),
        figures={
            "prompts": [
                {
                    "tokens": each.prompt_tokens,
                    "sentence": each.comparison.sentence,
                    **{str(mode): _samples(each.comparison, mode) for mode in Mode},
                }
                for each in found
            ]
        },
    )


def _verdict(found: Sequence[Measured]) -> Verdict:
    known = [(each, each.comparison.shown) for each in found if each.comparison.shown is not None]
    if not known:
        return Verdict(None, Sentence("Too little was measured: no prompt was answered both ways."))
    figures = in_a_row(_words(each) for each, _ in known)
    if all(shown for _, shown in known):
        words = Sentence(
            "Streaming brings the first words sooner and the last at the same time: {figures}.", figures=figures
        )
        return Verdict(True, words)
    return Verdict(False, Sentence("Not shown on this machine for every prompt: {figures}.", figures=figures))


def _words(each: Measured) -> Sentence:
    return Sentence(
        "with {tokens:,} tokens to read, first words after {first}, all after {total} (on and off, n = {runs})",
        tokens=each.prompt_tokens,
        first=_both(each, "first_text"),
        total=_both(each, "total"),
        runs=min(len(each.comparison.of(mode)) for mode in Mode),
    )


def _notes(found: Sequence[Measured]) -> tuple[str, ...]:
    made = tuple(
        Sentence("Prompt of {tokens:,} tokens: {note}", tokens=each.prompt_tokens, note=note)
        for each in found
        for note in each.comparison.notes[:1]
    )
    return made + tuple(each.comparison.difference for each in found if each.comparison.difference)


def _series(found: Sequence[Measured]) -> tuple[Series, ...]:
    first_on, first_off = Sentence("first words, streaming on"), Sentence("first words, streaming off")
    whole_on, whole_off = Sentence("whole answer, streaming on"), Sentence("whole answer, streaming off")
    return (
        Series(first_on, _points(found, "first_text", Mode.ON), Ink.DECODE),
        Series(first_off, _points(found, "first_text", Mode.OFF), Ink.PLAIN),
        Series(whole_on, _points(found, "total", Mode.ON), Ink.DECODE, Shape.LINE),
        Series(whole_off, _points(found, "total", Mode.OFF), Ink.PLAIN, Shape.LINE),
    )


def _both(each: Measured, key: str) -> Sentence:
    on, off = (each.comparison.statistic(key, mode) or Statistic((0.0,)) for mode in Mode)  # known where it is said
    return both_texts(on, off)


def _points(found: Sequence[Measured], key: str, mode: Mode) -> tuple[tuple[float, float], ...]:
    points = ((float(each.prompt_tokens), each.comparison.statistic(key, mode)) for each in found)
    return tuple((tokens, figure.median) for tokens, figure in points if figure is not None)


def _table(found: Sequence[Measured]) -> Table:
    rows = []
    kinds = (
        (Sentence("first text"), "first_text"),
        (Sentence("whole answer"), "total"),
        (Sentence("decode rate"), "decode_rate"),
    )
    for each in found:
        for title, key in kinds:
            row: list[str | float | None] = [each.prompt_tokens, title]
            for mode in Mode:
                figure = each.comparison.statistic(key, mode)
                row += [None] * 3 if figure is None else [figure.median, figure.low, figure.high]
            rows.append(tuple(row))
    columns = (Sentence("prompt tokens"), Sentence("figure"), *sides())
    return Table(Sentence("Streaming on and off (s, tok/s)"), columns, tuple(rows))


def _samples(comparison: Comparison, mode: Mode) -> dict[str, list[float]]:
    figures = {key: comparison.statistic(key, mode) for key in ("first_text", "total", "decode_rate")}
    return {key: list(figure.samples) for key, figure in figures.items() if figure is not None}

"""The KV cache: one text written with it and without it, and a second turn with reuse and without."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inference.events import JobProgress
from inference.experiments.results import Conclusion, Ink, Plot, Series, Table, Verdict, verdict_of
from inference.experiments.samples import differ, seconds_text, slope, statistic, times_text
from inference.experiments.trial import Stopped, Trial
from inference.messages import Message, Role
from inference.model import Model
from inference.sentences import Sentence

_PROMPT, _QUICK_PROMPT = 64, 24
_TOKENS, _QUICK_TOKENS = 64, 16
_ROUNDS, _QUICK_ROUNDS = 3, 2
_TURN = 160  # tokens of a first question
_GROWTH = 1.2  # times: without the cache the last tokens take at least so much of the first ones' time
_FLAT = 0.2  # with it, one more held token adds at most so much of what it adds without


@dataclass(frozen=True, slots=True)
class Step:
    """One token after `held` ones: evaluated by itself, and the whole sequence with it computed anew."""

    held: int
    with_cache: float
    without: float | None = None


@dataclass(frozen=True, slots=True)
class SecondTurn:
    """How long a second question waited for its first token, and how many tokens it did not have to read."""

    reused: bool
    ttft: float
    cached: int


@dataclass(frozen=True, slots=True)
class Measured:
    """One of the two; lists of these are what was found."""

    step: Step | None = None
    turn: SecondTurn | None = None


def measure(trial: Trial, found: list[Measured]) -> Iterator[JobProgress]:
    """Write with the cache, then without it, then ask again."""
    count = _QUICK_TOKENS if trial.quick else _TOKENS
    rounds = _QUICK_ROUNDS if trial.quick else _ROUNDS
    trial.plan(2 + count + 2 * rounds)
    yield trial.begin(Sentence("Writing with the KV cache"))
    text = trial.tokens_of(trial.text_of(2 * (_QUICK_PROMPT if trial.quick else _PROMPT)))
    size = min(_QUICK_PROMPT if trial.quick else _PROMPT, len(text) - 1, trial.loan.info.context_size // 2)
    count = min(count, trial.loan.info.context_size - size - 1)
    written = _with_cache(trial, text[:size], count)
    for number, (token_count, seconds) in enumerate(written.steps):
        words = Sentence("Writing without it: token {number} of {count}", number=number + 1, count=len(written.steps))
        yield trial.begin(words)
        again = _whole(trial, written.ids[: token_count + 1])
        found.append(Measured(step=Step(token_count, seconds, again)))
    yield from _second_turns(trial, rounds, found)


@dataclass(frozen=True, slots=True)
class _Written:
    ids: list[int]
    steps: list[tuple[int, float]]  # tokens held before, seconds


def _with_cache(trial: Trial, prompt: list[int], count: int) -> _Written:
    """Evaluate one text, token by token, after a prompt. Any text will do: its tokens need not be the model's own."""
    model, clock = trial.loan.model, trial.loan.clock
    following = trial.tokens_of(trial.text_of(4 * count + 64))[:count]
    ids = [*prompt, *following]
    for _warm_up in range(2):
        trial.loan.hold(None)
        _read(trial, model, prompt)
        model.evaluate(following[:1])
    trial.loan.hold(None)
    _read(trial, model, prompt)
    steps = []
    for place in range(len(prompt), len(ids)):
        began = clock()
        if not model.evaluate(ids[place : place + 1]):
            raise Stopped
        steps.append((place, clock() - began))
    return _Written(ids, steps)


def _whole(trial: Trial, ids: Sequence[int]) -> float:
    """The seconds that all of these take from nothing."""
    trial.loan.hold(None)
    began = trial.loan.clock()
    _read(trial, trial.loan.model, ids)
    return trial.loan.clock() - began


def _read(trial: Trial, model: Model, ids: Sequence[int]) -> None:
    size = trial.loan.info.batch_size
    for begin in range(0, len(ids), size):
        batch = ids[begin : begin + size]
        if model.evaluate(batch) < len(batch):
            raise Stopped


def _second_turns(trial: Trial, rounds: int, found: list[Measured]) -> Iterator[JobProgress]:
    yield trial.begin(Sentence("A first question"))
    (length,) = trial.fitting((_TURN // (4 if trial.quick else 1),), reserve=128)
    question = Message(Role.USER, trial.text_of(length))
    first = trial.ask(question, max_tokens=8, exactly=True)
    start = trial.loan.held()
    answer = Message(Role.ASSISTANT, first.text, first.trace.kept_ids)
    for turn in range(rounds):
        for reused in (True, False) if turn % 2 == 0 else (False, True):
            place = {"turn": turn + 1, "rounds": rounds}
            yield trial.begin(
                Sentence("A second one with reuse, round {turn} of {rounds}", **place)
                if reused
                else Sentence("A second one without reuse, round {turn} of {rounds}", **place)
            )
            second = trial.ask(question, answer, "And then?", start=start if reused else None, max_tokens=1)
            if second.timings.ttft is not None:
                cached = second.usage.cached_tokens or 0
                found.append(Measured(turn=SecondTurn(reused, second.timings.ttft, cached)))


def conclude(found: Sequence[Measured]) -> Conclusion:
    """Flat with the cache, growing without it; the second turn sooner."""
    steps = [each.step for each in found if each.step is not None and each.step.without is not None]
    turns = [each.turn for each in found if each.turn is not None]
    with_cache = tuple((float(step.held), step.with_cache) for step in steps)
    without = tuple((float(step.held), step.without) for step in steps if step.without is not None)
    return Conclusion(
        verdict=_verdict(with_cache, without, turns),
        plots=(
            Plot(
                Sentence("Time for one token"),
                Sentence("tokens held"),
                Sentence("tokens"),
                Sentence("time"),
                "s",
                (
                    Series(Sentence("with the KV cache"), with_cache, Ink.DECODE),
                    Series(Sentence("without it"), without, Ink.PREFILL),
                ),
            ),
        ),
        tables=(_turns_table(turns), _steps_table(steps)),
        notes=(Sentence("The first tokens of each kind were evaluated twice before they counted."),),
        figures={
            "seconds_with": [seconds for _, seconds in with_cache],
            "seconds_without": [seconds for _, seconds in without],
            "growth_with": slope(with_cache),
            "growth_without": slope(without),
            "second_turn_with_reuse": [turn.ttft for turn in turns if turn.reused],
            "second_turn_without": [turn.ttft for turn in turns if not turn.reused],
        },
    )


def _verdict(
    with_cache: Sequence[tuple[float, float]], without: Sequence[tuple[float, float]], turns: Sequence[SecondTurn]
) -> Verdict:
    cached, anew = statistic(y for _, y in with_cache), statistic(y for _, y in without)
    reused, fresh = (statistic(turn.ttft for turn in turns if turn.reused is wanted) for wanted in (True, False))
    if cached is None or anew is None or reused is None or fresh is None or len(without) < 8:
        words = Sentence("Too little was measured: it takes eight tokens and a second turn of each kind.")
        return Verdict(None, words)
    early, late = (_median(part) for part in _ends(without))
    grows = (slope(without) or 0.0) > 0 and late > _GROWTH * early
    is_flat = abs(slope(with_cache) or 0.0) <= _FLAT * abs(slope(without) or 0.0)
    sooner = reused.median < fresh.median and differ(reused, fresh)
    figures = Sentence(
        "with the cache a token took {cached} ({least} to {most}), without it {early} at first and {late} at last, "
        "{times} times as much in the middle; a second turn waited {reused} for its first token with reuse and {fresh} "
        "without (n = {count})",
        cached=seconds_text(cached.median),
        least=seconds_text(cached.low),
        most=seconds_text(cached.high),
        early=seconds_text(early),
        late=seconds_text(late),
        times=times_text(anew.median / cached.median),
        reused=seconds_text(reused.median),
        fresh=seconds_text(fresh.median),
        count=min(reused.count, fresh.count),
    )
    return verdict_of(figures, shown=grows and is_flat and sooner and cached.median < anew.median)


def _ends(points: Sequence[tuple[float, float]]) -> tuple[Sequence[tuple[float, float]], Sequence[tuple[float, float]]]:
    quarter = max(1, len(points) // 4)
    return points[:quarter], points[-quarter:]


def _median(points: Sequence[tuple[float, float]]) -> float:
    found = statistic(y for _, y in points)
    return 0.0 if found is None else found.median


def _turns_table(turns: Sequence[SecondTurn]) -> Table:
    reused, fresh = Sentence("with"), Sentence("without")
    rows = tuple((reused if turn.reused else fresh, turn.cached, turn.ttft) for turn in turns)
    columns = (Sentence("reuse"), Sentence("cached tokens"), Sentence("first token (s)"))
    return Table(Sentence("A second turn"), columns, rows)


def _steps_table(steps: Sequence[Step]) -> Table:
    rows = tuple((step.held, step.with_cache, step.without) for step in steps)
    columns = (Sentence("tokens held"), Sentence("with the cache (s)"), Sentence("without (s)"))
    return Table(Sentence("Every token"), columns, rows)

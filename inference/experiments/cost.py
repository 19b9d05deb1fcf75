"""What it costs: tokens, time and money as a conversation grows, with prefix reuse and without."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from inference.events import JobProgress
from inference.experiments.prices import Prices
from inference.experiments.results import Conclusion, Ink, Plot, Series, Table, Verdict, verdict_of
from inference.experiments.samples import ALIKE_OF_FEW, seconds_text, slope, times_text
from inference.experiments.trial import WARMING_UP, Trial
from inference.messages import Message, Role
from inference.sentences import Sentence

_TURNS, _QUICK_TURNS = 8, 3
_SAID, _QUICK_SAID = 64, 24  # tokens of each question
_WRITTEN, _QUICK_WRITTEN = 32, 8


@dataclass(frozen=True, slots=True)
class Measured:
    """One turn, with reuse or without: the prompt's tokens, those of them that were cached, those written."""

    turn: int
    reused: bool
    sent: int
    cached: int
    written: int
    seconds: float


def measure(trial: Trial, found: list[Measured]) -> Iterator[JobProgress]:
    """Let the conversation grow, each turn answered with the cache of the one before and from nothing."""
    turns = _QUICK_TURNS if trial.quick else _TURNS
    said, written = (_QUICK_SAID, _QUICK_WRITTEN) if trial.quick else (_SAID, _WRITTEN)
    turns = max(1, min(turns, (trial.loan.info.context_size - 64) // (said + written + 32)))
    trial.plan(1 + 2 * turns)
    yield trial.begin(WARMING_UP)
    trial.ask("Hello.", max_tokens=4, exactly=True)
    conversation: list[Message] = []
    kept = None
    for turn in range(1, turns + 1):
        conversation.append(Message(Role.USER, f"Part {turn}. {trial.text_of(said)}"))
        yield trial.begin(Sentence("Turn {turn} of {turns}, from nothing", turn=turn, turns=turns))
        anew = trial.ask(*conversation, max_tokens=written, exactly=True)
        yield trial.begin(Sentence("Turn {turn} of {turns}, with what was read before", turn=turn, turns=turns))
        reply = trial.ask(*conversation, start=kept, max_tokens=written, exactly=True)
        kept = trial.loan.held()
        for event, reused in ((reply, True), (anew, False)):
            usage = event.usage
            found.append(
                Measured(
                    turn, reused, usage.input_tokens, usage.cached_tokens or 0, usage.output_tokens, event.timings.total
                )
            )
        conversation.append(Message(Role.ASSISTANT, reply.text, reply.trace.kept_ids))


def conclude(found: Sequence[Measured], prices: Prices) -> Conclusion:
    """Sums that grow with the square of the turns, and what reuse saves of them."""
    reused, anew = ([each for each in found if each.reused is wanted] for wanted in (True, False))
    return Conclusion(
        verdict=_verdict(reused, anew, prices),
        plots=(
            Plot(
                Sentence("Time of each turn"),
                Sentence("turn"),
                "",
                Sentence("time"),
                "s",
                (
                    Series(Sentence("with prefix reuse"), _over_turns(reused, [e.seconds for e in reused]), Ink.CACHED),
                    Series(Sentence("without"), _over_turns(anew, [e.seconds for e in anew]), Ink.PLAIN),
                ),
            ),
            Plot(
                Sentence("Tokens, added up"),
                Sentence("turn"),
                "",
                Sentence("tokens"),
                Sentence("tokens"),
                (
                    Series(Sentence("sent"), _over_turns(anew, _sums(e.sent for e in anew)), Ink.PLAIN),
                    Series(Sentence("read anew, with reuse"), _over_turns(reused, _read(reused)), Ink.PREFILL),
                    Series(Sentence("written"), _over_turns(reused, _sums(e.written for e in reused)), Ink.DECODE),
                ),
            ),
        ),
        tables=(_table(reused, anew, prices),),
        notes=_notes(prices),
        figures={
            "turns": [
                {
                    "turn": each.turn,
                    "reuse": each.reused,
                    "sent_tokens": each.sent,
                    "cached_tokens": each.cached,
                    "written_tokens": each.written,
                    "seconds": each.seconds,
                }
                for each in found
            ],
            **({"cost_with": _cost(reused, prices), "cost_without": _cost(anew, prices)} if prices.are_given else {}),
        },
    )


def _verdict(reused: Sequence[Measured], anew: Sequence[Measured], prices: Prices) -> Verdict:
    if len(reused) < 2 or len(anew) < 2:
        return Verdict(None, Sentence("Too little was measured: it takes two turns, each with reuse and without."))
    turns = min(len(reused), len(anew))
    reused, anew = reused[:turns], anew[:turns]
    sent, read = sum(each.sent for each in anew), sum(each.sent - each.cached for each in reused)
    faster, slower = sum(each.seconds for each in reused), sum(each.seconds for each in anew)
    money = ""
    if prices.are_given:
        with_reuse, without = (prices.text(_cost(side, prices)) for side in (reused, anew))
        money = Sentence(
            ", and at your prices an estimated {with_reuse} and {without}", with_reuse=with_reuse, without=without
        )
    figures = Sentence(
        "in {turns} turns {sent:,} tokens were sent, of which {read:,} had to be read with reuse; the turns took "
        "{faster} with it and {slower} without ({times} times){money} (one conversation each, so no spread is known)",
        turns=turns,
        sent=sent,
        read=read,
        faster=seconds_text(faster),
        slower=seconds_text(slower),
        times=times_text(slower / faster),
        money=money,
    )
    growth = slope(_over_turns(anew, [each.seconds for each in anew])) or 0.0
    return verdict_of(figures, shown=read < sent and slower > (1 + ALIKE_OF_FEW) * faster and growth > 0)


def _notes(prices: Prices) -> tuple[Sentence, ...]:
    both = Sentence("One warm-up came first and is not counted. Both ways answer the same conversation, turn by turn.")
    if not prices.are_given:
        return both, Sentence("No prices were entered, so no money is shown.")
    money = Sentence(
        "Money is an estimate at the prices that were entered, per million tokens: {input} for input, {cached} for "
        "cached, {output} for output.",
        input=prices.text(prices.input),
        cached=prices.text(prices.cached),
        output=prices.text(prices.output),
    )
    return both, money


def _table(reused: Sequence[Measured], anew: Sequence[Measured], prices: Prices) -> Table:
    sent = list(accumulate(each.sent for each in anew))
    money = (Sentence("estimated cost with"), Sentence("without")) if prices.are_given else ()
    rows = []
    for number, (one, other) in enumerate(zip(reused, anew, strict=False), start=1):
        costs = (_cost(reused[:number], prices), _cost(anew[:number], prices)) if prices.are_given else ()
        rows.append((one.turn, other.sent, sent[number - 1], one.sent - one.cached, one.seconds, other.seconds, *costs))
    columns = (
        Sentence("turn"),
        Sentence("tokens sent"),
        Sentence("sent so far"),
        Sentence("read with reuse"),
        Sentence("seconds with"),
        Sentence("seconds without"),
        *money,
    )
    return Table(Sentence("Turn by turn"), columns, tuple(rows))


def _cost(turns: Sequence[Measured], prices: Prices) -> float:
    """Without reuse nothing was cached, and every token costs the full price."""
    return sum(prices.of(each.sent - each.cached, each.cached, each.written) for each in turns)


def _over_turns(turns: Sequence[Measured], values: Sequence[float]) -> tuple[tuple[float, float], ...]:
    return tuple((float(each.turn), float(value)) for each, value in zip(turns, values, strict=True))


def _read(turns: Sequence[Measured]) -> list[int]:
    return _sums(each.sent - each.cached for each in turns)


def _sums(counts: Iterable[int]) -> list[int]:
    return list(accumulate(counts))

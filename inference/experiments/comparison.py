"""Streaming on and off, side by side: the same question asked both ways in turn, and what follows from it.

The runs are really made, one after the other, from the same KV start. What only a window knows, the paint times, it
adds to the runs by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from inference.configuration import ModelConfig
from inference.declared import declared
from inference.errors import InvalidRequest
from inference.events import (
    DeltaKind,
    FinishReason,
    GenerationEvent,
    GenerationFailed,
    GenerationFinished,
    JobProgress,
    TextDelta,
    Timings,
    Usage,
)
from inference.experiments.results import (
    Conclusion,
    Ink,
    Plot,
    Series,
    Shape,
    Subject,
    Table,
    Verdict,
    axis_text,
    words_for,
)
from inference.experiments.samples import Statistic, differ, statistic
from inference.experiments.surroundings import UNKNOWN, Surroundings, Watch
from inference.experiments.times_in_words import words_of_first, words_of_total
from inference.ids import JobId, RequestId, new_job_id, new_request_id
from inference.jobs import JobSteps, ModelOnLoan
from inference.messages import Role
from inference.model import Snapshot
from inference.requests import GenerationRequest
from inference.sentences import Sentence, listed

MOST_RUNS = 9
SEED = 1  # where the reader chose none: a comparison made again asks for the same text
_WARM_UP_TOKENS = 16


class Mode(StrEnum):
    """How a reply is shown: while it is written, or whole at its end."""

    ON = "on"
    OFF = "off"

    @property
    def words(self) -> Sentence:
        """What stands on the switch."""
        return Sentence("on") if self is Mode.ON else Sentence("off")


@dataclass(frozen=True, slots=True)
class Paint:
    """What a window saw of one run, in seconds from its t0: the first and the last paint of the reply, the tokens that
    were painted by then, and the time its own thread worked for them."""

    first: float
    last: float
    tokens: int
    work: float

    @property
    def rate(self) -> float | None:
        """Tokens painted per second from the first to the last paint; `None` where there was only one."""
        return self.tokens / (self.last - self.first) if self.last > self.first else None

    @property
    def work_per_token(self) -> float | None:
        return self.work / self.tokens if self.tokens else None


@dataclass(frozen=True, slots=True)
class Run:
    """One reply of a comparison. `first_text` is when the first of its answer was handed over, from t0 and without a
    load: with streaming off, the end."""

    number: int
    mode: Mode
    text: str
    finish_reason: FinishReason
    usage: Usage
    timings: Timings
    first_text: float | None
    token_times: tuple[float, ...] = ()
    surroundings: Surroundings = UNKNOWN
    paint: Paint | None = None


@dataclass(frozen=True, slots=True)
class RunBegan:
    """A step of a comparison: run `number` (the warm-up is 0) begins, as this request."""

    number: int
    of: int
    mode: Mode
    request: RequestId

    @property
    def is_warm_up(self) -> bool:
        return self.number == 0


@dataclass(frozen=True, slots=True)
class RunEnded:
    """A step of a comparison: that run is done."""

    run: Run


@dataclass(frozen=True, slots=True)
class Metric:
    """A figure of a run, with what it is called and its unit."""

    key: str
    name: str
    unit: str
    of: Callable[[Run], float | None]


METRICS = (
    Metric("ttft", Sentence("First token"), "s", lambda run: run.timings.ttft),
    Metric("first_text", Sentence("First text"), "s", lambda run: run.first_text),
    Metric("first_paint", Sentence("First paint"), "s", lambda run: run.paint.first if run.paint else None),
    Metric("total", Sentence("Whole answer"), "s", lambda run: run.timings.total),
    Metric("decode_rate", Sentence("Decode"), Sentence("tok/s"), lambda run: run.timings.decode_rate),
    Metric("painted_rate", Sentence("Painted"), Sentence("tok/s"), lambda run: run.paint.rate if run.paint else None),
    Metric(
        "gui_per_token",
        Sentence("Window's work per token"),
        "s",
        lambda run: run.paint.work_per_token if run.paint else None,
    ),
)
_METRIC = {metric.key: metric for metric in METRICS}


@dataclass(frozen=True, slots=True)
class Comparison:
    """What was asked, and every counted run in the order it was made.

    `wanted` runs were to be made of each mode. A comparison of `kept` replies was put together from turns that were
    once made with streaming on or off: their KV starts, and perhaps their texts, are not the same.
    """

    prompt: str
    subject: Subject
    wanted: int
    runs: tuple[Run, ...]
    when: str  # ISO 8601
    seed: int | None = SEED
    max_tokens: int | None = None
    kept: bool = False

    def of(self, mode: Mode) -> tuple[Run, ...]:
        return tuple(run for run in self.runs if run.mode is mode)

    def statistic(self, key: str, mode: Mode) -> Statistic | None:
        """The samples of a figure; `None` where it is not known of any run. `key` is one of METRICS'."""
        return statistic(map(_METRIC[key].of, self.of(mode)))

    @property
    def is_whole(self) -> bool:
        """Whether every run that was wanted was made."""
        return min(len(self.of(mode)) for mode in Mode) >= self.wanted

    @property
    def sentence(self) -> str:
        """The result in one sentence with its figures."""
        first, total = self._pair("first_text"), self._pair("total")
        if first is None or total is None:
            return Sentence("Nothing can be compared: no answer was made both ways.")
        count = min(total[0].count, total[1].count)
        alone = Sentence("one run each, so no spread is known")
        runs = alone if count == 1 else Sentence("n = {count}", count=count)
        doubt = ""
        if self._disturbed and differ(*total):
            doubt = Sentence(
                " Other programs took a share of the processors, so that may be their doing: compare again without"
                " them."
            )
        return Sentence(
            "{first}; {total}, {runs}.{doubt}",
            first=words_of_first(*first),
            total=words_of_total(*total),
            runs=runs,
            doubt=doubt,
        )

    @property
    def shown(self) -> bool | None:
        """Whether both halves of what is said of streaming hold here: words sooner, the same time for all of them."""
        first, total = self._pair("first_text"), self._pair("total")
        if first is None or total is None:
            return None
        return first[0].median < first[1].median and differ(*first) and not differ(*total)

    @property
    def difference(self) -> str:
        """Where the texts are not the same; empty where they are."""
        texts = [run.text for run in self.runs]
        other = next((run for run in self.runs if run.text != texts[0]), None)
        if other is None:
            return ""
        at = next((n for n, (a, b) in enumerate(zip(texts[0], other.text, strict=False)) if a != b), None)
        place = min(len(texts[0]), len(other.text)) if at is None else at
        return Sentence(
            "The texts differ: run {other} (streaming {mode}) goes another way than run {first} from character "
            "{place:,} on, so their times are not of the same answer.",
            other=other.number,
            mode=other.mode.words,
            first=self.runs[0].number,
            place=place + 1,
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What one should know before believing the sentence."""
        if self.kept:
            made = Sentence(
                "Put together from replies that were made before; their prompts may have been read in part already."
            )
        else:
            made = Sentence(
                "One warm-up run of at most {tokens} tokens came first and is not counted. Each run began with the "
                "same KV cache ({cached}); their order was {order}.",
                tokens=_WARM_UP_TOKENS,
                cached=self._cached(),
                order=listed(
                    Sentence("{mode} {number}", mode=mode.words, number=number) for number, mode in _order(self.wanted)
                ),
            )
        notes: list[str] = [made]
        if not self.is_whole and not self.kept:
            notes.append(Sentence("It was stopped early; the runs that were whole by then are counted."))
        if self.difference:
            notes.append(self.difference)
        if self._disturbed:
            runs = ", ".join(map(str, self._disturbed))
            notes.append(Sentence("Other programs took a share of the processors during run {runs}.", runs=runs))
        if self.runs:
            notes += words_for(replace(self.runs[-1].surroundings, others=None))
        return tuple(notes)

    def conclusion(self) -> Conclusion:
        """The same as any experiment says it."""
        return Conclusion(
            Verdict(self.shown, self.sentence), (self.timeline(),), (self.table(), self._runs_table()), self.notes
        )

    def table(self) -> Table:
        """Each figure of both modes: median, lowest, highest."""
        rows = []
        for metric in METRICS:
            on, off = (self.statistic(metric.key, mode) for mode in Mode)
            if on is not None or off is not None:
                rows.append((axis_text(metric.name, metric.unit), *_cells(on), *_cells(off)))
        return Table(Sentence("Streaming on and off"), (Sentence("figure"), *sides()), tuple(rows))

    def timeline(self) -> Plot:
        """Text over time, of the middle run of each mode: when how much of the answer could be read."""
        series = []
        for mode, ink in zip(Mode, (Ink.DECODE, Ink.PLAIN), strict=True):
            run = self._middle(mode)
            points = () if run is None else _readable(run)
            if points:
                series.append(Series(Sentence("streaming {mode}", mode=mode.words), points, ink, Shape.LINE))
        title, time, text = Sentence("When how much could be read"), Sentence("time"), Sentence("text")
        return Plot(title, time, "s", text, Sentence("tokens"), tuple(series))

    def with_paints(self, paints: Mapping[int, Paint]) -> Comparison:
        """With what a window saw, by the numbers of the runs."""
        return replace(self, runs=tuple(replace(run, paint=paints.get(run.number, run.paint)) for run in self.runs))

    @property
    def _disturbed(self) -> list[int]:
        return [run.number for run in self.runs if run.surroundings.is_disturbed]

    def _runs_table(self) -> Table:
        rows = [(run.number, run.mode.words, *(metric.of(run) for metric in METRICS)) for run in self.runs]
        metrics = (axis_text(metric.name, metric.unit) for metric in METRICS)
        return Table(Sentence("Every run"), (Sentence("run"), Sentence("streaming"), *metrics), tuple(rows))

    def _middle(self, mode: Mode) -> Run | None:
        runs = sorted(self.of(mode), key=lambda run: run.timings.total)
        return runs[(len(runs) - 1) // 2] if runs else None

    def _pair(self, key: str) -> tuple[Statistic, Statistic] | None:
        on, off = (self.statistic(key, mode) for mode in Mode)
        return None if on is None or off is None else (on, off)

    def _cached(self) -> Sentence:
        cached = {run.usage.cached_tokens or 0 for run in self.runs}
        if len(cached) != 1:
            return Sentence("but not all of them could be brought back to it")
        (only,) = cached
        if not only:
            return Sentence("nothing of the prompt was there")
        if only == 1:
            return Sentence("1 token of the prompt was there")
        return Sentence("{tokens:,} tokens of the prompt were there", tokens=only)


@dataclass(frozen=True, slots=True)
class CompareJob:
    """Ask `request` with streaming on and off, each `runs` times, in turn. Its sampling gets a seed where it has none.
    `prompt` is what a person typed of it; the last message, unless said.

    Raises:
        InvalidRequest: fewer than 1 run or more than MOST_RUNS, or a model of a server.
    """

    request: GenerationRequest
    runs: int = 3
    prompt: str = ""
    id: JobId = field(default_factory=new_job_id)

    def __post_init__(self) -> None:
        if not 1 <= self.runs <= MOST_RUNS:
            raise InvalidRequest(
                Sentence(
                    "A comparison has 1 to {MOST_RUNS} runs of each kind; got {runs}.",
                    MOST_RUNS=MOST_RUNS,
                    runs=self.runs,
                )
            )
        if not isinstance(self.request.model, ModelConfig):
            raise InvalidRequest(Sentence("Streaming is compared with a model of this machine."))

    @property
    def model(self) -> ModelConfig:
        if not isinstance(self.request.model, ModelConfig):
            raise InvalidRequest(Sentence("Streaming is compared with a model of this machine."))
        return self.request.model

    def steps(self, loan: ModelOnLoan) -> JobSteps:
        made: list[Run] = []
        yield from compared(loan, self.request, self.runs, self.id, made)
        asked = _seeded(self.request)
        return Comparison(
            prompt=self.prompt or next(m.content for m in reversed(asked.messages) if m.role is Role.USER),
            subject=Subject.of(loan.info),
            wanted=self.runs,
            runs=tuple(made),
            when=now_text(),
            seed=asked.sampling.seed,
            max_tokens=asked.max_tokens,
        )


def compared(
    loan: ModelOnLoan,
    request: GenerationRequest,
    runs: int,
    job: JobId,
    made: list[Run],
    span: tuple[float, float] = (0.0, 1.0),
) -> Iterator[JobProgress | GenerationEvent]:
    """Make the runs, and add each that came to its end to `made`. Ends early where the job is stopped.

    Raises:
        InferenceError: the prompt does not fit, or the model broke.
    """
    request = _seeded(request)
    begin, end = span
    start = yield from _warm_up(loan, request, job, RunBegan(0, 2 * runs, Mode.ON, new_request_id()), begin)
    for done, (number, mode) in enumerate(_order(runs)):
        if loan.is_stopped:
            return
        loan.hold(start)
        began = RunBegan(number, 2 * runs, mode, new_request_id())
        yield JobProgress(job, begin + (end - begin) * done / (2 * runs), began)
        run = yield from _run(loan, replace(request, id=began.request), began)
        if run is not None:
            made.append(run)
            yield JobProgress(job, begin + (end - begin) * (done + 1) / (2 * runs), RunEnded(run))


def comparison_of_replies(prompt: str, subject: Subject, runs: Sequence[Run]) -> Comparison:
    """Replies that were made before, with the switch on or off, compared by their kept figures."""
    numbered = tuple(replace(run, number=number) for number, run in enumerate(runs, start=1))
    return Comparison(prompt, subject, 1, numbered, now_text(), seed=None, kept=True)


def comparison_from(content: Mapping[str, Any]) -> Comparison:
    """The comparison that `kept_comparison` wrote.

    Raises:
        ValueError: it is none.
    """
    try:
        return declared(Comparison, content)
    except ValueError as error:
        raise ValueError(f"not a comparison: {error}") from None


def kept_comparison(comparison: Comparison) -> dict[str, Any]:
    """A comparison as JSON can hold it, to come back from by `comparison_from`."""
    return asdict(comparison)


def sides() -> tuple[Sentence, ...]:
    """The columns of what was measured both ways."""
    figures = (Sentence("median"), Sentence("lowest"), Sentence("highest"))
    return tuple(Sentence("{mode}, {figure}", mode=mode.words, figure=figure) for mode in Mode for figure in figures)


def now_text() -> str:
    """This moment, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _warm_up(
    loan: ModelOnLoan, request: GenerationRequest, job: JobId, began: RunBegan, fraction: float
) -> Generator[JobProgress | GenerationEvent, None, Snapshot | None]:
    """Ask once for nothing but its effects: what is slow the first time is over, and the KV start is known."""
    yield JobProgress(job, fraction, began)
    few = min(request.max_tokens or _WARM_UP_TOKENS, _WARM_UP_TOKENS)
    cached = 0
    for event in loan.answer(replace(request, id=began.request, max_tokens=few), from_all_kept=True):
        yield event
        if isinstance(event, GenerationFailed):
            raise event.error
        if isinstance(event, GenerationFinished):
            cached = event.usage.cached_tokens or 0
    loan.model.rewind(min(cached, len(loan.model.tokens)))
    return loan.held()


def _run(
    loan: ModelOnLoan, request: GenerationRequest, began: RunBegan
) -> Generator[GenerationEvent, None, Run | None]:
    watch = Watch()
    submitted = loan.clock()
    first: float | None = None
    for event in loan.answer(request):
        match event:
            case TextDelta(kind=DeltaKind.ANSWER) if began.mode is Mode.ON and first is None:
                first = loan.clock() - submitted
            case GenerationFinished() if began.mode is Mode.OFF and event.text:
                first = loan.clock() - submitted
            case _:
                pass
        yield event
        if isinstance(event, GenerationFailed):
            raise event.error
        if isinstance(event, GenerationFinished):
            return _run_of(event, began, first, watch.stop())
    raise AssertionError("a request ends with its last event")


def _run_of(event: GenerationFinished, began: RunBegan, first: float | None, seen: Surroundings) -> Run | None:
    if event.finish_reason is FinishReason.CANCELLED:
        return None
    return Run(
        number=began.number,
        mode=began.mode,
        text=event.text,
        finish_reason=event.finish_reason,
        usage=event.usage,
        timings=event.timings,
        first_text=first,
        token_times=event.trace.token_times,
        surroundings=seen,
    )


def _order(runs: int) -> list[tuple[int, Mode]]:
    """Which run is of which mode: on and off, then off and on, so that what drifts favours neither."""
    modes = [mode for turn in range(runs) for mode in ((Mode.ON, Mode.OFF) if turn % 2 == 0 else (Mode.OFF, Mode.ON))]
    return list(enumerate(modes, start=1))


def _seeded(request: GenerationRequest) -> GenerationRequest:
    if request.sampling.seed is not None:
        return request
    return replace(request, sampling=replace(request.sampling, seed=SEED))


def _cells(statistic_: Statistic | None) -> tuple[float | None, float | None, float | None]:
    if statistic_ is None:
        return None, None, None
    return statistic_.median, statistic_.low, statistic_.high


def _readable(run: Run) -> tuple[tuple[float, float], ...]:
    """Tokens that could be read, over the seconds from t0: step by step, or all at the end; nothing where it is not
    known when they came."""
    end = run.timings.total - run.timings.load
    times = [time - run.timings.load for time in run.token_times]
    count = float(len(times) or run.usage.output_tokens)
    if run.mode is Mode.OFF:
        whole = run.first_text if run.first_text is not None else end
        return ((0.0, 0.0), (whole, 0.0), (whole, count), (max(whole, end), count))
    if not times:
        return ()
    return ((0.0, 0.0), (times[0], 0.0), *((time, float(n)) for n, time in enumerate(times, start=1)), (end, count))

"""What an experiment says: plots, tables, a verdict; plain values that a window draws and a file holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from inference.events import ModelInfo
from inference.experiments.surroundings import Surroundings
from inference.sentences import Sentence, in_a_row, listed


class Ink(StrEnum):
    """What a series is about; the window has one colour for each."""

    PREFILL = "prefill"
    DECODE = "decode"
    CACHED = "cached"
    PLAIN = "plain"


class Shape(StrEnum):
    """How a series is drawn."""

    LINE = "line"
    DOTS = "dots"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Series:
    """Points under a name; `x` never falls from one to the next in a line."""

    name: str
    points: tuple[tuple[float, float], ...]
    ink: Ink = Ink.PLAIN
    shape: Shape = Shape.BOTH


@dataclass(frozen=True, slots=True)
class Plot:
    """Series over two axes, each with what it counts and its unit."""

    title: str
    x_name: str
    x_unit: str
    y_name: str
    y_unit: str
    series: tuple[Series, ...]

    @property
    def summary(self) -> str:
        """The axes and what is drawn, in words."""
        up, across = axis_text(self.y_name, self.y_unit), axis_text(self.x_name, self.x_unit)
        axes = Sentence("{up} over {across}", up=up, across=across)
        drawn = in_a_row((axes, *(series.name for series in self.series if series.name)))
        return Sentence("{title}: {drawn}.", title=self.title, drawn=drawn)


def axis_text(name: str, unit: str) -> str:
    """What an axis counts, with its unit where that says more."""
    return Sentence("{name} ({unit})", name=name, unit=unit) if unit and unit != name else name


Cell = str | int | float | None


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under columns; `None` is not known, or does not apply."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the data say. `shown` is `None` where there are too few of them."""

    shown: bool | None
    sentence: str


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What follows from what was measured, whoever measured it."""

    verdict: Verdict
    plots: tuple[Plot, ...] = ()
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()
    figures: dict[str, object] = field(default_factory=dict)  # for programs: what JSON can hold


@dataclass(frozen=True, slots=True)
class Subject:
    """What was measured with, as far as it is known."""

    model: str
    quantisation: str = ""
    device: str = ""
    threads: int = 0
    context_size: int = 0

    @classmethod
    def of(cls, info: ModelInfo) -> Subject:
        return cls(info.name, info.quantisation, info.device, info.threads, info.context_size)

    @property
    def words(self) -> str:
        parts = [
            f"{self.model} ({self.quantisation})" if self.quantisation else self.model,
            self.device,
            self._threads,
            Sentence("a window of {size:,} tokens", size=self.context_size) if self.context_size else "",
        ]
        return listed(part for part in parts if part)

    @property
    def _threads(self) -> str:
        if not self.threads:
            return ""
        return Sentence("1 thread") if self.threads == 1 else Sentence("{count} threads", count=self.threads)


@dataclass(frozen=True, slots=True)
class Outcome:
    """One experiment as it ended. `asks` is what it wants to know, in plain words."""

    name: str
    title: str
    asks: str
    subject: Subject
    conclusion: Conclusion
    surroundings: Surroundings
    when: str  # ISO 8601
    stopped: bool = False
    quick: bool = False

    @property
    def notes(self) -> tuple[str, ...]:
        """What one should know before believing the verdict."""
        return (*self.conclusion.notes, *self._circumstances())

    def _circumstances(self) -> tuple[str, ...]:
        notes = []
        if self.stopped:
            notes.append(Sentence("It was stopped early; what was measured until then is shown."))
        if self.quick:
            notes.append(Sentence("It was run in its short form: fewer rounds, shorter texts."))
        return (*notes, *words_for(self.surroundings))


def words_for(surroundings: Surroundings) -> tuple[str, ...]:
    """What the machine did meanwhile, in sentences."""
    known = []
    if surroundings.load_average is not None:
        known.append(Sentence("load average {load:.2f}", load=surroundings.load_average))
    if surroundings.clock_megahertz is not None:
        known.append(Sentence("processor clock {clock:,.0f} MHz", clock=surroundings.clock_megahertz))
    if surroundings.others is not None:
        known.append(Sentence("{count:.2f} processors busy with other programs", count=surroundings.others))
    words = [Sentence("Meanwhile: {known}.", known=listed(known))] if known else []
    if surroundings.is_disturbed:
        words.append(Sentence("Other programs took a share of the processors; the figures may be slower than usual."))
    return tuple(words)


def verdict_of(figures: Sentence, *, shown: bool, because: str = "") -> Verdict:
    """The figures as a whole sentence, which also says where what was looked for did not show; `because`, if it is
    known, why."""
    if shown:
        return Verdict(True, Sentence("{figures:capital}.", figures=figures))
    sentence = Sentence("Not shown on this machine{because}: {figures}.", because=because, figures=figures)
    return Verdict(False, sentence)

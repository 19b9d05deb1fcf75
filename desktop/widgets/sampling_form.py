"""How the next token is chosen, control by control: in plain words, with the field's term, its default and what a
change does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop import wording
from desktop.theme import Theme
from desktop.widgets.buttons import Button
from desktop.widgets.fields import Number
from desktop.widgets.form import Row
from inference import DEFAULT_SAMPLING, InvalidRequest, Sampling

# What holds where nobody says anything: no model file says these.
_UNTOLD = Sampling(
    repeat_last_n=64,
    xtc_threshold=0.1,
    dry_base=1.75,
    dry_allowed_length=2,
    dry_penalty_last_n=-1,
    dynatemp_exponent=1.0,
    mirostat_tau=5.0,
    mirostat_eta=0.1,
)


@dataclass(frozen=True, slots=True)
class Knob:
    """One value of `Sampling`: the range that makes sense, in steps of `step`."""

    field: str
    words: str
    explained: str
    least: float
    most: float
    step: float = 1
    decimals: int = 0


class SamplingForm(QWidget):
    """Shows a `Sampling` over the defaults of the model that answers. What is rarely wanted is folded away."""

    chosen = Signal(object)  # Sampling, `None` where all of it is left to the model

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._sampling = Sampling()
        self._defaults: Sampling | None = DEFAULT_SAMPLING
        self.numbers: dict[str, Number] = {}
        self._rows: list[Row] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(12)
        self._add(self._column, self._usual())
        self.more_button = Button(theme, text=self.tr("More of them"), icon_name="chevron-down")
        self.more_button.setCheckable(True)
        self.more_button.toggled.connect(self._unfold)
        self._column.addWidget(self.more_button)
        self._rare = QWidget()
        rare = QVBoxLayout(self._rare)
        rare.setContentsMargins(0, 0, 0, 0)
        rare.setSpacing(12)
        self._add(rare, self._unusual())
        self._rare.hide()
        self._column.addWidget(self._rare)
        self._show()

    @property
    def sampling(self) -> Sampling | None:
        """What is chosen."""
        return None if self._sampling == Sampling() else self._sampling

    def show_sampling(self, sampling: Sampling | None, defaults: Sampling | None) -> None:
        """Show these values, and what holds where none is chosen: `None` is a server's own business."""
        self._sampling = sampling or Sampling()
        self._defaults = defaults
        self._show()
        if any(getattr(self._sampling, knob.field) is not None for knob in self._unusual()):
            self.more_button.setChecked(True)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.more_button.set_theme(theme)
        for row in self._rows:
            row.set_theme(theme)

    def _add(self, column: QVBoxLayout, knobs: tuple[Knob, ...]) -> None:
        for knob in knobs:
            number = Number(
                self._theme,
                f"{knob.words} ({knob.field})",
                knob.least,
                knob.most,
                open_words=self._open_words(knob.field),
                step=knob.step,
                decimals=knob.decimals,
            )
            number.picked.connect(partial(self._take, knob.field))
            row = Row(self._theme, knob.words, number, f"{knob.field}: {knob.explained}")
            self.numbers[knob.field] = number
            self._rows.append(row)
            column.addWidget(row)

    def _take(self, field: str, value: float | None) -> None:
        values: dict[str, Any] = {field: value}
        try:
            self._sampling = replace(self._sampling, **values)
        except InvalidRequest:  # such as a mirostat between 0 and 2
            self._show()
            return
        self.chosen.emit(self.sampling)

    def _show(self) -> None:
        for field, number in self.numbers.items():
            number.set_open_words(self._open_words(field))
            number.show_number(getattr(self._sampling, field))

    def _open_words(self, field: str) -> str:
        """What holds while this is left open."""
        if self._defaults is None:
            return self.tr("server's")
        if field == "seed":
            return self.tr("another each time")
        value = getattr(self._defaults, field)
        if value is None:
            value = getattr(_UNTOLD, field)
            return self.tr("off") if value is None else self.tr("{value} (usual)").format(value=_written(value))
        return self.tr("{value} (model's)").format(value=_written(value))

    def _unfold(self, shown: bool) -> None:  # noqa: FBT001 - a slot gets what Qt's signal carries
        self._rare.setVisible(shown)
        self.more_button.setText(self.tr("Fewer of them") if shown else self.tr("More of them"))

    def _usual(self) -> tuple[Knob, ...]:
        return (
            Knob(
                "temperature",
                self.tr("Freedom"),
                self.tr("0 always takes the likeliest token. Higher is more varied, and sooner wrong."),
                0,
                5,
                0.1,
                2,
            ),
            Knob(
                "top_k",
                self.tr("Choose among"),
                self.tr("so many of the likeliest tokens. Fewer is safer; 0 is all of them."),
                0,
                1000,
            ),
            Knob(
                "top_p",
                self.tr("Share to choose from"),
                self.tr("the likeliest tokens that together come to this much. Lower is safer; 1 is all."),
                0,
                1,
                0.05,
                2,
            ),
            Knob(
                "min_p",
                self.tr("Least likely one"),
                self.tr("measured by the likeliest token. Higher is safer; 0 lets everything through."),
                0,
                1,
                0.01,
                2,
            ),
            Knob(
                "repeat_penalty",
                self.tr("Against repeating"),
                self.tr("above 1 what was written lately becomes less likely. Too much of it spoils grammar and code."),
                0.5,
                2,
                0.05,
                2,
            ),
            Knob(
                "seed",
                self.tr("Same choice again"),
                self.tr("with one number the same prompt gets the same reply."),
                0,
                2**32 - 2,
            ),
        )

    def _unusual(self) -> tuple[Knob, ...]:
        return (
            *self._against_repeating(),
            *self._leaving_out(),
            *self._against_passages(),
            *self._by_uncertainty(),
        )

    def _against_repeating(self) -> tuple[Knob, ...]:
        """Penalties for what was written lately."""
        return (
            Knob(
                "repeat_last_n",
                self.tr("How far back penalties look"),
                self.tr("in tokens of the reply; 0 is not at all."),
                0,
                8192,
                16,
            ),
            Knob(
                "presence_penalty",
                self.tr("Against coming back to things"),
                self.tr("the same for every token that was written at all; below 0 is in favour of it."),
                -2,
                2,
                0.1,
                2,
            ),
            Knob(
                "frequency_penalty",
                self.tr("Against wearing words out"),
                self.tr("more with each time that a token was written."),
                -2,
                2,
                0.1,
                2,
            ),
        )

    def _leaving_out(self) -> tuple[Knob, ...]:
        """Other ways to leave tokens out: the unlikely, or the likeliest."""
        return (
            Knob(
                "typical_p",
                self.tr("Typical ones only"),
                self.tr("tokens that surprise about as much as is to be expected here; 1 is all."),
                0,
                1,
                0.05,
                2,
            ),
            Knob(
                "top_n_sigma",
                self.tr("Within so many deviations"),
                self.tr("of the likeliest token's logit. Lower is safer, at any temperature; 0 is all."),
                0,
                10,
                0.1,
                2,
            ),
            Knob(
                "xtc_probability",
                self.tr("Leave out the likeliest"),
                self.tr("so often: for text that is less expected."),
                0,
                1,
                0.05,
                2,
            ),
            Knob(
                "xtc_threshold",
                self.tr("Which of them can be left out"),
                self.tr("those that are at least so likely; the last of them stays."),
                0,
                0.5,
                0.05,
                2,
            ),
        )

    def _against_passages(self) -> tuple[Knob, ...]:
        """DRY: penalties for passages that were written before."""
        return (
            Knob(
                "dry_multiplier",
                self.tr("Against repeated passages"),
                self.tr("how strongly the next token of a repetition is punished; 0 is not at all. 0.8 is common."),
                0,
                5,
                0.1,
                2,
            ),
            Knob(
                "dry_base",
                self.tr("The longer, the more"),
                self.tr("how fast that grows with the passage's length."),
                1,
                4,
                0.05,
                2,
            ),
            Knob(
                "dry_allowed_length",
                self.tr("Repetitions that may be"),
                self.tr("in tokens; what is longer is punished."),
                1,
                64,
            ),
            Knob(
                "dry_penalty_last_n",
                self.tr("How far back passages are looked for"),
                self.tr("in tokens, of the prompt too; -1 is everywhere."),
                -1,
                65536,
                64,
            ),
        )

    def _by_uncertainty(self) -> tuple[Knob, ...]:
        """A temperature that follows how sure the model is, or Mirostat, which aims at a surprise."""
        return (
            Knob(
                "dynatemp_range",
                self.tr("Freedom by uncertainty"),
                self.tr("the temperature goes up and down by this, as sure as the model is; 0 is not at all."),
                0,
                5,
                0.1,
                2,
            ),
            Knob(
                "dynatemp_exponent",
                self.tr("How it follows uncertainty"),
                self.tr("above 1 only great uncertainty counts."),
                0,
                5,
                0.1,
                2,
            ),
            Knob(
                "mirostat",
                self.tr("Even surprise"),
                self.tr("2 aims at a constant surprise, in place of all that leaves tokens out; 0 does not."),
                0,
                2,
                2,
            ),
            Knob(
                "mirostat_tau",
                self.tr("The surprise aimed at"),
                self.tr("in bits. Lower is more predictable."),
                0,
                20,
                0.5,
                2,
            ),
            Knob(
                "mirostat_eta", self.tr("How fast it is approached"), self.tr("higher corrects sooner."), 0, 1, 0.05, 2
            ),
        )


def _written(value: float) -> str:
    return wording.written(f"{value:g}")

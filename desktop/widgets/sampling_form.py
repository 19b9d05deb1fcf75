"""How the next token is chosen, control by control, over what holds where nothing is chosen."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop import wording
from desktop.theme import Theme
from desktop.widgets.buttons import Button
from desktop.widgets.fields import Number
from desktop.widgets.form import Row
from desktop.widgets.sampling_knobs import Knob, unusual_knobs, usual_knobs
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
        self._add(self._column, usual_knobs())
        self.more_button = Button(theme, text=self.tr("More of them"), icon_name="chevron-down")
        self.more_button.setCheckable(True)
        self.more_button.toggled.connect(self._unfold)
        self._column.addWidget(self.more_button)
        self._rare = QWidget()
        rare = QVBoxLayout(self._rare)
        rare.setContentsMargins(0, 0, 0, 0)
        rare.setSpacing(12)
        self._add(rare, unusual_knobs())
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
        if any(getattr(self._sampling, knob.field) is not None for knob in unusual_knobs()):
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
                knob.range.least,
                knob.range.most,
                open_words=self._open_words(knob.field),
                step=knob.range.step,
                decimals=knob.range.decimals,
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


def _written(value: float) -> str:
    return wording.written(f"{value:g}")

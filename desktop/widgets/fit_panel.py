"""How large a model's context window shall be, and what it will then take of the memory, while the slider moves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSlider, QVBoxLayout, QWidget

import inference
from desktop import wording
from desktop.sizing import Sizing
from desktop.theme import Theme, control_font, figure_font
from desktop.widgets.form import label
from desktop.widgets.model_words import forecast_words, size_words
from desktop.widgets.painting import recolour

if TYPE_CHECKING:
    from inference import Forecast, GgufFacts

_SMALLEST, _LARGEST = 512, 2**31 - 1  # a header may say anything


class FitPanel(QWidget):
    """Follows one model. It has nothing to show until the file's header was glanced at."""

    def __init__(self, theme: Theme, sizing: Sizing) -> None:
        super().__init__()
        self._theme = theme
        self._sizing = sizing
        self._path: Path | None = None
        self._facts: GgufFacts | None = None
        self._sizes: tuple[int, ...] = ()
        self._name, self._size = QLabel(self.tr("Context window")), QLabel()
        self._name.setFont(control_font())
        self._size.setFont(control_font())
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName(self.tr("Context window"))
        self.slider.setPageStep(1)
        self.slider.valueChanged.connect(self._show)
        self._parts = label("", figure_font())
        self._verdict = label("", figure_font())
        self._name.setBuddy(self.slider)
        self._lay_out()
        policy = self.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # nothing moves while another model is looked into
        self.setSizePolicy(policy)
        self.set_theme(theme)
        self.clear()

    @property
    def context_size(self) -> int | None:
        """What the slider stands at; `None` where there is no model."""
        return self._sizes[self.slider.value()] if self._sizes else None

    @property
    def forecast(self) -> Forecast | None:
        """For what the slider stands at."""
        if self._path is None or self._facts is None or self.context_size is None:
            return None
        return self._sizing.forecast(self._path, self._facts, self.context_size)

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(each.text() for each in (self._size, self._parts, self._verdict) if each.text())

    def clear(self) -> None:
        """Show that nothing is known."""
        self._path, self._facts, self._sizes = None, None, ()
        self.setVisible(False)

    def show_model(self, path: Path, facts: GgufFacts, context_size: int) -> None:
        """Let the window of this model be chosen; it stands at `context_size` at first."""
        self._path, self._facts = path, facts
        self._sizes = window_sizes(facts.training_context, context_size)
        wanted = min(context_size, self._sizes[-1])
        self.slider.blockSignals(True)
        self.slider.setRange(0, len(self._sizes) - 1)
        self.slider.setValue(max((place for place, size in enumerate(self._sizes) if size <= wanted), default=0))
        self.slider.blockSignals(False)
        self.setVisible(True)
        self._show()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        recolour(self.slider, QPalette.ColorRole.Highlight, theme.accent)
        recolour(self.slider, QPalette.ColorRole.Button, theme.field_edge)  # of the handle and its groove
        for each in (self._name, self._size):
            recolour(each, QPalette.ColorRole.WindowText, theme.text)
        recolour(self._parts, QPalette.ColorRole.WindowText, theme.muted)
        self._show()

    def _show(self) -> None:
        size, forecast = self.context_size, self.forecast
        if size is None or forecast is None:
            return
        self._size.setText(self.tr("{count} tokens").format(count=wording.whole(size)))
        self.slider.setAccessibleDescription(self._size.text())
        self._parts.setText(forecast_words(forecast))
        ink = self._theme.decode if forecast.fits else self._theme.warning
        recolour(self._verdict, QPalette.ColorRole.WindowText, ink)
        self._verdict.setText(self._verdict_words(forecast))

    def _verdict_words(self, forecast: Forecast) -> str:
        if not forecast.fits:
            missing = size_words(forecast.total + forecast.margin - forecast.available)
            words = self.tr("{missing} more than there is: the system would swap, or read the file again and again.")
            way = self.tr("A smaller window needs less.")
            if forecast.weights + forecast.margin > forecast.available:
                way = self.tr("Its weights alone are too large; a smaller quantisation of it may fit.")
            return f"{words.format(missing=missing)} {way}"
        if forecast.is_measured:
            return self.tr("Fits. This was loaded here before: these are its real sizes.")
        return self.tr("Fits.")

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(self._name)
        head.addWidget(self.slider, 1)
        head.addWidget(self._size)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(head)
        column.addWidget(self._parts)
        column.addWidget(self._verdict)


def window_sizes(training_context: int, wanted: int) -> tuple[int, ...]:
    """The windows to choose from: powers of two, the one that is wanted, and all that the model learned."""
    most = min(max(_SMALLEST, training_context or inference.DEFAULT_CONTEXT), _LARGEST)
    sizes = {most, min(max(wanted, _SMALLEST), most)}
    size = _SMALLEST
    while size < most:
        sizes.add(size)
        size *= 2
    return tuple(sorted(sizes))

"""The button that writes a result into a file: Markdown, CSV, JSON, or the plot as a picture."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

import inference
from desktop import wording
from desktop.spoken import spoken
from desktop.theme import Theme
from desktop.whole_files import whole_file
from desktop.widgets.buttons import Button, ButtonKind
from desktop.widgets.plot import PlotView

if TYPE_CHECKING:
    from inference.experiments import Comparison, Outcome

PlaceChooser = Callable[[QWidget, str], Path | None]


def ask_for_place(parent: QWidget, name: str) -> Path | None:
    """The platform's file chooser; `None` when it was put away."""
    from PySide6.QtWidgets import QFileDialog

    chosen, _ = QFileDialog.getSaveFileName(parent, parent.tr("Export as {name}").format(name=name), name)
    return Path(chosen) if chosen else None


class ExportButton(Button):
    """Offers the forms a result can be written in; nothing as long as there is none."""

    said = Signal(str)  # what was written, or why it could not be

    def __init__(self, theme: Theme, plot: PlotView, choose_place: PlaceChooser = ask_for_place) -> None:
        super().__init__(theme, text=self.tr("Export…"), kind=ButtonKind.OUTLINED)
        self._plot = plot
        self._choose_place = choose_place
        self._result: Comparison | Outcome | None = None
        self._stem = "result"
        menu = QMenu(self)
        self.copy_action = menu.addAction(self.tr("&Copy as Markdown"), self._copy)
        menu.addSeparator()
        for words, suffix in (
            (self.tr("&Markdown…"), ".md"),
            (self.tr("C&SV, tables and points…"), ".csv"),
            (self.tr("&JSON…"), ".json"),
            (self.tr("&PNG, the plot…"), ".png"),
            (self.tr("S&VG, the plot…"), ".svg"),
        ):
            menu.addAction(words, partial(self.export, suffix))
        self.setMenu(menu)
        self.setEnabled(False)

    def offer(self, result: Comparison | Outcome | None, stem: str) -> None:
        """Offer this one, in files called `stem` unless somebody wishes otherwise."""
        self._result, self._stem = result, stem
        self.setEnabled(result is not None)

    def export(self, suffix: str) -> None:
        """Ask where, then write."""
        if self._result is None:
            return
        place = self._choose_place(self, f"{self._stem}{suffix}")
        if place is None:
            return
        reason = self._write(place, suffix)
        words = self.tr("{path} cannot be written: {reason}.") if reason else self.tr("Written: {path}")
        self.said.emit(words.format(path=place, reason=reason))

    def _write(self, place: Path, suffix: str) -> str:
        """Returns why that was not possible; empty where it was."""
        try:
            with whole_file(place) as half_written:
                self._write_into(half_written, suffix)
        except OSError as error:
            return spoken(error.strerror or error)
        return ""

    def _write_into(self, path: Path, suffix: str) -> None:
        """Where it cannot, it raises: what lay there before is replaced by nothing half-written."""
        if suffix not in (".png", ".svg"):
            path.write_text(self._text(suffix), encoding="utf-8")
        elif not self._plot.save(path):
            raise OSError(self.tr("the folder or the disk does not take it"))

    def _text(self, suffix: str) -> str:
        forms = inference.experiments
        result = self._result
        if result is None:
            return ""
        match suffix:
            case ".csv":
                return forms.to_csv(result)
            case ".json":
                return forms.to_json(result)
            case _:
                return forms.to_markdown(result, spoken, wording.written)  # to be read; the others are for programs

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._text(".md"))
        self.said.emit(self.tr("Copied."))

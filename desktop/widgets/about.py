"""What Headwater is made of: versions, what it runs on, and every licence."""

from __future__ import annotations

import os
import platform

from PySide6.QtCore import Qt, qVersion
from PySide6.QtGui import QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication, QPlainTextEdit

from desktop.model_choice import ModelChoice
from desktop.spoken import spoken
from desktop.theme import Theme, scroll_bar_style
from desktop.versions import versions
from desktop.widgets.buttons import Button, ButtonKind
from desktop.widgets.form import Page, Side, Value
from desktop.widgets.painting import recolour

_WIDTH = 640
_LEAST_HEIGHT = 280


class About(Page):
    """Shows it, and copies what a report of a fault wants to know."""

    def __init__(self, theme: Theme, models: ModelChoice) -> None:
        super().__init__(theme, _WIDTH)
        self._models = models
        self.set_title(self.tr("About Headwater"), self.tr("Close this view (Esc)"))
        self.add_words(
            self.tr("Language models on your own machine, and a look inside. Free software under the MIT licence.")
        )
        self._rows: dict[str, Value] = {}
        for name, value in self._facts():
            self._rows[name] = Value(theme, value)
            self._rows[name].setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            self.add_row(name, self._rows[name])
        self.copy_button = Button(
            theme,
            name=self.tr("Copy details"),
            text=self.tr("Copy details"),
            icon_name="copy",
            kind=ButtonKind.OUTLINED,
        )
        self.copy_button.clicked.connect(self._copy)
        self.said = Value(theme, "")
        self.add(Side(self.copy_button, self.said))
        self.add_heading(self.tr("Licences"))
        self.licences = QPlainTextEdit()
        self.licences.setReadOnly(True)
        self.licences.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.licences.setMinimumHeight(_LEAST_HEIGHT)
        self.licences.setTabChangesFocus(True)
        self.licences.setAccessibleName(self.tr("Licences"))
        self.add(self.licences)
        self.set_theme(theme)

    @property
    def details(self) -> str:
        """What the button copies: nothing of any conversation, no path, no name of a person."""
        return "\n".join(f"{name}: {value}" for name, value in self._facts())

    def look(self) -> None:
        """Show what holds now; the licences are read once."""
        for name, value in self._facts():
            self._rows[name].setText(value)
        self.said.setText("")
        if not self.licences.toPlainText():
            from desktop.licences import whole_text

            self.licences.setPlainText(whole_text())

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        for role, colour in (
            (QPalette.ColorRole.Base, theme.surface),
            (QPalette.ColorRole.Text, theme.text),
            (QPalette.ColorRole.Highlight, theme.selection),
            (QPalette.ColorRole.HighlightedText, theme.text),
        ):
            recolour(self.licences, role, colour)
        self.licences.verticalScrollBar().setStyleSheet(scroll_bar_style(theme))

    def _facts(self) -> tuple[tuple[str, str], ...]:
        info = self._models.state.file_info
        model = self._models.state.name
        if info is not None:
            model = f"{info.name}, {info.architecture}, {info.quantisation}"
        system = f"{platform.system()} {platform.release()}, {platform.machine()}, {QApplication.platformName()}"
        return (
            *versions(),
            ("Qt", qVersion() or ""),
            (self.tr("System"), system),
            (self.tr("Processor"), self._threads(os.cpu_count() or 1)),
            (self.tr("Model"), model or self.tr("none")),
            (self.tr("Computes on"), "" if info is None else f"{spoken(info.device)}, {self._threads(info.threads)}"),
        )

    def _threads(self, count: int) -> str:
        return self.tr("1 thread") if count == 1 else self.tr("{count} threads").format(count=count)

    def _copy(self) -> None:
        QApplication.clipboard().setText(self.details)
        self.said.setText(self.tr("Copied"))

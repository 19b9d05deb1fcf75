"""One repository of the Hub: its files by quantisation, what its page says, and a download of one of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QVBoxLayout, QWidget

import inference
from desktop import wording
from desktop.downloads import DownloadQueue
from desktop.hub_desk import Opened
from desktop.shelf import Shelf
from desktop.sizing import Sizing
from desktop.theme import Theme, figure_font
from desktop.widgets.buttons import Button, ButtonKind
from desktop.widgets.cards import CardList
from desktop.widgets.form import heading_font, label, row_of
from desktop.widgets.model_words import card_of_file
from desktop.widgets.page_text import PageText
from desktop.widgets.painting import recolour

if TYPE_CHECKING:
    from inference.hub import Download, HubModel

_SIDE_BY_SIDE = 760  # pixels, from where on the page stands beside the files


class RepoPage(QWidget):
    """Shows what was opened last."""

    back = Signal()
    use_wanted = Signal(object, object)  # path, None
    begun = Signal(str)  # the id of a download
    link_activated = Signal(str)

    def __init__(self, theme: Theme, downloads: DownloadQueue, shelf: Shelf, sizing: Sizing) -> None:
        super().__init__()
        self._downloads = downloads
        self._shelf = shelf
        self._sizing = sizing
        self._opened: Opened | None = None
        self.back_button = Button(theme, name=self.tr("Back to what was found"), icon_name="chevron-left")
        self._name = label("", heading_font(1.15))
        self._facts = label("", figure_font())
        self.list = CardList(theme, self.tr("Files of this repository"))
        self.text = PageText(theme, self.tr("What its page says"))
        self.get_button = Button(theme, text=self.tr("Download"), kind=ButtonKind.PRIMARY)
        self.web_button = Button(theme, text=self.tr("Open its page"), kind=ButtonKind.OUTLINED)
        self._lay_out()
        self._connect()
        self.set_theme(theme)

    @property
    def words(self) -> tuple[str, ...]:
        return self._name.text(), self._facts.text()

    @property
    def opened(self) -> Opened | None:
        return self._opened

    @property
    def model(self) -> HubModel | None:
        """The current one."""
        models = () if self._opened is None else self._opened.models
        return next((model for model in models if model.path == self.list.key), None)

    def show_repo(self, opened: Opened) -> None:
        """Show this repository, the file that was asked for first, else one of a middling size."""
        self._opened = opened
        self._name.setText(opened.repo.id)
        self._facts.setText(self._facts_words(opened))
        self.text.show_text(opened.page)
        self.text.setVisible(bool(opened.page))
        self.refresh()
        wanted = opened.wanted or self._usual(opened)
        if wanted is not None:
            self.list.select(wanted.path)
        self._show_current()

    def refresh(self) -> None:
        if self._opened is not None:
            self.list.show_cards(
                [
                    card_of_file(
                        model,
                        self._sizing.suitability(model.size, is_mixture=self._opened.repo.is_mixture),
                        self._download_of(model),
                        is_here=self._path_of(model) is not None,
                    )
                    for model in self._opened.models
                ]
            )
            self._show_current()

    def set_theme(self, theme: Theme) -> None:
        for widget in (self.back_button, self.list, self.text, self.get_button, self.web_button):
            widget.set_theme(theme)
        recolour(self._name, QPalette.ColorRole.WindowText, theme.text)
        recolour(self._facts, QPalette.ColorRole.WindowText, theme.muted)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = self.width() >= _SIDE_BY_SIDE
        self._middle.setDirection(QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.back_button, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self._name, 1)
        self._middle = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._middle.setSpacing(8)
        self._middle.addWidget(self.list, 1)
        self._middle.addWidget(self.text, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self._facts)
        column.addLayout(self._middle, 1)
        column.addLayout(row_of(self.get_button, self.web_button))

    def _connect(self) -> None:
        self.back_button.clicked.connect(self.back)
        self.list.current_changed.connect(self._show_current)
        self.list.chosen.connect(self._get_or_use)
        self.get_button.clicked.connect(self._get_or_use)
        self.web_button.clicked.connect(self._open_in_browser)
        self.text.link_activated.connect(self.link_activated)
        self._shelf.changed.connect(self._on_shelf_changed)
        self._downloads.changed.connect(self._on_changed)
        self._downloads.removed.connect(self.refresh)

    def _facts_words(self, opened: Opened) -> str:
        repo = opened.repo
        parts = [
            wording.parameters(repo.parameters) if repo.parameters else "",
            repo.architecture,
            self.tr("{count} tokens").format(count=wording.whole(repo.training_context))
            if repo.training_context
            else "",
            self.tr("licence: {licence}").format(licence=repo.licence or self.tr("none named")),
            self.tr("gated: its makers want to be asked first") if repo.gated else "",
            "" if opened.models else self.tr("no model file in it"),
        ]
        return " · ".join(part for part in parts if part)

    def _usual(self, opened: Opened) -> HubModel | None:
        usable = [model for model in opened.models if model.is_whole and not model.is_projector]
        middling = next((model for model in usable if model.quantisation.endswith("Q4_K_M")), None)
        return middling or next(iter(usable), None)

    def _path_of(self, model: HubModel) -> Path | None:
        if self._opened is None:
            return None
        return self._shelf.fetched(self._opened.repo.id, model.path)

    def _download_of(self, model: HubModel) -> Download | None:
        if self._opened is None:
            return None
        wanted = f"{self._opened.repo.id}/{model.path}"
        return next((each for each in self._downloads.all if each.id == wanted), None)

    def _on_shelf_changed(self) -> None:
        if self.isVisible():  # else it is looked up when it is shown
            self.refresh()

    def _on_changed(self, download: Download) -> None:
        if self._opened is not None and download.repo == self._opened.repo.id:
            self.refresh()

    def _show_current(self) -> None:
        model, state = self.model, inference.hub.DownloadState
        path = None if model is None else self._path_of(model)
        download = None if model is None else self._download_of(model)
        is_coming = download is not None and download.state not in (state.FAILED, state.DONE)
        words = self.tr("Use this model") if path is not None else self.tr("Download")
        if words != self.get_button.text():
            self.get_button.setText(words)
            self.get_button.updateGeometry()
        can_get = model is not None and model.is_whole and not model.is_projector and not is_coming
        self.get_button.setEnabled(path is not None or can_get)

    def _get_or_use(self) -> None:
        model = self.model
        if model is None or self._opened is None or not self.get_button.isEnabled():
            return
        if (path := self._path_of(model)) is not None:
            self.use_wanted.emit(path, None)
        else:
            self.begun.emit(self._downloads.add(self._opened.repo, model).id)

    def _open_in_browser(self) -> None:
        if self._opened is not None:
            self.link_activated.emit(self._opened.address)

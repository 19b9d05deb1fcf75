"""Well-known models to begin with, and which of them this machine can hold."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QHBoxLayout, QWidget

import inference
from desktop.downloads import DownloadQueue
from desktop.hub_desk import HubDesk, Refusal
from desktop.shelf import Shelf
from desktop.sizing import Sizing
from desktop.theme import Theme, figure_font
from desktop.widgets.buttons import Button, ButtonKind
from desktop.widgets.cards import CardList
from desktop.widgets.form import column_in, label, row_of
from desktop.widgets.model_words import card_of_entry, state_words
from desktop.widgets.painting import recolour

if TYPE_CHECKING:
    from inference.hub import CatalogueEntry, HubLink, Offer


class CataloguePage(QWidget):
    """Offers an entry once its repository was asked; those that do not fit come last."""

    use_wanted = Signal(object, object)  # path, None
    page_wanted = Signal(object)  # HubLink
    begun = Signal(str)  # the id of a download

    def __init__(self, theme: Theme, hub: HubDesk, downloads: DownloadQueue, shelf: Shelf, sizing: Sizing) -> None:
        super().__init__()
        self._hub = hub
        self._downloads = downloads
        self._shelf = shelf
        self._sizing = sizing
        self._refusal: Refusal | None = None
        self._status = label("", figure_font())
        self.list = CardList(theme, self.tr("Recommended models"))
        self.get_button = Button(theme, text=self.tr("Download"), kind=ButtonKind.PRIMARY)
        self.page_button = Button(theme, text=self.tr("Its page and other sizes"), kind=ButtonKind.OUTLINED)
        self.again_button = Button(theme, text=self.tr("Try again"), kind=ButtonKind.OUTLINED)
        self._lay_out()
        self._connect()
        self.set_theme(theme)

    @property
    def status(self) -> str:
        return self._status.text()

    @property
    def entry(self) -> CatalogueEntry | None:
        """The current one."""
        return next((entry for entry in self._hub.catalogue.entries if entry.name == self.list.key), None)

    def look(self) -> None:
        """Ask the Hub what it still has; what is known is shown meanwhile."""
        self._refusal = None
        if not self._hub.offline():
            self._hub.check_catalogue()
        self.refresh()

    def refresh(self) -> None:
        entries = [(entry, self._found(entry)) for entry in self._hub.catalogue.entries if not self._is_hidden(entry)]
        entries.sort(key=lambda each: not each[1].fits)  # those that fit, each group from small to large
        self.list.show_cards(
            [
                card_of_entry(
                    entry,
                    self._hub.offers.get(entry.name),
                    found,
                    is_gone=self._is_gone(entry),
                    is_here=self._path_of(entry) is not None,
                )
                for entry, found in entries
            ]
        )
        self._show_status()
        self._show_current()

    def set_theme(self, theme: Theme) -> None:
        for widget in (self.list, self.get_button, self.page_button, self.again_button):
            widget.set_theme(theme)
        recolour(self._status, QPalette.ColorRole.WindowText, theme.muted)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.addWidget(self._status, 1)
        head.addWidget(self.again_button)
        column = column_in(self)
        column.addLayout(head)
        column.addWidget(self.list, 1)
        column.addLayout(row_of(self.get_button, self.page_button))

    def _connect(self) -> None:
        self.list.current_changed.connect(self._show_current)
        self.list.chosen.connect(self._get_or_use)
        self.get_button.clicked.connect(self._get_or_use)
        self.page_button.clicked.connect(self._open_page)
        self.again_button.clicked.connect(self.look)
        self._hub.offered.connect(self.refresh)
        self._hub.catalogue_checked.connect(self.refresh)
        self._hub.catalogue_refused.connect(self._on_refused)
        self._shelf.changed.connect(self._on_shelf_changed)
        self._downloads.changed.connect(self._show_current)
        self._downloads.removed.connect(self._show_current)

    def _found(self, entry: CatalogueEntry) -> inference.Suitability:
        offer = self._hub.offers.get(entry.name)
        size = offer.model.size if offer is not None else entry.size
        return self._sizing.suitability(size, is_mixture=entry.is_mixture)

    def _is_gone(self, entry: CatalogueEntry) -> bool:
        return entry.name in self._hub.offers and self._hub.offers[entry.name] is None

    def _is_hidden(self, entry: CatalogueEntry) -> bool:
        return self._is_gone(entry) and self._path_of(entry) is None

    def _path_of(self, entry: CatalogueEntry) -> Path | None:
        """Where the model lies, if it was fetched before."""
        offer = self._hub.offers.get(entry.name)
        return self._shelf.fetched(entry.repo, offer.model.path if offer is not None else entry.file)

    def _show_status(self) -> None:
        offline, catalogue = self._hub.offline(), self._hub.catalogue
        day = catalogue.read_on.isoformat()
        if offline:
            words = self.tr("Offline: {reason} What is on this disk works.").format(reason=offline)
        elif self._refusal is not None:
            words = self._refusal.sentence
        elif not self.list.cards:
            words = self.tr("The Hub has none of them any more. Search for others.")
        else:
            words = self.tr("Read on {day}; before one is fetched, the Hub is asked whether it still has it.")
            words = words.format(day=day)
        self._status.setText(words)
        self.again_button.setVisible(self._refusal is not None and not offline)

    def _show_current(self) -> None:
        entry = self.entry
        path = None if entry is None else self._path_of(entry)
        offer = None if entry is None else self._hub.offers.get(entry.name)
        download = None if offer is None else self._download_of(offer)
        self.get_button.setText(self.tr("Use this model") if path is not None else self.tr("Download"))
        self.get_button.updateGeometry()
        self.get_button.setEnabled(path is not None or (offer is not None and download is None))
        self.get_button.setToolTip(state_words(download) if download is not None else "")
        self.page_button.setEnabled(entry is not None and not self._hub.offline())

    def _download_of(self, offer: Offer) -> inference.hub.Download | None:
        state = inference.hub.DownloadState
        wanted = f"{offer.repo.id}/{offer.model.path}"
        known = (each for each in self._downloads.all if each.id == wanted)
        return next((each for each in known if each.state not in (state.FAILED, state.DONE)), None)

    def _get_or_use(self) -> None:
        entry = self.entry
        if entry is None or not self.get_button.isEnabled():
            return
        path, offer = self._path_of(entry), self._hub.offers.get(entry.name)
        if path is not None:
            self.use_wanted.emit(path, None)
        elif offer is not None:
            self.begun.emit(self._downloads.add(offer.repo, offer.model).id)

    def _open_page(self) -> None:
        if (entry := self.entry) is not None:
            link: HubLink = inference.hub.HubLink(entry.repo)
            self.page_wanted.emit(link)

    def _on_shelf_changed(self) -> None:
        if self.isVisible():  # else it is looked up when it is shown
            self.refresh()

    def _on_refused(self, refusal: Refusal) -> None:
        self._refusal = refusal
        self.refresh()

"""What is being fetched: how far each download is, and what can be done about it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QWidget

import inference
from desktop.downloads import DownloadQueue
from desktop.settings import Settings, SettingsFile
from desktop.spoken import spoken
from desktop.theme import Theme, figure_font
from desktop.widgets.buttons import Button, ButtonKind
from desktop.widgets.cards import CardList
from desktop.widgets.form import column_in, label, row_of
from desktop.widgets.model_words import card_of_download
from desktop.widgets.painting import recolour
from desktop.widgets.switch import Switch

if TYPE_CHECKING:
    from inference.hub import Download


class DownloadPage(QWidget):
    """Follows the queue."""

    use_wanted = Signal(object, object)  # path, None
    put_aside = Signal(object)  # Download that may be wanted back

    def __init__(self, theme: Theme, downloads: DownloadQueue, settings: SettingsFile) -> None:
        super().__init__()
        self._downloads = downloads
        self._settings = settings
        self._begun = ""  # the id of one that will be the current one, once the queue has it
        self._status = label("", figure_font())
        self.waits = Switch(theme, self.tr("Only when I say"))
        self.waits.setToolTip(
            self.tr("A new download waits until Resume is pressed, and none goes on by itself after a start.")
        )
        self.list = CardList(theme, self.tr("Downloads"))
        self._reason = label("", figure_font())  # of the current one: a card has room for its beginning only
        self.go_button = Button(theme, text=self.tr("Resume"), kind=ButtonKind.PRIMARY)
        self.remove_button = Button(theme, text=self.tr("Remove"), kind=ButtonKind.OUTLINED)
        self._lay_out()
        self._connect()
        self.set_theme(theme)
        self._show_waiting(settings.current, settings.current)
        self.refresh()

    @property
    def reason(self) -> str:
        """Why the current one waits or failed, in full; "" where it does neither."""
        return "" if self._reason.isHidden() else self._reason.text()

    @property
    def download(self) -> Download | None:
        """The current one."""
        return next((download for download in self._downloads.all if download.id == self.list.key), None)

    def expect(self, download_id: str) -> None:
        """Make this one the current one as soon as it is there."""
        self._begun = download_id
        self.refresh()

    def refresh(self) -> None:
        self.list.show_cards([card_of_download(download) for download in self._downloads.all])
        if any(card.key == self._begun for card in self.list.cards):
            self.list.select(self._begun)
            self._begun = ""
        self._status.setText(self._status_words())
        self._show_current()

    def set_theme(self, theme: Theme) -> None:
        for widget in (self.waits, self.list, self.go_button, self.remove_button):
            widget.set_theme(theme)
        for each in (self._status, self._reason):
            recolour(each, QPalette.ColorRole.WindowText, theme.muted)

    def _lay_out(self) -> None:
        column = column_in(self)
        column.addLayout(row_of(self._status, self.waits, wide=self._status))
        column.addWidget(self.list, 1)
        column.addWidget(self._reason)
        column.addLayout(row_of(self.go_button, self.remove_button))

    def _connect(self) -> None:
        self.list.current_changed.connect(self._show_current)
        self.list.chosen.connect(self._go)
        self.list.delete_wanted.connect(self._remove)
        self.go_button.clicked.connect(self._go)
        self.remove_button.clicked.connect(self._remove)
        self.waits.clicked.connect(self._set_waiting)
        self._downloads.changed.connect(self._on_changed)
        self._downloads.removed.connect(self.refresh)
        self._downloads.emptied.connect(self.refresh)
        self._settings.listen(self._show_waiting)

    def _on_changed(self, download: Download) -> None:
        if len(self.list.cards) != len(self._downloads.all):
            self.refresh()
            return
        self.list.change(card_of_download(download))
        if download.id == self.list.key:
            self._show_current()

    def _status_words(self) -> str:
        if not self._downloads.all:
            return self.tr("Nothing is being downloaded.")
        return self.tr("One after another. Each goes on where it was, also after a restart.")

    def _show_current(self) -> None:
        download, state = self.download, inference.hub.DownloadState
        self.go_button.setEnabled(download is not None)
        self.remove_button.setEnabled(download is not None)
        self._show_reason(download)
        if download is None:
            return
        match download.state:
            case state.DONE:
                words = self.tr("Use this model")
            case state.PAUSED:
                words = self.tr("Resume")
            case state.FAILED:
                words = self.tr("Try again")
            case _:
                words = self.tr("Pause")
        if words != self.go_button.text():
            self.go_button.setText(words)
            self.go_button.updateGeometry()

    def _show_reason(self, download: Download | None) -> None:
        state, reason = inference.hub.DownloadState, ""
        if download is not None and download.state is state.FAILED:
            reason = spoken(download.reason)
        elif download is not None and download.state is state.WAITING:
            reason = " ".join((spoken(download.reason), self.tr("It goes on by itself when that is over.")))
        self._reason.setText(reason)
        self._reason.setVisible(bool(reason))

    def _go(self) -> None:
        download, state = self.download, inference.hub.DownloadState
        if download is None:
            return
        match download.state:
            case state.DONE:
                self.use_wanted.emit(download.path, None)
            case state.PAUSED | state.FAILED:
                self._downloads.resume(download.id)
            case _:
                self._downloads.pause(download.id)

    def _remove(self) -> None:
        if (download := self.download) is not None and (aside := self._downloads.put_aside(download.id)) is not None:
            self.put_aside.emit(aside)

    def _set_waiting(self) -> None:
        self._settings.save(replace(self._settings.current, downloads_wait=self.waits.isChecked()))

    def _show_waiting(self, _before: Settings, after: Settings) -> None:
        self.waits.setChecked(after.downloads_wait)

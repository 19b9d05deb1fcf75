"""What one can do while reading, as actions with shortcuts for the window's menus: find, zoom, copy as Markdown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from desktop.settings import SettingsFile
from desktop.widgets.actions import make_action
from desktop.widgets.conversation_page import ConversationPage

_KEY = QKeySequence.StandardKey


class ReadingActions(QObject):
    """They act on the transcript of a page, where there is one. How large it was set is kept in the settings."""

    conversation_wanted = Signal()  # something is looked for in it: what stands in its place is to go

    def __init__(self, window: QWidget, page: ConversationPage, settings: SettingsFile) -> None:
        super().__init__(window)
        self._window = window
        self._page = page
        self._settings = settings
        tr = self.tr
        self.find = self._action(tr("&Find in this conversation…"), self._find, _KEY.Find)
        self.find_next = self._action(tr("Find ne&xt"), self._find_next, "F3", _KEY.FindNext)
        self.find_previous = self._action(tr("Find pre&vious"), self._find_previous, "Shift+F3", _KEY.FindPrevious)
        self.copy_as_markdown = self._action(tr("Copy as &Markdown"), self._copy_as_markdown, "Ctrl+Shift+C")
        self.zoom_in = self._action(tr("Zoom &in"), self._zoom_in, _KEY.ZoomIn, "Ctrl+=", "Ctrl++")
        self.zoom_out = self._action(tr("Zoom &out"), self._zoom_out, _KEY.ZoomOut)
        self.usual_size = self._action(tr("Usual si&ze"), self._set_usual_size, "Ctrl+0")
        page.transcript_made.connect(self._on_transcript_made)

    def fill_edit_menu(self, menu: QMenu) -> None:
        menu.addAction(self.copy_as_markdown)
        menu.addSeparator()
        menu.addActions([self.find, self.find_next, self.find_previous])
        menu.aboutToShow.connect(self._offer)
        menu.aboutToHide.connect(self._offer_all)

    def fill_view_menu(self, menu: QMenu) -> None:
        menu.addActions([self.zoom_in, self.zoom_out, self.usual_size])
        menu.addSeparator()

    def _action(self, text: str, slot: Callable[[], None], *keys: QKeySequence.StandardKey | str) -> QAction:
        """With every key that the platform has for it."""
        shortcuts: dict[str, QKeySequence] = {}
        for key in keys:
            found = [QKeySequence(key)] if isinstance(key, str) else QKeySequence.keyBindings(key)
            shortcuts |= {shortcut.toString(): shortcut for shortcut in found}
        return make_action(self._window, text, slot, *shortcuts.values())

    def _find(self) -> None:
        if self._page.shows_transcript:
            self.conversation_wanted.emit()
            self._page.transcript.finding.begin()

    def _find_next(self) -> None:
        if self._page.shows_transcript:
            self.conversation_wanted.emit()
            self._page.transcript.finding.go_on(1)

    def _find_previous(self) -> None:
        if self._page.shows_transcript:
            self.conversation_wanted.emit()
            self._page.transcript.finding.go_on(-1)

    def _copy_as_markdown(self) -> None:
        if self._page.shows_transcript:
            self._page.transcript.copy_as_markdown()

    def _zoom_in(self) -> None:
        self._page.transcript.zoom_by(1)

    def _zoom_out(self) -> None:
        self._page.transcript.zoom_by(-1)

    def _set_usual_size(self) -> None:
        self._page.transcript.set_zoom(1)

    def _on_transcript_made(self) -> None:
        self._page.transcript.set_zoom(self._settings.current.zoom / 100)
        self._page.transcript.zoom_changed.connect(self._keep_zoom)

    def _keep_zoom(self, factor: float) -> None:
        per_cent = round(100 * factor)
        if per_cent != self._settings.current.zoom:
            self._settings.save(replace(self._settings.current, zoom=per_cent))

    def _offer(self) -> None:
        """In the menu stands what can be done now."""
        shown = self._page.shows_transcript
        for action in (self.find, self.find_next, self.find_previous):
            action.setEnabled(shown)
        self.copy_as_markdown.setEnabled(shown and bool(self._page.transcript.selected_text()))

    def _offer_all(self) -> None:
        """A shortcut finds out by itself."""
        for action in (self.find, self.find_next, self.find_previous, self.copy_as_markdown):
            action.setEnabled(True)

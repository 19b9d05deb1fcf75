"""Models, found, fetched and fitted: those here, some to begin with, the Hub, and what is on its way."""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QKeySequence, QPainter, QPaintEvent, QPalette, QResizeEvent, QShortcut
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from desktop.settings import SettingsFile
from desktop.supply import Supply
from desktop.theme import Theme, scroll_bar_style
from desktop.widgets.buttons import Button, ButtonKind
from desktop.widgets.catalogue_page import CataloguePage
from desktop.widgets.download_page import DownloadPage
from desktop.widgets.flow import Flow
from desktop.widgets.form import heading_font, label
from desktop.widgets.hub_page import HubPage
from desktop.widgets.painting import fill, recolour
from desktop.widgets.repo_page import RepoPage
from desktop.widgets.shelf_page import FolderChooser, ShelfPage

if TYPE_CHECKING:
    from inference.hub import Download, HubLink

_WIDEST = 1100
_SIDES = 16


class Section(StrEnum):
    """What is shown of it."""

    HERE = "here"
    RECOMMENDED = "recommended"
    SEARCH = "search"
    DOWNLOADS = "downloads"


class ModelBrowser(QWidget):
    """A view of the window, with four sections."""

    closed = Signal()
    use_wanted = Signal(object, object)  # path, tokens of its window or None
    thrown_away = Signal(object)  # Thrown
    put_aside = Signal(object)  # Download
    said = Signal(str)
    link_activated = Signal(str)

    def __init__(self, theme: Theme, supply: Supply, settings: SettingsFile, choose_folder: FolderChooser) -> None:
        super().__init__()
        self._theme = theme
        self._supply = supply
        self._title = label(self.tr("Models"), heading_font(1.6))
        self.close_button = Button(theme, name=self.tr("Close the models (Esc)"), icon_name="close")
        self.here = ShelfPage(theme, supply.shelf, supply.sizing, settings, choose_folder)
        self.recommended = CataloguePage(theme, supply.hub, supply.downloads, supply.shelf, supply.sizing)
        repo_page = RepoPage(theme, supply.downloads, supply.shelf, supply.sizing)
        self.search = HubPage(theme, supply.hub, repo_page)
        self.downloads = DownloadPage(theme, supply.downloads, settings)
        names = {
            Section.HERE: self.tr("Here"),
            Section.RECOMMENDED: self.tr("Recommended"),
            Section.SEARCH: self.tr("Search"),
            Section.DOWNLOADS: self.tr("Downloads"),
        }
        self.tabs = {section: _Tab(theme, name) for section, name in names.items()}
        self._room = _room_that_scrolls()
        self._lay_out()
        self._connect()
        self.setAccessibleName(self.tr("Models"))
        self.setAutoFillBackground(True)
        self.set_theme(theme)
        self.show_section(Section.HERE)

    @property
    def section(self) -> Section:
        return tuple(Section)[self._pages.currentIndex()]

    def look(self) -> None:
        """Find out anew what there is: to be called whenever this is opened."""
        self._supply.look()
        self._show(self.section)

    def show_section(self, section: Section) -> None:
        """Show this one; where the keyboard was in another, it goes along."""
        focused = QApplication.focusWidget()
        goes_along = focused is not None and self._pages.isAncestorOf(focused) and section is not self.section
        self._pages.setCurrentIndex(tuple(Section).index(section))
        for each, tab in self.tabs.items():
            tab.setChecked(each is section)
        self._show(section)
        if goes_along:
            self._focus(section)

    def open_repo(self, link: HubLink) -> None:
        """Show a repository of the Hub."""
        self.show_section(Section.SEARCH)
        self.search.open(link)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        recolour(self, QPalette.ColorRole.Window, theme.surface)
        self._room.verticalScrollBar().setStyleSheet(scroll_bar_style(theme))
        recolour(self._title, QPalette.ColorRole.WindowText, theme.text)
        for button in (self.close_button, *self.tabs.values()):
            button.set_theme(theme)
        for page in (self.here, self.recommended, self.search, self.downloads):
            page.set_theme(theme)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        for button in self.findChildren(Button):
            button.break_words_at(self.width() - 2 * _SIDES)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.addWidget(self._title, 1)
        head.addWidget(self.close_button, 0, Qt.AlignmentFlag.AlignTop)
        tabs = Flow()
        tabs.setSpacing(4)
        for tab in self.tabs.values():
            tabs.addWidget(tab)
        self._pages = QStackedWidget()
        for page in (self.here, self.recommended, self.search, self.downloads):
            self._pages.addWidget(page)
        inner = QWidget()
        inner.setMaximumWidth(_WIDEST)
        column = QVBoxLayout(inner)
        column.setContentsMargins(_SIDES, 12, _SIDES, 16)
        column.setSpacing(8)
        column.addLayout(head)
        column.addLayout(tabs)
        column.addWidget(self._pages, 1)
        self._room.setWidget(_in_the_middle(inner))
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self._room)
        self.begins_at: QWidget = self.here.list

    def _connect(self) -> None:
        self.close_button.clicked.connect(self.closed)
        for number, section in enumerate(Section, 1):
            # Ctrl+Tab walks through conversations. A shortcut, since a field would take the key for a digit.
            shortcut = QShortcut(QKeySequence(f"Alt+{number}"), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(partial(self.show_section, section))
        for section, tab in self.tabs.items():
            tab.clicked.connect(lambda _=False, section=section: self.show_section(section))
        for page in (self.here, self.recommended, self.search.repo_page, self.downloads):
            page.use_wanted.connect(self._use)
        self.here.thrown_away.connect(self.thrown_away)
        self.here.said.connect(self.said)
        self.downloads.put_aside.connect(self.put_aside)
        self.recommended.page_wanted.connect(self.open_repo)
        self.recommended.begun.connect(self._show_begun)
        self.search.repo_page.begun.connect(self._show_begun)
        self.search.repo_page.link_activated.connect(self.link_activated)
        self._supply.downloads.failed.connect(self.said)
        self._supply.downloads.finished.connect(self._on_finished)

    def _show(self, section: Section) -> None:
        match section:
            case Section.HERE:
                self.here.refresh()
            case Section.RECOMMENDED:
                self.recommended.look()
            case Section.SEARCH:
                self.search.look()
            case Section.DOWNLOADS:
                self.downloads.refresh()

    def _focus(self, section: Section) -> None:
        first: dict[Section, QWidget] = {
            Section.HERE: self.here.list,
            Section.RECOMMENDED: self.recommended.list,
            Section.SEARCH: self.search.repo_page.list if self.search.shows_repo else self.search.field,
            Section.DOWNLOADS: self.downloads.list,
        }
        wanted = first[section]
        (wanted if wanted.isEnabled() else self.tabs[section]).setFocus()

    def _use(self, path: Path, context_size: int | None) -> None:
        """Use this model; of one that is known to be none to chat with, say why not, and stay."""
        model, refusal = self._supply.shelf.of_path(path), self._supply.shelf.refusal(path)
        if model is not None and refusal:
            self.said.emit(refusal if model.path.name in refusal else f"{model.name}: {refusal}")
        else:
            self.use_wanted.emit(path, context_size)

    def _show_begun(self, download_id: str) -> None:
        self.downloads.expect(download_id)
        self.show_section(Section.DOWNLOADS)

    def _on_finished(self, download: Download) -> None:
        if not self.downloads.isVisible():  # else somebody may be about to press a button for another
            self.downloads.list.select(download.id)


def _room_that_scrolls() -> QScrollArea:
    """For what is as high as its room; in a large font a small window has less than that needs."""
    room = QScrollArea()
    room.setFrameShape(QFrame.Shape.NoFrame)
    room.setWidgetResizable(True)
    room.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    room.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the keyboard stops at what is on it
    return room


def _in_the_middle(inner: QWidget) -> QWidget:
    row = QHBoxLayout(whole := QWidget())
    row.setContentsMargins(0, 0, 0, 0)
    row.addStretch(1)
    row.addWidget(inner, 1000)
    row.addStretch(1)
    return whole


class _Tab(Button):
    """The name of a section; a line below it where it is shown."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__(theme, text=name, kind=ButtonKind.QUIET)
        self.setCheckable(True)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.isChecked():
            painter = QPainter(self)
            fill(painter, QRect(8, self.height() - 2, self.width() - 16, 2), self._theme.accent)
            painter.end()

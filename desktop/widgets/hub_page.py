"""The Hub, searched: words or an address in, repositories out, one of them opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QLineEdit, QStackedWidget, QWidget

import inference
from desktop.hub_desk import Found, HubDesk, Opened, Refusal
from desktop.theme import Theme, figure_font
from desktop.widgets.buttons import Button, ButtonKind
from desktop.widgets.cards import CardList
from desktop.widgets.fields import Choice
from desktop.widgets.form import column_in, label, row_of
from desktop.widgets.line_field import LineField
from desktop.widgets.model_words import card_of_repo
from desktop.widgets.painting import recolour
from desktop.widgets.repo_page import RepoPage

if TYPE_CHECKING:
    from inference.hub import HubLink

_TYPING_MILLISECONDS = 450  # after the last key: what is being typed is not asked for letter by letter


class HubPage(QWidget):
    """A field, what was found, and the repository that is open."""

    def __init__(self, theme: Theme, hub: HubDesk, repo_page: RepoPage) -> None:
        super().__init__()
        self._theme = theme
        self._hub = hub
        self._found: Found | None = None
        self._is_typing = False  # what is asked for may be half a name yet
        self._wanted: HubLink | None = None  # what was refused, to be tried again with a token
        self.field = LineField(theme, self.tr("Search the Hub"), self.tr("Words, a name or an address"))
        self.order = Choice(theme, self.tr("Sorted by"))
        self._status = label("", figure_font())
        self.token_field = LineField(theme, self.tr("Access token"), self.tr("hf_…"))
        self.token_field.setEchoMode(QLineEdit.EchoMode.Password)
        self.token_button = Button(theme, text=self.tr("Use this token"), kind=ButtonKind.OUTLINED)
        self.again_button = Button(theme, text=self.tr("Try again"), kind=ButtonKind.OUTLINED)
        self.list = CardList(theme, self.tr("Repositories that were found"))
        self.repo_page = repo_page
        self._lay_out()
        self._connect()
        self._show_refusal(None)
        self.set_theme(theme)

    @property
    def status(self) -> str:
        return self._status.text()

    @property
    def shows_repo(self) -> bool:
        return self._pages.currentIndex() == 1

    def look(self) -> None:
        """Show what can be done now; the first time, what is fetched most."""
        offline = self._hub.offline()
        for widget in (self.field, self.order, self.list):
            widget.setEnabled(not offline)
        if offline:
            self._say(self.tr("Offline: {reason} What is on this disk works.").format(reason=offline))
        elif self.shows_repo:
            self.repo_page.refresh()
        elif self._found is None and not self._hub.is_searching and not self.shows_repo:
            self._search()

    def open(self, link: HubLink) -> None:
        """Show this repository."""
        self._wanted = link
        self._show_refusal(None)
        self._say(self.tr("Asking for {repo}").format(repo=link.repo))
        self._hub.open(link)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for widget in (self.field, self.order, self.token_field, self.token_button, self.again_button, self.list):
            widget.set_theme(theme)
        self.repo_page.set_theme(theme)
        recolour(self._status, QPalette.ColorRole.WindowText, theme.muted)

    def _lay_out(self) -> None:
        orders = inference.hub.HubOrder
        self.order.offer(
            (
                (self.tr("Most downloads"), orders.DOWNLOADS),
                (self.tr("Most likes"), orders.LIKES),
                (self.tr("Newest"), orders.RECENT),
            )
        )
        self._pages = QStackedWidget()
        self._pages.addWidget(self.list)
        self._pages.addWidget(self.repo_page)
        column = column_in(self)
        column.addLayout(row_of(self.field, self.order, wide=self.field))
        column.addLayout(row_of(self._status, self.again_button, wide=self._status))
        column.addLayout(row_of(self.token_field, self.token_button, wide=self.token_field))
        column.addWidget(self._pages, 1)

    def _connect(self) -> None:
        self._pause = QTimer(self, singleShot=True, interval=_TYPING_MILLISECONDS)
        self._pause.timeout.connect(self._go)
        self.field.textChanged.connect(self._pause.start)
        self.field.returnPressed.connect(self._enter)
        self.order.picked.connect(self._search)
        self.list.chosen.connect(self._open_found)
        self.list.current_changed.connect(self._describe)
        self.repo_page.back.connect(self._back)
        self.token_button.clicked.connect(self._use_token)
        self.token_field.returnPressed.connect(self._use_token)
        self.again_button.clicked.connect(self._again)
        self._hub.found.connect(self._on_found)
        self._hub.opened.connect(self._on_opened)
        self._hub.search_refused.connect(self._show_refusal)
        self._hub.open_refused.connect(self._show_refusal)

    def _enter(self) -> None:
        """Whoever is done typing wants to go on in what was found."""
        self._go()
        self._is_typing = False

    def _go(self) -> None:
        """Open what is named, or search for it."""
        self._pause.stop()
        self._is_typing = True
        text = self.field.text().strip()
        link = self._hub.link_in(text)
        if link is not None:
            self.open(link)
        else:
            self._search()

    def _search(self) -> None:
        self._search_for(self.field.text().strip())

    def _search_for(self, words: str) -> None:
        order = self.order.value
        if self._hub.offline() or not isinstance(order, inference.hub.HubOrder):
            return
        self._wanted = None
        self._show_refusal(None)
        self._pages.setCurrentIndex(0)
        self._say(self.tr("Searching"))
        self._hub.search(words, order)

    def _on_found(self, found: Found) -> None:
        self._found = found
        self.list.show_cards([card_of_repo(repo) for repo in found.repos])
        words = self.tr("Enter opens one. Only repositories with GGUF files are listed.")
        if not found.repos:
            words = self.tr("Nothing was found for “{words}”.").format(words=found.words)
        self._say(words)

    def _on_opened(self, opened: Opened) -> None:
        self._show_refusal(None)
        self._say_of_gate(opened)
        self.repo_page.show_repo(opened)
        self._pages.setCurrentIndex(1)
        if not (self._is_typing and self.field.hasFocus()):
            self.repo_page.list.setFocus()

    def _say_of_gate(self, opened: Opened) -> None:
        """Files of a gated repository are listed for everybody, and fetched by those who were let in."""
        if not opened.repo.gated:
            self._say("")
            return
        words = self.tr(
            "{repo} is gated: accept its terms on its page, then use an access token of the account that did. "
            "It is kept where other keys are, and sent to the Hub only."
        )
        self._say(words.format(repo=opened.repo.id))
        for widget in (self.token_field, self.token_button):
            widget.show()

    def _back(self) -> None:
        self._pages.setCurrentIndex(0)
        self._show_refusal(None)
        words = self.field.text().strip()
        is_link = self._hub.link_in(words) is not None
        if self._found is not None and (is_link or self._found.words == words):
            self._on_found(self._found)
        else:
            self._search_for("" if is_link else words)
        self.list.setFocus()

    def _open_found(self, key: str) -> None:
        self.open(inference.hub.HubLink(key))

    def _describe(self) -> None:
        self.list.setAccessibleDescription(self._status.text())

    def _show_refusal(self, refusal: Refusal | None) -> None:
        wants_token = refusal is not None and refusal.wants_token
        self.token_field.setVisible(wants_token)
        self.token_button.setVisible(wants_token)
        self.again_button.setVisible(refusal is not None and not wants_token)
        ink = self._theme.muted if refusal is None else self._theme.error
        recolour(self._status, QPalette.ColorRole.WindowText, ink)
        if refusal is not None:
            kept = self.tr("A token is kept where other keys are, and sent to the Hub only.")
            self._say(f"{refusal.sentence} {kept}" if wants_token else refusal.sentence)

    def _use_token(self) -> None:
        token = self.token_field.text().strip()
        if token:
            self.token_field.clear()
            self._hub.use_token(token)
            self._again()

    def _again(self) -> None:
        if self._wanted is not None:
            self.open(self._wanted)
        else:
            self._search()

    def _say(self, words: str) -> None:
        self._status.setText(words)
        self._status.setVisible(bool(words))

"""The Hub as the window asks it: a search, a repository with its files and its page, what is left of the catalogue."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

import inference
from desktop.errands import Errand, Errands, Post
from desktop.hub_door import HubDoor
from desktop.spoken import spoken
from inference import HubError, HubOffline, HubUnreachable, InferenceError, TokenWanted

if TYPE_CHECKING:
    from inference.hub import Catalogue, CatalogueEntry, HubLink, HubModel, HubOrder, HubRepo, Offer

_SEARCH, _OPEN, _CATALOGUE = "hub-search", "hub-repository", "hub-catalogue"
_LIMIT = 40


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found."""

    words: str
    repos: tuple[HubRepo, ...]


@dataclass(frozen=True, slots=True)
class Opened:
    """A repository: its models, what its page says and where that is. `wanted` is the model that a link named."""

    repo: HubRepo
    models: tuple[HubModel, ...]
    page: str
    address: str
    wanted: HubModel | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why the Hub gave no answer. With `wants_token` a token may help, of one who was let in where it `is_gated`;
    `is_offline` where nothing can be asked at all."""

    sentence: str
    wants_token: bool = False
    is_gated: bool = False
    is_offline: bool = False


class HubDesk(QObject):
    """Asks in the background; of each kind of question only the last counts."""

    found = Signal(object)  # Found
    opened = Signal(object)  # Opened
    offered = Signal(object, object)  # CatalogueEntry, Offer or None where it is gone
    catalogue_checked = Signal()
    search_refused = Signal(object)  # Refusal
    open_refused = Signal(object)  # Refusal
    catalogue_refused = Signal(object)  # Refusal

    def __init__(self, post: Callable[[Post], None], door: HubDoor, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._door = door
        self._errands = Errands(post)
        self._catalogue: Catalogue | None = None
        self.offers: dict[str, Offer | None] = {}  # of what was asked so far, by the name of the entry

    @property
    def catalogue(self) -> Catalogue:
        """Well-known models to begin with."""
        if self._catalogue is None:
            self._catalogue = inference.hub.read_catalogue()
        return self._catalogue

    @property
    def is_searching(self) -> bool:
        return self._errands.is_out(_SEARCH)

    def offline(self) -> str:
        """Why nothing may be asked; "" where it may."""
        return spoken(self._door.offline())

    def link_in(self, text: str) -> HubLink | None:
        """The repository or file that a text names; `None` where it is words to search for."""
        return inference.hub.read_link(text, self._door.endpoint)

    def search(self, words: str, order: HubOrder) -> None:
        """Ends with `found` or `search_refused`. Whoever searches no longer waits for a repository."""
        self._errands.forget(_OPEN)
        work = partial(_search, self._door, words, order)
        self._errands.send(_SEARCH, work, self.found.emit, self._refusing(self.search_refused.emit))

    def open(self, link: HubLink) -> None:
        """Ends with `opened` or `open_refused`. Whoever opens a repository no longer waits for a search."""
        self._errands.forget(_SEARCH)
        work = partial(_look_into, self._door, link)
        self._errands.send(_OPEN, work, self.opened.emit, self._refusing(self.open_refused.emit))

    def check_catalogue(self) -> None:
        """Ask the repository of each entry; ends with `catalogue_checked` or `catalogue_refused`."""
        if self._errands.is_out(_CATALOGUE):
            return
        waiting = tuple(entry for entry in self.catalogue.entries if entry.name not in self.offers)
        work, refused = partial(_ask_for, self._door, waiting), self._refusing(self.catalogue_refused.emit)
        self._errands.send(_CATALOGUE, work, self._say_that_it_was_checked, refused, self._take_offer)

    def close(self) -> None:
        """Take no answers any more."""
        self._errands.close()

    def use_token(self, token: str) -> None:
        """Ask with this token from now on."""
        self._door.use_token(token)

    def _take_offer(self, told: tuple[CatalogueEntry, Offer | None]) -> None:
        entry, offer = told
        self.offers[entry.name] = offer
        self.offered.emit(entry, offer)

    def _say_that_it_was_checked(self, _nothing: None) -> None:
        self.catalogue_checked.emit()

    def _refusing(self, say: Callable[[Refusal], None]) -> Callable[[InferenceError], None]:
        return lambda error: say(refusal_of(error))


def refusal_of(error: InferenceError) -> Refusal:
    """What an error of the Hub's means for whoever asked."""
    return Refusal(
        spoken(error),
        wants_token=isinstance(error, TokenWanted | inference.GateClosed | inference.NotOnHub),
        is_gated=isinstance(error, inference.GateClosed),
        is_offline=isinstance(error, HubOffline | HubUnreachable),
    )


# On threads of their own


def _search(door: HubDoor, words: str, order: HubOrder, _errand: Errand) -> Found:
    return Found(words, inference.hub.Hub(door.session()).search(words, order, _LIMIT))


def _look_into(door: HubDoor, link: HubLink, _errand: Errand) -> Opened:
    session = door.session()
    try:
        hub = inference.hub.Hub(session)
        repo = hub.repo(link.repo)
        models = hub.models(repo)
        address = session.access.page_of(repo.id)
        return Opened(repo, models, _page(hub, repo), address, _wanted(models, link))
    finally:
        session.hang_up()


def _ask_for(door: HubDoor, entries: tuple[CatalogueEntry, ...], errand: Errand) -> None:
    hub = inference.hub.Hub(door.session())
    for entry in entries:
        if errand.is_wanted:
            errand.tell((entry, inference.hub.offered(entry, hub)))


def _page(hub: inference.hub.Hub, repo: HubRepo) -> str:
    """A page that cannot be had is no reason to show no files."""
    try:
        return hub.page(repo)
    except HubError:
        return ""


def _wanted(models: tuple[HubModel, ...], link: HubLink) -> HubModel | None:
    for model in models:
        if link.file and link.file in (file.path for file in model.files):
            return model
        if link.quantisation and model.quantisation == link.quantisation:
            return model
    return None

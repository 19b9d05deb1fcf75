"""A few well-known models to begin with, from `resources/catalogue.toml`, and whether the Hub still has them."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from inference.errors import InvalidRequest
from inference.hub.files import HubFile, HubModel, nearest, quantisation_of
from inference.hub.repo import HubRepo
from inference.hub_errors import NotOnHub
from resources import text_of

if TYPE_CHECKING:
    from inference.hub.hub import Hub


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """A model to begin with. `size` is in bytes, rounded as its page rounds it; `languages` is a language or how many,
    "" where its page says nothing; of a mixture only some weights are read for each token. `source` is where all this
    was read."""

    name: str
    repo: str
    file: str
    size: int
    licence: str
    languages: str
    good_for: str
    source: str
    is_mixture: bool = False

    @property
    def quantisation(self) -> str:
        return quantisation_of(self.file.removesuffix(".gguf"))

    @property
    def model(self) -> HubModel:
        """As it was when it was read; the Hub is asked before it is fetched."""
        return HubModel(self.file.removesuffix(".gguf"), self.quantisation, (HubFile(self.file, self.size),))


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The entries from small to large, and the day they were read."""

    entries: tuple[CatalogueEntry, ...]
    read_on: date


@dataclass(frozen=True, slots=True)
class Offer:
    """An entry as the Hub has it now: the same file, or the nearest quantisation."""

    entry: CatalogueEntry
    repo: HubRepo
    model: HubModel

    @property
    def is_same_file(self) -> bool:
        return self.model.path == self.entry.file


def read_catalogue(text: str | None = None) -> Catalogue:
    """The catalogue that comes with the program, or the one in `text`."""
    content = tomllib.loads(text if text is not None else text_of("", "catalogue.toml"))
    return Catalogue(tuple(CatalogueEntry(**row) for row in content["models"]), content["read_on"])


def offered(entry: CatalogueEntry, hub: Hub) -> Offer | None:
    """What the Hub has of an entry now; `None` where it is gone, or nobody may have it.

    Raises:
        HubError: it cannot be asked.
    """
    try:
        repo = hub.repo(entry.repo)
        model = nearest(hub.models(repo), entry.file)
    except (NotOnHub, InvalidRequest):
        return None
    return None if model is None else Offer(entry, repo, model)


def here(entry: CatalogueEntry, folder: Path) -> Path:
    """Where the file of an entry lies once it was fetched into this folder for models."""
    return folder.joinpath(*entry.repo.split("/"), *entry.file.split("/"))

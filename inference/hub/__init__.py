"""The Hugging Face Hub: what it has, and downloads that survive anything; the only importer of huggingface_hub.

A face of its own, light like the engine's: each name is loaded when it is first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inference.hub.access import HubSession
    from inference.hub.address import HUB, NO_PROXY, HubAccess
    from inference.hub.catalogue import Catalogue, CatalogueEntry, Offer, offered, read_catalogue
    from inference.hub.downloads import LIST_NAME, Download, Downloads, DownloadState
    from inference.hub.fetch import FetchStopped
    from inference.hub.files import HubFile, HubModel
    from inference.hub.hub import Hub
    from inference.hub.links import HubLink, read_link
    from inference.hub.repo import HubOrder, HubRepo
    from inference.hub.verification import Verdict, VerdictKind, verify

_PLACES = {
    "access": ("HubSession",),
    "address": ("HUB", "NO_PROXY", "HubAccess"),
    "catalogue": ("Catalogue", "CatalogueEntry", "Offer", "offered", "read_catalogue"),
    "downloads": ("LIST_NAME", "Download", "Downloads", "DownloadState"),
    "fetch": ("FetchStopped",),
    "files": ("HubFile", "HubModel"),
    "hub": ("Hub",),
    "repo": ("HubOrder", "HubRepo"),
    "links": ("HubLink", "read_link"),
    "verification": ("Verdict", "VerdictKind", "verify"),
}
_LATER = {name: place for place, names in _PLACES.items() for name in names}

__all__ = [
    "HUB",
    "LIST_NAME",
    "NO_PROXY",
    "Catalogue",
    "CatalogueEntry",
    "Download",
    "DownloadState",
    "Downloads",
    "FetchStopped",
    "Hub",
    "HubAccess",
    "HubFile",
    "HubLink",
    "HubModel",
    "HubOrder",
    "HubRepo",
    "HubSession",
    "Offer",
    "Verdict",
    "VerdictKind",
    "offered",
    "read_catalogue",
    "read_link",
    "verify",
]


if not TYPE_CHECKING:  # a type checker knows the names from above

    def __getattr__(name: str) -> object:
        if name not in _LATER:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
        return value

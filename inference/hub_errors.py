"""What can go wrong with the Hugging Face Hub, or a download. No token is ever a part of it.

HubError                   any of them; `what` is the repository or the file
├── HubOffline             nothing may be fetched now
├── HubUnreachable         no connection came about or lasted
├── HubBusy                429: later, and when
├── HubBroke               5xx, or an answer that is none
├── NotOnHub               404: no such repository or file
├── TokenWanted            401: it wants a token, or another one
├── GateClosed             403: its makers want to be asked first
├── DownloadDamaged        what came is not what the Hub says the file is
├── DownloadChanged        the file on the Hub became another one meanwhile
├── DownloadElsewhere      another window or program fetches it already
├── DiskTooSmall           the disk has no room for it
└── FolderRefused          the folder for models cannot be written to, or went away
"""

from __future__ import annotations

from pathlib import Path

from inference.errors import InferenceError, later_in_words
from inference.sentences import Sentence, capital, size_text

SEARCH = Sentence("this search")  # as a search on the Hub is called in sentences


class HubError(InferenceError):
    """Something about the Hub, or about a download from it; `what` names the repository or the file."""

    def __init__(self, what: str, *facts: object) -> None:
        super().__init__(what, *facts)
        self.what = what


class HubOffline(HubError):
    """Nothing may be fetched; `reason` says who wants it so."""

    def __init__(self, what: str, reason: str) -> None:
        super().__init__(what, reason)
        self.reason = reason

    def __str__(self) -> str:
        return Sentence("{what} was not asked for: {reason}", what=_begun(self.what), reason=self.reason)


class HubUnreachable(HubError):
    """No connection came about, or it broke off; `reason` is the system's word for it."""

    def __init__(self, what: str, reason: str) -> None:
        super().__init__(what, reason)
        self.reason = reason

    def __str__(self) -> str:
        return Sentence(
            "The Hub cannot be reached for {what}: {reason}. Check the network, and try again.",
            what=self.what,
            reason=self.reason,
        )


class HubBusy(HubError):
    """It has been asked too often; `retry_after` is in seconds, where it says."""

    def __init__(self, what: str, retry_after: float | None = None) -> None:
        super().__init__(what, retry_after)
        self.retry_after = retry_after

    def __str__(self) -> str:
        return Sentence(
            "The Hub has been asked too often for now. Try {what} again {when}.",
            what=self.what,
            when=later_in_words(self.retry_after),
        )


class HubBroke(HubError):
    """It failed, or answered what makes no sense; `reason` says how."""

    def __init__(self, what: str, reason: str) -> None:
        super().__init__(what, reason)
        self.reason = reason

    def __str__(self) -> str:
        return Sentence("The Hub failed over {what}: {reason}. Try again later.", what=self.what, reason=self.reason)


class NotOnHub(HubError):
    """There is no such repository or file, or it is hidden from whoever has no token for it."""

    def __str__(self) -> str:
        return Sentence(
            "{what} is not on the Hub. Check its name; a private one needs a token.", what=_begun(self.what)
        )


class TokenWanted(HubError):
    """It is shown to known people only; where a token was sent, that is refused."""

    def __init__(self, what: str, was_sent: bool = False) -> None:  # noqa: FBT001, FBT002 - unpickled by position
        super().__init__(what, was_sent)
        self.was_sent = was_sent

    def __str__(self) -> str:
        if self.was_sent:
            return Sentence(
                "The Hub does not accept the access token it was sent for {what}. Make another, under Settings.",
                what=self.what,
            )
        return Sentence(
            "{what} needs an access token of the Hub. Make one there, under Settings, and enter it here.",
            what=_begun(self.what),
        )


class GateClosed(HubError):
    """Its makers want to be asked first; `page` is where."""

    def __init__(self, what: str, page: str) -> None:
        super().__init__(what, page)
        self.page = page

    def __str__(self) -> str:
        return Sentence(
            "{what} is gated: accept its terms at {page}, then use a token of the account that did.",
            what=_begun(self.what),
            page=self.page,
        )


class DownloadDamaged(HubError):
    """What came is not what the Hub says the file is; it was thrown away."""

    def __str__(self) -> str:
        return Sentence(
            "{what} came damaged: its checksum is not the one the Hub gives. Download it again.",
            what=_begun(self.what),
        )


class DownloadChanged(HubError):
    """The file on the Hub is another one than the part that is here."""

    def __str__(self) -> str:
        return Sentence("{what} was replaced on the Hub since its download began. Download it again.", what=self.what)


class DownloadElsewhere(HubError):
    """Another window or program fetches it."""

    def __str__(self) -> str:
        return Sentence("{what} is being downloaded by another window already. Wait for it there.", what=self.what)


class DiskTooSmall(HubError):
    """There is no room; `needed` and `free` are in bytes, `folder` is where it was to go."""

    def __init__(self, what: str, folder: Path, needed: int, free: int) -> None:
        super().__init__(what, folder, needed, free)
        self.folder = folder
        self.needed = needed
        self.free = free

    def __str__(self) -> str:
        needed, free = size_text(self.needed), size_text(self.free)
        return Sentence(
            "{what} needs {needed} more; the disk of {folder} has {free} free. Make room there: what was fetched is"
            " kept.",
            what=self.what,
            needed=needed,
            folder=self.folder,
            free=free,
        )


class FolderRefused(HubError):
    """The folder cannot be written to; `reason` is the system's word for it."""

    def __init__(self, what: str, folder: Path, reason: str) -> None:
        super().__init__(what, folder, reason)
        self.folder = folder
        self.reason = reason

    def __str__(self) -> str:
        return Sentence(
            "{what} cannot be written to {folder}: {reason}. Check that folder, or choose another.",
            what=self.what,
            folder=self.folder,
            reason=self.reason,
        )


def _begun(what: str) -> str:
    """What a sentence begins with: names of the Hub's, which hold a slash, keep their letters."""
    if "/" in what:
        return what
    return Sentence("{what:capital}", what=what) if isinstance(what, Sentence) else capital(what)

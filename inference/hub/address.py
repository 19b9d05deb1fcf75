"""Where the Hub is, and as whom it is asked: no more than that, so that a window may know it at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from inference.errors import InvalidRequest
from inference.sentences import Sentence

HUB = "https://huggingface.co"
NO_PROXY = "none"

_YES = ("1", "ON", "YES", "TRUE")


@dataclass(frozen=True, slots=True)
class HubAccess:
    """Where the Hub is, and as whom it is asked. The token is no part of what is printed.

    `proxy` is an address, "" for the system's own settings, or `NO_PROXY`. `offline` says why nothing may be fetched;
    "" where it may.
    """

    endpoint: str = HUB
    token: str = field(default="", repr=False)
    proxy: str = ""
    offline: str = ""

    def __post_init__(self) -> None:
        if not self.endpoint.startswith(("http://", "https://")):
            raise InvalidRequest(
                Sentence("The Hub's address begins with https://; got {endpoint!r}.", endpoint=self.endpoint)
            )

    @classmethod
    def from_environment(cls, environment: Mapping[str, str], *, token: str = "", proxy: str = "") -> HubAccess:
        """As the usual variables say: HF_ENDPOINT, HF_TOKEN, HF_HUB_OFFLINE. A token that is given goes first."""
        wants_offline = environment.get("HF_HUB_OFFLINE", "").upper() in _YES
        return cls(
            endpoint=(environment.get("HF_ENDPOINT", "").strip() or HUB).rstrip("/"),
            token=token or environment.get("HF_TOKEN", "").strip(),
            proxy=proxy,
            offline=Sentence("HF_HUB_OFFLINE is set.") if wants_offline else "",
        )

    def page_of(self, repo: str) -> str:
        """The address of a repository's page."""
        return f"{self.endpoint}/{repo}"

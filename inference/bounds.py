"""What an engine keeps to: the way to servers, and how much it may keep of conversations."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from inference.configuration import ProxyKind, is_proxy_address
from inference.errors import InvalidRequest
from inference.sentences import Sentence


@dataclass(frozen=True, slots=True)
class Proxy:
    """The way to servers on other computers; this computer's own are always reached without one.

    Raises:
        InvalidRequest: a manual one without an address, or with one that is none.
    """

    kind: ProxyKind = ProxyKind.SYSTEM
    address: str = ""  # of a manual one

    def __post_init__(self) -> None:
        if self.kind is ProxyKind.MANUAL and not is_proxy_address(self.address):
            raise InvalidRequest(Sentence("A proxy's address begins with http:// or https:// and holds no password."))


@dataclass(frozen=True, slots=True)
class StateBudget:
    """How much may be kept of conversations that were left: bytes in memory, and bytes in `folder` on disk. Without a
    folder, or with 0 bytes there, nothing is kept on disk."""

    memory: int = 512 << 20
    disk: int = 4 << 30
    folder: Path | None = None

"""What this machine can compute on, asked for in the background: a driver may take seconds to answer."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

import inference

Find = Callable[[], "tuple[inference.Device, ...]"]


@dataclass(frozen=True, slots=True)
class DevicesListed:
    """The devices, with the memory that was free when they were asked."""

    devices: tuple[inference.Device, ...]


def _here() -> tuple[inference.Device, ...]:
    return inference.list_devices()


class Devices:
    """Looks for them, on a thread of its own, and says what it found."""

    def __init__(self, said: Callable[[DevicesListed], None], find: Find = _here) -> None:
        self._said = said
        self._find = find

    def look(self) -> None:
        """Ends with `DevicesListed`. Nobody waits for it, at the end of the program either."""
        threading.Thread(target=self._look, name="devices", daemon=True).start()

    def _look(self) -> None:
        self._said(DevicesListed(self._find()))

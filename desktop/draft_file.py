"""A file that will go along with a prompt."""

from __future__ import annotations

from dataclasses import dataclass

from desktop.turns import Attachment


@dataclass(frozen=True, slots=True)
class DraftFile:
    """A file in a draft; without its `attachment` it is still being read. `key` is its own for as long as the program
    runs."""

    key: int
    name: str
    attachment: Attachment | None = None

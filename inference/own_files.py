"""Files that are their owner's alone, whatever the system would let others do with new ones."""

from __future__ import annotations

import os
from pathlib import Path


def make_own_folder(path: Path) -> None:
    """The folder, its owner's alone where it was not there before.

    Raises:
        OSError: it cannot be made.
    """
    path.mkdir(mode=0o700, parents=True, exist_ok=True)


def replace_own(path: Path, text: str, passing: Path | None = None, errors: str = "strict") -> None:
    """Write `text` beside `path`, as `passing`, and put it in its place: whoever reads finds the old file or the new.

    Raises:
        OSError: it cannot be written.
    """
    passing = passing or path.with_name(f"{path.name}.new")
    with open(passing, "w", encoding="utf-8", errors=errors, opener=open_own) as file:
        file.write(text)
    passing.replace(path)


def open_own(path: str | Path, flags: int) -> int:
    """Open a file for its owner alone, where it is made by this: what `open` takes for its `opener`."""
    return os.open(path, flags, 0o600)

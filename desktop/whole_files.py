"""Files that are there whole or not at all, whatever becomes of this process while they are written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Where to write what is to be at `path`, of the same suffix; it gets that name, in one step, in the end.

    Raises:
        OSError: it cannot, or nothing was written.
    """
    half_written = path.with_name(f".{path.stem}.part{path.suffix}")
    try:
        yield half_written
        half_written.replace(path)
    finally:
        with suppress(OSError):
            half_written.unlink(missing_ok=True)

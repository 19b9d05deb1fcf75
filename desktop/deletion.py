"""Deletes everything the program keeps of somebody. It knows files, not what is in them."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


def delete_files(files: Iterable[Path], folders: Iterable[Path]) -> tuple[Path, ...]:
    """Delete these folders whole, then these files in their order, each with all that was made beside it under its
    name, such as logs before the last one; then the folders that are empty now. Returns what could not be deleted.

    What is named last is there until all the rest is gone, however this ends.
    """
    files, folders = tuple(files), tuple(folders)
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
    for path in (beside for file in files for beside in _of_its_name(file)):
        with suppress(OSError):
            path.unlink()
    for home in {path.parent for path in (*files, *folders)}:
        with suppress(OSError):  # one with something else in it
            home.rmdir()
    left = (beside for file in files for beside in _of_its_name(file))
    return (*left, *(folder for folder in folders if folder.exists()))


def _of_its_name(file: Path) -> list[Path]:
    """Those whose names begin with that of the file, itself as the last one."""
    beside = (path for path in file.parent.glob("*") if path.name.startswith(file.name) and path.is_file())
    return sorted(beside, reverse=True)

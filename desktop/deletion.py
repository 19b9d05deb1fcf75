"""Deletes everything the program keeps of somebody. It knows files, not what is in them."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path


def delete_files(files: Iterable[Path], folders: Iterable[Path]) -> tuple[Path, ...]:
    """Delete these files with all that was made beside them under their names, such as backups and logs before the
    last one, and these folders whole; then the folders that are empty now. Returns what could not be deleted."""
    files, folders = tuple(files), tuple(folders)
    for path in (beside for file in files for beside in _of_its_name(file)):
        with suppress(OSError):
            path.unlink()
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
    for home in {path.parent for path in (*files, *folders)}:
        with suppress(OSError):  # one with something else in it
            home.rmdir()
    left = (beside for file in files for beside in _of_its_name(file))
    return (*left, *(folder for folder in folders if folder.exists()))


def _of_its_name(file: Path) -> Iterator[Path]:
    """The file, and those whose names begin with its own."""
    return (path for path in file.parent.glob("*") if path.name.startswith(file.name) and path.is_file())

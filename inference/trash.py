"""Model files that were thrown away: out of sight at once, and brought back for as long as somebody may want them."""

from __future__ import annotations

import shutil
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from inference.errors import InvalidRequest
from inference.gguf_header import files_of
from inference.hub_errors import FolderRefused
from inference.own_files import make_own_folder
from inference.sentences import Sentence
from inference.shelf import TRASH, ShelfModel

_KEPT_SECONDS = 3600.0  # where nobody emptied it: another window may still offer to bring it back


@dataclass(frozen=True, slots=True)
class Thrown:
    """A model that was thrown away: where each file was and where it is, and how many bytes they have."""

    name: str
    size: int
    moved: tuple[tuple[Path, Path], ...]
    place: Path


def throw_away(model: ShelfModel, folder: Path) -> Thrown:
    """Take a model's files out of `folder`, the one for models; the disk has no more room for it yet.

    Raises:
        InvalidRequest: it does not lie there: what other programs have fetched is theirs.
        FolderRefused: the files cannot be moved.
    """
    if not model.is_ours or not model.path.is_relative_to(folder):
        raise InvalidRequest(
            Sentence("{name} does not belong to Headwater, so it is not deleted from here.", name=model.name)
        )
    place = folder / TRASH / f"{int(time.time())}-{uuid4().hex[:8]}"
    files = files_of(model.path)
    moved = tuple((file, place / file.relative_to(folder)) for file in files)
    done: list[tuple[Path, Path]] = []
    try:
        for here, there in moved:
            make_own_folder(there.parent)
            here.replace(there)
            done.append((here, there))
    except OSError as error:
        for here, there in done:
            with suppress(OSError):
                there.replace(here)
        raise FolderRefused(model.name, folder, _reason(error)) from error
    _remove_empty(model.path.parent, folder)
    return Thrown(model.name, model.size, moved, place)


def bring_back(thrown: Thrown) -> None:
    """Put the files where they were.

    Raises:
        FolderRefused: they cannot be, or something else is there now.
    """
    try:
        for here, there in thrown.moved:
            if here.exists():
                raise FolderRefused(thrown.name, here.parent, Sentence("another file has its place now"))
            make_own_folder(here.parent)
            there.replace(here)
    except OSError as error:
        raise FolderRefused(thrown.name, thrown.moved[0][0].parent, _reason(error)) from error
    throw_out(thrown)


def throw_out(thrown: Thrown) -> None:
    """Delete the files for good."""
    shutil.rmtree(thrown.place, ignore_errors=True)
    with suppress(OSError):  # there is more in it
        thrown.place.parent.rmdir()


def empty_trash(folder: Path, seconds: float = _KEPT_SECONDS) -> None:
    """Delete for good what was thrown away so long ago."""
    with suppress(OSError):
        for place in (folder / TRASH).iterdir():
            when = place.name.partition("-")[0]
            # One of a moment still to come is from before the clock was set back.
            if when.isdigit() and abs(time.time() - int(when)) > seconds:
                shutil.rmtree(place, ignore_errors=True)
        (folder / TRASH).rmdir()


def _remove_empty(folder: Path, until: Path) -> None:
    while folder != until and folder.is_relative_to(until):
        try:
            folder.rmdir()
        except OSError:
            return
        folder = folder.parent


def _reason(error: OSError) -> str:
    words = error.strerror or type(error).__name__
    return words[:1].lower() + words[1:]

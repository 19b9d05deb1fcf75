"""Files that are their owner's alone, whatever the system would let others do with new ones.

What lies in the place of one of them may be anything: a pipe, which would be waited for, a device without end, a
folder. None of that is opened for longer than it takes to see what it is; whoever asks gets an `OSError` that says so.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from inference.sentences import Sentence

_HALF_WRITTEN = ".new"
_DEAD_AFTER_SECONDS = 3600.0  # nobody writes so long at a file
_OF_OTHERS = (errno.EISDIR, errno.ENXIO, errno.ELOOP)  # ENXIO: of a pipe that nobody reads, and of a socket
# Those that a system lacks, it does not need: there nothing of that kind has a name in a folder.
_WITHOUT_WAITING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)


class NoOrdinaryFile(OSError):
    """Something else lies where one should: a folder, a pipe, a device, a socket, a link without end."""


def make_own_folder(path: Path) -> None:
    """The folder, with those above it; each its owner's alone where it was not there before.

    Raises:
        OSError: it cannot be made. Where something else is in its place, or in that of one above it, that is named.
    """
    lacking = [each for each in path.parents if not each.exists()]
    try:
        for folder in (*reversed(lacking), path):
            folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        if error.errno not in (errno.EEXIST, errno.ENOTDIR, errno.ELOOP):
            raise
        # One that leads nowhere is in the way, too.
        in_the_way = next(each for each in (path, *path.parents) if os.path.lexists(each))
        raise NotADirectoryError(
            errno.ENOTDIR, Sentence("{path} should be a folder", path=in_the_way), str(in_the_way)
        ) from None


def open_own(path: str | Path, flags: int) -> int:
    """Open a file for its owner alone, where it is made by this: what `open` takes for its `opener`.

    Raises:
        NoOrdinaryFile: what lies there is none.
        OSError: it cannot be opened.
    """
    try:
        descriptor = os.open(path, flags | _WITHOUT_WAITING, 0o600)
    except OSError as error:
        if error.errno in _OF_OTHERS:
            _refuse(path)
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        _refuse(path)
    return descriptor


def check_ordinary(path: Path) -> None:
    """See that at `path` is a file, or nothing, without opening it.

    Raises:
        NoOrdinaryFile: something else is there.
    """
    if os.path.lexists(path) and not path.is_file():
        _refuse(path)


def read_own(path: Path, most: int) -> bytes:
    """What a file of ours holds, at most so many bytes of it.

    Raises:
        OSError: it cannot be read.
    """
    with open(path, "rb", opener=open_own) as file:
        return file.read(most)


def replace_own(path: Path, text: str, *, errors: str = "strict", for_good: bool = False) -> None:
    """Write `text` beside `path` and put it in its place: whoever reads finds the old file or the new, also where
    several write at once. `for_good` is kept even where the power goes.

    Raises:
        OSError: it cannot be written.
    """
    _sweep(path)
    passing = path.with_name(f"{path.name}.{os.urandom(8).hex()}{_HALF_WRITTEN}")
    try:
        with open(passing, "x", encoding="utf-8", errors=errors, opener=open_own) as file:
            file.write(text)
            if for_good:
                file.flush()
                os.fsync(file.fileno())
        passing.replace(path)
    except OSError:
        with suppress(OSError):
            passing.unlink(missing_ok=True)
        raise


def _sweep(path: Path) -> None:
    """Delete what was half-written beside `path` by processes that were ended meanwhile."""
    for left in path.parent.iterdir():
        if left.name.startswith(f"{path.name}.") and left.name.endswith(_HALF_WRITTEN):
            with suppress(OSError):
                # One of a moment still to come is from before the clock was set back.
                if abs(time.time() - left.stat().st_mtime) > _DEAD_AFTER_SECONDS:
                    left.unlink()


def _refuse(path: str | Path) -> NoReturn:
    raise NoOrdinaryFile(
        errno.EINVAL, Sentence("{name} should be an ordinary file", name=Path(path).name), str(path)
    ) from None

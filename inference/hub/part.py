"""A file that is being fetched, as it lies on the disk: its part, and what tells whether that is sound.

Beside `NAME.part` lies `NAME.part.info`: a line of what the Hub says of the file, then the checksum of the part up to
each border of some megabytes. Whoever goes on reads the part again, so that damage done meanwhile is found and cut off;
the inner state of a checksum cannot be stored. The file gets its name once its checksum is the Hub's.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING

from inference.hub_errors import DiskTooSmall, DownloadDamaged, DownloadElsewhere, FolderRefused
from inference.own_files import make_own_folder, open_own, read_own
from inference.sentences import Sentence

if TYPE_CHECKING:
    from hashlib import _Hash

PART_SUFFIX = ".part"
INFO_SUFFIX = ".part.info"
BORDER = 4 << 20  # bytes between two checksums

_LOCK_SUFFIX = ".part.lock"
_PIECE = 1 << 20  # bytes read at once
_LEFT_TO_OTHERS = 64 << 20  # bytes of the disk
_SHA256_DIGITS = 64
_MOST_INFO = 64 << 20  # bytes that are read of what is known of a part: terabytes of it
_FULL = (errno.ENOSPC, errno.EDQUOT)


class PartFile:
    """The part of the file that is to lie at `path`, `size` bytes of it. `checksum` is a SHA-256 or, of a small file,
    git's name for it, in hexadecimal digits; `what` names the file for the person. The disk must have room for `more`
    bytes besides: those of files without which this one is of no use.

    Every method raises `DiskTooSmall` or `FolderRefused` where the disk will have no more of it.
    """

    def __init__(self, path: Path, size: int, checksum: str, what: str, more: int = 0) -> None:
        self.received = 0  # bytes that are there and sound
        self._path = path
        self._size = size
        self._checksum = checksum
        self._what = what
        self._more = more
        self._part = beside(path, PART_SUFFIX)
        self._info = beside(path, INFO_SUFFIX)
        self._digest = self._new_digest()
        self._file: FileIO | None = None

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Hold the part, alone.

        Raises:
            DownloadElsewhere: another process holds it.
        """
        with self._disk_faults():
            make_own_folder(self._path.parent)
            with _held(self._path, self._what):
                os.close(open_own(self._part, os.O_CREAT | os.O_WRONLY))
                try:
                    # Unbuffered: what is written is there, whatever becomes of this process.
                    with open(self._part, "r+b", buffering=0, opener=open_own) as self._file:
                        yield
                finally:
                    self._file = None

    def check(self) -> Iterator[int]:
        """Read what is there again, and cut it off where it is damaged; yields how many bytes are sound so far."""
        file = self._open_file()
        with self._disk_faults():
            borders = self._borders()
            if borders is None:  # nothing is known of it, or it is of another version of the file
                file.truncate(0)
                borders = []
            sound, digest, number = 0, self._new_digest(), 0
            self.received, self._digest = 0, self._new_digest()
            while self.received < self._size and (piece := file.read(self._to_border(_PIECE))):
                self._digest.update(piece)
                self.received += len(piece)
                if self.received % BORDER == 0:
                    if number == len(borders) or self._digest.hexdigest() != borders[number]:
                        self.received, self._digest = sound, digest
                        break
                    sound, digest, number = self.received, self._digest.copy(), number + 1
                    yield sound
            file.truncate(self.received)
            file.seek(self.received)
            self._write_info(borders[:number])
            self._check_room(_LEFT_TO_OTHERS)

    def write(self, piece: bytes) -> None:
        """Add what came; what lies beyond the file's size is left out."""
        file = self._open_file()
        piece = piece[: self._size - self.received]
        with self._disk_faults():
            while piece:
                written = file.write(piece[: self._to_border(len(piece))])
                self._digest.update(piece[:written])
                self.received += written
                piece = piece[written:]
                if self.received % BORDER == 0:
                    self._note_border()

    def finish(self) -> None:
        """Give the file its name.

        Raises:
            DownloadDamaged: it is not what it should be; it was thrown away.
        """
        if self._digest.hexdigest() != self._checksum:
            self.throw_away()
            raise DownloadDamaged(self._what)
        with self._disk_faults():
            file = self._open_file()
            os.fsync(file.fileno())
            file.close()  # an open file keeps its name on Windows
            self._part.replace(self._path)
            self._info.unlink(missing_ok=True)

    def throw_away(self) -> None:
        """Delete what was fetched."""
        with self._disk_faults():
            self._part.unlink(missing_ok=True)
            self._info.unlink(missing_ok=True)

    def _open_file(self) -> FileIO:
        if self._file is None:
            raise RuntimeError("the part is not open")
        return self._file

    def _to_border(self, most: int) -> int:
        return min(most, BORDER - self.received % BORDER)

    def _new_digest(self) -> _Hash:
        if len(self._checksum) == _SHA256_DIGITS:
            return hashlib.sha256()
        return hashlib.sha1(b"blob %d\0" % self._size, usedforsecurity=False)

    def _note_border(self) -> None:
        if not self._part.exists():
            raise FolderRefused(self._what, self._path.parent, Sentence("the folder went away"))
        with open(self._info, "a", encoding="ascii", opener=open_own) as info:
            info.write(f"{self._digest.hexdigest()}\n")
        self._check_room(0)

    def _check_room(self, left_to_others: int) -> None:
        needed, free = self._size - self.received + self._more, shutil.disk_usage(self._path.parent).free
        if needed and free < needed + left_to_others:
            raise DiskTooSmall(self._what, self._path.parent, needed, free)

    def _head(self) -> dict[str, object]:
        return {"size": self._size, "checksum": self._checksum, "border": BORDER}

    def _borders(self) -> list[str] | None:
        """The checksums up to each border; `None` where the part is of no known file. A line that was cut is none."""
        try:
            lines = read_own(self._info, _MOST_INFO).decode("ascii", "replace").split("\n")[:-1]
            return lines[1:] if json.loads(lines[0]) == self._head() else None
        except (OSError, ValueError, IndexError, RecursionError):
            return None

    def _write_info(self, borders: list[str]) -> None:
        new = beside(self._path, f"{INFO_SUFFIX}.new")
        with open(new, "w", encoding="ascii", opener=open_own) as info:
            info.writelines(f"{line}\n" for line in (json.dumps(self._head()), *borders))
        new.replace(self._info)

    @contextmanager
    def _disk_faults(self) -> Iterator[None]:
        with disk_faults(self._what, self._path.parent, lambda: self._size - self.received + self._more):
            yield


def throw_part_away(path: Path, what: str) -> None:
    """Delete what was fetched of the file at `path`, unless another process is fetching it.

    Raises:
        FolderRefused: it cannot be deleted.
    """
    there = [each for each in (beside(path, PART_SUFFIX), beside(path, INFO_SUFFIX)) if each.exists()]
    with suppress(DownloadElsewhere), disk_faults(what, path.parent, lambda: 0):
        if there:
            with _held(path, what):
                for each in there:
                    each.unlink(missing_ok=True)


@contextmanager
def _held(path: Path, what: str) -> Iterator[None]:
    """Have the part of the file at `path` alone.

    Raises:
        DownloadElsewhere: another process has it.
    """
    from filelock import FileLock, Timeout

    lock_path = beside(path, _LOCK_SUFFIX)
    lock = FileLock(lock_path, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise DownloadElsewhere(what) from None
    except NotImplementedError as error:  # some network disks
        raise FolderRefused(what, path.parent, Sentence("its disk knows no locks")) from error
    try:
        yield
    finally:
        lock.release()
        with suppress(OSError):
            lock_path.unlink()


@contextmanager
def disk_faults(what: str, folder: Path, needed: Callable[[], int]) -> Iterator[None]:
    """Raise what the disk refuses as a `HubError` about `what`."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            with suppress(OSError):
                raise DiskTooSmall(what, folder, needed(), shutil.disk_usage(folder).free) from error
        gone = isinstance(error, FileNotFoundError)
        raise FolderRefused(what, folder, Sentence("the folder went away") if gone else _reason(error)) from error


def beside(path: Path, suffix: str) -> Path:
    """The file of that suffix which belongs to `path`."""
    return path.with_name(path.name + suffix)


def _reason(error: OSError) -> str:
    words = error.strerror or type(error).__name__
    return words[:1].lower() + words[1:]

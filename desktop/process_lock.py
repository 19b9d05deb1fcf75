"""Which processes are still there: one lock file each, held as long as the process lives.

The operating system lets go of a lock when its process ends, however it ends, so a lock that can be taken belonged
to somebody who is gone.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

from inference import NoOrdinaryFile, make_own_folder, open_own

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


class ProcessLock:
    """This process's lock in `folder`; `name` is how others ask for it."""

    def __init__(self, folder: Path) -> None:
        make_own_folder(folder)
        self._folder = folder
        self._descriptor: int | None
        self._clear_away()
        self.name, self._descriptor = _take_new(folder)

    def is_held(self, name: str) -> bool:
        """Whether the process that wrote under this name is still running. A lock left behind is cleared away."""
        return is_held(self._folder / Path(name).name)

    def _clear_away(self) -> None:
        """Remove what processes left behind that were ended."""
        for path in self._folder.glob("*.lock"):
            with suppress(OSError):  # a folder that is not ours to clear
                self.is_held(path.name)

    def close(self) -> None:
        """Let go; from now on nobody writes under this name. Closing twice is fine."""
        if self._descriptor is None:
            return
        path = self._folder / self.name
        # Windows removes no file that is open; elsewhere it goes first, so that nobody finds it free.
        if sys.platform != "win32":
            _remove(path)
        os.close(self._descriptor)
        self._descriptor = None
        if sys.platform == "win32":
            _remove(path)


class OnlyOne:
    """A lock of which there is one for all processes. `is_ours` says whether this one has it."""

    def __init__(self, path: Path) -> None:
        make_own_folder(path.parent)
        self._descriptor = open_own(path, os.O_CREAT | os.O_RDWR)
        self._is_open = True
        self.is_ours = _try_lock(self._descriptor)

    def try_again(self) -> bool:
        """Whether it is ours now: who had it may have ended."""
        self.is_ours = self.is_ours or (self._is_open and _try_lock(self._descriptor))
        return self.is_ours

    def close(self) -> None:
        """Let go. Closing twice is fine."""
        if self._is_open:
            self._is_open = self.is_ours = False
            os.close(self._descriptor)


def held_in(folder: Path) -> int:
    """How many processes hold a lock there, this one included."""
    return sum(is_held(path) for path in folder.glob("*.lock"))


def is_held(path: Path) -> bool:
    """Whether the process of the lock at `path` is still running. A lock left behind is cleared away."""
    try:
        descriptor = open_own(path, os.O_RDWR)
    except (FileNotFoundError, NoOrdinaryFile):
        return False
    except PermissionError:  # of another user, who may still be there
        return True
    try:
        if not _try_lock(descriptor):
            return True
        # Removed while it is locked: who has just made this file sees it taken and makes another.
        with suppress(OSError):
            path.unlink()
        return False
    finally:
        os.close(descriptor)


def _remove(path: Path) -> None:
    # Where the disk may not be written to any more, the file stays, and is cleared away by who finds it free.
    with suppress(OSError):
        path.unlink(missing_ok=True)


def _take_new(folder: Path) -> tuple[str, int]:
    """A new lock file, locked: its name and its descriptor."""
    while True:
        name = f"{os.urandom(16).hex()}.lock"
        descriptor = open_own(folder / name, os.O_CREAT | os.O_EXCL | os.O_RDWR)
        if _try_lock(descriptor) and (folder / name).exists():
            return name, descriptor
        # Somebody looked at it between these two lines and cleared it away.
        os.close(descriptor)


def _try_lock(descriptor: int) -> bool:
    try:
        if sys.platform == "win32":
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True

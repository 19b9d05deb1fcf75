"""A folder for what is gone when this process ends; where that was killed, the next start deletes it."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from desktop.process_lock import OnlyOne

_PREFIX = "headwater-"
_LOCK = ".headwater-passing"  # held as long as somebody needs the folder; without it, the folder is none of ours


class PassingFolder:
    """A folder of its owner's alone, until it is closed. Only what is in folders of its own there is sure to go.

    Raises:
        OSError: it cannot be made.
    """

    def __init__(self) -> None:
        while not self._begin():  # a start that sweeps was faster
            pass

    def close(self) -> None:
        """Delete it, with all that is in it. Closing twice is fine."""
        _delete(self.path)
        self._lock.close()
        _delete(self.path)  # once more, for Windows, which deletes nothing that is open

    def _begin(self) -> bool:
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX))
        self._lock = OnlyOne(self.path / _LOCK)
        if self._lock.is_ours and (self.path / _LOCK).exists():
            return True
        self._lock.close()
        return False

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_: object) -> None:
        self.close()


def sweep_passing_folders() -> None:
    """Delete those of processes that were ended before they could."""
    with suppress(OSError):
        for path in Path(tempfile.gettempdir()).iterdir():
            if path.name.startswith(_PREFIX):
                with suppress(OSError):
                    _sweep(path)


def _sweep(path: Path) -> None:
    found = path.lstat()
    # Anybody may put something there: what is no folder, or another person's, is left alone, and so is one without the
    # mark of ours.
    is_own = stat.S_ISDIR(found.st_mode) and found.st_uid == getattr(os, "getuid", lambda: found.st_uid)()
    if is_own and (path / _LOCK).is_file():
        lock = OnlyOne(path / _LOCK)
        is_left = lock.is_ours
        lock.close()
        if is_left:
            _delete(path)


def _delete(path: Path) -> None:
    """Delete the folder, its lock last: where this is cut off, the next start still knows it."""
    with suppress(OSError):
        for inside in path.iterdir():
            if inside.name != _LOCK:
                shutil.rmtree(inside, ignore_errors=True)
    shutil.rmtree(path, ignore_errors=True)

"""Reads files that are to be attached, one after the other, on a thread of its own."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from desktop.turns import Attachment


@dataclass(frozen=True, slots=True)
class FileRead:
    """What became of a file: its text, or a sentence that says why there is none. `ticket` is whoever asked's own."""

    ticket: int
    attachment: Attachment | None
    refusal: str = ""


Read = Callable[[Path, Callable[[], bool]], Attachment]  # the file, and whether nobody wants it any more


class FileReader:
    """Reads one file at a time. What becomes of it is `said` on the thread, unless it was dropped before. `read` is
    `attachments.read`, unless given.
    """

    def __init__(self, said: Callable[[FileRead], None], read: Read | None = None) -> None:
        self._said = said
        self._read_file = read
        self._changed = threading.Condition()
        self._waiting: deque[tuple[int, Path]] = deque()
        self._reading: int | None = None
        self._closing = False
        self._thread = threading.Thread(target=self._work, name="file-reader", daemon=True)
        self._thread.start()

    def read(self, ticket: int, path: Path) -> None:
        """Have a file read; returns at once."""
        with self._changed:
            self._waiting.append((ticket, path))
            self._changed.notify()

    def drop(self, ticket: int) -> None:
        """Nobody waits for this one any more."""
        with self._changed:
            self._waiting = deque(asked for asked in self._waiting if asked[0] != ticket)
            if self._reading == ticket:
                self._reading = None

    def close(self) -> None:
        """Read nothing any more. What is being read ends within a moment."""
        with self._changed:
            self._closing = True
            self._reading = None
            self._changed.notify()
        self._thread.join()

    def _work(self) -> None:
        while (asked := self._next()) is not None:
            ticket, path = asked
            read = self._read(ticket, path)
            with self._changed:
                wanted = self._reading == ticket
                self._reading = None
            if wanted:
                self._said(read)

    def _next(self) -> tuple[int, Path] | None:
        with self._changed:
            self._changed.wait_for(lambda: self._closing or bool(self._waiting))
            if self._closing:
                return None
            self._reading = self._waiting[0][0]
            return self._waiting.popleft()

    def _read(self, ticket: int, path: Path) -> FileRead:
        from desktop.attachments import AttachmentRefused, read  # what it takes is loaded with the first file
        from inference import Sentence, tell_fault

        try:
            return FileRead(ticket, (self._read_file or read)(path, lambda: self._reading != ticket))
        except AttachmentRefused as refusal:
            return FileRead(ticket, None, str(refusal))
        except Exception as error:  # noqa: BLE001 - the reader's loop: one file must not keep the next from being read
            tell_fault(error)
            own = Sentence("{name} could not be read: a fault of Headwater's own.", name=path.name)
            return FileRead(ticket, None, own)

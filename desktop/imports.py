"""Conversations of files, kept a few at a time."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from desktop.exchange import LeftOut, Tree
from desktop.import_reader import ConversationsRead
from desktop.spoken import spoken
from desktop.store import Store, StoreError

AT_ONCE_SECONDS = 0.01  # of work, before the window has its turn


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What came of a file: the conversations by their ids, and how much of what was left out."""

    path: Path
    conversations: tuple[int, ...]
    messages: int
    left_out: Mapping[LeftOut, int]


class Imports(QObject):
    """Keeps what files held in the store, one file after the other."""

    kept = Signal(object)  # the ids of conversations that were just kept: a list
    ended = Signal(object)  # ImportReport
    failed = Signal(str)

    def __init__(self, store: Store, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._files: deque[tuple[ConversationsRead, deque[Tree]]] = deque()
        self._numbers: list[int] = []
        self._messages = 0
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self._keep_some)

    def take(self, read: ConversationsRead) -> None:
        """Keep what was read; ends with `ended`, or with `failed`."""
        if read.imported is None:
            self.failed.emit(spoken(read.refusal))
            return
        self._files.append((read, deque(read.imported.conversations)))
        self._timer.start()

    def stop(self) -> None:
        """Leave the rest in its file."""
        self._timer.stop()
        self._files.clear()

    def _keep_some(self) -> None:
        read, waiting = self._files[0]
        enough = time.monotonic() + AT_ONCE_SECONDS
        kept: list[int] = []
        try:
            while waiting and time.monotonic() < enough:
                tree = waiting[0]
                kept.append(self._store.import_tree(tree.conversation, tree.turns, tree.traces).id)
                self._messages += len(tree.turns)
                waiting.popleft()
        except StoreError as error:
            waiting.clear()
            self.failed.emit(spoken(error))
        self._numbers += kept
        if kept:
            self.kept.emit(kept)
        if not waiting:
            self._end(read)
        if self._files:
            self._timer.start()

    def _end(self, read: ConversationsRead) -> None:
        left_out = {} if read.imported is None else read.imported.left_out
        report = ImportReport(read.path, tuple(self._numbers), self._messages, left_out)
        self._files.popleft()
        self._numbers, self._messages = [], 0
        self.ended.emit(report)

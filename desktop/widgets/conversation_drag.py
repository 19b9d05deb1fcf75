"""Conversations on their way with the mouse: into a folder here, or as files into another program."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QByteArray, QMimeData, Qt, QUrl
from PySide6.QtGui import QGuiApplication

from desktop.library import FileFormat

CONVERSATIONS = "application/x-headwater-conversations"
_FILES = "text/uri-list"
_NUMBER = re.compile(rb"-?\d{1,18}")

FileMaker = Callable[[Sequence[int], FileFormat], Sequence[Path]]
"""Writes conversations into files, one for each."""


class ConversationMime(QMimeData):
    """Conversations by their ids; other programs get them as files, written when they are asked for.

    With Shift held when they are dropped the files are JSON.
    """

    def __init__(self, conversations: Sequence[int], make_files: FileMaker | None) -> None:
        super().__init__()
        self._conversations = tuple(conversations)
        self._make_files = make_files
        self._made: dict[FileFormat, list[QUrl]] = {}

    def formats(self) -> list[str]:
        return [CONVERSATIONS] if self._make_files is None else [CONVERSATIONS, _FILES]

    def hasFormat(self, mime_type: str) -> bool:  # noqa: N802 - Qt's virtual
        return mime_type in self.formats()

    def retrieveData(self, mime_type: str, _preferred: object) -> object:  # noqa: N802 - Qt's virtual
        if mime_type == CONVERSATIONS:
            return QByteArray(" ".join(map(str, self._conversations)).encode())
        if mime_type == _FILES and self._make_files is not None:
            has_shift = QGuiApplication.queryKeyboardModifiers() & Qt.KeyboardModifier.ShiftModifier
            kind = FileFormat.JSON if has_shift else FileFormat.MARKDOWN
            if kind not in self._made:
                files = self._make_files(self._conversations, kind)
                self._made[kind] = [QUrl.fromLocalFile(str(path)) for path in files]
            return self._made[kind]
        return None


def conversations_in(data: QMimeData) -> tuple[int, ...]:
    """The ids of conversations that are on their way; none where something else is."""
    if not data.hasFormat(CONVERSATIONS):
        return ()
    words = bytes(data.data(CONVERSATIONS).data()).split()
    # Any program may let such a thing fall.
    return tuple(map(int, words)) if all(_NUMBER.fullmatch(word) for word in words) else ()

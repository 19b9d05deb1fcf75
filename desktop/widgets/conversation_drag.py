"""Conversations on their way with the mouse: into a folder here, or as files into another program."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QByteArray, QMimeData, Qt, QUrl
from PySide6.QtGui import QFontMetrics, QGuiApplication, QPainter, QPixmap

from desktop.library import FileFormat
from desktop.theme import Theme, control_font
from desktop.widgets.painting import paint_box, text_width

CONVERSATIONS = "application/x-headwater-conversations"
_FILES = "text/uri-list"
_WIDEST, _HEIGHT, _SIDE = 240, 32, 12  # of the picture
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


def picture_of(words: str, theme: Theme, ratio: float) -> QPixmap:
    """What hangs at the mouse, on a screen with so many dots to a pixel."""
    font = control_font()
    width = min(_WIDEST, text_width(font, words) + 2 * _SIDE)
    picture = QPixmap(round(width * ratio), round(_HEIGHT * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    box = picture.rect()
    box.setSize(box.size() / ratio)
    paint_box(painter, box, fill=theme.bubble, edge=theme.field_edge)
    painter.setFont(font)
    painter.setPen(theme.text)
    line = QFontMetrics(font).elidedText(" ".join(words.split()), Qt.TextElideMode.ElideRight, width - 2 * _SIDE)
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, line)
    painter.end()
    return picture


def conversations_in(data: QMimeData) -> tuple[int, ...]:
    """The ids of conversations that are on their way; none where something else is."""
    if not data.hasFormat(CONVERSATIONS):
        return ()
    words = bytes(data.data(CONVERSATIONS).data()).split()
    # Any program may let such a thing fall.
    return tuple(map(int, words)) if all(_NUMBER.fullmatch(word) for word in words) else ()

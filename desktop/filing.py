"""Conversations into files and out of them: what is asked for, and what came of it said in a notice."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from desktop import wording
from desktop.library import FileFormat, Library
from desktop.widgets.conversation_list import ConversationList
from desktop.widgets.notice_board import NoticeBoard

if TYPE_CHECKING:
    from desktop.exchange import LeftOut
    from desktop.file_choosers import FileChoosers
    from desktop.imports import ImportReport
    from desktop.passing_folder import PassingFolder

_SUFFIXES = {FileFormat.MARKDOWN: ".md", FileFormat.JSON: ".json"}


class Filing(QObject):
    """Imports, exports, and files for other programs that conversations are dragged into."""

    def __init__(
        self,
        library: Library,
        sidebar: ConversationList,
        board: NoticeBoard,
        choosers: FileChoosers | None,
        parent: QWidget,
    ) -> None:
        """Without `choosers` they are the platform's."""
        super().__init__(parent)
        self._library = library
        self._sidebar = sidebar
        self._board = board
        self._own_choosers = choosers
        self._window = parent
        self._given: PassingFolder | None = None  # to other programs; it is gone when this one ends
        self.import_action = QAction(parent, text=self.tr("&Import conversations…"))
        self.import_action.triggered.connect(self._import)
        sidebar.commands.export_wanted.connect(self._export)
        sidebar.view.make_files = self._files_of
        library.imported.connect(self._report)

    def sweep(self) -> None:
        """Take away what programs gave that were ended before they could take it away."""
        from threading import Thread

        from desktop.passing_folder import sweep_passing_folders

        with suppress(RuntimeError):  # the system gives no more threads; the next start, then
            Thread(target=sweep_passing_folders, name="sweep", daemon=True).start()

    def close(self) -> None:
        """Take away what other programs were given; they have copied it."""
        if self._given is not None:
            self._given.close()
            self._given = None

    @cached_property
    def _choosers(self) -> FileChoosers:
        from desktop.file_choosers import FileChoosers

        return self._own_choosers or FileChoosers()

    # In

    def _import(self) -> None:
        path = self._choosers.to_read(self._window)
        if path is not None:
            self._library.import_file(path)

    def _report(self, report: ImportReport) -> None:
        count, name = len(report.conversations), report.path.name
        came = self.tr("{count} conversations came from {name}.").format(count=wording.whole(count), name=name)
        if count == 1:
            came = self.tr("1 conversation came from {name}.").format(name=name)
        parts = [self._words_for(kind).format(count=wording.whole(n)) for kind, n in report.left_out.items() if n]
        if parts:
            came += " " + self.tr("Left out: {what}.").format(what=", ".join(parts))
        self._board.show_notice(came)

    def _words_for(self, kind: LeftOut) -> str:
        from desktop.exchange import LeftOut

        match kind:
            case LeftOut.IMAGES:
                return self.tr("images ({count})")
            case LeftOut.AUDIO:
                return self.tr("sound and video ({count})")
            case LeftOut.FILES:
                return self.tr("files whose text is not in there ({count})")
            case LeftOut.TOOLS:
                return self.tr("what tools were asked and answered ({count})")
            case LeftOut.INSTRUCTIONS:
                return self.tr("instructions between messages ({count})")
            case LeftOut.ROLES:
                return self.tr("messages of unknown speakers ({count})")
            case LeftOut.UNREADABLE:
                return self.tr("messages that cannot be read ({count})")
            case LeftOut.TOO_LONG:
                return self.tr("messages longer than a book ({count})")
            case LeftOut.CONVERSATIONS:
                return self.tr("conversations without a message that can be read ({count})")
            case _:
                assert_never(kind)

    # Out

    def _export(self, conversations: Sequence[int], kind: FileFormat) -> None:
        name = self.tr("Conversations") + _SUFFIXES[kind]
        if len(conversations) == 1:
            name = self._name_of(conversations[0], kind)
        path = self._choosers.to_write(self._window, name)
        if path is None:
            return
        path = path if path.suffix else path.with_suffix(_SUFFIXES[kind])
        if self._library.export(conversations, path, kind):
            self._board.show_notice(self.tr("Saved as {path}.").format(path=path))

    def _files_of(self, conversations: Sequence[int], kind: FileFormat) -> list[Path]:
        """A file for each, for a program that asked for them because they were dropped there."""
        from tempfile import mkdtemp

        from desktop.passing_folder import PassingFolder

        if self._given is None:
            self._given = PassingFolder()
        made: list[Path] = []
        for conversation in conversations:
            # A folder for each: titles may be the same.
            path = Path(mkdtemp(dir=self._given.path)) / self._name_of(conversation, kind)
            if self._library.export([conversation], path, kind):
                made.append(path)
        return made

    def _name_of(self, conversation: int, kind: FileFormat) -> str:
        from desktop.exchange import file_name_of

        return file_name_of(self._sidebar.conversation(conversation), _SUFFIXES[kind])

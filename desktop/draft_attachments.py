"""The files that will go along with the next prompt of each conversation, being read or ready."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal

from desktop.chat_session import ChatSession
from desktop.spoken import spoken

if TYPE_CHECKING:
    from desktop.draft_file import DraftFile
    from desktop.file_reader import FileRead
    from desktop.turns import Attachment

MOST_FILES = 50  # at once, in one draft


class Reader(Protocol):
    """What reads files: it returns at once and answers on a thread of its own."""

    def read(self, ticket: int, path: Path) -> None: ...
    def drop(self, ticket: int) -> None: ...
    def close(self) -> None: ...


_Place = int | ChatSession  # a conversation, or a session whose conversation is not kept yet


class DraftAttachments(QObject):
    """Keeps the files of every draft, by conversation, and has them read. What is ready is kept with the draft."""

    changed = Signal()  # of the conversation that is shown
    refused = Signal(str)  # a sentence for each file that has no text, on lines of their own

    def __init__(self, make_reader: Callable[[], Reader], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._make_reader = make_reader
        self._reader: Reader | None = None
        self._keys = count(1)
        self._session: ChatSession | None = None
        self._place: _Place | None = None
        self._drafts: dict[_Place, tuple[ChatSession, tuple[DraftFile, ...]]] = {}
        self._refusals: dict[_Place, list[str]] = {}  # said when their conversation is shown

    @property
    def files(self) -> tuple[DraftFile, ...]:
        """Of the conversation that is shown, in the order in which they came."""
        return () if self._place is None else self._drafts[self._place][1]

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        """Those of them that are ready."""
        return _ready(self.files)

    @property
    def are_being_read(self) -> bool:
        """Whether there are some that are not."""
        return any(file.attachment is None for file in self.files)

    def follow(self, session: ChatSession) -> None:
        """Show what belongs to this session from now on."""
        self._let_go_of_ready()
        self._session, self._place = session, _place_of(session)
        before = self._drafts.get(self._place)
        if before is None:
            files = tuple(self._file(each.name, each) for each in session.draft.attachments)
        else:
            files = before[1]
        self._drafts[self._place] = (session, files)
        self.changed.emit()
        self._say_refusals()

    def add_files(self, paths: Iterable[Path]) -> None:
        """Have these files go along, once they are read."""
        wanted = list(paths)
        room = max(0, MOST_FILES - len(self.files))
        files = [self._file(path.name) for path in wanted[:room]]
        if len(wanted) > room:
            self.refused.emit(self.tr("Up to {count} files go along at once.").format(count=MOST_FILES))
        if not files or self._place is None:
            return
        self._put(self._place, (*self.files, *files))
        if self._reader is None:
            self._reader = self._make_reader()
        for file, path in zip(files, wanted, strict=False):
            self._reader.read(file.key, path)

    def add(self, attachment: Attachment) -> None:
        """Have this go along."""
        if self._place is not None:
            self._put(self._place, (*self.files, self._file(attachment.name, attachment)))

    def remove(self, key: int) -> None:
        """Have one of them stay here after all."""
        if self._reader is not None:
            self._reader.drop(key)
        if self._place is not None:
            self._put(self._place, tuple(file for file in self.files if file.key != key))

    def forget(self) -> None:
        """They were sent, and are no draft any more; the session's conversation is kept from now on."""
        if self._session is not None and self._place is not None:
            del self._drafts[self._place]
            self._place = _place_of(self._session)
            self._drafts[self._place] = (self._session, ())
            self.changed.emit()

    def on_read(self, read: FileRead) -> None:
        """A file was read, or refused."""
        for place, (_, files) in tuple(self._drafts.items()):
            if any(file.key == read.ticket for file in files):
                if read.attachment is None:
                    self._refusals.setdefault(place, []).append(spoken(read.refusal))
                self._put(place, tuple(_with(files, read)))

    def close(self) -> None:
        """Read nothing any more."""
        if self._reader is not None:
            self._reader.close()

    def _file(self, name: str, attachment: Attachment | None = None) -> DraftFile:
        from desktop.draft_file import DraftFile  # hardly any start needs it

        return DraftFile(next(self._keys), name, attachment)

    def _let_go_of_ready(self) -> None:
        """What is ready is kept with its draft, and read from there again; a session is held for what is not."""
        for place, (_, files) in tuple(self._drafts.items()):
            if all(file.attachment is not None for file in files):
                del self._drafts[place]
                if isinstance(place, ChatSession):
                    self._refusals.pop(place, None)  # nobody comes back to it

    def _put(self, place: _Place, files: tuple[DraftFile, ...]) -> None:
        session, before = self._drafts[place]
        self._drafts[place] = (session, files)
        if _ready(files) != _ready(before):
            session.draft.set_attachments(_ready(files))
        if place == self._place:
            self._say_refusals()
            self.changed.emit()

    def _say_refusals(self) -> None:
        """Say them all at once, in their own conversation."""
        if self._place is not None and not self.are_being_read:
            said = self._refusals.pop(self._place, None)
            if said:
                self.refused.emit("\n".join(said))


def _place_of(session: ChatSession) -> _Place:
    return session if session.conversation is None else session.conversation.id


def _ready(files: Iterable[DraftFile]) -> tuple[Attachment, ...]:
    return tuple(file.attachment for file in files if file.attachment is not None)


def _with(files: Iterable[DraftFile], read: FileRead) -> Iterator[DraftFile]:
    """The files, one of which is read now, or gone."""
    for file in files:
        if file.key != read.ticket:
            yield file
        elif read.attachment is not None:
            yield replace(file, attachment=read.attachment)

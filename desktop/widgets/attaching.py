"""What goes along with a prompt, between the composer, the drafts that keep it and the count of its tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from desktop.chat_session import ChatSession
from desktop.draft_attachments import DraftAttachments
from desktop.draft_count import DraftCount
from desktop.widgets.composer import Composer

if TYPE_CHECKING:
    from desktop.turns import Attachment

FilesChooser = Callable[[QWidget], list[Path]]


def ask_for_files(parent: QWidget) -> list[Path]:
    """The platform's file chooser; none when it was put away."""
    from PySide6.QtWidgets import QFileDialog

    names, _ = QFileDialog.getOpenFileNames(parent, parent.tr("Attach files"), str(Path.home()))
    return [Path(name) for name in names]


class Attaching(QObject):
    """Shows the files of the draft that is shown, and takes more of them: by button, paste and drop."""

    def __init__(
        self,
        composer: Composer,
        drafts: DraftAttachments | None,
        counts: DraftCount | None,
        say: Callable[[str], object],
        choose: FilesChooser = ask_for_files,
        parent: QObject | None = None,
    ) -> None:
        """`say` shows why something cannot go along. Without drafts to keep them nothing can."""
        super().__init__(parent)
        self._composer = composer
        self._drafts = drafts
        self._counts = counts
        self._say = say
        self._choose = choose
        composer.offer_attaching(offered=drafts is not None)
        if counts is not None:
            counts.changed.connect(composer.show_use)
        if drafts is not None:
            drafts.changed.connect(self._show)
            drafts.refused.connect(self._refuse)
            composer.attach_wanted.connect(self._ask)
            composer.files_given.connect(self.take)
            composer.text_given.connect(self._take_text)
            composer.file_removed.connect(drafts.remove)
            composer.picture_given.connect(self._refuse_picture)

    @property
    def is_possible(self) -> bool:
        """Whether anything can go along."""
        return self._drafts is not None

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        """What goes along with the prompt that is sent now."""
        return () if self._drafts is None else self._drafts.attachments

    def follow(self, session: ChatSession) -> None:
        """Show this session's draft and its files, and have them counted."""
        self._composer.set_text(session.draft.text)
        if self._drafts is not None:
            self._drafts.follow(session)
        if self._counts is not None:
            self._counts.follow(session, session.draft.text, self.attachments)

    def take(self, paths: Iterable[Path]) -> None:
        """Have these files go along."""
        if self._drafts is not None:
            self._drafts.add_files(paths)
            self._composer.focus_field()

    def forget(self) -> None:
        """They were sent."""
        self._composer.accept()
        if self._drafts is not None:
            self._drafts.forget()

    def _show(self) -> None:
        if self._drafts is not None:
            self._composer.show_files(self._drafts.files)
        if self._counts is not None:
            self._counts.set_attachments(self.attachments)

    def _ask(self) -> None:
        self.take(self._choose(self._composer))

    def _take_text(self, text: str) -> None:
        from desktop.attachments import pasted

        if self._drafts is not None:
            self._drafts.add(pasted(text, self._name_for_text(self._drafts)))

    def _name_for_text(self, drafts: DraftAttachments) -> str:
        """One that no other file of this draft has."""
        name = self.tr("Pasted text")
        taken = {file.name for file in drafts.files}
        numbered = (f"{name} {number}" for number in range(2, len(taken) + 3))
        return name if name not in taken else next(each for each in numbered if each not in taken)

    def _refuse(self, sentences: str) -> None:
        self._say(sentences)

    def _refuse_picture(self) -> None:
        self._say(self.tr("A picture cannot go along; only text can be read."))

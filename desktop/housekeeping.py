"""What the sidebar wants done with conversations: handed to the library, and what came of it said in a notice."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMenu, QWidget

from desktop import wording
from desktop.conversations import Conversation
from desktop.groups import Group, GroupKind
from desktop.library import Library
from desktop.settings import SettingsFile
from desktop.widgets.actions import make_action
from desktop.widgets.conversation_list import ConversationList
from desktop.widgets.notice import Notice
from desktop.widgets.notice_board import NoticeBoard

if TYPE_CHECKING:
    from desktop.hits import Hit

UNDO_SECONDS = 30  # so long a deletion can be taken back, and longer where somebody is at its notice


class Housekeeping(QObject):
    """Goes between the sidebar and the library, and holds the actions that are about conversations."""

    sidebar_wanted = Signal()  # something is about to be typed in it
    open_wanted = Signal(int)
    hit_opened = Signal(int, str)  # a turn of the conversation that was just opened, and what was found in it

    def __init__(
        self,
        library: Library,
        sidebar: ConversationList,
        settings: SettingsFile,
        board: NoticeBoard,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._library = library
        self._sidebar = sidebar
        self._settings = settings
        self._board = board
        self._window = parent
        self._deletions: list[str] = []  # what is said of those that can be brought back, the last one last
        self._undo_notice: Notice | None = None
        self._make_actions()
        self._connect()
        sidebar.set_folded(settings.current.folded_folders)

    def fill_menu(self, menu: QMenu) -> None:
        """What finds conversations, and all that can be done with the one that is open or those that are chosen."""
        menu.addActions([self.search_action, self.previous_action, self.next_action])
        menu.addSeparator()
        self._sidebar.commands.fill(menu)

    # Building

    def _make_actions(self) -> None:
        tr, make = self.tr, partial(make_action, self._window)
        self.temporary_action = make(tr("New &temporary chat"), self._new_temporary, "Ctrl+Shift+N")
        self.search_action = make(tr("&Search all conversations"), self._search, "Ctrl+K", "Ctrl+Shift+F")
        self.next_action = make(tr("Ne&xt conversation"), partial(self._walk, 1), "Ctrl+Tab", "Ctrl+PgDown")
        back = ("Ctrl+Shift+Tab", "Ctrl+PgUp")
        self.previous_action = make(tr("Pre&vious conversation"), partial(self._walk, -1), *back)

    def _connect(self) -> None:
        sidebar, commands = self._sidebar, self._sidebar.commands
        sidebar.hit_wanted.connect(self._open_hit)
        sidebar.search_wanted.connect(self._look_for)
        sidebar.renamed.connect(self._library.rename)
        sidebar.folder_renamed.connect(self._rename_folder)
        sidebar.dropped.connect(self._drop)
        sidebar.folded_changed.connect(self._keep_folded)
        commands.rename_wanted.connect(self._begin_renaming)
        commands.pin_wanted.connect(self._pin)
        commands.move_wanted.connect(self._library.move_to_folder)
        commands.new_folder_wanted.connect(self._make_folder)
        commands.folder_rename_wanted.connect(sidebar.begin_renaming_folder)
        commands.folder_removal_wanted.connect(self._dissolve)
        commands.duplicate_wanted.connect(self._duplicate)
        commands.delete_wanted.connect(self._delete)
        self._library.deleted.connect(self._offer_undo)
        self._library.busy_changed.connect(self._show_busy)

    # Searching and walking

    def _search(self) -> None:
        self.sidebar_wanted.emit()
        self._sidebar.begin_search()

    def _look_for(self, words: str) -> None:
        self._sidebar.show_hits(words, self._library.search(words))

    def _open_hit(self, hit: Hit) -> None:
        self.open_wanted.emit(hit.conversation.id)
        if hit.turn is not None:
            begin, end = hit.marks[0] if hit.marks else (0, 0)
            self.hit_opened.emit(hit.turn, hit.excerpt[begin:end])

    def _walk(self, step: int) -> None:
        beside = self._sidebar.beside(step)
        if beside is not None:
            self.open_wanted.emit(beside)

    # Names, pins and folders

    def _begin_renaming(self, conversation: int) -> None:
        self.sidebar_wanted.emit()
        self._sidebar.begin_renaming(conversation)

    def _pin(self, conversations: Sequence[int], pinned: bool) -> None:  # noqa: FBT001 - a slot gets what the signal carries
        self._library.set_pinned(conversations, pinned=pinned)

    def _make_folder(self, conversations: Sequence[int]) -> None:
        """Put them into a new folder, whose name is typed at once."""
        name = _free_name(self.tr("New folder"), self._sidebar.folders)
        self._library.move_to_folder(conversations, name)
        self._library.set_pinned(conversations, pinned=False)
        self.sidebar_wanted.emit()
        self._sidebar.begin_renaming_folder(name)

    def _rename_folder(self, name: str, wanted: str) -> None:
        folded = self._sidebar.folded
        self._library.move_to_folder(self._sidebar.conversations_in_folder(name), wanted)
        if name in folded:
            self._sidebar.set_folded(folded - {name} | {wanted})
            self._keep_folded(self._sidebar.folded)

    def _dissolve(self, folder: str) -> None:
        conversations = self._sidebar.conversations_in_folder(folder)
        self._library.move_to_folder(conversations, "")
        said = self.tr("The folder “{name}” is gone, what was in it is not.").format(name=folder)
        bring_back = partial(self._library.move_to_folder, conversations, folder)
        self._board.show_notice(said, action=self.tr("Undo"), on_action=bring_back).takes_back = True

    def _drop(self, conversations: Sequence[int], group: Group) -> None:
        """What is dropped on a group becomes one of it, as far as that is somebody's choice and not the time's."""
        is_pinned = group.kind is GroupKind.PINNED
        self._library.set_pinned(conversations, pinned=is_pinned)
        if not is_pinned:
            self._library.move_to_folder(conversations, group.name)

    def _keep_folded(self, folders: frozenset[str]) -> None:
        self._settings.save(replace(self._settings.current, folded_folders=tuple(sorted(folders))))

    # Copies and deletions

    def _new_temporary(self) -> None:
        self._library.new(temporary=True)

    def _duplicate(self, conversations: Sequence[int]) -> None:
        for conversation in conversations:
            self._library.duplicate(conversation)

    def _delete(self, conversations: Sequence[int]) -> None:
        """Who deletes in the list goes on there, though another conversation may be shown now."""
        with self._sidebar.keyboard_kept():
            self._library.delete(conversations)

    def _offer_undo(self, deleted: Sequence[Conversation]) -> None:
        """One notice, for what was deleted last; when that has been brought back, for what was deleted before it."""
        self._deletions.append(self._words_for(deleted))
        self._show_undo()

    def _show_undo(self) -> None:
        before, self._undo_notice = self._undo_notice, None
        if before is not None:
            self._board.put_away(before)
        if not self._deletions:
            return
        notice = self._board.show_notice(self._deletions[-1], action=self.tr("Undo"), on_action=self._undo)
        notice.takes_back = True
        notice.gone.connect(partial(self._make_final, notice))
        notice.put_away_after(UNDO_SECONDS)
        self._undo_notice = notice

    def _undo(self) -> None:
        self._deletions.pop()
        self._library.undo_delete()
        self._show_undo()

    def _make_final(self, notice: Notice) -> None:
        """The notice is gone, and with it the way back, unless that was taken or another stands for it."""
        if notice is self._undo_notice and not notice.is_answered:
            self._undo_notice = None
            self._deletions.clear()
            self._library.finish_deleting()

    def _words_for(self, deleted: Sequence[Conversation]) -> str:
        if len(deleted) > 1:
            return self.tr("Deleted {count} conversations.").format(count=wording.whole(len(deleted)))
        return self.tr("Deleted “{title}”.").format(title=" ".join(deleted[0].title.split()))

    def _show_busy(self) -> None:
        self._sidebar.set_busy(self._library.busy)


def _free_name(name: str, taken: Collection[str]) -> str:
    """The name, or with the first number that makes it another."""
    names = (name, *(f"{name} {number}" for number in range(2, len(taken) + 3)))
    return next(each for each in names if each not in taken)

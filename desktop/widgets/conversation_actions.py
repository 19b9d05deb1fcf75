"""What can be done with conversations, as actions for menus, keys and the bar below the list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from desktop.conversations import Conversation
from desktop.library import FileFormat
from desktop.widgets.conversation_model import ConversationModel
from desktop.widgets.conversation_view import ConversationView


class ConversationActions(QObject):
    """Each action is about the conversations that are chosen in the list where the keyboard is there or several are
    chosen, else about the one that is open. The signals say what is wanted; ids come as a tuple."""

    pin_wanted = Signal(object, bool)
    move_wanted = Signal(object, str)  # into this folder; out of all where it is empty
    new_folder_wanted = Signal(object)
    duplicate_wanted = Signal(object)
    export_wanted = Signal(object, object)  # FileFormat
    delete_wanted = Signal(object)
    rename_wanted = Signal(int)
    folder_rename_wanted = Signal(str)
    folder_removal_wanted = Signal(str)

    def __init__(self, view: ConversationView, model: ConversationModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._view = view
        self._model = model
        self._window = parent
        self.rename = self._action(self.tr("&Rename"), self._rename, Qt.Key.Key_F2)
        self.pin = self._action(self.tr("&Pin"), self._pin)
        self.duplicate = self._action(self.tr("D&uplicate"), self._duplicate)
        self.as_markdown = self._action(self.tr("As &Markdown…"), partial(self._export, kind=FileFormat.MARKDOWN))
        whole = self.tr("As &JSON, with figures and branches…")
        self.as_json = self._action(whole, partial(self._export, kind=FileFormat.JSON))
        self.delete = self._action(self.tr("&Delete"), self._delete, QKeySequence.StandardKey.Delete)
        self.delete.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)  # elsewhere the key deletes a letter
        view.addAction(self.delete)

    @property
    def targets(self) -> tuple[Conversation, ...]:
        """What an action is about now."""
        chosen = self._view.chosen
        if len(chosen) > 1 or self._view.hasFocus():
            return chosen
        row = self._model.row_of(self._model.opened)
        opened = None if row is None else self._model.at(row)
        return (opened,) if isinstance(opened, Conversation) else ()

    def fill(self, menu: QMenu) -> None:
        """Put all of it into a menu, which says what is possible whenever it opens."""
        move = QMenu(self.tr("&Move to a folder"), menu)
        export = QMenu(self.tr("&Export"), menu)
        export.addActions([self.as_markdown, self.as_json])
        menu.addActions([self.rename, self.pin])
        menu.addMenu(move)
        menu.addAction(self.duplicate)
        menu.addMenu(export)
        menu.addSeparator()
        menu.addAction(self.delete)
        move.aboutToShow.connect(partial(self.fill_with_folders, move))
        menu.aboutToShow.connect(partial(self._offer, move, export))
        menu.aboutToHide.connect(self._offer_everything)

    def fill_with_folders(self, menu: QMenu) -> None:
        """The folders there are, a new one, and the way out."""
        menu.clear()
        ids = self._kept_ids()
        within = {each.folder for each in self.targets}
        for name in self._model.folders:
            folder = menu.addAction(name.replace("&", "&&"), partial(self.move_wanted.emit, ids, name))
            folder.setCheckable(True)
            folder.setChecked(within == {name})
        menu.addSeparator()
        menu.addAction(self.tr("&New folder"), partial(self.new_folder_wanted.emit, ids))
        out = menu.addAction(self.tr("&Out of its folder"), partial(self.move_wanted.emit, ids, ""))
        out.setVisible(within != {""})

    def open_menu(self, place: QPoint) -> None:
        """The menu for the row that the keyboard is on, at that place of the screen."""
        menu = QMenu(self._window)
        if folder := self._folder():
            menu.addAction(self.tr("&Rename the folder"), partial(self.folder_rename_wanted.emit, folder))
            remove = self.tr("&Dissolve the folder, keep what is in it")
            menu.addAction(remove, partial(self.folder_removal_wanted.emit, folder))
        else:
            self.fill(menu)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(place)

    def name_pin(self) -> None:
        """Have the action say what it would do now."""
        self.pin.setText(self.tr("Un&pin") if self._are_all_pinned() else self.tr("&Pin"))

    def _action(
        self, text: str, slot: Callable[..., object], key: QKeySequence.StandardKey | Qt.Key | None = None
    ) -> QAction:
        action = QAction(self._window, text=text)
        action.triggered.connect(slot)
        if key is not None:
            action.setShortcut(QKeySequence(key))
        return action

    def _folder(self) -> str:
        """The folder whose name the keyboard is on."""
        is_there = self._view.hasFocus() and not self._view.chosen
        return self._model.folder_at(self._view.currentIndex()) if is_there else ""

    def _kept_ids(self) -> tuple[int, ...]:
        """A temporary conversation has no place among those that are kept."""
        return _ids([each for each in self.targets if not each.temporary])

    def _are_all_pinned(self) -> bool:
        kept = [each for each in self.targets if not each.temporary]
        return bool(kept) and all(each.pinned for each in kept)

    # What is chosen

    def _rename(self) -> None:
        if folder := self._folder():
            self.folder_rename_wanted.emit(folder)
        elif len(ids := self._kept_ids()) == 1:
            self.rename_wanted.emit(ids[0])

    def _pin(self) -> None:
        if ids := self._kept_ids():
            self.pin_wanted.emit(ids, not self._are_all_pinned())

    def _duplicate(self) -> None:
        if ids := self._kept_ids():
            self.duplicate_wanted.emit(ids)

    def _export(self, *_checked: bool, kind: FileFormat) -> None:
        if ids := _ids(self.targets):
            self.export_wanted.emit(ids, kind)

    def _delete(self) -> None:
        if folder := self._folder():
            self.folder_removal_wanted.emit(folder)
        elif ids := _ids(self.targets):
            self.delete_wanted.emit(ids)

    # What is possible

    def _offer(self, move: QMenu, export: QMenu) -> None:
        targets, kept = self.targets, self._kept_ids()
        self.name_pin()
        self.rename.setEnabled(len(kept) == 1 == len(targets))
        for action in (self.pin, self.duplicate, move.menuAction()):
            action.setEnabled(bool(kept))
        for action in (self.delete, export.menuAction()):
            action.setEnabled(bool(targets))

    def _offer_everything(self) -> None:
        # A key works whether or not a menu was opened before; where there is nothing to do it does nothing.
        for action in (self.rename, self.pin, self.duplicate, self.delete):
            action.setEnabled(True)


def _ids(conversations: Sequence[Conversation]) -> tuple[int, ...]:
    return tuple(each.id for each in conversations)

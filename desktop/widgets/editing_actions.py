"""Copy and undo in the window's menu: where one is typing they mean that, elsewhere the messages and the notices."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from desktop.widgets.actions import make_action
from desktop.widgets.conversation_page import ConversationPage
from desktop.widgets.notice_board import NoticeBoard
from desktop.widgets.prompt_field import PromptField


class EditingActions(QObject):
    """Offered in the menu where they would do something; as keys they can always be pressed."""

    def __init__(self, window: QWidget, field: PromptField, page: ConversationPage, board: NoticeBoard) -> None:
        super().__init__(window)
        self._field = field
        self._page = page
        self._board = board
        self.undo = make_action(window, self.tr("&Undo"), self._undo, QKeySequence.StandardKey.Undo)
        self.copy = make_action(window, self.tr("&Copy"), self._copy, QKeySequence.StandardKey.Copy)

    def fill_edit_menu(self, menu: QMenu) -> None:
        menu.addAction(self.undo)
        menu.addSeparator()
        menu.addAction(self.copy)
        menu.aboutToShow.connect(self._offer)
        menu.aboutToHide.connect(self._offer_all)

    @property
    def _can_undo_typing(self) -> bool:
        return self._field.hasFocus() and self._field.document().isUndoAvailable()

    def _undo(self) -> None:
        if self._can_undo_typing:
            self._field.undo()
        else:
            self._board.take_back()

    def _copy(self) -> None:
        if self._field.hasFocus():
            self._field.copy()
        else:
            self._page.transcript.copy()

    def _offer(self) -> None:
        marked = self._field.hasFocus() and self._field.textCursor().hasSelection()
        self.copy.setEnabled(marked or bool(self._page.transcript.selected_text()))
        self.undo.setEnabled(self._can_undo_typing or self._board.can_take_back)

    def _offer_all(self) -> None:
        self.copy.setEnabled(True)
        self.undo.setEnabled(True)

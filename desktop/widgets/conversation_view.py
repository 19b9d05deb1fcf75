"""The list in the sidebar: what mouse and keys do in it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QItemSelection, QItemSelectionModel, QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QDrag,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QKeyEvent,
    QMouseEvent,
    QPalette,
)
from PySide6.QtWidgets import QAbstractItemDelegate, QAbstractItemView, QFrame, QListView, QWidget

from desktop import wording
from desktop.conversations import Conversation
from desktop.groups import Group, GroupKind
from desktop.theme import Theme, control_font, scroll_bar_style
from desktop.widgets.conversation_delegate import ConversationDelegate
from desktop.widgets.conversation_model import ConversationModel, Index
from desktop.widgets.painting import recolour

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


if TYPE_CHECKING:
    from desktop.widgets.conversation_drag import FileMaker


class ConversationView(QListView):
    """The rows of a model. A click or Enter opens; with Ctrl or Shift rows are chosen; they can be dragged into a
    folder, or out of the window as files."""

    row_wanted = Signal(QModelIndex)  # Enter was pressed on it, or it was clicked: it is wanted
    fold_wanted = Signal(str)  # a folder is to be opened or folded
    dropped = Signal(object, object)  # ids of conversations, Group
    menu_wanted = Signal(QPoint)  # on the screen
    editing_ended = Signal()
    choice_changed = Signal()
    typed = Signal(str)  # a letter, for which the list itself has no use

    def __init__(self, model: ConversationModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._delegate = ConversationDelegate(theme, model, self, self)
        self._pointed = -1
        self._count = 0  # of the selected rows: it is asked for with each one that is painted
        self._modifiers = Qt.KeyboardModifier.NoModifier
        self._dropped_at: Group | None = None
        self._theme = theme
        self.make_files: FileMaker | None = None
        self.setModel(model)
        self.setItemDelegate(self._delegate)
        self._set_up()
        self.entered.connect(self._point_at)
        self.viewportEntered.connect(self._point_at)
        self.clicked.connect(self._on_clicked)
        self._delegate.closeEditor.connect(self._on_editor_closed)
        # Not Qt's virtual of that name: it is handed selections, of which Python makes a class for 10 ms.
        self.selectionModel().selectionChanged.connect(self._on_selection)

    @property
    def chosen(self) -> tuple[Conversation, ...]:
        """The selected conversations, from top to bottom."""
        selection = self.selectionModel().selection()
        parts = sorted((selection.at(n).top(), selection.at(n).bottom()) for n in range(selection.count()))
        return tuple(each for first, last in parts for each in self._model.between(first, last))

    @property
    def count(self) -> int:
        """How many that are."""
        return self._count

    @property
    def is_editing(self) -> bool:
        """Whether a name is being typed."""
        return self.state() is QAbstractItemView.State.EditingState

    def is_pointed_at(self, index: Index) -> bool:
        """Whether the mouse is over this row."""
        return index.row() == self._pointed

    def is_typed_at(self, index: Index) -> bool:
        """Whether the keyboard is on this row."""
        return self.hasFocus() and index == self.currentIndex()

    def is_chosen(self, index: Index) -> bool:
        """Whether this row is one of several that are selected."""
        return self._count > 1 and self.selectionModel().isSelected(self._model.index(index.row(), 0))

    def is_dropped_at(self, index: Index) -> bool:
        """Whether what is being dragged would go where this row is the name of."""
        return self._dropped_at is not None and self._model.at(index.row()) is self._dropped_at

    def choose(self, conversations: Collection[int]) -> None:
        """Select these, as far as they are to be seen; the keyboard stays where it is."""
        chosen = QItemSelection()
        for first, last in _runs(self._model.rows_of(conversations)):
            chosen.select(self._model.index(first, 0), self._model.index(last, 0))
        self.selectionModel().select(chosen, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def go_to(self, row: int | None) -> None:
        """Put the keyboard on this row and select it alone, or on none. Qt's own way, `setCurrentIndex`, would look at
        the keys that are held: Ctrl, while one walks through the conversations with Ctrl+Tab."""
        if row is None:
            self.setCurrentIndex(QModelIndex())  # from now on the list does not go to its first row by itself
            self.clearSelection()
            return
        index = self._model.index(row, 0)
        self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        self.scrollTo(index)

    def put_keyboard_on(self, row: int) -> None:
        """On this row, whatever is selected."""
        self.selectionModel().setCurrentIndex(self._model.index(row, 0), QItemSelectionModel.SelectionFlag.NoUpdate)

    def put_keyboard_near(self, row: int) -> None:
        """On this row or the next one that can be chosen, else the one before it."""
        rows = (*range(row, self._model.rowCount()), *range(min(row, self._model.rowCount()) - 1, -1, -1))
        self.go_to(next((each for each in rows if isinstance(self._model.at(each), Conversation)), None))

    def go_to_first(self) -> None:
        """On the first conversation."""
        self.put_keyboard_near(0)

    def let_go(self) -> None:
        """Select no more than the row that the keyboard is on."""
        self.selectionModel().select(self.currentIndex(), QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._delegate.theme = theme
        self.verticalScrollBar().setStyleSheet(scroll_bar_style(theme))
        recolour(self, QPalette.ColorRole.Base, theme.background)

    # What Qt tells it

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._point_at(None)

    def event(self, event: QEvent) -> bool:
        # Escape lets go of several first; only then does it mean what it means in the window.
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Escape
            and self._count > 1
        ):
            event.accept()
            return True
        return super().event(event)

    def keyboardSearch(self, search: str) -> None:  # noqa: N802 - Qt's virtual
        self.typed.emit(search)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.currentIndex()
        folder = self._model.folder_at(index)
        if self.is_editing:
            return  # Enter, which the field has no use for: it ends the editing, and that is all it does
        if event.key() in _ENTER and index.isValid():
            self._want(index)
        elif folder and event.key() in self._keys_that_fold(folder):
            self.fold_wanted.emit(folder)
        elif event.key() == Qt.Key.Key_Escape and self._count > 1:
            self.let_go()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            index = self.currentIndex()
            place = self.viewport().mapToGlobal(self.visualRect(index).center())
        else:
            index, place = self.indexAt(event.pos()), event.globalPos()
        if index.isValid():
            self.menu_wanted.emit(place)

    def reset(self) -> None:
        super().reset()
        self._count = 0

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._modifiers = event.modifiers()
        super().mouseReleaseEvent(event)

    # Dragging

    def startDrag(self, _actions: Qt.DropAction) -> None:  # noqa: N802 - Qt's virtual
        from desktop.widgets.conversation_drag import ConversationMime, picture_of

        # Nothing of a temporary one is written unless somebody asks for a file of it.
        chosen = tuple(each for each in self.chosen if not each.temporary)
        if not chosen:
            return
        drag = QDrag(self)
        drag.setMimeData(ConversationMime([each.id for each in chosen], self.make_files))
        drag.setPixmap(picture_of(self._words_for(chosen), self._theme, self.devicePixelRatioF()))
        drag.setHotSpot(QPoint(-12, -8))
        drag.exec(Qt.DropAction.CopyAction)
        self._mark_drop(None)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _dragged(event):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        super().dragMoveEvent(event)  # scrolls where the mouse is near an edge
        group = self._group_under(event.position().toPoint())
        self._mark_drop(group)
        if group is not None and _dragged(event):
            event.acceptProposedAction()
        else:
            event.ignore()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        super().dragLeaveEvent(event)
        self._mark_drop(None)

    def dropEvent(self, event: QDropEvent) -> None:
        conversations = _dragged(event)
        group = self._group_under(event.position().toPoint())
        self._mark_drop(None)
        self.setState(QAbstractItemView.State.NoState)
        if group is not None and conversations:
            event.acceptProposedAction()
            self.dropped.emit(conversations, group)

    # Helpers

    def _set_up(self) -> None:
        self.setFont(control_font())
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setUniformItemSizes(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setDragEnabled(True)
        self.setAcceptDrops(True)
        self.setDropIndicatorShown(False)
        self.setAccessibleName(self.tr("Conversations"))

    def _on_selection(self) -> None:
        self._count = len(self.chosen)
        self.viewport().update()  # from one to several, the first is painted otherwise too
        self.choice_changed.emit()

    def _want(self, index: Index) -> None:
        folder = self._model.folder_at(index)
        if folder:
            self.fold_wanted.emit(folder)
        else:
            self.row_wanted.emit(index)

    def _on_clicked(self, index: QModelIndex) -> None:
        if self._modifiers == Qt.KeyboardModifier.NoModifier:
            self._want(index)

    def _keys_that_fold(self, folder: str) -> tuple[Qt.Key, ...]:
        """Left folds and Right opens, the other way round where one reads from the right."""
        keys = [Qt.Key.Key_Left, Qt.Key.Key_Right]
        opens = (folder in self._model.folded) != self.isRightToLeft()
        return (Qt.Key.Key_Space, keys[opens])

    def _point_at(self, index: QModelIndex | None = None) -> None:
        # Qt itself paints the rows anew that the mouse enters and leaves.
        self._pointed = -1 if index is None else index.row()

    def _on_editor_closed(self, _editor: QWidget, _hint: QAbstractItemDelegate.EndEditHint) -> None:
        self.editing_ended.emit()

    def _group_under(self, place: QPoint) -> Group | None:
        index = self.indexAt(place)
        group = self._model.group_at(index.row()) if index.isValid() else None
        return None if group is None or group.kind is GroupKind.TEMPORARY else group

    def _mark_drop(self, group: Group | None) -> None:
        if group is not self._dropped_at:
            self._dropped_at = group
            self.viewport().update()

    def _words_for(self, conversations: tuple[Conversation, ...]) -> str:
        """What hangs at the mouse: a title, or how many there are."""
        if len(conversations) > 1:
            return self.tr("{count} conversations").format(count=wording.whole(len(conversations)))
        return self._model.words_of(conversations[0])


def _dragged(event: QDropEvent) -> tuple[int, ...]:
    from desktop.widgets.conversation_drag import conversations_in  # not before the first paint

    return conversations_in(event.mimeData())


def _runs(rows: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The first and the last of what follows upon one another in `rows`, which rise."""
    begin = 0
    for place in range(1, len(rows) + 1):
        if place == len(rows) or rows[place] != rows[place - 1] + 1:
            yield rows[begin], rows[place - 1]
            begin = place

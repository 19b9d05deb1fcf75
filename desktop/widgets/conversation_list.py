"""The sidebar: all conversations, the newest first, in groups by day."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QLabel,
    QListView,
    QStackedLayout,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from desktop.conversations import Conversation
from desktop.theme import Theme, control_font, figure_font, scroll_bar_style
from desktop.widgets.buttons import Button
from desktop.widgets.painting import Emblem, fill, paint_box, paint_focus_ring, recolour

_ID = Qt.ItemDataRole.UserRole
_ROW_HEIGHT = 36  # of conversations and of the names of groups
_Index = QModelIndex | QPersistentModelIndex


def today() -> date:
    """The day it is here."""
    return datetime.now().astimezone().date()


class ConversationList(QWidget):
    """The list with its head. A click or Enter opens a conversation; the open one is marked."""

    opened = Signal(int)  # conversation id
    new_wanted = Signal()
    fold_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None, today: Callable[[], date] = today) -> None:
        super().__init__(parent)
        self._theme = theme
        self._model = _Model(today, self)
        self.view = _View(self._model, theme)
        self.new_button = Button(theme, name=self.tr("New conversation (Ctrl+N)"), icon_name="plus")
        self.new_button.clicked.connect(self.new_wanted)
        self.fold_button = Button(theme, name=self.tr("Hide the sidebar (Ctrl+B)"), icon_name="sidebar")
        self.fold_button.clicked.connect(self.fold_wanted)
        self._empty = QLabel(self.tr("Conversations are kept here, on this machine."))
        self._name = QLabel(self.tr("Headwater"))
        self._lay_out()
        self.view.clicked.connect(self._open)
        self.view.enter_pressed.connect(self._open)
        self.set_theme(theme)
        self.show_conversations(())

    def show_conversations(self, conversations: Sequence[Conversation]) -> None:
        """Show these, the newest first; what was open stays marked, and the list where it was scrolled to."""
        place = self.view.verticalScrollBar().value()
        self._model.replace(conversations)
        self.view.verticalScrollBar().setValue(place)
        self._mark_current()
        self._body.setCurrentIndex(1 if conversations else 0)

    def set_current(self, conversation: int | None) -> None:
        """Mark the one that is open; `None` for a new one, which is not in the list yet."""
        before = self._model.opened_row()
        self._model.opened = conversation
        self._mark_current()
        for row in (before, self._model.opened_row()):
            if row is not None:
                self.view.update(self._model.index(row, 0))

    def titles(self) -> tuple[str, ...]:
        """What is shown from top to bottom, the groups' names included."""
        return tuple(str(self._model.index(row, 0).data()) for row in range(self._model.rowCount()))

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.new_button.set_theme(theme)
        self.fold_button.set_theme(theme)
        self.view.set_theme(theme)
        recolour(self._empty, QPalette.ColorRole.WindowText, theme.muted)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        fill(painter, self.rect(), self._theme.background)
        painter.end()

    def _lay_out(self) -> None:
        self._name.setFont(_strong(control_font()))
        head = QHBoxLayout()
        head.setContentsMargins(16, 8, 8, 8)
        head.setSpacing(4)
        head.addWidget(Emblem(24))
        head.addSpacing(4)
        head.addWidget(self._name, 1)
        head.addWidget(self.fold_button)
        head.addWidget(self.new_button)
        self._empty.setFont(control_font())
        self._empty.setWordWrap(True)
        self._empty.setContentsMargins(16, 16, 16, 16)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._body = QStackedLayout()
        self._body.addWidget(self._empty)
        self._body.addWidget(self.view)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addLayout(self._body, 1)

    def _open(self, index: QModelIndex) -> None:
        conversation = index.data(_ID)
        if conversation is not None:
            self.opened.emit(conversation)

    def _mark_current(self) -> None:
        row = self._model.opened_row()
        self.view.setCurrentIndex(QModelIndex() if row is None else self._model.index(row, 0))


@dataclass(frozen=True, slots=True)
class _Group:
    """A line that names the days below it."""

    name: str


class _Model(QAbstractListModel):
    """Conversations with the names of their groups between them."""

    def __init__(self, today: Callable[[], date], parent: QObject) -> None:
        super().__init__(parent)
        self._today = today
        self._rows: list[Conversation | _Group] = []
        self.opened: int | None = None

    def replace(self, conversations: Sequence[Conversation]) -> None:
        self.beginResetModel()
        self._rows = []
        now, last = self._today(), ""
        for conversation in conversations:
            name = self._group(conversation.updated.astimezone().date(), now)
            if name != last:
                self._rows.append(_Group(name))
                last = name
            self._rows.append(conversation)
        self.endResetModel()

    def opened_row(self) -> int | None:
        rows = enumerate(self._rows)
        return next((n for n, row in rows if isinstance(row, Conversation) and row.id == self.opened), None)

    def is_opened(self, index: _Index) -> bool:
        return self.opened is not None and index.data(_ID) == self.opened

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self._rows[index.row()]
        if isinstance(row, _Group):
            return row.name if role == Qt.ItemDataRole.DisplayRole else None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return row.title or self.tr("New conversation")
        return row.id if role == _ID else None

    def flags(self, index: _Index) -> Qt.ItemFlag:
        if isinstance(self._rows[index.row()], _Group):
            return Qt.ItemFlag.NoItemFlags  # the arrow keys step over it
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren

    def _group(self, day: date, now: date) -> str:
        if day >= now:
            return self.tr("Today")
        if day == now - timedelta(days=1):
            return self.tr("Yesterday")
        if day > now - timedelta(days=7):
            return self.tr("Last seven days")
        return f"{day:%B}" if day.year == now.year else f"{day:%B %Y}"


class _View(QListView):
    """The list itself, with Enter of its own: not every platform activates on it.

    It says where the mouse and the keyboard are, which a style option would say too: but its flags are QStyle's, and
    to make Python's half of QStyle takes as long as all of this list.
    """

    enter_pressed = Signal(QModelIndex)

    def __init__(self, model: _Model, theme: Theme) -> None:
        super().__init__()
        self._delegate = _Delegate(theme, self)
        self._pointed = -1
        self.setModel(model)
        self.setItemDelegate(self._delegate)
        self.setFont(control_font())
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        self.entered.connect(self._point_at)
        self.viewportEntered.connect(self._point_at)
        self.setUniformItemSizes(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setAccessibleName(self.tr("Conversations"))

    def is_pointed_at(self, index: _Index) -> bool:
        """Whether the mouse is over this row."""
        return index.row() == self._pointed

    def is_typed_at(self, index: _Index) -> bool:
        """Whether the keyboard is on this row."""
        return self.hasFocus() and index == self.currentIndex()

    def set_theme(self, theme: Theme) -> None:
        self._delegate.theme = theme
        self.verticalScrollBar().setStyleSheet(scroll_bar_style(theme))
        recolour(self, QPalette.ColorRole.Base, theme.background)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._point_at(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.enter_pressed.emit(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def _point_at(self, index: QModelIndex | None = None) -> None:
        # Qt itself paints the rows anew that the mouse enters and leaves.
        self._pointed = -1 if index is None else index.row()


class _Delegate(QStyledItemDelegate):
    """Paints a row: the open one on the bubble's colour, the one the keyboard is on in a ring."""

    def __init__(self, theme: Theme, view: _View) -> None:
        super().__init__(view)
        self._view = view
        self.theme = theme

    def sizeHint(self, _option: QStyleOptionViewItem, _index: _Index) -> QSize:
        return QSize(80, _ROW_HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        painter.save()
        place: QRect = option.rect
        if _is_group(index):
            self._paint_group(painter, place, str(index.data()))
        else:
            self._paint_conversation(painter, place, index)
        painter.restore()

    def _paint_group(self, painter: QPainter, place: QRect, name: str) -> None:
        font = figure_font()
        font.setCapitalization(QFont.Capitalization.AllUppercase)
        font.setLetterSpacing(QFont.SpacingType.PercentageSpacing, 106)
        painter.setFont(font)
        painter.setPen(self.theme.muted)
        below = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom
        painter.drawText(place.adjusted(16, 0, -16, -6), below, name)

    def _paint_conversation(self, painter: QPainter, place: QRect, index: _Index) -> None:
        box = place.adjusted(8, 1, -8, -1)
        model = index.model()
        opened = isinstance(model, _Model) and model.is_opened(index)
        if opened or self._view.is_pointed_at(index):
            paint_box(painter, box, fill=self.theme.bubble if opened else self.theme.code)
        if self._view.is_typed_at(index):
            paint_focus_ring(painter, box, self.theme.accent)
        font = _strong(control_font()) if opened else control_font()
        painter.setFont(font)
        painter.setPen(self.theme.text)
        words = box.adjusted(8, 0, -8, 0)
        title = " ".join(str(index.data()).split())
        elided = QFontMetrics(font).elidedText(title, Qt.TextElideMode.ElideRight, words.width())
        painter.drawText(words, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, elided)


def _is_group(index: _Index) -> bool:
    return index.data(_ID) is None


def _strong(font: QFont) -> QFont:
    font.setWeight(QFont.Weight.DemiBold)
    return font

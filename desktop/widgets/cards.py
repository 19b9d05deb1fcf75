"""A list of cards of three lines, a figure and perhaps a bar; thousands cost no more than those that are seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QPainter, QPalette, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from desktop.theme import Theme, control_font, figure_font, scroll_bar_style
from desktop.widgets.conversation_delegate import strong
from desktop.widgets.painting import paint_box, paint_focus_ring, recolour
from desktop.widgets.tips import as_tip

Index = QModelIndex | QPersistentModelIndex

_PADDING = 12
_BAR = 4


class Tone(StrEnum):
    """How the last line of a card is meant."""

    QUIET = "quiet"
    GOOD = "good"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Card:
    """What one row shows. `key` tells it from the others, `figure` stands at the right of its title, `fraction` is how
    far a bar below it is, `None` without one."""

    key: str
    title: str
    details: str = ""
    note: str = ""
    tone: Tone = Tone.QUIET
    figure: str = ""
    fraction: float | None = None

    @property
    def spoken(self) -> str:
        """All of it, for a screen reader."""
        return ". ".join(part for part in (self.title, self.figure, self.details, self.note) if part)


class CardList(QListView):
    """Cards from top to bottom; one of them is the current one."""

    current_changed = Signal(object)  # its key, `None` where there is none
    chosen = Signal(str)  # by Enter or a double click
    menu_wanted = Signal(QPoint)  # where on the screen
    delete_wanted = Signal()

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self._cards = _Cards(self)
        self._delegate = _CardPainter(theme, self._cards, self)
        self.setAccessibleName(name)
        self.setModel(self._cards)
        self.setItemDelegate(self._delegate)
        self.setUniformItemSizes(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._ask_for_menu)
        self.doubleClicked.connect(self._choose)
        self.set_theme(theme)

    @property
    def cards(self) -> tuple[Card, ...]:
        return tuple(self._cards.cards)

    @property
    def key(self) -> str | None:
        """Of the current card."""
        index = self.currentIndex()
        return self._cards.cards[index.row()].key if index.isValid() else None

    def show_cards(self, cards: Sequence[Card]) -> None:
        """Show these. Where the same ones only say something else, nothing moves."""
        before = self.key
        if self._cards.replace(cards):
            self._select(before)
            if self.key != before:
                self.current_changed.emit(self.key)

    def change(self, card: Card) -> None:
        """Show this card in place of the one of its key."""
        self._cards.change(card)

    def select(self, key: str) -> None:
        """Make the card of this key the current one, where it is there."""
        self._select(key)

    def set_theme(self, theme: Theme) -> None:
        self._delegate.theme = theme
        recolour(self, QPalette.ColorRole.Base, theme.surface)
        self.verticalScrollBar().setStyleSheet(scroll_bar_style(theme))
        self.scheduleDelayedItemsLayout()
        self.viewport().update()

    def currentChanged(self, current: Index, previous: Index) -> None:  # noqa: N802 - Qt's virtual
        super().currentChanged(current, previous)
        self.current_changed.emit(self.key)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The current card stays in sight, where it was."""
        current = self.currentIndex()
        was_seen = current.isValid() and self.visualRect(current).intersects(QRect(QPoint(), event.oldSize()))
        super().resizeEvent(event)
        if was_seen:
            self.scrollTo(current)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.key is not None:
            self.chosen.emit(self.key)
        elif event.key() == Qt.Key.Key_Delete and self.key is not None:
            self.delete_wanted.emit()
        else:
            super().keyPressEvent(event)

    def sizeHint(self) -> QSize:
        return QSize(320, self._delegate.height)  # it takes what room there is, and asks for none

    def minimumSizeHint(self) -> QSize:
        return QSize(200, self._delegate.height)

    def _select(self, key: str | None) -> None:
        row = self._cards.row_of(key)
        if row is None and self._cards.cards:
            row = 0
        self.setCurrentIndex(QModelIndex() if row is None else self._cards.index(row))

    def _choose(self) -> None:
        if self.key is not None:
            self.chosen.emit(self.key)

    def _ask_for_menu(self, place: QPoint) -> None:
        if self.indexAt(place).isValid():
            self.menu_wanted.emit(self.viewport().mapToGlobal(place))


class _Cards(QAbstractListModel):
    def __init__(self, parent: CardList) -> None:
        super().__init__(parent)
        self.cards: list[Card] = []
        self._rows: dict[str, int] = {}

    def replace(self, cards: Sequence[Card]) -> bool:
        """Whether these are others than before, and not the same ones anew."""
        if [card.key for card in cards] == [card.key for card in self.cards]:
            for row, card in enumerate(cards):
                self._put(row, card)
            return False
        self.beginResetModel()
        self.cards = list(cards)
        self._rows = {card.key: row for row, card in enumerate(cards)}
        self.endResetModel()
        return True

    def change(self, card: Card) -> None:
        if (row := self._rows.get(card.key)) is not None:
            self._put(row, card)

    def row_of(self, key: str | None) -> int | None:
        return None if key is None else self._rows.get(key)

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.cards)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: ANN401 - Qt's own
        if not index.isValid():
            return None
        card = self.cards[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return card.title
            case Qt.ItemDataRole.AccessibleTextRole:
                return card.spoken
            case Qt.ItemDataRole.ToolTipRole:
                return as_tip("\n".join(part for part in (card.title, card.details, card.note) if part))
            case _:
                return None

    def _put(self, row: int, card: Card) -> None:
        if self.cards[row] != card:
            self.cards[row] = card
            self.dataChanged.emit(self.index(row), self.index(row))


class _CardPainter(QStyledItemDelegate):
    def __init__(self, theme: Theme, cards: _Cards, view: CardList) -> None:
        super().__init__(view)
        self.theme = theme
        self._cards = cards
        self._view = view

    @property
    def height(self) -> int:
        title, line = QFontMetrics(control_font()).height(), QFontMetrics(figure_font()).height()
        return 8 + title + 2 + 2 * line + 2 * _BAR + 8

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(200, self.height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        card, place = self._cards.cards[index.row()], QRect(option.rect)
        painter.save()
        box = place.adjusted(4, 1, -4, -1)
        is_current = index == self._view.currentIndex()
        if is_current or option.state & QStyle.StateFlag.State_MouseOver:
            paint_box(painter, box, fill=self.theme.bubble if is_current else self.theme.code)
        if is_current and self._view.hasFocus():
            paint_focus_ring(painter, box, self.theme.accent)
        self._write(painter, card, box.adjusted(_PADDING, 7, -_PADDING, -7))
        painter.restore()

    def _write(self, painter: QPainter, card: Card, room: QRect) -> None:
        title_font, line_font = strong(control_font()), figure_font()
        title_height, line_height = QFontMetrics(title_font).height(), QFontMetrics(line_font).height()
        width = QFontMetrics(line_font).horizontalAdvance(card.figure)
        first = QRect(room.left(), room.top(), room.width(), title_height)
        self._line(painter, first.adjusted(0, 0, -width - 8, 0), card.title, self.theme.text, title_font)
        if card.figure:
            figure = QRect(room.right() - width, room.top(), width + 1, title_height)
            self._line(painter, figure, card.figure, self.theme.muted, line_font)
        second = QRect(room.left(), first.bottom() + 3, room.width(), line_height)
        self._line(painter, second, card.details, self.theme.muted, line_font)
        third = QRect(room.left(), second.bottom() + 1, room.width(), line_height)
        self._line(painter, third, card.note, self._ink(card.tone), line_font)
        if card.fraction is not None:
            self._bar(painter, QRect(room.left(), third.bottom() + 4, room.width(), _BAR), card.fraction)

    def _line(self, painter: QPainter, place: QRect, words: str, ink: QColor, font: QFont) -> None:
        painter.setFont(font)
        painter.setPen(ink)
        line = QFontMetrics(font).elidedText(" ".join(words.split()), Qt.TextElideMode.ElideRight, place.width())
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, line)

    def _bar(self, painter: QPainter, place: QRect, fraction: float) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        rail = QRectF(place)
        for ink, width in ((self.theme.border, 1.0), (self.theme.accent, max(0.0, min(1.0, fraction)))):
            painter.setBrush(ink)
            painter.drawRoundedRect(QRectF(rail.left(), rail.top(), rail.width() * width, rail.height()), 2, 2)

    def _ink(self, tone: Tone) -> QColor:
        match tone:
            case Tone.QUIET:
                return self.theme.muted
            case Tone.GOOD:
                return self.theme.decode
            case Tone.WARNING:
                return self.theme.warning
            case Tone.ERROR:
                return self.theme.error

"""What a search found: titles and excerpts with the words marked in them, the best first."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QPainter, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from desktop.hits import Hit
from desktop.theme import Theme, control_font, figure_font, scroll_bar_style
from desktop.widgets.conversation_delegate import strong
from desktop.widgets.conversation_model import Index
from desktop.widgets.marked_text import MarkedText, Marks, in_one_line
from desktop.widgets.painting import paint_box, paint_focus_ring, recolour
from desktop.widgets.tips import as_tip

_EXCERPT_LINES = 2
_SPACES = dict.fromkeys(map(ord, "\n\r\t\u2028\u2029"), " ")  # a title is one line, and its letters keep their places
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class SearchResults(QListView):
    """A list of hits. A click or Enter wants one."""

    wanted = Signal(object)  # Hit
    left_upwards = Signal()
    left = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._hits = _Hits(self)
        self._delegate = _Delegate(theme, self)
        self._pointed = -1
        self.setModel(self._hits)
        self.setItemDelegate(self._delegate)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setUniformItemSizes(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("Found"))
        self.entered.connect(self._point_at)
        self.viewportEntered.connect(self._point_at)
        self.clicked.connect(self._want)
        self.set_theme(theme)

    @property
    def hits(self) -> tuple[Hit, ...]:
        """What is shown."""
        return self._hits.hits

    def show_hits(self, hits: Sequence[Hit]) -> None:
        """Show these, the best first; the keyboard stays on the hit it is on, if that is still there."""
        current = self.currentIndex()
        kept = _name_of(self.hit_at(current)) if current.isValid() else None
        self._hits.replace(tuple(hits))
        self._pointed = -1
        row = next((row for row, hit in enumerate(hits) if _name_of(hit) == kept), None)
        if row is not None:
            self.setCurrentIndex(self._hits.index(row, 0))

    def begin(self) -> None:
        """Put the keyboard on the first one."""
        if self._hits.hits:
            self.setCurrentIndex(self._hits.index(0, 0))
            self.setFocus(Qt.FocusReason.OtherFocusReason)

    def want_first(self) -> None:
        """Want the best one."""
        if self._hits.hits:
            self.setCurrentIndex(self._hits.index(0, 0))
            self._want(self.currentIndex())

    def hit_at(self, index: Index) -> Hit:
        return self._hits.hits[index.row()]

    def is_pointed_at(self, index: Index) -> bool:
        """Whether the mouse is over this row."""
        return index.row() == self._pointed

    def is_typed_at(self, index: Index) -> bool:
        """Whether the keyboard is on this row."""
        return self.hasFocus() and index == self.currentIndex()

    def set_theme(self, theme: Theme) -> None:
        self._delegate.theme = theme
        self.verticalScrollBar().setStyleSheet(scroll_bar_style(theme))
        recolour(self, QPalette.ColorRole.Base, theme.background)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _ENTER and self.currentIndex().isValid():
            self._want(self.currentIndex())
        elif event.key() == Qt.Key.Key_Up and self.currentIndex().row() <= 0:
            self.left_upwards.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def _want(self, index: QModelIndex) -> None:
        self.wanted.emit(self.hit_at(index))

    def _point_at(self, index: QModelIndex | None = None) -> None:
        self._pointed = -1 if index is None else index.row()
        self.viewport().update()


class _Hits(QAbstractListModel):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.hits: tuple[Hit, ...] = ()

    def replace(self, hits: tuple[Hit, ...]) -> None:
        self.beginResetModel()
        self.hits = hits
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.hits)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        hit = self.hits[index.row()]
        title = hit.conversation.title or self.tr("New conversation")
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return title
            case Qt.ItemDataRole.ToolTipRole:
                return as_tip(title)
            case Qt.ItemDataRole.AccessibleTextRole if hit.turn is not None:
                return f"{title}: {in_one_line(hit.excerpt)[0]}"
            case Qt.ItemDataRole.AccessibleTextRole:
                return self.tr("{title}, found in the title").format(title=title)
        return None


class _Delegate(QStyledItemDelegate):
    """A title, and below it what was found, with the words marked."""

    def __init__(self, theme: Theme, view: SearchResults) -> None:
        super().__init__(view)
        self._view = view
        self.theme = theme

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(80, 16 + self._title_height() + _EXCERPT_LINES * QFontMetrics(figure_font()).lineSpacing() + 2)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        place: QRect = option.rect
        box = place.adjusted(8, 1, -8, -1)
        hit = self._view.hit_at(index)
        if self._view.is_pointed_at(index):
            paint_box(painter, box, fill=self.theme.code)
        if self._view.is_typed_at(index):
            paint_focus_ring(painter, box, self.theme.accent)
        words = box.adjusted(8, 6, -8, -6)
        painter.setPen(self.theme.text)
        title = QRect(words.left(), words.top(), words.width(), self._title_height())
        self._write(painter, title, *_title_of(hit, str(index.data())), strong(control_font()), lines=1)
        painter.setPen(self.theme.muted if hit.turn is None else self.theme.text)
        excerpt = words.adjusted(0, self._title_height() + 2, 0, 0)
        self._write(painter, excerpt, *self._below(hit), figure_font(), lines=_EXCERPT_LINES)
        painter.restore()

    def _below(self, hit: Hit) -> tuple[str, Marks]:
        if hit.turn is not None:
            return in_one_line(hit.excerpt, hit.marks)
        day = hit.conversation.updated.astimezone().date()
        return (f"{hit.conversation.folder} · {day:%Y-%m-%d}" if hit.conversation.folder else f"{day:%Y-%m-%d}"), ()

    def _write(self, painter: QPainter, place: QRect, text: str, marks: Marks, font: QFont, *, lines: int) -> None:
        side = Qt.AlignmentFlag.AlignRight if self._view.isRightToLeft() else Qt.AlignmentFlag.AlignLeft
        marked = MarkedText(text, marks, font, place.width(), lines)
        marked.paint(painter, place, self.theme.find_hit, self.theme.text, side | Qt.AlignmentFlag.AlignAbsolute)

    def _title_height(self) -> int:
        return QFontMetrics(control_font()).lineSpacing() + 2


def _title_of(hit: Hit, title: str) -> tuple[str, Marks]:
    return (hit.excerpt.translate(_SPACES), hit.marks) if hit.turn is None else (title.translate(_SPACES), ())


def _name_of(hit: Hit) -> tuple[int, int | None]:
    return hit.conversation.id, hit.turn

"""How the rows of the sidebar are painted, and where their names are typed anew."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QAbstractItemModel, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QLineEdit, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from desktop.conversations import Conversation
from desktop.groups import Group, GroupKind
from desktop.theme import Theme, control_font, figure_font, paint_icon
from desktop.widgets.conversation_model import ConversationModel, Index
from desktop.widgets.line_field import LineField
from desktop.widgets.painting import paint_box, paint_focus_ring

ROW_HEIGHT = 36  # of conversations and of the names of groups
DOT = 6  # beside a conversation whose reply is being written
CHEVRON = 14


class Pointing(Protocol):
    """What a view knows of mouse and keyboard. A style option would say it too: but its flags are QStyle's, and to make
    Python's half of QStyle takes as long as all of this list."""

    def is_pointed_at(self, index: Index) -> bool: ...
    def is_typed_at(self, index: Index) -> bool: ...
    def is_chosen(self, index: Index) -> bool: ...
    def is_dropped_at(self, index: Index) -> bool: ...


class ConversationDelegate(QStyledItemDelegate):
    """Paints a row: the open one on the bubble's colour, the one the keyboard is on in a ring."""

    def __init__(self, theme: Theme, model: ConversationModel, view: QWidget, pointing: Pointing) -> None:
        super().__init__(view)
        self._model = model
        self._view = view
        self._pointing = pointing
        self.theme = theme

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(80, ROW_HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        place: QRect = option.rect
        row = self._model.at(index.row())
        if isinstance(row, Conversation):
            self._paint_conversation(painter, place, index, row)
        elif row.kind is GroupKind.FOLDER:
            self._paint_folder(painter, place, index, row)
        else:
            self._paint_group(painter, place, self._model.words_of(row))
        if self._pointing.is_dropped_at(index):
            paint_focus_ring(painter, _box(place), self.theme.accent)
        painter.restore()

    def createEditor(self, parent: QWidget, _option: QStyleOptionViewItem, index: Index) -> QWidget:
        is_folder = bool(self._model.folder_at(index))
        name = self.tr("Name of the folder") if is_folder else self.tr("Title of the conversation")
        field = LineField(self.theme, name, "")
        field.setParent(parent)
        return field

    def updateEditorGeometry(  # noqa: N802 - Qt's virtual
        self, editor: QWidget, option: QStyleOptionViewItem, _index: Index
    ) -> None:
        place: QRect = option.rect
        editor.setGeometry(place.adjusted(8, 2, -8, -2))

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:  # noqa: N802 - Qt's
        if isinstance(editor, QLineEdit):
            model.setData(index, editor.text())

    def _paint_group(self, painter: QPainter, place: QRect, name: str) -> None:
        font = figure_font()
        font.setCapitalization(QFont.Capitalization.AllUppercase)
        font.setLetterSpacing(QFont.SpacingType.PercentageSpacing, 106)
        painter.setFont(font)
        painter.setPen(self.theme.muted)
        words = place.adjusted(16, 0, -16, -6)
        name = QFontMetrics(font).elidedText(name, Qt.TextElideMode.ElideRight, words.width())
        painter.drawText(words, self._leading() | Qt.AlignmentFlag.AlignBottom, name)

    def _paint_folder(self, painter: QPainter, place: QRect, index: Index, folder: Group) -> None:
        box = _box(place)
        if self._pointing.is_pointed_at(index):
            paint_box(painter, box, fill=self.theme.code)
        if self._pointing.is_typed_at(index):
            paint_focus_ring(painter, box, self.theme.accent)
        is_folded = self._model.is_folded(folder)
        chevron = QRect(box.left() + 6, box.center().y() - CHEVRON // 2 + 1, CHEVRON, CHEVRON)
        self._paint_chevron(painter, self._turned(chevron, box), is_folded=is_folded)
        words = box.adjusted(26, 0, -8, 0)
        if is_folded:
            words = self._paint_count(painter, words, len(folder.conversations))
        painter.setFont(strong(figure_font()))
        painter.setPen(self.theme.muted)
        self._write(painter, self._turned(words, box), folder.name)

    def _paint_chevron(self, painter: QPainter, place: QRect, *, is_folded: bool) -> None:
        painter.save()
        if is_folded and self._is_mirrored:
            painter.translate(2 * place.center().x() + 1, 0)
            painter.scale(-1, 1)
        paint_icon(painter, "chevron-right" if is_folded else "chevron-down", self.theme.muted, QRectF(place))
        painter.restore()

    def _paint_count(self, painter: QPainter, words: QRect, count: int) -> QRect:
        """How many a folded folder holds; returns what room is left."""
        font, text = figure_font(), str(count)
        width = QFontMetrics(font).horizontalAdvance(text)
        place = QRect(words.right() - width, words.top(), width + 1, words.height())
        painter.setFont(font)
        painter.setPen(self.theme.muted)
        painter.drawText(self._turned(place, words.adjusted(-26, 0, 8, 0)), Qt.AlignmentFlag.AlignVCenter, text)
        return words.adjusted(0, 0, -width - 8, 0)

    def _paint_conversation(self, painter: QPainter, place: QRect, index: Index, conversation: Conversation) -> None:
        box = _box(place)
        opened = conversation.id == self._model.opened
        if self._pointing.is_chosen(index):
            paint_box(painter, box, fill=self.theme.selection)
        elif opened or self._pointing.is_pointed_at(index):
            paint_box(painter, box, fill=self.theme.bubble if opened else self.theme.code)
        if self._pointing.is_typed_at(index):
            paint_focus_ring(painter, box, self.theme.accent)
        words = box.adjusted(8, 0, -8, 0)
        if conversation.temporary:
            icon = QRect(words.left(), box.center().y() - 7, 16, 16)
            paint_icon(painter, "temporary", self.theme.muted, QRectF(self._turned(icon, box)))
            words.setLeft(words.left() + 24)
        if conversation.id in self._model.busy:
            self._paint_dot(painter, self._turned(QRect(words.right() - DOT, box.center().y() - 2, DOT, DOT), box))
            words.setRight(words.right() - DOT - 8)
        painter.setFont(strong(control_font()) if opened else control_font())
        painter.setPen(self.theme.text)
        self._write(painter, self._turned(words, box), self._model.words_of(conversation))

    def _paint_dot(self, painter: QPainter, place: QRect) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.theme.decode)
        painter.drawEllipse(QRectF(place))

    def _write(self, painter: QPainter, place: QRect, text: str) -> None:
        line = " ".join(text.split())
        elided = QFontMetrics(painter.font()).elidedText(line, Qt.TextElideMode.ElideRight, place.width())
        # What was cut off is where the title's own writing ends.
        painter.setLayoutDirection(Qt.LayoutDirection.LayoutDirectionAuto)
        painter.drawText(place, self._leading() | Qt.AlignmentFlag.AlignVCenter, elided)

    @property
    def _is_mirrored(self) -> bool:
        return self._view.isRightToLeft()

    def _leading(self) -> Qt.AlignmentFlag:
        """Where a line begins. Absolute: a painter would turn `AlignLeft` over where a title is written from the
        right, and titles stand in one column whatever they are written in."""
        side = Qt.AlignmentFlag.AlignRight if self._is_mirrored else Qt.AlignmentFlag.AlignLeft
        return side | Qt.AlignmentFlag.AlignAbsolute

    def _turned(self, place: QRect, within: QRect) -> QRect:
        """The place on the other side, where the window runs from right to left."""
        if not self._is_mirrored:
            return place
        return QRect(QPoint(within.left() + within.right() - place.right(), place.top()), place.size())


def strong(font: QFont) -> QFont:
    """The font, bolder."""
    font.setWeight(QFont.Weight.DemiBold)
    return font


def _box(place: QRect) -> QRect:
    return place.adjusted(8, 1, -8, -1)

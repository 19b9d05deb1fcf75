"""The transcript by keyboard: the message that has the focus, the caret, the links.

Arrow keys scroll; with Shift they select, and while the caret is carried (F7) they move it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from PySide6.QtCore import QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QPainter, QPen

from desktop.widgets.caret import Caret, Move
from desktop.widgets.column import BUBBLE_SIDE
from desktop.widgets.message_view import MessageView
from desktop.widgets.rows import Rows
from desktop.widgets.segments import Segment, Span
from desktop.widgets.selection import Selection, Spot

_BAR = QRect(-BUBBLE_SIDE - 8, 4, 3, 0)  # beside the message that has the focus


class Reads(Protocol):
    """What is asked of the transcript."""

    def seen(self) -> tuple[int, int]:
        """Between which heights of the conversation the view is."""

    def reveal(self, spot: Spot) -> None:
        """Bring a place in the text into view."""

    def reveal_message(self, message: MessageView) -> None: ...
    def top_spot(self) -> Spot | None: ...
    def repaint_text(self) -> None: ...


@dataclass(frozen=True, slots=True)
class FocusedLink:
    """The link that Return opens."""

    message: MessageView
    segment: Segment
    span: Span
    address: str


class Keyboard:
    """What the keyboard is on in one transcript."""

    def __init__(self, rows: Rows, selection: Selection, view: Reads) -> None:
        self.message: MessageView | None = None
        self.link: FocusedLink | None = None
        self.carries_caret = False
        self._rows = rows
        self._selection = selection
        self._view = view
        self._caret = Caret(rows)

    def place_of(self, spot: Spot) -> QRect:
        """Where a spot is: pixels from the left edge of the text and the top of the conversation."""
        return self._caret.place_of(spot)

    def clear(self) -> None:
        """The messages are others."""
        self.message = self.link = None

    def press(self, event: QKeyEvent) -> bool:
        """Take a key; whether it was one that moves, selects or leads to a message."""
        if event.key() == Qt.Key.Key_F7:
            self.carry_caret(carries=not self.carries_caret)
            return True
        found = _move_of(event)
        if found is None:
            return False
        move, extends = found
        if extends or self.carries_caret:
            self._move(move, extends=extends)
            return True
        if move in {Move.MESSAGE_UP, Move.MESSAGE_DOWN}:
            self._step(1 if move is Move.MESSAGE_DOWN else -1)
            return True
        return False

    def carry_caret(self, *, carries: bool) -> None:
        """Have the arrow keys move a caret through the text."""
        self.carries_caret = carries
        if carries:
            spot = self._start()
            if spot is not None and self._selection.is_empty:
                self._selection.begin(spot)
        self._view.repaint_text()

    def focus_first_seen(self) -> None:
        """The keyboard has come: it is on the first message that is seen."""
        if self.message is None or self.message not in self._seen_messages():
            self.message = next(iter(self._seen_messages()), None)

    def go_along(self) -> None:
        """The view has gone to an end: the message that had the focus may be far away."""
        if self.message is not None:
            first, _ = self._view.seen()
            seen = self._seen_messages()
            self.message = (seen[0] if first <= self._rows.tops[0] else seen[-1]) if seen else None
            self._view.repaint_text()

    def step_link(self, *, forward: bool) -> bool:
        """Go to the next link that is seen, or the previous one; whether there is one."""
        links = self._links()
        if not links:
            self.link = None
            return False
        if self.link in links:
            number = links.index(self.link) + (1 if forward else -1)
        else:
            number = 0 if forward else len(links) - 1
        self.link = links[number] if 0 <= number < len(links) else None
        self._view.repaint_text()
        return self.link is not None

    def link_at_caret(self) -> str:
        """The address of the link that the caret stands in."""
        spot = self._selection.head
        if not self.carries_caret or spot is None:
            return ""
        links = spot.segment.links()
        return next((address for span, address in links if span[0] <= spot.position < span[1]), "")

    def paint(self, painter: QPainter, corner: QPoint) -> None:
        """Draw where the keyboard is; `corner` is where the conversation begins."""
        painter.save()
        painter.translate(corner)
        theme = self._rows.look.theme
        if self.message is not None and self.message in self._rows.messages:
            place = _BAR.translated(0, self._rows.top_of(self.message))
            painter.fillRect(place.adjusted(0, 0, 0, self.message.height - 12), theme.accent)
        if self.link is not None and self.link in self._links():
            row = self._rows.row_of(self.link.message, self.link.segment)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(theme.accent, 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            for line in row.segment.places_of(self.link.span, self._rows.setting, self._rows.look):
                painter.drawRoundedRect(QRectF(line).translated(0, row.top).adjusted(-1, -1, 1, 1), 4, 4)
        spot = self._selection.head
        if self.carries_caret and spot is not None and self._is_shown(spot):
            painter.fillRect(self._caret.place_of(spot), theme.text)
        painter.restore()

    def _move(self, move: Move, *, extends: bool) -> None:
        spot = self._start()
        if spot is None:
            return
        first, last = self._view.seen()
        if extends and self._selection.head is None:
            self._selection.begin(spot)
        moved = self._caret.moved(spot, move, max(48, last - first - 24))
        if extends:
            self._selection.extend(moved)
        else:
            self._selection.begin(moved)
        self.message = moved.message
        self._view.reveal(moved)
        self._view.repaint_text()

    def _start(self) -> Spot | None:
        """Where a movement begins."""
        head = self._selection.head
        if head is not None and self._is_shown(head):
            return head
        if self.message is not None and self.message in self._seen_messages():
            return self._caret.first_spot(self.message)
        return self._view.top_spot()

    def _step(self, by: int) -> None:
        """Put the focus on the next message, or the previous one."""
        messages = self._rows.messages
        if not messages:
            return
        if self.message in self._seen_messages() and self.message is not None:
            index = messages.index(self.message) + by
        else:
            index = self._rows.between(*self._view.seen()).start + (by > 0)
        self.message = messages[max(0, min(index, len(messages) - 1))]
        self.link = None
        self._view.reveal_message(self.message)
        self._view.repaint_text()

    def _seen_messages(self) -> list[MessageView]:
        return [self._rows.messages[index] for index in self._rows.between(*self._view.seen())]

    def _links(self) -> list[FocusedLink]:
        """The links that are seen, in order."""
        first, last = self._view.seen()
        links: list[FocusedLink] = []
        for row in self._rows.rows_between(first, last):
            found = row.segment.links() if row.segment.is_measured(self._rows.setting) else []
            for span, address in found:
                places = row.segment.places_of(span, self._rows.setting, self._rows.look)
                if places and first <= row.top + places[0].center().y() < last:
                    links.append(FocusedLink(row.message, row.segment, span, address))
        return links

    def _is_shown(self, spot: Spot) -> bool:
        return spot.message in self._rows.messages and spot.segment in spot.message.segments


def _move_of(event: QKeyEvent) -> tuple[Move, bool] | None:
    """Where a key leads, and whether it selects on the way."""
    for keys, move, extends in _STANDARD:
        if event.matches(keys):
            return move, extends
    control, shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
    if event.modifiers() & control and event.key() in {Qt.Key.Key_Up, Qt.Key.Key_Down}:
        move = Move.MESSAGE_UP if event.key() == Qt.Key.Key_Up else Move.MESSAGE_DOWN
        return move, bool(event.modifiers() & shift)
    return None


_KEY = QKeySequence.StandardKey
_STANDARD = (
    (_KEY.MoveToPreviousChar, Move.LEFT, False),
    (_KEY.MoveToNextChar, Move.RIGHT, False),
    (_KEY.MoveToPreviousWord, Move.WORD_LEFT, False),
    (_KEY.MoveToNextWord, Move.WORD_RIGHT, False),
    (_KEY.MoveToPreviousLine, Move.UP, False),
    (_KEY.MoveToNextLine, Move.DOWN, False),
    (_KEY.MoveToStartOfLine, Move.LINE_START, False),
    (_KEY.MoveToEndOfLine, Move.LINE_END, False),
    (_KEY.MoveToPreviousPage, Move.PAGE_UP, False),
    (_KEY.MoveToNextPage, Move.PAGE_DOWN, False),
    (_KEY.MoveToStartOfDocument, Move.START, False),
    (_KEY.MoveToEndOfDocument, Move.END, False),
    (_KEY.SelectPreviousChar, Move.LEFT, True),
    (_KEY.SelectNextChar, Move.RIGHT, True),
    (_KEY.SelectPreviousWord, Move.WORD_LEFT, True),
    (_KEY.SelectNextWord, Move.WORD_RIGHT, True),
    (_KEY.SelectPreviousLine, Move.UP, True),
    (_KEY.SelectNextLine, Move.DOWN, True),
    (_KEY.SelectStartOfLine, Move.LINE_START, True),
    (_KEY.SelectEndOfLine, Move.LINE_END, True),
    (_KEY.SelectPreviousPage, Move.PAGE_UP, True),
    (_KEY.SelectNextPage, Move.PAGE_DOWN, True),
    (_KEY.SelectStartOfDocument, Move.START, True),
    (_KEY.SelectEndOfDocument, Move.END, True),
)

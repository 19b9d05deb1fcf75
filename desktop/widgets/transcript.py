"""The column of messages: what is visible, following the end, selecting, copying.

It shows turns and asks for nothing but links to be opened. What a token, a scroll or a resize costs depends on what
is visible, not on how long the conversation is: messages are rows of segments that are read and laid out when they
are seen.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby, pairwise, takewhile
from time import thread_time

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QAccessibleEvent,
    QContextMenuEvent,
    QFocusEvent,
    QFontMetrics,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QMenu, QToolTip, QWidget

from desktop.conversations import Turn
from desktop.formula_process import FormulaProcess
from desktop.theme import Theme
from desktop.widgets import accessible_transcript
from desktop.widgets.accessible_transcript import AccessibleTranscript
from desktop.widgets.action_button import MessageAction
from desktop.widgets.boxes import Box, BoxedSegment
from desktop.widgets.captions import caption_of
from desktop.widgets.code_buttons import CodeButtons
from desktop.widgets.column import BUBBLE_SIDE, TEXT_COLUMN
from desktop.widgets.finding import Finding
from desktop.widgets.formula_drawing import Formulas, Setter
from desktop.widgets.keyboard import Keyboard
from desktop.widgets.message_controls import MessageControls
from desktop.widgets.message_editor import Editing
from desktop.widgets.message_view import MessageView
from desktop.widgets.pill import LatestPill
from desktop.widgets.progress import Progress, ProgressKind
from desktop.widgets.reading_place import Place, height_of, place_at
from desktop.widgets.rows import Anchor, Row, Rows
from desktop.widgets.segments import NO_MARKS, Marks, Segment
from desktop.widgets.selection import Selection, Spot
from desktop.widgets.typesetting import Look, Setting

__all__ = ["Progress", "ProgressKind", "Transcript"]

_EDGE = 16  # between the bubbles and the edges of the view
_BOTTOM = 8
_STEP = 24  # pixels, of an arrow key; a notch of the wheel is three
_IDLE = 15  # milliseconds between pieces of work that nobody waits for
_SLICE = 0.004  # seconds that such a piece may take
_EXPENSIVE = 0.008  # seconds: a flush that takes longer is followed by a pause
_REVEALED = 48  # pixels above and below what was brought into view; the find bar lies over the upper ones
_NOTCH = 120  # of the wheel, as Qt counts
ZOOMS = (0.5, 0.67, 0.75, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0)
_FIRST = 40  # messages that are there at once when a conversation is shown: more than the largest screen holds
_AT_ONCE = 60  # of the others, in a piece of work that nobody waits for
_ALL_AT_ONCE = 10_000
_LONGEST_PAUSE = 250  # milliseconds between two looks at text that is dear to lay out
_TAB = Qt.FocusPolicy.TabFocus
_ROUNDS = 50  # of measuring: each may bring more into view


class Transcript(QAbstractScrollArea):
    """The messages of one conversation."""

    offer_taken = Signal(int)  # which of the things that were offered for the last message
    action_wanted = Signal(int, object)  # turn id, MessageAction: something is to be done with a message
    edited = Signal(int, str)  # turn id, what its message is to say
    link_activated = Signal(str)  # a link was clicked; whoever listens shows the address and asks
    painted = Signal(int)  # turn id: text of a growing reply is on the screen
    following_changed = Signal(bool)
    find_count = Signal(int, int)  # which hit is shown, counted from one; how many there are
    zoom_changed = Signal(float)

    def __init__(self, theme: Theme, parent: QWidget | None = None, setter: Setter | None = None) -> None:
        super().__init__(parent)
        formulas = Formulas(setter or FormulaProcess(self), self)
        formulas.came.connect(self._write_formulas)
        self._look = Look(theme, formulas=formulas)
        self._rows = Rows(self._look, self._on_replaced)
        self._selection = Selection(self._rows.messages)
        self._keyboard = Keyboard(self._rows, self._selection, self)
        self._code_buttons = CodeButtons(self.viewport(), self._copy_code, self._scroll_code)
        self._following = True
        self._is_placing = False  # the scroll bar is being moved by us, not by the reader
        self._is_quiet = False  # pixels must not move along with the scroll bar: what is on the screen stays
        self._older: list[Turn] = []  # before those that are shown: they are brought in when there is time
        self._before: Callable[[int, int], Sequence[Turn]] | None = None  # and asks for those before them
        self._pending: list[_Text] = []
        self._unpainted: int | None = None
        self._controls: dict[MessageView, MessageControls] = {}
        self._tabs_are_old = False
        self._hovered: MessageView | None = None
        self._pressed_link = ""
        self._is_selecting = False
        self._flush_timer = self._timer(0, self._flush)
        self._idle_timer = self._timer(_IDLE, self._work_a_little)
        self._drag_timer = self._timer(40, self._drag_on)
        self._branches: Mapping[int, tuple[int, int]] = {}
        self._is_busy = False
        self._editing = Editing(self.viewport(), self._lay_out_edited, self.edited.emit, self._on_edit_left)
        self.fill_menu: Callable[[QMenu, Turn], None] = _leave_as_it_is  # adds what can be done with a message
        self._latest = LatestPill(theme, self)
        self._latest.clicked.connect(self.scroll_to_end)
        self._finding = Finding(theme, self._rows, self._selection, self, self)
        self._finding.count_changed.connect(self.find_count)
        self._wheel = 0  # of a turn that zooms, until it is a whole notch
        self._accessible: AccessibleTranscript | None = None
        self._set_up()

    @property
    def following(self) -> bool:
        """Whether the view stays at the end while text arrives. Only the reader changes that."""
        return self._following

    # What is shown

    def show_turns(self, turns: Sequence[Turn], before: Callable[[int, int], Sequence[Turn]] | None = None) -> None:
        """Show another conversation, from its end. Where these are only its last turns, `before` gives so many of those
        before the one with an id, and they are brought in when there is time."""
        self._pending.clear()
        self._flush_timer.stop()
        self._selection.clear()
        self._keyboard.clear()
        self._editing.end()
        self._drop_controls()
        self._code_buttons.clear()
        self._hovered = None
        self._older, self._before = list(turns[:-_FIRST]), before if turns else None
        self._rows.show(MessageView(turn, caption_of(turn), self._look) for turn in turns[-_FIRST:])
        self._follow(following=True)
        self._settle(None)
        self._finding.messages_changed()
        self._tell_of_messages()
        self.viewport().update()

    def add_turn(self, turn: Turn) -> None:
        """Show one more turn. The reader's own goes to the end of the view, and the view follows again."""
        self._flush()
        message = MessageView(turn, caption_of(turn), self._look)
        anchor = self._anchor()
        self._rows.add(message)
        if turn.is_reply:
            self._settle(anchor)
        else:
            self.scroll_to_end()
        self._finding.text_changed(message)
        self._tell_of_messages()

    def replace_turns(self, turns: Sequence[Turn]) -> None:
        """Show another branch of the same conversation: what is the same stays as and where it is."""
        self._bring_all()
        self._flush()
        self._selection.clear()
        self._keyboard.clear()
        self._editing.end()
        self._code_buttons.clear()
        self._hovered = None
        known = {message.turn.id: message for message in self._rows.messages}
        shown = [
            message
            if (message := known.get(turn.id)) is not None and message.turn == turn
            else MessageView(turn, caption_of(turn), self._look)
            for turn in turns
        ]
        for message in set(known.values()).difference(shown):
            self._drop_controls(message)
        anchor = self._rows.anchor(self._value, self.viewport().height())
        # Down to the first that is another nothing moves.
        same = sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], zip(shown, self._rows.messages, strict=False)))
        self._follow(following=False)
        value = min(self._value, self._rows.tops[same])
        self._rows.replace(shown)
        if anchor is None or anchor.message not in shown:
            anchor = None
            self.verticalScrollBar().setValue(value)
        self._settle(anchor)
        self._follow(following=self._value >= self._last_value)
        self._finding.messages_changed()
        self._tell_of_messages()
        self.viewport().update()

    def set_branches(self, branches: Mapping[int, tuple[int, int]]) -> None:
        """Where there are several in a message's place: which it is, counted from one, and of how many."""
        self._branches = branches
        self._place_controls()

    def set_busy(self, *, busy: bool) -> None:
        """While a reply is being made, nothing can be done with messages but copying."""
        self._is_busy = busy
        for controls in self._controls.values():
            controls.set_busy(busy=busy)

    def edit(self, turn_id: int, text: str | None = None) -> None:
        """Let a message be written over, in its place; with `text`, go on from that."""
        index = self._index_of(turn_id)
        if index is not None:
            self._selection.clear()
            self._follow(following=False)
            width = self._setting.column + 2 * BUBBLE_SIDE
            self._editing.begin(self._rows.messages[index], self._look.theme, width, text)
            self._reveal_editor()

    def focus_action(self, turn_id: int, action: MessageAction) -> None:
        """Put the focus on a button of a message that is seen."""
        index = self._rows.index_of(turn_id)
        controls = None if index is None else self._controls.get(self._rows.messages[index])
        if controls is not None:
            controls.focus(action)

    def grow(self, turn_id: int, text: str) -> None:
        """More text of a reply. Texts that come in one turn of the event loop are drawn together."""
        self._take_text(_Text(turn_id, text))

    def think(self, turn_id: int, text: str) -> None:
        """More reasoning of a reply."""
        self._take_text(_Text(turn_id, text, is_thought=True))

    def set_thinking(self, words: str) -> None:
        """What stands for the reasoning of the reply that is growing, while it is not known how long it will take."""
        message = self._rows.messages[-1] if self._rows.messages else None
        if message is not None and message.is_growing and message.thinking != words:
            message.thinking = words
            if message in self._controls:
                self._controls[message].show_words(message)

    def offer(self, words: Sequence[str]) -> None:
        """Offer what can be done about the last message, a button each."""
        message = self._rows.messages[-1] if self._rows.messages else None
        if message is None or message.offers == tuple(words):
            return
        anchor = self._anchor()
        message.offers = tuple(words)
        self._drop_controls(message)
        self._rows.lay_out(len(self._rows.messages) - 1)
        self._rows.changed(self._rows.tops[-2])
        self._settle(anchor)

    def change_turn(self, turn: Turn) -> None:
        """A turn is not what it was: mostly, a reply has ended."""
        self._flush()
        index = self._index_of(turn.id)
        if index is None:
            return
        message = self._rows.messages[index]
        was_growing = message.is_growing
        anchor = self._anchor()
        had_text, first = message.text, message.first_open()
        before = message.segments[first:]
        message.change(turn, caption_of(turn), self._look)
        self._rows.tell_replaced(message, first, before)
        if message.text != had_text:
            self._unpainted = turn.id
        self._rows.lay_out(index)
        self._rows.changed(self._rows.tops[index])
        self._settle(anchor)
        self._finding.text_changed(message)
        if was_growing:
            self._announce_end(message)

    def set_progress(self, progress: Progress | None) -> None:
        """The quiet line at the end of the reply that is growing."""
        for index in range(len(self._rows.messages) - 1, -1, -1):
            message = self._rows.messages[index]
            if message.is_growing:
                if message.progress != progress:
                    had_line = message.progress is not None
                    message.progress = progress
                    whole = had_line != (progress is not None)  # the caret comes or goes
                    self._update_from(self._rows.tops[index] + (message.body_top if whole else message.foot_top))
                return

    def set_theme(self, theme: Theme) -> None:
        """Draw everything anew in other colours, and in the fonts of now."""
        self._set_look(Look(theme, self._look.zoom, self._look.formulas))
        self._latest.set_theme(theme)
        self._finding.set_theme(theme)
        self._code_buttons.set_theme(theme)
        self._editing.set_theme(theme)
        for controls in self._controls.values():
            controls.set_theme(theme)

    @property
    def zoom(self) -> float:
        """How much larger than usual text and code are."""
        return self._look.zoom

    def set_zoom(self, factor: float) -> None:
        """Draw text and code larger or smaller; the reader's place stays."""
        factor = max(ZOOMS[0], min(factor, ZOOMS[-1]))
        if factor != self._look.zoom:
            self._set_look(Look(self._look.theme, factor, self._look.formulas))
            self.zoom_changed.emit(factor)

    def zoom_by(self, steps: int) -> None:
        """Larger, or smaller, by so many of the usual steps."""
        number = bisect_right(ZOOMS, self._look.zoom + 0.001) - 1
        self.set_zoom(ZOOMS[max(0, min(number + steps, len(ZOOMS) - 1))])

    def find_words(self, words: str) -> None:
        """Mark these words wherever they are, in text that nobody has looked at yet too, and show the first."""
        self._bring_all()
        self._finding.look_for(words)

    def find_at(self, turn_id: int, words: str) -> None:
        """The same from the beginning of a turn on, with the bar to go on from there."""
        self._bring_all()
        index = self._rows.index_of(turn_id)
        if index is not None:
            self._finding.begin_at(self._rows.messages[index], words)

    def find_next(self) -> None:
        self._finding.go_on(1)

    def find_previous(self) -> None:
        self._finding.go_on(-1)

    def open_find(self) -> None:
        """Let the person type what to find."""
        self._bring_all()
        self._finding.begin()

    def place(self) -> Place | None:
        """Where the reader is; `None` while the end is followed."""
        self._flush()
        return None if self._following else place_at(self._rows, self._value)

    def restore_place(self, place: Place | None) -> None:
        """Go to where the reader was, if what was read there is still in the conversation."""
        if place is not None:
            self._bring_all()
        found = None if place is None else height_of(self._rows, place)
        if found is None:
            self.scroll_to_end()
            return
        self._follow(following=False)
        self._settle(None)
        for _ in range(_ROUNDS):  # what is measured on the way moves what is below it
            value = height_of(self._rows, place) if place is not None else None
            if value is None or value == self._value:
                break
            self._go_to(value)

    def scroll_to_end(self) -> None:
        """Go to the newest text and follow it."""
        self._follow(following=True)
        self._settle(None)

    def accessible(self) -> AccessibleTranscript:
        """What assistive technology is told of it."""
        if self._accessible is None:
            self._accessible = AccessibleTranscript(self)
        return self._accessible

    def messages(self) -> Sequence[MessageView]:
        self._bring_all()
        return self._rows.messages

    def place_of(self, message: MessageView) -> QRect:
        """Where a message is, on the screen."""
        index = self._rows.messages.index(message)
        corner = self.viewport().mapToGlobal(QPoint(0, self._rows.tops[index] - self._value))
        return QRect(corner, QSize(self.viewport().width(), message.height))

    def plain_text(self) -> str:
        """Everything that is shown, as text."""
        self._flush()
        self._bring_all()
        return "\n\n".join(message.whole_text() for message in self._rows.messages)

    def selected_text(self) -> str:
        return self._selection.text(self._look)

    def copy(self) -> None:
        """Copy what is selected."""
        text = self.selected_text()
        if text:
            QGuiApplication.clipboard().setText(text)

    def copy_as_markdown(self) -> None:
        """Copy the source of what is selected."""
        text = self._selection.markdown()
        if text:
            QGuiApplication.clipboard().setText(text)

    def select_all(self) -> None:
        """Select everything, without reading or laying out what nobody has seen."""
        self._bring_all()
        self._selection.take_all()
        self.viewport().update()

    # Qt's virtual methods

    def paintEvent(self, event: QPaintEvent) -> None:
        clip = event.rect()
        painter = QPainter(self.viewport())
        painter.fillRect(clip, self._look.theme.surface)
        cover = self._selection.covers()
        for index in self._rows.between(clip.top() + self._value, clip.bottom() + self._value):
            message = self._rows.messages[index]
            left, top = self._left, self._rows.tops[index] - self._value

            def marks(segment: Segment, index: int = index, message: MessageView = message) -> Marks:
                selected = cover.part_of(index, message.segments.index(segment)) if cover else None
                hits = self._finding.marks(segment)
                if not selected and not hits:
                    return NO_MARKS
                return Marks(selected, hits, self._finding.current_mark(segment))

            painter.save()
            painter.translate(left, top)
            message.paint(
                painter, self._setting, self._look, clip.translated(-left, -top), marks, self._rows.shelf.touch
            )
            painter.restore()
        if self.hasFocus():
            self._keyboard.paint(painter, QPoint(self._left, -self._value))
        painter.end()
        self._say_painted(clip)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        anchor = self._anchor()
        setting = self._setting_now()
        if setting != self._rows.setting:
            self._rows.setting = setting
            self._rows.lay_out_all()
        self._settle(anchor)
        self._place_pill()
        self._finding.place()
        self.viewport().update()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        if not self._is_quiet:
            self.viewport().scroll(dx, dy)
        if self._is_placing:
            return
        at_end = self._value >= self._last_value
        # Going up, ever so little, is leaving the end; only reaching it again is coming back.
        self._follow(following=at_end if dy < 0 else self._following and at_end)
        self._settle(self._anchor(skip_unmeasured=True))
        self._place_pill()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self.select_all()
        elif event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and (link := self._focused_link()):
            self.link_activated.emit(link)
        elif not self._keyboard.press(event) and not self._scroll_by_key(event):
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() in {Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason}:
            self._keyboard.focus_first_seen()
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._keyboard.clear()
        self.viewport().update()

    def focusNextPrevChild(self, next: bool) -> bool:  # noqa: A002, FBT001 - Qt's virtual
        if self.hasFocus() and self._keyboard.step_link(forward=next):
            return True
        self._order_tabs()  # which of a message's actions is a stop may have changed
        return super().focusNextPrevChild(next)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._zoom_by_wheel(event.angleDelta().y())
            event.accept()
            return
        delta = event.pixelDelta() if not event.pixelDelta().isNull() else event.angleDelta() / 2
        is_shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        sideways = delta.y() if is_shifted and not delta.x() else delta.x()
        is_sideways = is_shifted or (sideways and abs(sideways) >= abs(delta.y()))
        if is_sideways and self._scroll_box(event.position().toPoint(), -sideways):
            event.accept()
        else:
            super().wheelEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        point = event.position().toPoint()
        self._pressed_link = self._link_at(point)
        spot = self._spot_at(point)
        if spot is None:
            return
        self._is_selecting = True
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._selection.extend(spot)
        else:
            self._selection.begin(spot)
        self.viewport().update()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        spot = self._spot_at(event.position().toPoint())
        if spot is None or event.button() is not Qt.MouseButton.LeftButton:
            return
        begin, end = spot.segment.word_at(spot.position, self._look)
        self._selection.take(Spot(spot.message, spot.segment, begin), Spot(spot.message, spot.segment, end))
        self.viewport().update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        point = event.position().toPoint()
        if self._is_selecting:
            self._select_to(point)
            outside = not self.viewport().rect().contains(point)
            self._drag_timer.start() if outside else self._drag_timer.stop()
            return
        self._hover(point)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._drag_timer.stop()
        self._is_selecting = False
        link = self._link_at(event.position().toPoint())
        if link and link == self._pressed_link and self._selection.is_empty:
            self.link_activated.emit(link)
        self._pressed_link = ""

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        message = self.focused_message()
        if event.reason() is QContextMenuEvent.Reason.Keyboard and message is not None:
            self._open_menu(message)
            return
        menu = self._context_menu(self.viewport().mapFromGlobal(event.globalPos()))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self._link_at(event.pos()), self.viewport())
            return True
        if event.type() is QEvent.Type.Leave:
            self._hover(None)
        return super().viewportEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.ApplicationFontChange:
            self.set_theme(self._look.theme)

    # What is asked of it by those who help it

    def seen(self) -> tuple[int, int]:
        """Between which heights of the conversation the view is."""
        return self._value, self._value + self.viewport().height()

    def top_spot(self) -> Spot | None:
        """The first place in the text that is seen."""
        return self._rows.spot_near(QPoint(0, self._value + _REVEALED if self._value else 0))

    def reveal(self, spot: Spot) -> None:
        """Bring a place in the text into view; what stands in view already does not move."""
        self._flush()
        anchor = self._anchor()
        self._follow(following=False)
        self._rows.measure_segment(spot.message, spot.segment)
        self._settle(anchor)
        for _ in range(_ROUNDS):  # what is measured on the way moves what is below it
            place = self._keyboard.place_of(spot)
            top, bottom = self.seen()
            if place.top() >= top + _REVEALED and place.bottom() <= bottom - _REVEALED:
                break
            value = place.top() - self.viewport().height() // 3
            if max(0, min(value, self._last_value)) == self._value:
                break
            self._go_to(value)
        self._reveal_sideways(spot)
        self._follow(following=self._value >= self._last_value and not spot.message.is_growing)

    def reveal_message(self, message: MessageView) -> None:
        """Bring a message to the top of the view."""
        self._follow(following=False)
        for _ in range(_ROUNDS):
            value = max(0, min(self._rows.top_of(message), self._last_value))
            if value == self._value:
                break
            self._go_to(value)
        self._follow(following=self._value >= self._last_value)
        self._tell_of_focus(message)

    def open_thought(self, message: MessageView) -> None:
        if not message.is_open:
            self._turn_fold(message)

    def repaint_text(self) -> None:
        self.viewport().update()

    # Setting up

    def _set_up(self) -> None:
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Conversation"))
        self.viewport().setMouseTracking(True)
        self.viewport().setCursor(Qt.CursorShape.ArrowCursor)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.verticalScrollBar().setSingleStep(_STEP)
        self._rows.setting = self._setting_now()
        accessible_transcript.install()

    def _timer(self, interval: int, slot: Callable[[], None]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(interval)
        timer.timeout.connect(slot)
        return timer

    def _setting_now(self) -> Setting:
        # The scroll bar's place is left free whether it is there or not: nothing moves when it comes.
        bar = self.verticalScrollBar().sizeHint().width()
        wanted = TEXT_COLUMN * QFontMetrics(self._look.message_font).averageCharWidth()
        column = max(80, min(wanted, self.width() - 2 * (_EDGE + BUBBLE_SIDE)))
        left = (self.width() - column) // 2
        return Setting(column, max(column, self.width() - bar - left - _EDGE))

    # Where everything is

    @property
    def _setting(self) -> Setting:
        return self._rows.setting

    @property
    def _left(self) -> int:
        return (self.width() - self._setting.column) // 2

    @property
    def _value(self) -> int:
        return self.verticalScrollBar().value()

    @property
    def _last_value(self) -> int:
        return max(0, self._rows.end + _BOTTOM - self.viewport().height())

    def _set_look(self, look: Look) -> None:
        before, self._look = self._look, look
        self._rows.look = look
        self._rows.shelf.clear()
        if look.message_font != before.message_font or look.code_font != before.code_font:
            self._measure_anew()
        self.viewport().update()

    def _write_formulas(self) -> None:
        """Pictures of formulas have come: they stand where their source stood, and what is read keeps its place."""
        anchor = self._anchor()
        line = self._rows.line_seen(anchor) if anchor is not None else None
        if self._rows.write_formulas():
            self._settle(self._rows.held_by(anchor, line) if anchor is not None and line is not None else anchor)

    def _measure_anew(self) -> None:
        anchor = self._anchor()
        self._rows.forget_measures()
        self._rows.setting = self._setting_now()
        self._rows.lay_out_all()
        self._settle(anchor)

    # Following the end, or keeping the reader's place

    def _follow(self, *, following: bool) -> None:
        if following != self._following:
            self._following = following
            self.following_changed.emit(following)
        self._place_pill()

    def _anchor(self, *, skip_unmeasured: bool = False) -> Anchor | None:
        """What the reader looks at: it stays where it is, whatever changes above it. `None` at the end."""
        if self._following:
            return None
        return self._rows.anchor(self._value, self.viewport().height(), skip_unmeasured=skip_unmeasured)

    def _index_of(self, turn_id: int) -> int | None:
        index = self._rows.index_of(turn_id)
        if index is None and self._has_older:
            self._bring_all()
            index = self._rows.index_of(turn_id)
        return index

    @property
    def _stand(self) -> tuple[int, int, int]:
        """As long as it is the same, no control of a message has to move while text arrives."""
        last = self._rows.messages[-1] if self._rows.messages else None
        return self._value, self._rows.end, len(last.segments) if last is not None else 0

    def _settle(self, anchor: Anchor | None, *, stood: tuple[int, int, int] | None = None) -> None:
        """Measure what is seen until all of it is measured, with the end or the anchor in its place."""
        for _ in range(_ROUNDS):
            self._scroll_to(anchor)
            if not self._measure_seen():
                break
        changed = self._rows.take_changes()
        if changed is not None:
            self._update_from(changed)
        if stood is None or stood != self._stand:
            self._place_controls()
        self._idle_timer.start()

    def _scroll_to(self, anchor: Anchor | None) -> None:
        value = self._last_value if self._following else self._value_for(anchor)
        bar = self.verticalScrollBar()
        self._is_placing = True
        # Where the reader's place is kept, what is on the screen stays there though its number changes.
        self._is_quiet = not self._following
        before = bar.value()
        bar.setPageStep(self.viewport().height())
        bar.setRange(0, self._last_value)
        bar.setValue(value)
        if self._is_quiet and bar.value() != before:
            self.viewport().update()
        self._is_placing = self._is_quiet = False

    def _value_for(self, anchor: Anchor | None) -> int:
        value = None if anchor is None else self._rows.value_for(anchor)
        return self._value if value is None else value

    def _measure_seen(self) -> bool:
        """Measure what is visible; whether there was anything to do."""
        return self._rows.measure_between(self._value, self._value + self.viewport().height())

    def _on_replaced(self, old: Segment, new: Sequence[Segment]) -> None:
        self._selection.replace(old, new)

    # Text that arrives

    def _flush(self) -> None:
        """Draw the text that has come."""
        self._flush_timer.stop()
        if not self._pending:
            return
        began = thread_time()
        pending, self._pending = self._pending, []
        for (turn_id, is_thought), texts in groupby(pending, key=lambda text: (text.turn, text.is_thought)):
            index = self._rows.index_of(turn_id)
            if index is not None:
                self._grow_message(index, "".join(text.text for text in texts), is_thought=is_thought)
        took = thread_time() - began
        # A block that is dear to lay out is drawn less often, so that the window stays free.
        self._flush_timer.setInterval(min(_LONGEST_PAUSE, round(4000 * took)) if took > _EXPENSIVE else 0)

    def _take_text(self, text: _Text) -> None:
        self._pending.append(text)
        if not self._flush_timer.isActive():
            self._flush_timer.start()

    def _grow_message(self, index: int, text: str, *, is_thought: bool) -> None:
        anchor, stood = self._anchor(), self._stand
        if self._rows.grow(index, text, is_thought=is_thought, measures=self._following):
            self._unpainted = self._rows.messages[index].turn.id
            self._settle(anchor, stood=stood)
            if self._finding.is_active:
                self._finding.text_changed(self._rows.messages[index])

    def _update_from(self, top: int) -> None:
        """Paint again what is below a height of the content."""
        place = self.viewport().rect()
        place.setTop(max(0, top - self._value))
        if place.isValid():
            self.viewport().update(place)

    def _say_painted(self, clip: QRect) -> None:
        if self._unpainted is None:
            return
        index = self._rows.index_of(self._unpainted)
        if index is None:
            self._unpainted = None
            return
        message = self._rows.messages[index]
        bottom = self._rows.tops[index] + message.body_bottom - self._value
        if message.segments and clip.top() < bottom <= self.viewport().height() + self._look.line_height:
            turn_id, self._unpainted = self._unpainted, None
            self.painted.emit(turn_id)

    def _tell_of_messages(self) -> None:
        """Have assistive technology look at the list again."""
        if self._accessible is not None:
            self._accessible.forget_all_but(self._rows.messages)
        if QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.ObjectReorder))

    def _tell_of_focus(self, message: MessageView) -> None:
        if QAccessible.isActive():
            event = QAccessibleEvent(self, QAccessible.Event.Focus)
            event.setChild(self._rows.messages.index(message))
            QAccessible.updateAccessibility(event)

    def focused_message(self) -> MessageView | None:
        """The message that the keyboard is on."""
        return self._keyboard.message if self.hasFocus() else None

    def _announce_end(self, message: MessageView) -> None:
        """Let a screen reader say a reply that has ended."""
        if QAccessible.isActive() and message.turn.is_reply and not message.is_growing:
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, message.whole_text()))

    # What nobody waits for

    @property
    def _has_older(self) -> bool:
        return bool(self._older) or self._before is not None

    def _bring_all(self) -> None:
        """Have every turn in its place, now."""
        while self._has_older:
            self._bring_older(_ALL_AT_ONCE)

    def _bring_older(self, most: int) -> None:
        """Put so many turns that were left for later before those that are shown; no pixel moves."""
        self._flush()
        if not self._older and self._before is not None:
            first = self._rows.messages[0].turn.id if self._rows.messages else 0
            self._older = list(self._before(first, most))
            if not self._older:
                self._before = None
        turns = self._older[-most:]
        self._older = self._older[: -len(turns)]
        if turns:
            lower = self._rows.put_before([MessageView(turn, caption_of(turn), self._look) for turn in turns])
            bar = self.verticalScrollBar()
            value = self._value + lower
            self._is_placing = self._is_quiet = True
            bar.setRange(0, self._last_value)
            bar.setValue(value)
            self._is_placing = self._is_quiet = False
            self._settle(self._anchor())
        if not self._has_older:
            self._finding.messages_changed()
            self._tell_of_messages()

    def _work_a_little(self) -> None:
        """Bring in what is older, prepare what is near, colour code; one short piece at a time."""
        if self._has_older:
            self._bring_older(_AT_ONCE)
            self._idle_timer.start()
            return
        near = self.viewport().height()
        anchor = self._anchor()
        before = self._rows.end
        prepared = self._rows.measure_between(self._value - near, self._value + 2 * near, most=1)
        if prepared or self._rows.has_changes:
            self._settle(anchor)
            if self._rows.end != before:
                self.viewport().update()
        elif self._rows.has_work:
            self._rows.colour(_SLICE)
            self.viewport().update()
            self._idle_timer.start()

    # Mouse and keys

    def _scroll_by_key(self, event: QKeyEvent) -> bool:
        bar = self.verticalScrollBar()
        page = max(_STEP, bar.pageStep() - _STEP)
        shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        match event.key():
            case Qt.Key.Key_Up:
                bar.setValue(bar.value() - _STEP)
            case Qt.Key.Key_Down:
                bar.setValue(bar.value() + _STEP)
            case Qt.Key.Key_PageUp:
                bar.setValue(bar.value() - page)
            case Qt.Key.Key_PageDown:
                bar.setValue(bar.value() + page)
            case Qt.Key.Key_Space:
                bar.setValue(bar.value() + (-page if shifted else page))
            case Qt.Key.Key_Home:
                self._bring_all()
                bar.setValue(0)
                self._keyboard.go_along()
            case Qt.Key.Key_End:
                self.scroll_to_end()
                self._keyboard.go_along()
            case Qt.Key.Key_Left | Qt.Key.Key_Right:
                self._scroll_boxes(-4 * _STEP if event.key() == Qt.Key.Key_Left else 4 * _STEP)
            case _:
                return False
        return True

    def _scroll_boxes(self, by: int) -> None:
        """Scroll everything on the screen that is too wide."""
        rows = self._rows.rows_between(self._value, self._value + self.viewport().height())
        seen = {row.segment.box: row.segment for row in rows if isinstance(row.segment, BoxedSegment)}
        moved = [segment.scroll(by, self._setting, self._look) for segment in seen.values()]
        if any(moved):
            self.viewport().update()

    def _scroll_box(self, point: QPoint, by: int) -> bool:
        row = self._row_at(point)
        segment = row.segment if row else None
        if not isinstance(segment, BoxedSegment) or not segment.overflows(self._setting, self._look):
            return False
        if segment.scroll(by, self._setting, self._look):
            self.viewport().update()
        return True

    def _row_at(self, point: QPoint) -> Row | None:
        """The segment at, or nearest to, a point."""
        return self._rows.row_near(point.y() + self._value)

    def _inner(self, point: QPoint, row: Row) -> QPoint:
        """A point as seen from the corner of a segment."""
        return QPoint(point.x() - self._left, point.y() + self._value - row.top)

    def _spot_at(self, point: QPoint) -> Spot | None:
        return self._rows.spot_near(point - QPoint(self._left, -self._value))

    def _link_at(self, point: QPoint) -> str:
        return self._rows.link_at(point - QPoint(self._left, -self._value))

    def _select_to(self, point: QPoint) -> None:
        spot = self._spot_at(point)
        if spot:
            self._selection.extend(spot)
            self.viewport().update()

    def _drag_on(self) -> None:
        """Scroll while the mouse is held outside."""
        point = self.viewport().mapFromGlobal(self.cursor().pos())
        over = point.y() - max(0, min(point.y(), self.viewport().height()))
        if self._is_selecting and over:
            self.verticalScrollBar().setValue(self._value + max(-60, min(60, over)))
            self._select_to(point)
            self._drag_timer.start()

    def _go_to(self, value: int) -> None:
        """Scroll there for the reader."""
        self._is_placing = True
        self.verticalScrollBar().setValue(value)
        self._is_placing = False
        self.viewport().update()
        self._settle(self._anchor())

    def _reveal_sideways(self, spot: Spot) -> None:
        segment = spot.segment
        if isinstance(segment, BoxedSegment) and segment.overflows(self._setting, self._look):
            x = self._keyboard.place_of(spot).x() - segment.indent(self._look)
            visible = segment.visible_width(self._setting, self._look)
            if not 0 <= x < visible:
                segment.scroll(x - visible // 2, self._setting, self._look)

    def _zoom_by_wheel(self, delta: int) -> None:
        self._wheel += delta
        notches = int(self._wheel / _NOTCH)
        self._wheel -= notches * _NOTCH
        if notches:
            self.zoom_by(notches)

    def _focused_link(self) -> str:
        return self._keyboard.link.address if self._keyboard.link else self._keyboard.link_at_caret()

    def _copy_code(self, box: object) -> None:
        if isinstance(box, Box):
            QGuiApplication.clipboard().setText(box.code)

    def _scroll_code(self, box: object, by: int) -> None:
        if isinstance(box, Box) and isinstance(box.members[0], BoxedSegment):
            box.members[0].scroll(by, self._setting, self._look)
            self.viewport().update()

    def _hover(self, point: QPoint | None) -> None:
        over = None
        if point is not None:
            for index in self._rows.between(point.y() + self._value, point.y() + self._value):
                over = self._rows.messages[index]
            self.viewport().setCursor(self._cursor_at(point))
        self._code_buttons.hover(None if point is None else self._box_at(point))
        if over is not self._hovered:
            self._hovered = over
            for message, controls in self._controls.items():
                controls.set_hovered(hovered=message is over)

    def _box_at(self, point: QPoint) -> Box | None:
        row = self._row_at(point)
        inside = row is not None and 0 <= self._inner(point, row).y() < row.segment.height
        return row.segment.box if row is not None and inside and isinstance(row.segment, BoxedSegment) else None

    def _cursor_at(self, point: QPoint) -> Qt.CursorShape:
        if self._link_at(point):
            return Qt.CursorShape.PointingHandCursor
        row = self._row_at(point)
        if row and 0 <= self._inner(point, row).y() < row.segment.height:
            return Qt.CursorShape.IBeamCursor
        return Qt.CursorShape.ArrowCursor

    def _context_menu(self, point: QPoint) -> QMenu:
        menu = QMenu(self)
        row = self._row_at(point)
        link = self._link_at(point)
        copy = menu.addAction(self.tr("Copy"), self.copy)
        as_markdown = menu.addAction(self.tr("Copy as Markdown (Ctrl+Shift+C)"), self.copy_as_markdown)
        for action in (copy, as_markdown):
            action.setEnabled(not self._selection.is_empty)
        if link:
            menu.addAction(self.tr("Copy link address"), lambda: QGuiApplication.clipboard().setText(link))
        menu.addAction(self.tr("Select all"), self.select_all)
        if row:
            menu.addSeparator()
            self._offer_actions(menu, row.message)
        return menu

    def _copy_message(self, message: object) -> None:
        if isinstance(message, MessageView):
            QGuiApplication.clipboard().setText(message.text)

    # What floats above the text

    def _place_pill(self) -> None:
        self._latest.setVisible(not self._following)
        size = self._latest.sizeHint()
        area = self.viewport().geometry()
        self._latest.move((self.width() - size.width()) // 2, area.bottom() - size.height() - 8)

    def _place_controls(self) -> None:
        """The controls of each message that is seen, where they belong."""
        top, height = self._value, self.viewport().height()
        seen: list[MessageView] = []
        for index in self._rows.between(top, top + height):
            message = self._rows.messages[index]
            if message.is_growing and not message.has_thought:
                continue
            controls = self._controls.get(message)
            message.branch = self._branches.get(message.turn.id)
            answers = index > 0 and not self._rows.messages[index - 1].turn.is_reply
            if controls is None or not controls.fit(message, answers=answers):
                self._drop_controls(message)
                controls = self._new_controls(message, answers=answers)
            controls.place(message, QPoint(self._left, self._rows.tops[index] - top))
            seen.append(message)
        for message in [message for message in self._controls if message not in seen]:
            if not self._controls[message].has_focus:
                self._drop_controls(message)
        rows = self._rows.rows_between(top, top + height)
        if self._code_buttons.place(rows, QPoint(self._left, -top), self._setting, self._look):
            self._tabs_are_old = True
        if self._tabs_are_old:
            self._order_tabs()
        if (edited := self._editing.message) is not None:
            corner = QPoint(self._left - BUBBLE_SIDE, self._rows.top_of(edited) - top)
            self._editing.place(corner, self._setting.column + 2 * BUBBLE_SIDE)

    def _order_tabs(self) -> None:
        """Tab goes from top to bottom."""
        self._tabs_are_old = False
        messages = (widget for controls in self._controls.values() for widget in controls.widgets)
        stops = [widget for widget in (*messages, *self._code_buttons.widgets) if widget.focusPolicy() & _TAB]
        widgets = sorted(stops, key=lambda widget: (widget.y(), widget.x()))
        for before, after in pairwise([self, *widgets]):
            QWidget.setTabOrder(before, after)

    def _new_controls(self, message: MessageView, *, answers: bool) -> MessageControls:
        controls = MessageControls(self._look.theme, message, self.viewport(), self._act, answers=answers)
        controls.set_hovered(hovered=message is self._hovered)
        controls.set_busy(busy=self._is_busy)
        if controls.fold is not None:
            controls.fold.asked.connect(self._turn_fold)
        for number, button in enumerate(controls.offers):
            button.clicked.connect(partial(self.offer_taken.emit, number))
        self._controls[message] = controls
        self._tabs_are_old = True
        return controls

    def _drop_controls(self, message: MessageView | None = None) -> None:
        """Let go of the controls of a message, or of all."""
        for shown in [message] if message is not None else list(self._controls):
            if (controls := self._controls.pop(shown, None)) is not None:
                controls.drop()

    def _act(self, message: MessageView, action: MessageAction) -> None:
        match action:
            case MessageAction.COPY:
                self._copy_message(message)
            case MessageAction.MORE:
                self._open_menu(message)
            case _:
                self.action_wanted.emit(message.turn.id, action)

    def _open_menu(self, message: MessageView) -> None:
        """What can be done with a message, below the button that was pressed."""
        controls = self._controls.get(message)
        button = None if controls is None else controls.action(MessageAction.MORE)
        if button is None:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._offer_actions(menu, message)
        menu.popup(button.mapToGlobal(QPoint(0, button.height())))

    def _offer_actions(self, menu: QMenu, message: MessageView) -> None:
        menu.addAction(self.tr("Copy message as Markdown"), partial(self._copy_message, message))
        menu.addAction(self.tr("Copy message as text"), partial(_copy, message.body_text))
        self.fill_menu(menu, message.turn)

    def _lay_out_edited(self, message: MessageView) -> None:
        """The editor in a message's place is another height; what is above it stays."""
        if message not in self._rows.messages:
            return
        index = self._rows.messages.index(message)
        anchor = Anchor(message, None, self._rows.tops[index] + message.fold_top - self._value, 0)
        self._rows.lay_out(index)
        self._rows.changed(self._rows.tops[index])
        self._settle(anchor)

    def _reveal_editor(self) -> None:
        message = self._editing.message
        if message is None:
            return
        top, bottom = self._rows.top_of(message), self._rows.top_of(message) + message.height
        value = max(self._value, min(top, bottom - self.viewport().height()))
        self.verticalScrollBar().setValue(min(value, top) if top < self._value else value)

    def _on_edit_left(self, turn_id: int) -> None:
        self._follow(following=self._value >= self._last_value)
        self.focus_action(turn_id, MessageAction.EDIT)

    def _turn_fold(self, message: object) -> None:
        """Open or close the reasoning of a message; the line that was clicked stays where it is."""
        if not isinstance(message, MessageView) or message not in self._rows.messages:
            return
        self._flush()
        index = self._rows.messages.index(message)
        anchor = Anchor(message, None, self._rows.tops[index] + message.fold_top - self._value, 0)
        message.set_open(self._look, is_open=not message.is_open)
        self._rows.lay_out(index)
        self._rows.changed(self._rows.tops[index])
        self._follow(following=False)
        self._settle(anchor)
        self._follow(following=self._value >= self._last_value)


def _leave_as_it_is(_menu: QMenu, _turn: Turn) -> None:
    """Whoever shows the transcript knows what can be done with a message."""


def _copy(text: Callable[[], str]) -> None:
    QGuiApplication.clipboard().setText(text())


@dataclass(frozen=True, slots=True)
class _Text:
    """Text that has come and is not drawn yet."""

    turn: int
    text: str
    is_thought: bool = False

"""The column of messages: what is visible, following the end, selecting, copying.

It shows turns and asks for nothing but links to be opened. What a token, a scroll or a resize costs depends on what
is visible, not on how long the conversation is: messages are rows of segments that are read and laid out when they
are seen.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import takewhile

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QAccessibleEvent,
    QContextMenuEvent,
    QFocusEvent,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QMenu, QToolTip, QWidget

from desktop.conversations import Turn
from desktop.formula_process import FormulaProcess
from desktop.theme import Theme
from desktop.widgets import accessible_transcript
from desktop.widgets.accessible_transcript import AccessibleTranscript
from desktop.widgets.action_button import MessageAction
from desktop.widgets.arriving import Arriving
from desktop.widgets.boxes import BoxedSegment
from desktop.widgets.captions import caption_of
from desktop.widgets.column import BUBBLE_SIDE
from desktop.widgets.controls_on_screen import ControlsOnScreen
from desktop.widgets.finding import Finding
from desktop.widgets.formula_drawing import Formulas, Setter
from desktop.widgets.keyboard import Keyboard
from desktop.widgets.message_editor import Editing
from desktop.widgets.message_view import MessageView
from desktop.widgets.mouse import Mouse
from desktop.widgets.pill import LatestPill
from desktop.widgets.progress import Progress, ProgressKind
from desktop.widgets.reading_place import Place, height_of, place_at
from desktop.widgets.rows import Anchor
from desktop.widgets.rows_view import ROUNDS, STEP, Before, RowsView
from desktop.widgets.segments import NO_MARKS, Marks, Segment
from desktop.widgets.selection import Selection, Spot
from desktop.widgets.typesetting import Look

__all__ = ["Progress", "ProgressKind", "Transcript"]

_REVEALED = 48  # pixels above and below what was brought into view; the find bar lies over the upper ones
_NOTCH = 120  # of the wheel, as Qt counts
ZOOMS = (0.5, 0.67, 0.75, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0)
_FIRST = 40  # messages that are there at once when a conversation is shown: more than the largest screen holds


class Transcript(RowsView):
    """The messages of one conversation."""

    offer_taken = Signal(int)  # which of the things that were offered for the last message
    action_wanted = Signal(int, object)  # turn id, MessageAction: something is to be done with a message
    edited = Signal(int, str)  # turn id, what its message is to say
    link_activated = Signal(str)  # a link was clicked; whoever listens shows the address and asks
    painted = Signal(int)  # turn id: text of a growing reply is on the screen
    find_count = Signal(int, int)  # which hit is shown, counted from one; how many there are
    zoom_changed = Signal(float)

    def __init__(self, theme: Theme, parent: QWidget | None = None, setter: Setter | None = None) -> None:
        super().__init__(Look(theme), parent)
        self._look.formulas = Formulas(setter or FormulaProcess(self), self)
        self._look.formulas.came.connect(self._write_formulas)
        self._selection = Selection(self._rows.messages)
        self._keyboard = Keyboard(self._rows, self._selection, self)
        self._mouse = Mouse(self._rows, self._selection, self.viewport(), self)
        self._controls = ControlsOnScreen(self._rows, self, self.viewport())
        self._arriving = Arriving(self._grow, self)
        self._unpainted: int | None = None
        self._editing = Editing(self.viewport(), self._lay_out_edited, self.edited.emit, self._on_edit_left)
        self.fill_menu: Callable[[QMenu, Turn], None] = _leave_as_it_is  # adds what can be done with a message
        self._latest = LatestPill(theme, self)
        self._latest.clicked.connect(self.scroll_to_end)
        self._finding = Finding(theme, self._rows, self._selection, self, self)
        self._finding.count_changed.connect(self.find_count)
        self._wheel = 0  # of a turn that zooms, until it is a whole notch
        self._accessible: AccessibleTranscript | None = None
        self._set_up()

    # What is shown

    def show_turns(self, turns: Sequence[Turn], before: Before | None = None) -> None:
        """Show another conversation, from its end. Where these are only its last turns, `before` gives so many of those
        before the one with an id, and they are brought in when there is time."""
        self._arriving.clear()
        self._selection.clear()
        self._keyboard.clear()
        self._editing.end()
        self._controls.clear()
        self._older, self._before = list(turns[:-_FIRST]), before if turns else None
        self._rows.show(self._message_of(turn) for turn in turns[-_FIRST:])
        self._follow(following=True)
        self._settle(None)
        self._finding.messages_changed()
        self._tell_of_messages()
        self.viewport().update()

    def add_turn(self, turn: Turn) -> None:
        """Show one more turn. The reader's own goes to the end of the view, and the view follows again."""
        self._flush()
        message = self._message_of(turn)
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
        self._controls.drop_code()
        self._controls.hover(None, None)
        known = {message.turn.id: message for message in self._rows.messages}
        shown = [
            message if (message := known.get(turn.id)) is not None and message.turn == turn else self._message_of(turn)
            for turn in turns
        ]
        if self._editing.message not in shown:
            self._editing.end()
        for message in set(known.values()).difference(shown):
            self._controls.drop(message)
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
        self._controls.set_branches(branches)
        self._place_controls()

    def set_busy(self, *, busy: bool) -> None:
        """While a reply is being made, nothing can be done with messages but copying."""
        self._controls.set_busy(busy=busy)
        self._editing.set_busy(busy=busy)

    def edit(self, turn_id: int, text: str | None = None) -> None:
        """Let a message be written over, in its place; with `text`, go on from that."""
        index = self._index_of(turn_id)
        if index is not None:
            self._selection.clear()
            self._follow(following=False)
            width = self._setting.column + 2 * BUBBLE_SIDE
            self._editing.begin(self._rows.messages[index], self._look.theme, width, text)
            self._reveal_editor()

    @property
    def edit_begun(self) -> tuple[int, str] | None:
        """The turn that is being written over, and what it is to say so far; `None` where that is what it says."""
        editor, message = self._editing.editor, self._editing.message
        if editor is None or message is None or editor.text == message.turn.message.content:
            return None
        return message.turn.id, editor.text

    def focus_action(self, turn_id: int, action: MessageAction) -> None:
        """Put the focus on a button of a message that is seen."""
        index = self._rows.index_of(turn_id)
        controls = None if index is None else self._controls.of(self._rows.messages[index])
        if controls is not None:
            controls.focus(action)

    def grow(self, turn_id: int, text: str) -> None:
        """More text of a reply. Texts that come in one turn of the event loop are drawn together."""
        self._arriving.take(turn_id, text, is_thought=False)

    def think(self, turn_id: int, text: str) -> None:
        """More reasoning of a reply."""
        self._arriving.take(turn_id, text, is_thought=True)

    def set_thinking(self, words: str) -> None:
        """What stands for the reasoning of the reply that is growing, while it is not known how long it will take."""
        message = self._rows.messages[-1] if self._rows.messages else None
        if message is not None and message.is_growing and message.thinking != words:
            message.thinking = words
            if (controls := self._controls.of(message)) is not None:
                controls.show_words(message)

    def offer(self, words: Sequence[str]) -> None:
        """Offer what can be done about the last message, a button each."""
        message = self._rows.messages[-1] if self._rows.messages else None
        if message is None or message.offers == tuple(words):
            return
        anchor = self._anchor()
        message.offers = tuple(words)
        self._controls.drop(message)
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
        self._controls.set_theme(theme)

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
        for _ in range(ROUNDS):  # what is measured on the way moves what is below it
            value = height_of(self._rows, place) if place is not None else None
            if value is None or value == self._value:
                break
            self._go_to(value)

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
        self._controls.order_tabs()  # which of a message's actions is a stop may have changed
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
        self._mouse.press(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._mouse.double_click(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._mouse.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._mouse.release(event)

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
            self._mouse.leave()
        return super().viewportEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.ApplicationFontChange:
            self.set_theme(self._look.theme)

    # What is asked of it by those who help it

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
        for _ in range(ROUNDS):  # what is measured on the way moves what is below it
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
        for _ in range(ROUNDS):
            value = max(0, min(self._rows.top_of(message), self._last_value))
            if value == self._value:
                break
            self._go_to(value)
        self._follow(following=self._value >= self._last_value)
        self._tell_of_focus(message)

    def open_thought(self, message: MessageView) -> None:
        if not message.is_open:
            self._turn_fold(message)

    def in_text(self, point: QPoint) -> QPoint:
        """A point of the viewport as seen from the left edge of the text and the top of the conversation."""
        return point - QPoint(self._left, -self._value)

    def scroll_by(self, pixels: int) -> None:
        self.verticalScrollBar().setValue(self._value + pixels)

    def repaint_text(self) -> None:
        self.viewport().update()

    # Setting up

    def _set_up(self) -> None:
        self._mouse.link_clicked.connect(self.link_activated)
        self._mouse.moved_over.connect(self._controls.hover)
        self._controls.offer_taken.connect(self.offer_taken)
        self._controls.fold_turned.connect(self._turn_fold)
        self._controls.acted.connect(self._act)
        self._controls.scrolled.connect(self.repaint_text)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Conversation"))
        self.viewport().setMouseTracking(True)
        self.viewport().setCursor(Qt.CursorShape.ArrowCursor)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        accessible_transcript.install()

    # Where everything is

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

    # Following the end, or keeping the reader's place

    def _on_replaced(self, old: Segment, new: Sequence[Segment]) -> None:
        self._selection.replace(old, new)

    # Text that arrives

    def _flush(self) -> None:
        self._arriving.flush()

    def _grow(self, turn_id: int, text: str, is_thought: bool) -> None:  # noqa: FBT001 - by position
        index = self._rows.index_of(turn_id)
        if index is None:
            return
        anchor, stood = self._anchor(), self._stand
        if self._rows.grow(index, text, is_thought=is_thought, measures=self._following):
            self._unpainted = turn_id
            self._settle(anchor, stood=stood)
            if self._finding.is_active:
                self._finding.text_changed(self._rows.messages[index])

    def _message_of(self, turn: Turn) -> MessageView:
        return MessageView(turn, caption_of(turn), self._look)

    def _on_all_there(self) -> None:
        self._finding.messages_changed()
        self._tell_of_messages()

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

    # Mouse and keys

    def _scroll_by_key(self, event: QKeyEvent) -> bool:
        bar = self.verticalScrollBar()
        page = max(STEP, bar.pageStep() - STEP)
        shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        match event.key():
            case Qt.Key.Key_Up:
                bar.setValue(bar.value() - STEP)
            case Qt.Key.Key_Down:
                bar.setValue(bar.value() + STEP)
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
                self._scroll_boxes(-4 * STEP if event.key() == Qt.Key.Key_Left else 4 * STEP)
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
        row = self._rows.row_near(point.y() + self._value)
        segment = row.segment if row else None
        if not isinstance(segment, BoxedSegment) or not segment.overflows(self._setting, self._look):
            return False
        if segment.scroll(by, self._setting, self._look):
            self.viewport().update()
        return True

    def _link_at(self, point: QPoint) -> str:
        return self._rows.link_at(self.in_text(point))

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

    def _context_menu(self, point: QPoint) -> QMenu:
        menu = QMenu(self)
        row = self._rows.row_near(point.y() + self._value)
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

    def _place_floating(self) -> None:
        """The pill and the find bar."""
        self._latest.setVisible(not self._following and self._value < self._last_value)
        size = self._latest.sizeHint()
        area = self.viewport().geometry()
        self._latest.move((self.width() - size.width()) // 2, area.bottom() - size.height() - 8)
        self._finding.place()

    def _place_controls(self) -> None:
        self._controls.place(self._value, self.viewport().height(), self._left)
        if (edited := self._editing.message) is not None:
            corner = QPoint(self._left - BUBBLE_SIDE, self._rows.top_of(edited) - self._value)
            self._editing.place(corner, self._setting.column + 2 * BUBBLE_SIDE)

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
        controls = self._controls.of(message)
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

"""The messages of one conversation, while they come, grow, change and are written over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile

from PySide6.QtCore import QPoint, QRect, Signal
from PySide6.QtGui import (
    QPaintEvent,
)
from PySide6.QtWidgets import QWidget

from desktop.theme import Theme
from desktop.turns import Turn
from desktop.widgets.action_button import MessageAction
from desktop.widgets.arriving import Arriving
from desktop.widgets.captions import caption_of
from desktop.widgets.column import BUBBLE_SIDE
from desktop.widgets.formula_drawing import Setter
from desktop.widgets.message_editor import Editing
from desktop.widgets.message_view import MessageView
from desktop.widgets.progress import Progress
from desktop.widgets.reading_place import Place, height_of, place_at
from desktop.widgets.reading_view import ReadingView
from desktop.widgets.rows_view import Before

_FIRST = 40  # messages that are there at once when a conversation is shown: more than the largest screen holds


class Transcript(ReadingView):
    """It shows turns, and knows nothing of who makes them."""

    edited = Signal(int, str)  # turn id, what its message is to say
    painted = Signal(int)  # turn id: text of a growing reply is on the screen

    def __init__(self, theme: Theme, parent: QWidget | None = None, setter: Setter | None = None) -> None:
        super().__init__(theme, setter, parent)
        self._arriving = Arriving(self._grow, self)
        self._unpainted: int | None = None
        self._editing = Editing(self.viewport(), self._lay_out_edited, self.edited.emit, self._on_edit_left)

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
        self.finding.messages_changed()
        self._telling.messages_changed()
        self.viewport().update()

    def add_turn(self, turn: Turn) -> None:
        """Show one more turn. The reader's own goes to the end of the view, and the view follows again."""
        self.offer(())  # what was offered was about the one before
        self._flush()
        message = self._message_of(turn)
        anchor = self._anchor()
        self._rows.add(message)
        if turn.is_reply:
            self._settle(anchor)
        else:
            self.scroll_to_end()
        self.finding.text_changed(message)
        self._telling.messages_changed()

    def replace_turns(self, turns: Sequence[Turn]) -> None:
        """Show another branch of the same conversation: what is the same stays as and where it is, but for what was
        offered about its last turn."""
        self.bring_all()
        self.offer(())
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
        self.finding.messages_changed()
        self._telling.messages_changed()
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
        return self._editing.begun

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
        self.finding.text_changed(message)
        if was_growing:
            self._telling.ended(message)

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

    def place(self) -> Place | None:
        """Where the reader is; `None` while the end is followed."""
        self._flush()
        return None if self._following else place_at(self._rows, self._value)

    def restore_place(self, place: Place | None) -> None:
        """Go to where the reader was, if what was read there is still in the conversation."""
        if place is None:
            self.scroll_to_end()
            return
        self.bring_all()
        if height_of(self._rows, place) is None:
            self.scroll_to_end()
            return
        self._follow(following=False)
        self._settle(None)
        self._approach(lambda: height_of(self._rows, place))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        self._say_painted(event.rect())

    def _place_controls(self) -> None:
        super()._place_controls()
        if (edited := self._editing.message) is not None:
            corner = QPoint(self._left - BUBBLE_SIDE, self._rows.top_of(edited) - self._value)
            self._editing.place(corner, self._setting.column + 2 * BUBBLE_SIDE)

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
            if self.finding.is_active:
                self.finding.text_changed(self._rows.messages[index])

    def _message_of(self, turn: Turn) -> MessageView:
        return MessageView(turn, caption_of(turn), self._look)

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

    def _lay_out_edited(self, message: MessageView) -> None:
        """The editor in a message's place is another height; what is above it stays."""
        if message in self._rows.messages:
            self._lay_out_below_head(message)

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

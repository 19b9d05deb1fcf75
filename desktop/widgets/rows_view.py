"""A view of rows that keeps the reader's place: at the end while it is followed, else at what is being read.

It scrolls, measures what comes into view, and brings in older messages in idle moments. What is drawn, and what stands
upon it, is decided by who builds on it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from desktop.turns import Turn
from desktop.widgets.column import BUBBLE_SIDE, TEXT_COLUMN
from desktop.widgets.message_view import MessageView
from desktop.widgets.rows import Anchor, Rows
from desktop.widgets.segments import Segment
from desktop.widgets.typesetting import Look, Setting

STEP = 24  # pixels, of an arrow key; a notch of the wheel is three
ROUNDS = 50  # of measuring: each may bring more into view

_EDGE = 16  # between the bubbles and the edges of the view
_BOTTOM = 8
_IDLE = 15  # milliseconds between pieces of work that nobody waits for
_SLICE = 0.004  # seconds that such a piece may take
_AT_ONCE = 60  # older messages, in such a piece
_ALL_AT_ONCE = 10_000

Before = Callable[[int, int], Sequence[Turn]]  # so many of the turns before the one with an id


class RowsView(QAbstractScrollArea):
    """Messages one below the other, and the part of them that is seen."""

    following_changed = Signal(bool)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._rows = Rows(look, self._on_replaced)
        self._following = True
        self._is_placing = False  # the scroll bar is being moved by us, not by the reader
        self._is_quiet = False  # pixels must not move along with the scroll bar: what is on the screen stays
        self._older: list[Turn] = []  # before those that are shown: they are brought in when there is time
        self._before: Before | None = None  # and asks for those before them
        self._idle_timer = self._timer(_IDLE, self._work_a_little)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalScrollBar().setSingleStep(STEP)
        self._rows.setting = self._setting_now()

    @property
    def following(self) -> bool:
        """Whether the view stays at the end while text arrives. Only the reader changes that."""
        return self._following

    def scroll_to_end(self) -> None:
        """Go to the newest text and follow it."""
        self._follow(following=True)
        self._settle(None)

    def seen(self) -> tuple[int, int]:
        """Between which heights of the conversation the view is."""
        return self._value, self._value + self.viewport().height()

    def bring_all(self) -> None:
        """Have every turn in its place, now."""
        while self._has_older:
            self._bring_older(_ALL_AT_ONCE)

    # Qt's virtual methods

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        anchor = self._anchor()
        setting = self._setting_now()
        if setting != self._rows.setting:
            self._rows.setting = setting
            self._rows.lay_out_all()
        self._settle(anchor)
        self._place_floating()
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
        self._place_floating()

    # What is asked of who builds on it

    @abstractmethod
    def _message_of(self, turn: Turn) -> MessageView:
        """A turn as it is drawn."""

    @abstractmethod
    def _flush(self) -> None:
        """Draw the text that has come and is not drawn yet."""

    @abstractmethod
    def _on_replaced(self, old: Segment, new: Sequence[Segment]) -> None:
        """Others stand where a segment was."""

    @abstractmethod
    def _on_all_there(self) -> None:
        """The last of the older messages was brought in."""

    @abstractmethod
    def _on_gone_far(self) -> None:
        """The reader has gone to one of the ends."""

    @abstractmethod
    def _place_controls(self) -> None:
        """Put what stands on the messages where it belongs."""

    @abstractmethod
    def _place_floating(self) -> None:
        """Put what floats above the text where it belongs."""

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

    # Following the end, or keeping the reader's place

    def _follow(self, *, following: bool) -> None:
        if following != self._following:
            self._following = following
            self.following_changed.emit(following)
        self._place_floating()

    def _anchor(self, *, skip_unmeasured: bool = False) -> Anchor | None:
        """What the reader looks at: it stays where it is, whatever changes above it. `None` at the end."""
        if self._following:
            return None
        return self._rows.anchor(self._value, self.viewport().height(), skip_unmeasured=skip_unmeasured)

    def _index_of(self, turn_id: int) -> int | None:
        index = self._rows.index_of(turn_id)
        if index is None and self._has_older:
            self.bring_all()
            index = self._rows.index_of(turn_id)
        return index

    def _settle(self, anchor: Anchor | None, *, stood: tuple[int, int, int] | None = None) -> None:
        """Measure what is seen until all of it is measured, with the end or the anchor in its place."""
        for _ in range(ROUNDS):
            self._scroll_to(anchor)
            if not self._measure_seen():
                break
        changed = self._rows.take_changes()
        if changed is not None:
            self._update_from(changed)
        if stood is None or stood != self._stand:
            self._place_controls()
        if not self._following:
            self._place_floating()  # there may be something below now, or nothing any more
        self._idle_timer.start()

    @property
    def _stand(self) -> tuple[int, int, int]:
        """As long as it is the same, no control of a message has to move while text arrives."""
        last = self._rows.messages[-1] if self._rows.messages else None
        return self._value, self._rows.end, len(last.segments) if last is not None else 0

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

    def _go_to(self, value: int) -> None:
        """Scroll there for the reader."""
        self._is_placing = True
        self.verticalScrollBar().setValue(value)
        self._is_placing = False
        self.viewport().update()
        self._settle(self._anchor())

    def _approach(self, height: Callable[[], int | None]) -> None:
        """Scroll to a height, `None` being where the view is: what is measured on the way moves what is below it."""
        for _ in range(ROUNDS):
            value = height()
            if value is None or max(0, min(value, self._last_value)) == self._value:
                break
            self._go_to(value)

    def _lay_out_below_head(self, message: MessageView) -> None:
        """A message is another height; its head stays where it is."""
        index = self._rows.messages.index(message)
        anchor = Anchor(message, None, self._rows.tops[index] + message.fold_top - self._value, 0)
        self._rows.lay_out(index)
        self._rows.changed(self._rows.tops[index])
        self._settle(anchor)

    def _scroll_by_key(self, event: QKeyEvent) -> bool:
        bar = self.verticalScrollBar()
        page = max(STEP, bar.pageStep() - STEP)
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
                shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
                bar.setValue(bar.value() + (-page if shifted else page))
            case Qt.Key.Key_Home:
                self.bring_all()
                bar.setValue(0)
                self._on_gone_far()
            case Qt.Key.Key_End:
                self.scroll_to_end()
                self._on_gone_far()
            case _:
                return False
        return True

    def _measure_anew(self) -> None:
        anchor = self._anchor()
        self._rows.forget_measures()
        self._rows.setting = self._setting_now()
        self._rows.lay_out_all()
        self._settle(anchor)

    def _setting_now(self) -> Setting:
        # The scroll bar's place is left free whether it is there or not: nothing moves when it comes.
        bar = self.verticalScrollBar().sizeHint().width()
        wanted = TEXT_COLUMN * QFontMetrics(self._look.message_font).averageCharWidth()
        column = max(80, min(wanted, self.width() - 2 * (_EDGE + BUBBLE_SIDE)))
        left = (self.width() - column) // 2
        return Setting(column, max(column, self.width() - bar - left - _EDGE))

    def _timer(self, interval: int, slot: Callable[[], None]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(interval)
        timer.timeout.connect(slot)
        return timer

    def _update_from(self, top: int) -> None:
        """Paint again what is below a height of the content."""
        place = self.viewport().rect()
        place.setTop(max(0, top - self._value))
        if place.isValid():
            self.viewport().update(place)

    # What nobody waits for

    @property
    def _has_older(self) -> bool:
        return bool(self._older) or self._before is not None

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
            lower = self._rows.put_before([self._message_of(turn) for turn in turns])
            bar = self.verticalScrollBar()
            value = self._value + lower
            self._is_placing = self._is_quiet = True
            bar.setRange(0, self._last_value)
            bar.setValue(value)
            self._is_placing = self._is_quiet = False
            self._settle(self._anchor())
        if not self._has_older:
            self._on_all_there()

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

"""Finding in the transcript: from what is typed into the bar to the hits that are marked and shown.

It searches a little at a time, so that the window stays free however long the conversation is.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import thread_time
from typing import Protocol

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QWidget

from desktop.theme import Theme
from desktop.widgets.find import Finder
from desktop.widgets.find_bar import FindBar
from desktop.widgets.message_view import MessageView
from desktop.widgets.rows import Rows
from desktop.widgets.segments import Segment, Span
from desktop.widgets.selection import Selection, Spot

_SLICE = 0.005  # seconds between two looks at what else there is to do
_MARGIN = 8


class Shows(Protocol):
    """What is asked of the transcript."""

    def reveal(self, spot: Spot) -> None:
        """Bring a place in the text into view."""

    def top_spot(self) -> Spot | None:
        """The first place in the text that is seen."""

    def bring_all(self) -> None:
        """Have every message in its place."""

    def open_thought(self, message: MessageView) -> None: ...
    def repaint_text(self) -> None: ...


class Finding(QObject):
    """What is looked for in one transcript, and the bar for it, which is made when it is first wanted."""

    count_changed = Signal(int, int)  # which hit it is, counted from one; of how many

    def __init__(self, theme: Theme, rows: Rows, selection: Selection, view: QWidget, shows: Shows) -> None:
        super().__init__(view)
        self.bar: FindBar | None = None
        self._theme = theme
        self._rows = rows
        self._selection = selection
        self._view = view
        self._shows = shows
        self._finder = Finder(rows, shows.open_thought)
        self._search: Iterator[None] | None = None
        self._origin: Spot | MessageView | None = None
        self._must_go = False  # to the first hit, once it is found
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self._search_on)

    @property
    def is_active(self) -> bool:
        """Whether anything is looked for."""
        return bool(self._finder.words)

    def begin(self) -> None:
        """Let the person type what to find: what is selected, or what was looked for last."""
        self._shows.bring_all()
        if self.bar is None:
            self.bar = self._made_bar()
        selected = self._selection.text(self._rows.look)
        self.place()
        self.bar.begin(selected if selected and "\n" not in selected else "")
        self.look_for(self.bar.field.text())

    def begin_at(self, turn_id: int, words: str) -> None:
        """Look for these words from the beginning of a turn on, with the bar to go on from there."""
        self._shows.bring_all()
        index = self._rows.index_of(turn_id)
        if index is None:
            return
        if self.bar is None:
            self.bar = self._made_bar()
        self.place()
        self.bar.begin(words)
        self._look_from(self._rows.messages[index], words)

    def end(self) -> None:
        """Put the bar away; the hit one was led to is selected."""
        if self.bar is not None and not self.bar.isHidden():
            self.bar.hide()
            self._view.setFocus(Qt.FocusReason.OtherFocusReason)
        spots = self._finder.current_spots()
        if spots is not None:
            self._selection.take(*spots)
        self.look_for("")

    def look_for(self, words: str) -> None:
        """Mark these words wherever they are, read or not, and show the first from here on."""
        if words:
            self._shows.bring_all()
        spots = self._finder.current_spots()
        self._look_from(spots[0] if spots else self._shows.top_spot(), words)

    def go_on(self, step: int) -> None:
        """Show the next hit (1) or the previous one (-1)."""
        if not self.is_active:
            self.begin()
            return
        self._must_go = False
        if self._finder.go_on(step):
            self._show_current()
        self._tell()

    def messages_changed(self) -> None:
        """It is another conversation: the same words are looked for, and nothing is shown."""
        words = self._finder.words
        self._finder.look_for(words)
        self._origin, self._must_go = None, False
        self._begin_search(0)

    def text_changed(self, message: MessageView) -> None:
        """A message says something else, or more."""
        if self.is_active and message in self._rows.messages:
            self._finder.forget(message)
            self._begin_search(self._rows.messages.index(message))

    def marks(self, segment: Segment) -> tuple[Span, ...]:
        return self._finder.marks(segment)

    def current_mark(self, segment: Segment) -> Span | None:
        return self._finder.current_mark(segment)

    def place(self) -> None:
        """Put the bar where it belongs: in the upper right corner, over the text, so that nothing moves."""
        if self.bar is None:
            return
        size = self.bar.sizeHint()
        room = self._view.contentsRect().width() - 2 * _MARGIN - 12  # the scroll bar stays free
        width = min(size.width(), room)
        self.bar.setGeometry(_MARGIN + room - width, _MARGIN, width, size.height())

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        if self.bar is not None:
            self.bar.set_theme(theme)

    def _made_bar(self) -> FindBar:
        bar = FindBar(self._theme, self._view)
        bar.words_changed.connect(self.look_for)
        bar.next_wanted.connect(self._go_forward)
        bar.previous_wanted.connect(self._go_back)
        bar.closed.connect(self.end)
        return bar

    def _go_forward(self) -> None:
        self.go_on(1)

    def _go_back(self) -> None:
        self.go_on(-1)

    def _look_from(self, origin: Spot | MessageView | None, words: str) -> None:
        self._origin = origin
        self._finder.look_for(words)
        self._must_go = self.is_active
        self._begin_search(self._index_of_origin())
        self._shows.repaint_text()

    def _index_of_origin(self) -> int:
        message = self._origin.message if isinstance(self._origin, Spot) else self._origin
        return self._rows.messages.index(message) if message in self._rows.messages else 0

    def _begin_search(self, first: int) -> None:
        self._search = self._finder.search(first) if self.is_active else None
        self._search_on()

    def _search_on(self) -> None:
        """Search until the slice is over, then leave the rest for later."""
        until = thread_time() + _SLICE
        while self._search is not None and thread_time() < until:
            try:
                next(self._search)
            except StopIteration:
                self._search = None
        if self._must_go and (self._search is None or self._finder.knows_first(self._index_of_origin())):
            self._must_go = False
            if self._finder.go_from(self._origin):
                self._show_current()
        if self._search is not None:
            self._timer.start()
        self._tell()

    def _show_current(self) -> None:
        spots = self._finder.current_spots()
        if spots is not None:
            self._shows.reveal(spots[0])
            self._shows.repaint_text()

    def _tell(self) -> None:
        number, total = self._finder.number, self._finder.total
        if self.bar is not None:
            self.bar.show_count(number, total, is_complete=self._search is None)
        self.count_changed.emit(number, total)

"""The middle of the window: the messages of the session that is shown, or what stands there before the first one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QStackedWidget, QWidget

from desktop.activity import Activity, Phase
from desktop.chat_session import ChatSession
from desktop.theme import Theme, scroll_bar_style
from desktop.widgets.empty_state import EmptyState
from desktop.widgets.links import Links

if TYPE_CHECKING:
    from desktop.remedies import Remedy
    from desktop.turns import Turn
    from desktop.widgets.reading_place import Place
    from desktop.widgets.transcript import Transcript


class ConversationPage(QStackedWidget):
    """Follows one session. The transcript is made when there is something to show in it: what it takes to read and
    set Markdown costs as much time as all the rest of the window."""

    link_activated = Signal(str)  # see Transcript
    offer_taken = Signal(int)
    action_wanted = Signal(int, object)
    edited = Signal(int, str)
    transcript_made = Signal()

    def __init__(self, theme: Theme, embedded: Path | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._session: ChatSession | None = None
        self._links = Links()
        self._transcript: Transcript | None = None
        self._places: dict[int, Place] = {}  # of readers who left a conversation elsewhere than at its end
        self._edits: dict[int, tuple[int, str]] = {}  # begun in a conversation that was left: the turn, and the words
        self.fill_menu: Callable[[QMenu, Turn], None] | None = None  # adds what can be done with a message
        self.waits_for: Callable[[], str] = str  # what a reply that has not begun waits for, in words
        self.empty_state = EmptyState(theme, embedded)
        self.addWidget(self.empty_state)

    @property
    def transcript(self) -> Transcript:
        return self._transcript or self._make_transcript()

    @property
    def has_transcript(self) -> bool:
        return self._transcript is not None

    @property
    def shows_transcript(self) -> bool:
        """Whether there is a conversation to be read."""
        return self._transcript is not None and self.currentWidget() is self._transcript

    def prepare(self) -> None:
        """Make the transcript now, so that the first turn does not have to wait for it."""
        if self._transcript is None:
            self._make_transcript()

    def show_session(self, session: ChatSession) -> None:
        """Show this session from now on, and no longer the one before."""
        self._links.let_go()
        self._keep_place()
        self._keep_edit()
        self._session = session
        self._links.connect(session.turn_added, self._on_turn_added)
        if self._transcript is not None:
            self._follow_with(self._transcript, session)
        if self._transcript is not None or session.latest_turns:
            self.transcript.show_turns(session.latest_turns, session.turns_before)
            self._show_branches()
            self._show_offers(session.remedies)
            self._show_activity(session.activity)
            self._restore_place()
            self._go_on_with_edit()
        self._choose_page()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.empty_state.set_theme(theme)
        if self._transcript is not None:
            self._transcript.set_theme(theme)
            self._transcript.verticalScrollBar().setStyleSheet(scroll_bar_style(theme))

    @property
    def place_words(self) -> str:
        """Where the reader is, to be kept for another start; empty at the end of the conversation."""
        place = self.transcript.place() if self.shows_transcript else None
        return "" if place is None else place.words

    def remember(self, conversation: int, place_words: str) -> None:
        """Show this conversation where it was read then."""
        from desktop.widgets.reading_place import Place

        if (place := Place.from_words(place_words)) is not None:
            self._places[conversation] = place

    def _keep_place(self) -> None:
        """Remember where the reader is in the conversation that is left."""
        if self._session is None or self._session.conversation is None or not self.shows_transcript:
            return
        place = self.transcript.place()
        if place is None:
            self._places.pop(self._session.conversation.id, None)
        else:
            self._places[self._session.conversation.id] = place

    def _restore_place(self) -> None:
        known = self._session.conversation if self._session is not None else None
        self.transcript.restore_place(self._places.get(known.id) if known is not None else None)

    def _keep_edit(self) -> None:
        """What is written over a message stays as a draft does, for as long as the window is there."""
        known = self._session.conversation if self._session is not None else None
        begun = self._transcript.edit_begun if self._transcript is not None else None
        if known is not None and begun is not None:
            self._edits[known.id] = begun

    def _go_on_with_edit(self) -> None:
        known = self._session.conversation if self._session is not None else None
        begun = None if known is None else self._edits.pop(known.id, None)
        if begun is not None:
            self.transcript.edit(*begun)

    def _make_transcript(self) -> Transcript:
        from desktop.widgets.transcript import Transcript

        transcript = Transcript(self._theme)
        transcript.verticalScrollBar().setStyleSheet(scroll_bar_style(self._theme))
        transcript.link_activated.connect(self.link_activated)
        transcript.offer_taken.connect(self.offer_taken)
        transcript.action_wanted.connect(self.action_wanted)
        transcript.edited.connect(self.edited)
        transcript.menus.fill = self._fill_menu
        self.addWidget(transcript)
        if self._session is not None:
            self._follow_with(transcript, self._session)
        self._transcript = transcript
        self.transcript_made.emit()
        return transcript

    def _follow_with(self, transcript: Transcript, session: ChatSession) -> None:
        self._links.connect(session.turns_replaced, self._show_turns)
        self._links.connect(session.reply_grew, transcript.grow)
        self._links.connect(session.thought_grew, transcript.think)
        self._links.connect(session.turns_left_out, transcript.change_turn)
        self._links.connect(session.turn_changed, transcript.change_turn)
        self._links.connect(session.turn_marked, transcript.change_turn)
        self._links.connect(session.remedies_changed, self._show_offers)
        self._links.connect(session.activity_changed, self._show_activity)

    def _choose_page(self) -> None:
        has_turns = self._session is not None and bool(self._session.latest_turns)
        self.setCurrentWidget(self.transcript if has_turns else self.empty_state)

    def _on_turn_added(self, turn: Turn) -> None:
        self.transcript.add_turn(turn)
        self._show_branches()
        self._choose_page()

    def _show_turns(self) -> None:
        if self._session is not None:
            self.transcript.replace_turns(self._session.turns)
            self._show_branches()
            self._show_offers(self._session.remedies)
        self._choose_page()

    def _show_branches(self) -> None:
        """Which of several stands in a turn's place."""
        if self._session is None:
            return
        self.transcript.set_branches(self._session.forks())

    def _fill_menu(self, menu: QMenu, turn: Turn) -> None:
        if self.fill_menu is not None:
            self.fill_menu(menu, turn)

    def _show_offers(self, remedies: tuple[Remedy, ...]) -> None:
        from desktop.widgets.offers import words_for

        self.transcript.offer([words_for(remedy) for remedy in remedies])

    def _show_activity(self, activity: Activity) -> None:
        from desktop.widgets.progress import progress_of, thinking_of

        self.transcript.set_busy(busy=activity.phase is not Phase.IDLE)
        self.transcript.set_progress(progress_of(activity, perf_counter(), self.waits_for()))
        self.transcript.set_thinking(thinking_of(activity))

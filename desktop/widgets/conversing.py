"""What is typed goes to the session that is shown, and how far that is stands around its messages."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from desktop.activity import Activity
from desktop.chat_session import ChatSession
from desktop.draft_count import DraftCount
from desktop.widgets.attaching import Attaching
from desktop.widgets.choices import Choices
from desktop.widgets.composer import Composer
from desktop.widgets.conversation_page import ConversationPage
from desktop.widgets.links import Links
from desktop.widgets.speed_bar import SpeedBar
from desktop.widgets.turn_actions import TurnActions
from inference import RemoteModel, WindowPolicy


class Conversing(QObject):
    """Goes between one session and the composer, the page, the files that go along and the bar of figures."""

    activity_changed = Signal()
    identified = Signal()  # which conversation it is, and what it is called, may be something else now
    unanswered = Signal()  # a prompt was not taken, and stays where it was typed
    key_wanted = Signal(RemoteModel)
    failed = Signal(str)  # a sentence
    outdated = Signal(str)  # a sentence about this conversation alone

    def __init__(
        self,
        session: ChatSession,
        page: ConversationPage,
        composer: Composer,
        attaching: Attaching,
        turn_actions: TurnActions,
        speed_bar: SpeedBar,
        choices: Choices,
        draft_count: DraftCount | None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.session = session
        self._page = page
        self._composer = composer
        self._attaching = attaching
        self._turn_actions = turn_actions
        self._speed_bar = speed_bar
        self._choices = choices
        self._draft_count = draft_count
        self._links = Links()
        self._connect()

    def follow(self, session: ChatSession) -> None:
        """Show this session, and no longer the one before."""
        self._links.let_go()
        self.session = session
        for signal, slot in (
            (session.turn_added, self._identify),
            (session.title_changed, self._identify),
            (session.window_policy_changed, self._composer.window_meter.show_policy),
            (session.activity_changed, self._show_activity),
            (session.figures_changed, self._speed_bar.show_figures),
            (session.failed, self.failed),
            (session.outdated, self.outdated),
        ):
            self._links.connect(signal, slot)
        self._page.show_session(session)
        self._turn_actions.show_session(session)
        self._attaching.follow(session)
        self._composer.window_meter.show_policy(session.window_policy)
        self._show_activity(session.activity)
        self._speed_bar.show_figures(session.figures)
        self.identified.emit()

    def show_found(self, turn: int, words: str) -> None:
        """Show a turn that was found, on whichever branch it is, and mark the words in it."""
        if all(shown.id != turn for shown in self.session.turns):
            self.session.show_branch(turn)
        self._page.transcript.finding.begin_at(turn, words)

    def _connect(self) -> None:
        self._composer.submitted.connect(self._send)
        self._composer.draft_changed.connect(self._keep_draft)
        self._composer.window_meter.policy_chosen.connect(self._choose_policy)
        self._page.empty_state.prompt_chosen.connect(self._send_example)
        self._page.offer_taken.connect(self._take_offer)
        self._turn_actions.done.connect(self._composer.focus_field)

    def _identify(self, _what: object) -> None:
        self.identified.emit()

    def _show_activity(self, _activity: Activity) -> None:
        self._composer.set_busy(busy=self.session.is_busy)
        self.activity_changed.emit()

    def _send(self, text: str) -> None:
        files = self._attaching.attachments
        if self.session.send(text, self._choices.for_reply, attachments=files):
            self._attaching.forget()
            self._page.transcript.scroll_to_end()
        else:
            self.unanswered.emit()

    def _send_example(self, prompt: str) -> None:
        """What is being typed stays; an example that cannot be sent now is offered in an empty field."""
        if self.session.send(prompt, self._choices.for_reply):
            self.session.draft.set_text(self._composer.text)
        elif not self._composer.text.strip():
            self._composer.set_text(prompt)
        self._composer.focus_field()

    def _take_offer(self, number: int) -> None:
        from desktop.remedies import RemedyKind

        remedy, remote = self.session.remedies[number], self.session.turns[-1].remote
        if remedy.kind is RemedyKind.CHANGE_KEY and remote is not None:
            self.key_wanted.emit(remote)
            return
        self.session.mend(remedy, self._choices.for_reply)
        self._composer.focus_field()

    def _choose_policy(self, policy: WindowPolicy) -> None:
        self.session.set_window_policy(policy)

    def _keep_draft(self, text: str) -> None:
        self.session.draft.set_text(text)
        if self._draft_count is not None:
            self._draft_count.set_draft(text)

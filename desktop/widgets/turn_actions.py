"""What a person does with the messages of the conversation that is shown: the buttons, menus and notices for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

import inference
from desktop import wording
from desktop.chat_session import ChatSession
from desktop.model_choice import ModelChoice, name_of
from desktop.theme import Theme
from desktop.widgets.action_button import MessageAction
from desktop.widgets.buttons import Button
from desktop.widgets.choices import Choices
from desktop.widgets.conversation_page import ConversationPage
from desktop.widgets.links import Links
from desktop.widgets.notice import Notice, NoticeKind
from desktop.widgets.notice_board import NoticeBoard
from inference import AnyModel, RemoteModel

if TYPE_CHECKING:
    from desktop.turns import Turn
    from desktop.widgets.details_panel import DetailsPanel
    from inference import Sampling

_LIKELIEST = 0.0  # temperatures
_FREER = 1.2


class TurnActions(QObject):
    """Follows one session."""

    panel_wanted = Signal(QWidget)  # beside the conversation
    done = Signal()  # a reply was asked for: the prompt field is where one goes on

    def __init__(
        self,
        theme: Theme,
        page: ConversationPage,
        models: ModelChoice,
        board: NoticeBoard,
        choices: Choices,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._page = page
        self._models = models
        self._board = board
        self._choices = choices
        self._session: ChatSession | None = None
        self._links = Links()
        self._undo_notice: Notice | None = None
        self._panel: DetailsPanel | None = None
        self._shown_turn: int | None = None
        self.totals_button = Button(theme, text=" ")
        self.totals_button.clicked.connect(self.show_totals)
        page.action_wanted.connect(self._do)
        page.edited.connect(self._take_edit)
        page.fill_menu = self.fill

    def show_session(self, session: ChatSession) -> None:
        """Be about this session from now on."""
        self._links.let_go()
        self._session = session
        self._links.connect(session.messages_deleted, self._offer_undo)
        self._links.connect(session.turn_changed, self._on_turn_changed)
        self._forget_undo()
        if session.can_undo:
            self._offer_undo(len(session.deletions[-1].turns))
        self._shown_turn = None
        self._show_totals()
        self._fill_panel()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.totals_button.set_theme(theme)

    def fill(self, menu: QMenu, turn: Turn) -> None:
        """Add what can be done with a message."""
        session = self._session
        if session is None:
            return
        menu.addAction(self.tr("Copy the conversation"), self.copy_conversation)
        menu.addSeparator()
        if turn.is_reply and session.can_regenerate(turn.id):
            self._add_ways_to_regenerate(menu, turn.id)
        if session.can_continue(turn.id):
            self._add(menu, self.tr("Continue"), partial(self._continue, turn.id))
        self._add(menu, self.tr("Edit"), partial(self._do, turn.id, MessageAction.EDIT))
        menu.addSeparator()
        pinned = self._add(menu, self.tr("Pin: never left out of a full window"), partial(self._pin, turn))
        pinned.setCheckable(True)
        pinned.setChecked(turn.pinned)
        if turn.is_reply:
            menu.addAction(self.tr("Details"), partial(self.show_details, turn.id))
        menu.addSeparator()
        self._add(menu, self.tr("Delete this message"), partial(session.delete_message, turn.id))
        self._add(menu, self.tr("Delete this and all that follows"), partial(session.delete_from, turn.id))

    def show_details(self, turn_id: int) -> None:
        """Show the figures of a reply, beside the conversation."""
        self._shown_turn = turn_id
        self._open_panel()

    def show_totals(self) -> None:
        """Show what the conversation has taken, and the figures of its last reply."""
        replies = [turn.id for turn in self._turns if turn.is_reply]
        self._shown_turn = replies[-1] if replies else None
        self._open_panel()

    def copy_conversation(self) -> None:
        """Copy what is shown of the conversation, as Markdown."""
        from desktop.exchange import to_markdown

        session = self._session
        if session is not None and session.conversation is not None:
            QGuiApplication.clipboard().setText(to_markdown(session.conversation, session.turns))

    # Doing

    @property
    def _turns(self) -> tuple[Turn, ...]:
        return () if self._session is None else self._session.turns

    def _do(self, turn_id: int, action: MessageAction) -> None:
        match action:
            case MessageAction.OLDER_BRANCH:
                self._walk(turn_id, -1, action)
            case MessageAction.NEWER_BRANCH:
                self._walk(turn_id, 1, action)
            case MessageAction.REGENERATE:
                self._regenerate(turn_id)
            case MessageAction.EDIT:
                self._page.transcript.edit(turn_id)
            case MessageAction.COPY | MessageAction.MORE:
                pass  # the transcript's own
            case _:
                assert_never(action)

    def _walk(self, turn_id: int, step: int, action: MessageAction) -> None:
        session = self._session
        if session is None:
            return
        branches = session.branches_of(turn_id)
        wanted = branches[(branches.index(turn_id) + step) % len(branches)]
        if session.show_branch(wanted):
            self._page.transcript.focus_action(wanted, action)

    def _regenerate(self, turn_id: int, model: AnyModel | None = None, sampling: Sampling | None = None) -> None:
        session = self._session
        if session is not None and session.regenerate(turn_id, self._choices.for_reply, model=model, sampling=sampling):
            self._go_to_reply()

    def _continue(self, turn_id: int) -> None:
        session = self._session
        if session is not None and session.continue_reply(turn_id, self._choices.for_reply):
            self._go_to_reply()

    def _take_edit(self, turn_id: int, text: str) -> None:
        session = self._session
        if session is None:
            return
        is_reply = any(turn.id == turn_id and turn.is_reply for turn in session.turns)
        if is_reply:
            done = session.edit_reply(turn_id, text)
        else:
            done = session.edit_and_send(turn_id, text, self._choices.for_reply)
        if not done:
            self._page.transcript.edit(turn_id, text)  # what was typed stays
        elif not is_reply:
            self._go_to_reply()
        elif session.turns:
            self._page.transcript.focus_action(session.turns[-1].id, MessageAction.EDIT)

    def _go_to_reply(self) -> None:
        self._page.transcript.scroll_to_end()
        self.done.emit()

    def _pin(self, turn: Turn) -> None:
        if self._session is not None:
            self._session.set_turn_pinned(turn.id, pinned=not turn.pinned)

    # The menu

    def _add(self, menu: QMenu, text: str, do: Callable[[], object]) -> QAction:
        action = menu.addAction(text, do)
        action.setEnabled(self._session is not None and not self._session.is_busy)
        return action

    def _add_ways_to_regenerate(self, menu: QMenu, turn_id: int) -> None:
        ways = menu.addMenu(self.tr("Regenerate"))
        ways.setEnabled(self._session is not None and not self._session.is_busy)
        ways.addAction(self.tr("As before"), partial(self._regenerate, turn_id))
        for words, temperature in (
            (self.tr("With the likeliest words (temperature 0)"), _LIKELIEST),
            (self.tr("More freely (temperature {value})").format(value=wording.decimals(_FREER, 1)), _FREER),
        ):
            ways.addAction(words, partial(self._regenerate, turn_id, None, self._at(temperature)))
        others = self._other_models()
        if others:
            ways.addSeparator()
        for model in others:
            ways.addAction(
                self.tr("By {model}").format(model=name_of(model)), partial(self._regenerate, turn_id, model)
            )

    def _at(self, temperature: float) -> Sampling:
        chosen = None if self._session is None else self._session.sampling
        return replace(chosen or inference.Sampling(), temperature=temperature)

    def _other_models(self) -> tuple[AnyModel, ...]:
        known: tuple[Path | RemoteModel, ...] = (*self._models.known_models(), *self._models.known_servers())
        configs = dict.fromkeys(self._models.config_of(model) for model in known)
        return tuple(config for config in configs if config != self._models.config)

    # Undo

    def _offer_undo(self, count: int) -> None:
        self._forget_undo()
        words = self.tr("Deleted a message.")
        if count > 1:
            words = self.tr("Deleted {count} messages.").format(count=wording.whole(count))
        self._show_undo(words)

    def _undo(self) -> None:
        session = self._session
        self._undo_notice = None
        if session is None or not session.undo():
            return
        if session.can_undo:
            self._show_undo(self.tr("More was deleted before."))

    def _show_undo(self, words: str) -> None:
        self._undo_notice = self._board.show_notice(words, NoticeKind.INFORMATION, self.tr("Undo"), self._undo)
        self._undo_notice.takes_back = True
        self._undo_notice.closed.connect(self._keep_deleted)

    def _keep_deleted(self) -> None:
        """Who puts the notice away wants nothing back."""
        if self._session is not None:
            self._session.forget_deletions()

    def _forget_undo(self) -> None:
        notice, self._undo_notice = self._undo_notice, None
        if notice is not None:
            self._board.put_away(notice)

    # Figures

    def _on_turn_changed(self, _turn: Turn) -> None:
        self._show_totals()
        self._fill_panel()

    def _show_totals(self) -> None:
        summary = "" if self._session is None or self._session.conversation is None else self._summary(self._session)
        self.totals_button.setText(summary)
        self.totals_button.setAccessibleName(self.tr("Tokens of this conversation: {summary}").format(summary=summary))
        self.totals_button.setToolTip(self.tr("Tokens read and written in this conversation. Click for the details."))
        self.totals_button.setEnabled(bool(summary))
        self.totals_button.updateGeometry()

    def _summary(self, session: ChatSession) -> str:
        from desktop.widgets.details import summary_of

        return summary_of(session.totals)

    def _open_panel(self) -> None:
        if self._panel is None:
            from desktop.widgets.details_panel import DetailsPanel

            self._panel = DetailsPanel(self._theme)
        self._fill_panel()
        self.panel_wanted.emit(self._panel)

    def _fill_panel(self) -> None:
        session, panel = self._session, self._panel
        if session is None or panel is None:
            return
        from desktop.widgets.details import details_of, details_of_all

        turn = next((turn for turn in session.turns if turn.id == self._shown_turn), None)
        of_reply = () if turn is None else details_of(turn, session.trace_of(turn.id))
        panel.show_details(
            ((self.tr("This reply"), of_reply), (self.tr("This conversation"), details_of_all(session.totals)))
        )

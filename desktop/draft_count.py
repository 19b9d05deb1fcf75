"""How much of the context window a conversation and what is being typed will need."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, QTimer, Signal, SignalInstance

import inference
from desktop.chat_session import ChatSession
from desktop.model_choice import ModelChoice
from desktop.wishes import Wishes
from inference import Message, ModelConfig, Role, WindowPolicy

if TYPE_CHECKING:
    from desktop.turns import Attachment
    from desktop.window_use import WindowUse

PAUSE_MILLISECONDS = 150


class Counter(Protocol):
    """What counts: it returns at once and answers on a thread of its own."""

    def count(
        self,
        model: ModelConfig,
        messages: Sequence[Message],
        draft: str,
        attachments: Sequence[str] = (),
        drop: inference.DropRule | None = None,
        about: int = 0,
    ) -> None: ...
    def close(self) -> None: ...


class DraftCount(QObject):
    """Has the current session and its draft counted once typing pauses. Nothing is counted of a server's model, while
    a reply is written, or where there is nothing yet; the counter itself is made when it is first needed.

    What is given to the counter is put together when the conversation changes, not when a key is pressed.
    """

    changed = Signal(object)  # WindowUse, or None where it is not known

    def __init__(
        self,
        make_counter: Callable[[], Counter],
        models: ModelChoice,
        parent: QObject | None = None,
        *,
        pause: int = PAUSE_MILLISECONDS,
    ) -> None:
        super().__init__(parent)
        self._make_counter = make_counter
        self._counter: Counter | None = None
        self._models = models
        self._session: ChatSession | None = None
        self._draft = ""
        self._use: WindowUse | None = None
        self._attached: tuple[str, ...] = ()
        self._messages: tuple[Message, ...] = ()
        self._is_taken = False  # whether they are those of the conversation as it is now
        self._unanswered = ""  # a question before the draft, which is read together with it
        self._turns: tuple[tuple[int, ...], ...] = ()  # of each message
        self._drop: inference.DropRule | None = None
        self._asked: ModelConfig | None = None
        self._about = 0  # another number for each state of the conversation and its files
        self._timer = QTimer(self, singleShot=True, interval=pause)
        self._timer.timeout.connect(self._count)
        models.changed.connect(self._begin_anew)

    @property
    def use(self) -> WindowUse | None:
        return self._use

    def follow(self, session: ChatSession, draft: str, attachments: Sequence[Attachment] = ()) -> None:
        """Count this session from now on."""
        if self._session is not None:
            for signal in _changes_of(self._session):
                signal.disconnect(self._begin_anew)
        self._session = session
        self._draft = draft
        self._attached = _texts_of(attachments)
        for signal in _changes_of(session):
            signal.connect(self._begin_anew)
        self._begin_anew()

    def set_draft(self, draft: str) -> None:
        """Something was typed."""
        self._draft = draft
        self._begin_soon()

    def set_attachments(self, attachments: Sequence[Attachment]) -> None:
        """Other files go along."""
        self._attached = _texts_of(attachments)
        self._about += 1
        self._begin_soon()

    def on_counted(self, count: inference.TokenCount) -> None:
        """Take what was counted. What was asked before the conversation or its files changed says nothing any more."""
        from desktop.window_use import WindowUse  # nothing is counted before the first paint

        if count.about != self._about or (info := self._info) is None or not self._has_something:
            return
        left_out = sum(len(self._turns[message]) for message in count.left_out)
        figures = (count.conversation, count.draft, info.context_size)
        self._show(WindowUse(*figures, count.attachments, left_out, count.fits))

    def close(self) -> None:
        """Count nothing any more."""
        self._timer.stop()
        self._asked = None
        self._about += 1

    def let_go(self) -> None:
        """Wait for the counter's end, on any thread, after `close`."""
        if self._counter is not None:
            self._counter.close()

    @property
    def _info(self) -> inference.ModelInfo | None:
        return self._models.state.file_info

    @property
    def _has_something(self) -> bool:
        session = self._session
        return session is not None and bool(
            self._draft or self._attached or session.latest_turns or session.system_prompt
        )

    def _begin_anew(self, _change: object = None) -> None:
        """The conversation, or the model that reads it, is another: what is known of it holds no longer."""
        session, info = self._session, self._info
        self._messages, self._unanswered, self._asked, self._is_taken = (), "", None, False
        self._about += 1
        if session is None or info is None or session.is_busy:
            self._timer.stop()
            self._show(None)
            return
        self._asked = info.config
        if self._has_something:
            self._timer.start()
        else:
            self._show(None)

    def _take(self, session: ChatSession, info: inference.ModelInfo) -> None:
        """Put together what would be asked, with an empty draft in the place of the one that is being typed."""
        from desktop.asking import ask  # nothing is counted before the first paint
        from desktop.turns import Turn

        draft = Turn(0, 0, None, Message(Role.USER, ""), datetime.now(UTC))
        wishes = Wishes(session.system_prompt, session.sampling, session.window_policy)
        asked = ask((*session.turns, draft), info.config, wishes)
        self._messages, last = asked.request.messages[:-1], asked.request.messages[-1]
        self._unanswered = last.content
        self._turns = asked.turns
        drops = session.window_policy is WindowPolicy.DROP_OLDEST
        self._drop = inference.DropRule(info.context_size, asked.request.pinned) if drops else None

    def _begin_soon(self) -> None:
        if not self._has_something:
            self._show(None)
        self._timer.start()

    def _count(self) -> None:
        session, info = self._session, self._info
        if self._asked is None or session is None or info is None or not self._has_something:
            return
        if not self._is_taken:  # all that was said is read for it: a conversation is shown before
            self._take(session, info)
            self._is_taken = True
        if self._counter is None:
            self._counter = self._make_counter()
        draft = self._unanswered + self._draft
        self._counter.count(self._asked, self._messages, draft, self._attached, self._drop, self._about)

    def _show(self, use: WindowUse | None) -> None:
        if use != self._use:
            self._use = use
            self.changed.emit(use)


def _changes_of(session: ChatSession) -> tuple[SignalInstance, ...]:
    """What makes another prompt of the same draft."""
    return (
        session.turn_added,
        session.turn_changed,
        session.turns_replaced,
        session.turn_marked,
        session.prompt_changed,
        session.window_policy_changed,
    )


def _texts_of(attachments: Sequence[Attachment]) -> tuple[str, ...]:
    """Each as it will be read, with what keeps it apart from what follows."""
    return tuple(map(_text_of, attachments))


def _text_of(attachment: Attachment) -> str:
    from desktop.turns import prompt_text

    return f"{prompt_text('', (attachment,))}\n\n"

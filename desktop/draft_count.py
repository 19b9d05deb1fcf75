"""How much of the context window a conversation and what is being typed will need."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from PySide6.QtCore import QObject, QTimer, Signal

import inference
from desktop.chat_session import ChatSession
from desktop.conversations import messages_of
from desktop.model_choice import ModelChoice
from inference import Message, ModelConfig

PAUSE_MILLISECONDS = 150


class Counter(Protocol):
    """What counts: it returns at once and answers on a thread of its own."""

    def count(self, model: ModelConfig, messages: Sequence[Message], draft: str) -> None: ...
    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class WindowUse:
    """Tokens of what was said, of what is being typed, and of the whole window."""

    conversation: int
    draft: int
    context_size: int

    @property
    def fits(self) -> bool:
        """Whether there is room for a reply at all."""
        return self.conversation + self.draft < self.context_size


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
        self._messages: tuple[Message, ...] = ()
        self._asked: ModelConfig | None = None  # one object for each state of the conversation
        self._timer = QTimer(self, singleShot=True, interval=pause)
        self._timer.timeout.connect(self._count)
        models.changed.connect(self._begin_anew)

    @property
    def use(self) -> WindowUse | None:
        return self._use

    def follow(self, session: ChatSession, draft: str) -> None:
        """Count this session from now on."""
        if self._session is not None:
            for signal in (self._session.turn_added, self._session.turn_changed):
                signal.disconnect(self._begin_anew)
        self._session = session
        self._draft = draft
        for signal in (session.turn_added, session.turn_changed):
            signal.connect(self._begin_anew)
        self._begin_anew()

    def set_draft(self, draft: str) -> None:
        """Something was typed."""
        self._draft = draft
        if not draft and not self._messages:
            self._show(None)
        self._timer.start()

    def on_counted(self, count: inference.TokenCount) -> None:
        """Take what was counted. What was asked for before the conversation changed no longer says anything."""
        # The counter hands back the very object that it was asked with, which tells equal ones apart.
        if count.model is self._asked and (info := self._info) is not None and (self._draft or self._messages):
            self._show(WindowUse(count.conversation, count.draft, info.context_size))

    def close(self) -> None:
        """Count nothing any more."""
        self._timer.stop()
        self._asked = None
        if self._counter is not None:
            self._counter.close()

    @property
    def _info(self) -> inference.ModelInfo | None:
        return self._models.state.file_info

    def _begin_anew(self, _change: object = None) -> None:
        """The conversation, or the model that reads it, is another: what is known of it holds no longer."""
        session, info = self._session, self._info
        self._messages, self._asked = (), None
        if session is None or info is None or session.is_busy:
            self._timer.stop()
            self._show(None)
            return
        self._messages = messages_of(session.turns, info.config)
        self._asked = replace(info.config)
        if self._messages or self._draft:
            self._timer.start()
        else:
            self._show(None)

    def _count(self) -> None:
        if self._asked is None or not (self._draft or self._messages):
            return
        if self._counter is None:
            self._counter = self._make_counter()
        self._counter.count(self._asked, self._messages, self._draft)

    def _show(self, use: WindowUse | None) -> None:
        if use != self._use:
            self._use = use
            self.changed.emit(use)

"""One open conversation and the one generation it may have running."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from desktop.conversations import Conversation, Turn
from desktop.model_choice import ModelChoice
from inference import Event

if TYPE_CHECKING:
    from desktop.store import Store
    from inference import Engine


class Phase(StrEnum):
    """What the running generation is at."""

    IDLE = "idle"
    WAITING = "waiting"  # for other requests, or for the engine's first word
    LOADING = "loading"  # the model
    PREFILL = "prefill"
    DECODE = "decode"


@dataclass(frozen=True, slots=True)
class Activity:
    """How far the running generation is.

    In prefill, `evaluated` of `new_tokens` were done at the last batch border, at the moment `border_at`, and the
    batch being read ends at `batch_end`; `prefill_position` says how far it will be by now.
    """

    phase: Phase = Phase.IDLE
    load_fraction: float = 0.0  # 0 to 1
    cached_tokens: int = 0
    new_tokens: int = 0
    evaluated: int = 0
    batch_end: int = 0
    border_at: float = 0.0  # time.perf_counter()
    rate: float | None = None  # tokens per second of prefill, where known
    output_tokens: int = 0
    decode_seconds: float = 0.0
    streaming: bool = True  # False: the text is withheld until the end

    def prefill_position(self, now: float) -> float:
        """How many of the new tokens are read by `now`: true at batch borders, at the measured rate between them."""
        if self.rate is None:
            return float(self.evaluated)
        return min(float(self.batch_end), self.evaluated + self.rate * max(0.0, now - self.border_at))

    def prefill_fraction(self, now: float) -> float:
        """`prefill_position` of all new tokens, 0 to 1."""
        return self.prefill_position(now) / self.new_tokens if self.new_tokens else 0.0

    def prefill_seconds_left(self, now: float) -> float | None:
        """How long the new tokens still to be read will take; `None` where no rate is known."""
        return None if not self.rate else (self.new_tokens - self.prefill_position(now)) / self.rate


@dataclass(frozen=True, slots=True)
class Figures:
    """What the status bar shows: of the running reply, else of the last one. `None` (or "") where not known."""

    device: str = ""
    threads: int | None = None
    context_used: int | None = None
    context_size: int | None = None
    prefill_rate: float | None = None
    new_tokens: int | None = None
    cached_tokens: int | None = None
    decode_rate: float | None = None
    ttft: float | None = None


class ChatSession(QObject):
    """One open conversation. It decides; widgets show what it says and ask it."""

    turn_added = Signal(object)  # Turn: the user's, then the reply, empty
    reply_grew = Signal(int, str)  # turn id and the text to append; only while streaming is on
    turn_changed = Signal(object)  # Turn: final and whole
    activity_changed = Signal(object)  # Activity
    figures_changed = Signal(object)  # Figures
    title_changed = Signal(str)
    failed = Signal(str)  # a sentence that belongs to no turn

    def __init__(
        self,
        store: Store,
        engine: Engine,
        models: ModelChoice,
        conversation: Conversation | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._store = store
        self._engine = engine
        self._models = models
        self._conversation = conversation
        self._turns: list[Turn] = []
        self._activity = Activity()
        self._figures = Figures()
        self._draft = ""

    @property
    def conversation(self) -> Conversation | None:
        """`None` until the first prompt is sent: an empty conversation is not kept."""
        return self._conversation

    @property
    def turns(self) -> tuple[Turn, ...]:
        """From the first to the last, a running reply with what is shown of it so far."""
        return tuple(self._turns)

    @property
    def activity(self) -> Activity:
        return self._activity

    @property
    def figures(self) -> Figures:
        return self._figures

    @property
    def is_busy(self) -> bool:
        return False

    @property
    def draft(self) -> str:
        """What was typed and not sent."""
        return self._draft

    def send(self, text: str, *, streaming: bool) -> bool:
        """Ask the model. False when nothing was sent; what was typed must then stay where it is."""
        return False

    def stop(self) -> None:
        """End the running reply; what was written stays."""

    def set_draft(self, text: str) -> None:
        """Keep what is being typed."""

    def on_event(self, event: Event) -> None:
        """Follow the engine."""

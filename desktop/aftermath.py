"""What is said and offered after a run that died: its report, the way back to where it was, and a model held back that
it died over twice."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject

import inference
from desktop.conversations import Conversation
from desktop.last_runs import LastRuns
from desktop.library import Library
from desktop.model_choice import ModelChoice, ModelPhase, ModelState, name_of
from desktop.widgets.notice import NoticeKind
from desktop.widgets.notice_board import NoticeBoard
from inference import ModelConfig


class Aftermath(QObject):
    """Keeps the note of this run, and speaks of the last one that died. `show_report` is handed its traces."""

    def __init__(
        self,
        runs: LastRuns,
        library: Library,
        models: ModelChoice,
        show_report: Callable[[str], object],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._runs = runs
        self._library = library
        self._models = models
        self._show_report = show_report
        self._held_back: Path | None = None
        # What was open when the last run died. It is noted on until it was offered and something is open, so that the
        # next run can offer it where this one is ended before.
        self._way_back = None if runs.death is None else runs.death.note.conversation
        self._has_spoken = False
        library.opened.connect(self._note_place)
        library.conversations_changed.connect(self._note_place)
        library.busy_changed.connect(self._note_work)
        models.changed.connect(self._note_work)

    @property
    def holds_back(self) -> bool:
        """Whether the model that would be loaded is not: the program died over it twice in a row."""
        return self._held_back is not None

    @property
    def crashed_over(self) -> int | None:
        """The conversation that was open when the program crashed with no model at work: to show it may be what it
        crashed over, again at every start."""
        death = self._runs.death
        return death.note.conversation if death is not None and death.fault and not death.note.model else None

    def consider(self) -> None:
        """Look at the model that is intended to be loaded."""
        config = self._models.state.config
        if isinstance(config, ModelConfig) and self._runs.is_deadly(str(config.path)):
            self._held_back = config.path
            self._models.intend_none()

    def speak(self, board: NoticeBoard) -> None:
        """Say what there is to say."""
        self._has_spoken = True
        if self._held_back is not None:
            name = name_of(ModelConfig(self._held_back))
            words = self.tr("{model} was not loaded: Headwater ended twice in a row while it was at work.")
            load = partial(self._load_all_the_same, self._held_back)
            board.show_notice(words.format(model=name), NoticeKind.WARNING, self.tr("Load it all the same"), load)
        death = self._runs.death
        if death is None:
            return
        if death.fault:
            words = self.tr("Headwater crashed when it ran last. What was said is kept.")
            show = partial(self._show_report, death.fault)
            board.show_notice(words, NoticeKind.WARNING, self.tr("Show the report"), show)
        left = self._conversation(death.note.conversation)
        shown = self._library.current.conversation
        if left is not None and (shown is None or shown.id != left.id):
            words = self.tr("Headwater was ended while “{title}” was open.").format(title=" ".join(left.title.split()))
            board.show_notice(words, action=self.tr("Go on there"), on_action=partial(self._library.open, left.id))

    def on_event(self, event: inference.Event) -> None:
        """A model that has written a reply to its end has done nothing wrong."""
        if isinstance(event, inference.GenerationFinished):
            self._runs.forgive()

    def _load_all_the_same(self, path: Path) -> None:
        self._held_back = None
        self._runs.forgive()
        self._models.choose(path)

    def _conversation(self, number: int | None) -> Conversation | None:
        return next((found for found in self._library.conversations() if found.id == number), None)

    def _note_place(self, _session: object = None) -> None:
        conversation = self._library.current.conversation
        if conversation is not None and self._has_spoken:
            self._way_back = None
        kept = conversation is not None and not conversation.temporary
        self._runs.is_open(self._way_back or (conversation.id if conversation is not None and kept else None))

    def _note_work(self, _state: ModelState | None = None) -> None:
        state = self._models.state
        at_work = state.phase is ModelPhase.LOADING or bool(self._library.busy)
        config = state.config
        self._runs.is_at_work(str(config.path) if at_work and isinstance(config, ModelConfig) else "")

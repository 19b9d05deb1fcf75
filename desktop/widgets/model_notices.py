"""What is said of the model that answers, and what can be done about it, in notices."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

from PySide6.QtCore import QObject, Signal

import inference
from desktop import wording
from desktop.conversations import FailureKind
from desktop.model_choice import ModelChoice, ModelPhase, ModelState, name_of
from desktop.spoken import spoken
from desktop.widgets.notice import Notice, NoticeKind
from desktop.widgets.notice_board import NoticeBoard
from inference import ModelConfig, RemoteModel

if TYPE_CHECKING:
    from desktop.model_ways import Way


class ModelNotices(QObject):
    """Follows the choice of model; of each phase one thing is said, until the next."""

    open_wanted = Signal()
    key_wanted = Signal(object)  # RemoteModel

    def __init__(self, models: ModelChoice, board: NoticeBoard, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._models = models
        self._board = board
        self._shown: list[Notice] = []
        self._refusals: list[Notice] = []
        self._missing: Path | None = None

    def show_state(self, state: ModelState) -> None:
        """Say how the model is now."""
        self._put_away(self._shown)
        if state.phase is ModelPhase.FAILED:
            self._say_that_it_failed(state)
        elif (info := state.file_info) is not None:
            self._say_what_it_lacks(state.name, info)
        if self._models.missing is not None and self._models.missing != self._missing:
            self._say_what_is_missing(self._models.missing)
        self._missing = self._models.missing

    def say_that_nobody_answers(self) -> None:
        """A prompt that goes nowhere stays where it was typed, and the way out stands above it."""
        if self._models.state.phase is ModelPhase.FAILED:
            self.show_state(self._models.state)
        else:
            self.refuse(self.tr("No model is open, so nothing was sent. Open one, then send again."))

    def refuse(self, text: str) -> None:
        """Say why something cannot be done; it holds until another model is tried."""
        action = self.tr("Open a model file…")
        self._refusals.append(self._board.show_notice(text, NoticeKind.WARNING, action, self.open_wanted.emit))

    def forget_refusals(self) -> None:
        self._put_away(self._refusals)

    def _say_that_it_failed(self, state: ModelState) -> None:
        if isinstance(state.config, RemoteModel):
            action, do = self._what_to_do(state.failure, state.config)
            self._show(state.error, NoticeKind.ERROR, action, do)
        else:
            ways = [(self._words_for(way), partial(self._models.go, way)) for way in state.ways]
            first, *others = [*ways, (self.tr("Open another…"), self.open_wanted.emit)]
            self._show(state.error, NoticeKind.ERROR, *first)
            for action, do in others:
                self._board.offer(self._shown[-1], action, do)

    def _what_to_do(self, failure: FailureKind, model: RemoteModel) -> tuple[str, Callable[[], object]]:
        if failure is FailureKind.KEY_REFUSED:
            return self.tr("Change the key…"), partial(self.key_wanted.emit, model)
        return self.tr("Try again"), self._models.try_again

    def _say_what_it_lacks(self, name: str, info: inference.ModelInfo) -> None:
        if not info.has_own_template:
            plain = self.tr(
                "{model} has no chat template of its own. A plain one ({template}) stands in; replies may ramble."
            )
            self._show(plain.format(model=name, template=spoken(info.template_name)))
        if info.warnings:
            self._show("\n".join(map(spoken, info.warnings)))

    def _say_what_is_missing(self, missing: Path) -> None:
        name, here = name_of(ModelConfig(missing)), self._models.state.name
        words = self.tr("{model} is no longer at {path}. {other} answers instead.")
        action, kind = self.tr("Open another…"), NoticeKind.WARNING
        text = words.format(model=name, path=missing, other=here)
        self._board.show_notice(text, kind, action, self.open_wanted.emit)

    def _words_for(self, way: Way) -> str:
        from desktop.model_ways import WayKind

        match way.kind:
            case WayKind.ON_CPU:
                return self.tr("Run it on the CPU")
            case WayKind.SMALLER_WINDOW:
                return self.tr("Use a window of {count} tokens").format(count=wording.whole(way.context_size))
            case WayKind.ANY_DEVICE:
                return self.tr("Run it on what is here")
            case WayKind.AGAIN:
                return self.tr("Try again")
        assert_never(way.kind)

    def _show(
        self,
        text: str,
        kind: NoticeKind = NoticeKind.INFORMATION,
        action: str = "",
        do: Callable[[], object] | None = None,
    ) -> None:
        self._shown.append(self._board.show_notice(text, kind, action, do))

    def _put_away(self, notices: list[Notice]) -> None:
        for notice in notices:
            self._board.put_away(notice)
        notices.clear()

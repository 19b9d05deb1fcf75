"""How a conversation stands: the figures of its last reply, and what can be done about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from desktop.figures import Figures, figures_of, figures_with
from desktop.model_choice import ModelChoice
from desktop.shown_branch import ShownBranch
from desktop.store import Store
from inference import AnyModel, WindowPolicy

if TYPE_CHECKING:
    from desktop.remedies import Remedy
    from inference import ModelInfo, RemoteModelInfo


class Standing:
    """Tells both, when they are shown anew, to those who are named for it; the remedies only where they are others."""

    def __init__(
        self,
        store: Store,
        branch: ShownBranch,
        models: ModelChoice,
        tell_figures: Callable[[Figures], object],
        tell_remedies: Callable[[tuple[Remedy, ...]], object],
    ) -> None:
        """Raises StoreError where the last turn cannot be read."""
        self._store = store
        self._branch = branch
        self._models = models
        self._tell_figures = tell_figures
        self._tell_remedies = tell_remedies
        self._info = models.state.info
        self._of_reply = self._of_last_turn()
        self.figures = self._current_figures()
        self.remedies: tuple[Remedy, ...] = ()

    def take(self, of_reply: Figures) -> None:
        """The figures of another reply, or of more of it."""
        self._of_reply = of_reply

    def read_last_turn(self) -> None:
        """Take the figures of the last turn as it was stored.

        Raises:
            StoreError: they cannot be read; then none are known.
        """
        self._of_reply = Figures()
        self._of_reply = self._of_last_turn()

    def set_model(self, info: ModelInfo | RemoteModelInfo | None) -> None:
        """This model answers now."""
        self._info = info

    def is_by(self, model: AnyModel) -> bool:
        """Whether it is this model whose figures are shown."""
        return self._info is not None and self._info.config == model

    def show_figures(self) -> None:
        self.figures = self._current_figures()
        self._tell_figures(self.figures)

    def judge(self, policy: WindowPolicy | None) -> None:
        """What can be done now about the last turn, under this policy; nothing without one, while a reply is made."""
        remedies = () if policy is None else self.remedies_under(policy)
        if remedies != self.remedies:
            self.remedies = remedies
            self._tell_remedies(remedies)

    def remedies_under(self, policy: WindowPolicy) -> tuple[Remedy, ...]:
        turns = self._branch.latest
        if not turns:
            return ()
        from desktop.remedies import remedies_for

        return remedies_for(turns, self._info, self._models.config, policy)

    def _current_figures(self) -> Figures:
        return figures_with(self._of_reply, self._info, self._branch.last)

    def _of_last_turn(self) -> Figures:
        last = self._branch.last
        return Figures() if last is None else figures_of(last, self._store.trace(last.id))

"""What the views of inference show and ask."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from desktop.comparison import Comparisons
    from desktop.lab_runs import LabRuns
    from desktop.live_reply import LiveReply
    from desktop.model_choice import ModelChoice
    from desktop.settings import SettingsFile


@dataclass(frozen=True, slots=True)
class Laboratory:
    """The comparisons, the experiments and the reply that is being made; what they run with, and what was chosen."""

    comparisons: Comparisons
    runs: LabRuns
    live: LiveReply
    models: ModelChoice
    settings: SettingsFile

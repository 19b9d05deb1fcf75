"""What Preferences and the settings of a conversation show and ask."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from desktop.presets import Presets
    from desktop.upkeep import Upkeep


@dataclass(frozen=True, slots=True)
class Behind:
    """What is done beyond the settings themselves, and the presets."""

    upkeep: Upkeep
    presets: Presets

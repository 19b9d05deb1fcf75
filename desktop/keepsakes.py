"""What is kept beside conversations: presets, and comparisons."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import inference


@dataclass(frozen=True, slots=True)
class Preset:
    """A system prompt and a sampling under a name, for any conversation to take."""

    name: str
    system_prompt: str = ""
    sampling: inference.Sampling | None = None


@dataclass(frozen=True, slots=True)
class KeptComparison:
    """A comparison of streaming on and off that was kept; `title` is the beginning of its prompt, `conversation` where
    it was asked, if anywhere."""

    id: int
    title: str
    created: datetime
    conversation: int | None = None

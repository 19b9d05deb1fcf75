"""How a conversation wants its replies."""

from __future__ import annotations

from dataclasses import dataclass

import inference
from desktop.conversations import Conversation
from inference import WindowPolicy


@dataclass(frozen=True, slots=True)
class Wishes:
    """What it tells the model first, how tokens are chosen, and what is done when its window is full."""

    system_prompt: str = ""
    sampling: inference.Sampling | None = None
    window_policy: WindowPolicy = WindowPolicy.STOP

    @classmethod
    def of(cls, conversation: Conversation) -> Wishes:
        return cls(conversation.system_prompt, conversation.sampling, conversation.window_policy)

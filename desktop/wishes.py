"""How replies are wanted: by a conversation, and by who asks for one."""

from __future__ import annotations

from dataclasses import dataclass

import inference
from desktop.conversations import Conversation
from inference import WindowPolicy


@dataclass(frozen=True, slots=True)
class ReplyChoices:
    """What is chosen for one reply: whether it is shown while it is written, and whether the model thinks first; `None`
    leaves that to the model."""

    streaming: bool
    thinking: bool | None = None


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a conversation tells the model first, how tokens are chosen, and what is done when its window is full."""

    system_prompt: str = ""
    sampling: inference.Sampling | None = None
    window_policy: WindowPolicy = WindowPolicy.STOP

    @classmethod
    def of(cls, conversation: Conversation) -> Wishes:
        return cls(conversation.system_prompt, conversation.sampling, conversation.window_policy)

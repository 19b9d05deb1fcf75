"""How much of the context window is taken, and how much of it is left for a reply."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WindowUse:
    """Tokens of what was said, of what is being typed and attached, and of the whole window. `attachments` are those
    of each file by itself.

    `left_out` turns will not be read, by the policy for a full window; it is `enough` where that makes room.
    """

    conversation: int
    draft: int
    context_size: int
    attachments: tuple[int, ...] = ()
    left_out: int = 0
    enough: bool = True

    @property
    def fits(self) -> bool:
        """Whether there is room for a reply at all, with everything that was said."""
        return self.room > 0

    @property
    def room(self) -> int:
        """What is left for the reply."""
        return max(0, self.context_size - self.conversation - self.draft)

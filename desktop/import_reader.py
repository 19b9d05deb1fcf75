"""Files with conversations, read in the background: a large one takes seconds."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from desktop import exchange
from desktop.exchange import Imported, ImportRefused


@dataclass(frozen=True, slots=True)
class ConversationsRead:
    """What a file held; nothing where it was refused, for a reason that is a sentence."""

    path: Path
    imported: Imported | None
    refusal: str = ""


class ConversationReader:
    """Reads files and says what they held; in the background each has a thread, for which nobody waits."""

    def __init__(self, said: Callable[[ConversationsRead], None], *, in_background: bool = True) -> None:
        self._said = said
        self._in_background = in_background

    def read(self, path: Path) -> None:
        """Ends with `ConversationsRead`."""
        if self._in_background:
            threading.Thread(target=self._read_and_say, args=(path,), name="import", daemon=True).start()
        else:
            self._read_and_say(path)

    def _read_and_say(self, path: Path) -> None:
        self._said(_read(path))


def _read(path: Path) -> ConversationsRead:
    try:
        return ConversationsRead(path, exchange.read(path))
    except ImportRefused as refusal:
        return ConversationsRead(path, None, str(refusal))

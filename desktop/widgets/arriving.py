"""Text that arrives faster than it need be drawn: what comes in one turn of the event loop is drawn together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from time import thread_time

from PySide6.QtCore import QObject, QTimer

_EXPENSIVE = 0.008  # seconds: a flush that takes longer is followed by a pause
_LONGEST_PAUSE = 250  # milliseconds between two looks at text that is dear to lay out


class Arriving(QObject):
    """Keeps text until it is drawn. `draw` takes a turn's id, the text, and whether it is reasoning."""

    def __init__(self, draw: Callable[[int, str, bool], None], parent: QObject) -> None:
        super().__init__(parent)
        self._draw = draw
        self._pending: list[_Text] = []
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self.flush)

    def take(self, turn: int, text: str, *, is_thought: bool) -> None:
        """More text of a turn."""
        self._pending.append(_Text(turn, text, is_thought))
        if not self._timer.isActive():
            self._timer.start()

    def flush(self) -> None:
        """Draw what has come, now."""
        self._timer.stop()
        if not self._pending:
            return
        began = thread_time()
        pending, self._pending = self._pending, []
        for (turn, is_thought), texts in groupby(pending, key=lambda text: (text.turn, text.is_thought)):
            self._draw(turn, "".join(text.text for text in texts), is_thought)
        took = thread_time() - began
        # A block that is dear to lay out is drawn less often, so that the window stays free.
        self._timer.setInterval(min(_LONGEST_PAUSE, round(4000 * took)) if took > _EXPENSIVE else 0)

    def clear(self) -> None:
        """Forget what has not been drawn."""
        self._pending.clear()
        self._timer.stop()


@dataclass(frozen=True, slots=True)
class _Text:
    turn: int
    text: str
    is_thought: bool

"""One prompt through the real window, by itself: for a look where nobody can look."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QSize, QTimer, Signal

from desktop.activity import Activity
from desktop.conversations import TurnState
from desktop.turns import Turn
from desktop.window import Window
from inference import FinishReason

PROMPT = "Explain KV caching in one sentence."
SETTLED_MILLISECONDS = 200  # the picture is of a window that has laid out and painted all of it
PICTURE_SIZE = QSize(1080, 720)
ENOUGH_TOKENS = 200  # a small model may not find the end by itself


class Demo(QObject):
    """Asks, waits, prints the answer and every figure, and takes a picture of the window."""

    ended = Signal(int)  # exit status

    def __init__(
        self,
        window: Window,
        picture: Path,
        say: Callable[[str], None],
        complain: Callable[[str], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._window = window
        self._picture = picture
        self._say = say
        self._complain = complain
        self._stopped = False
        self._has_answered = False

    @property
    def has_answered(self) -> bool:
        """Whether everything was shown that there is to show."""
        return self._has_answered

    def begin(self) -> None:
        """Ask, as somebody would who types and presses Enter."""
        # However small the screen is that nobody looks at.
        self._window.resize(PICTURE_SIZE)
        session = self._window.session
        session.turn_changed.connect(self._on_end)
        session.activity_changed.connect(self._on_activity)
        self._window.composer.set_text(PROMPT)
        self._window.composer.submitted.emit(PROMPT)
        if not session.is_busy:
            said = self._window.board.notices
            self._complain(said[-1].text if said else "The prompt could not be sent.")
            self.ended.emit(1)

    def give_up(self) -> None:
        """Something broke that nobody foresaw, and was logged: what is waited for may never come."""
        self._complain("Something went wrong inside Headwater.")
        self.ended.emit(1)

    def _on_activity(self, activity: Activity) -> None:
        if activity.output_tokens >= ENOUGH_TOKENS and not self._stopped:
            self._stopped = True
            self._window.session.stop()

    def _on_end(self, turn: Turn) -> None:
        was_closed = turn.finish_reason is FinishReason.CANCELLED and not self._stopped
        if was_closed or turn.state is not TurnState.COMPLETE:
            self._complain(turn.error or "It was ended before the answer was there.")
            self.ended.emit(1)
            return
        self._say(f"{PROMPT}\n\n{turn.message.content}\n")
        QTimer.singleShot(SETTLED_MILLISECONDS, self._show_result)

    def _show_result(self) -> None:
        self._say(self._window.speed_bar.summary())
        shot, path = self._window.grab(), str(self._picture)
        saved = shot.save(path) or shot.save(path, "PNG")  # the second where its name says of no kind that it is
        if saved:
            self._say(f"\nScreenshot: {self._picture.absolute()}")
        else:
            self._complain(f"The screenshot cannot be saved as {self._picture}.")
        self._has_answered = saved
        self.ended.emit(0 if saved else 1)

"""The window stays until what was said in it is kept, or until somebody closes it all the same."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal

from desktop.library import Library
from desktop.widgets.notice import NoticeKind
from desktop.widgets.notice_board import NoticeBoard

AGAIN_MILLISECONDS = 1_000


class Parting(QObject):
    """Asked whether the window may close. Where it may not, it is closed by itself as soon as it may."""

    stays = Signal(str)  # it begins to wait for that; a sentence

    def __init__(
        self,
        library: Library,
        board: NoticeBoard,
        close: Callable[[], object],
        parent: QObject | None = None,
        *,
        milliseconds: int = AGAIN_MILLISECONDS,
    ) -> None:
        super().__init__(parent)
        self._library = library
        self._board = board
        self._close = close
        self._is_unconditional = False
        self._is_waiting = False
        self._timer = QTimer(self, singleShot=True, interval=milliseconds)
        self._timer.timeout.connect(close)

    def may_close(self) -> bool:
        """Whether nothing would be lost. If something would, that is said, with the way to close all the same."""
        self._timer.stop()
        if self._is_unconditional or self._library.flush():
            return True
        sentence = self.tr("What was said last cannot be kept yet. Headwater closes as soon as it is.")
        self._board.show_notice(sentence, NoticeKind.WARNING, self.tr("Close and lose it"), self._close_all_the_same)
        self._timer.start()
        if not self._is_waiting:
            self._is_waiting = True
            self.stays.emit(sentence)
        return False

    def insist(self) -> None:
        """Somebody wants it closed, and cannot press a button: the first time as always, then whatever is lost."""
        if self._is_waiting:
            self._close_all_the_same()
        else:
            self._close()

    def _close_all_the_same(self) -> None:
        self._is_unconditional = True
        self._close()

"""The window stays until what was said in it is kept, or until somebody closes it all the same."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from desktop.library import Library
from desktop.widgets.notice import NoticeKind
from desktop.widgets.notice_board import NoticeBoard

AGAIN_MILLISECONDS = 1_000


class Parting(QObject):
    """Asked whether the window may close. Where it may not, it is closed by itself as soon as it may."""

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
        self._timer = QTimer(self, singleShot=True, interval=milliseconds)
        self._timer.timeout.connect(close)

    def may_close(self) -> bool:
        """Whether nothing would be lost. If something would, that is said, with the way to close all the same."""
        self._timer.stop()
        if self._is_unconditional or self._library.flush():
            return True
        self._board.show_notice(
            self.tr("What was said last cannot be kept yet. Headwater closes as soon as it is."),
            NoticeKind.WARNING,
            self.tr("Close and lose it"),
            self._close_all_the_same,
        )
        self._timer.start()
        return False

    def _close_all_the_same(self) -> None:
        self._is_unconditional = True
        self._close()

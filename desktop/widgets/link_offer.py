"""A link that a model wrote: whoever opens it sees first where it leads."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject

from desktop.widgets.notice import Notice
from desktop.widgets.notice_board import NoticeBoard

SCHEMES = ("http", "https", "mailto")


class LinkOffer(QObject):
    """Asks in a notice, of one link at a time."""

    def __init__(self, board: NoticeBoard, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._board = board
        self._notice: Notice | None = None

    def make(self, address: str) -> None:
        """Say where it leads, and offer to open it if it is a page or somebody's address."""
        from PySide6.QtCore import QUrl
        from PySide6.QtGui import QDesktopServices

        url = QUrl(address)
        if url.scheme().lower() not in SCHEMES:
            self._board.show_notice(self.tr("This link is not opened: {address}").format(address=address), here=True)
            return
        shown = self.tr("The link leads to {address}").format(
            address=url.toString(QUrl.ComponentFormattingOption.FullyEncoded)
        )
        if self._notice is not None:
            self._board.put_away(self._notice)
        open_it = partial(QDesktopServices.openUrl, url)
        self._notice = self._board.show_notice(shown, action=self.tr("Open it"), on_action=open_it, here=True)

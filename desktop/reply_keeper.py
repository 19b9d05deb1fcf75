"""Keeps a reply in the store, while it grows and when it has ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

import inference
from desktop.spoken import spoken
from desktop.store import Store, StoreError

if TYPE_CHECKING:
    from desktop.turns import Turn


class ReplyKeeper(QObject):
    """What was written so far is kept about once a second, what it ended as at once.

    Where that fails it is said once for each reply, and tried again about a second later.
    """

    def __init__(
        self,
        store: Store,
        growing: Callable[[], Turn | None],
        complain: Callable[[str], object],
        parent: QObject | None = None,
        *,
        milliseconds: int,
    ) -> None:
        """`growing` gives the reply with what was written so far, while there is one."""
        super().__init__(parent)
        self._store = store
        self._growing = growing
        self._complain = complain
        self._unsaved: tuple[Turn, inference.Trace | None] | None = None
        self._has_complained = False
        self._timer = QTimer(self, singleShot=True, interval=milliseconds)
        self._timer.timeout.connect(self.save)

    @property
    def is_settled(self) -> bool:
        """Whether nothing that has ended waits to be kept."""
        return self._unsaved is None

    @property
    def unkept(self) -> Turn | None:
        """The reply as it is now, where the store may have it otherwise."""
        return self._growing() if self._unsaved is None else self._unsaved[0]

    @property
    def is_waiting(self) -> bool:
        """Whether something will be kept in a moment."""
        return self._timer.isActive()

    def begin(self) -> None:
        """Another reply begins."""
        self._has_complained = False

    def grew(self) -> None:
        """There is more of it."""
        if not self._timer.isActive():
            self._timer.start()

    def end(self, turn: Turn, trace: inference.Trace | None) -> None:
        """It ended like this."""
        self._unsaved = (turn, trace)
        self._timer.stop()
        self.save()

    def save(self) -> bool:
        """Keep now what otherwise waits a moment; whether nothing is left to be kept. Once the store is closed nothing
        is kept any more."""
        if self._store.is_closed:
            self._timer.stop()
            return True
        try:
            if self._unsaved is not None:
                self._store.finish(*self._unsaved)
                self._unsaved = None
            elif (growing := self._growing()) is not None:
                self._store.checkpoint(growing)
        except StoreError as error:
            if not self._has_complained:
                self._has_complained = True
                self._complain(spoken(error))
            self._timer.start()
            return False
        return True

"""One window for each folder of conversations: a second start hands its file to the first, which comes to the front.

The first holds a lock that goes with its process, and listens on a socket beside it; both are their owner's alone.
Where it does not answer, the second goes on by itself: two windows lose nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from desktop.process_lock import OnlyOne
from inference import make_own_folder

if TYPE_CHECKING:
    from PySide6.QtNetwork import QLocalServer, QLocalSocket

    from desktop.calls import Call

LOCK = "first"
SOCKET = "door"
PATIENCE = 8.0  # seconds that a first one may take to open its window
ANSWER_SECONDS = 4.0  # that it may take to answer

_GLANCE = 0.05
_LONGEST_CALL = 1 << 16
_MOST_CALLERS = 20  # at once; each takes one of the handles that a process may have
_LONGEST_PATH = 100  # bytes; sockets have no room for more
_ANSWER = b"here\n"


class Entrance:
    """This start's place: the first one listens, others have been heard or go on by themselves."""

    def __init__(self, folder: Path) -> None:
        self._only = _lock_in(folder)
        self._socket = folder / SOCKET
        self._door: Door | None = None

    @property
    def is_first(self) -> bool:
        return self._only is not None and self._only.is_ours

    def hand_over(self, call: Call, patience: float = PATIENCE, wait: Callable[[float], None] = sleep) -> bool:
        """Whether the first one took the call. It may still be opening its window; where it ends meanwhile, this one is
        the first."""
        deadline = monotonic() + patience
        while _fits(self._socket) and self._only is not None and not self._only.try_again():
            if _is_heard(self._socket, call):
                return True
            if monotonic() > deadline:
                return False
            wait(_GLANCE)
        return False

    def listen(self, parent: QObject | None = None) -> Door | None:
        """The door, open from now on; nothing where this start is not the first, or the folder's path is too long for a
        socket."""
        if self.is_first and _fits(self._socket):
            self._door = Door(self._socket, parent)
        return self._door

    def close(self) -> None:
        if self._door is not None:
            self._door.close()
        if self._only is not None:
            self._only.close()


class Door(QObject):
    """Hears what later starts want."""

    called = Signal(object)  # Call

    def __init__(self, path: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        from PySide6.QtNetwork import QLocalServer

        self._server: QLocalServer = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._on_caller)
        QLocalServer.removeServer(str(path))  # of one that was ended
        self.is_open = self._server.listen(str(path))

    def close(self) -> None:
        self.is_open = False
        self._server.close()

    def _on_caller(self) -> None:
        while (caller := self._server.nextPendingConnection()) is not None:
            caller.disconnected.connect(caller.deleteLater)
            QTimer.singleShot(round(ANSWER_SECONDS * 1_000), caller, caller.abort)  # nobody who means it waits longer
            if len(self._server.findChildren(type(caller))) > _MOST_CALLERS:
                caller.abort()
                continue
            caller.readyRead.connect(lambda caller=caller: self._hear(caller))
            self._hear(caller)

    def _hear(self, caller: QLocalSocket) -> None:
        if caller.bytesAvailable() > _LONGEST_CALL:
            caller.abort()
        elif caller.canReadLine():
            from desktop.calls import Call

            call = Call.unpacked(bytes(caller.readLine().data()))
            if call is None:
                caller.abort()
                return
            caller.write(_ANSWER)
            caller.flush()  # what is called for may take a while
            self.called.emit(call)


def enter(folder: Path, make_call: Callable[[], Call], patience: float = PATIENCE) -> Entrance | None:
    """The place of this start; nothing where another one took its call, which is made only where there is one."""
    entrance = Entrance(folder)
    if entrance.is_first or not entrance.hand_over(make_call(), patience):
        return entrance
    entrance.close()
    return None


def _lock_in(folder: Path) -> OnlyOne | None:
    try:
        make_own_folder(folder.parent)
        return OnlyOne(folder / LOCK)
    except OSError:  # nothing can be kept there, which the conversations will say, too
        return None


def _is_heard(path: Path, call: Call) -> bool:
    if not path.exists() and os.name != "nt":
        return False
    from PySide6.QtNetwork import QLocalSocket

    milliseconds = round(ANSWER_SECONDS * 1_000)
    caller = QLocalSocket()
    caller.connectToServer(str(path))
    try:
        if not caller.waitForConnected(milliseconds):
            return False
        caller.write(call.packed())
        while not caller.canReadLine():
            if not caller.waitForReadyRead(milliseconds):
                return False
        return caller.readLine().data() == _ANSWER
    finally:
        caller.close()


def _fits(path: Path) -> bool:
    return len(os.fsencode(path)) <= _LONGEST_PATH

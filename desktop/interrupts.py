"""What asks a program to end (Ctrl-C, a polite request, a terminal that was closed), as a signal."""

from __future__ import annotations

import signal
import socket
from types import FrameType

from PySide6.QtCore import QObject, QSocketNotifier, Signal

_REQUESTS_TO_END = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class Interrupts(QObject):
    """What asks a program to end, as a signal.

    Python's handlers run between its instructions, of which there are none while Qt waits. So the signal's number
    is sent through a socket that Qt watches.
    """

    happened = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._here, there = socket.socketpair()
        self._there = there
        for end in (self._here, there):
            end.setblocking(False)
        # One that is ignored stays so: whoever started the program wanted it to outlive the terminal.
        heeded = [number for number in _REQUESTS_TO_END if signal.getsignal(number) is not signal.SIG_IGN]
        self._before = {number: signal.signal(number, _do_nothing) for number in heeded}
        self._wakeup_before = signal.set_wakeup_fd(there.fileno())
        self._notifier = QSocketNotifier(self._here.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._on_signal)

    def close(self) -> None:
        """Give the signals back."""
        self._notifier.setEnabled(False)
        signal.set_wakeup_fd(self._wakeup_before)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._here.close()
        self._there.close()

    def _on_signal(self) -> None:
        self._here.recv(64)
        self.happened.emit()


def _do_nothing(_number: int, _frame: FrameType | None) -> None:
    """A handler of Python's own has to be there for the signal's number to be sent on."""

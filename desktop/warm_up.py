"""What the first reply needs and the window does not: loaded once the window is painted, in pieces nobody notices."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from threading import Thread

from PySide6.QtCore import QObject, QTimer

Piece = Callable[[], object]

# Plain Python, so a thread of its own may load them. What makes classes of Qt's is loaded on Qt's thread, which may be
# about to make the same ones.
_PARSERS = ("markdown_it", "pygments.lexers", "pygments.token")


class WarmUp(QObject):
    """Does its pieces one after the other, each when Qt has nothing else to do; then a thread loads the parsers."""

    def __init__(self, pieces: Iterable[Piece], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pieces = iter(pieces)
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._do_one)
        self._thread = Thread(target=_import_parsers, name="warm-up", daemon=True)

    @property
    def is_at_work(self) -> bool:
        return self._timer.isActive()

    def start(self) -> None:
        self._timer.start()

    def stop(self) -> None:
        """Leave the rest undone."""
        self._timer.stop()
        if self._thread.ident is not None:
            self._thread.join()

    def _do_one(self) -> None:
        piece = next(self._pieces, None)
        if piece is None:
            self._timer.stop()
            self._thread.start()
        else:
            piece()


def _import_parsers() -> None:
    for name in _PARSERS:
        import_module(name)

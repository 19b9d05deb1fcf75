"""Connections to what is followed for a while: made one by one, let go together."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import SignalInstance


class Links:
    """To one object at a time, a session above all."""

    def __init__(self) -> None:
        self._made: list[tuple[SignalInstance, Callable[..., object] | SignalInstance]] = []

    def connect(self, signal: SignalInstance, slot: Callable[..., object] | SignalInstance) -> None:
        signal.connect(slot)
        self._made.append((signal, slot))

    def let_go(self) -> None:
        for signal, slot in self._made:
            signal.disconnect(slot)
        self._made.clear()

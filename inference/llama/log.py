"""llama.cpp's log: the last lines in memory, none on a terminal."""

from __future__ import annotations

import ctypes
import threading
from collections import deque

from inference.llama.library import llama

_KEPT = 200
_INFO, _WARNING, _ERROR, _CONTINUED = 2, 3, 4, 5


class EngineLog:
    """The last lines llama.cpp wrote. Its threads write, anybody reads."""

    def __init__(self) -> None:
        self._lines: deque[tuple[int, str]] = deque(maxlen=_KEPT)
        self._lock = threading.Lock()
        # llama.cpp keeps the pointer: it must live as long as the process.
        self._callback = llama.llama_log_callback(self._take)
        llama.llama_log_set(self._callback, ctypes.c_void_p(0))

    def forget(self) -> None:
        """Begin anew, so that `errors` speaks of what happens from now on."""
        with self._lock:
            self._lines.clear()

    def lines(self) -> list[str]:
        """What is kept, the oldest first."""
        with self._lock:
            return [text for _, text in self._lines]

    def errors(self) -> list[str]:
        """The lines that llama.cpp calls errors."""
        with self._lock:
            return [text.strip() for level, text in self._lines if level == _ERROR]

    def _take(self, level: int, text: bytes, _data: int | None) -> None:
        if level < _INFO:
            return  # a load writes a thousand of them
        line = text.decode("utf-8", "replace").rstrip("\n")
        with self._lock:
            if level == _CONTINUED and self._lines:
                before, begun = self._lines.pop()
                self._lines.append((before, begun + line))
            elif line:
                self._lines.append((level, line))

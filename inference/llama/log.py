"""llama.cpp's log: the last lines in memory, none on a terminal."""

from __future__ import annotations

import atexit
import ctypes
import sys
import threading
from collections import deque

from inference.llama.library import llama

_KEPT = 200
# enum ggml_log_level; the table in `llama_cpp` is an older one, that hides errors and prints warnings
_INFO, _ERROR, _CONTINUED = 2, 4, 5


class LogLines:
    """The last lines that were written. Any thread may write and read."""

    def __init__(self) -> None:
        self._lines: deque[tuple[int, str]] = deque(maxlen=_KEPT)
        self._lock = threading.Lock()

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

    def take(self, level: int, text: bytes) -> None:
        """Keep what was written, but for what is only there to find mistakes: a load writes a thousand such lines."""
        if level < _INFO:
            return
        line = text.decode("utf-8", "replace").rstrip("\n")
        with self._lock:
            if level == _CONTINUED and self._lines:
                before, begun = self._lines.pop()
                self._lines.append((before, begun + line))
            elif line:
                self._lines.append((level, line))


class EngineLog(LogLines):
    """What llama.cpp writes, from now until the process ends. A process has one."""

    def __init__(self) -> None:
        super().__init__()
        # llama.cpp keeps the pointer: it must live as long as the process.
        self._callback = llama.llama_log_callback(self._on_text)
        llama.llama_log_set(self._callback, ctypes.c_void_p(0))
        # A GPU's driver still writes while the process ends, when there is no Python to take it. `abs` looks at the
        # level alone and does nothing.
        standard = ctypes.CDLL("msvcrt" if sys.platform == "win32" else None)
        atexit.register(llama.llama_log_set, ctypes.cast(standard.abs, llama.llama_log_callback), ctypes.c_void_p(0))

    def _on_text(self, level: int, text: bytes, _data: int | None) -> None:
        self.take(level, text)

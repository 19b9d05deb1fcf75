"""llama.cpp's log: the last lines in memory, all in a file where one is wanted, none on a terminal."""

from __future__ import annotations

import atexit
import ctypes
import logging
import sys
import threading
from collections import deque
from collections.abc import Callable
from functools import cache
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from inference.llama.library import llama
from inference.own_files import make_own_folder, open_own

_KEPT = 200
# enum ggml_log_level; the table in `llama_cpp` is an older one, that hides errors and prints warnings
_INFO, _WARNING, _ERROR, _CONTINUED = 2, 3, 4, 5
_LEVELS = {_INFO: logging.INFO, _WARNING: logging.WARNING, _ERROR: logging.ERROR}
_FILE_BYTES = 1 << 20
_OLD_FILES = 2

Listener = Callable[[int, str], None]


class LogLines:
    """The last lines that were written. Any thread may write and read."""

    def __init__(self) -> None:
        self._lines: deque[tuple[int, str]] = deque(maxlen=_KEPT)
        self._listeners: tuple[Listener, ...] = ()
        self._lock = threading.Lock()

    def listen(self, listener: Listener) -> None:
        """Have everything handed on as it is written, with llama.cpp's level. It must not fail, and not write here."""
        self._listeners = (*self._listeners, listener)

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
        written = text.decode("utf-8", "replace")
        for listener in self._listeners:
            listener(level, written)
        line = written.rstrip("\n")
        with self._lock:
            if level == _CONTINUED and self._lines:
                before, begun = self._lines.pop()
                self._lines.append((before, begun + line))
            elif line:
                self._lines.append((level, line))


class EngineLog(LogLines):
    """What llama.cpp writes, from now until the process ends. A process has one: `engine_log`."""

    def __init__(self) -> None:
        super().__init__()
        self._file: LogFile | None = None
        # llama.cpp keeps the pointer: it must live as long as the process.
        self._callback = llama.llama_log_callback(self._on_text)
        llama.llama_log_set(self._callback, ctypes.c_void_p(0))
        # A GPU's driver still writes while the process ends, when there is no Python to take it. `abs` looks at the
        # level alone and does nothing.
        standard = ctypes.CDLL("msvcrt" if sys.platform == "win32" else None)
        atexit.register(llama.llama_log_set, ctypes.cast(standard.abs, llama.llama_log_callback), ctypes.c_void_p(0))

    def write_to(self, path: Path) -> None:
        """Keep it in the file at `path`, too. A process has one such file: the first that is wanted."""
        if self._file is None:
            self._file = LogFile(path)
            self.listen(self._file.write)

    def _on_text(self, level: int, text: bytes, _data: int | None) -> None:
        self.take(level, text)


@cache
def engine_log() -> EngineLog:
    """The log of this process."""
    return EngineLog()


class LogFile:
    """A file of limited size, with the two before it. A disk that takes nothing loses lines, and nothing else."""

    def __init__(self, path: Path, size: int = _FILE_BYTES) -> None:
        self._path = path
        self._size = size
        self._handler: _Handler | None = None

    def write(self, level: int, text: str) -> None:
        """Add a line at llama.cpp's `level`."""
        if line := text.rstrip("\n"):
            level = _LEVELS.get(level, logging.INFO)
            record = logging.LogRecord("llama.cpp", level, "", 0, line, None, None)
            handler = self._handler or self._open()
            if handler is not None:
                handler.handle(record)

    def close(self) -> None:
        if self._handler is not None:
            self._handler.close()

    def _open(self) -> _Handler | None:
        try:
            make_own_folder(self._path.parent)
            self._handler = _Handler(
                self._path, maxBytes=self._size, backupCount=_OLD_FILES, encoding="utf-8", errors="replace"
            )
        except OSError:
            return None
        self._handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
        return self._handler


class _Handler(RotatingFileHandler):
    """One that keeps its own mishaps to itself: Python's would write them to the terminal."""

    def _open(self) -> TextIOWrapper:
        return open(self.baseFilename, "a", encoding=self.encoding, errors=self.errors, opener=open_own)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: ARG002, N802 - logging's own
        return

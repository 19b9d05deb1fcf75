"""Runs a child process that may take long, and shows that it is alive.

Its output goes to a log; a terminal sees one line that counts the time, anything else a new line now and then.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TextIO

TICK = 0.5  # seconds between two looks at the child, on a terminal
LINE_EVERY = 30.0  # seconds between two lines where the output is no terminal
TAIL = 16_384  # bytes at a log's end that are looked at


def run(
    command: Sequence[str],
    what: str,
    log: Path,
    *,
    environment: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    keep: Sequence[int] = (),
    describe: Callable[[str], str] = lambda _: "",
    out: TextIO = sys.stdout,
    line_every: float = LINE_EVERY,
) -> int:
    """Run `command` with its output in `log` and return its exit status; `describe` sums the log's end up.

    The files in `keep` stay open in the child, so that a lock outlives a parent that is killed.
    """
    started = time.monotonic()
    show = Progress(what, out, line_every)
    with log.open("wb") as sink:
        # A group of its own, so that a compiler that the child has started ends with it.
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            env=environment,
            cwd=cwd,
            pass_fds=keep,
            start_new_session=True,
        )
        try:
            while True:
                show.at(time.monotonic() - started, describe(tail(log)))
                try:
                    status = child.wait(timeout=TICK)
                    break
                except subprocess.TimeoutExpired:
                    continue
        except BaseException:
            os.killpg(child.pid, signal.SIGTERM)
            child.wait()
            raise
        finally:
            show.end(time.monotonic() - started)
    return status


class Progress:
    """One line that says what is being done and for how long."""

    def __init__(self, what: str, out: TextIO, line_every: float) -> None:
        self._what = what
        self._out = out
        self._terminal = out.isatty()
        self._line_every = line_every
        self._next_line = 0.0
        self._detail = ""

    def at(self, seconds: float, detail: str) -> None:
        """Show the time gone by; a new `detail` is said at once, and holds until there is another."""
        detail = detail or self._detail
        if self._terminal:
            self._out.write("\r\x1b[K" + self._line(seconds, detail))
            self._out.flush()
        elif seconds >= self._next_line or _words(detail) != _words(self._detail):
            self._out.write(self._line(seconds, detail) + "\n")
            self._out.flush()
            self._next_line = seconds + self._line_every
        self._detail = detail

    def end(self, seconds: float) -> None:
        """Leave the last line standing."""
        if self._terminal:
            self._out.write("\r\x1b[K" + self._line(seconds, "") + "\n")
            self._out.flush()

    def _line(self, seconds: float, detail: str) -> str:
        line = f"  {self._what}: {duration(seconds)}"
        return line + (", " + detail if detail else "")


def duration(seconds: float) -> str:
    """Say a length of time: `7 s`, `3 min 05 s`."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"


def tail(log: Path, size: int = TAIL) -> str:
    """Return the end of a log, which may still be growing."""
    with log.open("rb") as source:
        source.seek(0, 2)
        source.seek(max(0, source.tell() - size))
        return source.read().decode(errors="replace")


def _words(detail: str) -> str:
    return re.sub(r"\d+", "", detail)

"""Whether a window can be shown here, found out where it does no harm.

Qt ends the whole process when it cannot reach a display or lacks a library for it. So a child tries first.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping

PATIENCE_SECONDS = 10

_STDERR = 2  # Python's own may be gone, where it was closed
# Platforms of Qt that need nobody to look at them.
_WITHOUT_DISPLAY = ("offscreen", "minimal", "vnc")


def why_unusable(environment: Mapping[str, str] = os.environ) -> str:
    """Why no window can be shown, in a few words; empty where one can."""
    if sys.platform != "linux":
        return ""
    platform = environment.get("QT_QPA_PLATFORM", "")
    if platform.startswith(_WITHOUT_DISPLAY):
        return ""
    if not platform and not environment.get("DISPLAY") and not environment.get("WAYLAND_DISPLAY"):
        return "neither DISPLAY nor WAYLAND_DISPLAY is set"
    return _why_a_child_failed()


def _why_a_child_failed() -> str:
    """Let a child of this process connect to the display; what it says when it dies is the reason."""
    import resource  # not there on Windows

    # Imported before the fork, the child has nothing left to do but to connect: a few milliseconds.
    from PySide6.QtGui import QGuiApplication

    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.dup2(writer, _STDERR)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            signal.alarm(PATIENCE_SECONDS)
            QGuiApplication(["headwater"])
            os._exit(0)
        finally:
            os._exit(1)
    os.close(writer)
    with os.fdopen(reader, encoding="utf-8", errors="replace") as words:
        said = words.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM:
        return f"the display did not answer within {PATIENCE_SECONDS} seconds"
    return "" if status == 0 else _reason_in(said)


def _reason_in(said: str) -> str:
    """The first thing Qt complained of, without the name of the part that said it."""
    line = next((line.strip() for line in said.splitlines() if line.strip()), "")
    if line.startswith("qt."):
        line = line.partition(": ")[2]
    return line.rstrip(".") or "Qt could not start on it"

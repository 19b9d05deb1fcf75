"""A download of made data in a window's process: what it adds to the memory, and how late the event loop comes."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

import inference
from desktop.downloads import DownloadQueue
from desktop.engine_bridge import EngineBridge
from desktop.settings import SettingsFile
from desktop.theme import load_theme, style_arguments
from desktop.widgets.download_page import DownloadPage

REPO = "maker/large-GGUF"
_TICK_MILLISECONDS = 5


class _Nobody:
    """Holds off no sleep."""

    def hold(self) -> None: ...
    def release(self) -> None: ...


def main(address: str) -> None:
    """Fetch the first model of the repository at `address`, shown as a window shows it; one JSON object to standard
    output: `added` bytes of memory at most, and the `lag` of each tick of the event loop in seconds."""
    application = QApplication([sys.argv[0], *style_arguments()])
    with tempfile.TemporaryDirectory(dir=os.environ.get("HEADWATER_BENCH_DIR")) as folder:
        settings = SettingsFile(Path(folder) / "settings.toml")
        session = inference.hub.HubSession(inference.hub.HubAccess(address))
        bridge = EngineBridge()
        queue = DownloadQueue(bridge.post, lambda: session, lambda: Path(folder) / "models", settings, _Nobody())
        page = DownloadPage(load_theme("light"), queue, settings)
        page.resize(800, 600)
        page.show()
        hub = inference.hub.Hub(session)
        repo = hub.repo(REPO)
        model = hub.models(repo)[0]
        _ = inference.hub.Downloads
        application.processEvents()
        watch = _Watch(application)
        queue.finished.connect(application.quit)
        queue.add(repo, model)
        application.exec()
        print(json.dumps({"added": watch.added, "lag": watch.lags, "seconds": watch.seconds}))
        queue.close()
        session.close()


class _Watch:
    """Measures from now on, a few milliseconds apart."""

    def __init__(self, application: QApplication) -> None:
        self._before = _resident()
        self._began = self._last = time.perf_counter()
        self.added = 0
        self.lags: list[float] = []
        self._timer = QTimer(application, interval=_TICK_MILLISECONDS)
        self._timer.timeout.connect(self._tick)
        self._timer.start()

    @property
    def seconds(self) -> float:
        return self._last - self._began

    def _tick(self) -> None:
        now = time.perf_counter()
        self.lags.append(max(0.0, now - self._last - _TICK_MILLISECONDS / 1000))
        self._last = now
        if len(self.lags) % 20 == 0:
            self.added = max(self.added, _resident() - self._before)


def _resident() -> int:
    """Bytes of this process in memory (Linux)."""
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    main(sys.argv[1])

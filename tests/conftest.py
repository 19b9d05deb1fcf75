"""What every test needs: Qt without a screen, and folders that are nobody's."""

from __future__ import annotations

import os
import signal
import threading
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, settings

# Before anything makes a QApplication. Somebody who wants to look on sets it to what shows windows.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

# What is remembered of a machine stays out of the folders of whoever runs the tests.
_folders = TemporaryDirectory(prefix="headwater-tests-")
for _name in ("XDG_DATA_HOME", "XDG_STATE_HOME"):
    os.environ[_name] = _folders.name


# How long an example takes says how busy the machine is: where others compute, or the disk is slow, it is seconds.
# The same examples each time, so that two runs of the same code end alike; others where a seed is given.
settings.register_profile(
    "headwater",
    deadline=None,
    derandomize=not os.environ.get("HEADWATER_SEED"),
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("headwater")


@pytest.fixture
def faults(monkeypatch: pytest.MonkeyPatch) -> list[BaseException | None]:
    """What `threading.excepthook` is told."""
    told: list[BaseException | None] = []
    monkeypatch.setattr(threading, "excepthook", lambda arguments: told.append(arguments.exc_value))
    return told


def pytest_configure() -> None:
    """A suite that was started in the background finds signals ignored, and these tests send them."""
    for name, handler in (
        ("SIGINT", signal.default_int_handler),
        ("SIGTERM", signal.SIG_DFL),
        ("SIGHUP", signal.SIG_DFL),
    ):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)

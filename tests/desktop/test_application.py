"""A file that a desktop names by an event is opened like one that a start names."""

from __future__ import annotations

import os
import subprocess
import sys

# A process has one application, and that of the tests is another.
NAMED = """
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtGui import QFileOpenEvent
from desktop.application import Application

application = Application(["headwater"])
opened = []

def name(file):
    assert QCoreApplication.sendEvent(application, QFileOpenEvent(file))

name("/models/before.gguf")
name("/models/also before.gguf")
application.have_files_opened(lambda path: opened.append(path.name))
print(*opened, sep="\\n")
name("/models/after.gguf")
QCoreApplication.sendEvent(application, QFileOpenEvent(""))
QCoreApplication.sendEvent(application, QEvent(QEvent.Type.LanguageChange))
print(*opened[2:], sep="\\n")
"""


def test_what_is_named_before_anybody_can_open_it_is_opened_as_soon_as_somebody_can():
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-c", NAMED]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.splitlines() == ["before.gguf", "also before.gguf", "after.gguf"]

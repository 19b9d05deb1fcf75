"""The program, as it is run: whatever ends it is told, and what the desktop names is opened."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

# The whole program; once it has begun, it does one thing.
PROGRAM = """
import ctypes, json, sys
from PySide6.QtCore import QCoreApplication, QTimer, qFatal
from PySide6.QtGui import QFileOpenEvent
from desktop.__main__ import main

def crash(app):
    ctypes.string_at(0)

def have_qt_end_it(app):
    qFatal("QThing is broken")  # PySide6 says in its own words that it was called

def raise_in_a_slot(app):
    app.broke.connect(lambda _report: app.leave())
    QTimer.singleShot(0, fail)

def fail():
    raise ValueError("what was said in confidence")

def name_a_file(app):
    QCoreApplication.sendEvent(QCoreApplication.instance(), QFileOpenEvent("/pictures/lake.png"))
    print(json.dumps([notice.text for notice in app.window.board.notices]))
    app.leave()

what = globals()[sys.argv[1]]
sys.exit(main(["--data-dir", sys.argv[2]], lambda app: app.begun.connect(lambda: what(app))))
"""


def run(what: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-c", PROGRAM, what, str(folder)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=100, check=False)


@pytest.mark.skipif(sys.platform == "win32", reason="there a process does not end by a signal")
@pytest.mark.parametrize(
    ("what", "number", "words"),
    [
        ("crash", signal.SIGSEGV, "Fatal Python error: Segmentation fault"),
        ("have_qt_end_it", signal.SIGABRT, r"Qt: .+\nFatal Python error: Aborted"),
    ],
)
def test_what_ends_it_in_compiled_code_is_written_down_with_qts_last_words(tmp_path, what, number, words):
    assert run(what, tmp_path).returncode == -number
    (fault,) = (tmp_path / "runs").glob("*.fault")
    assert re.match(words, fault.read_text())


def test_what_nobody_foresaw_in_its_window_is_told_and_it_goes_on_until_it_is_left(tmp_path):
    done = run("raise_in_a_slot", tmp_path)
    assert done.returncode == 0
    assert "headwater: Nobody foresaw this:" in done.stderr
    assert "ValueError" in done.stderr
    assert "in confidence" not in done.stderr


def test_a_file_that_the_desktop_names_comes_to_the_window(tmp_path):
    done = run("name_a_file", tmp_path)
    assert done.returncode == 0, done.stderr
    assert [words for words in json.loads(done.stdout) if words.startswith("lake.png is not a model file")] != []

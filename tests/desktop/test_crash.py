"""Nobody's fault goes unseen, and no report tells what was said."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
import traceback

import pytest
from PySide6.QtWidgets import QApplication

from desktop.crash import CrashHook, report_of, report_of_death
from desktop.crash_dialog import CrashDialog

CONFIDED = "what was said in confidence"


@pytest.fixture
def reports():
    return []


@pytest.fixture
def hook(qapp, reports, caplog):
    return CrashHook(reports.append)


def caught(error: BaseException) -> BaseException:
    try:
        raise error
    except type(error) as raised:
        return raised


def test_a_report_says_where_and_what_kind_but_never_what_was_said():
    try:
        try:
            int(CONFIDED)
        except ValueError as error:
            raise KeyError(CONFIDED) from error
    except KeyError as error:
        report = report_of(error)
    assert CONFIDED not in report
    assert "KeyError" in report
    assert "ValueError" in report
    assert "desktop/test_crash.py" in report
    assert "int(CONFIDED)" in report


def test_what_speaks_of_code_is_kept():
    assert "'NoneType' object has no attribute 'nope'" in report_of(
        caught(AttributeError("'NoneType' object has no attribute 'nope'"))
    )
    assert "No space left" in report_of(caught(OSError(28, "No space left on device", f"/{CONFIDED}")))
    assert CONFIDED not in report_of(caught(OSError(28, "No space left on device", f"/{CONFIDED}")))


def test_an_exception_of_any_thread_is_shown_on_qts(hook, reports, qapp, qtbot):
    hook.install()
    try:

        def fail() -> None:
            raise ValueError(CONFIDED)

        thread = threading.Thread(target=fail)
        thread.start()
        thread.join()
    finally:
        hook.uninstall()
    assert reports == []
    qtbot.waitUntil(lambda: len(reports) == 1)
    assert "ValueError" in reports[0]


def test_a_fault_that_the_engine_caught_is_reported_without_its_words(hook, reports, qtbot):
    text = "".join(traceback.format_exception(caught(ValueError(CONFIDED))))
    hook.take_fault("ValueError", text)
    qtbot.waitUntil(lambda: len(reports) == 1)
    assert "desktop/test_crash.py" in reports[0]
    assert CONFIDED not in reports[0]


def test_one_dialog_shows_the_first_report_and_it_can_be_copied(qapp, qtbot, caplog):
    hook = CrashHook()
    for message in ("first", "second"):
        error = caught(TypeError(message))
        hook.take(type(error), error, error.__traceback__)

    def dialogs() -> list[CrashDialog]:
        return [widget for widget in QApplication.topLevelWidgets() if isinstance(widget, CrashDialog)]

    qtbot.waitUntil(lambda: len(dialogs()) == 1)
    (dialog,) = dialogs()
    dialog.copy_button.click()
    assert "TypeError: first" in QApplication.clipboard().text()
    dialog.reject()
    assert len([record for record in caplog.records if record.levelno == logging.ERROR]) == 2


IN_A_SLOT = """
from PySide6.QtCore import QCoreApplication, QObject, QTimer, qWarning
from PySide6.QtWidgets import QApplication
from desktop.crash import CrashHook
import logging

logging.basicConfig(format="%(message)s")
application = QApplication([])

class Shown(QObject):
    def show(self, report):
        print(report)
        application.quit()

class Broken(QObject):
    def fail(self):
        qWarning("Qt complains")
        raise RuntimeError("secret")

shown, broken = Shown(), Broken()
hook = CrashHook(shown.show)
hook.install()
QTimer.singleShot(0, broken.fail)
application.exec()
hook.uninstall()
"""


def test_an_exception_in_a_slot_and_a_complaint_of_qts_are_seen():
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [sys.executable, "-c", IN_A_SLOT], env=environment, capture_output=True, text=True, check=True, timeout=60
    )
    assert "RuntimeError" in done.stdout
    assert "secret" not in done.stdout.replace('RuntimeError("secret")', "")
    assert "Qt: Qt complains" in done.stderr


FAULT = f"""Fatal Python error: Segmentation fault

Thread 0x00007f1 (most recent call first):
  File "/home/{CONFIDED}/program/inference/llama/model.py", line 12 in evaluate
Current thread 0x00007f2 (most recent call first):
  File "/home/{CONFIDED}/program/desktop/app.py", line 300 in run
{CONFIDED}
Extension modules: numpy
"""


def test_the_report_of_a_crash_in_compiled_code_says_where_and_nothing_else():
    report = report_of_death(FAULT)
    assert CONFIDED not in report
    assert "Segmentation fault" in report
    assert "inference/llama/model.py:12 in evaluate" in report
    assert "llama-cpp-python" in report

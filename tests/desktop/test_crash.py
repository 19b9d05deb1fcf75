"""Nobody's fault goes unseen, and no report tells what was said."""

from __future__ import annotations

import ctypes
import logging
import os
import subprocess
import sys
import threading
import traceback

import pytest
from PySide6.QtCore import qCritical, qDebug, qInfo, qWarning
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


@pytest.mark.parametrize(
    "error",
    [
        ImportError(f"cannot import name 'a' from 'b' (/home/{CONFIDED}/b.py)"),
        ImportError(f"/home/{CONFIDED}/lib.so: undefined symbol: x"),
        AttributeError(f"'QLabel' object has no attribute '{CONFIDED}'"),
        AttributeError(f"'QLabel' object has no attribute '\n{CONFIDED}\n'"),
        AttributeError(f"'QLabel' object has no attribute '{'x ' * 400}it's {CONFIDED}'"),
        TypeError(f"f() got an unexpected keyword argument “{CONFIDED}”"),
        TypeError(f"unknown scheme in https://name:{CONFIDED}@example.org"),
        TypeError(f"f() called with wrong argument values:\n  f({CONFIDED})"),
        OSError(f"cannot read {CONFIDED}"),
        OSError(2, f"no file named {CONFIDED}", CONFIDED),
        ExceptionGroup(CONFIDED, [ValueError(CONFIDED), OSError(CONFIDED)]),
        UnicodeDecodeError("utf-8", CONFIDED.encode(), 0, 1, CONFIDED),
        type("HeadwaterError", (RuntimeError,), {})(CONFIDED),
    ],
    ids=lambda error: type(error).__name__,
)
def test_neither_words_nor_paths_nor_addresses_get_into_a_report_or_the_log(error, hook, reports, caplog, qtbot):
    hook.take(type(error), caught(error), None)
    hook.take_fault(str(error), "".join(traceback.format_exception(error)))
    qtbot.waitUntil(lambda: len(reports) == 2)
    told = "\n".join((*reports, caplog.text))
    assert CONFIDED not in told.replace("{CONFIDED}", "")
    assert "/home" not in told.replace("(/home/{CONFIDED}", "").replace('f"/home/{CONFIDED}', "")
    assert type(error).__name__ in told


def test_errors_that_lead_to_one_another_are_told_once_each():
    first, second = caught(ValueError()), caught(KeyError())
    first.__cause__, second.__cause__ = second, first
    report = report_of(first)
    assert (report.count("ValueError (what"), report.count("KeyError (what")) == (1, 1)


def test_all_parts_of_a_group_are_told():
    report = report_of(ExceptionGroup("several", [ZeroDivisionError("by zero"), KeyError("x")]))
    assert "ZeroDivisionError: by zero" in report
    assert "KeyError" in report


def test_an_endless_recursion_makes_no_endless_report():
    def deeper() -> None:
        deeper()

    try:
        deeper()
    except RecursionError as error:
        report = report_of(error)
    assert "RecursionError: maximum recursion depth exceeded" in report
    assert len(report.splitlines()) < 100


@pytest.mark.parametrize(
    ("place", "shown"),
    [
        ("/home/anna/app.py", "app.py"),
        ("/home/anna/desktop/__main__.py", "desktop/__main__.py"),
        ("/home/anna/venv/lib/python3.11/threading.py", "python3.11/threading.py"),
        ("/home/anna/site-packages/PySide6/loader.py", "site-packages/PySide6/loader.py"),
        ("C:\\Users\\Anna\\Lib\\threading.py", "threading.py"),
        ("desktop/app.py", "desktop/app.py"),
        ("<template>", "<template>"),
    ],
)
def test_of_a_file_of_code_only_its_place_in_its_package_is_told(place, shown):
    assert report_of_death(f'  File "{place}", line 12 in f').endswith(f"\n  {shown}:12 in f")


def test_what_is_raised_again_and_again_at_one_place_is_told_once(hook, reports, caplog, qtbot):
    for number in range(1000):
        error = caught(ValueError(number))
        hook.take(type(error), error, error.__traceback__)
    other = ValueError()
    hook.take(type(other), other, None)
    qtbot.waitUntil(lambda: len(reports) == 2)
    assert len(caplog.records) == 2


def fail_in_compiled_code() -> None:
    compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(lambda _: int(CONFIDED))
    compare(None)


class Unfreeable:
    def __del__(self) -> None:
        raise ValueError(CONFIDED)


@pytest.mark.parametrize("fail", [fail_in_compiled_code, Unfreeable])
def test_what_nobody_can_catch_is_shown(hook, reports, qtbot, fail):
    hook.install()
    try:
        fail()
    finally:
        hook.uninstall()
    qtbot.waitUntil(lambda: len(reports) == 1)
    assert "ValueError" in reports[0]


def test_a_thread_that_ends_itself_is_no_fault(hook, reports, qapp):
    hook.install()
    try:
        thread = threading.Thread(target=sys.exit)
        thread.start()
        thread.join()
    finally:
        hook.uninstall()
    qapp.processEvents()
    assert reports == []


def test_what_qt_complains_of_is_in_the_report_and_in_the_log_without_what_is_somebodys(hook, reports, caplog, qtbot):
    caplog.set_level(logging.DEBUG)
    hook.install()
    try:
        for complain in (qDebug, qInfo, qWarning, qCritical):
            complain(f'QThing: "{CONFIDED}" is none')
        qWarning(f"QFile: /home/{CONFIDED} is open")
    finally:
        hook.uninstall()
    assert caplog.text.count("Qt: QThing: …") >= 4
    assert "Qt: QFile: …" in caplog.text
    assert CONFIDED not in caplog.text
    qtbot.waitUntil(lambda: len(reports) == 1)
    reports.clear()
    error = caught(TypeError())
    hook.take(type(error), error, error.__traceback__)
    qtbot.waitUntil(lambda: len(reports) == 1)
    assert "Qt: QThing: …" in reports[0]
    assert "Qt: QFile: …" in reports[0]
    assert CONFIDED not in reports[0]


def test_what_qt_calls_critical_is_shown(hook, reports, qtbot):
    hook.install()
    try:
        qCritical("QThing is broken")
    finally:
        hook.uninstall()
    qtbot.waitUntil(lambda: len(reports) == 1)
    assert "Qt: QThing is broken" in reports[0]


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
    first = caught(TypeError("first"))
    hook.take(type(first), first, first.__traceback__)
    second = TypeError("second")
    hook.take(type(second), second, None)

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


FAULT = f"""Qt: it is broken
Fatal Python error: Segmentation fault

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
    assert "Qt: it is broken" in report
    assert "inference/llama/model.py:12 in evaluate" in report
    assert "llama-cpp-python" in report


def test_memory_that_ran_out_is_a_sentence_said_once_and_no_report(hook, reports, qtbot, caplog):
    said: list[str] = []
    hook.ran_short.connect(said.append)
    for error in (MemoryError(), RuntimeError("can't start new thread")):
        hook.take(type(error), error, None)
    with qtbot.waitSignal(hook.shown):
        hook.take(ValueError, ValueError(), None)
    assert len(reports) == 1
    assert [sentence for sentence in said if "too little memory" in sentence] == said
    assert len(said) == 1
    assert said[0] in caplog.text

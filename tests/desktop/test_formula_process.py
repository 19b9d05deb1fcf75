"""The process that sets formulas, seen from the window."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from desktop import formulas
from desktop.formula_process import FormulaProcess
from desktop.formulas import Formula, Picture

STUBBORN = """
import sys
for line in sys.stdin:
    if "never" in line:
        while True:
            pass
    if "die" in line:
        sys.exit(1)
    print('{"svg": "<svg/>", "width": 1, "ascent": 1, "descent": 0}', flush=True)
"""


class Answers:
    """What a process has answered."""

    def __init__(self, process: FormulaProcess) -> None:
        self.given: list[tuple[str, bool]] = []
        process.answered.connect(self._take)

    def _take(self, formula: Formula, picture: Picture | None) -> None:
        self.given.append((formula.tex, picture is not None))


@pytest.fixture
def stubborn(qapp) -> Iterator[FormulaProcess]:
    process = FormulaProcess(command=(sys.executable, "-c", STUBBORN), patience=1_500)
    yield process
    process.close()


def test_pictures_come_in_the_order_they_were_asked_for(qtbot: QtBot):
    process = FormulaProcess()
    answers = Answers(process)
    assert not process.is_running
    for tex in ("x", r"\frac{a", "y^2"):
        process.ask(Formula(tex))
    assert answers.given == []
    qtbot.waitUntil(lambda: len(answers.given) == 3, timeout=20_000)
    assert answers.given == [("x", True), (r"\frac{a", False), ("y^2", True)]
    process.close()
    assert not process.is_running


def test_one_that_takes_too_long_is_refused_and_the_others_are_not(qtbot: QtBot, stubborn: FormulaProcess):
    answers = Answers(stubborn)
    for tex in ("a", "never", "b", "die", "c"):
        stubborn.ask(Formula(tex))
    qtbot.waitUntil(lambda: len(answers.given) == 5, timeout=20_000)
    assert answers.given == [("a", True), ("never", False), ("b", True), ("die", False), ("c", True)]


def test_one_that_always_dies_is_given_up(qtbot: QtBot, stubborn: FormulaProcess):
    answers = Answers(stubborn)
    for _ in range(40):
        stubborn.ask(Formula("die"))
    qtbot.waitUntil(lambda: len(answers.given) == 40, timeout=20_000)
    assert {has_picture for _, has_picture in answers.given} == {False}
    assert not stubborn.is_running


def test_without_a_process_every_formula_is_refused(qtbot: QtBot):
    process = FormulaProcess(command=("/nowhere/to/be/found",))
    answers = Answers(process)
    process.ask(Formula("a"))
    process.ask(Formula("b"))
    qtbot.waitUntil(lambda: len(answers.given) == 2)
    process.ask(Formula("c"))
    qtbot.waitUntil(lambda: len(answers.given) == 3)
    assert not any(has_picture for _, has_picture in answers.given)


def test_it_ends_when_nothing_is_asked_for_a_while_and_starts_again(qtbot: QtBot, stubborn: FormulaProcess):
    answers = Answers(stubborn)
    stubborn.ask(Formula("a"))
    qtbot.waitUntil(lambda: len(answers.given) == 1, timeout=20_000)
    assert stubborn.is_running
    stubborn._let_go()
    qtbot.waitUntil(lambda: not stubborn.is_running, timeout=20_000)
    stubborn.ask(Formula("b"))
    qtbot.waitUntil(lambda: len(answers.given) == 2, timeout=20_000)
    assert answers.given[1] == ("b", True)


def test_it_ends_with_what_it_belongs_to(qtbot: QtBot):
    parent = QObject()
    process = FormulaProcess(parent)
    answers = Answers(process)
    process.ask(Formula("x"))
    qtbot.waitUntil(lambda: len(answers.given) == 1, timeout=20_000)
    running = process._process
    assert running is not None
    ended: list[object] = []
    parent.destroyed.connect(lambda: ended.append(running.state()))
    parent.deleteLater()
    qtbot.waitUntil(lambda: bool(ended))
    assert ended[0] is running.ProcessState.NotRunning if ended else False


def test_the_process_is_this_program(monkeypatch: pytest.MonkeyPatch):
    assert formulas.command()[1:] == ("-P", "-m", "desktop.formulas")
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert formulas.command() == (sys.executable, formulas.SET_OPTION)

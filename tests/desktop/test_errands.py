from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from desktop.engine_bridge import EngineBridge
from desktop.errands import Errand, Errands
from inference import InvalidRequest


class Errandry:
    """Errands over a real bridge, and what was said of them."""

    def __init__(self, qtbot) -> None:
        self._qtbot = qtbot
        self.bridge = EngineBridge()
        self.errands = Errands(self.bridge.post)
        self.said: list[object] = []

    def send(self, work: Callable[[Errand], object], kind: str = "work") -> None:
        self.errands.send(
            kind,
            work,
            lambda result: self.said.append(("done", result)),
            lambda error: self.said.append(("failed", str(error))),
            lambda told: self.said.append(("told", told)),
        )

    def wait(self, count: int) -> None:
        self._qtbot.waitUntil(lambda: len(self.said) >= count)


@pytest.fixture
def desk(qtbot):
    return Errandry(qtbot)


def test_work_is_done_elsewhere_and_told_on_qts_thread(desk):
    threads: list[int] = []

    def work(errand: Errand) -> int:
        threads.append(threading.get_ident())
        errand.tell("half")
        return 7

    desk.send(work)
    assert desk.errands.is_out("work")
    desk.wait(2)
    assert desk.said == [("told", "half"), ("done", 7)]
    assert threads != [threading.get_ident()]
    assert not desk.errands.is_out("work")


def test_the_worlds_fault_is_told(desk):
    def work(_errand: Errand) -> None:
        raise InvalidRequest("It cannot be had.")

    desk.send(work)
    desk.wait(1)
    assert desk.said == [("failed", "It cannot be had.")]


def test_a_fault_of_our_own_is_told_and_whoever_waits_waits_no_longer(desk, faults):
    def work(_errand: Errand) -> None:
        raise RuntimeError("nobody foresaw this")

    desk.send(work)
    desk.wait(1)
    ((outcome, sentence),) = desk.said
    assert outcome == "failed"
    assert sentence.startswith("Something went wrong inside Headwater")
    assert "nobody foresaw" not in sentence
    assert not desk.errands.is_out("work")
    assert [str(fault) for fault in faults] == ["nobody foresaw this"]


def test_of_one_kind_only_the_last_counts(desk):
    released, seen = threading.Event(), threading.Event()
    wanted: list[bool] = []

    def slow(errand: Errand) -> str:
        released.wait(60)
        errand.tell("too late")
        wanted.append(errand.is_wanted)
        seen.set()
        return "slow"

    desk.send(slow)
    desk.send(lambda _: "quick")
    desk.send(lambda _: "other", kind="other")
    desk.wait(2)
    released.set()
    assert seen.wait(60)
    desk.send(lambda _: "end")
    desk.wait(3)
    assert sorted(result for _, result in desk.said) == ["end", "other", "quick"]
    assert wanted == [False]


def test_after_closing_nothing_is_said(desk):
    released, done = threading.Event(), threading.Event()

    def work(errand: Errand) -> None:
        released.wait(60)
        errand.tell("nobody listens")
        done.set()

    desk.send(work)
    desk.errands.close()
    released.set()
    assert done.wait(60)
    desk.bridge.drain()
    assert desk.said == []

"""Threads end before the interpreter does, whoever is impatient."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from inference.leaving import Worker

PATIENCE = 30.0  # seconds; only a broken worker takes them


def test_whoever_waits_is_let_go_once_the_work_is_done() -> None:
    may_end, ended = threading.Event(), threading.Event()
    worker = Worker(lambda: ended.set() if may_end.wait(PATIENCE) else None, "test")
    worker.start()
    assert worker.is_here
    may_end.set()
    worker.wait()
    assert ended.is_set()
    worker.wait()


def test_the_thread_does_not_wait_for_itself() -> None:
    def work() -> None:
        worker.wait()

    worker = Worker(work, "test")
    worker.start()
    worker.wait()


IMPATIENT = """
import os, signal, threading
from inference.leaving import Worker, closed_at_exit

class Slow:
    def __init__(self):
        self.closing, self.steps = threading.Event(), 0
        self.worker = Worker(self.work, "slow")
        self.forget = closed_at_exit(self)
        self.worker.start()

    def work(self):
        self.closing.wait()
        for _ in range(5):
            os.kill(os.getpid(), signal.SIGINT)
            threading.Event().wait(0.02)
        print("ended", flush=True)

    def close(self):
        self.closing.set()
        self.worker.wait()
        print("closed", flush=True)

slow = Slow()
try:
    slow.close()
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="sends POSIX signals")
def test_ctrl_c_again_and_again_does_not_leave_the_thread_behind() -> None:
    done = subprocess.run([sys.executable, "-c", IMPATIENT], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == ["interrupted", "ended", "closed"]

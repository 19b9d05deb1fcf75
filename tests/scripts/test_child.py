"""A child process that takes long: what is seen of it, and how it ends."""

import io
import os
import sys
from pathlib import Path

import psutil
import pytest

from scripts import child


class Terminal(io.StringIO):
    """A terminal that remembers all that was ever written to it."""

    def isatty(self) -> bool:
        return True


def python(program: str) -> list[str]:
    return [sys.executable, "-c", program]


def test_a_childs_output_goes_to_the_log_and_its_status_comes_back(tmp_path: Path) -> None:
    log = tmp_path / "log"
    program = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"
    assert child.run(python(program), "working", log, out=io.StringIO()) == 3
    assert sorted(child.tail(log).split()) == ["err", "out"]


def test_where_there_is_no_terminal_a_line_comes_at_once_and_then_now_and_then() -> None:
    out = io.StringIO()
    progress = child.Progress("compiling", out, line_every=30)
    for second in range(95):
        progress.at(second, "")
    progress.end(95)
    assert out.getvalue().splitlines() == [
        "  compiling: 0 s",
        "  compiling: 30 s",
        "  compiling: 1 min 00 s",
        "  compiling: 1 min 30 s",
    ]


def test_a_new_kind_of_news_is_said_at_once_but_not_each_new_number() -> None:
    out = io.StringIO()
    progress = child.Progress("installing", out, line_every=30)
    for second, detail in enumerate(["", "compiling 1 of 9", "compiling 2 of 9", "", "compiling 3 of 9"]):
        progress.at(second, detail)
    assert out.getvalue().splitlines() == ["  installing: 0 s", "  installing: 1 s, compiling 1 of 9"]


def test_a_terminal_sees_one_line_that_changes_and_stays() -> None:
    out = Terminal()
    progress = child.Progress("installing", out, line_every=30)
    progress.at(0, "")
    progress.at(1, "half")
    progress.end(2)
    assert out.getvalue().count("\n") == 1
    assert out.getvalue().endswith("\r\x1b[K  installing: 2 s\n")


def test_a_child_ends_with_the_one_who_waits_for_it_and_so_does_what_it_started(tmp_path: Path) -> None:
    started: list[psutil.Process] = []
    waits = "import os, threading; print(os.getpid(), flush=True); threading.Event().wait()"
    starts_another = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {waits!r}])"

    def stop_when_all_are_there(log: str) -> str:
        if log.endswith("\n"):
            started.append(psutil.Process(int(log)))
            raise KeyboardInterrupt
        return ""

    with pytest.raises(KeyboardInterrupt):
        child.run(
            python(starts_another), "waiting", tmp_path / "log", describe=stop_when_all_are_there, out=io.StringIO()
        )
    _, alive = psutil.wait_procs(started, timeout=60)
    assert started
    assert alive == []


def test_a_lock_is_held_by_the_child_too(tmp_path: Path) -> None:
    lock = os.open(tmp_path, os.O_RDONLY)
    program = f"import os; os.fstat({lock})"
    assert child.run(python(program), "looking", tmp_path / "log", out=io.StringIO()) == 1
    assert child.run(python(program), "looking", tmp_path / "log", out=io.StringIO(), keep=(lock,)) == 0
    os.close(lock)


def test_only_the_end_of_a_long_log_is_read(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("early\n" * 10_000 + "late\n")
    assert child.tail(log, 11) == "early\nlate\n"


@pytest.mark.parametrize(("seconds", "said"), [(0.4, "0 s"), (59.9, "59 s"), (185, "3 min 05 s")])
def test_a_length_of_time_is_said_in_minutes_and_seconds(seconds: float, said: str) -> None:
    assert child.duration(seconds) == said

"""In a group with little memory a large window of tokens is refused; where the kernel ends the program, all is kept."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.cgroups import MemoryGroup, memory_group
from tests.desktop.guided_window import GuidedWindow, guided_window
from tests.gguf_files import write_tiny_model

pytestmark = pytest.mark.long

A_MILLION = 1 << 20
AMPLE = 4000  # megabytes
SPARE = 200
INTERRUPTED = "Headwater closed while a reply was being written. What was there is kept, and marked."
EATER = 'import sys; b"x" * (int(sys.argv[1]) << 20)'


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return write_tiny_model(tmp_path_factory.mktemp("models") / "tiny.gguf", context_length=A_MILLION)


def die_in_mid_reply(window: GuidedWindow, group: MemoryGroup, question: str) -> None:
    """Have the kernel end it for the memory that another process of its group takes."""
    window.do("send", question)
    window.until("grew")
    window.process.send_signal(signal.SIGSTOP)  # or the reply would be at its end before the memory is
    Path(f"/proc/{window.process.pid}/oom_score_adj").write_text("1000")  # it, and not the one that takes them
    before = group.kills
    group.limit(group.used() + SPARE)
    subprocess.run([*group.before, sys.executable, "-c", EATER, str(SPARE + 20)], check=True, timeout=60)
    assert window.process.wait(30) == -signal.SIGKILL
    assert group.kills == before + 1
    group.limit(AMPLE)


def turns_in(folder: Path) -> list[tuple[str, str, str]]:
    with closing(sqlite3.connect(folder / "data" / "conversations.sqlite3")) as connection:
        return connection.execute("SELECT role, content, state FROM turns ORDER BY id").fetchall()


def test_a_window_of_tokens_that_the_group_has_no_memory_for_is_refused_in_a_sentence(tmp_path, tiny):
    with memory_group("refused") as group:
        group.limit(AMPLE)
        with guided_window(tmp_path, tiny, before=group.before) as window:
            assert window.until("model")[0] == "ready"
            group.limit(group.used() + SPARE)
            window.do("choose", str(tiny), A_MILLION)
            phase, error, sizes = window.until("model")
            assert phase == "failed"
            assert "does not fit into memory with a context window of 1,048,576 tokens" in error
            assert sizes == [A_MILLION // 2]
            group.limit(AMPLE)
            window.do("choose", str(tiny), 1024)
            assert window.until("model")[:2] == ["ready", ""]
            answer = window.answer_to("Why?")
            assert window.close() == 0
        assert group.kills == 0
    assert turns_in(tmp_path) == [("user", "Why?", "complete"), ("assistant", answer, "complete")]


@pytest.mark.timeout(180)
def test_a_program_that_the_kernel_ends_in_mid_reply_says_so_and_the_second_time_loads_nothing(tmp_path, tiny):
    with memory_group("ended") as group:
        group.limit(AMPLE)
        with guided_window(tmp_path, tiny, before=group.before) as window:
            assert window.until("model")[0] == "ready"
            window.do("choose", str(tiny), 1024)  # as somebody who wants it the next time, too
            assert window.until("model")[0] == "ready"
            answer = window.answer_to("First?")
            die_in_mid_reply(window, group, "Second?")
        said = [["First?", "complete"], [answer, "complete"], ["Second?", "complete"]]
        with guided_window(tmp_path, before=group.before) as window:
            assert window.until("model")[0] == "ready"
            assert INTERRUPTED in window.ask("notices", kind="notices")
            *before, (_, state) = window.ask("turns", kind="turns")
            assert (before, state) == (said, "interrupted")
            die_in_mid_reply(window, group, "Third?")
        with guided_window(tmp_path, before=group.before) as window:
            window.until("begun")
            notices = window.ask("notices", kind="notices")
            assert INTERRUPTED in notices
            assert "tiny was not loaded: Headwater ended twice in a row while it was at work." in notices
            turns = window.ask("turns", kind="turns")
            assert turns[:3] == said
            assert turns[4] == ["Third?", "complete"]
            assert [state for _, state in turns[3::2]] == ["interrupted", "interrupted"]
            assert window.close() == 0
    assert [[content, state] for _, content, state in turns_in(tmp_path)] == turns

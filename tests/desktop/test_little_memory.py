"""With too little memory nothing is lost and nothing hangs: a sentence says so, and what goes on, goes on."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing

import psutil
import pytest

from tests.desktop.guided_window import GuidedWindow, guided_window
from tests.gguf_files import write_tiny_model

resource = pytest.importorskip("resource")
pytestmark = pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="needs limits that can be set from outside")

A_MILLION = 1 << 20
MEGABYTE = 1 << 20


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return write_tiny_model(tmp_path_factory.mktemp("models") / "tiny.gguf", context_length=A_MILLION)


@pytest.fixture(scope="module")
def huge(tmp_path_factory):
    """A model file that takes more than there is: all of it would be mapped."""
    path = write_tiny_model(tmp_path_factory.mktemp("models") / "huge.gguf", context_length=512)
    os.truncate(path, 4096 * MEGABYTE)
    return path


def limited(megabytes: int) -> tuple[str, ...]:
    return ("sh", "-c", f'ulimit -S -v {megabytes * 1024}; exec "$@"', "sh")


def limit(window: GuidedWindow, spare: int | None) -> None:
    """Let the living process have so many megabytes more than it has now; all it wants without."""
    used = psutil.Process(window.process.pid).memory_info().vms
    soft = resource.RLIM_INFINITY if spare is None else used + spare * MEGABYTE
    resource.prlimit(window.process.pid, resource.RLIMIT_AS, (soft, resource.RLIM_INFINITY))


def assert_whole(window: GuidedWindow, folder, said: list[list[str]]) -> None:
    """It ends as always, and everything that was said is kept."""
    assert window.close() == 0
    assert "Nobody foresaw" not in window.errors
    assert "Traceback" not in window.errors
    with closing(sqlite3.connect(folder / "data" / "conversations.sqlite3")) as connection:
        kept = connection.execute("SELECT content, state FROM turns ORDER BY id").fetchall()
    assert [list(row) for row in kept] == said


@pytest.mark.parametrize("megabytes", [150, 250])
def test_where_there_is_too_little_for_a_window_the_program_says_so_and_ends(tmp_path, megabytes):
    with guided_window(tmp_path, before=limited(megabytes)) as window:
        assert window.process.wait(30) == 1
        words = "There is too little memory to start. Close other programs, then try again."
        assert window.errors == f"headwater: {words}\n"


@pytest.mark.long
@pytest.mark.parametrize("megabytes", [330, 420, 560])
def test_a_window_that_has_no_memory_for_a_model_says_so_and_goes_on_when_there_is(tmp_path, tiny, megabytes):
    """Where the limit strikes differs: threads, libraries, or the model itself."""
    with guided_window(tmp_path, tiny, before=limited(megabytes)) as window:
        phase, error, _ = window.until("model")
        if phase == "failed":
            assert "memory" in error
            assert any("memory" in text for text in window.ask("notices", kind="notices"))
        limit(window, None)
        window.do("choose", str(tiny), 1024)
        while phase != "ready":
            phase, *_ = window.until("model")
        answer = window.answer_to("Why?")
        assert_whole(window, tmp_path, [["Why?", "complete"], [answer, "complete"]])


@pytest.mark.long
def test_a_window_of_tokens_that_does_not_fit_is_offered_smaller_until_it_does(tmp_path, tiny):
    with guided_window(tmp_path, tiny) as window:
        assert window.until("model")[0] == "ready"
        first = window.answer_to("Why?")
        limit(window, 300)
        window.do("choose", str(tiny), A_MILLION)
        phase, error, sizes = window.until("model")
        assert phase == "failed"
        assert "does not fit into memory with a context window of 1,048,576 tokens" in error
        assert sizes == [A_MILLION // 2]
        assert error in window.ask("notices", kind="notices")
        while phase == "failed":
            assert sizes, error
            window.do("go")
            phase, error, sizes = window.until("model")
        second = window.answer_to("And now?")
        said = [["Why?", "complete"], [first, "complete"], ["And now?", "complete"], [second, "complete"]]
        assert window.ask("turns", kind="turns") == said
        assert_whole(window, tmp_path, said)


@pytest.mark.long
def test_memory_that_is_taken_away_in_mid_reply_costs_no_word_and_a_model_too_large_is_refused(tmp_path, tiny, huge):
    with guided_window(tmp_path, tiny) as window:
        assert window.until("model")[0] == "ready"
        window.do("send", "Why?")
        window.until("grew")
        limit(window, 300)
        state, first, _ = window.until("turn")
        assert state == "complete"
        window.do("choose", str(huge), 512)
        phase, error, sizes = window.until("model")
        assert (phase, sizes) == ("failed", [])
        assert error == (
            "huge.gguf does not fit into memory. Choose a smaller model, or close other programs and try again."
        )
        window.do("choose", str(tiny), 8_192)
        phase, error, sizes = window.until("model")
        assert phase == "ready", (error, sizes)
        second = window.answer_to("And now?")
        said = [["Why?", "complete"], [first, "complete"], ["And now?", "complete"], [second, "complete"]]
        assert_whole(window, tmp_path, said)

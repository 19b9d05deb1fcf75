"""In a group with little memory a large window of tokens is refused in a sentence, and what was said is kept."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.cgroups import memory_group
from tests.desktop.guided_window import guided_window
from tests.gguf_files import write_tiny_model

pytestmark = pytest.mark.long

A_MILLION = 1 << 20
AMPLE = 4000  # megabytes
SPARE = 200


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return write_tiny_model(tmp_path_factory.mktemp("models") / "tiny.gguf", context_length=A_MILLION)


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
            assert sizes[0] == A_MILLION // 2
            group.limit(AMPLE)
            window.do("choose", str(tiny), 1024)
            assert window.until("model")[:2] == ["ready", ""]
            answer = window.answer_to("Why?")
            assert window.close() == 0
        assert group.kills == 0
    assert turns_in(tmp_path) == [("user", "Why?", "complete"), ("assistant", answer, "complete")]

"""Files are read one after the other, on another thread, and nobody waits for one that is no longer wanted."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.file_reader import FileRead, FileReader
from desktop.turns import Attachment

PATIENCE = 20.0


@pytest.fixture
def said():
    return queue.Queue()


@pytest.fixture
def reader(said):
    reader = FileReader(said.put)
    yield reader
    reader.close()


def test_each_file_is_answered_for_in_order(reader, said, tmp_path):
    (tmp_path / "a.txt").write_text("text")
    (tmp_path / "b.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    reader.read(1, tmp_path / "a.txt")
    reader.read(2, tmp_path / "b.png")
    assert said.get(timeout=PATIENCE) == FileRead(1, Attachment("a.txt", "txt", 4, "text"))
    assert said.get(timeout=PATIENCE) == FileRead(2, None, "b.png is a picture; only text can be read.")


def test_a_fault_of_our_own_is_told_and_the_next_file_is_read(said, tmp_path, faults):
    def read_or_break(path: Path, _unwanted: Callable[[], bool]) -> Attachment:
        if path.name == "a.txt":
            raise RuntimeError("nobody foresaw this")
        return Attachment("b.txt", "txt", 4, "text")

    reader = FileReader(said.put, read_or_break)
    reader.read(1, tmp_path / "a.txt")
    reader.read(2, tmp_path / "b.txt")
    assert said.get(timeout=PATIENCE) == FileRead(1, None, "a.txt could not be read: a fault of Headwater's own.")
    assert said.get(timeout=PATIENCE) == FileRead(2, Attachment("b.txt", "txt", 4, "text"))
    assert [str(fault) for fault in faults] == ["nobody foresaw this"]
    reader.close()


def test_one_that_was_dropped_is_not_answered_for(said, tmp_path):
    (tmp_path / "a.txt").write_text("text")
    (tmp_path / "b.txt").write_text("more")
    reached, may_go_on = threading.Event(), threading.Event()

    def say(read: FileRead) -> None:
        said.put(read)
        reached.set()
        assert may_go_on.wait(PATIENCE)

    reader = FileReader(say)
    reader.read(1, tmp_path / "a.txt")
    assert reached.wait(PATIENCE)
    reader.read(2, tmp_path / "a.txt")
    reader.read(3, tmp_path / "b.txt")
    reader.drop(2)
    may_go_on.set()
    assert [said.get(timeout=PATIENCE).ticket for _ in range(2)] == [1, 3]
    reader.close()


def test_closed_it_answers_no_more(reader, said, tmp_path):
    reader.close()
    reader.read(1, tmp_path / "a.txt")
    assert said.empty()

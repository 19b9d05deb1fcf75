"""What is kept is its owner's alone, whatever the system would let others do with new files."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from inference.llama.log import LogFile
from inference.own_files import make_own_folder, replace_own

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there a folder's own list says who may")


@pytest.fixture(autouse=True)
def _a_system_that_lets_everybody_read_and_write():
    before = os.umask(0)
    yield
    os.umask(before)


def test_a_text_takes_the_place_of_another_and_is_its_owners(tmp_path):
    path = tmp_path / "own" / "text.json"
    make_own_folder(path.parent)
    for text in ("one", "two\udc80"):
        replace_own(path, text, errors="surrogateescape")
    assert path.read_bytes() == b"two\x80"
    assert [each.name for each in path.parent.iterdir()] == ["text.json"]
    assert {stat.S_IMODE(each.stat().st_mode) for each in (path.parent, path)} == {0o700, 0o600}


def test_so_are_what_llama_cpp_says_and_those_before_it(tmp_path):
    log = LogFile(tmp_path / "log" / "llama.log", size=100)
    for number in range(20):
        log.write(2, f"line {number}")
    log.close()
    kept = sorted((tmp_path / "log").iterdir())
    assert len(kept) == 3
    assert {stat.S_IMODE(path.stat().st_mode) for path in kept} == {0o600}


def test_no_other_module_says_by_itself_who_may_open_a_file():
    root = Path(__file__).parents[2]
    modules = [path for folder in ("desktop", "inference") for path in (root / folder).rglob("*.py")]
    assert [path.name for path in modules if "0o600" in path.read_text(encoding="utf-8")] == ["own_files.py"]

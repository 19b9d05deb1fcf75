"""What is kept is its owner's alone, whatever the system would let others do with new files."""

from __future__ import annotations

import os
import re
import stat
import sys
from pathlib import Path

import psutil
import pytest

from inference.llama.log import LogFile
from inference.own_files import (
    NoOrdinaryFile,
    check_ordinary,
    make_own_folder,
    open_own,
    read_own,
    replace_own,
)
from tests.odd_places import ODD, put

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there a folder's own list says who may")


@pytest.fixture(autouse=True)
def _a_system_that_lets_everybody_read_and_write():
    before = os.umask(0)
    yield
    os.umask(before)


def test_a_text_takes_the_place_of_another_and_is_its_owners(tmp_path):
    path = tmp_path / "all" / "own" / "text.json"
    make_own_folder(path.parent)
    for text in ("one", "two\udc80"):
        replace_own(path, text, errors="surrogateescape")
    assert path.read_bytes() == b"two\x80"
    assert [each.name for each in path.parent.iterdir()] == ["text.json"]
    modes = [stat.S_IMODE(each.stat().st_mode) for each in (path.parent.parent, path.parent, path)]
    assert modes == [0o700, 0o700, 0o600]


def test_a_folder_that_is_there_is_left_as_it_is_and_a_file_in_its_place_is_said(tmp_path):
    (tmp_path / "others").mkdir(mode=0o755)
    make_own_folder(tmp_path / "others")
    assert stat.S_IMODE((tmp_path / "others").stat().st_mode) == 0o755
    (tmp_path / "file").touch()
    for path in (tmp_path / "file", tmp_path / "file" / "folder"):
        with pytest.raises(OSError, match="file"):
            make_own_folder(path)


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


@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize("mode", ["rb", "wb", "ab", "r+b", "xb"])
def test_what_is_no_ordinary_file_is_refused_at_once_and_stays(tmp_path, kind, mode):
    path = tmp_path / "settings.toml"
    put(kind, path)
    before = path.lstat()
    files = psutil.Process().num_fds()
    with pytest.raises(
        OSError, match="exists" if mode == "xb" else "settings.toml should be an ordinary file"
    ) as refused:
        open(path, mode, opener=open_own).close()
    assert refused.value.filename == str(path)
    assert isinstance(refused.value, NoOrdinaryFile) is (mode != "xb")
    assert path.lstat() == before
    assert psutil.Process().num_fds() == files


@pytest.mark.parametrize("kind", ODD)
def test_whether_it_is_one_is_told_without_opening_it(tmp_path, kind):
    path = tmp_path / "log"
    check_ordinary(path)
    path.write_text("one")
    check_ordinary(path)
    path.unlink()
    put(kind, path)
    with pytest.raises(NoOrdinaryFile, match="log should be an ordinary file"):
        check_ordinary(path)


def test_no_more_of_a_file_is_read_than_it_may_hold(tmp_path):
    (tmp_path / "file").write_bytes(b"12345")
    assert read_own(tmp_path / "file", 3) == b"123"
    with pytest.raises(FileNotFoundError):
        read_own(tmp_path / "none", 3)


@pytest.mark.parametrize("below", ["", "below", "below/further"])
@pytest.mark.parametrize("kind", ["file", "link to nothing", *(kind for kind in ODD if kind != "folder")])
def test_what_is_in_the_place_of_a_folder_is_named(tmp_path, kind, below):
    path = tmp_path / "locks"
    if kind == "link to nothing":
        path.symlink_to("nothing")
    else:
        put(kind, path)
    with pytest.raises(NotADirectoryError) as refused:
        make_own_folder(path / below)
    assert refused.value.strerror == f"{path} should be a folder"


def test_what_a_writer_that_was_ended_left_is_gone_with_the_next_text(tmp_path):
    path = tmp_path / "text.json"
    left, fresh, other = (tmp_path / name for name in ("text.json.00.new", "text.json.01.new", "other.json.00.new"))
    for each in (left, fresh, other):
        each.write_text("half")
    for each in (left, other):
        os.utime(each, (0, 0))
    replace_own(path, "whole", for_good=True)
    assert {each.name for each in tmp_path.iterdir()} == {path.name, fresh.name, other.name}
    assert path.read_text() == "whole"


def test_a_text_that_cannot_take_its_place_leaves_nothing(tmp_path):
    (tmp_path / "text.json").mkdir()
    with pytest.raises(OSError, match="directory"):
        replace_own(tmp_path / "text.json", "whole")
    assert [each.name for each in tmp_path.iterdir()] == ["text.json"]


# Modules that open files of others, or of the program itself; what each of them does about a pipe is its own.
OF_OTHERS = {
    "desktop/attachments.py",
    "desktop/documents.py",
    "desktop/exchange/reading.py",
    "desktop/library.py",
    "desktop/licences.py",
    "desktop/widgets/plot.py",
    "desktop/widgets/result_export.py",
    "inference/__main__.py",
    "inference/file_guard.py",
    "inference/gguf_header.py",
    "inference/hub/fetch.py",
    "inference/llama/__init__.py",
    "inference/machine.py",
    "inference/model_names.py",
    "inference/processor.py",
}
# Streams of the process; and where all others of its own files are opened.
OF_THE_PROCESS = {"desktop/__main__.py", "inference/own_files.py"}
OPENED = re.compile(r"""\bos\.open\(|\.open\("|(?<!def )(?<![.\w])open\(\w|\.(read|write)_(text|bytes)\(""")


def test_the_programs_own_files_are_opened_in_one_way_alone():
    root = Path(__file__).parents[2]
    found = {
        path.relative_to(root).as_posix()
        for folder in ("desktop", "inference")
        for path in (root / folder).rglob("*.py")
        for line in path.read_text("utf-8").splitlines()
        if OPENED.search(line) and "opener=open_own" not in line
    }
    assert found == OF_OTHERS | OF_THE_PROCESS


@pytest.mark.parametrize("kind", ODD)
def test_where_the_log_cannot_be_written_nothing_is(tmp_path, kind):
    put(kind, tmp_path / "llama.log")
    log = LogFile(tmp_path / "llama.log")
    log.write(2, "line")
    log.close()

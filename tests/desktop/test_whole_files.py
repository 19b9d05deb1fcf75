"""What is written is there whole under its name, or what was there before is."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop.whole_files import whole_file


def test_until_it_is_whole_the_old_one_is_there(tmp_path):
    path = tmp_path / "kept.json"
    path.write_text("old")
    with whole_file(path) as half:
        assert half.suffix == ".json"
        half.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_what_fails_half_way_leaves_the_old_one_and_nothing_else(tmp_path):
    path = tmp_path / "kept.json"
    path.write_text("old")
    with pytest.raises(OSError, match="full"):
        fail_half_way(path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_where_nothing_was_written_that_is_said(tmp_path):
    with pytest.raises(OSError, match="No such file"), whole_file(tmp_path / "kept.png"):
        pass


def fail_half_way(path: Path) -> None:
    with whole_file(path) as half:
        half.write_text("ne")
        raise OSError("full")

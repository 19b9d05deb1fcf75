"""What the program keeps is deleted, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop.deletion import delete_files


def write(*paths: Path) -> None:
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")


def test_files_go_with_what_stands_beside_them_and_their_folder_where_it_is_empty(tmp_path):
    data, states = tmp_path / "data", tmp_path / "cache" / "kv-states"
    write(data / "c.sqlite3", data / "c.sqlite3-wal", data / "c.sqlite3.backup-1", states / "a.kvstate")
    assert delete_files([data / "c.sqlite3"], [states]) == ()
    assert list(tmp_path.iterdir()) == []


def test_what_is_somebodys_own_stays(tmp_path):
    own = tmp_path / "conversations.json"
    write(own, tmp_path / "conversations.sqlite3", tmp_path / "models" / "a.gguf")
    delete_files([tmp_path / "conversations.sqlite3"], [])
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a.gguf", "conversations.json", "models"]


def test_what_is_not_there_is_no_failure(tmp_path):
    assert delete_files([tmp_path / "nowhere" / "a"], [tmp_path / "nothing"]) == ()


def test_what_cannot_be_deleted_is_named(tmp_path, monkeypatch):
    write(tmp_path / "a")

    def refuse(_: Path) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "unlink", refuse)
    assert delete_files([tmp_path / "a"], []) == (tmp_path / "a",)


@pytest.mark.parametrize("name", ["a", "b"])
def test_deleting_twice_is_fine(tmp_path, name):
    write(tmp_path / "data" / name)
    for _ in range(2):
        assert delete_files([tmp_path / "data" / name], []) == ()

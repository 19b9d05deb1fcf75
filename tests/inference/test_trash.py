from __future__ import annotations

import time
from pathlib import Path

import pytest

from inference.errors import InvalidRequest
from inference.hub_errors import FolderRefused
from inference.shelf import TRASH, ShelfFolder, ShelfModel, ShelfSource, find_models
from inference.trash import bring_back, empty_trash, throw_away, throw_out


def put(path: Path, data: bytes = b"GGUF") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def models(folder: Path, source: ShelfSource = ShelfSource.OURS) -> tuple[ShelfModel, ...]:
    return find_models([ShelfFolder(folder, source)])


def test_what_was_thrown_away_is_out_of_sight_and_comes_back_as_it_was(tmp_path):
    parts = [put(tmp_path / f"maker/repo/big-0000{number}-of-00002.gguf", bytes([number])) for number in (1, 2)]
    (model,) = models(tmp_path)
    thrown = throw_away(model, tmp_path)
    assert models(tmp_path) == ()
    assert not (tmp_path / "maker").exists(), "empty folders go along"
    assert thrown.size == 2
    bring_back(thrown)
    assert [part.read_bytes() for part in parts] == [b"\x01", b"\x02"]
    assert not (tmp_path / TRASH).exists()


def test_what_was_thrown_away_before_the_clock_was_set_back_does_not_stay_for_years(tmp_path):
    put(tmp_path / "a.gguf")
    (model,) = models(tmp_path)
    place = throw_away(model, tmp_path).place
    place.rename(place.with_name(f"{int(time.time()) + 10**8}-ab"))
    empty_trash(tmp_path)
    assert not (tmp_path / TRASH).exists()


def test_thrown_out_it_is_gone(tmp_path):
    put(tmp_path / "a.gguf")
    put(tmp_path / "b.gguf")
    first, second = (throw_away(model, tmp_path) for model in models(tmp_path))
    throw_out(first)
    assert second.place.exists()
    throw_out(second)
    assert list(tmp_path.iterdir()) == []


def test_only_what_is_headwaters_own_is_thrown_away(tmp_path):
    put(tmp_path / "theirs/a.gguf")
    put(tmp_path / "elsewhere/b.gguf")
    (theirs,) = models(tmp_path / "theirs", ShelfSource.LM_STUDIO)
    (elsewhere,) = models(tmp_path / "elsewhere")
    for model in (theirs, elsewhere):
        with pytest.raises(InvalidRequest):
            throw_away(model, tmp_path / "ours")
    assert theirs.path.exists()


def test_what_took_its_place_meanwhile_is_not_written_over(tmp_path):
    path = put(tmp_path / "a.gguf", b"old")
    (model,) = models(tmp_path)
    thrown = throw_away(model, tmp_path)
    path.write_bytes(b"new")
    with pytest.raises(FolderRefused):
        bring_back(thrown)
    assert path.read_bytes() == b"new"


def test_what_nobody_wanted_back_for_long_is_deleted(tmp_path):
    old = put(tmp_path / TRASH / f"{int(time.time()) - 10_000}-abc/x.gguf")
    new = put(tmp_path / TRASH / f"{int(time.time())}-def/y.gguf")
    empty_trash(tmp_path)
    assert (old.exists(), new.exists()) == (False, True)
    empty_trash(tmp_path / "none")

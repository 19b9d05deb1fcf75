from __future__ import annotations

from pathlib import Path
from threading import Event

import pytest

from inference.errors import ModelUnreadable
from inference.hub.fetch import FetchStopped
from inference.hub.verification import Verdict, VerdictKind, origin_of_file, verify
from tests.gguf_files import write_tiny_model

REPO = "maker/small-GGUF"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / REPO).mkdir(parents=True)
    return tmp_path


def verdict_of(path: Path, folder: Path, session) -> Verdict:
    *steps, (_, _, verdict) = verify(path, folder, session)
    assert [step[2] for step in steps] == [None] * len(steps)
    assert verdict is not None
    return verdict


def test_a_model_in_parts_is_checked_whole(hub, open_session, folder):
    first = write_tiny_model(folder / REPO / "tiny.gguf", tensors_per_part=8)
    parts = sorted((folder / REPO).glob("*.gguf"))
    assert len(parts) > 1
    hub.add(REPO, {part.name: part.read_bytes() for part in parts})
    session = open_session(hub)
    assert verdict_of(first, folder, session).kind is VerdictKind.MATCHES
    data = bytearray(parts[-1].read_bytes())
    data[-1] ^= 1
    parts[-1].write_bytes(data)
    assert verdict_of(first, folder, session).kind is VerdictKind.DIFFERS


def test_where_the_hub_cannot_be_asked_the_header_was_checked_all_the_same(hub, open_session, folder):
    path = write_tiny_model(folder / REPO / "tiny.gguf")
    hub.close()
    verdict = verdict_of(path, folder, open_session(hub))
    assert verdict.kind is VerdictKind.UNKNOWN
    assert "cannot be reached" in verdict.why
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ModelUnreadable):
        verdict_of(path, folder, open_session(hub))


def test_folders_that_no_repository_could_be_called_after_are_no_hindrance(hub, open_session, folder):
    (folder / "My models/the best").mkdir(parents=True)
    path = write_tiny_model(folder / "My models/the best/tiny.gguf")
    assert verdict_of(path, folder, open_session(hub)).kind is VerdictKind.UNKNOWN


def test_it_can_be_stopped(hub, open_session, folder):
    path = write_tiny_model(folder / "mine.gguf")
    stop = Event()
    stop.set()
    with pytest.raises(FetchStopped):
        list(verify(path, folder, open_session(hub), stop))


def test_where_a_file_came_from_is_told_by_its_place(tmp_path):
    assert origin_of_file(tmp_path / "a/b/c/d.gguf", tmp_path) == ("a/b", "c/d.gguf")
    assert origin_of_file(tmp_path / "d.gguf", tmp_path / "models") is None
    cached = tmp_path / "models--a--b-c/snapshots/123/sub/d.gguf"
    assert origin_of_file(cached, tmp_path / "models") == ("a/b-c", "sub/d.gguf")

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from inference.errors import InvalidRequest, ModelUnreadable
from inference.hub_errors import HubOffline, NotOnHub
from inference.model_commands import Surroundings, add_models_options, models
from tests.gguf_files import write_tiny_model
from tests.hub_server import HubServer, hub_server

REPO = "maker/small-GGUF"


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[HubServer]:
    with hub_server() as server:
        tiny = write_tiny_model(tmp_path / "tiny.gguf").read_bytes()
        server.add(REPO, {"small-Q4_K_M.gguf": tiny, "small-Q8_0.gguf": tiny + b"more"}, downloads=1234)
        yield server


@pytest.fixture
def around(hub: HubServer, tmp_path: Path) -> Surroundings:
    return Surroundings({"HF_ENDPOINT": hub.address}, tmp_path / "home", tmp_path / "models")


def do(around: Surroundings, *words: str, told: list[str] | None = None) -> str:
    parser = argparse.ArgumentParser()
    add_models_options(parser)
    return models(parser.parse_intermixed_args(words), around, (told if told is not None else []).append)


def test_models_of_this_disk_are_listed_with_what_they_say(around):
    do(around, "get", REPO)
    listed = do(around)
    assert "small-Q4_K_M" in listed
    assert "1,024" in listed, "the context it learned"
    rows = json.loads(do(around, "--json"))["models"]
    row = next(row for row in rows if row["name"] == "small-Q4_K_M")
    assert (row["source"], row["architecture"], row["quantisation"]) == ("ours", "llama", "F32")
    assert row["memory_needed"] > row["size"]


def test_models_of_this_disk_are_listed_whatever_the_hubs_address_is(around):
    there = replace(around, environment={"HF_ENDPOINT": "no address"})
    around.folder.mkdir()
    write_tiny_model(around.folder / "mine.gguf")
    assert "mine" in do(there)
    with pytest.raises(InvalidRequest):
        do(there, "search", "small")


def test_a_search_lists_repositories(around):
    assert REPO in do(around, "search", "small")
    assert json.loads(do(around, "search", "small", "--json"))["repositories"][0]["downloads"] == 1234
    assert do(around, "search", "nothing of that name") == "Nothing found."


def test_a_model_is_fetched_and_said_where_it_is(around):
    told: list[str] = []
    path = Path(do(around, "get", f"{REPO}:Q8_0", told=told))
    assert path == around.folder / "maker/small-GGUF/small-Q8_0.gguf"
    assert path.read_bytes().endswith(b"more")
    assert told[-1].startswith("100%")
    assert json.loads(do(around, "get", f"{REPO}:small-Q8_0.gguf", "--json"))["path"] == str(path)


def test_what_is_not_there_is_said(around):
    with pytest.raises(NotOnHub):
        do(around, "get", "maker/none")


def test_a_file_is_verified_against_the_hub(around):
    path = Path(do(around, "get", REPO))
    assert do(around, "verify", str(path)).startswith("small-Q4_K_M.gguf is whole")
    with path.open("r+b") as file:
        file.seek(-1, 2)
        last = file.read(1)
        file.seek(-1, 2)
        file.write(bytes([last[0] ^ 1]))
    assert "Download it again" in do(around, "verify", str(path))
    assert json.loads(do(around, "verify", str(path), "--json"))["verdict"] == "differs"


def test_a_file_of_the_hubs_cache_is_known_by_its_place(around, tmp_path):
    path = Path(do(around, "get", REPO))
    cached = tmp_path / "home/.cache/huggingface/hub/models--maker--small-GGUF/snapshots/abc/small-Q4_K_M.gguf"
    cached.parent.mkdir(parents=True)
    path.rename(cached)
    assert "is whole" in do(around, "verify", str(cached))


def test_a_file_from_elsewhere_has_its_header_checked(around, tmp_path):
    words = do(around, "verify", str(write_tiny_model(tmp_path / "mine.gguf")))
    assert "is not known" in words
    assert "sha256 " in words
    (tmp_path / "cut.gguf").write_bytes((tmp_path / "mine.gguf").read_bytes()[:-100])
    with pytest.raises(ModelUnreadable):
        do(around, "verify", str(tmp_path / "cut.gguf"))


def test_offline_what_is_here_is_listed_and_what_is_not_is_not_asked_for(around, hub):
    offline = Surroundings({**around.environment, "HF_HUB_OFFLINE": "1"}, around.home, around.folder)
    assert "SmolLM2" in do(offline)
    with pytest.raises(HubOffline):
        do(offline, "search", "small")
    assert not hub.requests

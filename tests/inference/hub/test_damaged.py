"""Whatever comes in the place of a value of the Hub's, what is made of it is of its types, or there is a sentence."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TypeVar

import pytest
from hypothesis import given, settings

from inference.errors import InferenceError
from inference.hub import Hub, HubAccess, HubModel, HubRepo, HubSession
from inference.hub.files import is_inside
from inference.hub.links import is_repo
from inference.hub_errors import HubError
from tests.deep_types import assert_of_its_types
from tests.hub_server import COMMIT, HubServer, hub_server
from tests.odd_values import damaged

_Found = TypeVar("_Found")

REPO = {
    "id": "maker/small-GGUF",
    "downloads": 10,
    "likes": 5,
    "lastModified": "2026-01-02T03:04:05.000Z",
    "gated": False,
    "private": False,
    "tags": ["gguf", "license:apache-2.0", "en"],
    "pipeline_tag": "text-generation",
    "sha": COMMIT,
    "gguf": {"total": 135, "architecture": "llama", "context_length": 2048},
    "cardData": {"license": "apache-2.0"},
}
OTHER = {**REPO, "id": "maker/other-GGUF"}
FILES = [
    {
        "type": "file",
        "path": f"small-{quantisation}.gguf",
        "size": 4,
        "oid": "0" * 40,
        "lfs": {"oid": "a" * 64, "size": 4, "pointerSize": 134},
    }
    for quantisation in ("Q4_K_M", "Q8_0")
]


@pytest.fixture(scope="module")
def asked() -> Iterator[tuple[HubServer, Hub]]:
    with hub_server() as server:
        session = HubSession(HubAccess(server.address))
        yield server, Hub(session)
        session.close()


def answered(server: HubServer, document: object, ask: Callable[[], _Found]) -> _Found | None:
    """What comes of a question that is answered so; nothing where that is refused."""
    server.behaviour.answer = (json.dumps(document).encode(), {"Content-Type": "application/json"})
    try:
        return ask()
    except InferenceError as error:
        refusal = error
    assert isinstance(refusal, HubError)
    assert str(refusal).endswith(".")
    assert str(refusal).encode()
    return None


def assert_is_sound(repo: HubRepo) -> None:
    assert_of_its_types(repo)
    assert is_repo(repo.id)
    assert repr(repo).isprintable()
    assert repo.updated is None or repo.updated.astimezone().year > 1900
    assert json.dumps([repo.downloads, repo.likes, repo.parameters, repo.training_context]).count("9" * 17) == 0


@settings(max_examples=30)  # each over a connection of its own
@given(damaged([REPO, OTHER]))
def test_what_a_search_finds_is_of_its_types(asked, document: object) -> None:
    server, hub = asked
    found = answered(server, document, lambda: hub.search("small"))
    for repo in found or ():
        assert_is_sound(repo)


@pytest.mark.parametrize("name", ["id", "tags", "gguf", "sha", "likes", "gated", "pipeline_tag"])
@pytest.mark.parametrize("value", [None, 2**70, "../x", "\ud800", [[]], {"a": 1}])
def test_one_repository_that_makes_no_sense_does_not_hide_the_others(asked, name: str, value: object) -> None:
    server, hub = asked
    found = answered(server, [{**REPO, name: value}, OTHER], lambda: hub.search("small"))
    assert [repo.id for repo in found or ()][-1] == "maker/other-GGUF"


@settings(max_examples=30)  # each over a connection of its own
@given(damaged(REPO))
def test_so_is_what_is_said_of_one(asked, document: object) -> None:
    server, hub = asked
    found = answered(server, document, lambda: hub.repo("maker/small-GGUF"))
    if found is not None:
        assert_is_sound(found)


@settings(max_examples=30)  # each over a connection of its own
@given(damaged(FILES))
def test_so_are_its_files(asked, document: object) -> None:
    server, hub = asked
    found = answered(server, document, lambda: hub.models(HubRepo("maker/small-GGUF", commit=COMMIT)))
    for model in found or ():
        assert isinstance(model, HubModel)
        assert_of_its_types(model)
        assert all(is_inside(file.path) and 0 <= file.size <= 2**53 for file in model.files)

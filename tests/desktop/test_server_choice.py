"""A server is asked for its models."""

from __future__ import annotations

import pytest

from desktop.secrets import KeyPlace, Keys, KeysKept
from desktop.server_choice import ServerChoice, ServerPhase, ServerState
from inference import KeyRefused, NothingListens, RemoteModel
from tests.desktop.fakes import ScriptedEngine
from tests.desktop.test_secrets import Ring, Said

HERE = "http://127.0.0.1:8080/v1"


class Asking:
    def __init__(self) -> None:
        self.engine, self.ring, self.said = ScriptedEngine(), Ring(), Said()
        self.keys = Keys(self.said, environment={}, open_keyring=lambda: self.ring)
        self.servers = ServerChoice(self.engine, self.keys)
        self.engine.remote_listeners.append(self.servers.on_event)
        self.states: list[ServerState] = []
        self.servers.changed.connect(self.states.append)


@pytest.fixture
def asking(qapp):
    return Asking()


def test_a_server_is_asked_and_its_models_are_offered(asking):
    asking.servers.ask("http://127.0.0.1:8080")
    assert asking.engine.loads == [RemoteModel(HERE)]
    assert asking.servers.state.phase is ServerPhase.ASKING
    asking.engine.offer(RemoteModel(HERE, "a"), "a", "b")
    assert asking.servers.state == ServerState(ServerPhase.OFFERED, HERE, ("a", "b"))


@pytest.mark.parametrize(
    ("typed", "asked"),
    [
        ("localhost:8080", "http://localhost:8080/v1"),
        ("127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1"),
        (" example.org ", "https://example.org/v1"),
        ("http://example.org/v1/chat/completions", "http://example.org/v1"),
    ],
)
def test_an_address_is_taken_as_it_was_meant(asking, typed, asked):
    asking.servers.ask(typed)
    assert asking.engine.loads == [RemoteModel(asked)]


@pytest.mark.parametrize("typed", ["", "ftp://example.org", "http://me:secret@example.org", "http://?"])
def test_an_address_that_is_none_is_said_and_nothing_is_asked(asking, typed):
    asking.servers.ask(typed, "key")
    assert asking.servers.state.phase is ServerPhase.FAILED
    assert asking.servers.state.error
    assert "secret" not in asking.servers.state.error
    assert asking.engine.loads == []


def test_a_key_goes_along_and_is_kept_once_the_server_has_taken_it(asking):
    asking.servers.ask(HERE, " secret ")
    assert asking.keys.key_of(HERE) == "secret"
    assert asking.ring.keys == {}
    asking.engine.offer(RemoteModel(HERE, "a"))
    asking.servers.on_keys_kept(asking.said.next())
    assert list(asking.ring.keys.values()) == ["secret"]
    assert asking.servers.state.keys_kept is KeyPlace.KEYRING


def test_a_key_that_is_refused_is_not_kept_and_another_is_wanted(asking):
    asking.servers.ask(HERE, "wrong")
    asking.engine.fail_to_reach(RemoteModel(HERE), KeyRefused(HERE, 401, True))
    assert asking.servers.state.wants_key
    assert asking.ring.keys == {}


def test_a_server_that_does_not_answer_is_said(asking):
    error = NothingListens(HERE)
    asking.servers.ask(HERE)
    asking.engine.fail_to_reach(RemoteModel(HERE), error)
    assert asking.servers.state.error == str(error)
    assert not asking.servers.state.wants_key


def test_what_comes_after_somebody_began_anew_does_not_matter(asking):
    asking.servers.ask(HERE)
    asking.servers.begin()
    asking.engine.offer(RemoteModel(HERE, "a"))
    assert asking.servers.state.phase is ServerPhase.IDLE


def test_an_answer_of_another_server_does_not_matter(asking):
    asking.servers.ask(HERE)
    asking.engine.offer(RemoteModel("https://example.org/v1", "a"))
    assert asking.servers.state.phase is ServerPhase.ASKING


def test_beginning_finds_out_where_keys_will_be_kept(asking):
    asking.servers.begin()
    kept = asking.said.next()
    asking.servers.on_keys_kept(kept)
    assert kept == KeysKept(KeyPlace.KEYRING)
    assert asking.servers.state.keys_kept is KeyPlace.KEYRING
    asking.servers.begin()
    assert asking.servers.state.keys_kept is KeyPlace.KEYRING

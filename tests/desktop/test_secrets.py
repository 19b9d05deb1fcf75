"""Where keys are kept, and to whom they are given."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.secrets import SERVICE, KeyPlace, Keyring, KeyringRefused, Keys, KeysKept

HERE = "http://127.0.0.1:8080/v1"
THERE = "https://example.org/v1"
OPENAI = "https://api.openai.com/v1"


class Ring:
    """A keyring in memory; locked, it refuses everything."""

    def __init__(self, *, locked: bool = False, **keys: str) -> None:
        self.keys = {(SERVICE, name): key for name, key in keys.items()}
        self.locked = locked
        self.asked = 0

    def get_password(self, service: str, name: str) -> str | None:
        self.asked += 1
        if self.locked:
            raise KeyringRefused
        return self.keys.get((service, name))

    def set_password(self, service: str, name: str, key: str) -> None:
        if self.locked:
            raise KeyringRefused
        self.keys[service, name] = key

    def delete_password(self, service: str, name: str) -> None:
        if self.locked or (service, name) not in self.keys:
            raise KeyringRefused
        del self.keys[service, name]


class Said:
    """What was said, on whichever thread."""

    def __init__(self) -> None:
        self.all: list[KeysKept] = []
        self._came = threading.Semaphore(0)

    def __call__(self, kept: KeysKept) -> None:
        self.all.append(kept)
        self._came.release()

    def next(self) -> KeysKept:
        assert self._came.acquire(timeout=60)
        return self.all[-1]


@pytest.fixture
def said():
    return Said()


def keys_with(
    ring: Keyring | None, said: Callable[[KeysKept], None], named_server: str = "", **environment: str
) -> Keys:
    return Keys(said, named_server, environment, lambda: ring)


def test_a_key_that_was_given_is_used_at_once_and_for_its_address_only(said):
    keys = keys_with(Ring(), said)
    keys.use(HERE, "secret")
    assert keys.key_of(HERE) == "secret"
    assert keys.key_of(THERE) is None


def test_a_key_that_is_kept_is_in_the_keyring(said):
    ring = Ring()
    keys = keys_with(ring, said)
    keys.use(HERE, "secret")
    assert ring.keys == {}
    keys.keep(HERE)
    assert said.next() == KeysKept(KeyPlace.KEYRING)
    assert ring.keys == {(SERVICE, HERE): "secret"}
    assert keys_with(ring, said).key_of(HERE) == "secret"


@pytest.mark.parametrize("ring", [None, Ring(locked=True)])
def test_without_a_keyring_a_key_is_for_this_session_and_that_is_said(said, ring):
    keys = keys_with(ring, said)
    keys.use(HERE, "secret")
    keys.keep(HERE)
    assert said.next() == KeysKept(KeyPlace.SESSION)
    assert keys.key_of(HERE) == "secret"
    assert keys_with(ring, said).key_of(HERE) is None


def test_where_keys_will_be_kept_can_be_asked_before(said):
    keys_with(Ring(), said).look_for_keyring()
    assert said.next() == KeysKept(KeyPlace.KEYRING)
    keys_with(None, said).look_for_keyring()
    assert said.next() == KeysKept(KeyPlace.SESSION)


def test_the_keyring_is_asked_once_for_each_address(said):
    ring = Ring()
    keys = keys_with(ring, said)
    for _ in range(3):
        keys.key_of(HERE)
    assert ring.asked == 1


def test_the_environments_key_goes_to_the_server_that_was_named_beside_it(said):
    keys = keys_with(None, said, HERE, HEADWATER_API_KEY=" mine \n")
    assert keys.key_of(HERE) == "mine"
    assert keys.key_of(THERE) is None
    assert keys_with(None, said, HEADWATER_API_KEY="mine").key_of(HERE) is None


def test_openais_key_goes_to_openai(said):
    keys = keys_with(None, said, HERE, OPENAI_API_KEY="theirs")
    assert keys.key_of(OPENAI) == "theirs"
    assert keys.key_of(HERE) is None


def test_a_key_that_is_typed_comes_before_the_environments(said):
    keys = keys_with(None, said, HERE, HEADWATER_API_KEY="mine")
    keys.use(HERE, "typed")
    assert keys.key_of(HERE) == "typed"


GIVEN = st.dictionaries(st.sampled_from([HERE, THERE, OPENAI]), st.text("ab", min_size=1))


@given(GIVEN, st.sampled_from([HERE, THERE]))
def test_no_key_is_ever_given_for_another_address(given_keys, other):
    keys = keys_with(Ring(), lambda _: None)
    for address, key in given_keys.items():
        keys.use(address, f"{address} {key}")
    asked = keys.key_of(other)
    assert asked is None or asked.startswith(f"{other} ")


def test_a_forgotten_key_is_nowhere_any_more(said):
    ring = Ring()
    keys = keys_with(ring, said)
    keys.use(HERE, "secret")
    keys.keep(HERE)
    said.next()
    keys.forget(HERE)
    assert said.next() == KeysKept(KeyPlace.KEYRING)
    assert ring.keys == {}
    assert keys.key_of(HERE) is None


@pytest.mark.parametrize("ring", [None, Ring(), Ring(locked=True)])
def test_to_forget_a_key_that_nobody_keeps_does_no_harm(said, ring):
    keys = keys_with(ring, said, HERE, HEADWATER_API_KEY="mine")
    keys.use(HERE, "typed")
    keys.forget(HERE)
    said.next()
    assert keys.key_of(HERE) == "mine"


def test_the_systems_own_keyring_is_looked_for_without_harm():
    came = Said()
    Keys(came).look_for_keyring()
    assert came.next().place in KeyPlace

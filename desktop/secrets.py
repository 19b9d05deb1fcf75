"""Keys for servers: in the system's keyring, or for this session only.

A key belongs to a base URL and is given to nobody who asks for another. It is in no settings, no log and no error.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

SERVICE = "Headwater"
_OPENAI = "https://api.openai.com/v1"


class KeyPlace(StrEnum):
    """Where keys are kept."""

    KEYRING = "keyring"
    SESSION = "session"  # there is no keyring, or it does not take them: until the program leaves


@dataclass(frozen=True, slots=True)
class KeysKept:
    """Where keys are kept here: found out by looking for a keyring, or by giving it a key."""

    place: KeyPlace


class Keyring(Protocol):
    """What is asked of the system's keyring. Any of it may wait for the person to unlock it."""

    def get_password(self, service: str, name: str) -> str | None: ...
    def set_password(self, service: str, name: str, key: str) -> None: ...
    def delete_password(self, service: str, name: str) -> None: ...


class KeyringRefused(Exception):
    """The keyring is locked, broken or gone."""


class Keys:
    """The keys of this session, and those the keyring holds.

    Every method may be called from any thread; only `key_of` may wait. What becomes of a key is `said` on a thread of
    its own. A key from the environment goes to the server that was named beside it when the program was started, and
    OpenAI's own to OpenAI.
    """

    def __init__(
        self,
        said: Callable[[KeysKept], None],
        named_server: str = "",
        environment: Mapping[str, str] = os.environ,
        open_keyring: Callable[[], Keyring | None] | None = None,
    ) -> None:
        self._said = said
        self._from_environment = _keys_in(environment, named_server)
        self._open_keyring = open_keyring or _system_keyring
        self._keys_lock = threading.Lock()
        self._keys: dict[str, str | None] = {}  # by base URL; None: the keyring has none
        self._keyring_lock = threading.Lock()  # one at a time: somebody may be asked for a password
        self._keyring: Keyring | None = None
        self._has_looked = False

    def key_of(self, base_url: str) -> str | None:
        """The key for the server at this address; `None` where it has none."""
        with self._keys_lock:
            if base_url in self._keys:
                return self._keys[base_url]
        key = self._from_environment.get(base_url) or self._from_keyring(base_url)
        with self._keys_lock:
            # One that was given meanwhile is newer.
            return self._keys.setdefault(base_url, key)

    def use(self, base_url: str, key: str) -> None:
        """Take this key for this server from now on; `keep` keeps it for longer."""
        with self._keys_lock:
            self._keys[base_url] = key

    def keep(self, base_url: str) -> None:
        """Give the keyring the key that is used for this server. Ends with `KeysKept`."""
        self._do(self._keep, base_url)

    def forget(self, base_url: str) -> None:
        """Have no key for this server any more, here or in the keyring. Ends with `KeysKept`."""
        with self._keys_lock:
            self._keys[base_url] = self._from_environment.get(base_url)
        self._do(self._forget, base_url)

    def forget_all(self, base_urls: Iterable[str], seconds: float) -> None:
        """Have no key for any of these servers; at the end of the program, so this waits, but not for ever: somebody
        may be asked for a password."""
        threads = [self._do(self._forget, base_url) for base_url in base_urls]
        end = time.monotonic() + seconds
        for thread in threads:
            thread.join(max(0.0, end - time.monotonic()))

    def look_for_keyring(self) -> None:
        """Find out where keys will be kept. Ends with `KeysKept`."""
        self._do(self._look)

    def _do(self, work: Callable[..., None], *arguments: str) -> threading.Thread:
        # Nobody waits for it, at the end of the program either: it may itself be waiting for a password.
        thread = threading.Thread(target=work, args=arguments, name="keyring", daemon=True)
        thread.start()
        return thread

    def _look(self) -> None:
        with self._keyring_lock:
            keyring = self._opened()
        self._said(KeysKept(KeyPlace.SESSION if keyring is None else KeyPlace.KEYRING))

    def _keep(self, base_url: str) -> None:
        with self._keys_lock:
            key = self._keys.get(base_url)
        place = KeyPlace.SESSION
        with self._keyring_lock:
            keyring = self._opened()
            if keyring is not None and key:
                try:
                    keyring.set_password(SERVICE, base_url, key)
                    place = KeyPlace.KEYRING
                except KeyringRefused:
                    pass
        self._said(KeysKept(place))

    def _forget(self, base_url: str) -> None:
        with self._keyring_lock:
            keyring = self._opened()
            if keyring is not None:
                with suppress(KeyringRefused):  # one that is locked, or has none
                    keyring.delete_password(SERVICE, base_url)
        self._said(KeysKept(KeyPlace.SESSION if keyring is None else KeyPlace.KEYRING))

    def _from_keyring(self, base_url: str) -> str | None:
        with self._keyring_lock:
            keyring = self._opened()
            if keyring is None:
                return None
            try:
                return keyring.get_password(SERVICE, base_url)
            except KeyringRefused:
                return None

    def _opened(self) -> Keyring | None:
        if not self._has_looked:
            self._keyring = self._open_keyring()
            self._has_looked = True
        return self._keyring


def _keys_in(environment: Mapping[str, str], named_server: str) -> dict[str, str]:
    """The environment's keys by the one address each of them may go to."""
    keys = {_OPENAI: environment.get("OPENAI_API_KEY", "").strip()}
    if named_server and (key := environment.get("HEADWATER_API_KEY", "").strip()):
        keys[named_server] = key
    return {address: key for address, key in keys.items() if key}


def _system_keyring() -> Keyring | None:
    """The system's keyring; `None` where there is none that can be used."""
    import keyring  # a tenth of a second, which the start of the program has no time for
    from keyring.backends import fail

    found = keyring.get_keyring()
    return None if isinstance(found, fail.Keyring) else _SystemKeyring(found)


class _SystemKeyring:
    """The library's keyring, its many errors as one."""

    def __init__(self, keyring: Keyring) -> None:
        self._keyring = keyring

    def get_password(self, service: str, name: str) -> str | None:
        from keyring.errors import KeyringError

        try:
            return self._keyring.get_password(service, name)
        except KeyringError:
            # Without what led to it: that may name the key.
            raise KeyringRefused from None

    def set_password(self, service: str, name: str, key: str) -> None:
        from keyring.errors import KeyringError

        try:
            self._keyring.set_password(service, name, key)
        except KeyringError:
            raise KeyringRefused from None

    def delete_password(self, service: str, name: str) -> None:
        from keyring.errors import KeyringError

        try:
            self._keyring.delete_password(service, name)
        except KeyringError:
            raise KeyringRefused from None

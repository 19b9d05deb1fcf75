"""How the Hub is reached from here: by whose token, over which proxy, or not at all. Any thread may ask."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import inference
from desktop.secrets import Keys
from desktop.settings import Settings
from inference import InvalidRequest, ProxyKind

if TYPE_CHECKING:
    from inference.hub import HubAccess, HubSession

_HUB = "https://huggingface.co"


class HubDoor:
    """One session at a time, made anew where the settings or the token are others."""

    def __init__(
        self, settings: Callable[[], Settings], keys: Keys, environment: Mapping[str, str] = os.environ
    ) -> None:
        self._settings = settings
        self._keys = keys
        self._environment = environment
        self._lock = threading.Lock()
        self._session: HubSession | None = None

    @property
    def endpoint(self) -> str:
        """The Hub's address, or that of a mirror."""
        return (self._environment.get("HF_ENDPOINT", "").strip() or _HUB).rstrip("/")

    def offline(self) -> str:
        """Why nothing may be asked of the Hub; "" where it may."""
        try:
            return inference.hub.HubAccess.from_environment(self._environment).offline
        except InvalidRequest:
            return ""  # whoever asks hears what is wrong with its address

    def session(self) -> HubSession:
        """The session as things are now. The keyring may wait for a password."""
        access = self._access()
        with self._lock:
            if self._session is None or self._session.access != access:
                # What another thread still has open of the one before is left to it.
                self._session = inference.hub.HubSession(access)
            return self._session

    def use_token(self, token: str) -> None:
        """Ask with this token from now on, and keep it where the other keys are."""
        self._keys.use(self.endpoint, token)
        self._keys.keep(self.endpoint)

    def close(self) -> None:
        """Let go of all connections."""
        with self._lock:
            session, self._session = self._session, None
        if session is not None:
            session.close()

    def _access(self) -> HubAccess:
        token = self._keys.key_of(self.endpoint) or ""
        return inference.hub.HubAccess.from_environment(self._environment, token=token, proxy=self._proxy())

    def _proxy(self) -> str:
        settings = self._settings()
        match settings.proxy:
            case ProxyKind.NONE:
                return inference.hub.NO_PROXY
            case ProxyKind.MANUAL:
                return settings.proxy_address
            case ProxyKind.SYSTEM:
                return ""

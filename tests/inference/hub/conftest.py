"""What the tests of the Hub share."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from inference.hub.access import HubSession
from inference.hub.address import HubAccess
from tests.hub_server import HubServer, hub_server


@pytest.fixture
def hub() -> Iterator[HubServer]:
    with hub_server() as server:
        yield server


@pytest.fixture
def open_session() -> Iterator[Callable[..., HubSession]]:
    """Makes sessions, and closes them in the end."""
    opened: list[HubSession] = []

    def session(server: HubServer, token: str = "", **more: str) -> HubSession:
        opened.append(HubSession(HubAccess(server.address, token, **more)))
        return opened[-1]

    yield session
    for each in opened:
        each.close()

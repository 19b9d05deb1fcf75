from __future__ import annotations

from dataclasses import replace

import pytest

from desktop.hub_door import HubDoor
from desktop.secrets import Keys
from desktop.settings import Settings
from inference import InvalidRequest, ProxyKind
from inference.hub import NO_PROXY


class Door:
    def __init__(self, **environment: str) -> None:
        self.settings = Settings()
        self.keys = Keys(lambda _: None, environment={}, open_keyring=lambda: None)
        self.door = HubDoor(lambda: self.settings, self.keys, environment)


def test_the_hub_is_asked_as_the_environment_says():
    known = Door(HF_ENDPOINT="https://mirror.example/", HF_TOKEN="hf_abc")
    assert known.door.endpoint == "https://mirror.example"
    access = known.door.session().access
    assert (access.endpoint, access.token, access.proxy, access.offline) == ("https://mirror.example", "hf_abc", "", "")
    assert Door().door.endpoint == "https://huggingface.co"
    assert Door(HF_HUB_OFFLINE="1").door.offline()
    assert not Door(HF_HUB_OFFLINE="0").door.offline()


def test_an_address_that_is_none_is_said_to_whoever_asks_and_breaks_nothing():
    known = Door(HF_ENDPOINT="mirror.example")
    assert known.door.offline() == ""
    with pytest.raises(InvalidRequest, match="begins with https"):
        known.door.session()


def test_a_session_lasts_until_something_is_another():
    known = Door()
    session = known.door.session()
    assert known.door.session() is session
    known.settings = replace(known.settings, proxy=ProxyKind.NONE)
    assert known.door.session().access.proxy == NO_PROXY
    known.settings = replace(known.settings, proxy=ProxyKind.MANUAL, proxy_address="http://proxy.example:3128")
    assert known.door.session().access.proxy == "http://proxy.example:3128"
    known.door.close()


def test_a_token_is_kept_with_the_other_keys_for_this_address_alone():
    known = Door(HF_TOKEN="hf_of_the_environment")
    known.door.use_token("hf_given")
    assert known.door.session().access.token == "hf_given"  # noqa: S105 - of nobody
    assert known.keys.key_of("https://huggingface.co") == "hf_given"
    assert known.keys.key_of("https://elsewhere.example") is None
    assert "hf_given" not in repr(known.door.session().access)

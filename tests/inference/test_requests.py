"""A request that exists makes sense."""

from __future__ import annotations

import math
import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.bounds import Proxy
from inference.configuration import (
    EngineFiles,
    KvType,
    ModelConfig,
    ProxyKind,
    RemoteModel,
    base_url_of,
    is_address,
    is_proxy_address,
)
from inference.errors import InvalidRequest
from inference.messages import Message, Role
from inference.requests import DEFAULT_SAMPLING, GenerationRequest, Sampling

HELLO = (Message(Role.USER, "Hello"),)
MODEL = ModelConfig(Path("a.gguf"))


def test_sampling_fills_only_what_is_left_open() -> None:
    chosen = Sampling(temperature=0.0, seed=7).over(DEFAULT_SAMPLING)
    assert chosen == Sampling(0.0, top_k=40, top_p=0.95, min_p=0.05, repeat_penalty=1.1, seed=7)


@pytest.mark.parametrize("name", ["temperature", "top_k", "top_p", "min_p", "repeat_penalty", "seed"])
@pytest.mark.parametrize("value", [-1, math.nan, math.inf])
def test_a_value_outside_its_range_is_refused_by_name(name: str, value: float) -> None:
    with pytest.raises(InvalidRequest, match=f"^{name} is at least"):
        Sampling(**{name: value})  # type: ignore[arg-type]  # wrong on purpose


@given(st.floats(0, 100), st.integers(0, 1000), st.floats(0, 1))
def test_every_value_inside_its_range_is_taken(temperature: float, top_k: int, top_p: float) -> None:
    assert Sampling(temperature, top_k, top_p).over(DEFAULT_SAMPLING).top_k == top_k


@pytest.mark.parametrize(
    "wrong",
    [
        {"messages": ()},
        {"messages": (Message(Role.ASSISTANT, "Hi"),)},
        {"max_tokens": 0},
        {"max_tokens": -5},
        {"stop": ("",)},
        {"continues": True},
        {"continues": True, "messages": (Message(Role.ASSISTANT, "Hi"),)},
    ],
)
def test_a_request_that_makes_no_sense_cannot_be_made(wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidRequest):
        GenerationRequest(**{"model": MODEL, "messages": HELLO, **wrong})  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.parametrize(
    "wrong",
    [{"context_size": 0}, {"threads": 0}, {"threads": 513}, {"threads": 10**20}, {"gpu_layers": -1}, {"device": ""}],
)
def test_a_config_that_makes_no_sense_cannot_be_made(wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidRequest):
        ModelConfig(Path("a.gguf"), **wrong)  # type: ignore[arg-type]  # wrong on purpose


def test_a_request_survives_pickling_and_every_request_has_its_own_id() -> None:
    request = GenerationRequest(MODEL, HELLO)
    assert pickle.loads(pickle.dumps(request)) == request  # noqa: S301 - made a line above
    assert GenerationRequest(MODEL, HELLO).id != request.id


@pytest.mark.parametrize(
    ("address", "base_url"),
    [
        ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1"),
        (" HTTP://LocalHost:11434/ ", "http://localhost:11434/v1"),
        ("https://api.example.com:443", "https://api.example.com/v1"),
        ("http://127.0.0.1:8080/v1/chat/completions", "http://127.0.0.1:8080/v1"),
        ("https://example.com/openai/v1/", "https://example.com/openai/v1"),
        ("http://[::1]:8080", "http://[::1]:8080/v1"),
    ],
)
def test_a_servers_address_is_brought_into_one_form(address: str, base_url: str) -> None:
    assert base_url_of(address) == base_url
    assert base_url_of(base_url) == base_url
    assert RemoteModel(base_url).base_url == base_url


@pytest.mark.parametrize(
    "address",
    [
        "",
        "model.gguf",
        "ftp://example.com",
        "http://",
        "http://example.com:99999",
        "http://example.com:port",
        "http://me:secret@example.com/v1",
        "http://good.example\\@evil.example/v1",
        "http://good.example\\.evil.example/v1",
        "http://exa mple.com/v1",
        "http://example.com/v1?key=secret",
        "http://example.com/v1#secret",
        "http://[::1/v1",
    ],
)
def test_what_is_no_plain_address_of_a_server_is_refused_and_no_secret_repeated(address: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        base_url_of(address)
    assert "secret" not in str(refused.value)


def test_a_remote_models_address_is_in_that_form() -> None:
    with pytest.raises(InvalidRequest, match=r"http://127\.0\.0\.1:8080/v1"):
        RemoteModel("http://127.0.0.1:8080")


def test_a_path_is_no_address() -> None:
    assert is_address("HTTP://127.0.0.1")
    assert not is_address("https.gguf")


def test_an_engines_files_lie_in_folders_of_their_own(tmp_path: Path) -> None:
    for files in (EngineFiles.usual(), EngineFiles.within(tmp_path)):
        assert files.measurements is not None
        assert files.log is not None
        assert files.measurements != files.log
    assert "Headwater" in str(EngineFiles.usual().measurements)
    assert EngineFiles() == EngineFiles(None, None)


def test_a_model_is_another_one_on_another_device_or_with_another_kv_cache() -> None:
    assert len({MODEL, ModelConfig(MODEL.path, device="CPU"), ModelConfig(MODEL.path, kv_type=KvType.Q8_0)}) == 3


def test_whole_numbers_are_told_to_the_last_digit() -> None:
    with pytest.raises(InvalidRequest, match=r"seed is at least 0 and at most 4294967294; got 4294967295\."):
        Sampling(seed=2**32 - 1)


@pytest.mark.parametrize("address", ["http://proxy.example.org:3128", "https://10.0.0.1", "HTTP://[::1]:8080/"])
def test_a_proxy_has_an_address(address):
    assert is_proxy_address(address)
    assert Proxy(ProxyKind.MANUAL, address).address == address


@pytest.mark.parametrize(
    "address",
    ["", "proxy", "socks5://a", "http://me:secret@a", "http://a:99999", "http://a/path", "http://a:0", "http://"],
)
def test_what_is_no_proxys_address_is_refused_without_repeating_it(address):
    assert not is_proxy_address(address)
    with pytest.raises(InvalidRequest) as raised:
        Proxy(ProxyKind.MANUAL, address)
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize("count", [-1, 21])
def test_the_probabilities_of_so_many_tokens_cannot_be_recorded(count: int) -> None:
    with pytest.raises(InvalidRequest):
        GenerationRequest(MODEL, HELLO, record_probabilities=count)


@pytest.mark.parametrize("breaker", ["", "\0", "\ud800", "x" * 41])
def test_what_can_break_no_sequence_is_refused(breaker):
    with pytest.raises(InvalidRequest, match="1 to 40 bytes"):
        Sampling(dry_sequence_breakers=(breaker,))

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest

from inference.errors import InvalidRequest
from inference.hub.access import HubSession
from inference.hub.address import NO_PROXY, HubAccess
from inference.hub.hub import Hub, readable
from inference.hub.links import HubLink
from inference.hub.repo import HubOrder, HubRepo
from inference.hub_errors import (
    GateClosed,
    HubBroke,
    HubBusy,
    HubError,
    HubOffline,
    HubUnreachable,
    NotOnHub,
    TokenWanted,
)
from tests.hub_server import COMMIT, HubServer
from tests.scripted_server import ScriptedServer, plain

PAGE = "---\nlicense: mit\ntags:\n- gguf\n---\n# Small\n\nA small model."


@pytest.fixture
def small(hub: HubServer) -> HubServer:
    files = {"small-Q4_K_M.gguf": b"four", "small-Q8_0.gguf": b"eight bits", "README.md": b"page"}
    hub.add("maker/small-GGUF", files, downloads=5, likes=9, page=PAGE, gguf={"total": 135, "context_length": 2048})
    hub.add("other/small-too", {"a-Q8_0.gguf": b"a"}, downloads=7, likes=1, modified="2026-05-05T00:00:00.000Z")
    hub.add("other/large", {"b-Q8_0.gguf": b"b"}, gated=True, pipeline_tag="feature-extraction")
    return hub


@pytest.fixture
def hub_at(open_session):
    return lambda *words, **more: Hub(open_session(*words, **more))


def test_a_search_finds_repositories_by_their_names(small, hub_at):
    found = hub_at(small).search("small")
    assert [repo.id for repo in found] == ["other/small-too", "maker/small-GGUF"]
    assert "filter=gguf" in small.requests[-1].path


def test_what_is_found_comes_in_the_order_that_is_asked_for(small, hub_at):
    likes = [repo.id for repo in hub_at(small).search("small", HubOrder.LIKES)]
    recent = [repo.id for repo in hub_at(small).search("small", HubOrder.RECENT)]
    assert likes == ["maker/small-GGUF", "other/small-too"]
    assert recent == ["other/small-too", "maker/small-GGUF"]


def test_a_repository_says_what_it_is(small, hub_at):
    repo = hub_at(small).repo("maker/small-GGUF")
    assert (repo.owner, repo.name, repo.commit) == ("maker", "small-GGUF", COMMIT)
    assert (repo.licence, repo.languages, repo.gated) == ("apache-2.0", ("en",), False)
    assert (repo.parameters, repo.training_context, repo.is_for_chat) == (135, 2048, True)
    large = hub_at(small).repo("other/large")
    assert (large.gated, large.is_for_chat) == (True, False)


def test_its_models_come_with_the_hubs_own_checksums(small, hub_at):
    hub = hub_at(small)
    models = hub.models(hub.repo("maker/small-GGUF"))
    assert [(model.quantisation, model.size) for model in models] == [("Q4_K_M", 4), ("Q8_0", 10)]
    assert models[0].files[0].sha256 == small.repos["maker/small-GGUF"].files["small-Q4_K_M.gguf"].sha256


def test_files_come_whole_also_where_the_hub_lists_them_page_by_page(hub, hub_at):
    hub.add("maker/many", {f"m-{number}.gguf": b"GGUF" for number in range(25)})
    hub.behaviour.page_size = 10
    asked = hub_at(hub)
    assert len(asked.models(asked.repo("maker/many"))) == 25


def test_a_link_leads_to_its_model(small, hub_at):
    hub = hub_at(small)
    assert hub.model_of(HubLink("maker/small-GGUF"))[1].quantisation == "Q4_K_M", "a middling one"
    assert hub.model_of(HubLink("maker/small-GGUF", quantisation="Q8_0"))[1].quantisation == "Q8_0"
    assert hub.model_of(HubLink("maker/small-GGUF", file="small-Q8_0.gguf"))[1].quantisation == "Q8_0"
    for link in (HubLink("maker/small-GGUF", quantisation="Q2_K"), HubLink("maker/small-GGUF", file="none.gguf")):
        with pytest.raises(NotOnHub):
            hub.model_of(link)


def test_a_page_is_text_without_the_facts_at_its_head(small, hub_at):
    hub = hub_at(small)
    assert hub.page(hub.repo("maker/small-GGUF")) == "# Small\n\nA small model."
    assert hub.page(hub.repo("other/small-too")) == ""


def test_what_is_not_there_is_said(small, hub_at):
    with pytest.raises(NotOnHub, match=r"maker/none is not on the Hub"):
        hub_at(small).repo("maker/none")


def test_a_token_goes_to_the_hub_and_opens_what_is_private(small, hub_at):
    small.repos["other/large"].private = True
    with pytest.raises(HubError):
        hub_at(small).repo("other/large")
    assert hub_at(small, "hf_good").repo("other/large").id == "other/large"
    assert small.requests[-1].headers["authorization"] == "Bearer hf_good"


def test_a_token_that_is_refused_is_said(small, hub_at):
    with pytest.raises(TokenWanted) as refused:
        hub_at(small, "hf_wrong").repo("maker/small-GGUF")
    assert "hf_wrong" not in str(refused.value)
    assert "does not accept the access token" in str(refused.value)


@pytest.mark.parametrize("token", ["hf_ümläut", "hf_a\nb", "hf_a\0b"])
def test_a_token_that_cannot_be_sent_is_said_and_not_shown(small, hub_at, token):
    with pytest.raises(HubError) as refused:
        hub_at(small, token).repo("maker/small-GGUF")
    assert token[:4] not in str(refused.value)
    with pytest.raises(InvalidRequest) as refused_here:
        hub_at(small, token).page(HubRepo("maker/small-GGUF"))
    assert token[:4] not in str(refused_here.value)


def test_a_token_is_in_no_log_and_no_error(small, hub_at, caplog):
    caplog.set_level(logging.DEBUG)
    hub = hub_at(small, "hf_good")
    hub.page(hub.search("small")[0])
    small.behaviour.answer = (b"no", JSON)
    with pytest.raises(HubError) as refused:
        hub.search("small")
    assert {"Bearer hf_good"} == {each.headers.get("authorization") for each in small.requests}
    assert "127.0.0.1" in caplog.text, "nothing was logged, so nothing was tested"
    assert "hf_good" not in caplog.text + str(refused.value) + repr(hub) + repr(vars(refused.value))


def test_addresses_that_lead_round_are_said(small, hub_at):
    small.behaviour.statuses = [(302, {"Location": "/api/models?again"})] * 50
    with pytest.raises(HubBroke, match="without end"):
        hub_at(small).search("small")


@pytest.mark.parametrize(
    ("name", "architecture", "is_mixture"),
    [
        ("Qwen3-30B-A3B-GGUF", "", True),
        ("Qwen3-GGUF", "qwen3moe", True),
        ("Mixtral-8x7B-GGUF", "llama", True),
        ("gpt-oss-20b-GGUF", "gpt-oss", True),
        ("Llama-3.2-3B-GGUF", "llama", False),
        ("gemma-3-4b-it-GGUF", "gemma3", False),
    ],
)
def test_a_mixture_is_known_by_its_names(name, architecture, is_mixture):
    assert HubRepo(f"maker/{name}", architecture=architecture).is_mixture is is_mixture


_ASKS_ONCE = """
import sys
from inference.hub import Hub, HubAccess, HubSession
Hub(HubSession(HubAccess(sys.argv[1]))).search("small")
"""


def test_the_hub_is_told_nothing_but_what_is_asked_of_it(small, tmp_path):
    # In a process of its own: what huggingface_hub would tell it asks for once, and keeps.
    environment = {**os.environ, "HF_HOME": str(tmp_path), "HF_ENDPOINT": small.address, "AI_AGENT": "somebody"}
    subprocess.run([sys.executable, "-c", _ASKS_ONCE, small.address], env=environment, check=True)
    assert [urlsplit(request.path).path for request in small.requests] == ["/api/models"]
    assert "agent" not in small.requests[0].headers["user-agent"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("status", "headers", "error"),
    [
        (401, {}, TokenWanted),
        (403, {"X-Error-Code": "GatedRepo"}, GateClosed),
        (404, {"X-Error-Code": "RepoNotFound"}, NotOnHub),
        (429, {"Retry-After": "7"}, HubBusy),
        (500, {}, HubBroke),
        (503, {}, HubBroke),
        (418, {}, HubBroke),
    ],
)
def test_each_refusal_is_an_error_of_its_own_with_a_sentence(small, hub_at, status, headers, error):
    hub = hub_at(small)
    asks: tuple[Callable[[], object], ...] = (lambda: hub.repo("maker/small-GGUF"), lambda: hub.search("small"))
    for ask in asks:
        # huggingface_hub asks again by itself where that may help.
        small.behaviour.statuses = [(status, headers)] * 20
        with pytest.raises(HubError) as raised:
            ask()
        small.behaviour.statuses.clear()
        # A search is nothing that could be missing: where the Hub does not know it, it is another Hub.
        assert type(raised.value) is (HubBroke if error is NotOnHub and ask is asks[1] else error)
        assert str(raised.value).endswith(".")
        assert str(raised.value)[:1] != "t", "a sentence begins with a capital"
    if isinstance(raised.value, HubBusy):
        assert raised.value.retry_after == 7


def test_a_portal_that_answers_in_the_hubs_place_is_no_list_of_models(small, hub_at):
    small.behaviour.nonsense = True
    with pytest.raises(HubBroke):
        hub_at(small).search("small")


def test_nobody_at_home_is_said():
    with pytest.raises(HubUnreachable, match="for maker/small: Connection refused"):
        Hub(HubSession(HubAccess("http://127.0.0.1:9"))).repo("maker/small")


def test_a_proxy_is_used_and_its_refusal_said(small, hub_at):
    assert hub_at(small, proxy=NO_PROXY).search("small")
    with pytest.raises(HubUnreachable):
        hub_at(small, proxy="http://127.0.0.1:9").search("small")
    with pytest.raises(InvalidRequest):
        hub_at(small, proxy="nonsense").search("small")


def test_offline_nothing_is_asked(small, hub_at):
    hub = hub_at(small, offline="Offline was chosen.")
    asks: tuple[Callable[[], object], ...] = (lambda: hub.search("small"), lambda: hub.repo("maker/small-GGUF"))
    for ask in asks:
        with pytest.raises(HubOffline):
            ask()
    assert small.requests == []


def test_the_usual_variables_are_heeded():
    environment = {"HF_ENDPOINT": "https://mirror.example/", "HF_TOKEN": " hf_env ", "HF_HUB_OFFLINE": "yes"}
    access = HubAccess.from_environment(environment)
    assert (access.endpoint, access.token) == ("https://mirror.example", "hf_env")
    assert access.offline
    assert HubAccess.from_environment(environment, token="hf_mine").token.endswith("mine")
    assert "hf_env" not in repr(access)
    with pytest.raises(InvalidRequest):
        HubAccess("ftp://example")


def test_a_repository_that_names_a_file_outside_of_itself_is_refused(small, hub_at):
    small.add("maker/evil", {"../../evil.gguf": b"x"})
    hub = hub_at(small)
    with pytest.raises(HubBroke, match="outside"):
        hub.models(hub.repo("maker/evil"))


def test_files_that_cannot_be_kept_are_left_out_and_others_do_not_matter(hub, hub_at):
    names = ("good.gguf", "12:30.gguf", "line\nbreak.gguf", "half\ud800.gguf", "what?.png", "../shot.png")
    hub.add("maker/odd", dict.fromkeys(names, b"GGUF"))
    asked = hub_at(hub)
    assert [model.path for model in asked.models(asked.repo("maker/odd"))] == ["good.gguf"]


def test_a_page_loses_what_only_a_browser_can_show():
    text = (
        "<!-- made by a tool -->\n<div align='center'>\n<img src=\"x.png\"/>\n</div>\n\n# Small\n\n"
        "[![badge](https://x/y.svg)](https://x) ![picture](a.png)\n\n\n\nFor <b>all</b>, 1 < 2.<br>Next\n\n"
        "```html\n<b>kept</b>\n```\n\nand `<i>`"
    )
    assert readable(text) == "# Small\n\nFor all, 1 < 2.\nNext\n\n```html\n<b>kept</b>\n```\n\nand `<i>`"


JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize(
    "answer",
    [
        (b"garbage", {**JSON, "Content-Encoding": "gzip"}),
        (b"[" * 100_000, JSON),
        (b"null", JSON),
        (b"[1, 2]", JSON),
        (b"", JSON),
        (b'{"error": "try later"}', JSON),
    ],
    ids=["not packed", "endless", "nothing", "numbers", "empty", "an error"],
)
def test_no_answer_of_the_hub_breaks_anything(hub, open_session, answer):
    hub.behaviour.answer = answer
    asked = Hub(open_session(hub))
    for ask in (
        lambda: asked.search("x"),
        lambda: asked.repo("maker/small-GGUF"),
        lambda: asked.models(HubRepo("maker/small-GGUF")),
    ):
        with suppress(HubError):
            ask()
    with suppress(HubError):
        asked.page(HubRepo("maker/small-GGUF"))


def test_numbers_that_are_none_count_as_unknown(hub, open_session):
    row = b'[{"id": "a/b", "downloads": 1e400, "likes": "many", "gguf": {"total": -5, "context_length": "x"}}]'
    hub.behaviour.answer = (row, JSON)
    (repo,) = Hub(open_session(hub)).search("x")
    assert (repo.downloads, repo.likes, repo.parameters, repo.training_context) == (0, 0, 0, 0)


@pytest.mark.parametrize("asked", ["the list", "a page"])
def test_a_certificate_that_nobody_vouches_for_is_no_hubs(hub_at, asked):
    with ScriptedServer(plain("a"), tls=True) as server:
        hub = hub_at(SimpleNamespace(address=server.url.removesuffix("/v1")), "hf_secret")
        with pytest.raises(HubUnreachable, match="certificate is not trusted"):
            hub.search("x") if asked == "the list" else hub.page(HubRepo("maker/small-GGUF"))
        assert server.received == []


def test_certificates_that_are_not_there_and_proxies_that_are_not_known_are_said(hub, open_session, monkeypatch):
    with pytest.raises(InvalidRequest, match="SOCKS"):
        Hub(open_session(hub, proxy="socks5://127.0.0.1:1")).search("x")
    with pytest.raises(InvalidRequest) as refused:
        Hub(open_session(hub, proxy="nonsense://me:secret@host")).search("x")
    assert "secret" not in str(refused.value)
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/certificates.pem")
    with pytest.raises(InvalidRequest, match="SSL_CERT_FILE"):
        Hub(open_session(hub)).page(HubRepo("maker/small-GGUF"))

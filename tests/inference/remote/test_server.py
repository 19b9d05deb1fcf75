"""Every way a server can fail has its own error, with a sentence; a key goes to its own server and nowhere else."""

from __future__ import annotations

import json
import logging
import pickle
import socket
import socketserver
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import ClassVar
from urllib.parse import urlsplit

import pytest

from inference.bounds import Proxy
from inference.configuration import ProxyKind, RemoteModel
from inference.errors import InferenceError, InvalidRequest, PromptTooLong
from inference.events import FinishReason, GenerationFailed, GenerationFinished
from inference.ids import new_request_id
from inference.messages import Message, Role
from inference.remote import RemoteEngine
from inference.remote.inbox import Patience
from inference.requests import GenerationRequest, Sampling
from inference.server_errors import (
    CertificateRefused,
    HostNotFound,
    KeyRefused,
    ModelNotOffered,
    NoChatService,
    NothingListens,
    RedirectRefused,
    ReplyBroken,
    RequestRefused,
    ServerBroke,
    ServerBusy,
    ServerTimeout,
    ServerUnreachable,
)
from tests.inference.listening import Listener
from tests.scripted_server import (
    CERTIFICATE,
    DONE,
    Answer,
    Ending,
    ScriptedServer,
    event,
    models,
    plain,
    refusal,
    said,
    usage,
)

KEY = "sk-very-secret"


_NO_WISH = Proxy()


def ask_at(
    url: str,
    key: str | None = None,
    model: str = "",
    patience: Patience | None = None,
    proxy: Proxy = _NO_WISH,
) -> GenerationFinished | GenerationFailed:
    """The last event of one request."""
    listener = Listener()
    engine = RemoteEngine(listener, lambda _: key, patience, way_out=lambda: proxy)
    try:
        return listener.last_of(
            engine.generate(GenerationRequest(RemoteModel(url, model), (Message(Role.USER, "Hi"),)))
        )
    finally:
        engine.close()


def ask(chat: Answer, key: str | None = None, model: str = "") -> GenerationFinished | GenerationFailed:
    with ScriptedServer(chat) as server:
        return ask_at(server.url, key, model)


def error_of(last: GenerationFinished | GenerationFailed) -> InferenceError:
    assert isinstance(last, GenerationFailed), last
    assert pickle.loads(pickle.dumps(last.error)).args == last.error.args  # noqa: S301 - made a line above
    # It holds on to nothing of what was sent.
    assert last.error.__context__ is None
    assert last.error.__cause__ is None
    assert last.error.__traceback__ is None
    return last.error


def text_of(last: GenerationFinished | GenerationFailed) -> str:
    assert isinstance(last, GenerationFinished), last
    return last.text


# No connection


def test_a_port_where_nothing_listens() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        error = error_of(ask_at(f"http://127.0.0.1:{port}/v1"))
    assert isinstance(error, NothingListens)
    assert f"127.0.0.1:{port}" in str(error)


@pytest.mark.parametrize("host", ["no such host.invalid".replace(" ", "-"), "256.256.256.256", "a..b", "a" * 70])
def test_a_name_of_no_computer(host: str) -> None:
    assert isinstance(error_of(ask_at(f"http://{host}/v1")), HostNotFound)


@contextmanager
def nobody_accepts() -> Iterator[str]:
    """The address of a port whose queue is full: a connection to it does not come about, nor fail."""
    with socket.socket() as full, socket.socket() as first, socket.socket() as second:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        for waiting in (first, second):
            waiting.setblocking(False)
            waiting.connect_ex(full.getsockname())
        yield f"http://127.0.0.1:{full.getsockname()[1]}/v1"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a full queue refuses")
def test_a_connection_that_does_not_come_about_in_time() -> None:
    with nobody_accepts() as url:
        error = error_of(ask_at(url, patience=Patience(connect=0.1)))
    assert isinstance(error, ServerTimeout)
    assert error.seconds == 0.1


def test_a_server_that_is_silent_for_too_long() -> None:
    with ScriptedServer(Answer(ending=Ending.SILENT, no_headers=True)) as server:
        error = error_of(ask_at(server.url, patience=Patience(silence=0.1)))
    assert isinstance(error, ServerTimeout)
    assert error.seconds == 0.1


def test_a_server_that_falls_silent_in_the_middle() -> None:
    with ScriptedServer(Answer([event(said("a"))], ending=Ending.SILENT)) as server:
        last = ask_at(server.url, patience=Patience(silence=0.1))
    assert isinstance(error_of(last), ServerTimeout)
    assert isinstance(last, GenerationFailed)
    assert last.text == "a"


@pytest.mark.parametrize("ending", [Ending.CUT, Ending.RESET])
def test_a_connection_that_ends_without_an_answer(ending: Ending) -> None:
    assert isinstance(error_of(ask(Answer(no_headers=True, ending=ending))), ServerUnreachable)


def test_a_server_that_speaks_no_https_and_one_that_speaks_nothing_else() -> None:
    with ScriptedServer(plain("a")) as server:
        error = error_of(ask_at(server.url.replace("http:", "https:")))
        assert isinstance(error, ServerUnreachable)
        assert "https" in error.reason
    with ScriptedServer(plain("a"), tls=True) as server:
        assert isinstance(error_of(ask_at(server.url.replace("https:", "http:"))), ServerUnreachable)


def test_a_certificate_that_nobody_vouches_for() -> None:
    with ScriptedServer(plain("a"), tls=True) as server:
        error = error_of(ask_at(server.url, KEY))
        assert server.received == []
    assert isinstance(error, CertificateRefused)
    assert "self-signed" in error.reason


class Tunnel(socketserver.StreamRequestHandler):
    """A proxy that leads to one server, whichever was asked for."""

    to: ClassVar[tuple[str, int]]

    def handle(self) -> None:
        assert self.rfile.readline().startswith(b"CONNECT far.invalid:443 ")
        while self.rfile.readline().strip():
            pass
        self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
        with socket.create_connection(self.to) as there:
            back = threading.Thread(target=pump, args=(there, self.connection))
            back.start()
            pump(self.connection, there)
            back.join()


def pump(here: socket.socket, there: socket.socket) -> None:
    with suppress(OSError):
        while piece := here.recv(1 << 16):
            there.sendall(piece)
    with suppress(OSError):
        there.shutdown(socket.SHUT_WR)


@contextmanager
def tunnel_to(url: str) -> Iterator[Proxy]:
    port = urlsplit(url).port
    assert port is not None
    kind = type("ToServer", (Tunnel,), {"to": ("127.0.0.1", port)})
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), kind) as proxy:
        thread = threading.Thread(target=proxy.serve_forever)
        thread.start()
        try:
            yield Proxy(ProxyKind.MANUAL, f"http://127.0.0.1:{proxy.server_address[1]}")
        finally:
            proxy.shutdown()
            thread.join()


def test_a_certificate_that_nobody_vouches_for_on_another_computer() -> None:
    with ScriptedServer(plain("a"), tls=True) as server, tunnel_to(server.url) as proxy:
        last = ask_at("https://far.invalid/v1", KEY, proxy=proxy)
        assert server.received == []
    assert isinstance(error_of(last), CertificateRefused)


def test_a_certificate_that_the_environment_vouches_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    with ScriptedServer(plain("a"), tls=True) as server:
        assert text_of(ask_at(server.url)) == "a"


# Refusals


@pytest.mark.parametrize("status", [401, 403])
def test_a_key_that_is_wanted_or_refused(status: int) -> None:
    answer = refusal(status, {"error": {"message": f"Incorrect API key provided: {KEY}"}})
    without, wrong = error_of(ask(answer)), error_of(ask(answer, KEY))
    assert isinstance(without, KeyRefused)
    assert isinstance(wrong, KeyRefused)
    assert (without.status, without.key_sent, wrong.key_sent) == (status, False, True)
    assert KEY not in str(wrong)


@pytest.mark.parametrize(
    "answer",
    [
        refusal(404, {"error": {"message": 'model "llama" not found, try pulling it first'}}),
        refusal(404, {"object": "error", "message": "The model `llama` does not exist.", "code": 404}),
        refusal(400, {"error": {"message": "no", "code": "model_not_found"}}),
    ],
    ids=["Ollama", "vLLM", "llama-cpp-python"],
)
def test_a_model_that_the_server_does_not_have(answer: Answer) -> None:
    with ScriptedServer(answer, models("gemma", "qwen", owner="library")) as server:
        error = error_of(ask_at(server.url, model="llama"))
    assert isinstance(error, ModelNotOffered)
    assert (error.model, error.offered) == ("llama", ("gemma", "qwen"))


@pytest.mark.parametrize("body", ["<html>nothing here</html>", {"detail": "Not Found"}, ""])
def test_an_address_where_nothing_chats(body: str | dict[str, str]) -> None:
    error = error_of(ask(refusal(404, body)))
    assert isinstance(error, NoChatService)
    assert "/v1" in str(error)


def test_a_server_that_does_not_say_what_it_has_is_asked_for_what_was_named() -> None:
    with ScriptedServer(plain("a"), refusal(404, {"detail": "Not Found"})) as server:
        assert text_of(ask_at(server.url, model="llama")) == "a"
        assert server.chats[0].body["model"] == "llama"
        assert isinstance(error_of(ask_at(server.url)), NoChatService)
    with ScriptedServer(plain("a"), models()) as server:
        error = error_of(ask_at(server.url))
        assert isinstance(error, ModelNotOffered)
        assert error.model == ""
    with ScriptedServer(plain("a"), refusal(200, "<html>a login page</html>")) as server:
        assert isinstance(error_of(ask_at(server.url)), NoChatService)


def test_too_many_requests_and_when_to_come_back() -> None:
    error = error_of(ask(refusal(429, {"error": {"message": "rate limit"}}, Retry_After="30")))
    assert isinstance(error, ServerBusy)
    assert (error.status, error.reason, error.retry_after) == (429, "rate limit", 30.0)
    assert "30 seconds" in str(error)


def test_when_to_come_back_may_be_a_date_or_no_time_at_all() -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True)
    error = error_of(ask(refusal(429, {}, Retry_After=later)))
    assert isinstance(error, ServerBusy)
    assert error.retry_after is not None
    assert 50 < error.retry_after <= 60
    beyond = ("Fri, 31 Dec 9999 23:59:59 -2359", "Fri, 31 Dec 1999 23:59:59 +99999999999999999999")
    for value in ("soon", "-5", "9" * 400, "", *beyond):
        error = error_of(ask(refusal(429, {}, Retry_After=value)))
        assert isinstance(error, ServerBusy)
        assert error.retry_after is None


def test_a_server_that_still_loads_its_model() -> None:
    error = error_of(ask(refusal(503, {"error": {"message": "Loading model", "type": "unavailable_error"}})))
    assert isinstance(error, ServerBusy)
    assert "Loading model" in str(error)


@pytest.mark.parametrize(("body", "reason"), [({"error": "out of memory"}, "out of memory"), ("<html>", ""), ("", "")])
def test_a_server_that_broke(body: str | dict[str, str], reason: str) -> None:
    error = error_of(ask(refusal(500, body)))
    assert isinstance(error, ServerBroke)
    assert (error.status, error.reason) == (500, reason)


def test_any_other_refusal_is_in_the_servers_own_words_but_for_the_key() -> None:
    error = error_of(ask(refusal(400, {"error": {"message": f"top_k is unknown to {KEY}"}}), KEY))
    assert isinstance(error, RequestRefused)
    assert error.reason == "top_k is unknown to …"


def test_a_refusal_without_an_end_is_read_for_a_while_only() -> None:
    answer = refusal(500, "<html>")
    endless = Answer(answer.pieces, 500, "text/html", ending=Ending.ENDLESS)
    with ScriptedServer(endless) as server:
        error = error_of(ask_at(server.url, patience=Patience(connect=0.1)))
    assert isinstance(error, ServerBroke)


def test_a_prompt_that_does_not_fit() -> None:
    full = {"message": "too long", "type": "exceed_context_size_error", "n_prompt_tokens": 5000, "n_ctx": 4096}
    for answer in (refusal(400, {"error": full}), Answer([event({"error": full})])):
        error = error_of(ask(answer))
        assert isinstance(error, PromptTooLong)
        assert (error.needed, error.context_size) == (5000, 4096)


# Redirects, proxies, keys


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed_and_the_key_reaches_no_other_server(status: int) -> None:
    with ScriptedServer(plain("caught")) as other:
        away = refusal(status, "", Location=f"{other.url}/chat/completions?token=secret")
        with ScriptedServer(away, away) as server:
            error = error_of(ask_at(server.url, KEY, "llama"))
        assert isinstance(error, RedirectRefused)
        assert error.target == f"{other.url}/chat/completions"
        assert other.received == []


def test_a_key_goes_to_its_own_server_alone() -> None:
    with ScriptedServer(plain("a")) as one, ScriptedServer(plain("a")) as other:
        listener = Listener()
        engine = RemoteEngine(listener, {one.url: KEY}.get)
        for server in (one, other):
            request = GenerationRequest(RemoteModel(server.url), (Message(Role.USER, "Hi"),))
            text_of(listener.last_of(engine.generate(request)))
        engine.close()
        assert {received.headers.get("authorization") for received in one.received} == {f"Bearer {KEY}"}
        assert {received.headers.get("authorization") for received in other.received} == {None}


def test_a_key_is_in_no_log_no_event_and_no_error(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    listener = Listener()
    repeats = refusal(500, {"error": {"message": f"Bearer {KEY}"}})
    with ScriptedServer(repeats) as broken, ScriptedServer(plain("a")) as sound:
        engine = RemoteEngine(listener, lambda _: KEY)
        for url in (broken.url, sound.url):
            listener.last_of(engine.generate(GenerationRequest(RemoteModel(url), (Message(Role.USER, "Hi"),))))
        engine.close()
    assert KEY.encode() not in pickle.dumps(listener.events)
    assert KEY not in caplog.text + repr(engine) + repr(listener.events)
    assert "127.0.0.1" in caplog.text, "nothing was logged, so nothing was tested"


def test_what_cannot_be_a_key_is_not_sent() -> None:
    with ScriptedServer(plain("a")) as server:
        error = error_of(ask_at(server.url, f"{KEY}\nHost: elsewhere", "llama"))
        assert server.received == []
    assert isinstance(error, InvalidRequest)
    assert KEY not in str(error)


def test_this_computer_is_never_reached_by_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with ScriptedServer(plain("by proxy")) as proxy, ScriptedServer(plain("direct")) as server:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url.removesuffix("/v1"))
        assert text_of(ask_at(server.url)) == "direct"
        assert proxy.received == []
        assert text_of(ask_at("http://far.invalid/v1")) == "by proxy"
        assert proxy.chats[0].path == "http://far.invalid/v1/chat/completions"


def test_a_proxy_of_ones_own_goes_before_the_environments_and_none_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with ScriptedServer(plain("environment")) as theirs, ScriptedServer(plain("own")) as own:
        for name in ("http_proxy", "HTTP_PROXY"):
            monkeypatch.setenv(name, theirs.url.removesuffix("/v1"))
        manual = Proxy(ProxyKind.MANUAL, own.url.removesuffix("/v1"))
        assert text_of(ask_at("http://far.invalid/v1", proxy=manual)) == "own"
        assert isinstance(error_of(ask_at("http://far.invalid/v1", proxy=Proxy(ProxyKind.NONE))), HostNotFound)
        assert theirs.received == []


def test_another_proxy_holds_from_the_next_request_on() -> None:
    listener, ways = Listener(), [Proxy(ProxyKind.NONE)]
    with ScriptedServer(plain("by proxy")) as proxy:
        engine = RemoteEngine(listener, way_out=lambda: ways[0])
        request = GenerationRequest(RemoteModel("http://far.invalid/v1"), (Message(Role.USER, "Hi"),))
        assert isinstance(error_of(listener.last_of(engine.generate(request))), HostNotFound)
        ways[0] = Proxy(ProxyKind.MANUAL, proxy.url.removesuffix("/v1"))
        request = replace(request, id=new_request_id())
        assert text_of(listener.last_of(engine.generate(request))) == "by proxy"
        engine.close()


def test_a_proxy_that_cannot_be_one_is_said_without_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY"):
        monkeypatch.setenv(name, "strange://me:secret@proxy.invalid")
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    error = error_of(ask_at("http://far.invalid/v1"))
    assert isinstance(error, ServerUnreachable)
    assert "secret" not in str(error)


# Replies


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (Answer([event(said("a")), event("{no json")]), "a"),
        (Answer([event(said("a")), event("[]")]), "a"),
        (Answer([event(said("a")), event({"choices": [{"delta": {"content": 7}}]})]), "a"),
        (Answer([event(said("a"))], ending=Ending.CUT), "a"),
        (Answer([event(said("a"))], ending=Ending.RESET), "a"),
        (Answer([event(said("a"))]), "a"),
        (Answer([event(said("a")), DONE]), "a"),
        (Answer([]), ""),
        (Answer([event(said("a")), event({"error": {"message": "out of memory", "code": 500}})]), "a"),
        (Answer([event(said("a")), b"event: error\n", event({"error": "out of memory"})]), "a"),
        (Answer([event(said("a")), event(said("b", "content_filter")), DONE]), "ab"),
        (Answer([b"<html>Sign in</html>"], content_type="text/html"), ""),
        (Answer([b"\x00\x01"], content_type="application/octet-stream"), ""),
        (Answer([b"no json"], content_type="application/json"), ""),
        (Answer([b"data: " + b"x" * 2_000_000]), ""),
    ],
)  # fmt: skip
def test_a_reply_that_is_not_whole_keeps_what_was_written(answer: Answer, text: str) -> None:
    last = ask(answer)
    assert isinstance(error_of(last), ReplyBroken)
    assert isinstance(last, GenerationFailed)
    assert last.text == text
    assert str(last.error).endswith((".", "memory"))


def test_an_error_inside_a_stream_is_in_the_servers_words() -> None:
    assert "out of memory" in str(error_of(ask(Answer([event({"error": {"message": "out of memory"}})]))))


@pytest.mark.parametrize(
    "answer",
    [
        Answer([event(said("a", "stop"))]),
        Answer([event(said("a", "stop"))], ending=Ending.CUT),
        Answer([event(said("a", "stop"))], ending=Ending.RESET),
        Answer([event(said("a", "stop")), b"data: {no json\n\n"]),
        Answer([event(said("a", "stop")), DONE, event(said("never"))], ending=Ending.SILENT),
        Answer([b": a comment\r\n\r\nid: 1\r\n" + event(said("a"))[:-2] + b"\r\n\r\n", event(said("", "stop")), DONE]),
        Answer([event(said("a", "stop"))[:20], event(said("a", "stop"))[20:], DONE]),
        Answer([event(said("a", "stop")) + DONE]),
        Answer([json.dumps({"choices": [{"message": {"content": "a"}, "finish_reason": "stop"}]}).encode()],
               content_type="application/json; charset=utf-8"),
    ],
)  # fmt: skip
def test_a_reply_that_is_whole_is_taken_however_its_stream_ends(answer: Answer) -> None:
    last = ask(answer)
    assert text_of(last) == "a"
    assert isinstance(last, GenerationFinished)
    assert last.finish_reason is FinishReason.STOP


def test_the_figures_of_a_whole_reply_are_waited_for_a_short_time_only() -> None:
    with ScriptedServer(Answer([event(said("a", "stop"))], ending=Ending.SILENT)) as server:
        assert text_of(ask_at(server.url, patience=Patience(ending=0.05))) == "a"
    late = Answer([event(said("a", "stop")), event(said() | {"choices": [], "usage": usage(3, 1)}), DONE])
    last = ask(late)
    assert isinstance(last, GenerationFinished)
    assert last.usage.input_tokens == 3


def test_the_servers_first_model_is_asked_where_none_was_named_and_each_in_its_dialect() -> None:
    with ScriptedServer(plain("a"), models("one", "two")) as server:
        text_of(ask_at(server.url))
        assert server.chats[0].body["model"] == "one"
        assert server.chats[0].body["return_progress"]
    with ScriptedServer(plain("a"), models("one", "two", owner="somebody")) as server:
        text_of(ask_at(server.url, model="two"))
        assert server.chats[0].body["model"] == "two"
        assert "return_progress" not in server.chats[0].body


def test_an_unknown_wish_is_sent_all_the_same_for_the_server_to_refuse_in_words() -> None:
    with ScriptedServer(plain("a"), models("one", owner="somebody")) as server:
        listener = Listener()
        engine = RemoteEngine(listener)
        request = GenerationRequest(RemoteModel(server.url), (Message(Role.USER, "Hi"),), Sampling(top_k=3))
        text_of(listener.last_of(engine.generate(request)))
        engine.close()
        assert server.chats[0].body["top_k"] == 3

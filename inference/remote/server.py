"""One OpenAI-compatible server over HTTP: asked once for each request, and every way this can fail named.

A connection is made for each request and closed with it: a kept one may have been closed by the server meanwhile,
and then a prompt would be lost or sent twice. Nothing is tried again, and no redirect is followed.
"""

from __future__ import annotations

import asyncio
import email.utils
import ipaddress
import socket
import ssl
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing
from datetime import UTC, datetime
from typing import cast
from urllib.parse import urljoin, urlsplit

import httpx2

from inference.bounds import Proxy
from inference.configuration import ProxyKind
from inference.errors import InferenceError, PromptTooLong
from inference.remote.inbox import Patience
from inference.remote.wire import (
    Chunk,
    Complaint,
    Offer,
    Unreadable,
    chunk_from,
    complaint_from,
    headers_of,
    offer_from,
    one_line,
)
from inference.sentences import Sentence
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

_LONGEST_REFUSAL = 64 * 1024  # bytes of it that are read
_NO_GOOD_ENDS = {
    "content_filter": Sentence("its content filter ended it."),
    "error": Sentence("the server gave up on it."),
    "abort": Sentence("the server ended it."),
}
_AS_THE_SYSTEM = Proxy()


class Server:
    """A server at a base URL. Its answers are heard on the event loop it is asked from."""

    def __init__(self, base_url: str, patience: Patience, proxy: Proxy = _AS_THE_SYSTEM) -> None:
        self._base_url = base_url
        self._patience = patience
        self._client = _client_for(base_url, patience, proxy)
        self._offer: Offer | None = None  # believed until a request fails

    async def offer(self, key: str | None) -> Offer:
        """What the server says it has; asked for once, and again after a failure.

        Raises:
            InferenceError: it does not say, or cannot be asked.
        """
        if self._offer is None:
            self._offer = await self._ask_for_offer(key)
        return self._offer

    def assume(self, offer: Offer) -> None:
        """Take this for what a server has that does not say it."""
        self._offer = offer

    def forget(self) -> None:
        """Ask anew what it has, the next time."""
        self._offer = None

    async def talk(self, body: bytes, model: str, key: str | None, hear: Callable[[Chunk], None]) -> None:
        """Send a request, and have every chunk of its reply heard.

        Raises:
            InferenceError: there is no reply, or it is not whole.
        """
        hearing = _Hearing(hear)
        failure: InferenceError | None = None
        try:
            async with (
                asyncio.timeout(None) as limit,
                self._client.stream(
                    "POST", self._url("chat/completions"), content=body, headers=headers_of(key)
                ) as response,
            ):
                hearing.limit = limit
                hearing.ending = self._patience.ending
                if response.status_code == httpx2.codes.OK:
                    hearing.began = True
                    failure = await self._listen(response, hearing, model)
                else:
                    failure = await self._refusal(response, model, key)
        except TimeoutError:
            # Where the text is whole, its figures have been waited for long enough.
            failure = ServerTimeout(self._base_url, self._patience.silence)
        except Unreadable as error:
            failure = ReplyBroken(self._base_url, str(error))
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            failure = self._failure(error, self._patience.silence, began=hearing.began)
        # Raised out here, so that it does not hold on to the request, where the key is.
        if failure is not None and not (hearing.whole and isinstance(failure, ReplyBroken | ServerTimeout)):
            raise failure

    async def close(self) -> None:
        await self._client.aclose()

    async def _ask_for_offer(self, key: str | None) -> Offer:
        failure: InferenceError | None = None
        try:
            timeout = httpx2.Timeout(self._patience.connect)
            async with self._client.stream("GET", self._url("models"), headers=headers_of(key), timeout=timeout) as got:
                if got.status_code == httpx2.codes.OK:
                    return offer_from(self._base_url, await _whole_text(got))
                failure = await self._refusal(got, "", key)
        except Unreadable:
            failure = NoChatService(self._base_url, httpx2.codes.OK)
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            failure = self._failure(error, self._patience.connect, began=False)
        # Raised out here, so that it does not hold on to the request, where the key is.
        raise failure

    def _url(self, path: str) -> str:
        return f"{self._base_url}/{path}"

    async def _listen(self, response: httpx2.Response, hearing: _Hearing, model: str) -> InferenceError | None:
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind == "application/json":  # it does not stream: one chunk that holds all
            return self._heard(await _whole_text(response), hearing, model) or self._end(hearing)
        if kind != "text/event-stream":
            page, other = (
                Sentence("the server sent a web page."),
                Sentence("the server sent something else than a stream."),
            )
            return ReplyBroken(self._base_url, page if "html" in kind else other)
        # It is an asynchronous generator, declared as less: it has to be closed before its response is.
        events = cast("AsyncGenerator[httpx2.ServerSentEvent, None]", aiter(httpx2.EventSource(response)))
        async with aclosing(events):
            async for event in events:
                if event.data.strip() == "[DONE]":
                    return self._end(hearing)
                if event.data and (failure := self._heard(event.data, hearing, model)) is not None:
                    return failure
        return self._end(hearing)

    def _heard(self, data: str, hearing: _Hearing, model: str) -> InferenceError | None:
        chunk = chunk_from(data)
        if isinstance(chunk, Complaint):
            return self._failure_in_stream(chunk, model)
        hearing.take(chunk)
        if (reason := _NO_GOOD_ENDS.get(chunk.finish_reason)) is not None:
            hearing.whole = False
            return ReplyBroken(self._base_url, reason)
        return None

    def _end(self, hearing: _Hearing) -> InferenceError | None:
        return None if hearing.whole else ReplyBroken(self._base_url, Sentence("it ended without saying why."))

    def _failure_in_stream(self, complaint: Complaint, model: str) -> InferenceError:
        if _is_too_long(complaint) or complaint.status in (httpx2.codes.NOT_FOUND, httpx2.codes.TOO_MANY_REQUESTS):
            return self._meaning_of(complaint, complaint.status or httpx2.codes.BAD_REQUEST, model)
        return ReplyBroken(self._base_url, complaint.reason or Sentence("the server reports an error."))

    async def _refusal(self, response: httpx2.Response, model: str, key: str | None) -> InferenceError:
        status = response.status_code
        if httpx2.codes.is_redirect(status):
            return RedirectRefused(self._base_url, _target_of(response))
        if status in (httpx2.codes.UNAUTHORIZED, httpx2.codes.FORBIDDEN):
            return KeyRefused(self._base_url, status, key is not None)
        complaint = complaint_from(await self._text_of_refusal(response), status)
        if key is not None:
            # Some servers repeat a key that they refuse.
            complaint = _without(complaint, key)
        if status in (httpx2.codes.TOO_MANY_REQUESTS, httpx2.codes.SERVICE_UNAVAILABLE):
            return ServerBusy(self._base_url, status, complaint.reason, _retry_after(response))
        return self._meaning_of(complaint, status, model)

    def _meaning_of(self, complaint: Complaint, status: int, model: str) -> InferenceError:
        if _is_too_long(complaint):
            return PromptTooLong(complaint.needed_tokens or 0, complaint.context_size or 0)
        if model and _is_about_model(complaint, status, model):
            return ModelNotOffered(self._base_url, model, self._offer.names if self._offer else ())
        if status == httpx2.codes.TOO_MANY_REQUESTS:
            return ServerBusy(self._base_url, status, complaint.reason)
        if status in (httpx2.codes.NOT_FOUND, httpx2.codes.METHOD_NOT_ALLOWED):
            return NoChatService(self._base_url, status)
        if httpx2.codes.is_server_error(status):
            return ServerBroke(self._base_url, status, complaint.reason)
        return RequestRefused(self._base_url, status, complaint.reason)

    async def _text_of_refusal(self, response: httpx2.Response) -> str:
        try:
            async with asyncio.timeout(self._patience.connect):
                return await _whole_text(response, _LONGEST_REFUSAL)
        except (TimeoutError, httpx2.HTTPError):
            return ""  # its status says enough

    def _failure(self, error: httpx2.HTTPError | httpx2.InvalidURL, silence: float, *, began: bool) -> InferenceError:
        match error:
            case httpx2.ConnectTimeout():
                return ServerTimeout(self._base_url, self._patience.connect)
            case httpx2.TimeoutException():
                return ServerTimeout(self._base_url, silence)
            case httpx2.InvalidURL():
                return HostNotFound(self._base_url)
            case httpx2.ConnectError():
                return self._failure_to_connect(error)
            case httpx2.SSEError():
                return ReplyBroken(self._base_url, Sentence("a piece of it is too long to be one."))
            case httpx2.NetworkError() | httpx2.ProtocolError() | httpx2.DecodingError() if began:
                return ReplyBroken(self._base_url, Sentence("the connection broke off in the middle of it."))
            case httpx2.NetworkError() | httpx2.RemoteProtocolError():
                return ServerUnreachable(self._base_url, Sentence("it ended the connection without an answer."))
            case _:
                return ServerUnreachable(self._base_url, _sentence(str(error)))

    def _failure_to_connect(self, error: httpx2.HTTPError) -> InferenceError:
        reason = str(error)
        for cause in _causes(error):
            match cause:
                case socket.gaierror():
                    return HostNotFound(self._base_url)
                case ssl.SSLCertVerificationError():
                    return CertificateRefused(self._base_url, _sentence(cause.verify_message))
                case ssl.SSLError():
                    return ServerUnreachable(self._base_url, Sentence("it does not answer with https."))
                case ConnectionRefusedError():
                    return NothingListens(self._base_url)
                case OSError(strerror=str(words)):
                    reason = words
        return ServerUnreachable(self._base_url, _sentence(reason))


def _client_for(base_url: str, patience: Patience, proxy: Proxy) -> httpx2.AsyncClient:
    limits = httpx2.Limits(max_keepalive_connections=0)
    timeout = httpx2.Timeout(patience.silence, connect=patience.connect, pool=None)
    try:
        if not _is_this_computer(base_url):
            return httpx2.AsyncClient(
                verify=httpx2.create_ssl_context(),
                limits=limits,
                timeout=timeout,
                follow_redirects=False,
                proxy=proxy.address if proxy.kind is ProxyKind.MANUAL else None,
                trust_env=proxy.kind is ProxyKind.SYSTEM,
            )
        # Reading the certificates takes 40 ms. One that knows none trusts nobody.
        context = (
            httpx2.create_ssl_context() if base_url.startswith("https:") else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        )
        # A transport of one's own leaves out the proxies of the environment: they are no way to this same computer.
        own = httpx2.AsyncHTTPTransport(verify=context, limits=limits)
        return httpx2.AsyncClient(transport=own, timeout=timeout, follow_redirects=False)
    except (ValueError, ImportError, OSError, httpx2.InvalidURL):
        # In which words is not said: a proxy's address may hold a password.
        reason = (
            Sentence("the proxy that is set, or the certificates, cannot be used.")
            if proxy.kind is ProxyKind.MANUAL
            else Sentence("the proxy or the certificates that are set in the environment cannot be used.")
        )
    raise ServerUnreachable(base_url, reason)


class _Hearing:
    """How far a reply has come. Once it is whole, what may still follow is waited for a short time only."""

    def __init__(self, hear: Callable[[Chunk], None]) -> None:
        self._hear = hear
        self.limit: asyncio.Timeout | None = None
        self.ending = 0.0
        self.began = False
        self.whole = False

    def take(self, chunk: Chunk) -> None:
        self._hear(chunk)
        if chunk.finish_reason and not self.whole:
            self.whole = True
            if self.limit is not None:
                self.limit.reschedule(asyncio.get_running_loop().time() + self.ending)


def _is_this_computer(base_url: str) -> bool:
    host = urlsplit(base_url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


async def _whole_text(response: httpx2.Response, longest: int = 16 * 1024 * 1024) -> str:
    content = bytearray()
    async for piece in response.aiter_bytes():
        content += piece
        if len(content) > longest:
            break
    return content[:longest].decode("utf-8", "replace")


def _is_too_long(complaint: Complaint) -> bool:
    needed, size = complaint.needed_tokens, complaint.context_size
    # Where the prompt itself fits, it is the reply's length that was refused.
    return needed is not None and size is not None and needed >= size


def _is_about_model(complaint: Complaint, status: int, model: str) -> bool:
    if complaint.code == "model_not_found":
        return True
    return status == httpx2.codes.NOT_FOUND and (model in complaint.reason or "model" in complaint.reason.lower())


def _without(complaint: Complaint, key: str) -> Complaint:
    return Complaint(
        complaint.reason.replace(key, "…"),
        complaint.code.replace(key, "…"),
        complaint.status,
        complaint.needed_tokens,
        complaint.context_size,
    )


def _target_of(response: httpx2.Response) -> str:
    """Where a redirect leads, without its query: that may hold a secret."""
    try:
        parts = urlsplit(urljoin(str(response.url), response.headers.get("location", "")))
        return one_line(f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}") if parts.netloc else ""
    except ValueError:
        return ""


def _retry_after(response: httpx2.Response) -> float | None:
    value = response.headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit() and len(value) < 10:
        return float(value)
    try:
        moment = email.utils.parsedate_to_datetime(value).astimezone(UTC)
    except (ValueError, OverflowError):  # no date, or one that no calendar has
        return None
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


def _causes(error: BaseException) -> Iterator[BaseException]:
    """`error`, and all that led to it."""
    waiting: list[BaseException | None] = [error]
    seen: set[int] = set()
    while waiting:
        found = waiting.pop(0)
        if found is None or id(found) in seen:
            continue
        seen.add(id(found))
        yield found
        if isinstance(found, BaseExceptionGroup):
            waiting.extend(found.exceptions)
        waiting += (found.__cause__, found.__context__)


def _sentence(words: str) -> str:
    said = one_line(words).rstrip(".")
    return f"{said}." if said else Sentence("the connection failed.")

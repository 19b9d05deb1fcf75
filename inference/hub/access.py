"""How the Hub is reached, and what its refusals mean."""

from __future__ import annotations

import os
import re
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import httpx2

from inference.errors import InferenceError, InvalidRequest
from inference.hub.address import NO_PROXY, HubAccess
from inference.hub_errors import (
    SEARCH,
    GateClosed,
    HubBroke,
    HubBusy,
    HubError,
    HubOffline,
    HubUnreachable,
    NotOnHub,
    TokenWanted,
)
from inference.sentences import Sentence

if TYPE_CHECKING:
    from huggingface_hub import HfApi

# huggingface_hub would first ask the Hub how to recognise who runs it, then send that and torch's version along with
# each request. It reads this when it is imported, and only what comes after imports it.
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"


_ERROR_NUMBER = re.compile(r"^\[Errno -?\d+\] ")
_CONNECT_SECONDS, _READ_SECONDS = 10.0, 20.0
_LONGEST_REASON = 200
_TOKEN = re.compile(r"[!-~]+")
_BUSY, _FIRST_BROKEN = 429, 500


class HubSession:
    """Talks to the Hub: by huggingface_hub's own calls, and by plain requests that share their connections.

    huggingface_hub keeps one HTTP client for the whole process; the newest session says how it is made. Certificates
    are always checked, against the system's own. Several threads may share a session; each has connections of its own
    for plain requests.
    """

    def __init__(self, access: HubAccess) -> None:
        self.access = access
        self._lock = threading.Lock()
        self._clients: dict[int, httpx2.Client] = {}  # by thread
        self._api: HfApi | None = None

    def api(self) -> HfApi:
        """huggingface_hub's calls, at this session's address. Takes a third of a second the first time.

        Raises:
            HubOffline: nothing may be fetched.
        """
        self._check_online(Sentence("the Hub"))
        with self._lock:
            if self._api is None:
                from huggingface_hub import HfApi, set_client_factory

                set_client_factory(partial(self._new_client, _Impatient, follows=True))
                self._api = HfApi(endpoint=self.access.endpoint, token=self.access.token or False)
            return self._api

    def client(self, what: str) -> httpx2.Client:
        """A client for plain requests of this thread. `what` is asked for.

        Raises:
            HubOffline: nothing may be fetched.
        """
        self._check_online(what)
        thread = threading.get_ident()
        with self._lock:
            if thread not in self._clients:
                self._clients[thread] = self._new_client(httpx2.Client)
            return self._clients[thread]

    def headers(self, address: str) -> dict[str, str]:
        """What goes along with a request to `address`: the token goes to the Hub itself and nowhere else.

        Raises:
            InvalidRequest: no token can look like that. The sentence does not repeat it.
        """
        headers = {"User-Agent": "headwater", "Accept-Encoding": "identity"}
        if self.access.token and origin_of(address) == origin_of(self.access.endpoint):
            if not _TOKEN.fullmatch(self.access.token):
                raise InvalidRequest(
                    Sentence("The access token for the Hub has characters in it that no token can have.")
                )
            headers["Authorization"] = f"Bearer {self.access.token}"
        return headers

    def hang_up(self) -> None:
        """Let go of the connections that this thread's plain requests were made on."""
        with self._lock:
            client = self._clients.pop(threading.get_ident(), None)
        if client is not None:
            client.close()

    def close(self) -> None:
        """Let go of all connections."""
        with self._lock:
            clients, self._clients = tuple(self._clients.values()), {}
            has_api, self._api = self._api is not None, None
        for client in clients:
            client.close()
        if has_api:
            from huggingface_hub import close_session

            close_session()

    def _check_online(self, what: str) -> None:
        if self.access.offline:
            raise HubOffline(what, self.access.offline)

    def _new_client(self, kind: type[httpx2.Client], *, follows: bool = False) -> httpx2.Client:
        proxy = self.access.proxy
        try:
            return kind(
                proxy=None if proxy in ("", NO_PROXY) else proxy,
                trust_env=proxy == "",
                verify=httpx2.create_ssl_context(),
                follow_redirects=follows,
                timeout=httpx2.Timeout(_READ_SECONDS, connect=_CONNECT_SECONDS),
            )
        except ImportError:  # also where the system names one
            raise InvalidRequest(
                Sentence("A SOCKS proxy is named for the Hub; only HTTP proxies are supported.")
            ) from None
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise InvalidRequest(
                Sentence("The certificates that SSL_CERT_FILE names cannot be read: {reason}.", reason=reason)
            ) from error
        except ValueError:
            # Which is not said: it may hold a password.
            raise InvalidRequest(Sentence("What is named as a proxy for the Hub is not the address of one.")) from None


class _Refused(Exception):
    """An answer that says no. It is none of the errors that huggingface_hub waits and asks again for."""

    def __init__(self, response: httpx2.Response) -> None:
        super().__init__(response)
        self.response = response


class _Unanswered(Exception):
    """No answer came."""

    def __init__(self, error: httpx2.TransportError) -> None:
        super().__init__(error)
        self.error = error


class _Impatient(httpx2.Client):
    """huggingface_hub asks a broken Hub again and again, for half a minute; whoever looks at a window wants to know."""

    def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:  # noqa: ANN401 - httpx2's own
        try:
            response = super().send(request, **options)
        except httpx2.TransportError as error:
            raise _Unanswered(error) from error
        except RuntimeError as error:  # closed by another session that took its place meanwhile
            raise _Unanswered(httpx2.ReadError(str(error))) from error
        if response.status_code == _BUSY or response.status_code >= _FIRST_BROKEN:
            response.close()
            raise _Refused(response)
        return response


@contextmanager
def faults_of(what: str, access: HubAccess) -> Iterator[None]:
    """Raise what goes wrong with a call of huggingface_hub's as a `HubError` about `what`."""
    from huggingface_hub.errors import HFValidationError, OfflineModeIsEnabled

    try:
        with net_faults(what, access):
            yield
    except InferenceError:
        raise
    except OfflineModeIsEnabled:
        raise HubOffline(what, Sentence("HF_HUB_OFFLINE is set.")) from None
    except HFValidationError as error:
        raise InvalidRequest(Sentence("{what}: {error}.", what=what, error=_line(str(error)))) from None
    except UnicodeEncodeError:  # a token with a letter that none has
        raise TokenWanted(what, was_sent=True) from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        # An answer that is not what the Hub promises: a mirror's error page, a portal that wants a login.
        raise HubBroke(what, Sentence("its answer makes no sense ({name__})", name__=type(error).__name__)) from error


@contextmanager
def net_faults(what: str, access: HubAccess) -> Iterator[None]:
    """Raise refusals and broken connections as a `HubError` about `what`."""
    from huggingface_hub.errors import HfHubHTTPError

    try:
        yield
    except (httpx2.HTTPStatusError, HfHubHTTPError, _Refused) as error:
        raise error_of(error.response, what, access) from error
    except _Unanswered as error:
        raise _broken(error.error, what) from error
    except (httpx2.RequestError, httpx2.InvalidURL) as error:
        raise _broken(error, what) from error


def error_of(response: httpx2.Response, what: str, access: HubAccess) -> HubError:
    """What a refusal means."""
    status, code = response.status_code, response.headers.get("X-Error-Code", "")
    repo = "/".join(what.split("/")[:2])
    if code == "GatedRepo" or (status == httpx2.codes.FORBIDDEN and access.token):
        return GateClosed(what, access.page_of(repo))
    is_missing = status in (httpx2.codes.NOT_FOUND, httpx2.codes.GONE) or code in ("RepoNotFound", "EntryNotFound")
    if is_missing and what != SEARCH:
        return NotOnHub(what)
    if status in (httpx2.codes.UNAUTHORIZED, httpx2.codes.FORBIDDEN):
        return TokenWanted(what, was_sent=bool(access.token))
    if status == _BUSY:
        return HubBusy(what, _seconds(response.headers.get("Retry-After", "")))
    if status >= _FIRST_BROKEN:
        return HubBroke(what, Sentence("it answers {status}", status=status))
    return HubBroke(what, Sentence("it answers {status}, which is not expected", status=status))


def _broken(error: Exception, what: str) -> HubError:
    """What a connection means that brought no answer."""
    if isinstance(error, httpx2.TooManyRedirects):
        return HubBroke(what, Sentence("it sends on from one address to the next without end"))
    return HubUnreachable(what, _reason(error))


def _seconds(text: str) -> float | None:
    """A Retry-After in seconds; the other form, a date, is rare and left out."""
    return min(float(text), 3600.0) if text.isascii() and text.isdigit() else None


def _reason(error: Exception) -> str:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return Sentence("its certificate is not trusted ({reason})", reason=_line(cause.verify_message))
        cause = cause.__cause__ or cause.__context__
    match error:
        case httpx2.TimeoutException():
            return Sentence("it did not answer in time")
        case httpx2.DecodingError():
            return Sentence("its answer cannot be unpacked")
        case httpx2.ProxyError():
            return Sentence("the proxy refuses the connection")
        case httpx2.LocalProtocolError():  # its own words would hold the token
            return Sentence("the request holds what cannot be sent")
        case httpx2.RemoteProtocolError() | httpx2.ReadError() | httpx2.WriteError():
            return Sentence("the connection broke off")
        case _:
            return _ERROR_NUMBER.sub("", _line(str(error))) or type(error).__name__


def _line(text: str) -> str:
    line = text.strip().partition("\n")[0].strip().rstrip(".")
    return line if len(line) <= _LONGEST_REASON else line[:_LONGEST_REASON] + "…"


def origin_of(address: str) -> tuple[str, str, int | None]:
    """Whose an address is: scheme, host and port."""
    url = httpx2.URL(address)
    return url.scheme, url.host, url.port or {"http": 80, "https": 443}.get(url.scheme)

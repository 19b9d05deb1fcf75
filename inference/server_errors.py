"""What can go wrong with a server. No key is ever a part of it.

ServerError                any of them; `address` is the server's base URL
├── NothingListens         connection refused: no server runs there
├── HostNotFound           no computer of that name
├── ServerUnreachable      any other reason why no connection came about or lasted
├── ServerTimeout          no answer for too long
├── CertificateRefused     it cannot prove that it is who it should be
├── KeyRefused             401, 403: it wants a key, or another one
├── NoChatService          404: there is a server, but nothing that chats
├── ModelNotOffered        404: it does not have this model
├── ServerBusy             429, 503: later, and when
├── ServerBroke            5xx: it failed
├── RequestRefused         any other refusal, in its own words
├── RedirectRefused        it sends on to another address
└── ReplyBroken            a reply that is cut, is no reply, or reports an error half-way
"""

from __future__ import annotations

from urllib.parse import urlsplit

from inference.errors import InferenceError, later_in_words
from inference.sentences import Sentence

_MODELS_NAMED = 5


class ServerError(InferenceError):
    """Something about a server; `address` is its base URL."""

    def __init__(self, address: str, *facts: object) -> None:
        super().__init__(address, *facts)
        self.address = address

    @property
    def host(self) -> str:
        """The server as it is called in sentences: "127.0.0.1:8080"."""
        return urlsplit(self.address).netloc or self.address


class NothingListens(ServerError):
    """The connection was refused: nothing listens at that port."""

    def __str__(self) -> str:
        return Sentence("Nothing answers at {host}. Start the server there, or check the address.", host=self.host)


class HostNotFound(ServerError):
    """No computer of that name could be found."""

    def __str__(self) -> str:
        return Sentence(
            "No computer called {host} was found. Check the address, and that this computer is online.", host=self.host
        )


class ServerUnreachable(ServerError):
    """No connection came about, or it ended before the reply began; `reason` is the system's own word."""

    def __init__(self, address: str, reason: str) -> None:
        super().__init__(address, reason)
        self.reason = reason

    def __str__(self) -> str:
        return Sentence(
            "The server at {host} cannot be reached: {reason} Check the address and the network.",
            host=self.host,
            reason=self.reason,
        )


class ServerTimeout(ServerError):
    """No answer within `seconds`."""

    def __init__(self, address: str, seconds: float) -> None:
        super().__init__(address, seconds)
        self.seconds = seconds

    def __str__(self) -> str:
        return Sentence(
            "The server at {host} did not answer within {seconds:,.3g} seconds. Try again later.",
            host=self.host,
            seconds=self.seconds,
        )


class CertificateRefused(ServerError):
    """The server's certificate does not prove that it is the one that was named; `reason` says why."""

    def __init__(self, address: str, reason: str) -> None:
        super().__init__(address, reason)
        self.reason = reason

    def __str__(self) -> str:
        return Sentence(
            "The server at {host} cannot prove who it is, so nothing was sent to it: {reason} Check the address, or"
            " ask whoever runs it.",
            host=self.host,
            reason=self.reason,
        )


class KeyRefused(ServerError):
    """The server wants a key (`key_sent` false) or does not take the one it got."""

    def __init__(self, address: str, status: int, key_sent: bool) -> None:  # noqa: FBT001 - unpickled by position
        super().__init__(address, status, key_sent)
        self.status = status
        self.key_sent = key_sent

    def __str__(self) -> str:
        if self.key_sent:
            return Sentence(
                "The server at {host} does not accept this key ({status}). Give it another one.",
                host=self.host,
                status=self.status,
            )
        return Sentence("The server at {host} wants a key ({status}). Give it one.", host=self.host, status=self.status)


class NoChatService(ServerError):
    """There is a server, but no OpenAI-compatible chat at this address."""

    def __init__(self, address: str, status: int) -> None:
        super().__init__(address, status)
        self.status = status

    def __str__(self) -> str:
        return Sentence(
            "There is no chat service at {address} ({status}). Such addresses mostly end in /v1.",
            address=self.address,
            status=self.status,
        )


class ModelNotOffered(ServerError):
    """The server does not have `model`; `offered` are those it has, as far as it says."""

    def __init__(self, address: str, model: str, offered: tuple[str, ...] = ()) -> None:
        super().__init__(address, model, offered)
        self.model = model
        self.offered = offered

    def __str__(self) -> str:
        facts = {"host": self.host, "model": self.model, "shown": ", ".join(self.offered[:_MODELS_NAMED])}
        match bool(self.model), bool(self.offered):
            case True, False:
                return Sentence("The server at {host} does not offer the model “{model}”. Choose another one.", **facts)
            case False, False:
                return Sentence("The server at {host} does not offer any model. Load one there.", **facts)
            case _:
                facts["others"] = Sentence(" and others") if len(self.offered) > _MODELS_NAMED else ""
                what = Sentence("the model “{model}”", model=self.model) if self.model else Sentence("any model")
                return Sentence(
                    "The server at {host} does not offer {what}. Choose one that it does: {shown}{others}.",
                    what=what,
                    **facts,
                )


class ServerBusy(ServerError):
    """Too many requests, or not ready yet; `retry_after` is in seconds where the server says so."""

    def __init__(self, address: str, status: int, reason: str, retry_after: float | None = None) -> None:
        super().__init__(address, status, reason, retry_after)
        self.status = status
        self.reason = reason
        self.retry_after = retry_after

    def __str__(self) -> str:
        return Sentence(
            "The server at {host} takes no request now ({status}). Try again {later}{said}",
            host=self.host,
            status=self.status,
            later=later_in_words(self.retry_after),
            said=_said(self.reason),
        )


class ServerBroke(ServerError):
    """The server failed; `reason` is its own word."""

    def __init__(self, address: str, status: int, reason: str) -> None:
        super().__init__(address, status, reason)
        self.status = status
        self.reason = reason

    def __str__(self) -> str:
        return Sentence(
            "The server at {host} failed ({status}){said} Try again later.",
            host=self.host,
            status=self.status,
            said=_said(self.reason),
        )


class RequestRefused(ServerError):
    """The server does not do what was asked; `reason` is its own word."""

    def __init__(self, address: str, status: int, reason: str) -> None:
        super().__init__(address, status, reason)
        self.status = status
        self.reason = reason

    def __str__(self) -> str:
        return Sentence(
            "The server at {host} refuses this request ({status}){said} Change that, or ask another model.",
            host=self.host,
            status=self.status,
            said=_said(self.reason),
        )


class RedirectRefused(ServerError):
    """The server sends on to `target`, where nobody wanted to send a prompt or a key."""

    def __init__(self, address: str, target: str) -> None:
        super().__init__(address, target)
        self.target = target

    def __str__(self) -> str:
        return Sentence(
            "The server at {host} sends on to {where}. Nothing was sent there; use that address if it is right.",
            host=self.host,
            where=self.target or Sentence("another address"),
        )


class ReplyBroken(ServerError):
    """A reply that cannot be read to its end; `reason` says what is wrong with it."""

    def __init__(self, address: str, reason: str) -> None:
        super().__init__(address, reason)
        self.reason = reason

    def __str__(self) -> str:
        return Sentence("The reply from {host} is not whole: {reason} Ask again.", host=self.host, reason=self.reason)


def _said(reason: str) -> str:
    return f": {reason.rstrip('.')}." if reason else "."

"""What can go wrong in the engine.

InferenceError                 the world's fault; str(error) is a sentence for the person
├── InvalidRequest             a request that makes no sense (also a ValueError)
├── ModelError                 something about a model file
│   ├── ModelNotFound          no such file
│   ├── ModelUnreadable        not a GGUF file, or damaged, or cut short
│   ├── ModelUnsupported       a file of a kind this engine cannot chat with
│   ├── OutOfMemory            the model or its KV cache does not fit
│   ├── DeviceNotFound         it was to run on a device that is not here
│   ├── ModelChanged           its file was to be written into while it was in use
│   └── ModelCrashed           llama.cpp died over it, in a process of its own where it was tried first
├── ServerError                something about a server; no key is ever a part of it
│   ├── NothingListens         connection refused: no server runs there
│   ├── HostNotFound           no computer of that name
│   ├── ServerUnreachable      any other reason why no connection came about or lasted
│   ├── ServerTimeout          no answer for too long
│   ├── CertificateRefused     it cannot prove that it is who it should be
│   ├── KeyRefused             401, 403: it wants a key, or another one
│   ├── NoChatService          404: there is a server, but nothing that chats
│   ├── ModelNotOffered        404: it does not have this model
│   ├── ServerBusy             429, 503: later, and when
│   ├── ServerBroke            5xx: it failed
│   ├── RequestRefused         any other refusal, in its own words
│   ├── RedirectRefused        it sends on to another address
│   └── ReplyBroken            a reply that is cut, is no reply, or reports an error half-way
├── HubError                   something about the Hugging Face Hub, or a download; no token is ever a part of it
│   ├── HubOffline             nothing may be fetched now
│   ├── HubUnreachable         no connection came about or lasted
│   ├── HubBusy                429: later, and when
│   ├── HubBroke               5xx, or an answer that is none
│   ├── NotOnHub               404: no such repository or file
│   ├── TokenWanted            401: it wants a token, or another one
│   ├── GateClosed             403: its makers want to be asked first
│   ├── DownloadDamaged        what came is not what the Hub says the file is
│   ├── DownloadChanged        the file on the Hub became another one meanwhile
│   ├── DownloadElsewhere      another window or program fetches it already
│   ├── DiskTooSmall           the disk has no room for it
│   └── FolderRefused          the folder for models cannot be written to, or went away
├── ProcessorTooOld            this build of llama.cpp was made for newer processors
├── TemplateFailed             the model's chat template refused the conversation
├── GrammarRefused             a grammar or JSON schema that replies cannot be held to
├── PromptTooLong              the prompt alone does not fit the context window
├── GenerationBroke            llama.cpp refused to go on
├── MemoryShort                memory ran out in the middle of something
├── EngineClosed               the engine was closed first
└── EngineFault                our fault: an exception nobody foresaw, with its report

Each holds its facts as attributes and survives pickling: the facts are the constructor's arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from inference.sentences import Sentence, capital, ended

SEARCH = Sentence("this search")  # as a search on the Hub is called in sentences

_MODELS_NAMED = 5


class InferenceError(Exception):
    """Something that went wrong; `str()` of it is one plain sentence for the person."""


class InvalidRequest(InferenceError, ValueError):
    """A request that makes no sense, whoever is asked."""


class ModelError(InferenceError):
    """Something about a model file; `path` names it."""

    def __init__(self, path: Path, *facts: object) -> None:
        super().__init__(path, *facts)
        self.path = path


class ModelNotFound(ModelError):
    """No file at `path`."""

    def __str__(self) -> str:
        return Sentence("There is no model file at {path}. Check the path, or choose another model.", path=self.path)


class ModelUnreadable(ModelError):
    """Not a GGUF file, or a damaged one; `reason` says what is wrong with it."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(path, reason)
        self.reason = reason

    def __str__(self) -> str:
        return Sentence("{name} cannot be read as a model: {reason}", name=self.path.name, reason=self.reason)


class ModelChanged(ModelError):
    """Something was about to write into the file while it was in use, so what it was used for ended there."""

    def __str__(self) -> str:
        return Sentence(
            "Another program writes into {name}, so this ends here. When it is done, try again: the model is loaded"
            " anew.",
            name=self.path.name,
        )


class ProcessorTooOld(InferenceError):
    """This build of llama.cpp was made for newer processors; `lacking` names what this one does not have."""

    def __init__(self, lacking: tuple[str, ...]) -> None:
        super().__init__(lacking)
        self.lacking = lacking

    def __str__(self) -> str:
        names = ", ".join(name.upper() for name in self.lacking)
        return Sentence(
            "This processor lacks {names}, which this build of Headwater needs to run models. Choose a server's"
            " model, or build it from the source code: that fits the processor it is made on.",
            names=names,
        )


class ModelUnsupported(ModelError):
    """A sound file that this engine cannot chat with; `reason` says why."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(path, reason)
        self.reason = reason

    def __str__(self) -> str:
        return Sentence(
            "{name} cannot be used for chat: {reason} Choose another model.", name=self.path.name, reason=self.reason
        )


class OutOfMemory(ModelError):
    """The model or its KV cache does not fit; `needed` is in bytes where known, `context_size` in tokens."""

    def __init__(self, path: Path, context_size: int | None = None, needed: int | None = None) -> None:
        super().__init__(path, context_size, needed)
        self.context_size = context_size
        self.needed = needed

    def __str__(self) -> str:
        size = {"name": self.path.name, "context_size": self.context_size, "needed": (self.needed or 0) / 1e9}
        match self.context_size is not None, self.needed is not None:
            case False, False:  # the weights alone are too much, and so below
                return Sentence(
                    "{name} does not fit into memory. Choose a smaller model, or close other programs and try again.",
                    **size,
                )
            case False, True:
                return Sentence(
                    "{name} does not fit into memory (about {needed:.1f} GB needed). Choose a smaller model, or close"
                    " other programs and try again.",
                    **size,
                )
            case True, False:
                return Sentence(
                    "{name} does not fit into memory with a context window of {context_size:,} tokens. Choose a smaller"
                    " window or a smaller model.",
                    **size,
                )
            case _:
                return Sentence(
                    "{name} does not fit into memory with a context window of {context_size:,} tokens (about"
                    " {needed:.1f} GB needed). Choose a smaller window or a smaller model.",
                    **size,
                )


class DeviceNotFound(ModelError):
    """There is no device called `device`; `offered` are those that there are."""

    def __init__(self, path: Path, device: str, offered: tuple[str, ...] = ()) -> None:
        super().__init__(path, device, offered)
        self.device = device
        self.offered = offered

    def __str__(self) -> str:
        others = _either(self.offered) if self.offered else Sentence("another device")
        return Sentence(
            "{name} was to run on {device}, which is not here. Choose {others}.",
            name=self.path.name,
            device=self.device,
            others=others,
        )


class ModelCrashed(ModelError):
    """llama.cpp died over a file that was tried in a process of its own; this program goes on.

    `outcome` says how it ended, `lines` are the last it wrote. What may go better: a window of `smaller_context`
    tokens, or the CPU where `was_on_gpu`.
    """

    def __init__(
        self,
        path: Path,
        outcome: str,
        lines: tuple[str, ...] = (),
        smaller_context: int | None = None,
        was_on_gpu: bool = False,  # noqa: FBT001, FBT002 - unpickled by position
    ) -> None:
        super().__init__(path, outcome, lines, smaller_context, was_on_gpu)
        self.outcome = outcome
        self.lines = lines
        self.smaller_context = smaller_context
        self.was_on_gpu = was_on_gpu

    def __str__(self) -> str:
        said = Sentence(" Its last line: {line}.", line=self.lines[-1].rstrip(".")) if self.lines else ""
        ways = [Sentence("the CPU")] if self.was_on_gpu else []
        if self.smaller_context is not None:
            ways.append(Sentence("a window of {size:,} tokens", size=self.smaller_context))
        way = Sentence(" Try {ways}.", ways=_either(ways)) if ways else Sentence(" Choose another model.")
        return Sentence(
            "llama.cpp cannot run {name}: tried in a process of its own, {outcome}.{said}{way}",
            name=self.path.name,
            outcome=self.outcome,
            said=said,
            way=way,
        )


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
            later=_later(self.retry_after),
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


def _later(seconds: float | None) -> Sentence:
    if seconds is None:
        return Sentence("later")
    return Sentence("in 1 second") if round(seconds) == 1 else Sentence("in {seconds:,.0f} seconds", seconds=seconds)


def _either(ways: Sequence[str]) -> str:
    """One of them: "the CPU or a window of 2,048 tokens"."""
    said = ways[0]
    for way in ways[1:]:
        said = Sentence("{one} or {other}", one=said, other=way)
    return said


class HubError(InferenceError):
    """Something about the Hub, or about a download from it; `what` names the repository or the file."""

    def __init__(self, what: str, *facts: object) -> None:
        super().__init__(what, *facts)
        self.what = what


class HubOffline(HubError):
    """Nothing may be fetched; `reason` says who wants it so."""

    def __init__(self, what: str, reason: str) -> None:
        super().__init__(what, reason)
        self.reason = reason

    def __str__(self) -> str:
        return Sentence("{what} was not asked for: {reason}", what=_begun(self.what), reason=self.reason)


class HubUnreachable(HubError):
    """No connection came about, or it broke off; `reason` is the system's word for it."""

    def __init__(self, what: str, reason: str) -> None:
        super().__init__(what, reason)
        self.reason = reason

    def __str__(self) -> str:
        return Sentence(
            "The Hub cannot be reached for {what}: {reason}. Check the network, and try again.",
            what=self.what,
            reason=self.reason,
        )


class HubBusy(HubError):
    """It has been asked too often; `retry_after` is in seconds, where it says."""

    def __init__(self, what: str, retry_after: float | None = None) -> None:
        super().__init__(what, retry_after)
        self.retry_after = retry_after

    def __str__(self) -> str:
        return Sentence(
            "The Hub has been asked too often for now. Try {what} again {when}.",
            what=self.what,
            when=_later(self.retry_after),
        )


class HubBroke(HubError):
    """It failed, or answered what makes no sense; `reason` says how."""

    def __init__(self, what: str, reason: str) -> None:
        super().__init__(what, reason)
        self.reason = reason

    def __str__(self) -> str:
        return Sentence("The Hub failed over {what}: {reason}. Try again later.", what=self.what, reason=self.reason)


class NotOnHub(HubError):
    """There is no such repository or file, or it is hidden from whoever has no token for it."""

    def __str__(self) -> str:
        return Sentence(
            "{what} is not on the Hub. Check its name; a private one needs a token.", what=_begun(self.what)
        )


class TokenWanted(HubError):
    """It is shown to known people only; where a token was sent, that is refused."""

    def __init__(self, what: str, was_sent: bool = False) -> None:  # noqa: FBT001, FBT002 - unpickled by position
        super().__init__(what, was_sent)
        self.was_sent = was_sent

    def __str__(self) -> str:
        if self.was_sent:
            return Sentence(
                "The Hub does not accept the access token it was sent for {what}. Make another, under Settings.",
                what=self.what,
            )
        return Sentence(
            "{what} needs an access token of the Hub. Make one there, under Settings, and enter it here.",
            what=_begun(self.what),
        )


class GateClosed(HubError):
    """Its makers want to be asked first; `page` is where."""

    def __init__(self, what: str, page: str) -> None:
        super().__init__(what, page)
        self.page = page

    def __str__(self) -> str:
        return Sentence(
            "{what} is gated: accept its terms at {page}, then use a token of the account that did.",
            what=_begun(self.what),
            page=self.page,
        )


class DownloadDamaged(HubError):
    """What came is not what the Hub says the file is; it was thrown away."""

    def __str__(self) -> str:
        return Sentence(
            "{what} came damaged: its checksum is not the one the Hub gives. Download it again.",
            what=_begun(self.what),
        )


class DownloadChanged(HubError):
    """The file on the Hub is another one than the part that is here."""

    def __str__(self) -> str:
        return Sentence("{what} was replaced on the Hub since its download began. Download it again.", what=self.what)


class DownloadElsewhere(HubError):
    """Another window or program fetches it."""

    def __str__(self) -> str:
        return Sentence("{what} is being downloaded by another window already. Wait for it there.", what=self.what)


class DiskTooSmall(HubError):
    """There is no room; `needed` and `free` are in bytes, `folder` is where it was to go."""

    def __init__(self, what: str, folder: Path, needed: int, free: int) -> None:
        super().__init__(what, folder, needed, free)
        self.folder = folder
        self.needed = needed
        self.free = free

    def __str__(self) -> str:
        needed, free = _size(self.needed), _size(self.free)
        return Sentence(
            "{what} needs {needed} more; the disk of {folder} has {free} free. Make room there: what was fetched is"
            " kept.",
            what=self.what,
            needed=needed,
            folder=self.folder,
            free=free,
        )


class FolderRefused(HubError):
    """The folder cannot be written to; `reason` is the system's word for it."""

    def __init__(self, what: str, folder: Path, reason: str) -> None:
        super().__init__(what, folder, reason)
        self.folder = folder
        self.reason = reason

    def __str__(self) -> str:
        return Sentence(
            "{what} cannot be written to {folder}: {reason}. Check that folder, or choose another.",
            what=self.what,
            folder=self.folder,
            reason=self.reason,
        )


def _size(size: int) -> Sentence:
    if size >= 10**9:
        return Sentence("{size:,.1f} GB", size=size / 1e9)
    return Sentence("{size:,.1f} MB", size=size / 1e6)


def _begun(what: str) -> str:
    """What a sentence begins with: names of the Hub's, which hold a slash, keep their letters."""
    if "/" in what:
        return what
    return Sentence("{what:capital}", what=what) if isinstance(what, Sentence) else capital(what)


class TemplateFailed(InferenceError):
    """The chat template of a model refused the conversation; `reason` is the template's own word."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return Sentence(
            "The model's chat template cannot render this conversation: {reason} Try another template or model.",
            reason=ended(self.reason),
        )


class GrammarRefused(InferenceError):
    """A grammar or JSON schema that replies cannot be held to; `reason` is its reader's own word."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return Sentence(
            "The reply cannot be held to this grammar: {reason} Change it, or ask without it.",
            reason=ended(self.reason),
        )


class PromptTooLong(InferenceError):
    """The prompt needs more tokens than the context window holds; `droppable` messages could be left out of it."""

    def __init__(self, needed: int, context_size: int, droppable: int = 0) -> None:
        super().__init__(needed, context_size, droppable)
        self.needed = needed
        self.context_size = context_size
        self.droppable = droppable

    def __str__(self) -> str:
        if self.droppable:
            return Sentence(
                "This conversation needs {needed:,} tokens; the window holds {context_size:,}. Leave out the oldest"
                " turns, or use a larger window.",
                needed=self.needed,
                context_size=self.context_size,
            )
        return Sentence(
            "This conversation needs {needed:,} tokens; the window holds {context_size:,}. Shorten it, or use a larger"
            " window.",
            needed=self.needed,
            context_size=self.context_size,
        )


class GenerationBroke(InferenceError):
    """llama.cpp refused to go on in the middle of a generation; `reason` is its own word."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return Sentence(
            "The engine could not go on: {reason} Try again; if that does not help, load the model anew.",
            reason=ended(self.reason),
        )


class EngineClosed(InferenceError):
    """The engine was closed before the request could be answered."""

    def __str__(self) -> str:
        return Sentence("The engine was closed before this could be answered. Ask again once it runs.")


class MemoryShort(InferenceError):
    """Memory ran out in the middle of something that was to be done."""

    def __str__(self) -> str:
        return Sentence(
            "There is too little memory to go on. Close other programs, then try again; if that does not help, start"
            " Headwater again."
        )


class EngineFault(InferenceError):
    """An exception nobody foresaw inside the engine; `report` is its traceback as text."""

    def __init__(self, summary: str, report: str) -> None:
        super().__init__(summary, report)
        self.summary = summary
        self.report = report

    def __str__(self) -> str:
        summary = self.summary.rstrip(".")
        return Sentence(
            "Something went wrong inside Headwater's engine: {summary}. Try again, and report it if it comes back.",
            summary=summary,
        )

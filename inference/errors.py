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

from pathlib import Path
from urllib.parse import urlsplit

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
        return f"There is no model file at {self.path}. Check the path, or choose another model."


class ModelUnreadable(ModelError):
    """Not a GGUF file, or a damaged one; `reason` says what is wrong with it."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(path, reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path.name} cannot be read as a model: {self.reason}"


class ModelChanged(ModelError):
    """Something was about to write into the file while it was in use, so what it was used for ended there."""

    def __str__(self) -> str:
        return (
            f"Another program writes into {self.path.name}, so this ends here. When it is done, try again: the model is"
            " loaded anew."
        )


class ProcessorTooOld(InferenceError):
    """This build of llama.cpp was made for newer processors; `lacking` names what this one does not have."""

    def __init__(self, lacking: tuple[str, ...]) -> None:
        super().__init__(lacking)
        self.lacking = lacking

    def __str__(self) -> str:
        names = ", ".join(name.upper() for name in self.lacking)
        return (
            f"This processor lacks {names}, which this build of Headwater needs to run models. Choose a server's model,"
            " or build it from the source code: that fits the processor it is made on."
        )


class ModelUnsupported(ModelError):
    """A sound file that this engine cannot chat with; `reason` says why."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(path, reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path.name} cannot be used for chat: {self.reason} Choose another model."


class OutOfMemory(ModelError):
    """The model or its KV cache does not fit; `needed` is in bytes where known, `context_size` in tokens."""

    def __init__(self, path: Path, context_size: int | None = None, needed: int | None = None) -> None:
        super().__init__(path, context_size, needed)
        self.context_size = context_size
        self.needed = needed

    def __str__(self) -> str:
        what = f"{self.path.name} does not fit into memory"
        if self.context_size is not None:
            what += f" with a context window of {self.context_size:,} tokens"
        if self.needed is not None:
            what += f" (about {self.needed / 1e9:.1f} GB needed)"
        if self.context_size is None:  # the weights alone are too much
            return f"{what}. Choose a smaller model, or close other programs and try again."
        return f"{what}. Choose a smaller window or a smaller model."


class DeviceNotFound(ModelError):
    """There is no device called `device`; `offered` are those that there are."""

    def __init__(self, path: Path, device: str, offered: tuple[str, ...] = ()) -> None:
        super().__init__(path, device, offered)
        self.device = device
        self.offered = offered

    def __str__(self) -> str:
        others = " or ".join(self.offered) or "another device"
        return f"{self.path.name} was to run on {self.device}, which is not here. Choose {others}."


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
        said = f" Its last line: {self.lines[-1].rstrip('.')}." if self.lines else ""
        ways = ["the CPU"] if self.was_on_gpu else []
        if self.smaller_context is not None:
            ways.append(f"a window of {self.smaller_context:,} tokens")
        way = f" Try {' or '.join(ways)}." if ways else " Choose another model."
        return f"llama.cpp cannot run {self.path.name}: tried in a process of its own, {self.outcome}.{said}{way}"


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
        return f"Nothing answers at {self.host}. Start the server there, or check the address."


class HostNotFound(ServerError):
    """No computer of that name could be found."""

    def __str__(self) -> str:
        return f"No computer called {self.host} was found. Check the address, and that this computer is online."


class ServerUnreachable(ServerError):
    """No connection came about, or it ended before the reply began; `reason` is the system's own word."""

    def __init__(self, address: str, reason: str) -> None:
        super().__init__(address, reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"The server at {self.host} cannot be reached: {self.reason} Check the address and the network."


class ServerTimeout(ServerError):
    """No answer within `seconds`."""

    def __init__(self, address: str, seconds: float) -> None:
        super().__init__(address, seconds)
        self.seconds = seconds

    def __str__(self) -> str:
        return f"The server at {self.host} did not answer within {self.seconds:,.3g} seconds. Try again later."


class CertificateRefused(ServerError):
    """The server's certificate does not prove that it is the one that was named; `reason` says why."""

    def __init__(self, address: str, reason: str) -> None:
        super().__init__(address, reason)
        self.reason = reason

    def __str__(self) -> str:
        return (
            f"The server at {self.host} cannot prove who it is, so nothing was sent to it: {self.reason}"
            " Check the address, or ask whoever runs it."
        )


class KeyRefused(ServerError):
    """The server wants a key (`key_sent` false) or does not take the one it got."""

    def __init__(self, address: str, status: int, key_sent: bool) -> None:  # noqa: FBT001 - unpickled by position
        super().__init__(address, status, key_sent)
        self.status = status
        self.key_sent = key_sent

    def __str__(self) -> str:
        if self.key_sent:
            return f"The server at {self.host} does not accept this key ({self.status}). Give it another one."
        return f"The server at {self.host} wants a key ({self.status}). Give it one."


class NoChatService(ServerError):
    """There is a server, but no OpenAI-compatible chat at this address."""

    def __init__(self, address: str, status: int) -> None:
        super().__init__(address, status)
        self.status = status

    def __str__(self) -> str:
        return f"There is no chat service at {self.address} ({self.status}). Such addresses mostly end in /v1."


class ModelNotOffered(ServerError):
    """The server does not have `model`; `offered` are those it has, as far as it says."""

    def __init__(self, address: str, model: str, offered: tuple[str, ...] = ()) -> None:
        super().__init__(address, model, offered)
        self.model = model
        self.offered = offered

    def __str__(self) -> str:
        what = f"the model “{self.model}”" if self.model else "any model"
        sentence = f"The server at {self.host} does not offer {what}."
        if not self.offered:
            return f"{sentence} {'Choose another one' if self.model else 'Load one there'}."
        shown = ", ".join(self.offered[:_MODELS_NAMED])
        return (
            f"{sentence} Choose one that it does: {shown}{' and others' if len(self.offered) > _MODELS_NAMED else ''}."
        )


class ServerBusy(ServerError):
    """Too many requests, or not ready yet; `retry_after` is in seconds where the server says so."""

    def __init__(self, address: str, status: int, reason: str, retry_after: float | None = None) -> None:
        super().__init__(address, status, reason, retry_after)
        self.status = status
        self.reason = reason
        self.retry_after = retry_after

    def __str__(self) -> str:
        later = "later" if self.retry_after is None else f"in {self.retry_after:,.0f} seconds"
        return f"The server at {self.host} takes no request now ({self.status}). Try again {later}{_said(self.reason)}"


class ServerBroke(ServerError):
    """The server failed; `reason` is its own word."""

    def __init__(self, address: str, status: int, reason: str) -> None:
        super().__init__(address, status, reason)
        self.status = status
        self.reason = reason

    def __str__(self) -> str:
        return f"The server at {self.host} failed ({self.status}){_said(self.reason)} Try again later."


class RequestRefused(ServerError):
    """The server does not do what was asked; `reason` is its own word."""

    def __init__(self, address: str, status: int, reason: str) -> None:
        super().__init__(address, status, reason)
        self.status = status
        self.reason = reason

    def __str__(self) -> str:
        refused = f"The server at {self.host} refuses this request ({self.status}){_said(self.reason)}"
        return f"{refused} Change that, or ask another model."


class RedirectRefused(ServerError):
    """The server sends on to `target`, where nobody wanted to send a prompt or a key."""

    def __init__(self, address: str, target: str) -> None:
        super().__init__(address, target)
        self.target = target

    def __str__(self) -> str:
        where = f"to {self.target}" if self.target else "to another address"
        return f"The server at {self.host} sends on {where}. Nothing was sent there; use that address if it is right."


class ReplyBroken(ServerError):
    """A reply that cannot be read to its end; `reason` says what is wrong with it."""

    def __init__(self, address: str, reason: str) -> None:
        super().__init__(address, reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"The reply from {self.host} is not whole: {self.reason} Ask again."


def _said(reason: str) -> str:
    return f": {reason.rstrip('.')}." if reason else "."


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
        return f"{_begun(self.what)} was not asked for: {self.reason}"


class HubUnreachable(HubError):
    """No connection came about, or it broke off; `reason` is the system's word for it."""

    def __init__(self, what: str, reason: str) -> None:
        super().__init__(what, reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"The Hub cannot be reached for {self.what}: {self.reason}. Check the network, and try again."


class HubBusy(HubError):
    """It has been asked too often; `retry_after` is in seconds, where it says."""

    def __init__(self, what: str, retry_after: float | None = None) -> None:
        super().__init__(what, retry_after)
        self.retry_after = retry_after

    def __str__(self) -> str:
        when = "later" if self.retry_after is None else f"in {self.retry_after:,.0f} s"
        return f"The Hub has been asked too often for now. Try {self.what} again {when}."


class HubBroke(HubError):
    """It failed, or answered what makes no sense; `reason` says how."""

    def __init__(self, what: str, reason: str) -> None:
        super().__init__(what, reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"The Hub failed over {self.what}: {self.reason}. Try again later."


class NotOnHub(HubError):
    """There is no such repository or file, or it is hidden from whoever has no token for it."""

    def __str__(self) -> str:
        return f"{self.what} is not on the Hub. Check its name; a private one needs a token."


class TokenWanted(HubError):
    """It is shown to known people only; where a token was sent, that is refused."""

    def __init__(self, what: str, was_sent: bool = False) -> None:  # noqa: FBT001, FBT002 - unpickled by position
        super().__init__(what, was_sent)
        self.was_sent = was_sent

    def __str__(self) -> str:
        if self.was_sent:
            return (
                f"The Hub does not accept the access token it was sent for {self.what}. Make another, under Settings."
            )
        return (
            f"{_begun(self.what)} needs an access token of the Hub. Make one there, under Settings, and enter it here."
        )


class GateClosed(HubError):
    """Its makers want to be asked first; `page` is where."""

    def __init__(self, what: str, page: str) -> None:
        super().__init__(what, page)
        self.page = page

    def __str__(self) -> str:
        return (
            f"{_begun(self.what)} is gated: accept its terms at {self.page}, then use a token of the account that did."
        )


class DownloadDamaged(HubError):
    """What came is not what the Hub says the file is; it was thrown away."""

    def __str__(self) -> str:
        return f"{self.what} came damaged: its checksum is not the one the Hub gives. Download it again."


class DownloadChanged(HubError):
    """The file on the Hub is another one than the part that is here."""

    def __str__(self) -> str:
        return f"{self.what} was replaced on the Hub since its download began. Download it again."


class DownloadElsewhere(HubError):
    """Another window or program fetches it."""

    def __str__(self) -> str:
        return f"{self.what} is being downloaded by another window already. Wait for it there."


class DiskTooSmall(HubError):
    """There is no room; `needed` and `free` are in bytes, `folder` is where it was to go."""

    def __init__(self, what: str, folder: Path, needed: int, free: int) -> None:
        super().__init__(what, folder, needed, free)
        self.folder = folder
        self.needed = needed
        self.free = free

    def __str__(self) -> str:
        needed, free = _size(self.needed), _size(self.free)
        return (
            f"{self.what} needs {needed} more; the disk of {self.folder} has {free} free. Make room there: what was"
            " fetched is kept."
        )


class FolderRefused(HubError):
    """The folder cannot be written to; `reason` is the system's word for it."""

    def __init__(self, what: str, folder: Path, reason: str) -> None:
        super().__init__(what, folder, reason)
        self.folder = folder
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.what} cannot be written to {self.folder}: {self.reason}. Check that folder, or choose another."


def _size(size: int) -> str:
    return f"{size / 1e9:,.1f} GB" if size >= 10**9 else f"{size / 1e6:,.1f} MB"


def _begun(what: str) -> str:
    """What a sentence begins with: names of the Hub's, which hold a slash, keep their letters."""
    return what if "/" in what else what[:1].upper() + what[1:]


class TemplateFailed(InferenceError):
    """The chat template of a model refused the conversation; `reason` is the template's own word."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return (
            f"The model's chat template cannot render this conversation: {self.reason} Try another template or model."
        )


class GrammarRefused(InferenceError):
    """A grammar or JSON schema that replies cannot be held to; `reason` is its reader's own word."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"The reply cannot be held to this grammar: {self.reason} Change it, or ask without it."


class PromptTooLong(InferenceError):
    """The prompt needs more tokens than the context window holds; `droppable` messages could be left out of it."""

    def __init__(self, needed: int, context_size: int, droppable: int = 0) -> None:
        super().__init__(needed, context_size, droppable)
        self.needed = needed
        self.context_size = context_size
        self.droppable = droppable

    def __str__(self) -> str:
        way = "Leave out the oldest turns" if self.droppable else "Shorten it"
        return (
            f"This conversation needs {self.needed:,} tokens; the window holds {self.context_size:,}. "
            f"{way}, or use a larger window."
        )


class GenerationBroke(InferenceError):
    """llama.cpp refused to go on in the middle of a generation; `reason` is its own word."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"The engine could not go on: {self.reason} Try again; if that does not help, load the model anew."


class EngineClosed(InferenceError):
    """The engine was closed before the request could be answered."""

    def __str__(self) -> str:
        return "The engine was closed before this could be answered. Ask again once it runs."


class MemoryShort(InferenceError):
    """Memory ran out in the middle of something that was to be done."""

    def __str__(self) -> str:
        return (
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
        return f"Something went wrong inside Headwater's engine: {summary}. Try again, and report it if it comes back."

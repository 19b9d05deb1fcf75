"""What is chosen before anything is asked: the model and how it is loaded, and what is kept where."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TypeAlias
from urllib.parse import urlsplit

from inference.errors import InvalidRequest
from inference.sentences import Sentence


class KvType(StrEnum):
    """How the KV cache is stored."""

    F16 = "f16"
    Q8_0 = "q8_0"  # half the memory, a little less exact; needs flash attention


MOST_THREADS = 512  # llama.cpp's own bound; beyond it the process dies


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """A model file and how to load it.

    Two equal configs are served by one loaded model. `None` leaves the choice to the engine: a context of
    min(training context, 4,096) tokens, the threads that were measured to be fastest (at most one fewer than the
    physical cores), as many layers on the GPU as are forecast to fit where the installed llama.cpp has one.
    `template` is the Jinja source of a chat template in place of the model's own. `device` is the name of what
    computes, such as "CUDA0"; "CPU" leaves every GPU alone.

    Raises:
        InvalidRequest: a size below 1, a negative number of layers, or a device without a name.
    """

    path: Path
    context_size: int | None = None
    threads: int | None = None
    gpu_layers: int | None = None
    template: str | None = field(default=None, repr=False)
    device: str | None = None
    kv_type: KvType = KvType.F16

    def __post_init__(self) -> None:
        if self.context_size is not None and self.context_size < 1:
            raise InvalidRequest(
                Sentence("The context size is at least 1 token; got {context_size}.", context_size=self.context_size)
            )
        if self.threads is not None and not 1 <= self.threads <= MOST_THREADS:
            raise InvalidRequest(
                Sentence(
                    "Between 1 and {MOST_THREADS} threads can compute; got {threads}.",
                    MOST_THREADS=MOST_THREADS,
                    threads=self.threads,
                )
            )
        if self.gpu_layers is not None and self.gpu_layers < 0:
            raise InvalidRequest(
                Sentence(
                    "The number of layers on the GPU is not negative; got {gpu_layers}.", gpu_layers=self.gpu_layers
                )
            )
        if self.device == "":
            raise InvalidRequest(Sentence("An empty text names no device."))


# Compiled when they are first used: most never name a server.
_HOST = r"[\w.-]+|[0-9a-f:.]*:[0-9a-f:.]*"


_PATH = r"[\w./~%:@+=,-]*"


_DEFAULT_PORTS = {"http": 80, "https": 443}


_CHAT_PATH = "/chat/completions"


def base_url_of(address: str) -> str:
    """A server's base URL, from its address as a person writes it.

    Without a path it is the usual `/v1`; one that names the chat service itself is cut to its base. What is parsed
    here is put together anew, so that nothing in it can be read as another host than the one that was checked.

    Raises:
        InvalidRequest: no http or https address, or one with a key, a password or a query in it.
    """
    try:
        parts = urlsplit(address.strip())
        scheme, host, port = parts.scheme, parts.hostname or "", parts.port
    except ValueError:
        raise InvalidRequest(Sentence("The server's address cannot be read.")) from None
    if scheme not in _DEFAULT_PORTS:
        raise InvalidRequest(Sentence("A server's address begins with http:// or https://."))
    if "@" in parts.netloc or parts.query or parts.fragment:
        # Not shown: what stands there may be a secret.
        raise InvalidRequest(Sentence("A server's address holds no password and no key; give the key apart from it."))
    if not re.fullmatch(_HOST, host) or not re.fullmatch(_PATH, parts.path):
        raise InvalidRequest(Sentence("The server's address cannot be read."))
    place = f"[{host}]" if ":" in host else host
    if port not in (None, _DEFAULT_PORTS[scheme]):
        place += f":{port}"
    path = parts.path.rstrip("/").removesuffix(_CHAT_PATH).rstrip("/")
    return f"{scheme}://{place}{path or '/v1'}"


def is_address(text: str) -> bool:
    """Whether `text` is meant as a server's address, not as a file's path."""
    return text.strip().lower().startswith(("http://", "https://"))


@dataclass(frozen=True, slots=True)
class RemoteModel:
    """A model behind an OpenAI-compatible server; `name` "" is the server's only or first one.

    `base_url` is as `base_url_of` gives it. A key is no part of it: only the engine holds keys, so that no request,
    log or error can show one.

    Raises:
        InvalidRequest: the address is not one, or not in the form that `base_url_of` gives.
    """

    base_url: str
    name: str = ""

    def __post_init__(self) -> None:
        if base_url_of(self.base_url) != self.base_url:
            raise InvalidRequest(
                Sentence("Write this server's address as {base_url_of}.", base_url_of=base_url_of(self.base_url))
            )


AnyModel: TypeAlias = ModelConfig | RemoteModel


class ProxyKind(StrEnum):
    """Which way leads to servers on other computers."""

    SYSTEM = "system"  # as the system's settings, or the usual environment variables, say
    NONE = "none"  # straight there
    MANUAL = "manual"  # through the proxy that is named


_PROXY = r"(?i)https?://([\w.-]+|\[[0-9a-f:.]+\])(:\d{1,5})?/?"


def is_proxy_address(text: str) -> bool:
    """Whether `text` is the address of a proxy, with no password in it: "http://proxy.example.org:3128"."""
    try:
        return re.fullmatch(_PROXY, text) is not None and urlsplit(text).port != 0
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class EngineFiles:
    """Where an engine keeps what it learns of this machine: what it measured with each model, and llama.cpp's log.
    `None` is nowhere: then threads are not tuned, and no file is tried in a process of its own before it is loaded."""

    measurements: Path | None = None
    log: Path | None = None

    @classmethod
    def within(cls, folder: Path) -> EngineFiles:
        """All of them in one folder."""
        return cls(folder / "machine.json", folder / "llama.log")

    @classmethod
    def usual(cls) -> EngineFiles:
        """Where this person's programs keep such files."""
        from platformdirs import user_data_path, user_log_path

        data, log = (find("Headwater", appauthor=False) for find in (user_data_path, user_log_path))
        return cls(data / "machine.json", log / "llama.log")


def default_models_folder() -> Path:
    """Where this person's model files are put, unless another folder is named."""
    from platformdirs import user_data_path

    return user_data_path("Headwater", appauthor=False) / "models"


class WindowPolicy(StrEnum):
    """What is done with a conversation that no longer fits the context window."""

    STOP = "stop"  # say so, and read nothing
    DROP_OLDEST = "drop oldest"  # leave out the oldest turns, and say which

"""What a person pastes to name a model: a repository's id, its page's address, or one of its files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from inference.errors import InvalidRequest
from inference.sentences import Sentence

_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}"
_REPO = re.compile(rf"{_NAME}/{_NAME}")
_HOSTS = ("huggingface.co", "www.huggingface.co", "hf.co")
_PLACES = ("blob", "resolve", "raw", "tree")
_NO_MODELS = ("datasets", "spaces", "docs", "collections", "papers", "api", "models")


@dataclass(frozen=True, slots=True)
class HubLink:
    """A repository, `owner/name`. `file` is a path in it, `quantisation` a word for one ("Q4_K_M"); each may be ""."""

    repo: str
    file: str = ""
    quantisation: str = ""


def read_link(text: str, endpoint: str = "") -> HubLink | None:
    """What `text` names, if it names anything: `owner/name`, `owner/name:Q4_K_M`, `owner/name:file.gguf`, `hf.co/...`,
    or an address on the Hub, or on a mirror of it at `endpoint`."""
    text = text.strip().strip("<>\"'")
    address = _as_address(text, endpoint)
    if address is not None:
        return _from_path(address)
    repo, _, rest = text.partition(":")
    return _link(repo, rest) if is_repo(repo) else None


def link_of(text: str, endpoint: str = "") -> HubLink:
    """`read_link`, of what must name something.

    Raises:
        InvalidRequest: it does not.
    """
    link = read_link(text, endpoint)
    if link is None:
        raise InvalidRequest(
            Sentence("{text!r} names no repository; write it as OWNER/NAME or OWNER/NAME:FILE.", text=text)
        )
    return link


def is_repo(text: str) -> bool:
    """Whether this can be a repository's id, `owner/name`; it leads nowhere but into a folder for it."""
    return _REPO.fullmatch(text) is not None and ".." not in text and "--" not in text and not text.endswith(".git")


def _as_address(text: str, endpoint: str) -> str | None:
    """The path within the Hub, where `text` is an address there."""
    bare = text if "://" in text else f"https://{text}"
    try:
        parts = urlsplit(bare)
    except ValueError:  # half an IPv6 address
        return None
    mirror = urlsplit(endpoint).netloc if endpoint else ""
    if parts.scheme not in ("http", "https") or parts.netloc.lower() not in (*_HOSTS, mirror) or not parts.netloc:
        return None
    return unquote(parts.path).strip("/")


def _from_path(path: str) -> HubLink | None:
    words = path.split("/")
    if len(words) < 2 or words[0] in _NO_MODELS:
        return None
    name, _, rest = words[1].partition(":")
    repo = f"{words[0]}/{name}"
    if not is_repo(repo):
        return None
    if len(words) > 4 and words[2] in _PLACES[:3]:
        return HubLink(repo, file="/".join(words[4:])) if _is_inside(words[4:]) else None
    return _link(repo, rest)


def _link(repo: str, rest: str) -> HubLink | None:
    if not rest:
        return HubLink(repo)
    if rest.lower().endswith(".gguf"):
        return HubLink(repo, file=rest) if _is_inside(rest.split("/")) else None
    return HubLink(repo, quantisation=rest.upper())


def _is_inside(words: list[str]) -> bool:
    return all(word and word not in (".", "..") for word in words)

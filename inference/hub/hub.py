"""What the Hub has: models searched, their files, what their pages say."""

from __future__ import annotations

import re
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Literal

from inference.declared import LARGEST_NUMBER
from inference.hub.access import HubSession, faults_of
from inference.hub.files import MODEL_SUFFIX, HubFile, HubModel, is_inside, leads_outside, models_in, nearest
from inference.hub.links import HubLink, is_repo
from inference.hub.repo import HubOrder, HubRepo
from inference.hub_errors import SEARCH, HubBroke, NotOnHub
from inference.sentences import Sentence

if TYPE_CHECKING:
    from huggingface_hub import ModelInfo
    from huggingface_hub.hf_api import ExpandModelProperty_T

_LONGEST_PAGE = 400_000  # bytes of a model's page; the longest known have a tenth
_MOST_FILES = 20_000  # of a repository; a list without end would be read for ever
_LONGEST_WORD = 500  # characters, also of a path
_PAGE_FILE = "README.md"
_SEARCHED: list[ExpandModelProperty_T] = ["downloads", "likes", "lastModified", "gated", "tags", "gguf", "pipeline_tag"]
_KNOWN: list[ExpandModelProperty_T] = [*_SEARCHED, "sha", "cardData"]
_FENCED = re.compile(r"(^```.*?^```[^\n]*$|`[^`\n]+`)", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_PICTURE = re.compile(r"!\[[^\]\n]*\](?:\([^)\n]*\)|\[[^\]\n]*\])")
_EMPTY_LINK = re.compile(r"(?<!!)\[\s*\]\([^)\n]*\)")  # what is left of a picture that was a link
_BREAK = re.compile(r"<(?:br|/p|/div|/tr|/li|/h\d)\s*/?>", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9-]*(?:\s[^<>]*)?/?>")
_MANY_LINES = re.compile(r"\n\s*\n(?:\s*\n)+")
_OTHER_TASKS = ("feature-extraction", "sentence-similarity", "text-to-image", "text-ranking", "text-to-video")


class Hub:
    """Asks the Hub. Every method may take seconds, and raises `HubError`."""

    def __init__(self, session: HubSession) -> None:
        self._session = session

    def search(self, words: str, order: HubOrder = HubOrder.DOWNLOADS, limit: int = 30) -> tuple[HubRepo, ...]:
        """Repositories with GGUF files whose name holds `words`."""
        with faults_of(SEARCH, self._session.access):
            found = self._session.api().list_models(
                search=words.strip() or None, filter="gguf", sort=_sort(order), limit=limit, expand=_SEARCHED
            )
            return tuple(_repo(info) for info in found if is_repo(_text(info.id)))

    def repo(self, repo: str) -> HubRepo:
        """What is known of one repository, and which version it has now."""
        with faults_of(repo, self._session.access):
            return _repo(self._session.api().model_info(repo, expand=_KNOWN))

    def models(self, repo: HubRepo) -> tuple[HubModel, ...]:
        """The models of this version of a repository."""
        from huggingface_hub.hf_api import RepoFile

        with faults_of(repo.id, self._session.access):
            tree = self._session.api().list_repo_tree(repo.id, recursive=True, revision=repo.commit or None)
            files = [
                HubFile(
                    entry.path,
                    _number(entry.lfs.size if entry.lfs else entry.size),
                    _digits(entry.lfs.sha256 if entry.lfs else "", 64),
                )
                for entry in islice(tree, _MOST_FILES)
                if isinstance(entry, RepoFile) and _text(entry.path).lower().endswith(MODEL_SUFFIX)
            ]
        if any(leads_outside(file.path) for file in files):
            raise HubBroke(repo.id, Sentence("it names a file outside of itself"))
        return models_in(file for file in files if is_inside(file.path))

    def page(self, repo: HubRepo) -> str:
        """What its page says: the Markdown text, without the facts at its head, pictures and HTML; "" where it has
        none."""
        address = f"{self._session.access.endpoint}/{repo.id}/resolve/{repo.commit or 'main'}/{_PAGE_FILE}"
        with faults_of(repo.id, self._session.access):
            client = self._session.client(repo.id)
            with client.stream(
                "GET", address, headers=self._session.headers(address), follow_redirects=True
            ) as response:
                if response.status_code == 404:
                    return ""
                response.raise_for_status()
                read = bytearray()
                for piece in response.iter_bytes():
                    read += piece
                    if len(read) > _LONGEST_PAGE:
                        break
        return readable(_without_head(bytes(read[:_LONGEST_PAGE]).decode("utf-8", "replace")))

    def model_of(self, link: HubLink) -> tuple[HubRepo, HubModel]:
        """The repository and the model that a link names; without a file in it, a middling quantisation.

        Raises:
            NotOnHub: there is none.
        """
        repo = self.repo(link.repo)
        models = [model for model in self.models(repo) if model.is_whole and not model.is_projector]
        if link.file:
            for model in models:
                if link.file in (file.path for file in model.files):
                    return repo, model
            raise NotOnHub(f"{link.repo}/{link.file}")
        if link.quantisation:
            for model in models:
                if model.quantisation == link.quantisation:
                    return repo, model
            raise NotOnHub(f"{link.repo}:{link.quantisation}")
        found = nearest(models, "Q4_K_M") or next(iter(models), None)
        if found is None:
            raise NotOnHub(Sentence("{repo} has no model file; it", repo=link.repo))
        return repo, found


def readable(text: str) -> str:
    """Markdown without what only a browser can show: pictures, HTML's tags and comments. Code stays as it is."""
    parts = _FENCED.split(_COMMENT.sub("", text))
    for number in range(0, len(parts), 2):  # the others are code
        part = _PICTURE.sub("", parts[number])
        part = _BREAK.sub("\n", part)
        parts[number] = _MANY_LINES.sub("\n\n", _EMPTY_LINK.sub("", _TAG.sub("", part)))
    return "".join(parts).strip()


def _sort(order: HubOrder) -> Literal["downloads", "likes", "last_modified"]:
    match order:
        case HubOrder.DOWNLOADS:
            return "downloads"
        case HubOrder.LIKES:
            return "likes"
        case HubOrder.RECENT:
            return "last_modified"


def _repo(info: ModelInfo) -> HubRepo:
    """What is said of a repository; huggingface_hub hands on whatever stood in the answer.

    Raises:
        ValueError: it has a name that none can have.
    """
    if not is_repo(_text(info.id)):
        raise ValueError(info.id)
    gguf = info.gguf if isinstance(info.gguf, dict) else {}
    tags = tuple(filter(None, map(_text, info.tags if isinstance(info.tags, list) else ())))
    return HubRepo(
        id=info.id,
        downloads=_number(info.downloads),
        likes=_number(info.likes),
        updated=_moment(info.last_modified),
        licence=next((tag.removeprefix("license:") for tag in tags if tag.startswith("license:")), ""),
        gated=bool(info.gated),
        languages=tuple(tag for tag in tags if len(tag) in (2, 3) and tag.isalpha() and tag.islower()),
        architecture=_text(gguf.get("architecture")),
        parameters=_number(gguf.get("total")),
        training_context=_number(gguf.get("context_length")),
        commit=_digits(info.sha, 40),
        is_for_chat=info.pipeline_tag not in _OTHER_TASKS,
    )


def _number(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= LARGEST_NUMBER else 0


def _text(value: object) -> str:
    """A word or a name, as it can stand on a line; "" for what is none."""
    return value if isinstance(value, str) and value.isprintable() and len(value) <= _LONGEST_WORD else ""


def _digits(value: object, count: int) -> str:
    """A checksum or a version: so many hexadecimal digits; "" for what is none."""
    return value if isinstance(value, str) and re.fullmatch(f"[0-9a-f]{{{count}}}", value) else ""


def _moment(value: object) -> datetime | None:
    """A moment that every time zone has room for."""
    return value if isinstance(value, datetime) and value.year in range(1970, 9999) else None


def _without_head(text: str) -> str:
    if not text.startswith("---"):
        return text
    _, _, rest = text[3:].partition("\n---")
    return rest.lstrip("-").lstrip() if rest else text

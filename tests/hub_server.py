"""A server that speaks the Hub's API as huggingface_hub calls it, and can misbehave on request.

Files lie on a second address, as the Hub's do on its storage; whatever is asked of either is written down.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"
_PIECE = 1 << 16


@dataclass
class Contents:
    """The bytes of a file, made when asked for: `piece(begin, end)`."""

    size: int
    piece: Callable[[int, int], bytes]

    @classmethod
    def of(cls, data: bytes) -> Contents:
        return cls(len(data), lambda begin, end: data[begin:end])

    def sha256(self) -> str:
        digest = hashlib.sha256()
        for begin in range(0, self.size, 1 << 20):
            digest.update(self.piece(begin, min(self.size, begin + (1 << 20))))
        return digest.hexdigest()


@dataclass
class HubFileOnServer:
    contents: Contents
    sha256: str
    is_large: bool = True  # kept as large files are; others have git's name for their contents


@dataclass
class RepoOnServer:
    files: dict[str, HubFileOnServer] = field(default_factory=dict)
    downloads: int = 0
    likes: int = 0
    modified: str = "2026-01-02T03:04:05.000Z"
    licence: str = "apache-2.0"
    gated: bool = False
    private: bool = False
    pipeline_tag: str = "text-generation"
    gguf: dict[str, Any] = field(default_factory=dict)
    page: str = ""


@dataclass
class Behaviour:
    """How it misbehaves. Each `Iterator` gives one answer to one request for a file's bytes, then it behaves."""

    statuses: list[tuple[int, dict[str, str]]] = field(default_factory=list)  # of the next requests to the Hub
    storage_statuses: list[int] = field(default_factory=list)  # of the next requests to its storage
    cuts: list[int] = field(default_factory=list)  # bytes after which the next connections end
    ignores_ranges: bool = False
    lies_about_length: list[int] = field(default_factory=list)  # added to the next Content-Lengths
    breaks_bytes: bool = False  # what comes is not what was promised
    etag: str = ""  # another than the file's own
    rate: float = 0.0  # bytes a second; 0 is as fast as can be
    nonsense: bool = False  # every answer of the API is a page for people
    answer: tuple[bytes, dict[str, str]] | None = None  # every answer of the API is this body with these headers
    shifted_range: int = 0
    page_size: int = 0  # of lists of files; 0 is all at once


@dataclass
class Request:
    method: str
    path: str
    headers: dict[str, str]


class HubServer:
    """The Hub at `address`, its files at `storage_address`; `requests` and `storage_requests` say what was asked."""

    def __init__(self) -> None:
        self.repos: dict[str, RepoOnServer] = {}
        self.tokens = {"hf_good", "hf_invited"}
        self.invited = {"hf_invited"}
        self.behaviour = Behaviour()
        self.requests: list[Request] = []
        self.storage_requests: list[Request] = []
        self.sent = 0  # bytes of files
        self._lock = threading.Lock()
        self._hub = _Server(self, _HubHandler)
        self._storage = _Server(self, _StorageHandler)
        self.address = f"http://127.0.0.1:{self._hub.server_port}"
        self.storage_address = f"http://127.0.0.1:{self._storage.server_port}"
        for server in (self._hub, self._storage):
            threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def add(self, repo: str, files: Mapping[str, bytes | Contents], **facts: Any) -> RepoOnServer:
        kept = self.repos.setdefault(repo, RepoOnServer(**facts))
        for path, data in files.items():
            contents = Contents.of(data) if isinstance(data, bytes) else data
            large = path.endswith(".gguf")
            kept.files[path] = HubFileOnServer(contents, contents.sha256(), large)
        return kept

    def close(self) -> None:
        for server in (self._hub, self._storage):
            server.shutdown()
            server.server_close()

    def count(self, sent: int) -> None:
        with self._lock:
            self.sent += sent


@contextmanager
def hub_server() -> Iterator[HubServer]:
    server = HubServer()
    try:
        yield server
    finally:
        server.close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, hub: HubServer, handler: type[BaseHTTPRequestHandler]) -> None:
        self.hub = hub
        super().__init__(("127.0.0.1", 0), handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is what the tests want."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def hub(self) -> HubServer:
        assert isinstance(self.server, _Server)
        return self.server.hub

    @property
    def asked(self) -> Request:
        return Request(self.command, self.path, {name.lower(): value for name, value in self.headers.items()})

    def log_message(self, *_: object) -> None:
        """Say nothing: the tests look at `requests`."""

    def answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        if not any(name.lower() == "content_length" for name in headers):
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def answer_json(self, content: object, **headers: str) -> None:
        self.answer(200, json.dumps(content).encode(), Content_Type="application/json", **headers)


class _HubHandler(_Handler):
    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        hub, url = self.hub, urlsplit(self.path)
        hub.requests.append(
            Request(self.command, self.path, {name.lower(): value for name, value in self.headers.items()})
        )
        if hub.behaviour.statuses:
            status, headers = hub.behaviour.statuses.pop(0)
            self.answer(status, b"", **{name.replace("-", "_"): value for name, value in headers.items()})
            return
        if hub.behaviour.answer is not None:
            body, headers = hub.behaviour.answer
            self.answer(200, body, **{name.replace("-", "_"): value for name, value in headers.items()})
            return
        if hub.behaviour.nonsense:
            self.answer(200, b"<html>Please log in</html>", Content_Type="text/html")
            return
        words = unquote(url.path).strip("/").split("/")
        if words[:2] == ["api", "models"] and len(words) == 2:
            self._search({name: values[0] for name, values in parse_qs(url.query).items()})
        elif words[:2] == ["api", "models"] and len(words) >= 4:
            self._about("/".join(words[2:4]), words[4:])
        elif len(words) >= 5 and words[2] == "resolve":
            self._resolve("/".join(words[:2]), words[3], "/".join(words[4:]))
        else:
            self.answer(404)

    def _search(self, query: dict[str, str]) -> None:
        words = query.get("search", "").lower()
        found = [(name, repo) for name, repo in self.hub.repos.items() if words in name.lower() and not repo.private]
        by = {"downloads": lambda r: r.downloads, "likes": lambda r: r.likes, "lastModified": lambda r: r.modified}
        found.sort(key=lambda pair: by[query.get("sort", "downloads")](pair[1]), reverse=True)
        limit = int(query.get("limit", "1000"))
        self.answer_json([self._info(name, repo) for name, repo in found[:limit]])

    def _info(self, name: str, repo: RepoOnServer) -> dict[str, Any]:
        return {
            "id": name,
            "downloads": repo.downloads,
            "likes": repo.likes,
            "lastModified": repo.modified,
            "gated": "manual" if repo.gated else False,
            "private": repo.private,
            "tags": ["gguf", f"license:{repo.licence}", "en"],
            "pipeline_tag": repo.pipeline_tag,
            "sha": COMMIT,
            **({"gguf": repo.gguf} if repo.gguf else {}),
        }

    def _about(self, name: str, more: list[str]) -> None:
        repo = self._allowed(name, is_file=False)
        if repo is None:
            return
        if more[:1] == ["tree"]:
            if more[1] not in ("main", COMMIT):
                self.answer(404, X_Error_Code="RevisionNotFound")
                return
            self._list_files([_entry(path, file) for path, file in repo.files.items()])
        else:
            self.answer_json(self._info(name, repo))

    def _list_files(self, entries: list[dict[str, Any]]) -> None:
        url = urlsplit(self.path)
        begin = int(parse_qs(url.query).get("cursor", ["0"])[0])
        end = begin + (self.hub.behaviour.page_size or len(entries))
        more = {"Link": f'<{self.hub.address}{url.path}?cursor={end}>; rel="next"'} if end < len(entries) else {}
        self.answer_json(entries[begin:end], **more)

    def _resolve(self, name: str, revision: str, path: str) -> None:
        repo = self._allowed(name, is_file=True)
        if repo is None:
            return
        if path == "README.md" and repo.page:
            self.answer(200, repo.page.encode(), ETag='"of-the-page"')
            return
        file = repo.files.get(path)
        if file is None or revision not in ("main", COMMIT):
            self.answer(404, b"", X_Error_Code="EntryNotFound")
            return
        etag = self.hub.behaviour.etag or (file.sha256 if file.is_large else _git_name(file))
        target = f"{self.hub.storage_address}/{quote(name)}/{quote(path)}?signature=abc"
        self.answer(
            302,
            b"",
            Location=target,
            X_Linked_ETag=f'"{etag}"',
            X_Linked_Size=str(file.contents.size),
            X_Repo_Commit=COMMIT,
        )

    def _allowed(self, name: str, *, is_file: bool) -> RepoOnServer | None:
        """The repository, if whoever asks may see it; else the refusal is sent."""
        token = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        is_invited = token in self.hub.invited
        repo = self.hub.repos.get(name)
        if token and token not in self.hub.tokens:
            self.answer(
                401, b'{"error": "Invalid credentials"}', X_Error_Message="Invalid credentials in Authorization"
            )
        elif repo is None or (repo.private and not token):
            # The Hub does not say which of the two it is.
            self.answer(401 if not token else 404, b"", X_Error_Code="RepoNotFound")
        elif repo.gated and is_file and not is_invited:
            self.answer(403 if token else 401, b"", X_Error_Code="GatedRepo")
        else:
            return repo
        return None


class _StorageHandler(_Handler):
    def do_GET(self) -> None:
        hub, behaviour = self.hub, self.hub.behaviour
        hub.storage_requests.append(
            Request(self.command, self.path, {name.lower(): value for name, value in self.headers.items()})
        )
        if behaviour.storage_statuses:
            self.answer(behaviour.storage_statuses.pop(0))
            return
        words = unquote(urlsplit(self.path).path).strip("/").split("/")
        contents = hub.repos["/".join(words[:2])].files["/".join(words[2:])].contents
        begin, wanted = 0, self.headers.get("Range", "")
        ranged = wanted.startswith("bytes=") and not behaviour.ignores_ranges
        if ranged:
            begin = int(wanted.removeprefix("bytes=").rstrip("-"))
            if begin >= contents.size:
                self.answer(416, b"", Content_Range=f"bytes */{contents.size}")
                return
        self.send_response(206 if ranged else 200)
        if ranged:
            first = begin + behaviour.shifted_range
            self.send_header("Content-Range", f"bytes {first}-{contents.size - 1}/{contents.size}")
        lie = behaviour.lies_about_length.pop(0) if behaviour.lies_about_length else 0
        self.send_header("Content-Length", str(contents.size - begin + lie))
        self.end_headers()
        self._send(contents, begin)
        self.close_connection = self.close_connection or bool(lie)

    def _send(self, contents: Contents, begin: int) -> None:
        behaviour = self.hub.behaviour
        cut = behaviour.cuts.pop(0) if behaviour.cuts else contents.size
        end = min(contents.size, begin + cut)
        while begin < end:
            piece = contents.piece(begin, min(end, begin + _PIECE))
            if behaviour.breaks_bytes:
                piece = bytes(byte ^ 0xFF for byte in piece[:16]) + piece[16:]
            self.wfile.write(piece)
            self.hub.count(len(piece))
            begin += len(piece)
            if behaviour.rate:
                time.sleep(len(piece) / behaviour.rate)  # what a slow line does
        if end < contents.size:
            self.close_connection = True
            self.connection.close()


def _entry(path: str, file: HubFileOnServer) -> dict[str, Any]:
    entry: dict[str, Any] = {"type": "file", "path": path, "size": file.contents.size, "oid": _git_name(file)}
    if file.is_large:
        entry["lfs"] = {"oid": file.sha256, "size": file.contents.size, "pointerSize": 134}
    return entry


def _git_name(file: HubFileOnServer) -> str:
    if file.contents.size > 1 << 20:
        return "0" * 40
    data = file.contents.piece(0, file.contents.size)
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()

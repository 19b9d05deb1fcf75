"""A small real server on loopback that answers as llama-server, vLLM or OpenAI do, and misbehaves on request."""

from __future__ import annotations

import json
import select
import socket
import ssl
import struct
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self

CERTIFICATE = Path(__file__).parent / "certificates" / "loopback.pem"  # for 127.0.0.1, signed by itself; with its key

Json = Mapping[str, Any]
Piece = bytes | Callable[[], None]


class Ending(StrEnum):
    """How a connection ends once everything was sent."""

    WHOLE = "whole"
    CUT = "cut"  # closed without the end that was promised
    RESET = "reset"
    SILENT = "silent"  # nothing more, until the client leaves
    ENDLESS = "endless"  # the last piece again and again, until the client leaves


@dataclass(frozen=True)
class Answer:
    """What is sent, a piece at a time; a piece that can be called is called instead."""

    pieces: Sequence[Piece] = ()
    status: int = 200
    content_type: str = "text/event-stream"
    headers: Mapping[str, str] = field(default_factory=dict)
    ending: Ending = Ending.WHOLE
    no_headers: bool = False  # the ending alone


@dataclass(frozen=True)
class Received:
    """A request as it came."""

    method: str
    path: str
    headers: Mapping[str, str]  # names in lower case
    body: Json


def event(value: Json | str) -> bytes:
    """One event of a stream."""
    return f"data: {value if isinstance(value, str) else json.dumps(value)}\n\n".encode()


DONE = event("[DONE]")


def said(text: str | None = None, finish_reason: str | None = None, **more: object) -> dict[str, Any]:
    """A chunk; `more` are fields of its delta."""
    delta = ({} if text is None else {"content": text}) | more
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "scripted",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}],
    }


def plain(*texts: str, finish_reason: str = "stop", usage: Json | None = None) -> Answer:
    """A reply as any OpenAI-compatible server streams it."""
    chunks = [said(role="assistant"), *map(said, texts), said(finish_reason=finish_reason)]
    if usage is not None:
        chunks.append(said() | {"choices": [], "usage": usage})
    return Answer([*map(event, chunks), DONE])


def usage(prompt: int, completion: int, **details: int) -> dict[str, Any]:
    """Token counts as OpenAI spells them; `details` are `cached` and `reasoning`."""
    counted: dict[str, Any] = {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }
    if "cached" in details:
        counted["prompt_tokens_details"] = {"cached_tokens": details["cached"]}
    if "reasoning" in details:
        counted["completion_tokens_details"] = {"reasoning_tokens": details["reasoning"]}
    return counted


def timings(cached: int, read: int, prefill_ms: float, written: int, decode_ms: float) -> dict[str, Any]:
    """llama-server's `timings`, with the rates as it computes them."""
    return {
        "cache_n": cached,
        "prompt_n": read,
        "prompt_ms": prefill_ms,
        "prompt_per_second": 1000 / prefill_ms * read if prefill_ms else 0.0,
        "predicted_n": written,
        "predicted_ms": decode_ms,
        "predicted_per_second": 1000 / decode_ms * max(written - 1, 0) if decode_ms else 0.0,
    }


@dataclass(frozen=True)
class LlamaServer:
    """A reply of llama-server with `return_progress` and `timings_per_token`; every text is one token."""

    texts: Sequence[str] = ("Hello", " there", ".")
    reasoning: Sequence[str] = ()
    finish_reason: str = "stop"
    cached: int = 100
    read: int = 40
    batch: int = 16
    prefill_ms: float = 200.0
    token_ms: float = 10.0

    def answer(self) -> Answer:
        return Answer([*map(event, self.chunks()), DONE])

    def chunks(self) -> Iterator[dict[str, Any]]:
        for evaluated in (*range(0, self.read, self.batch), self.read):
            done = evaluated / self.read if self.read else 1.0
            yield said(role="assistant", content=None) | {
                "prompt_progress": {
                    "total": self.cached + self.read,
                    "cache": self.cached,
                    "processed": self.cached + evaluated,
                    "time_ms": round(self.prefill_ms * done),
                }
            }
        yield from self._written()

    def _written(self) -> Iterator[dict[str, Any]]:
        pieces = [{"reasoning_content": text} for text in self.reasoning] + [{"content": text} for text in self.texts]
        for count, piece in enumerate(pieces, start=1):
            yield said(**piece) | {"timings": self._timings(count)}
        count = len(pieces) + (self.finish_reason == "stop")  # the end token has no text
        yield said(finish_reason=self.finish_reason)
        yield said() | {
            "choices": [],
            "usage": usage(self.cached + self.read, count, cached=self.cached),
            "timings": self._timings(count),
        }

    def _timings(self, count: int) -> dict[str, Any]:
        return timings(self.cached, self.read, self.prefill_ms, count, self.token_ms * max(count - 1, 0))


def models(*names: str, owner: str = "llamacpp", **meta: int) -> Answer:
    """The list of models that a server offers."""
    data = [{"id": name, "object": "model", "owned_by": owner, "meta": meta} for name in names]
    return Answer([json.dumps({"object": "list", "data": data}).encode()], content_type="application/json")


def refusal(status: int, body: Json | str = "", **headers: str) -> Answer:
    """A refusal with a JSON body, or with a web page."""
    page = isinstance(body, str)
    content = body if isinstance(body, str) else json.dumps(body)
    return Answer(
        [content.encode()] if content else [],
        status=status,
        content_type="text/html" if page else "application/json",
        headers={name.replace("_", "-"): value for name, value in headers.items()},
    )


class ScriptedServer:
    """Answers a chat by `chat`, and whoever asks for its models by `offer`. Everything received is kept."""

    def __init__(
        self, chat: Answer | Callable[[Received], Answer], offer: Answer | None = None, *, tls: bool = False
    ) -> None:
        self.received: list[Received] = []
        self.left = threading.Event()  # a client went away before its answer was over
        self.asked = threading.Event()  # a chat was asked for
        self._chat = chat
        self._offer = offer or models("scripted")
        self._server = _Server(self)
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(CERTIFICATE)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self._scheme = "https" if tls else "http"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    @property
    def url(self) -> str:
        return f"{self._scheme}://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def chats(self) -> list[Received]:
        return [received for received in self.received if received.method == "POST"]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer_to(self, received: Received) -> Answer:
        self.received.append(received)
        if received.method == "GET":
            return self._offer
        self.asked.set()
        return self._chat(received) if callable(self._chat) else self._chat


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, script: ScriptedServer) -> None:
        self.script = script
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, *_: object) -> None:
        """A client that leaves in the middle of a handshake is nothing to print."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30
    server: _Server

    def do_GET(self) -> None:
        self._answer({})

    def do_POST(self) -> None:
        self._answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def log_message(self, *_: object) -> None:
        pass

    def _answer(self, body: Json) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        script = self.server.script
        answer = script.answer_to(Received(self.command, self.path, headers, body))
        self.close_connection = True
        try:
            self._send(answer)
            _end(self.connection, answer.ending, answer.pieces)
        except OSError:
            script.left.set()
            return
        if answer.ending in (Ending.SILENT, Ending.ENDLESS):
            script.left.set()

    def _send(self, answer: Answer) -> None:
        if not answer.no_headers:
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.content_type)
            self.send_header("Transfer-Encoding", "chunked")
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.end_headers()
        for piece in answer.pieces:
            if isinstance(piece, bytes):
                _send_chunk(self.connection, piece)
            else:
                piece()


def _send_chunk(connection: socket.socket, piece: bytes) -> None:
    connection.sendall(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")


def _end(connection: socket.socket, ending: Ending, pieces: Iterable[Piece]) -> None:
    match ending:
        case Ending.WHOLE:
            connection.sendall(b"0\r\n\r\n")
        case Ending.CUT:
            connection.shutdown(socket.SHUT_WR)
        case Ending.RESET:
            connection.setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("hh" if sys.platform == "win32" else "ii", 1, 0)
            )
            connection.close()
        case Ending.SILENT:
            connection.recv(1)
        case Ending.ENDLESS:
            last = [piece for piece in pieces if isinstance(piece, bytes)][-1]
            while not select.select([connection], [], [], 0.002)[0]:
                _send_chunk(connection, last)

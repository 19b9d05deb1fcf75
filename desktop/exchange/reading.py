"""A file somebody chose, read as conversations, whoever wrote it.

Nothing in it is believed: how large it is, how deep it nests, what kind its values are. An archive is never unpacked to
the disk.
"""

from __future__ import annotations

import json
import lzma
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from zipfile import BadZipFile, ZipFile

from desktop.exchange.chatgpt import conversations_in, from_chatgpt
from desktop.exchange.message_lists import from_lists, lists_in, lists_in_lines
from desktop.exchange.own_format import from_own, is_own
from desktop.exchange.values import Imported, ImportRefused, LeftOut
from inference import Sentence

MOST_BYTES = 512 << 20  # of text, in a file or in all that an archive expands to

_ARCHIVE = b"PK\x03\x04"
_WITH_CONVERSATIONS = re.compile(r"conversations(-\d+)?\.json")
_ARCHIVE_FAULTS = (BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError, RuntimeError, ValueError)
_STEP = 1 << 20


def read(path: Path, *, now: datetime | None = None, most_bytes: int = MOST_BYTES) -> Imported:
    """The conversations in a file, whatever it is called: Headwater's own, OpenAI-style message lists (JSON, or JSON
    lines), or ChatGPT's export (`conversations.json`, or the archive that holds it). It may take seconds.

    Raises:
        ImportRefused: it cannot be read, or holds none.
    """
    try:
        if not path.is_file():
            raise ImportRefused(Sentence("{name} is not a file.", name=path.name))
        is_archive = _begins_with(path, _ARCHIVE)
        texts = list(_in_archive(path, most_bytes)) if is_archive else [_whole(path, most_bytes)]
        return _joined([_understood(text, path.name, now or datetime.now(UTC)) for text in texts], path.name)
    except OSError as error:
        reason = error.strerror or str(error)
        raise ImportRefused(Sentence("{name} cannot be read: {reason}.", name=path.name, reason=reason)) from error
    except MemoryError as error:
        raise ImportRefused(Sentence("{name} is too large for the memory of this machine.", name=path.name)) from error


def _understood(text: bytes, name: str, now: datetime) -> Imported:
    left_out: Counter[LeftOut] = Counter()
    documents = _documents_in(text, left_out)
    first = documents[0] if len(documents) == 1 else None
    if isinstance(first, dict) and is_own(first):
        return from_own(first, name)
    exported = conversations_in(first)
    if exported:
        trees = from_chatgpt(exported, now, left_out)
    else:
        trees = from_lists(lists_in(first) if first is not None else lists_in_lines(documents), now, left_out)
    return Imported(trees, left_out)


def _documents_in(text: bytes, left_out: Counter[LeftOut]) -> list[object]:
    """What a file holds: one JSON document, or one on each line. Nothing where it is no JSON."""
    try:
        return [json.loads(text.removeprefix(b"\xef\xbb\xbf"))]
    except (ValueError, RecursionError):
        pass
    documents: list[object] = []
    broken = 0
    for line in text.removeprefix(b"\xef\xbb\xbf").splitlines():
        if line.strip():
            try:
                documents.append(json.loads(line))
            except (ValueError, RecursionError):
                broken += 1
    left_out[LeftOut.UNREADABLE] += broken
    return documents


def _whole(path: Path, most_bytes: int) -> bytes:
    with path.open("rb") as file:
        text = file.read(most_bytes + 1)
    return _bounded(text, path, most_bytes)


def _in_archive(path: Path, most_bytes: int) -> Iterator[bytes]:
    """The files with conversations in an archive, read piece by piece: what it says of their sizes is not believed."""
    room = most_bytes
    try:
        with ZipFile(path) as archive:
            names = sorted(entry for entry in archive.namelist() if _holds_conversations(entry))
            for name in names:
                with archive.open(name) as file:
                    text = _bounded(b"".join(_pieces(file.read, room)), path, room)
                room -= len(text)
                yield text
    except _ARCHIVE_FAULTS as error:
        raise ImportRefused(Sentence("{name} is a damaged archive, or one with a password.", name=path.name)) from error
    if not names:
        raise ImportRefused(Sentence("{name} is an archive without a conversations.json in it.", name=path.name))


def _pieces(read_piece: Callable[[int], bytes], room: int) -> Iterator[bytes]:
    while room >= 0 and (piece := read_piece(_STEP)):
        room -= len(piece)
        yield piece


def _holds_conversations(name: str) -> bool:
    return _WITH_CONVERSATIONS.fullmatch(PurePosixPath(name).name) is not None


def _bounded(text: bytes, path: Path, most_bytes: int) -> bytes:
    if len(text) > most_bytes:
        raise ImportRefused(
            Sentence(
                "{name} is too large: {megabytes} MB of text can be read at once.",
                name=path.name,
                megabytes=most_bytes >> 20,
            )
        )
    return text


def _begins_with(path: Path, mark: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(mark)) == mark


def _joined(parts: list[Imported], name: str) -> Imported:
    left_out: Counter[LeftOut] = Counter()
    for part in parts:
        left_out.update(part.left_out)
    trees = tuple(tree for part in parts for tree in part.conversations)
    if not trees:
        raise ImportRefused(
            Sentence(
                "There is no conversation in {name} that can be read. Headwater reads its own exports, lists of "
                "messages (JSON or JSONL), and ChatGPT's export (conversations.json, or the zip that holds it).",
                name=name,
            )
        )
    return Imported(trees, +left_out)

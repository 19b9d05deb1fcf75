"""KV states on disk: written off the critical path, bounded, and never trusted.

Any file of theirs may be deleted at any time. One that is damaged, cut short, or of another model is not used.
"""

from __future__ import annotations

import errno
import hashlib
import json
import logging
import os
import struct
from array import array
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

from inference.blocks import block
from inference.model import Mark, Snapshot, shared_prefix
from inference.own_files import make_own_folder, open_own

_MAGIC = b"HWKV\x02\n"
_SUFFIX, _HALF_WRITTEN = ".kvstate", ".part"
_MOST_HEADER = 1 << 20  # bytes; a damaged length must not make us read the disk
_FULL = (errno.ENOSPC, errno.EDQUOT)
_DAMAGED = (OSError, ValueError, LookupError, TypeError, ArithmeticError, RecursionError)  # what reading one may raise
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Entry:
    """A state on disk: the ids it begins with, and where it lies."""

    tokens: tuple[int, ...]
    path: Path


@dataclass(frozen=True, slots=True)
class _Header:
    """What a file says of its parts: token ids, state, marks, logits. `digest` covers them, and this too."""

    sizes: tuple[int, ...]
    marks: tuple[int, ...]
    logits_at: int
    digest: str


class StateFolder:
    """States in `folder`, within `budget` bytes, written by a thread of its own."""

    def __init__(self, folder: Path, budget: int) -> None:
        self._folder = folder
        self._budget = budget
        self._key = ""
        self._entries: list[_Entry] = []
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="kv-states")
        self._pending: list[Future[None]] = []

    @property
    def budget(self) -> int:
        """Bytes that may be on the disk, and so the most that one state may take."""
        return self._budget

    def open(self, key: str) -> None:
        """Look for the states of the model that `key` names."""
        self._key = hashlib.blake2b(key.encode(), digest_size=12).hexdigest()
        self.wait()
        self._entries = [entry for path in self._paths(f"{self._key}-*") if (entry := _read_entry(path)) is not None]

    def best(self, tokens: Sequence[int], at_least: int) -> Snapshot | None:
        """The state that shares the longest beginning with `tokens`, at least so many; `None` where there is none."""
        while True:
            found = max(self._entries, key=lambda entry: shared_prefix(entry.tokens, tokens), default=None)
            if found is None or shared_prefix(found.tokens, tokens) < at_least:
                return None
            self.wait()
            state = _read_state(found.path)
            if state is not None and state.tokens == found.tokens:
                with suppress(OSError):
                    os.utime(found.path)
                return state
            self._entries.remove(found)

    def write(self, state: Snapshot) -> None:
        """Have a state written, soon; states it goes on from are deleted. One larger than the budget is not written."""
        if state.size > self._budget:
            return
        digest = hashlib.blake2b(array("i", state.tokens).tobytes(), digest_size=12).hexdigest()
        path = self._folder / f"{self._key}-{_mark_of(state.owner)}-{digest}{_SUFFIX}"
        outdated = [entry for entry in self._entries if state.tokens[: len(entry.tokens)] == entry.tokens]
        self._entries = [entry for entry in self._entries if entry not in outdated]
        self._entries.append(_Entry(state.tokens, path))
        self._pending = [future for future in self._pending if not future.done()]
        delete = [entry.path for entry in outdated if entry.path != path]
        try:
            self._pending.append(self._writer.submit(self._write_now, path, state, delete))
        except RuntimeError:
            # The interpreter is about to exit and starts no thread any more.
            self._write_now(path, state, delete)

    def discard(self, state: Snapshot) -> None:
        """Delete a state that turned out to be of no use."""
        found = [entry for entry in self._entries if entry.tokens == state.tokens]
        self._entries = [entry for entry in self._entries if entry not in found]
        self.wait()
        for entry in found:
            _delete(entry.path)

    def forget_of(self, owners: Iterable[str]) -> None:
        """Delete the states of these owners, of whatever model, and those of earlier versions, which name no owner."""
        self.wait()
        marks = {_mark_of(owner) for owner in owners}
        for path in self._everything():
            _, _, mark = path.stem.rpartition("-")[0].partition("-")
            if not mark or mark in marks:
                _delete(path)
        self._entries = [entry for entry in self._entries if entry.path.exists()]

    def shrink(self) -> None:
        """Delete what is beyond the budget, as soon as the writer comes to it."""
        self._pending.append(self._writer.submit(self._shrink_now))

    def wait(self) -> None:
        """Until everything that was to be written is."""
        for future in self._pending:
            future.result()
        self._pending.clear()

    def close(self) -> None:
        """Wait for what is being written; nothing can be written afterwards."""
        self._writer.shutdown(wait=True)

    def clear(self) -> None:
        """Delete every state there is, half-written ones too."""
        self.wait()
        self._entries.clear()
        for path in self._everything():
            _delete(path)

    def _write_now(self, path: Path, state: Snapshot, outdated: Iterable[Path]) -> None:
        """Write a state. On a full disk, those used longest ago make room for it."""
        try:
            try:
                self._write_file(path, state)
            except OSError as error:
                if error.errno not in _FULL:
                    raise
                self._shrink(spare=state.size)
                self._write_file(path, state)
            for old in outdated:
                _delete(old)
            self._shrink()
        except OSError as error:
            # A cache that cannot be written costs time, nothing else.
            _log.info("a KV state was not written: %s", error)

    def _shrink_now(self) -> None:
        try:
            self._shrink()
        except OSError as error:
            _log.info("KV states were not deleted: %s", error)

    def _write_file(self, path: Path, state: Snapshot) -> None:
        temporary = path.with_suffix(_HALF_WRITTEN)
        make_own_folder(self._folder)
        try:
            with open(temporary, "wb", opener=open_own) as file:
                file.writelines(_chunks_of(state))
            temporary.replace(path)
        except OSError:
            _delete(temporary)
            raise

    def _shrink(self, spare: int = 0) -> None:
        by_age = sorted((path.stat().st_mtime_ns, path.stat().st_size, path) for path in self._everything())
        size = sum(each for _, each, _ in by_age)
        most = min(self._budget, size - spare)
        for _, each, path in by_age:
            if size <= most:
                return
            path.unlink(missing_ok=True)
            size -= each

    def _everything(self) -> list[Path]:
        """All that lies here, with what a program that was killed left half-written."""
        return [*self._paths("*"), *self._paths("*", _HALF_WRITTEN)]

    def _paths(self, pattern: str, suffix: str = _SUFFIX) -> list[Path]:
        return [path for path in self._folder.glob(f"{pattern}{suffix}") if path.is_file()]


def _mark_of(owner: str) -> str:
    """What stands for an owner in the name of a file."""
    return hashlib.blake2b(owner.encode(), digest_size=8).hexdigest()


def _delete(path: Path) -> None:
    # What cannot be deleted is not worth an error: it is only a cache.
    with suppress(OSError):
        path.unlink(missing_ok=True)


def _chunks_of(state: Snapshot) -> Iterable[bytes | memoryview]:
    parts = [array("i", state.tokens).tobytes(), state.state, *(mark.state for mark in state.marks), state.logits]
    sizes = tuple(map(len, parts))
    marks = tuple(mark.length for mark in state.marks)
    header = _Header(sizes, marks, state.logits_at, _digest_of(sizes, marks, state.logits_at, parts))
    text = json.dumps(asdict(header)).encode()
    yield from (_MAGIC, struct.pack("<I", len(text)), text, *parts)


def _read_entry(path: Path) -> _Entry | None:
    try:
        with open(path, "rb", opener=open_own) as file:
            header = _read_header(file)
            return _Entry(_ids_of(file.read(header.sizes[0])), path)
    except _DAMAGED:
        return None


def _read_state(path: Path) -> Snapshot | None:
    """The state in a file; `None` where the file is gone, or not whole to the last bit."""
    try:
        with open(path, "rb", opener=open_own) as file:
            header = _read_header(file)
            first, *states, last = header.sizes
            parts: list[bytes | memoryview] = [file.read(first)]
            parts += [_read_block(file, size) for size in states]
            parts += [file.read(last)]
        if _digest_of(header.sizes, header.marks, header.logits_at, parts) != header.digest:
            return None
        marks = tuple(Mark(length, part) for length, part in zip(header.marks, parts[2:-1], strict=True))
        return Snapshot(_ids_of(parts[0]), parts[1], marks, bytes(parts[-1]), header.logits_at)
    except _DAMAGED:
        return None


def _read_header(file: BinaryIO) -> _Header:
    """What the file says of itself; the sizes of its parts are sure to be those of the rest of it."""
    beginning = file.read(len(_MAGIC) + 4)
    (length,) = struct.unpack("<I", beginning[len(_MAGIC) :]) if len(beginning) == len(_MAGIC) + 4 else (0,)
    if not beginning.startswith(_MAGIC) or not 0 < length <= _MOST_HEADER:
        raise ValueError("not a KV state of this version")
    fields = json.loads(file.read(length))
    header = _Header(
        tuple(map(int, fields["sizes"])), tuple(map(int, fields["marks"])), int(fields["logits_at"]), fields["digest"]
    )
    if min(header.sizes) < 0 or sum(header.sizes) != os.fstat(file.fileno()).st_size - file.tell():
        raise ValueError("not whole")
    return header


def _read_block(file: BufferedReader, size: int) -> memoryview:
    data = block(size)
    if file.readinto(data) != size:
        raise ValueError("not whole")
    return data


def _ids_of(data: bytes | memoryview) -> tuple[int, ...]:
    ids = array("i")
    ids.frombytes(data)
    return tuple(ids)


def _digest_of(sizes: Sequence[int], marks: Sequence[int], logits_at: int, parts: Iterable[bytes | memoryview]) -> str:
    digest = hashlib.blake2b(json.dumps([*sizes, "marks", *marks, logits_at]).encode(), digest_size=16)
    for part in parts:
        digest.update(part)
    return digest.hexdigest()

"""What was measured with each model file on this machine, kept in one small file.

The file is never trusted: what cannot be read in it counts as not measured, and deleting it loses nothing but time.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeVar

from inference.gguf_header import files_of
from inference.own_files import make_own_folder, read_own, replace_own

_VERSION = 1
_MOST_FILES = 200
_MOST_ENTRIES = 24  # of one kind, for one file
_MOST_BYTES = 4 << 20
_MOST_NUMBER = 1 << 53
_PACES = (1e-7, 1e5)  # seconds; no token takes less or more

Entry = TypeVar("Entry", bound="Run | Threads | Pace")


@dataclass(frozen=True, slots=True)
class Run:
    """A load, and what it took. Sizes are in bytes; `free` is what the device had, `layers_wanted` what was tried
    first."""

    device: str = ""
    gpu_layers: int = 0
    layers_wanted: int = 0
    context_size: int = 0
    kv_type: str = ""
    weights: int = 0
    kv: int = 0
    compute: int = 0
    free: int = 0


@dataclass(frozen=True, slots=True)
class Threads:
    """The number of threads that decoded fastest, where at most `bound` were allowed."""

    device: str = ""
    bound: int = 0
    best: int = 0


@dataclass(frozen=True, slots=True)
class Pace:
    """How long a token usually takes with so many threads, when the KV cache holds up to 2**depth tokens."""

    device: str = ""
    threads: int = 0
    depth: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class FileRecord:
    """What is known of one model file. `known` names the builds and devices with which it was loaded before."""

    known: tuple[str, ...] = ()
    runs: tuple[Run, ...] = ()
    threads: tuple[Threads, ...] = ()
    paces: tuple[Pace, ...] = ()


class Measurements:
    """The records, in memory and in the file at `path`; without a path, in memory alone.

    Any thread may ask. Several processes may keep the same file: each writes only what it changed.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._records = _read_file(path)
        self._changed: dict[str, None] = {}  # in the order of their last change, so that the oldest go first

    def of(self, file: str) -> FileRecord:
        """The record of the file that `file_key` names so; an empty one where nothing was measured."""
        with self._lock:
            return self._records.get(file, FileRecord())

    def all(self) -> dict[str, FileRecord]:
        """Every record, by the key of its file."""
        with self._lock:
            return dict(self._records)

    def add_run(self, file: str, run: Run) -> None:
        """Remember a load in place of the last one like it."""
        same = (run.device, run.context_size, run.kv_type, run.layers_wanted)
        before = [
            each
            for each in self.of(file).runs
            if (each.device, each.context_size, each.kv_type, each.layers_wanted) != same
        ]
        self._put(file, replace(self.of(file), runs=_newest(before, run)))

    def add_threads(self, file: str, threads: Threads) -> None:
        """Remember how many threads were fastest."""
        before = [t for t in self.of(file).threads if (t.device, t.bound) != (threads.device, threads.bound)]
        self._put(file, replace(self.of(file), threads=_newest(before, threads)))

    def add_pace(self, file: str, pace: Pace) -> None:
        """Remember how long a token takes."""
        same = (pace.device, pace.threads, pace.depth)
        before = [each for each in self.of(file).paces if (each.device, each.threads, each.depth) != same]
        self._put(file, replace(self.of(file), paces=_newest(before, pace)))

    def know(self, file: str, setting: str) -> None:
        """The file was loaded with this build and device, and nobody died."""
        known = tuple(each for each in self.of(file).known if each != setting)
        self._put(file, replace(self.of(file), known=(*known, setting)[-_MOST_ENTRIES:]))

    def doubt(self, file: str, setting: str) -> None:
        """Whether the file can be loaded so is not known, until `know` says it again."""
        self._put(file, replace(self.of(file), known=tuple(e for e in self.of(file).known if e != setting)))

    def save(self) -> None:
        """Write what changed. A disk that takes nothing loses the measurements, and nothing else."""
        with self._lock:
            if self._path is None or not self._changed:
                return
            merged = _read_file(self._path)
            for file in self._changed:
                merged.pop(file, None)
                merged[file] = self._records[file]
            self._records = dict(list(merged.items())[-_MOST_FILES:])
            self._changed.clear()
            with suppress(OSError):
                _write_file(self._path, self._records)

    def _put(self, file: str, record: FileRecord) -> None:
        with self._lock:
            if self._records.get(file) != record:
                self._records[file] = record
                self._changed.pop(file, None)
                self._changed[file] = None


def file_key(path: Path) -> str:
    """Names the model at `path` as its files are now: another size or time of writing is another model. One that is
    gone has a name, too."""
    size = written = 0
    for file in files_of(path):
        with suppress(OSError):
            stat = file.stat()
            size, written = size + stat.st_size, max(written, stat.st_mtime_ns)
    return f"{path.absolute()} {size} {written}"


def _newest(before: Sequence[Entry], new: Entry) -> tuple[Entry, ...]:
    entries = [*before, new]
    return tuple(entries[-_MOST_ENTRIES:])


def _read_file(path: Path | None) -> dict[str, FileRecord]:
    try:
        content = None if path is None else json.loads(read_own(path, _MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    files = content.get("files") if isinstance(content, dict) and content.get("version") == _VERSION else None
    return {key: _record(value) for key, value in files.items()} if isinstance(files, dict) else {}


def _record(value: object) -> FileRecord:
    if not isinstance(value, dict):
        return FileRecord()
    return FileRecord(
        known=tuple(each for each in _list(value, "known") if isinstance(each, str)),
        runs=_entries(Run, _list(value, "runs")),
        threads=_entries(Threads, _list(value, "threads")),
        paces=_entries(Pace, _list(value, "paces")),
    )


def _list(value: dict[str, Any], name: str) -> list[object]:
    found = value.get(name)
    return found[-_MOST_ENTRIES:] if isinstance(found, list) else []


def _entries(kind: type[Entry], values: Sequence[object]) -> tuple[Entry, ...]:
    """Those of `values` that have all fields of such an entry, each of its type and none negative."""
    empty = kind()
    names = [field.name for field in fields(empty)]
    return tuple(
        kind(**{name: value[name] for name in names})
        for value in values
        if isinstance(value, dict) and all(_fits(value.get(name), getattr(empty, name)) for name in names)
    )


def _fits(value: object, like: object) -> bool:
    if isinstance(value, bool) or value is None:
        return False
    if isinstance(like, str):
        return isinstance(value, str)
    if isinstance(like, float):
        return isinstance(value, float) and (value == 0 or _PACES[0] <= value <= _PACES[1])
    return isinstance(value, int) and 0 <= value < _MOST_NUMBER


def _write_file(path: Path, records: dict[str, FileRecord]) -> None:
    make_own_folder(path.parent)
    content = {"version": _VERSION, "files": {key: asdict(record) for key, record in records.items()}}
    replace_own(path, json.dumps(content, indent=1))

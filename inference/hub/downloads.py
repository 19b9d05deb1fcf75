"""Downloads, one after another, on a thread of their own; they outlive the program.

One at a time: two would share the line and both be late, and the first model to be whole can be used at once.
"""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from inference.errors import InferenceError
from inference.hub.access import HubSession
from inference.hub.fetch import (
    PAUSES,
    FetchPhase,
    FetchProgress,
    FetchStopped,
    Wanted,
    discard,
    fetch,
    files_wanted,
    received_of,
)
from inference.hub.files import HubFile, HubModel, is_inside
from inference.hub.hub import Hub
from inference.hub.repo import HubRepo
from inference.hub_errors import DownloadChanged, DownloadDamaged, HubError, NotOnHub
from inference.leaving import Worker, closed_at_exit
from inference.own_files import make_own_folder, read_own, replace_own

LIST_NAME = "downloads.json"

_LEAVING_SECONDS = 1.0  # for a connection that brings nothing; what was received is on the disk
_TELL_SECONDS = 0.1  # between two reports of progress
_MOST_BYTES = 1 << 53  # of a file: more than any disk has
_MOST_LIST = 16 << 20  # bytes of the list; a larger one is none of ours
_RATE_SECONDS = 5.0  # the speed is that of the last seconds


class DownloadState(StrEnum):
    """How far a download is."""

    QUEUED = "queued"
    CHECKING = "checking"  # what is here already is read again
    RUNNING = "running"
    WAITING = "waiting"  # for the net, or until the Hub may be asked again
    PAUSED = "paused"
    DONE = "done"
    FAILED = "failed"

    @property
    def is_active(self) -> bool:
        return self in (DownloadState.CHECKING, DownloadState.RUNNING, DownloadState.WAITING)


@dataclass(frozen=True, slots=True)
class Download:
    """A model that is being fetched, all its files together. `rate` is in bytes a second, `reason` a sentence on why it
    waits or failed, and `path` the file that is opened once it is done."""

    repo: str
    commit: str
    name: str
    quantisation: str
    files: tuple[HubFile, ...]
    path: Path
    state: DownloadState = DownloadState.QUEUED
    received: int = 0
    rate: float | None = None
    reason: str = ""
    error: InferenceError | None = None

    @property
    def id(self) -> str:
        return f"{self.repo}/{self.files[0].path}"

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)

    @property
    def seconds_left(self) -> float | None:
        """`None` while that cannot be told."""
        return (self.size - self.received) / self.rate if self.rate else None


Report = Callable[[Download | str], None]


class Downloads:
    """The queue of downloads into one folder.

    `report` is called with each download that changed, on the worker's thread or the caller's, and with the id of each
    that was removed. What was not finished is found again by the next `Downloads` in the same folder; it goes on by
    itself, unless `goes_on` is false: then it is paused. While another process has this queue, nothing is found, and
    what is added is forgotten at the end.
    """

    def __init__(
        self,
        folder: Path,
        session: Callable[[], HubSession],
        report: Report,
        *,
        goes_on: bool = True,
        pauses: tuple[float, ...] = PAUSES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder = folder
        self._session = session
        self._report = report
        self._pauses = pauses
        self._clock = clock
        self._changed = threading.Condition()
        self._list = _List(folder)
        self._downloads = {download.id: download for download in self._list.load(goes_on=goes_on)}
        self._running = ""
        self._stop = threading.Event()  # of what is running
        self._to_discard: list[Download] = []  # once the worker has let go of their files
        self._is_closed = False
        self._worker = Worker(self._work, "downloads")
        self._was_closed = closed_at_exit(self)
        self._worker.start()

    @property
    def folder(self) -> Path:
        """The folder for models."""
        return self._folder

    @property
    def all(self) -> tuple[Download, ...]:
        """Every download, in the order they are fetched in."""
        with self._changed:
            return tuple(self._downloads.values())

    def add(self, repo: HubRepo, model: HubModel, *, begins: bool = True) -> Download:
        """Fetch a model, after those that were added before. One that is there already is left as it is. Without
        `begins` it is paused until somebody says when."""
        wanted = _wanted(repo.id, repo.commit, model, self._folder)
        with self._changed:
            download = self._downloads.get(wanted.id)
            if download is not None and download.state not in (DownloadState.FAILED, DownloadState.DONE):
                return download
        if not begins:
            wanted = replace(wanted, state=DownloadState.PAUSED)
        self._put(wanted)
        return wanted

    def pause(self, download_id: str) -> None:
        """Stop it, and keep what was fetched."""
        self._set(download_id, DownloadState.PAUSED, only_from=tuple(_NOT_ENDED))

    def resume(self, download_id: str) -> None:
        """Go on with one that was paused, or that failed."""
        self._set(download_id, DownloadState.QUEUED, only_from=(DownloadState.PAUSED, DownloadState.FAILED))

    def remove(self, download_id: str) -> None:
        """Stop it, and throw away what was fetched; one that is done stays on the disk.

        Raises:
            FolderRefused: it cannot be deleted.
        """
        with self._changed:
            download = self._downloads.pop(download_id, None)
            if download is None:
                return
            self._list.save(self._downloads.values())
            is_running = self._running == download_id
            if is_running:
                self._to_discard.append(download)
                self._stop.set()
        if not is_running:
            self._discard(download)
        self._report(download_id)

    def close(self) -> None:
        """Stop, and keep what was fetched. Does not wait for long where the net does not answer."""
        with self._changed:
            if self._is_closed:
                return
            self._is_closed = True
            self._stop.set()
            self._changed.notify_all()
        self._worker.wait(_LEAVING_SECONDS)
        self._list.close()
        self._was_closed()

    def _put(self, download: Download) -> None:
        with self._changed:
            self._downloads[download.id] = download
            self._list.save(self._downloads.values())
            self._changed.notify_all()
        self._report(download)

    def _set(self, download_id: str, state: DownloadState, only_from: Sequence[DownloadState]) -> None:
        with self._changed:
            download = self._downloads.get(download_id)
            if download is None or download.state not in only_from:
                return
            if state is DownloadState.PAUSED:
                self._interrupt(download_id)
            download = replace(download, state=state, rate=None, reason="")
            self._downloads[download_id] = download
            self._list.save(self._downloads.values())
            self._changed.notify_all()
        self._report(download)

    def _interrupt(self, download_id: str) -> None:
        """Let the worker stop soon, if that is what it is at; the condition is held."""
        if self._running == download_id:
            self._stop.set()

    def _discard(self, download: Download) -> None:
        if download.state is not DownloadState.DONE:
            for file in download.files:
                discard(Wanted(download.repo, download.commit, file), self._folder)

    # On the worker's thread

    def _work(self) -> None:
        while (download := self._next()) is not None:
            self._fetch(download, self._stop)
            with self._changed:
                self._running = ""
                thrown_away, self._to_discard = self._to_discard, []
            for each in thrown_away:
                with suppress(HubError):  # it is in nobody's way
                    self._discard(each)

    def _next(self) -> Download | None:
        """The next to be fetched, waited for; `None` once the queue is closed."""
        with self._changed:
            while not self._is_closed:
                for download in self._downloads.values():
                    if download.state is DownloadState.QUEUED:
                        self._running, self._stop = download.id, threading.Event()
                        return download
                self._changed.wait()
        return None

    def _fetch(self, download: Download, stop: threading.Event) -> None:
        meter, before = _Meter(self._clock), 0
        try:
            download = self._renewed(download)
            for wanted in files_wanted(download.repo, download.commit, download.files, self._folder):
                for progress in fetch(wanted, self._folder, self._session(), stop, self._pauses):
                    self._show(download, before, progress, meter, stop)
                before += wanted.file.size
        except FetchStopped:
            return
        except InferenceError as error:
            received = received_of(download.files, download.repo, self._folder)
            ended = replace(download, state=DownloadState.FAILED, received=received, reason=str(error), error=error)
        else:
            ended = replace(download, state=DownloadState.DONE, received=download.size)
        with self._changed:
            if download.id not in self._downloads or stop.is_set():
                return
            self._downloads[download.id] = ended
            self._list.save(self._downloads.values())
        self._report(ended)

    def _renewed(self, download: Download) -> Download:
        """The download as the Hub has it now, where what was known of it is no longer true."""
        if not isinstance(download.error, DownloadChanged | DownloadDamaged | NotOnHub):
            return download
        hub = Hub(self._session())
        repo = hub.repo(download.repo)
        for model in hub.models(repo):
            if model.path == download.files[0].path and model.is_whole:
                return _wanted(repo.id, repo.commit, model, self._folder)
        raise NotOnHub(download.id)

    def _show(
        self, download: Download, before: int, progress: FetchProgress, meter: _Meter, stop: threading.Event
    ) -> None:
        state = _STATES[progress.phase]
        rate = meter.rate(progress.fetched) if state is DownloadState.RUNNING else None
        with self._changed:
            known = self._downloads.get(download.id)
            if known is None or stop.is_set() or not (meter.is_due() or known.state is not state):
                return
            received = before + progress.received
            shown = replace(download, state=state, received=received, rate=rate, reason=progress.reason, error=None)
            self._downloads[download.id] = shown
        self._report(shown)


_NOT_ENDED = (DownloadState.QUEUED, DownloadState.CHECKING, DownloadState.RUNNING, DownloadState.WAITING)
_STATES = {
    FetchPhase.CHECKING: DownloadState.CHECKING,
    FetchPhase.FETCHING: DownloadState.RUNNING,
    FetchPhase.WAITING: DownloadState.WAITING,
    FetchPhase.DONE: DownloadState.RUNNING,  # another file may follow
}


class _Meter:
    """How fast bytes come, and when it is time to say so."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._seen: deque[tuple[float, int]] = deque()
        self._told = -_TELL_SECONDS

    def rate(self, fetched: int) -> float | None:
        now = self._clock()
        if self._seen and fetched < self._seen[-1][1]:  # the next file begins at nothing
            self._seen.clear()
        self._seen.append((now, fetched))
        while now - self._seen[0][0] > _RATE_SECONDS:
            self._seen.popleft()
        began, first = self._seen[0]
        return (fetched - first) / (now - began) if now > began and fetched > first else None

    def is_due(self) -> bool:
        now = self._clock()
        if now - self._told < _TELL_SECONDS:
            return False
        self._told = now
        return True


class _List:
    """What is to be fetched, in one small file of the folder; the first process that asks for it has it alone."""

    def __init__(self, folder: Path) -> None:
        from filelock import FileLock, Timeout

        self._folder = folder
        self._path = folder / LIST_NAME
        self._lock = FileLock(folder / f"{LIST_NAME}.lock", timeout=0)
        self._is_ours = False
        with suppress(Timeout, OSError, NotImplementedError):
            make_own_folder(folder)
            self._lock.acquire()
            self._is_ours = True

    def load(self, *, goes_on: bool) -> list[Download]:
        """What was not finished; what cannot be read is left out."""
        if not self._is_ours:
            return []
        try:
            rows = json.loads(read_own(self._path, _MOST_LIST))
        except (OSError, ValueError, RecursionError):
            return []
        downloads = []
        for row in rows if isinstance(rows, list) else ():
            with suppress(KeyError, TypeError, ValueError):
                downloads.append(self._download_from(row, goes_on=goes_on))
        return downloads

    def save(self, downloads: Iterable[Download]) -> None:
        """Keep what is not finished. A folder that refuses it is found out by the downloads themselves."""
        if not self._is_ours:
            return
        rows = [_row(download) for download in downloads if download.state is not DownloadState.DONE]
        with suppress(OSError):
            replace_own(self._path, json.dumps(rows, indent=1))

    def close(self) -> None:
        if self._is_ours:
            self._lock.release()

    def _download_from(self, row: dict[str, Any], *, goes_on: bool) -> Download:
        """Raises KeyError, TypeError or ValueError where it makes no sense."""
        files = tuple(_file_from(file) for file in row["files"])
        repo, state = _text(row["repo"]), DownloadState(row["state"])
        if not files or not all(is_inside(path) for path in (repo, *(file.path for file in files))):
            raise ValueError("a file outside of the folder")
        return Download(
            repo=repo,
            commit=_text(row["commit"]),
            name=_text(row["name"]),
            quantisation=_text(row["quantisation"]),
            files=files,
            path=Wanted(repo, "", files[0]).path_in(self._folder),
            state=DownloadState.QUEUED if goes_on and state in _NOT_ENDED else DownloadState.PAUSED,
            received=received_of(files, repo, self._folder),
        )


def _file_from(row: dict[str, Any]) -> HubFile:
    size = row["size"]
    if type(size) is not int or not 0 <= size <= _MOST_BYTES:
        raise ValueError(size)
    return HubFile(_text(row["path"]), size, _text(row["sha256"]))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    value.encode()  # half a character can be sent nowhere, and names no file
    return value


def _row(download: Download) -> dict[str, object]:
    files = [asdict(file) for file in download.files]
    names = {name: getattr(download, name) for name in ("repo", "commit", "name", "quantisation")}
    return {**names, "state": str(download.state), "files": files}


def _wanted(repo: str, commit: str, model: HubModel, folder: Path) -> Download:
    path = Wanted(repo, commit, model.files[0]).path_in(folder)
    received = received_of(model.files, repo, folder)
    return Download(repo, commit, model.name, model.quantisation, model.files, path, received=received)

"""One file from the Hub, by ranged requests, so that nothing is lost whatever interrupts it."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

import httpx2

from inference.hub.access import HubSession, error_of, faults_of, net_faults, origin_of
from inference.hub.files import HubFile
from inference.hub.part import PART_SUFFIX, PartFile, beside, throw_part_away
from inference.hub_errors import DownloadChanged, HubBroke, HubBusy, HubUnreachable
from inference.sentences import Sentence

if TYPE_CHECKING:
    from huggingface_hub import HfFileMetadata

PAUSES = (1.0, 2.0, 5.0, 10.0, 30.0, 60.0)  # seconds between two tries that brought nothing

_ASK_SECONDS = 30
_MOST_FAILURES = 5  # answers in a row that make no sense, or that the Hub itself is broken
_CHECKSUM = re.compile(r"[0-9a-f]{64}|[0-9a-f]{40}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+|\*)")


class FetchPhase(StrEnum):
    """What is being done for a file."""

    CHECKING = "checking"  # what is here already is read again
    FETCHING = "fetching"
    WAITING = "waiting"  # until the Hub can be asked again
    DONE = "done"


@dataclass(frozen=True, slots=True)
class FetchProgress:
    """How far a file is: `received` of `size` bytes are on the disk, `fetched` came over the net by this call.

    While it waits, `reason` is a sentence on what for, and `until` when it tries again, by `time.monotonic()`.
    """

    phase: FetchPhase
    received: int
    size: int
    fetched: int = 0
    reason: str = ""
    until: float = 0.0


@dataclass(frozen=True, slots=True)
class Wanted:
    """A file of a version of a repository; `commit` may be "" for the newest. After it come `more` bytes of the same
    model."""

    repo: str
    commit: str
    file: HubFile
    more: int = 0

    @property
    def name(self) -> str:
        return f"{self.repo}/{self.file.path}"

    def path_in(self, folder: Path) -> Path:
        """Where it goes in the folder for models."""
        return folder.joinpath(*self.repo.split("/"), *self.file.path.split("/"))


class FetchStopped(Exception):
    """The stop event was set. What was fetched is kept."""


def fetch(
    wanted: Wanted, folder: Path, session: HubSession, stop: Event, pauses: tuple[float, ...] = PAUSES
) -> Iterator[FetchProgress]:
    """Fetch a file into the folder for models, going on with what is there of it; ends once it is whole.

    Where the Hub cannot be reached or is busy, it waits and tries again, until `stop` is set.

    Raises:
        HubError: it cannot be had, or not be kept. What was fetched stays, and another call goes on with it.
        FetchStopped: the event was set.
    """
    vain = 0
    with ExitStack() as held:
        job = _Fetch(wanted, folder, session, stop, held)
        while True:
            before = job.received
            try:
                yield from job.attempt()
            except (HubUnreachable, HubBusy, HubBroke) as error:
                # By what is new here: a storage without ranges sends the beginning again each time.
                vain = 0 if job.received > before else vain + 1
                if isinstance(error, HubBroke) and vain > _MOST_FAILURES:
                    raise
                pause = pauses[min(vain, len(pauses)) - 1] if vain else 0.0
                if isinstance(error, HubBusy) and error.retry_after is not None:
                    pause = max(pause, error.retry_after)  # some say 0, and go on being busy
                session.hang_up()  # what is left of a broken answer must not be taken for the next one
                yield job.waiting(str(error), time.monotonic() + pause)
                if stop.wait(pause):
                    raise FetchStopped from None
            else:
                return


def files_wanted(repo: str, commit: str, files: Sequence[HubFile], folder: Path) -> Iterator[Wanted]:
    """The files of one model, one after another; what is in the folder for models already is not counted again."""
    for number, file in enumerate(files, 1):
        others = files[number:]
        more = sum(other.size for other in others) - received_of(others, repo, folder)
        yield Wanted(repo, commit, file, more)


def received_of(files: Iterable[HubFile], repo: str, folder: Path) -> int:
    """How many bytes of these files are on the disk."""
    received = 0
    for file in files:
        path = Wanted(repo, "", file).path_in(folder)
        for there in (path, beside(path, PART_SUFFIX)):
            with suppress(OSError):
                received += min(there.stat().st_size, file.size)
                break
    return received


def discard(wanted: Wanted, folder: Path) -> None:
    """Throw away what was fetched of a file that is not wanted any more; what another process is fetching stays.

    Raises:
        FolderRefused: it cannot be deleted.
    """
    path = wanted.path_in(folder)
    throw_part_away(path, wanted.name)
    for parent in path.parents:
        if parent == folder:
            break
        with suppress(OSError):  # there is something else in it
            parent.rmdir()


def checksum(path: Path, stop: Event | None = None) -> Iterator[tuple[int, str]]:
    """The SHA-256 of a file: while it is read, the bytes read so far and ""; at the end its hexadecimal digits.

    Raises:
        FetchStopped: the event was set.
        OSError: it cannot be read.
    """
    digest, read = hashlib.sha256(), 0
    with path.open("rb") as file:
        while piece := file.read(1 << 22):
            if stop is not None and stop.is_set():
                raise FetchStopped
            digest.update(piece)
            read += len(piece)
            yield read, ""
    yield read, digest.hexdigest()


class _Fetch:
    """The work on one file. What it has opened stays so, in `held`, from one attempt to the next."""

    def __init__(self, wanted: Wanted, folder: Path, session: HubSession, stop: Event, held: ExitStack) -> None:
        self.received = 0
        self.fetched = 0
        self._wanted = wanted
        self._session = session
        self._stop = stop
        self._held = held
        self._path = wanted.path_in(folder)
        self._size = wanted.file.size
        self._part: PartFile | None = None

    def attempt(self) -> Iterator[FetchProgress]:
        """Go on with it until it is whole, or something comes between."""
        if not self._is_here():
            self._stop_if_asked()
            found = self._ask()
            expected = self._checksum_of(found)
            if self._part is None:
                part = PartFile(self._path, self._size, expected, self._wanted.name, self._wanted.more)
                self._held.enter_context(part.opened())
                yield from self._check(part)
                self._part = part
            if self._part.received < self._size:
                yield from self._receive(self._part, found.location)
            self._part.finish()
            self._held.close()
        self.received = self._size
        yield self._progress(FetchPhase.DONE)

    def waiting(self, reason: str, until: float) -> FetchProgress:
        return FetchProgress(FetchPhase.WAITING, self.received, self._size, self.fetched, reason, until)

    def _check(self, part: PartFile) -> Iterator[FetchProgress]:
        for sound in part.check():
            self._stop_if_asked()
            self.received = sound
            yield self._progress(FetchPhase.CHECKING)
        self.received = part.received

    def _is_here(self) -> bool:
        """Whether it was fetched before: only whole files ever get the name."""
        try:
            return self._path.stat().st_size == self._size
        except OSError:
            return False

    def _ask(self) -> HfFileMetadata:
        """What the Hub says of the file now, and where its bytes are."""
        self._session.api()
        from huggingface_hub import get_hf_file_metadata, hf_hub_url

        wanted, access = self._wanted, self._session.access
        with faults_of(wanted.name, access):
            address = hf_hub_url(
                wanted.repo, wanted.file.path, revision=wanted.commit or None, endpoint=access.endpoint
            )
            return get_hf_file_metadata(
                address, token=access.token or False, endpoint=access.endpoint, timeout=_ASK_SECONDS
            )

    def _checksum_of(self, found: HfFileMetadata) -> str:
        """What the file's checksum must be."""
        etag, sha256 = (found.etag or "").lower(), self._wanted.file.sha256
        is_another = sha256 and _SHA256.fullmatch(etag) and etag != sha256
        if is_another or found.size not in (None, self._size):
            raise DownloadChanged(self._wanted.name)
        if not sha256 and not _CHECKSUM.fullmatch(etag):
            raise HubBroke(self._wanted.name, Sentence("it gives no checksum for it"))
        return sha256 or etag

    def _receive(self, part: PartFile, address: str) -> Iterator[FetchProgress]:
        what, access = self._wanted.name, self._session.access
        client = self._session.client(what)
        headers = self._session.headers(address) | {"Range": f"bytes={part.received}-"}
        yield self._progress(FetchPhase.FETCHING)
        with (
            net_faults(what, access),
            client.stream("GET", address, headers=headers, follow_redirects=True) as response,
        ):
            skip = self._bytes_to_skip(response, part.received)
            # As it comes: pieces of a set size would be gathered first, and lost when the connection breaks.
            for piece in response.iter_raw():
                self.fetched += len(piece)
                part.write(piece[skip:])
                skip = max(0, skip - len(piece))
                self.received = part.received
                yield self._progress(FetchPhase.FETCHING)
                self._stop_if_asked()
                if part.received == self._size:
                    return
        raise HubUnreachable(what, Sentence("the connection ended too early"))

    def _bytes_to_skip(self, response: httpx2.Response, received: int) -> int:
        """How many bytes of what comes are here already."""
        what, status = self._wanted.name, response.status_code
        if response.headers.get("Content-Encoding", "identity") != "identity":
            raise HubBroke(what, Sentence("it sends the file in another form than it was asked for"))
        if status == httpx2.codes.PARTIAL_CONTENT:
            found = _RANGE.fullmatch(response.headers.get("Content-Range", ""))
            if found is None or int(found[1]) != received or found[2] not in ("*", str(self._size)):
                raise HubBroke(what, Sentence("it sends another part of the file than it was asked for"))
            return 0
        if status == httpx2.codes.OK:
            return received  # it does not know ranges: what is here comes once more
        is_storage = origin_of(str(response.url)) != origin_of(self._session.access.endpoint)
        if is_storage and status != httpx2.codes.TOO_MANY_REQUESTS:
            raise HubBroke(what, Sentence("its storage answers {status}", status=status))
        raise error_of(response, what, self._session.access)

    def _stop_if_asked(self) -> None:
        if self._stop.is_set():
            raise FetchStopped

    def _progress(self, phase: FetchPhase) -> FetchProgress:
        return FetchProgress(phase, self.received, self._size, self.fetched)

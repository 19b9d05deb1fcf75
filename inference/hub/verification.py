"""Whether a model file is what the Hub has under its name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from threading import Event

from inference.errors import InvalidRequest
from inference.gguf_header import files_of
from inference.hub.access import HubSession
from inference.hub.fetch import checksum
from inference.hub.hub import Hub
from inference.hub_errors import HubError, NotOnHub
from inference.model_files import check_file


class VerdictKind(StrEnum):
    """What came of it."""

    MATCHES = "matches"
    DIFFERS = "differs"
    UNKNOWN = "unknown"  # the Hub's checksum for it is not known, or it cannot be asked


@dataclass(frozen=True, slots=True)
class Verdict:
    """What can be said of a model's files. `sha256` is that of the first; `why` says why the Hub was no help."""

    path: Path
    kind: VerdictKind
    sha256: str
    expected: str
    tensor_count: int
    why: str = ""


def verify(
    path: Path, folder: Path, session: HubSession, stop: Event | None = None
) -> Iterator[tuple[int, int, Verdict | None]]:
    """Check a model at `path`, all its parts: while they are read, the bytes read so far, of how many, and nothing; at
    the end the verdict. `folder` is the one for models.

    Raises:
        ModelError: it is no model, or damaged.
        FetchStopped: the event was set.
        OSError: it cannot be read.
    """
    facts = check_file(path)
    expected, why = _expected(path, folder, session)
    files = files_of(path)
    whole, before = sum(file.stat().st_size for file in files), 0
    found: list[str] = []
    for file in files:
        digits = ""
        read = 0
        for read, digits in checksum(file, stop):  # noqa: B007 - the last ones count
            yield before + read, whole, None
        before += read
        found.append(digits)
    wanted = [expected.get(file.name, "") for file in files]
    kind = VerdictKind.MATCHES if found == wanted else VerdictKind.DIFFERS
    if not all(wanted):
        kind = VerdictKind.UNKNOWN
    yield whole, whole, Verdict(path, kind, found[0], wanted[0], facts.tensor_count, why)


def origin_of_file(path: Path, folder: Path) -> tuple[str, str] | None:
    """The repository and the path in it that a file was fetched from, by where it lies: in the folder for models, or in
    the Hub's cache."""
    try:
        owner, name, *rest = path.absolute().relative_to(folder.absolute()).parts
    except ValueError:
        cached = re.search(r"/models--([^/]+?)--([^/]+)/snapshots/[^/]+/(.+)$", path.absolute().as_posix())
        return (f"{cached[1]}/{cached[2]}", cached[3]) if cached else None
    return (f"{owner}/{name}", "/".join(rest)) if rest else None


def _expected(path: Path, folder: Path, session: HubSession) -> tuple[dict[str, str], str]:
    """The Hub's checksums of the files beside this one, by their names, and why it has none to give."""
    origin = origin_of_file(path, folder)
    if origin is None:
        return {}, ""
    place = origin[1].rpartition("/")[0]
    hub = Hub(session)
    try:
        files = [file for model in hub.models(hub.repo(origin[0])) for file in model.files]
    except (NotOnHub, InvalidRequest):  # a folder of that name may be anybody's
        return {}, ""
    except HubError as error:
        return {}, str(error)
    beside = ((file.path.rpartition("/"), file.sha256) for file in files)
    return {name: sha256 for (folder_of, _, name), sha256 in beside if folder_of == place}, ""

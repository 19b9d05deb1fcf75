"""`models` in a terminal: what lies here, what the Hub has, a download, a check."""

from __future__ import annotations

import argparse
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from inference.configuration import default_models_folder
from inference.errors import InvalidRequest
from inference.hub.access import HubSession
from inference.hub.address import HubAccess
from inference.hub.fetch import FetchPhase, FetchProgress, Wanted, fetch, files_wanted
from inference.hub.files import HubModel
from inference.hub.hub import Hub
from inference.hub.links import link_of
from inference.hub.repo import HubOrder, HubRepo
from inference.hub.verification import Verdict, VerdictKind, verify
from inference.model_names import embedded_model
from inference.shelf import ShelfFacts, ShelfFolder, ShelfModel, ShelfSource, facts_of, find_models, usual_folders

_LIMIT = 20
_COMMANDS = ("search", "get", "verify")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where a command looks: the environment's variables, the person's home, the folder for models."""

    environment: Mapping[str, str]
    home: Path
    folder: Path

    @classmethod
    def usual(cls, environment: Mapping[str, str]) -> Surroundings:
        return cls(environment, Path.home(), default_models_folder())


def add_models_options(parser: argparse.ArgumentParser) -> None:
    """What `models` takes."""
    parser.description = "Models on this machine, and on the Hugging Face Hub."
    parser.epilog = (
        "Without words: the models on this disk. `search WORDS`: what the Hub has. `get REPO[:FILE]`: fetch one; the "
        "same again goes on where it was. `verify FILE`: whether a file is whole. HF_ENDPOINT, HF_TOKEN and "
        "HF_HUB_OFFLINE hold."
    )
    parser.add_argument("words", nargs="*", metavar="search WORDS | get REPO[:FILE] | verify FILE")
    parser.add_argument("--sort", choices=[order.value for order in HubOrder], default=HubOrder.DOWNLOADS.value)
    parser.add_argument("--limit", type=int, default=_LIMIT, metavar="N", help=f"the most a search lists ({_LIMIT})")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="the folder for models (default: Headwater's own)")
    parser.add_argument("--json", action="store_true", help="write one JSON object")


def models(options: argparse.Namespace, around: Surroundings, tell: Callable[[str], None]) -> str:
    """Do what was asked; what is to be written. `tell` is given the progress of what takes long.

    Raises:
        InvalidRequest: the words make no command.
        InferenceError: it cannot be done.
    """
    folder = options.folder or around.folder
    command, words = (options.words[0], options.words[1:]) if options.words else ("", [])
    match command, words:
        case "", []:
            return _listed(_here(folder, around), as_json=options.json)
        case "search", _:
            if options.limit < 1:
                raise InvalidRequest(f"--limit is at least 1; got {options.limit}.")
            with _session(around) as session:
                found = Hub(session).search(" ".join(words), HubOrder(options.sort), options.limit)
            return _repos(found, as_json=options.json)
        case "get", [link]:
            with _session(around) as session:
                path = _get(link, folder, session, tell)
            return json.dumps({"path": str(path)}) if options.json else str(path)
        case "verify", [file]:
            with _session(around) as session:
                return _verify(Path(file), folder, session, tell, as_json=options.json)
        case _:
            known = ", ".join(_COMMANDS)
            raise InvalidRequest(f"models takes nothing, or one of {known} and what it is about; got {command!r}.")


@contextmanager
def _session(around: Surroundings) -> Iterator[HubSession]:
    with closing(HubSession(HubAccess.from_environment(around.environment))) as session:
        yield session


def _here(folder: Path, around: Surroundings) -> tuple[ShelfModel, ...]:
    folders = (ShelfFolder(folder, ShelfSource.OURS), *usual_folders(around.environment, around.home))
    return find_models(folders, embedded_model())


def _listed(found: Sequence[ShelfModel], *, as_json: bool) -> str:
    described = [(model, facts_of(model.path)) for model in found]
    if as_json:
        return json.dumps({"models": [_row(model, facts) for model, facts in described]}, ensure_ascii=False, indent=1)
    heads = ("model", "quantisation", "size", "context", "from", "file")
    return _table(heads, [_cells(model, facts) for model, facts in described])


def _cells(model: ShelfModel, facts: ShelfFacts) -> tuple[str, ...]:
    where = facts.trouble or str(model.path)
    return model.name, facts.quantisation, _size(model.size), _context(facts), str(model.source), where


def _row(model: ShelfModel, facts: ShelfFacts) -> dict[str, object]:
    return {
        "name": model.name,
        "path": str(model.path),
        "source": str(model.source),
        "size": model.size,
        "modified": datetime.fromtimestamp(model.modified / 1e9).astimezone().isoformat(timespec="seconds"),
        "architecture": facts.architecture or None,
        "quantisation": facts.quantisation or None,
        "training_context": facts.training_context or None,
        "licence": facts.licence or None,
        "memory_needed": facts.needed or None,
        "trouble": facts.trouble or None,
    }


def _context(facts: ShelfFacts) -> str:
    return f"{facts.training_context:,}" if facts.training_context else ""


def _repos(found: Sequence[HubRepo], *, as_json: bool) -> str:
    if as_json:
        rows = [
            {
                "id": repo.id,
                "downloads": repo.downloads,
                "likes": repo.likes,
                "updated": repo.updated.isoformat() if repo.updated else None,
                "licence": repo.licence or None,
                "gated": repo.gated,
            }
            for repo in found
        ]
        return json.dumps({"repositories": rows}, ensure_ascii=False, indent=1)
    lines = [
        (repo.id, f"{repo.downloads:,}", f"{repo.likes:,}", repo.licence, "gated" if repo.gated else "")
        for repo in found
    ]
    return _table(("repository", "downloads", "likes", "licence", ""), lines) if lines else "Nothing found."


def _get(text: str, folder: Path, session: HubSession, tell: Callable[[str], None]) -> Path:
    repo, model = Hub(session).model_of(link_of(text, session.access.endpoint))
    path = folder
    for number, wanted in enumerate(files_wanted(repo.id, repo.commit, model.files, folder), 1):
        for words in _in_words(wanted, number, model, fetch(wanted, folder, session, threading.Event())):
            tell(words)
        path = path if number > 1 else wanted.path_in(folder)
    return path


def _in_words(wanted: Wanted, number: int, model: HubModel, steps: Iterator[FetchProgress]) -> Iterator[str]:
    """The progress of a file, once for each per cent."""
    which = f"{wanted.file.path}" if len(model.files) == 1 else f"{wanted.file.path} ({number} of {len(model.files)})"
    told = ""
    for progress in steps:
        part = progress.received / progress.size if progress.size else 1.0
        words = f"{part:4.0%}  {which}, {_size(progress.size)}"
        if progress.phase is FetchPhase.WAITING:
            words += f"  {progress.reason}"
        if words != told:
            told = words
            yield words


def _verify(path: Path, folder: Path, session: HubSession, tell: Callable[[str], None], *, as_json: bool) -> str:
    """What can be said of a file: its header always, its checksum where it came from the Hub."""
    verdict = None
    for read, whole, verdict in verify(path, folder, session):  # noqa: B007 - the last one is the verdict
        tell(f"{read / whole:4.0%}  {path.name}")
    if verdict is None:
        raise InvalidRequest(f"{path.name} is empty.")
    if as_json:
        found, expected = verdict.sha256, verdict.expected or None
        return json.dumps({"path": str(path), "sha256": found, "hub": expected, "verdict": str(verdict.kind)})
    return f"{_verdict_words(verdict)}\nsha256 {verdict.sha256}"


def _verdict_words(verdict: Verdict) -> str:
    name = verdict.path.name
    match verdict.kind:
        case VerdictKind.MATCHES:
            return f"{name} is whole: its checksum is the Hub's."
        case VerdictKind.DIFFERS:
            return f"{name} differs from the Hub's file of that name. Download it again."
        case VerdictKind.UNKNOWN:
            words = f"{name} has all its {verdict.tensor_count:,} tensors. The Hub's checksum for it is not known."
            return f"{words} {verdict.why}".rstrip()


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[column]) for row in (heads, *rows)) for column in range(len(heads))]
    cells = (zip(row, widths, strict=True) for row in (heads, *rows))
    return "\n".join("  ".join(cell.ljust(width) for cell, width in row).rstrip() for row in cells)


def _size(size: int) -> str:
    return f"{size / 1e9:,.1f} GB" if size >= 10**9 else f"{size / 1e6:,.1f} MB"

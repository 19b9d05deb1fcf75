"""The models on this disk: Headwater's own, and those that other programs have fetched, used where they lie.

Names and sizes come at once, from the folders alone; what a file says of itself is read later, each file once.
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from inference.errors import InferenceError
from inference.gguf_header import files_of, glance
from inference.memory import forecast_of
from inference.model_files import refusal_at_a_glance
from inference.model_names import display_name, ollama_models
from inference.own_files import make_own_folder, read_own, replace_own
from inference.sentences import Sentence, from_text
from inference.sizes import DEFAULT_CONTEXT

TRASH = ".headwater-trash"  # a folder in the one for models; see `inference.trash`

_SUFFIX = ".gguf"
_OF_THE_HUB = ("HF_HUB_CACHE", "HF_HOME")
_DEEPEST = 8  # folders below one that is looked through
_MOST_FOUND = 20_000
_LATER_PART = re.compile(r"-(?!00001)\d{5}-of-\d{5}\.gguf$", re.IGNORECASE)
_CACHE_VERSION = 3
_MOST_BYTES = 64 << 20  # of the cache; a larger file is none of ours
_MOST_NUMBER = 1 << 53  # bytes or tokens
_MOST_SECONDS = 1 << 37  # of the clock: some two thousand years from now, which every calendar still has


class ShelfSource(StrEnum):
    """Who put a model there."""

    EMBEDDED = "embedded"
    OURS = "ours"
    ADDED = "added"  # a folder that was named in the settings
    HUGGING_FACE = "Hugging Face"
    LM_STUDIO = "LM Studio"
    GPT4ALL = "GPT4All"
    JAN = "Jan"
    OLLAMA = "Ollama"


@dataclass(frozen=True, slots=True)
class ShelfFolder:
    """A folder where models may lie."""

    path: Path
    source: ShelfSource


@dataclass(frozen=True, slots=True)
class ShelfModel:
    """A model on this disk, as its folder tells: `size` in bytes over all its `parts`, `modified` in nanoseconds of the
    system's clock. Only what is `ours` may be deleted from here."""

    path: Path
    name: str
    size: int
    parts: int
    modified: int
    source: ShelfSource

    @property
    def is_ours(self) -> bool:
        return self.source is ShelfSource.OURS


@dataclass(frozen=True, slots=True)
class ShelfFacts:
    """What a model file says of itself at a glance; texts are "" and numbers 0 where it says nothing.

    `needed` are the bytes it will take with a window of `DEFAULT_CONTEXT`; of a mixture only some weights are read for
    each token. `trouble` is a sentence on why it cannot be
    read, `refusal` one on why a sound file cannot be chatted with.
    """

    title: str = ""
    architecture: str = ""
    quantisation: str = ""
    size_label: str = ""
    licence: str = ""
    training_context: int = 0
    needed: int = 0
    trouble: str = ""
    refusal: str = ""
    is_mixture: bool = False


def usual_folders(environment: Mapping[str, str], home: Path, platform: str = sys.platform) -> tuple[ShelfFolder, ...]:
    """Where other programs keep their models. Which of these exist is not looked at."""
    data = Path(environment.get("XDG_DATA_HOME") or home / ".local/share")
    local = Path(environment.get("LOCALAPPDATA") or home / "AppData/Local")
    roaming = Path(environment.get("APPDATA") or home / "AppData/Roaming")
    support = home / "Library/Application Support"
    match platform:
        case "darwin":
            gpt4all, jans = support / "nomic.ai/GPT4All", [support / "Jan/data"]
        case "win32":
            gpt4all, jans = local / "nomic.ai/GPT4All", [roaming / "Jan/data"]
        case _:
            gpt4all = data / "nomic.ai/GPT4All"
            jans = [data / "Jan/data", home / ".config/Jan/data"]
    # A `~` is the person's home, as the Hub's own tools read it.
    named = {name: Path(environment[name].replace("~", str(home), 1)) for name in _OF_THE_HUB if environment.get(name)}
    hub = named.get("HF_HUB_CACHE") or named.get("HF_HOME", home / ".cache/huggingface") / "hub"
    ollama = Path(environment.get("OLLAMA_MODELS") or home / ".ollama/models")
    source = ShelfSource
    return (
        ShelfFolder(hub, source.HUGGING_FACE),
        ShelfFolder(home / ".lmstudio/models", source.LM_STUDIO),
        ShelfFolder(home / ".cache/lm-studio/models", source.LM_STUDIO),
        ShelfFolder(gpt4all, source.GPT4ALL),
        *(ShelfFolder(jan, source.JAN) for jan in (*jans, home / "jan")),
        ShelfFolder(ollama, source.OLLAMA),
        *((ShelfFolder(Path("/usr/share/ollama/.ollama/models"), source.OLLAMA),) if platform == "linux" else ()),
    )


def find_models(folders: Iterable[ShelfFolder], embedded: Path | None = None) -> tuple[ShelfModel, ...]:
    """Every model in these folders, each once however often it is linked: where it was found first. Folders that are
    not there, or may not be read, are passed over; parts of one model are one."""
    seen: set[tuple[int, int]] = set()
    found: list[ShelfModel] = []
    if embedded is not None:
        found += _new([_Found(embedded, display_name(embedded))], ShelfSource.EMBEDDED, seen)
    for folder in folders:
        lying = _in_ollama(folder.path) if folder.source is ShelfSource.OLLAMA else _in_folder(folder.path)
        found += _new(lying, folder.source, seen)
    return tuple(found)


class FactsCache:
    """What model files say of themselves, kept in one small file: each is read once, as long as it does not change.

    The file is never trusted; deleting it costs nothing but time.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._rows: dict[str, tuple[int, int, ShelfFacts]] | None = None
        self._used: dict[str, float] = {}
        self._lock = threading.Lock()
        self._is_changed = False

    def known(self, model: ShelfModel) -> ShelfFacts | None:
        """What is known of it without looking into it."""
        with self._lock:
            row = self._loaded().get(str(model.path))
        return row[2] if row is not None and row[:2] == (model.size, model.modified) else None

    def read(self, model: ShelfModel) -> ShelfFacts:
        """What the file says; it is looked into where nothing is known, or something was wrong with it."""
        if (facts := self.known(model)) is not None and not facts.trouble:
            return facts
        facts = facts_of(model.path)
        with self._lock:
            self._loaded()[str(model.path)] = (model.size, model.modified, facts)
            self._is_changed = True
        return facts

    def note_use(self, path: Path, when: float) -> None:
        """Remember that the model at `path` answered at this time, in seconds of the system's clock."""
        with self._lock:
            self._loaded()
            self._used[str(path)] = when
            self._is_changed = True

    def used(self, path: Path) -> float:
        """When the model at `path` was loaded last; 0 where that was never."""
        with self._lock:
            self._loaded()
            return self._used.get(str(path), 0.0)

    def save(self, present: Iterable[ShelfModel]) -> None:
        """Keep what is known of the models that are there. A disk that refuses costs nothing but time later."""
        kept = {str(model.path) for model in present}
        with self._lock:
            if self._path is None or not self._is_changed:
                return
            rows = {
                path: [size, when, asdict(facts)]
                for path, (size, when, facts) in self._loaded().items()
                if path in kept and not facts.trouble  # such a file is looked into again in any case
            }
            used = {path: when for path, when in self._used.items() if path in kept}
            self._is_changed = False
        content = {"version": _CACHE_VERSION, "models": rows, "used": used}
        with suppress(OSError):
            make_own_folder(self._path.parent)
            replace_own(self._path, json.dumps(content), errors="surrogatepass")

    def _loaded(self) -> dict[str, tuple[int, int, ShelfFacts]]:
        if self._rows is None:
            content = _content_of(self._path)
            self._rows = dict(_rows_in(content))
            self._used = dict(_times_in(content))
        return self._rows


def facts_of(path: Path) -> ShelfFacts:
    """What the file at `path` says of itself; a file that cannot be read says why."""
    try:
        facts = glance(path)
        needed = forecast_of(facts, DEFAULT_CONTEXT).total
    except InferenceError as error:
        return ShelfFacts(trouble=str(error))
    except OSError as error:
        return ShelfFacts(trouble=Sentence("The system says: {strerror}.", strerror=error.strerror or str(error)))
    return ShelfFacts(
        title=facts.title,
        architecture=facts.architecture,
        quantisation=facts.quantisation,
        size_label=facts.size_label,
        licence=facts.licence,
        training_context=facts.training_context,
        needed=needed,
        refusal=refusal_at_a_glance(facts),
        is_mixture=facts.number("expert_count") > 1,
    )


@dataclass(frozen=True, slots=True)
class _Found:
    """A file, and what its model is called."""

    path: Path
    name: str


def _in_folder(folder: Path) -> Iterator[_Found]:
    """The GGUF files below a folder; of a model in parts, the first."""
    waiting = [(str(folder), 0)]
    count = 0
    while waiting and count < _MOST_FOUND:
        place, depth = waiting.pop()
        try:
            entries = sorted(os.scandir(place), key=lambda entry: entry.name)
        except OSError:
            continue
        below = []
        for entry in entries:
            with suppress(OSError):
                if entry.name.lower().endswith(_SUFFIX) and entry.is_file():
                    if not _LATER_PART.search(entry.name):
                        path = Path(entry.path)
                        count += 1
                        yield _Found(path, display_name(path))
                elif depth < _DEEPEST and entry.name != TRASH and entry.is_dir(follow_symlinks=False):
                    below.append((entry.path, depth + 1))
        waiting += reversed(below)


def _in_ollama(folder: Path) -> Iterator[_Found]:
    for path, name in ollama_models(folder):
        yield _Found(path, name)


def _new(lying: Iterable[_Found], source: ShelfSource, seen: set[tuple[int, int]]) -> Iterator[ShelfModel]:
    """Those that were not seen before, by what the file system takes for the same file."""
    for found in lying:
        with suppress(OSError):
            files = files_of(found.path)
            stats = [file.stat() for file in files]
            key = (stats[0].st_dev, stats[0].st_ino)
            if key not in seen:
                seen.add(key)
                yield ShelfModel(
                    path=found.path,
                    name=found.name,
                    size=sum(stat.st_size for stat in stats),
                    parts=len(files),
                    modified=stats[0].st_mtime_ns,
                    source=source,
                )


def _content_of(path: Path | None) -> dict[str, Any]:
    """A cache file, as far as it is one."""
    try:
        content = {} if path is None else json.loads(read_own(path, _MOST_BYTES).decode("utf-8", "surrogatepass"))
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _rows_in(content: dict[str, Any]) -> Iterator[tuple[str, tuple[int, int, ShelfFacts]]]:
    """What a cache file says of models, as far as it makes sense."""
    if content.get("version") != _CACHE_VERSION:
        return  # other things were known then
    kinds = {field.name: type(field.default) for field in fields(ShelfFacts)}
    for name, row in _pairs(content.get("models")):
        with suppress(ValueError, TypeError):
            size, when, values = row
            facts = ShelfFacts(**values)
            numbers = (size, facts.training_context, facts.needed)
            if (
                all(type(getattr(facts, each)) is kind for each, kind in kinds.items())
                and all(type(each) is int and 0 <= each <= _MOST_NUMBER for each in numbers)
                and type(when) is int
            ):
                yield name, (size, when, replace(facts, refusal=from_text(facts.refusal)))


def _times_in(content: dict[str, Any]) -> Iterator[tuple[str, float]]:
    for name, when in _pairs(content.get("used")):
        if type(when) in (int, float) and 0 <= when <= _MOST_SECONDS:
            yield name, float(when)


def _pairs(table: object) -> tuple[tuple[str, Any], ...]:
    return tuple(table.items()) if isinstance(table, dict) else ()

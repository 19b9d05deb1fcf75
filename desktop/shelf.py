"""The models on this disk, for the window: found in the background, again whenever a folder changes."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal
from shiboken6 import delete

import inference
from desktop.errands import Errand, Errands, Post
from desktop.settings import Settings, SettingsFile
from desktop.spoken import spoken
from inference import InferenceError, InvalidRequest, Sentence

if TYPE_CHECKING:
    from inference import FactsCache, GgufFacts, ShelfFacts, ShelfFolder, ShelfModel, Thrown
    from inference.hub import HubSession, Verdict

_FIND, _FACTS, _VERIFY = "find-models", "read-models", "verify-model"
_GLANCE, _WEIGH = "glance-at-model", "weigh-model"
_SETTLED_MILLISECONDS = 400  # after the last change of a folder
_MOST_WATCHED = 400  # folders
_DEEPEST_WATCHED = 2  # owner and repository, as downloads have them
_BATCH_SECONDS = 0.15  # of facts, before they are told
_YIELD_SECONDS = 0.001  # after each file that was read: Python runs one thread at a time, and the window comes first


@dataclass(frozen=True, slots=True)
class _Looked:
    """What was found, and the folders in which more may appear."""

    models: tuple[ShelfModel, ...]
    folders: tuple[Path, ...]


class Shelf(QObject):
    """Knows which models lie here and what they say of themselves, as far as that was read."""

    changed = Signal()  # which there are
    facts_read = Signal(object)  # tuple of paths of which more is known now
    verifying = Signal(object, int, int)  # path, bytes read, of how many
    verified = Signal(object)  # Verdict
    failed = Signal(str)  # a sentence

    def __init__(
        self,
        post: Callable[[Post], None],
        folder: Callable[[], Path],
        settings: SettingsFile,
        embedded: Path | None,
        cache: Path | None,
        session: Callable[[], HubSession],
        parent: QObject | None = None,
        environment: Mapping[str, str] = os.environ,
        home: Path | None = None,
    ) -> None:
        super().__init__(parent)
        self._errands = Errands(post)
        self._folder = folder
        self._settings = settings
        self._embedded = embedded
        self._cache_path = cache
        self._cache: FactsCache | None = None
        self._session = session
        self._environment = environment
        self._home = home
        self._models: tuple[ShelfModel, ...] = ()
        self._by_path: dict[Path, ShelfModel] = {}
        self._has_looked = False
        self._stop_verifying = threading.Event()
        self._verified: Path | None = None
        self._watcher: QFileSystemWatcher | None = None
        self._timer = QTimer(self, singleShot=True, interval=_SETTLED_MILLISECONDS)
        self._timer.timeout.connect(self.look)
        settings.listen(self._on_settings)

    @property
    def models(self) -> tuple[ShelfModel, ...]:
        """Those that were found last."""
        return self._models

    @property
    def has_looked(self) -> bool:
        """Whether it is known what there is."""
        return self._has_looked

    def of_path(self, path: Path) -> ShelfModel | None:
        return self._by_path.get(path)

    def fetched(self, repo: str, file: str) -> Path | None:
        """Where a file of the Hub lies, if it was fetched before, by whichever program."""
        return next((model.path for model in self._models if _is_of(model.path, repo, file)), None)

    def facts(self, model: ShelfModel) -> ShelfFacts | None:
        """What it says of itself; `None` until that was read."""
        return self._facts_cache.known(model)

    def refusal(self, path: Path) -> str:
        """Why what lies at `path` cannot be chatted with, as far as it was looked into; "" where it may well be."""
        model = self.of_path(path)
        facts = None if model is None else self.facts(model)
        return "" if facts is None else spoken(facts.trouble or facts.refusal)

    def used(self, model: ShelfModel) -> float:
        """When it was loaded last, in seconds of the system's clock; 0 where that was never."""
        return self._facts_cache.used(model.path)

    def note_use(self, path: Path) -> None:
        """Remember that this model was loaded now."""
        self._facts_cache.note_use(path, time.time())
        self.facts_read.emit((path,))

    def look(self) -> None:
        """Find out anew what there is. Ends with `changed`, then facts follow."""
        work = partial(_find, self._folder(), tuple(self._folders()), self._embedded)
        self._errands.send(_FIND, work, self._take, self._fail)

    def glance(self, path: Path, done: Callable[[GgufFacts], object]) -> None:
        """What a forecast needs of a file's header; milliseconds, but a disk may sleep. What is wrong with a file its
        facts say."""
        self._errands.send(_GLANCE, lambda _: inference.glance(path), done, _nothing)

    def weigh(self, path: Path, done: Callable[[GgufFacts], object], failed: Callable[[], object]) -> None:
        """`glance`, of a model that is about to be loaded: what is wrong with the file the load will say."""
        self._errands.send(_WEIGH, lambda _: inference.glance(path), done, lambda _: failed())

    @property
    def being_verified(self) -> Path | None:
        """The model that is read to be verified."""
        return self._verified if self._errands.is_out(_VERIFY) else None

    def verify(self, model: ShelfModel) -> None:
        """Read all of it and compare it with what the Hub says of it, and no longer what was read before. Ends with
        `verified` or `failed`."""
        self._stop_verifying.set()
        self._stop_verifying = stop = threading.Event()
        self._verified = model.path
        work = partial(_verify, model.path, self._folder(), self._session, stop)
        self._errands.send(_VERIFY, work, self._take_verdict, self._fail, self._take_progress)

    def stop_verifying(self) -> None:
        self._stop_verifying.set()
        self._errands.forget(_VERIFY)

    def throw_away(self, model: ShelfModel) -> Thrown | None:
        """Take it out of sight; `None` where that cannot be done, which is said."""
        try:
            thrown = inference.throw_away(model, self._folder())
        except InferenceError as error:
            self.failed.emit(spoken(error))
            return None
        self._put(tuple(each for each in self._models if each != model))
        self.changed.emit()
        return thrown

    def bring_back(self, thrown: Thrown) -> None:
        """Put it where it was."""
        try:
            inference.bring_back(thrown)
        except InferenceError as error:
            self.failed.emit(spoken(error))
        self.look()

    def throw_out(self, thrown: Thrown) -> None:
        """Delete it for good."""
        kind = f"throw-out {thrown.place.name}"
        self._errands.send(kind, lambda _: inference.throw_out(thrown), _nothing, self._fail)

    def close(self) -> None:
        """Look no longer, and keep what was found out."""
        self._errands.close()
        self._stop_verifying.set()
        self._timer.stop()
        if self._watcher is not None:
            # Now, and here: it listens to a socket, which must not be closed by whichever thread collects garbage.
            delete(self._watcher)
            self._watcher = None
        if self._cache is not None and self._has_looked:
            self._cache.save(self._models)

    @property
    def _facts_cache(self) -> FactsCache:
        if self._cache is None:
            self._cache = inference.FactsCache(self._cache_path)
        return self._cache

    def _put(self, models: tuple[ShelfModel, ...]) -> None:
        self._models, self._by_path = models, {model.path: model for model in models}

    def _take(self, looked: _Looked) -> None:
        self._put(looked.models)
        self._has_looked = True
        self._watch({str(path) for path in looked.folders})
        self.changed.emit()
        self._errands.send(
            _FACTS, partial(_read_facts, self._facts_cache, looked.models), _nothing, self._fail, self.facts_read.emit
        )

    def _take_verdict(self, verdict: Verdict | None) -> None:
        if verdict is not None:
            self.verified.emit(verdict)

    def _take_progress(self, told: tuple[Path, int, int]) -> None:
        self.verifying.emit(*told)

    def _fail(self, error: InferenceError) -> None:
        self.failed.emit(spoken(error))

    def _watch(self, wanted: set[str]) -> None:
        """Hear of changes in these folders."""
        if self._watcher is None:
            self._watcher = QFileSystemWatcher(self)
            self._watcher.directoryChanged.connect(self._timer.start)
        watched = set(self._watcher.directories())
        if gone := sorted(watched - wanted):
            self._watcher.removePaths(gone)
        if new := sorted(wanted - watched):
            self._watcher.addPaths(new)

    def _on_settings(self, before: Settings, after: Settings) -> None:
        if (after.models_folder, after.added_folders) != (before.models_folder, before.added_folders):
            self.look()

    def _folders(self) -> Iterator[ShelfFolder]:
        source, folder = inference.ShelfSource, inference.ShelfFolder
        yield folder(self._folder(), source.OURS)
        yield from (folder(Path(added), source.ADDED) for added in self._settings.current.added_folders)
        yield from inference.usual_folders(self._environment, self._home or Path.home())


def _is_of(path: Path, repo: str, file: str) -> bool:
    """Whether a file lies under its names on the Hub: in folders of these names, or in a version in the Hub's cache."""
    wanted = tuple(file.split("/"))
    above, end = path.parts[: -len(wanted)], path.parts[-len(wanted) :]
    in_cache = (f"models--{repo.replace('/', '--')}", "snapshots")
    return end == wanted and (above[-2:] == tuple(repo.split("/")) or above[-3:-1] == in_cache)


def _nothing(_result: object) -> None:
    """Nobody waits for it."""


# On threads of their own


def _find(folder: Path, folders: tuple[ShelfFolder, ...], embedded: Path | None, _errand: Errand) -> _Looked:
    inference.empty_trash(folder)
    models = inference.find_models(folders, embedded)
    source = inference.ShelfSource
    chosen = [each.path for each in folders if each.source in (source.OURS, source.ADDED)]
    named = [each.path for each in folders if each.path.is_dir()]
    waiting = [below for place in chosen for below in _folders_below(place, _DEEPEST_WATCHED)]
    places = dict.fromkeys((*named, *(model.path.parent for model in models), *waiting))
    return _Looked(models, tuple(places)[:_MOST_WATCHED])


def _folders_below(place: Path, depth: int) -> Iterator[Path]:
    """The folders in this one, of which those without a model may get one."""
    with suppress(OSError):
        for entry in os.scandir(place):
            if not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False):
                yield Path(entry.path)
                if depth > 1:
                    yield from _folders_below(Path(entry.path), depth - 1)


def _read_facts(cache: FactsCache, models: tuple[ShelfModel, ...], errand: Errand) -> None:
    told, when = [], time.monotonic()
    for model in models:
        if not errand.is_wanted:
            return
        before = cache.known(model)
        if before is None or before.trouble:  # trouble may be over though the file is the same
            if cache.read(model) == before:
                continue
            told.append(model.path)
            time.sleep(_YIELD_SECONDS)
        if told and time.monotonic() - when > _BATCH_SECONDS:
            errand.tell(tuple(told))
            told, when = [], time.monotonic()
    if told:
        errand.tell(tuple(told))
    cache.save(models)


def _verify(
    path: Path, folder: Path, session_of: Callable[[], HubSession], stop: threading.Event, errand: Errand
) -> Verdict | None:
    session, told = session_of(), 0.0
    try:
        for read, whole, verdict in inference.hub.verify(path, folder, session, stop):
            if verdict is not None:
                return verdict
            if time.monotonic() - told > _BATCH_SECONDS:
                told = time.monotonic()
                errand.tell((path, read, whole))
    except inference.hub.FetchStopped:
        return None
    except OSError as error:
        said = {"path": path, "reason": error.strerror}
        raise InvalidRequest(Sentence("{path} cannot be read: {reason}.", **said)) from error
    finally:
        session.hang_up()
    return None

"""How earlier runs of the program ended: each leaves a note of what it was doing, and takes it away when it leaves.

A note whose process is gone belongs to a run that died. Beside it lies what Python wrote down of a crash in compiled
code, which holds places in code and nothing else. Nothing that was said is in either.
"""

from __future__ import annotations

import faulthandler
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TextIO

from desktop.process_lock import ProcessLock
from inference import make_own_folder, open_own, read_own

RUNS = "runs"  # the folder beside the conversations
TWICE = 2  # deaths in a row over one model, after which it is not loaded by itself

_NOTE = ".json"
_FAULT = ".fault"
_HALF_WRITTEN = ".new"
_DEATHS = "deaths.json"
_LONGEST = 1 << 16  # bytes that are read of a file here, whatever it became
_MOST_CONVERSATIONS = 2**53
_MOST_DEATHS = 1_000


@dataclass(frozen=True, slots=True)
class Note:
    """What a run is doing: the model that is loading or writing, and the conversation that is open."""

    model: str = ""  # a path; empty while none is at work
    conversation: int | None = None


@dataclass(frozen=True, slots=True)
class Death:
    """How the last run ended that did not leave by itself, and how often in a row its model was at work then."""

    note: Note
    fault: str = ""  # Python's traces of all threads; empty where the system or somebody ended it
    in_a_row: int = 0


class LastRuns:
    """The notes in `folder`, this run's among them.

    Raises:
        OSError: from the constructor, where nothing can be kept there.
    """

    def __init__(self, folder: Path) -> None:
        make_own_folder(folder)
        self._folder = folder
        self._fault: TextIO | None = None
        self._lock = ProcessLock(folder)
        self.death, ended = self._find()
        # Where this run is ended before anybody has seen what the one before left, the next one can still say it.
        self._note = Note(conversation=self.death.note.conversation if self.death is not None else None)
        self._write(self._note)
        self._clear_away(ended)

    def is_deadly(self, model: str) -> bool:
        """Whether the program died over this model the last times it was at work."""
        deaths = self._deaths()
        return deaths.get("model") == model != "" and _number(deaths.get("count"), _MOST_DEATHS) >= TWICE

    def forgive(self) -> None:
        """Let the next death be the first again: a model has worked, or somebody wants it all the same."""
        with suppress(OSError):
            (self._folder / _DEATHS).unlink(missing_ok=True)

    def is_at_work(self, model: str) -> None:
        """This model is loading or writing from now on; with an empty name, none is."""
        self._keep(replace(self._note, model=model))

    def is_open(self, conversation: int | None) -> None:
        self._keep(replace(self._note, conversation=conversation))

    def catch_faults(self) -> None:
        """Have a crash in compiled code written down from now on."""
        with suppress(OSError):
            self._fault = _own_file(self._path(_FAULT))
            faulthandler.enable(self._fault, all_threads=True)

    def write_down(self, words: str) -> None:
        """Add to what is written down of a crash: the process is about to be ended."""
        if self._fault is not None:
            with suppress(OSError):
                self._fault.write(f"{words}\n")
                self._fault.flush()

    def close(self) -> None:
        """This run has left by itself. Closing twice is fine."""
        if self._fault is not None:
            faulthandler.disable()
            self._fault.close()
            self._fault = None
        for suffix in (_NOTE, _FAULT, _HALF_WRITTEN):
            with suppress(OSError):
                self._path(suffix).unlink(missing_ok=True)
        self._lock.close()

    def _keep(self, note: Note) -> None:
        if note != self._note:
            self._note = note
            self._write(note)

    def _write(self, note: Note) -> None:
        # Replaced whole: whoever reads it after a crash finds the one or the other. A full disk costs the note alone.
        fresh = self._path(_HALF_WRITTEN)
        with suppress(OSError):
            with _own_file(fresh) as file:
                file.write(json.dumps(asdict(note)))
            fresh.replace(self._path(_NOTE))

    def _path(self, suffix: str) -> Path:
        return self._folder / f"{Path(self._lock.name).stem}{suffix}"

    def _find(self) -> tuple[Death | None, list[Path]]:
        """The newest run that died, counted with all others that did, and their notes."""
        newest: Death | None = None
        ended: list[Path] = []
        for path in sorted(self._folder.glob(f"*{_NOTE}"), key=_age):
            if path.name == _DEATHS or not path.is_file() or self._lock.is_held(f"{path.stem}.lock"):
                continue
            note = _note_in(path)
            newest = Death(note, _fault_in(path.with_suffix(_FAULT)), self._count(note.model))
            ended.append(path)
        return newest, ended

    def _clear_away(self, notes: Sequence[Path]) -> None:
        """Delete these, and what lies beside them or was left by runs that were ended before they had one."""
        beside = (path for path in self._folder.iterdir() if path.suffix in (_FAULT, _HALF_WRITTEN))
        for path in (*notes, *beside):
            with suppress(OSError):
                if not self._lock.is_held(f"{path.stem}.lock"):
                    path.unlink()

    def _count(self, model: str) -> int:
        if not model:
            return 0
        deaths = self._deaths()
        count = 1 + (_number(deaths.get("count"), _MOST_DEATHS - 1) if deaths.get("model") == model else 0)
        with suppress(OSError), _own_file(self._folder / _DEATHS) as file:
            file.write(json.dumps({"model": model, "count": count}))
        return count

    def _deaths(self) -> dict[str, object]:
        return _read(self._folder / _DEATHS)


def _own_file(path: Path) -> TextIO:
    return open(path, "w", encoding="utf-8", opener=open_own)


def _age(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _note_in(path: Path) -> Note:
    values = _read(path)
    model = values.get("model")
    is_path = isinstance(model, str) and "\0" not in model
    return Note(str(model) if is_path else "", _number(values.get("conversation"), _MOST_CONVERSATIONS) or None)


def _fault_in(path: Path) -> str:
    try:
        return read_own(path, _LONGEST).decode("utf-8", "replace").strip()
    except OSError:
        return ""


def _read(path: Path) -> dict[str, object]:
    try:
        values = json.loads(read_own(path, _LONGEST))
    except (OSError, ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}


def _number(value: object, most: int) -> int:
    """A count, or 0 for what is none."""
    return value if type(value) is int and 0 < value <= most else 0

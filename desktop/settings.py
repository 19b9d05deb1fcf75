"""What the user chose: a frozen dataclass and its TOML file."""

from __future__ import annotations

import os
import tomllib
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from pathlib import Path

import tomli_w

from inference import RemoteModel

_OPTIONAL_NUMBERS = ("context_size", "threads")
_POSITIVE_NUMBERS = (*_OPTIONAL_NUMBERS, "sidebar_width")


class ColourScheme(StrEnum):
    """Light, dark, or whatever the system says."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True, slots=True)
class ModelWindow:
    """A model file that is loaded with a context window of its own size."""

    model: str  # path
    context_size: int


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that is remembered of how somebody likes the program. Replaced whole, never changed."""

    streaming: bool = True
    thinking: bool = True  # before the answer, where the model has a switch for it
    colour_scheme: ColourScheme = ColourScheme.SYSTEM
    model: str = ""  # path of the model used last; empty for the embedded one
    context_size: int | None = None
    threads: int | None = None
    kv_memory_megabytes: int = 512  # states of conversations that were left, in memory
    kv_disk_megabytes: int = 4096  # and on disk; 0 keeps nothing there
    recent_models: tuple[str, ...] = ()  # newest first, the embedded one never among them
    windows: tuple[ModelWindow, ...] = ()  # of models that got another one than `context_size`
    servers: tuple[RemoteModel, ...] = ()  # models of servers, the one used last first; no key is ever here
    use_server: bool = False  # whether the first of those answers, not `model`
    window_geometry: str = ""  # Qt's own bytes in base64
    sidebar_width: int = 260
    sidebar_shown: bool = True


_TABLES: dict[str, type[ModelWindow] | type[RemoteModel]] = {"windows": ModelWindow, "servers": RemoteModel}


class SettingsFile:
    """Keeps `Settings` in a TOML file. `notice` is a sentence for the person when the last load or save went wrong."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._current = Settings()
        self.notice = ""

    @property
    def path(self) -> Path:
        return self._path

    @property
    def current(self) -> Settings:
        """What was loaded or saved last."""
        return self._current

    def load(self) -> Settings:
        """What the file says. A broken file is set aside, and what could not be read of it is as at first."""
        self.notice = ""
        try:
            content = tomllib.loads(self._path.read_bytes().decode())
        except FileNotFoundError:
            self._current = Settings()
        except OSError as error:
            self._current = Settings()
            self.notice = f"The settings in {self._path} cannot be read: {error.strerror}."
        except (UnicodeDecodeError, tomllib.TOMLDecodeError):
            self._current = Settings()
            self._set_aside()
        else:
            self._current, sound = _settings_from(content)
            if not sound:
                self._set_aside()
        return self._current

    def save(self, settings: Settings) -> None:
        """Keep `settings`, now and in the file; the file is either the old one or the new one, never half of it."""
        self._current = settings
        content = tomli_w.dumps(_content_of(settings))
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _replace(self._path, content)
        except OSError as error:
            self.notice = f"The settings cannot be saved in {self._path}: {error.strerror}."
        else:
            self.notice = ""

    def _set_aside(self) -> None:
        aside = self._path.with_suffix(".broken.toml")
        try:
            self._path.replace(aside)
        except OSError as error:
            self.notice = f"The settings in {self._path} are damaged and cannot be set aside: {error.strerror}."
        else:
            self.notice = f"The settings file was damaged. It is kept as {aside}; what it held no longer applies."


def _settings_from(content: dict[str, object]) -> tuple[Settings, bool]:
    """The settings of a parsed file, and whether every known value in it made sense. Unknown ones are skipped."""
    settings: dict[str, object] = {}
    sound = True
    for name in (field.name for field in fields(Settings)):
        if name not in content:
            continue
        try:
            settings[name] = _value(name, content[name])
        except ValueError:
            sound = False
    return Settings(**settings), sound  # type: ignore[arg-type]  # each value was checked by _value


def _value(name: str, value: object) -> object:
    """A value of a TOML file as the field of that name wants it.

    Raises:
        ValueError: it is not of that kind.
    """
    default = getattr(Settings(), name)
    if name in _TABLES:
        return _rows(_TABLES[name], value)
    if name == "colour_scheme":
        return ColourScheme(str(value))
    if name in _OPTIONAL_NUMBERS or (isinstance(default, int) and not isinstance(default, bool)):
        if type(value) is int and (name not in _POSITIVE_NUMBERS or value >= 1) and 0 <= value < 2**31:
            return value
    elif isinstance(default, tuple):
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(value)
    elif type(value) is type(default):
        return value
    raise ValueError(name)


def _rows(kind: type[ModelWindow] | type[RemoteModel], value: object) -> tuple[object, ...]:
    """A list of tables as values of a kind.

    Raises:
        ValueError: one of them is none.
    """
    kinds = {field.name: int if field.type == "int" else str for field in fields(kind)}
    rows = []
    for row in value if isinstance(value, list) else [None]:
        if not isinstance(row, dict) or {name: type(row.get(name)) for name in kinds} != kinds:
            raise ValueError(kind.__name__)
        rows.append(kind(**{name: row[name] for name in kinds}))
    return tuple(rows)


def _content_of(settings: Settings) -> dict[str, object]:
    """What is written: everything but what was left open (TOML has no word for nothing)."""
    content: dict[str, object] = {}
    for field in fields(settings):
        value = getattr(settings, field.name)
        if value is not None:
            content[field.name] = [_plain(item) for item in value] if isinstance(value, tuple) else value
    return content


def _plain(item: object) -> object:
    return asdict(item) if isinstance(item, ModelWindow | RemoteModel) else item


def _replace(path: Path, content: str) -> None:
    """Write `content` beside `path` and put it in its place in one step. The new file is its owner's only."""
    from tempfile import NamedTemporaryFile

    with NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, prefix=path.name, delete=False) as file:
        try:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            file.close()
            Path(file.name).replace(path)
        except OSError:
            Path(file.name).unlink(missing_ok=True)
            raise

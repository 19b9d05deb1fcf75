"""What the user chose: a frozen dataclass and its TOML file."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from enum import StrEnum
from pathlib import Path

from inference import (
    MOST_THREADS,
    KvType,
    ProxyKind,
    RemoteModel,
    Sentence,
    is_proxy_address,
    make_own_folder,
    read_own,
    replace_own,
)

FONT_SIZES = (10, 20)  # points, from least to most
ZOOMS = (50, 300)  # per cent

_WHOLE = (0, 2**31 - 1)
MOST_PRICE = 1e6
_COUNT = (1, 2**31 - 1)
_RANGES = {
    "context_size": _COUNT,
    "threads": (1, MOST_THREADS),
    "gpu_layers": _WHOLE,
    "unload_after_minutes": (1, 24 * 60),
    "kv_memory_megabytes": _WHOLE,
    "kv_disk_megabytes": _WHOLE,
    "font_size": FONT_SIZES,
    "zoom": ZOOMS,
    "sidebar_width": _COUNT,
    "last_conversation": _COUNT,
}

_DEEPEST = 50  # tables and lists within each other
_MOST_BYTES = 1 << 20  # nobody chooses as much; a larger file is none of ours

_HEADING = """\
# What was chosen in Headwater. It is read when the program starts, and written over when something is chosen; what is
# left out, or makes no sense, is as at first. No key is ever in this file.
"""


class ColourScheme(StrEnum):
    """Light, dark, or whatever the system says."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


class SendingKey(StrEnum):
    """What sends a message; with Control, on macOS Command, Enter alone begins a new line."""

    ENTER = "enter"
    CTRL_ENTER = "ctrl+enter"


@dataclass(frozen=True, slots=True)
class ModelWindow:
    """A model file that is loaded otherwise than the others: with a context window of its own size, on another
    device."""

    model: str  # path
    context_size: int = 0  # 0 for that of all
    device: str = ""  # empty for that of all


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that is remembered of how somebody likes the program. Replaced whole, never changed."""

    colour_scheme: ColourScheme = ColourScheme.SYSTEM
    language: str = ""  # "en", "de"; empty for the system's
    font_family: str = ""  # empty for the system's
    font_size: int | None = None  # points of controls, messages are one larger; None for the system's
    zoom: int = 100  # of messages, per cent
    reduced_motion: bool = False  # wished for here; the system may wish it too
    send_with: SendingKey = SendingKey.ENTER
    streaming: bool = True
    price_input: float = 0.0  # money per million tokens, as the reader entered it; 0 where nothing was
    price_cached: float = 0.0
    price_output: float = 0.0
    price_currency: str = ""
    thinking: bool = True  # before the answer, where the model has a switch for it
    restore_place: bool = True  # whether the program begins with the conversation it was left with
    model: str = ""  # path of the model used last; empty for the embedded one
    models_folder: str = ""  # where model files are put and looked for; empty for the usual one
    added_folders: tuple[str, ...] = ()  # where model files are looked for besides
    downloads_wait: bool = False  # until somebody says when: where what comes over the net is paid for
    unload_after_minutes: int | None = None  # that nobody asked the model anything; None: it stays
    device: str = ""  # what computes, such as "CUDA0"; empty for the engine's choice
    gpu_layers: int | None = None  # None: as many as fit
    kv_type: KvType = KvType.F16
    context_size: int | None = None
    threads: int | None = None
    kv_memory_megabytes: int = 512  # states of conversations that were left, in memory
    kv_disk_megabytes: int = 4096  # and on disk; 0 keeps nothing there
    use_server: bool = False  # whether the first of `servers` answers, not `model`
    proxy: ProxyKind = ProxyKind.SYSTEM
    proxy_address: str = ""  # of a manual one; it holds no password
    window_geometry: str = ""  # Qt's own bytes in base64
    sidebar_width: int = 260
    sidebar_shown: bool = True
    last_conversation: int | None = None  # that was open, by its id
    last_place: str = ""  # what was read of it, as the transcript names places
    folded_folders: tuple[str, ...] = ()  # of conversations, by their names
    recent_models: tuple[str, ...] = ()  # newest first, the embedded one never among them
    windows: tuple[ModelWindow, ...] = ()  # of models that are loaded otherwise than the others
    servers: tuple[RemoteModel, ...] = ()  # models of servers, the one used last first; no key is ever here


_TABLES: dict[str, type[ModelWindow] | type[RemoteModel]] = {"windows": ModelWindow, "servers": RemoteModel}

Listener = Callable[[Settings, Settings], object]


class SettingsFile:
    """Keeps `Settings` in a TOML file. `notice` is a sentence for the person when the last load or save went wrong.

    Several windows of the program may keep theirs in the same file: what this one did not change is left as it is
    found there, and so is what a newer version wrote and this one does not know.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._current = Settings()
        self._in_file = Settings()  # as it was read or written last
        self._unknown: dict[str, object] = {}
        self._listeners: list[Listener] = []
        self._is_kept = True
        self.notice = ""

    @property
    def path(self) -> Path:
        return self._path

    @property
    def current(self) -> Settings:
        """What was loaded or saved last."""
        return self._current

    def listen(self, listener: Listener) -> None:
        """Have `listener` called, with the settings before and after, whenever others apply."""
        self._listeners.append(listener)

    def load(self) -> Settings:
        """What the file says. A broken file is set aside, and what could not be read of it is as at first."""
        self.notice = ""
        self._current = self._in_file = self._read() or Settings()
        return self._current

    def do_without(self, settings: Settings) -> None:
        """Let these apply, and leave the file as it is, whatever is chosen from now on."""
        self._is_kept = False
        self._current = settings

    def save(self, settings: Settings) -> None:
        """Keep `settings`, now and in the file; the file is either the old one or the new one, never half of it."""
        before = self._current
        self.notice = ""
        if self._is_kept:
            self._write(settings)
        else:
            self._current = settings
        if self._current != before:
            for listener in tuple(self._listeners):
                listener(before, self._current)

    def let_go(self) -> None:
        """Write nothing any more: the file is about to be deleted."""
        self._is_kept = False

    def _write(self, settings: Settings) -> None:
        import tomli_w

        found = self._read()
        self._current = settings if found is None else _merged(settings, self._in_file, found)
        try:
            make_own_folder(self._path.parent)
            content = tomli_w.dumps(_content_of(self._current) | self._unknown)
            replace_own(self._path, _HEADING + content, for_good=True)
        except OSError as error:
            self.notice = Sentence(
                "The settings cannot be saved in {path}: {reason}.", path=self._path, reason=error.strerror
            )
        else:
            self._in_file = self._current

    def _read(self) -> Settings | None:
        """What the file holds now; `None` where it cannot be read."""
        try:
            content = tomllib.loads(_text_of(self._path))
        except FileNotFoundError:
            return None
        except OSError as error:
            self.notice = Sentence(
                "The settings in {path} cannot be read: {reason}.", path=self._path, reason=error.strerror
            )
            return None
        except (ValueError, RecursionError):  # no UTF-8, no TOML, or what no sane TOML has
            self._set_aside()
            return None
        settings, sound = _settings_from(content)
        known = {field.name for field in fields(Settings)}
        unknown = {name: value for name, value in content.items() if name not in known}
        self._unknown = {name: value for name, value in unknown.items() if _is_shallow(value)}
        if not sound or self._unknown != unknown:
            self._set_aside()
        return settings

    def _set_aside(self) -> None:
        aside = broken_of(self._path)
        try:
            self._path.replace(aside)
        except OSError as error:
            self.notice = Sentence(
                "The settings in {path} are damaged and cannot be set aside: {reason}.",
                path=self._path,
                reason=error.strerror,
            )
        else:
            self.notice = Sentence(
                "The settings file was damaged. It is kept as {path}; what it held no longer applies.", path=aside
            )


def _text_of(path: Path) -> str:
    """What the file holds; some editors mark the beginning of UTF-8.

    Raises:
        ValueError: it is no text, or too much of it.
    """
    raw = read_own(path, _MOST_BYTES + 1)
    if len(raw) > _MOST_BYTES:
        raise ValueError("too large")
    return raw.decode("utf-8-sig")


def broken_of(path: Path) -> Path:
    """Where a broken settings file is set aside."""
    return path.with_suffix(".broken.toml")


def _merged(wanted: Settings, known: Settings, found: Settings) -> Settings:
    """`wanted`, with what is found in the file now where `wanted` has only what was known of it."""
    names = [field.name for field in fields(Settings)]
    theirs = {name: getattr(found, name) for name in names if getattr(wanted, name) == getattr(known, name)}
    return replace(wanted, **theirs)


def _settings_from(content: Mapping[str, object]) -> tuple[Settings, bool]:
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
    if _holds_zero(value):
        raise ValueError(name)  # no path and no name does, and the system cannot be asked for one
    if name in _TABLES:
        return _rows(_TABLES[name], value)
    if name in _RANGES:
        return _number(value, *_RANGES[name])
    if isinstance(default, float):
        return _price(value)
    if isinstance(default, StrEnum):
        return type(default)(str(value))
    if isinstance(default, tuple) and isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    if type(value) is not type(default):
        raise ValueError(name)
    if name == "proxy_address" and value and not is_proxy_address(str(value)):
        raise ValueError(name)
    return value


def _holds_zero(value: object) -> bool:
    match value:
        case str():
            return "\0" in value
        case list():
            return any(map(_holds_zero, value))
        case dict():
            return any(map(_holds_zero, value.values()))
        case _:
            return False


def _is_shallow(value: object, depth: int = _DEEPEST) -> bool:
    """Whether a value can be written again: the writer goes down into it, and less far than the reader."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return depth > 0 and all(_is_shallow(part, depth - 1) for part in parts)


def _price(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MOST_PRICE:
        raise ValueError(value)
    return float(value)


def _number(value: object, least: int, most: int) -> int:
    if type(value) is not int or not least <= value <= most:
        raise ValueError(value)
    return value


def _rows(kind: type[ModelWindow] | type[RemoteModel], value: object) -> tuple[object, ...]:
    """A list of tables as values of a kind.

    Raises:
        ValueError: one of them is none.
    """
    kinds = {field.name: int if field.type == "int" else str for field in fields(kind)}
    rows = []
    for row in value if isinstance(value, list) else [None]:
        known = {name: item for name, item in row.items() if name in kinds} if isinstance(row, dict) else {}
        if not known or any(type(item) is not kinds[name] for name, item in known.items()):
            raise ValueError(kind.__name__)
        for item in known.values():
            if isinstance(item, int):
                _number(item, *_WHOLE)
        try:
            rows.append(kind(**known))
        except TypeError as error:  # one that has to be there is not
            raise ValueError(kind.__name__) from error
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

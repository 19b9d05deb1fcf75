"""How a model file gets loaded on this machine: one that lived through it before at once, any other after a trial in a
process of its own."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from pathlib import Path

from inference.configuration import EngineFiles, ModelConfig
from inference.gguf_header import GgufFacts
from inference.machine import Device
from inference.measurements import Measurements, file_key
from inference.model import Model, StopFlag
from inference.model_files import check_file
from inference.model_names import embedded_model

Trial = Callable[[ModelConfig, GgufFacts, StopFlag, Callable[[float], None]], None]

_TRIAL_SHARE = 0.8  # of the progress that is shown; the second load finds the file in memory
_BINDINGS = "llama_cpp"


def try_in_child(config: ModelConfig, facts: GgufFacts, stop_flag: StopFlag, progress: Callable[[float], None]) -> None:
    """See `inference.probe`, which few loads need."""
    from inference import probe

    probe.try_in_child(config, facts, stop_flag, progress)


class LocalLoader:
    """A `Loader` of model files, with llama.cpp in this process. `trial` is what goes before a file's first load."""

    def __init__(self, files: EngineFiles, measurements: Measurements, trial: Trial = try_in_child) -> None:
        self._log = files.log
        self._measurements = measurements
        self._trial = trial if files.measurements is not None else None
        self._embedded = embedded_model()

    def __call__(self, config: ModelConfig, stop_flag: StopFlag, progress: Callable[[float], None]) -> Model:
        if self._trial is None or config.path == self._embedded:
            return self._load(config, stop_flag, progress)
        file, setting = file_key(config.path), _setting_of(config)
        if setting not in self._measurements.of(file).known:
            facts = check_file(config.path)  # what its header tells costs no child
            self._trial(config, facts, stop_flag, lambda fraction: progress(fraction * _TRIAL_SHARE))
            progress = _last_part_of(progress)
        # Until it is loaded it counts as not known: if this process dies of it, the next one tries first.
        self._measurements.doubt(file, setting)
        self._measurements.save()
        try:
            return self._load(config, stop_flag, progress)
        finally:
            self._measurements.know(file, setting)
            self._measurements.save()

    def _load(self, config: ModelConfig, stop_flag: StopFlag, progress: Callable[[float], None]) -> Model:
        # llama.cpp and numpy take a third of a second to import: with the first model, not before.
        from inference.llama import load_model
        from inference.llama.log import engine_log

        if self._log is not None:
            engine_log().write_to(self._log)
        return load_model(config, stop_flag, progress, self._measurements)


def list_devices() -> tuple[Device, ...]:
    """What the installed llama.cpp can compute on, with the memory that is free now. It takes a third of a second the
    first time, and as long as a GPU's driver wants."""
    from inference.llama.devices import list_devices as list_them

    return list_them()


def _last_part_of(progress: Callable[[float], None]) -> Callable[[float], None]:
    def report(fraction: float) -> None:
        progress(_TRIAL_SHARE + fraction * (1 - _TRIAL_SHARE))

    return report


def _setting_of(config: ModelConfig) -> str:
    """What a file can be known to be loaded with: the build of the library, and the device."""
    return f"{_build()} {config.device or 'automatic'}"


def _build() -> str:
    """Names the library's very files, without loading them."""
    import hashlib
    import platform

    digest = hashlib.blake2b(platform.machine().encode(), digest_size=12)
    for file in sorted(_library_files()):
        stat = file.stat()
        digest.update(f"{file.name} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def _library_files() -> Iterator[Path]:
    spec = importlib.util.find_spec(_BINDINGS)
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        yield from (file for file in (Path(folder) / "lib").glob("*") if file.is_file())

"""What llama.cpp can compute on here: its devices with their memory."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from inference.configuration import ModelConfig
from inference.llama.library import llama
from inference.llama.log import engine_log
from inference.machine import Device, DeviceKind
from inference.memory import CPU

# enum ggml_backend_dev_type
_KINDS = {0: DeviceKind.CPU, 1: DeviceKind.GPU, 2: DeviceKind.INTEGRATED}
_GPUS = (DeviceKind.GPU, DeviceKind.INTEGRATED)


def list_devices() -> tuple[Device, ...]:
    """Every device that the installed llama.cpp sees, with the memory that is free now."""
    return tuple(device for device, _ in _devices())


def count_gpus(config: ModelConfig) -> int:
    """How many GPUs a load would use."""
    if config.device == CPU or config.gpu_layers == 0 or not llama.llama_supports_gpu_offload():
        return 0
    try:
        return len(gpus_for(config.device, list_devices()))
    except LookupError:
        return 0


def gpus_for(wanted: str | None, devices: Sequence[Device]) -> tuple[Device, ...]:
    """The GPUs to use: the one that is wanted, else every one with memory of its own, else those that share it.

    Raises:
        LookupError: there is no device of that name.
    """
    if wanted is not None:
        named = [device for device in devices if device.name == wanted]
        if not named:
            raise LookupError(wanted)
        return tuple(device for device in named if device.kind in _GPUS)
    own = tuple(device for device in devices if device.kind is DeviceKind.GPU)
    return own or tuple(device for device in devices if device.kind is DeviceKind.INTEGRATED)[:1]


def pointers_to(devices: Sequence[Device]) -> ctypes.Array[ctypes.c_void_p]:
    """The devices as llama.cpp wants them, a NULL behind the last. It must live until the model is loaded."""
    # Where no device is wanted none is asked: its driver would be set up for that.
    pointers = {device.name: pointer for device, pointer in _devices()} if devices else {}
    found = [pointers[device.name] for device in devices if device.name in pointers]
    return (ctypes.c_void_p * (len(found) + 1))(*found, None)


def _devices() -> Iterator[tuple[Device, int]]:
    engine_log()  # a driver that is set up now writes about it
    calls = _Calls.of_library()
    for index in range(calls.count()):
        if pointer := calls.get(index):
            yield calls.describe(pointer), pointer


class _Calls:
    """ggml's functions about devices, which the bindings do not declare."""

    def __init__(self) -> None:
        self.count = _function("ggml_backend_dev_count", ctypes.c_size_t)
        self.get = _function("ggml_backend_dev_get", ctypes.c_void_p, ctypes.c_size_t)
        self._name = _function("ggml_backend_dev_name", ctypes.c_char_p, ctypes.c_void_p)
        self._description = _function("ggml_backend_dev_description", ctypes.c_char_p, ctypes.c_void_p)
        self._type = _function("ggml_backend_dev_type", ctypes.c_int, ctypes.c_void_p)
        size = ctypes.POINTER(ctypes.c_size_t)
        self._memory = _function("ggml_backend_dev_memory", None, ctypes.c_void_p, size, size)

    @classmethod
    @cache
    def of_library(cls) -> _Calls:
        return cls()

    def describe(self, pointer: int) -> Device:
        free, total = ctypes.c_size_t(0), ctypes.c_size_t(0)
        self._memory(pointer, ctypes.byref(free), ctypes.byref(total))
        kind = _KINDS.get(self._type(pointer), DeviceKind.OTHER)
        return Device(_text(self._name(pointer)), _text(self._description(pointer)), kind, free.value, total.value)


def _function(name: str, result: type[Any] | None, *arguments: type[Any]) -> Any:  # noqa: ANN401 - a foreign function
    for library in _libraries():
        found = getattr(library, name, None)
        if found is not None:
            found.restype, found.argtypes = result, arguments
            return found
    raise AttributeError(name)


def _libraries() -> Iterator[ctypes.CDLL]:
    """The libraries that are loaded already: opening ggml by its path would load a second copy, with devices of its
    own."""
    yield llama._lib  # noqa: SLF001 - on Linux and macOS a look into it finds what it depends on, too
    if sys.platform == "win32":
        for name in ("ggml.dll", "ggml-base.dll"):
            yield ctypes.CDLL(name)


def _text(written: bytes | None) -> str:
    return (written or b"").decode("utf-8", "replace")

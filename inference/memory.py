"""What a model will need of this machine's memory: forecast from its header before it is loaded, corrected by what
earlier loads really took.

How llama.cpp lays things out is `sizes`'s; devices and measurements are given to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from inference.configuration import KvType, ModelConfig
from inference.events import MemoryUse
from inference.gguf_header import GgufFacts, read_facts
from inference.machine import Device, DeviceKind, available_memory
from inference.measurements import FileRecord, Measurements, Run, file_key
from inference.sentences import Sentence
from inference.sizes import (
    BATCH_SIZE,
    FlashAttention,
    bytes_on_devices,
    context_for,
    flash_attention,
    layers_of,
    micro_batch,
    sizes_of,
    usable_kv_type,
)

CPU = "CPU"
_CPU_MARGIN = 256 << 20
_GPU_MARGIN = 1 << 30  # a GPU that runs out of memory in the middle of a reply ends the process
_LEAST_RATIO, _MOST_RATIO = 0.1, 10.0
_STEPS_DOWN = 8


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a model with a window of `context_size` tokens will take, in bytes, and what there is for it.

    `margin` is to be left free besides. `is_measured`: just this was loaded before, so these are its real sizes.
    """

    context_size: int
    weights: int
    kv: int
    compute: int
    margin: int
    available: int
    is_measured: bool = False

    @property
    def total(self) -> int:
        return self.weights + self.kv + self.compute

    @property
    def fits(self) -> bool:
        """Whether all of it stays in memory; weights that do not are read from the disk again and again."""
        return self.total + self.margin <= self.available


@dataclass(frozen=True, slots=True)
class LoadPlan:
    """How a file is going to be loaded.

    `gpu_layers` of `layers` (the output layer counted) go to `devices`, which are empty where only the CPU computes;
    they take `on_devices` bytes there. `in_memory` bytes must be found in the system's memory besides the weights.
    `layers_wanted` on `devices_tried` were to be had at first; the plan may be one with fewer. `note` is a sentence on
    why not all layers are on the GPU; "" where there is nothing to say.
    """

    context_size: int
    batch_size: int
    micro_batch_size: int  # tokens of it that are computed at once
    kv_type: KvType
    flash_attention: FlashAttention
    devices: tuple[Device, ...]
    gpu_layers: int
    layers: int
    on_devices: int
    in_memory: int
    layers_wanted: int
    devices_tried: tuple[Device, ...]
    note: str = ""

    @property
    def device(self) -> str:
        """Where the model runs: "CPU", "CUDA0: 24 of 33 layers"."""
        if not self.gpu_layers:
            return CPU
        place = {"names": _names(self.devices), "here": self.gpu_layers, "layers": self.layers}
        return Sentence("{names}: {here} of {layers} layers", **place)

    def device_with(self, used: int) -> str:
        """`device`, with how much of its memory is used: "CUDA0: 24 of 33 layers, 7.1 of 8.0 GB"."""
        total = sum(device.total for device in self.devices)
        if not self.gpu_layers or not used:
            return self.device
        place = {"device": self.device, "used": used / 1e9, "total": total / 1e9}
        return Sentence("{device}, {used:.1f} of {total:.1f} GB", **place)


def forecast(
    path: Path,
    context_size: int | None = None,
    *,
    kv_type: KvType = KvType.F16,
    device: Device | None = None,
    measurements: Measurements | None = None,
    freed: int = 0,
) -> Forecast:
    """What the model at `path` will take, quick enough to be asked while a slider moves: the header is read once.

    `device` is where all of it shall lie; `None` is the system's memory. `freed` bytes are given back before the load:
    what is loaded now and will make room.

    Raises:
        ModelNotFound: there is no such file.
        ModelUnreadable: it is no GGUF file, or its header is damaged.
    """
    record = measurements.of(file_key(path)) if measurements is not None else FileRecord()
    return forecast_of(_facts_now(path), context_size, kv_type=kv_type, device=device, record=record, freed=freed)


def forecast_of(
    facts: GgufFacts,
    context_size: int | None = None,
    *,
    kv_type: KvType = KvType.F16,
    device: Device | None = None,
    record: FileRecord | None = None,
    freed: int = 0,
) -> Forecast:
    """`forecast`, of a header that was read, if only at a glance: then the file's size stands for its weights."""
    size, record = context_for(facts, context_size), record or FileRecord()
    name = device.name if device is not None else CPU
    sizes = corrected(facts, record, size, kv_type, name)
    return Forecast(
        context_size=size,
        weights=sizes.weights,
        kv=sizes.kv,
        compute=sizes.compute,
        margin=_margin_of(device),
        available=(device.free if device is not None else available_memory()) + freed,
        is_measured=any(_is_like(run, size, kv_type, name) for run in record.runs),
    )


def plan_load(
    config: ModelConfig, facts: GgufFacts, devices: Sequence[Device], record: FileRecord | None = None
) -> LoadPlan:
    """How to load a file, where `devices` are the GPUs it may use."""
    record = record or FileRecord()
    size = context_for(facts, config.context_size)
    layers = layers_of(facts) + 1  # llama.cpp counts the output layer with the blocks
    kv_type = usable_kv_type(facts, config.kv_type)
    gpus = () if config.device == CPU or config.gpu_layers == 0 else tuple(devices)
    fitting = _fitting_layers(facts, record, size, kv_type, gpus)
    on_gpu = min(fitting if config.gpu_layers is None else config.gpu_layers, layers) if gpus else 0
    flash = flash_attention(facts, size, kv_type, on_gpu=on_gpu > 0)
    used = gpus if on_gpu else ()
    sizes = corrected(facts, record, size, kv_type, _names(used), flash)
    on_devices = bytes_on_devices(facts, sizes, on_gpu) if on_gpu else 0
    share = (layers - on_gpu) / layers
    return LoadPlan(
        context_size=size,
        batch_size=min(BATCH_SIZE, size),
        micro_batch_size=micro_batch(size, on_gpu=on_gpu > 0),
        kv_type=kv_type,
        flash_attention=flash,
        devices=used,
        gpu_layers=on_gpu,
        layers=layers,
        on_devices=on_devices,
        in_memory=int(sizes.kv * share) + (0 if on_gpu else sizes.compute),
        layers_wanted=on_gpu,
        devices_tried=used,
        note=_note(gpus, on_gpu, layers) if config.gpu_layers is None else "",
    )


def plans_to_try(
    config: ModelConfig, facts: GgufFacts, devices: Sequence[Device], record: FileRecord | None = None
) -> Iterator[LoadPlan]:
    """`plan_load`, and what to try one after another when that finds no memory: fewer layers on the GPU, at last none.
    A number of layers that a person wants is tried as it is."""
    first = plan_load(config, facts, devices, record)
    yield first
    if config.gpu_layers is None and first.gpu_layers:
        step = max(1, first.layers // _STEPS_DOWN)
        refused = first.gpu_layers
        while refused:
            fewer = max(0, refused - step)
            plan = plan_load(replace(config, gpu_layers=fewer), facts, devices, record)
            names = _names(first.devices)
            note = Sentence(
                "{names} had no room for {refused} of {layers} layers.",
                names=names,
                refused=refused,
                layers=first.layers,
            )
            yield replace(plan, layers_wanted=first.gpu_layers, devices_tried=first.devices, note=note)
            refused = fewer


def run_of(plan: LoadPlan, use: MemoryUse) -> Run:
    """What is remembered of a load that was made by `plan` and took so much."""
    return Run(
        device=_names(plan.devices_tried),
        gpu_layers=plan.gpu_layers,
        layers_wanted=plan.layers_wanted,
        context_size=plan.context_size,
        kv_type=plan.kv_type,
        weights=use.weights,
        kv=use.kv,
        compute=use.compute,
        free=sum(device.free for device in plan.devices_tried),
    )


def best_threads(record: FileRecord, plan: LoadPlan, bound: int) -> int:
    """The number of threads that was measured to be fastest, where that was done under the same bound."""
    found = (each.best for each in record.threads if (each.device, each.bound) == (_names(plan.devices), bound))
    return min(next(found, bound) or bound, bound)


def corrected(
    facts: GgufFacts,
    record: FileRecord,
    context_size: int,
    kv_type: KvType,
    device: str,
    flash: FlashAttention | None = None,
) -> MemoryUse:
    """`sizes_of`, corrected by the load that was most like it: its real sizes over what was forecast for them."""
    on_gpu = device != CPU
    if flash is None:
        flash = flash_attention(facts, context_size, kv_type, on_gpu=on_gpu)
    plain = sizes_of(facts, context_size, kv_type, flash, on_gpu=on_gpu)
    alike = [run for run in record.runs if run.device == device and run.kv_type == kv_type]
    if not alike:
        return plain
    run = min(reversed(alike), key=lambda each: abs(each.context_size - context_size))
    run_flash = flash_attention(facts, run.context_size, kv_type, on_gpu=on_gpu)
    before = sizes_of(facts, run.context_size, kv_type, run_flash, on_gpu=on_gpu)
    return MemoryUse(
        # Where layers are on a GPU, the file's mapping is counted whole, and says nothing.
        weights=plain.weights if run.gpu_layers else _scaled(plain.weights, run.weights, before.weights),
        kv=_scaled(plain.kv, run.kv, before.kv),
        compute=_scaled(plain.compute, run.compute, before.compute),
    )


def _fitting_layers(
    facts: GgufFacts, record: FileRecord, context_size: int, kv_type: KvType, gpus: tuple[Device, ...]
) -> int:
    """As many layers as fit onto `gpus`, and no more than really did where the same was tried with no more room."""
    if not gpus:
        return 0
    sizes = corrected(facts, record, context_size, kv_type, _names(gpus))
    room = sum(max(0, gpu.free - _GPU_MARGIN) for gpu in gpus) - sizes.compute * (len(gpus) - 1)
    if any(gpu.kind is DeviceKind.INTEGRATED for gpu in gpus):
        room = min(room, available_memory())
    layers = layers_of(facts) + 1
    fitting = next((count for count in range(layers, 0, -1) if bytes_on_devices(facts, sizes, count) <= room), 0)
    for run in record.runs:
        had_to_step_down = _is_like(run, context_size, kv_type, _names(gpus)) and run.gpu_layers < run.layers_wanted
        if had_to_step_down and sum(gpu.free for gpu in gpus) <= run.free:
            fitting = min(fitting, run.gpu_layers)
    return fitting


def _note(gpus: tuple[Device, ...], on_gpu: int, layers: int) -> str:
    if not gpus or on_gpu == layers:
        return ""
    free, total = sum(gpu.free for gpu in gpus), sum(gpu.total for gpu in gpus)
    return Sentence(
        "{stay} of {layers} layers stay on the CPU: {names} has {free:.1f} of {total:.1f} GB free.",
        stay=layers - on_gpu,
        layers=layers,
        names=_names(gpus),
        free=free / 1e9,
        total=total / 1e9,
    )


def _names(devices: Sequence[Device]) -> str:
    return " + ".join(device.name for device in devices) or CPU


def _margin_of(device: Device | None) -> int:
    return _CPU_MARGIN if device is None or device.kind is DeviceKind.CPU else _GPU_MARGIN


def _is_like(run: Run, context_size: int, kv_type: KvType, device: str) -> bool:
    return (run.context_size, run.kv_type, run.device) == (context_size, kv_type, device)


def _scaled(plain: int, real: int, before: int) -> int:
    if not before or not real:
        return plain
    return round(plain * min(max(real / before, _LEAST_RATIO), _MOST_RATIO))


def _facts_now(path: Path) -> GgufFacts:
    try:
        stat = path.stat()
    except (OSError, ValueError):
        return read_facts(path)  # says what is wrong
    return _facts_of(path, stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=16)
def _facts_of(path: Path, _size: int, _written: int) -> GgufFacts:
    return read_facts(path)

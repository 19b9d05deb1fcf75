"""What a model will need of this machine's memory: forecast from its header before it is loaded, corrected by what
earlier loads really took.

It knows nothing of llama.cpp but how that lays things out; devices and measurements are given to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

from inference.configuration import KvType, ModelConfig
from inference.events import MemoryUse
from inference.gguf_header import MOST_LAYERS, GgufFacts, Weights, read_facts
from inference.machine import Device, DeviceKind, available_memory
from inference.measurements import FileRecord, Measurements, Run, file_key
from inference.sentences import Sentence

DEFAULT_CONTEXT = 4096
CONTEXT_STEP = 256  # llama.cpp rounds up to it
MOST_CONTEXT = 2**31 - CONTEXT_STEP
CPU = "CPU"
MOST_OUTPUTS = 16  # tokens of a batch whose logits are kept: those of a draft

_BATCH = 512
# What is computed at once. Measured on a CPU, 1,000 tokens with SmolLM2: a quarter of a batch at a time reads a tenth
# faster than all of it, since what it works on stays near the processor, and the scores take a quarter of the memory.
# A GPU wants much to do at once.
_MICRO_BATCH_ON_CPU = 128
_STATE_BYTES = 4  # recurrent states are kept in single precision
_KV_BYTES = {KvType.F16: (1, 2), KvType.Q8_0: (32, 34)}  # values in a block, and its bytes
_ACTIVATION_BYTES, _MASK_BYTES, _SCORE_BYTES = 4, 2, 4
_CPU_MARGIN = 256 << 20
_GPU_MARGIN = 1 << 30  # a GPU that runs out of memory in the middle of a reply ends the process
_NARROW_HEAD = 128
_MOST_SCORES = 1 << 30
_LEAST_RATIO, _MOST_RATIO = 0.1, 10.0
_STEPS_DOWN = 8
_TIED = 8  # an output layer this many times smaller than the input's is only a norm: the input's weights serve twice
_RECURRENT = ("mamba", "mamba2", "rwkv6", "rwkv6qwen2", "rwkv7", "arwkv7")
_BOTH_IN_EACH_LAYER = ("falcon-h1",)
_FULL_ATTENTION_INTERVAL = 4
_OWN_KV_LAYERS = {"gemma3n": 20}

# Which layers have a sliding window, where the file does not say: all but one in so many, counted from the front
# (False) or from the back of each group (True).
_WINDOW_PATTERNS = {
    "gemma2": (2, False), "gemma3": (6, False), "gemma3n": (5, False), "cohere2": (4, False), "cohere2moe": (4, True),
    "gpt-oss": (2, False), "olmo2": (4, False), "exaone4": (4, False), "exaone-moe": (4, False), "afmoe": (4, False),
    "plamo3": (8, False), "smallthinker": (4, True), "mellum": (4, False), "laguna": (4, True), "llama4": (4, False),
    "muse-glimmer": (4, False),
}  # fmt: skip


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


class FlashAttention(StrEnum):
    """Whether attention is computed in one go."""

    AUTO = "auto"  # where the device can
    OFF = "off"


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
        return f"{_names(self.devices)}: {self.gpu_layers} of {self.layers} layers" if self.gpu_layers else CPU

    def device_with(self, used: int) -> str:
        """`device`, with how much of its memory is used: "CUDA0: 24 of 33 layers, 7.1 of 8.0 GB"."""
        total = sum(device.total for device in self.devices)
        return f"{self.device}, {used / 1e9:.1f} of {total / 1e9:.1f} GB" if self.gpu_layers and used else self.device


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


def context_for(facts: GgufFacts, wanted: int | None) -> int:
    """The window a model gets: no larger than it learned, and the default where nothing is wanted."""
    trained = min(facts.training_context if facts.training_context > 0 else DEFAULT_CONTEXT, MOST_CONTEXT)
    return min(trained, wanted or DEFAULT_CONTEXT)


def plan_load(
    config: ModelConfig, facts: GgufFacts, devices: Sequence[Device], record: FileRecord | None = None
) -> LoadPlan:
    """How to load a file, where `devices` are the GPUs it may use."""
    record = record or FileRecord()
    size = context_for(facts, config.context_size)
    layers = _layers(facts) + 1  # llama.cpp counts the output layer with the blocks
    kv_type = usable_kv_type(facts, config.kv_type)
    gpus = () if config.device == CPU or config.gpu_layers == 0 else tuple(devices)
    fitting = _fitting_layers(facts, record, size, kv_type, gpus)
    on_gpu = min(fitting if config.gpu_layers is None else config.gpu_layers, layers) if gpus else 0
    flash = flash_attention(facts, size, kv_type, on_gpu=on_gpu > 0)
    used = gpus if on_gpu else ()
    sizes = corrected(facts, record, size, kv_type, _names(used), flash)
    on_devices = _on_devices(facts, sizes, on_gpu) if on_gpu else 0
    share = (layers - on_gpu) / layers
    return LoadPlan(
        context_size=size,
        batch_size=min(_BATCH, size),
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
            note = f"{_names(first.devices)} had no room for {refused} of {first.layers} layers."
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


def usable_kv_type(facts: GgufFacts, wanted: KvType) -> KvType:
    """`wanted`, unless the model's heads do not go into its blocks."""
    block = _KV_BYTES[wanted][0]
    names = ("attention.key_length", "attention.value_length", "attention.key_length_swa", "attention.value_length_swa")
    widths = (facts.head_size, *map(facts.number, names))
    return KvType.F16 if any(width % block for width in widths) else wanted


def flash_attention(facts: GgufFacts, context_size: int, kv_type: KvType, *, on_gpu: bool) -> FlashAttention:
    """Flash attention on a CPU costs something for each head and each token held.

    Measured after 3,500 tokens: heads of 64 decode at a third of the speed with it (8 tokens a second, not 28), heads
    of 128 alike, heads of 256 a quarter faster. Without it, the scores of a whole batch must fit into memory.
    """
    scores = _scores(facts, context_size, micro_batch(context_size, on_gpu=on_gpu))
    narrow = 0 < facts.head_size < _NARROW_HEAD and scores <= _MOST_SCORES
    return FlashAttention.OFF if narrow and not on_gpu and kv_type is KvType.F16 else FlashAttention.AUTO


def micro_batch(context_size: int, *, on_gpu: bool) -> int:
    """How many tokens of a batch are computed at once."""
    return min(_BATCH if on_gpu else _MICRO_BATCH_ON_CPU, context_size)


def sizes_of(
    facts: GgufFacts,
    context_size: int,
    kv_type: KvType = KvType.F16,
    flash: FlashAttention = FlashAttention.AUTO,
    *,
    on_gpu: bool = False,
) -> MemoryUse:
    """What the header alone tells."""
    weights = facts.weights.total if _all_known(facts) else facts.file_size
    kv = sum(kv_by_layer(facts, context_size, kv_type, on_gpu=on_gpu))
    return MemoryUse(weights, kv, _compute(facts, context_size, flash, micro_batch(context_size, on_gpu=on_gpu)))


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


def kv_by_layer(
    facts: GgufFacts, context_size: int, kv_type: KvType = KvType.F16, *, on_gpu: bool = False
) -> tuple[int, ...]:
    """Bytes of each layer's KV cache or state. Layers with a sliding window hold that and what is computed at once, no
    more."""
    cells = _padded(context_size)
    window = facts.number("attention.sliding_window")
    few = min(cells, _padded(window + micro_batch(context_size, on_gpu=on_gpu)))
    shape = _Shape.of(facts)
    state = _state_bytes(facts)
    slides = _sliding_layers(facts, len(shape.heads))
    recurrent = _recurrent_layers(facts, shape.heads)
    return tuple(
        state if recurrent[layer] and facts.architecture not in _BOTH_IN_EACH_LAYER
        else shape.row(layer, kv_type, slides=slides[layer]) * (few if slides[layer] else cells)
        + (state if recurrent[layer] else 0)
        for layer in range(len(shape.heads))
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Shape:
    """How wide keys and values are: heads of each layer, and the width of one head, without and with a window."""

    heads: tuple[int, ...]
    keys: int
    values: int
    sliding_keys: int
    sliding_values: int
    own: int = field(default=0)  # layers that have a KV cache of their own; the others look into it

    @classmethod
    def of(cls, facts: GgufFacts) -> _Shape:
        layers = _layers(facts)
        heads = facts.numbers("attention.head_count_kv") or facts.numbers("attention.head_count") or (0,) * layers
        keys = facts.head_size
        values = facts.number("attention.value_length") or keys
        if facts.number("attention.kv_lora_rank"):  # latent attention: one row for all heads, and the values lie in it
            heads, values = (1,) * layers, 0
            keys = facts.number("attention.kv_lora_rank") + facts.number("rope.dimension_count")
        own = _OWN_KV_LAYERS.get(facts.architecture, layers - facts.number("attention.shared_kv_layers"))
        return cls(
            heads=(heads + (heads[-1:] or (0,)) * layers)[:layers],
            keys=keys,
            values=values,
            sliding_keys=facts.number("attention.key_length_swa") or keys,
            sliding_values=facts.number("attention.value_length_swa") or values,
            own=max(0, min(own, layers)),
        )

    def row(self, layer: int, kv_type: KvType, *, slides: bool) -> int:
        """Bytes of one token's keys and values."""
        if layer >= self.own:
            return 0
        width = self.sliding_keys + self.sliding_values if slides else self.keys + self.values
        block, size = _KV_BYTES[kv_type]
        return max(0, self.heads[layer]) * max(0, width) * size // block


def _layers(facts: GgufFacts) -> int:
    return min(facts.number("block_count"), MOST_LAYERS)


def _sliding_layers(facts: GgufFacts, layers: int) -> tuple[bool, ...]:
    if not facts.number("attention.sliding_window"):
        return (False,) * layers
    name = "attention.sliding_window_pattern"
    written = facts.by_layer.get(f"{facts.architecture}.{name}", ())
    if written:
        return tuple(map(bool, (written + (False,) * layers)[:layers]))
    group, from_front = _WINDOW_PATTERNS.get(facts.architecture, (1, False))
    group = facts.number(name) or group
    whole = 0 if from_front else group - 1
    return tuple(layer % group != whole for layer in range(layers)) if group > 0 else (True,) * layers


def _recurrent_layers(facts: GgufFacts, heads: tuple[int, ...]) -> tuple[bool, ...]:
    layers = len(heads)
    if facts.architecture in (*_RECURRENT, *_BOTH_IN_EACH_LAYER):
        return (True,) * layers
    if not _state_bytes(facts):
        return (False,) * layers
    written = facts.by_layer.get(f"{facts.architecture}.attention.recurrent_layers", ())
    if written:
        return tuple(map(bool, (written + (False,) * layers)[:layers]))
    if 0 in heads:
        return tuple(not count for count in heads)
    interval = max(1, facts.number("full_attention_interval") or _FULL_ATTENTION_INTERVAL)
    return tuple((layer + 1) % interval != 0 for layer in range(layers))


def _state_bytes(facts: GgufFacts) -> int:
    """Bytes of the state that one recurrent layer carries from token to token."""
    width = facts.number("embedding_length")
    kernel, inner, groups, state = (
        facts.number(f"ssm.{name}") for name in ("conv_kernel", "inner_size", "group_count", "state_size")
    )
    before = max(0, kernel - 1)
    if head := facts.number("wkv.head_size"):
        numbers = (facts.number("token_shift_count") or 2) * width + width * head
    elif reach := facts.number("shortconv.l_cache"):
        numbers = width * (reach - 1)
    elif head := facts.number("kda.head_dim"):
        numbers = facts.most_heads * head * (3 * before + head)
    else:
        numbers = before * (inner + 2 * groups * state) + state * inner
    return max(0, numbers) * _STATE_BYTES


def _compute(facts: GgufFacts, context_size: int, flash: FlashAttention, batch: int) -> int:
    """What `batch` tokens are computed in: their activations, who may look at whom, the scores where they are written;
    at its end the logits, where those take more. Fitted to what llama.cpp laid out for several models and windows."""
    width = facts.number("embedding_length")
    inner = max(facts.numbers("feed_forward_length"), default=0)
    experts = facts.number("expert_feed_forward_length") * facts.number("expert_used_count")
    widest = max(inner, experts, facts.most_heads * facts.head_size, facts.number("ssm.inner_size"))
    activations = batch * _ACTIVATION_BYTES * (4 * width + 3 * widest)
    if flash is FlashAttention.OFF:
        attending = batch * _ACTIVATION_BYTES * 6 * width + _scores(facts, context_size, batch)
        activations = max(activations, attending)
    one, most = 2 * facts.vocabulary_size, min(MOST_OUTPUTS, batch) * facts.vocabulary_size
    layers = activations + _mask(facts, context_size, flash, batch) + _ACTIVATION_BYTES * one
    return max(0, layers, _ACTIVATION_BYTES * (most + 2 * batch * width))


def _mask(facts: GgufFacts, context_size: int, flash: FlashAttention, batch: int) -> int:
    """Who may look at whom: a number for each token of a batch and each cell, once more for sliding windows."""
    if not facts.most_heads:
        return 0
    cells = _padded(context_size)
    if window := facts.number("attention.sliding_window"):
        cells += min(cells, _padded(window + batch))
    return batch * cells * (_MASK_BYTES if flash is FlashAttention.AUTO else _SCORE_BYTES)


def _scores(facts: GgufFacts, context_size: int, batch: int) -> int:
    return _SCORE_BYTES * facts.most_heads * batch * _padded(context_size)


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
    layers = _layers(facts) + 1
    fitting = next((count for count in range(layers, 0, -1) if _on_devices(facts, sizes, count) <= room), 0)
    for run in record.runs:
        had_to_step_down = _is_like(run, context_size, kv_type, _names(gpus)) and run.gpu_layers < run.layers_wanted
        if had_to_step_down and sum(gpu.free for gpu in gpus) <= run.free:
            fitting = min(fitting, run.gpu_layers)
    return fitting


def _on_devices(facts: GgufFacts, sizes: MemoryUse, count: int) -> int:
    """Bytes on the devices when the last `count` layers are there, the output layer the first to go."""
    plain = facts.weights
    weights = plain.output if plain.output * _TIED > plain.input else plain.output + plain.input
    kv = kv_by_layer(facts, DEFAULT_CONTEXT, on_gpu=True)
    blocks = count - 1
    share = sum(kv[len(kv) - blocks :]) / sum(kv) if blocks and sum(kv) else 0.0
    weights += sum(_of_layers(plain, len(kv))[len(kv) - blocks :]) if blocks else 0
    if not _all_known(facts):
        weights = facts.file_size * count // (len(kv) + 1)
    return weights + int(sizes.kv * share) + sizes.compute


def _of_layers(weights: Weights, layers: int) -> tuple[int, ...]:
    return (weights.layers + (0,) * layers)[:layers]


def _all_known(facts: GgufFacts) -> bool:
    return all(part.expected_size is not None for part in facts.parts)


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


def _padded(size: int) -> int:
    return -(-size // CONTEXT_STEP) * CONTEXT_STEP


def _facts_now(path: Path) -> GgufFacts:
    try:
        stat = path.stat()
    except (OSError, ValueError):
        return read_facts(path)  # says what is wrong
    return _facts_of(path, stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=16)
def _facts_of(path: Path, _size: int, _written: int) -> GgufFacts:
    return read_facts(path)

"""What a model takes of memory, by its header alone.

It knows nothing of llama.cpp but how that lays things out, and nothing of devices or measurements.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from inference.configuration import KvType
from inference.events import MemoryUse
from inference.gguf_header import MOST_LAYERS, GgufFacts, Weights

DEFAULT_CONTEXT = 4096
CONTEXT_STEP = 256  # llama.cpp rounds up to it
MOST_CONTEXT = 2**31 - CONTEXT_STEP
BATCH_SIZE = 512
MOST_OUTPUTS = 16  # tokens of a batch whose logits are kept: those of a draft

# What is computed at once. Measured on a CPU, 1,000 tokens with SmolLM2: a quarter of a batch at a time reads a tenth
# faster than all of it, since what it works on stays near the processor, and the scores take a quarter of the memory.
# A GPU wants much to do at once.
_MICRO_BATCH_ON_CPU = 128
_STATE_BYTES = 4  # recurrent states are kept in single precision
_KV_BYTES = {KvType.F16: (1, 2), KvType.Q8_0: (32, 34)}  # values in a block, and its bytes
_ACTIVATION_BYTES, _MASK_BYTES, _SCORE_BYTES = 4, 2, 4
_NARROW_HEAD = 128
_MOST_SCORES = 1 << 30
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


class FlashAttention(StrEnum):
    """Whether attention is computed in one go."""

    AUTO = "auto"  # where the device can
    OFF = "off"


def context_for(facts: GgufFacts, wanted: int | None) -> int:
    """The window a model gets: no larger than it learned, and the default where nothing is wanted."""
    trained = min(facts.training_context if facts.training_context > 0 else DEFAULT_CONTEXT, MOST_CONTEXT)
    return min(trained, wanted or DEFAULT_CONTEXT)


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


def bytes_on_devices(facts: GgufFacts, sizes: MemoryUse, count: int) -> int:
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


def layers_of(facts: GgufFacts) -> int:
    """How many blocks it has; the output layer is none of them."""
    return min(facts.number("block_count"), MOST_LAYERS)


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
    return min(BATCH_SIZE if on_gpu else _MICRO_BATCH_ON_CPU, context_size)


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
        layers = layers_of(facts)
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


def _of_layers(weights: Weights, layers: int) -> tuple[int, ...]:
    return (weights.layers + (0,) * layers)[:layers]


def _all_known(facts: GgufFacts) -> bool:
    return all(part.expected_size is not None for part in facts.parts)


def _padded(size: int) -> int:
    return -(-size // CONTEXT_STEP) * CONTEXT_STEP

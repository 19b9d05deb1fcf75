"""Whatever stands in the place of a value in a model's header, what is read of it is of its types, and all that is
worked out from it can be."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from inference.configuration import ModelConfig
from inference.errors import ModelError
from inference.gguf_header import GgufFacts, glance, read_facts
from inference.llama import _sampling_of
from inference.machine import Device, DeviceKind
from inference.memory import forecast_of, plans_to_try
from inference.model_files import check_file, describe, refusal_at_a_glance
from inference.shelf import facts_of
from tests.deep_types import assert_of_its_types
from tests.odd_values import damaged

METADATA: dict[str, Any] = {
    "general.architecture": "llama",
    "general.name": "Tiny",
    "general.type": "model",
    "general.size_label": "1M",
    "general.license": "mit",
    "general.file_type": 0,
    "general.alignment": 32,
    "general.sampling.temp": 0.7,
    "general.sampling.top_k": 20,
    "general.sampling.penalty_last_n": 64,
    "split.no": 0,
    "split.count": 0,
    "tokenizer.chat_template": "{{ messages }}",
    "tokenizer.ggml.tokens": ["a", "b", "c"],
} | {
    f"llama.{name}": value
    for name, value in {
        "context_length": 1024,
        "embedding_length": 32,
        "block_count": 2,
        "feed_forward_length": [64, 64],
        "attention.head_count": [4, 4],
        "attention.head_count_kv": [2, 2],
        "attention.key_length": 8,
        "attention.value_length": 8,
        "attention.sliding_window": 64,
        "attention.sliding_window_pattern": [1, 0],
        "attention.shared_kv_layers": 1,
        "attention.recurrent_layers": [1, 0],
        "attention.causal": True,
        "rope.scaling.type": "none",
        "rope.dimension_count": 8,
        "expert_count": 4,
        "expert_used_count": [2, 2],
        "expert_group_count": 2,
        "expert_group_used_count": 1,
        "ssm.conv_kernel": 4,
        "ssm.inner_size": 64,
        "ssm.state_size": 4,
        "full_attention_interval": 4,
        "nextn_predict_layers": 0,
        "pooling_type": 0,
    }.items()
}
ARCHITECTURES = st.sampled_from(["llama", "gemma3", "gemma3n", "mamba", "falcon-h1", "smallthinker"])


@given(damaged(METADATA), ARCHITECTURES, st.integers(0, 2**40), st.integers(1, 2**31))
def test_whatever_a_header_holds_it_is_read_or_refused(
    tmp_path_factory: Any, metadata: Any, architecture: str, free: int, context: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "odd.gguf"
    text = json.dumps(metadata).replace("llama", architecture)
    path.write_bytes(header(json.loads(text)))
    with suppress(ModelError):
        check_file(path)
    with suppress(ModelError):
        assert_of_its_types(describe(path))
    assert_of_its_types(facts_of(path))
    for read in (read_facts, glance):
        try:
            facts = read(path)
        except ModelError as error:
            assert str(error).encode()  # noqa: PT017 - either way is fine
            continue
        assert_is_worked_out(facts, free, context)


def assert_is_worked_out(facts: GgufFacts, free: int, context: int) -> None:
    assert_of_its_types(replace(facts, metadata={}, by_layer={}))  # those two are as they stand there
    assert isinstance(refusal_at_a_glance(facts), str)
    assert_of_its_types(_sampling_of(facts.metadata))
    device = Device("CUDA0", "", DeviceKind.GPU, free, free)
    for wanted in (None, context):
        assert_of_its_types(forecast_of(facts, wanted, device=device))
    for plan in plans_to_try(ModelConfig(facts.path, context_size=context), facts, (device,)):
        assert_of_its_types(plan)
        assert 0 <= plan.gpu_layers <= plan.layers
        assert plan.on_devices >= 0
        assert plan.in_memory >= 0


def header(metadata: object) -> bytes:
    """A GGUF file without a tensor that says so; what GGUF has no form for is left out."""
    entries = list(metadata.items()) if isinstance(metadata, dict) else []
    written = [(key, list(_value(value))) for key, value in entries]
    said = [_text(key) + form for key, forms in written for form in forms]
    return b"GGUF" + struct.pack("<IQQ", 3, 0, len(said)) + b"".join(said)


def _value(value: object) -> Iterator[bytes]:
    match value:
        case bool():
            yield struct.pack("<I?", 7, value)
        case int():
            kind, form = (10, "Q") if value >= 0 else (11, "q")
            with suppress(struct.error):
                yield struct.pack(f"<I{form}", kind, value)
        case float():
            yield struct.pack("<Id", 12, value)
        case str():
            yield struct.pack("<I", 8) + _text(value)
        case list() if all(isinstance(each, str) for each in value):
            yield struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(_text, value))
        case list() if all(isinstance(each, int | float) for each in value):
            kind, form = (11, "q") if all(type(each) is int and abs(each) < 2**63 for each in value) else (12, "d")
            numbers = [each if kind == 11 else _float(each) for each in value]
            yield struct.pack(f"<IIQ{len(numbers)}{form}", 9, kind, len(numbers), *numbers)


def _float(number: float) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf


def _text(text: str) -> bytes:
    written = text.encode("utf-8", "surrogatepass")
    return struct.pack("<Q", len(written)) + written

"""Models that llama.cpp really loads, for tests of what stands on them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from inference.configuration import KvType, ModelConfig
from inference.llama import load_model
from inference.llama.model import LlamaModel
from inference.model import StopFlag
from inference.requests import Sampling

GREEDY = Sampling(temperature=0.0, repeat_penalty=1.0)


def load(
    path: Path,
    *,
    context_size: int | None = None,
    stop_flag: StopFlag | None = None,
    kv_type: KvType = KvType.F16,
) -> LlamaModel:
    """The model at `path` on one thread: two would spin beside whatever else a test machine does."""
    config = ModelConfig(path, context_size=context_size, threads=1, kv_type=kv_type)
    return load_model(config, stop_flag or StopFlag(), lambda _fraction: None)


@contextmanager
def loaded(
    path: Path,
    *,
    context_size: int | None = None,
    stop_flag: StopFlag | None = None,
    kv_type: KvType = KvType.F16,
) -> Iterator[LlamaModel]:
    model = load(path, context_size=context_size, stop_flag=stop_flag, kv_type=kv_type)
    try:
        yield model
    finally:
        model.close()


def read(model: LlamaModel, tokens: list[int]) -> None:
    """Evaluate `tokens` in batches as large as they may be."""
    size = model.info.batch_size
    for start in range(0, len(tokens), size):
        batch = tokens[start : start + size]
        assert model.evaluate(batch) == len(batch)


def write(model: LlamaModel, count: int, sampling: Sampling = GREEDY) -> list[int]:
    """Sample `count` tokens and evaluate all but the last of them."""
    sampler = model.sampler(sampling)
    written = [sampler.sample()]
    while len(written) < count:
        assert model.evaluate(written[-1:]) == 1
        written.append(sampler.sample())
    sampler.close()
    return written

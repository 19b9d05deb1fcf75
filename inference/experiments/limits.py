"""How close a reply's decode came to what the machine's memory allows.

A token by itself takes all of a model's weights through the processor once, and what is held in the KV cache: on a CPU,
memory bandwidth is the limit. The bandwidth is measured by reading, not looked up.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

from inference.configuration import ModelConfig
from inference.errors import InvalidRequest
from inference.events import JobProgress, ModelInfo
from inference.experiments.samples import Statistic
from inference.ids import JobId, new_job_id
from inference.jobs import JobSteps, ModelOnLoan
from inference.sentences import Sentence

_BYTES = 256 << 20  # more than any cache holds
_ROUNDS = 7

METHOD = Sentence(
    "Bytes per token: the weights, all of them, and the part of the KV cache that was filled. Bandwidth: each of the "
    "model's threads reads its share of 256 MiB from one end to the other; the best of 7 rounds. Of models with "
    "experts only some weights are read for a token, so their share is overestimated."
)


@dataclass(frozen=True, slots=True)
class Bandwidth:
    """Bytes that could be read from memory per second, by so many threads; each round is a sample, the best counts."""

    per_second: Statistic
    threads: int

    @property
    def best(self) -> float:
        return self.per_second.high


@dataclass(frozen=True, slots=True)
class BandwidthJob:
    """Measure the memory, while no model computes. Its result is a `Bandwidth`; `None` where it was stopped before the
    first round."""

    model: ModelConfig
    id: JobId = field(default_factory=new_job_id)

    def steps(self, loan: ModelOnLoan) -> JobSteps:
        samples: list[float] = []
        threads = loan.info.threads
        memory = _Memory(threads)
        for turn in range(_ROUNDS):
            if loan.is_stopped:
                break
            yield JobProgress(self.id, turn / _ROUNDS, Sentence("Reading memory"))
            samples.append(memory.read())
        return Bandwidth(Statistic(tuple(samples)), threads) if samples else None


def bytes_per_token(info: ModelInfo, held: int) -> int:
    """What decoding one token moves, `held` tokens being in the KV cache.

    Raises:
        InvalidRequest: the model runs on a GPU, whose memory is not measured.
    """
    if info.gpu_layers:
        raise InvalidRequest(Sentence("The share of the limit is computed for models on the CPU."))
    weights = info.memory.weights if info.memory is not None else info.file_size
    kv = info.memory.kv if info.memory is not None else 0
    return weights + kv * min(held, info.context_size) // max(1, info.context_size)


def share_of_limit(decode_rate: float, moved: int, bandwidth: Bandwidth) -> float:
    """The part of the bandwidth that a decode rate takes; 1 is the limit."""
    return decode_rate * moved / bandwidth.best


class _Memory:
    """A stretch of memory, and threads that read it."""

    def __init__(self, threads: int) -> None:
        import numpy as np

        whole = np.ones(_BYTES // 8, dtype=np.uint64)
        self._parts = np.array_split(whole, threads)

    def read(self) -> float:
        """Bytes per second, once through."""
        workers = [threading.Thread(target=part.max) for part in self._parts]  # numpy gives the lock away meanwhile
        began = time.perf_counter()
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        return _BYTES / (time.perf_counter() - began)

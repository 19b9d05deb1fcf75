"""Whether a model suits this machine, said by its size alone: what it will need of the memory, and how fast it writes.

It is what can be said before a file is here. Once it is, `inference.memory` knows better.

Speed: decoding a token reads every weight once, so its time grows with the file. What this machine has decoded so far,
in bytes of weights a second, divided by a model's size is its tokens a second. Where nothing was decoded yet, or where
only some weights are read for each token, no speed is told.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from inference.machine import Device, DeviceKind, available_memory
from inference.measurements import Measurements

WORDS_PER_TOKEN = 0.75  # of English

_MORE_THAN_THE_FILE = 0.12  # of its size: the KV cache of the usual window, and what is computed with
_AT_LEAST_MORE = 350 << 20  # bytes
_MARGIN_IN_MEMORY, _MARGIN_ON_GPU = 256 << 20, 1 << 30  # bytes left to others, as `inference.memory` has them


@dataclass(frozen=True, slots=True)
class Machine:
    """What a model may have here: `free` bytes of memory, on a device with a memory of its own where `device` names
    one; and how many bytes of weights are read a second while it writes, `None` where that was not measured. Of a
    smaller model than was measured with, no more than `most_tokens` a second are promised."""

    free: int
    margin: int
    device: str = ""
    weights_a_second: float | None = None
    most_tokens: float = math.inf

    @classmethod
    def here(cls, measurements: Measurements | None = None, devices: Sequence[Device] = (), freed: int = 0) -> Machine:
        """This machine as it is now. `devices` are those that may be used, the GPU with most room counts; `freed` bytes
        are given back before a load."""
        gpu = max((each for each in devices if each.kind is DeviceKind.GPU), key=lambda each: each.free, default=None)
        pace, most = (None, math.inf) if measurements is None else measured_pace(measurements)
        memory = available_memory() + freed
        if gpu is not None and gpu.free - _MARGIN_ON_GPU > memory - _MARGIN_IN_MEMORY:
            return cls(gpu.free, _MARGIN_ON_GPU, gpu.name, pace, most)
        return cls(memory, _MARGIN_IN_MEMORY, "", pace, most)


@dataclass(frozen=True, slots=True)
class Suitability:
    """What can be said of a model on a machine: about how many bytes it needs of how many that are free, and about how
    many words a second it writes; `None` where that is not known."""

    needed: int
    free: int
    fits: bool
    words_a_second: float | None


def suitability_of(size: int, machine: Machine, needed: int = 0, *, is_mixture: bool = False) -> Suitability:
    """Of a model whose files have `size` bytes. `needed` is what it will need, where that is known better."""
    needed = needed or size + max(_AT_LEAST_MORE, int(size * _MORE_THAN_THE_FILE))
    pace = None if is_mixture or not size else machine.weights_a_second
    return Suitability(
        needed=needed,
        free=machine.free,
        fits=needed + machine.margin <= machine.free,
        words_a_second=None if pace is None else WORDS_PER_TOKEN * min(pace / size, machine.most_tokens),
    )


def measured_pace(measurements: Measurements) -> tuple[float | None, float]:
    """How many bytes of weights this machine reads a second while it decodes, and at how many tokens a second that was
    measured: of the largest model that wrote here, its usual pace. A small model's is lower than a large one's would
    be, so this promises too little rather than too much."""
    for key, record in sorted(measurements.all().items(), key=lambda each: -_size_in(each[0])):
        paces = [pace.seconds for pace in record.paces if pace.seconds > 0]
        if paces and (size := _size_in(key)):
            return size / min(paces), 1 / min(paces)
    return None, math.inf


def _size_in(key: str) -> int:
    """The size of a model, which `file_key` puts before the time."""
    words = key.rsplit(" ", 2)
    return int(words[1]) if len(words) == 3 and re.fullmatch(r"[0-9]{1,18}", words[1]) else 0

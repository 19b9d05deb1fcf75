"""How much memory llama.cpp took, as its log tells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from inference.events import MemoryUse

_LINE = re.compile(r"(\S+)\s+(model|KV|RS|compute|output) buffer size =\s*(\d+(?:\.\d+)?) MiB")


@dataclass(frozen=True, slots=True)
class Buffers:
    """Bytes by place ("CPU", "CPU_Mapped", "CUDA0") and purpose ("model", "KV", "RS", "compute", "output")."""

    sizes: tuple[tuple[str, str, int], ...]

    @property
    def use(self) -> MemoryUse:
        """All of them, wherever they are."""
        return MemoryUse(self._of("model"), self._of("KV", "RS"), self._of("compute", "output"))

    def on(self, devices: Sequence[str]) -> int:
        """Bytes in the memory of these devices."""
        return sum(size for place, _, size in self.sizes if place.partition("_")[0] in devices and "_Host" not in place)

    def _of(self, *purposes: str) -> int:
        return sum(size for _, purpose, size in self.sizes if purpose in purposes)


def buffers_in(lines: Iterable[str]) -> Buffers:
    """The buffers that the lines of one load speak of."""
    found: dict[tuple[str, str], int] = {}
    for line in lines:
        if (match := _LINE.search(line)) is None:
            continue
        place, purpose, size = match[1], match[2], round(float(match[3]) * (1 << 20))
        # What is computed in may be laid out anew; the other buffers come one after another.
        before = 0 if purpose in ("compute", "output") else found.get((place, purpose), 0)
        found[place, purpose] = before + size
    return Buffers(tuple((place, purpose, size) for (place, purpose), size in found.items()))

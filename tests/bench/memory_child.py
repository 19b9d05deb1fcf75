"""A reply in a process of its own, to a prompt of so many words: what it holds besides the mapped model file, in MB, to
standard output."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import inference


def main(words: int) -> None:
    """Answer one prompt as `python -m inference` does, and look at this process's memory maps (Linux)."""
    path = inference.embedded_model()
    if path is None:
        raise SystemExit("The embedded model is not installed.")
    with inference.connect(path, context_size=4096) as client:
        client.generate("Write a long story about a river. " + "word " * words, max_tokens=64)
        print(held_besides(path.name) / 1e6)


def held_besides(file_name: str) -> int:
    """Resident bytes of every mapping but those of the file with that name."""
    resident, counted = 0, True
    for line in Path("/proc/self/smaps").read_text(encoding="utf-8").splitlines():
        if re.match(r"[0-9a-f]+-[0-9a-f]+ ", line):
            counted = not line.endswith(file_name)
        elif counted and line.startswith("Rss:"):
            resident += 1024 * int(line.split()[1])
    return resident


if __name__ == "__main__":
    main(int(sys.argv[1]))

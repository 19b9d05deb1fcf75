"""Whether compiled libraries hold instructions that are newer than what is promised to be enough (x86-64-v3).

    python -m scripts.instructions LIBRARY...

Registers tell most: AVX-512 has 32 vectors, twice as wide, and masks; AMX has tiles. The rest is known by name.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

_NEWER = re.compile(
    r"%zmm|%tmm|%k[0-7]\b|%[xy]mm(?:1[6-9]|2\d|3[01])\b"
    r"|\b(?:vpdp\w+|vpmadd52\w+|vaes\w+|aes\w+|v?pclmul\w+|v?gf2p8\w+|sha(?:1|256|512)\w+|vsha512\w+|vsm[34]\w+"
    r"|adcx|adox|rdseed|clwb|cldemote|vcvtneps2bf16\w*|vbcstn\w+|movdir64b|movdiri|ud[01])\b"
)
# An address, a tab, the instruction.
_LINE = re.compile(r"^\s*[0-9a-f]+:\t(\S.*)$")


def main(arguments: Sequence[str]) -> int:
    """Look into each of these; returns the exit status."""
    found = {path: newer_in(Path(path)) for path in arguments}
    for path, names in found.items():
        words = ", ".join(f"{name} ({count} times)" for name, count in names.most_common(8))
        sys.stdout.write(f"{path}: {words or 'nothing newer than x86-64-v3'}\n")
    return 1 if any(found.values()) else 0


def newer_in(path: Path) -> Counter[str]:
    """The instructions in this library that a processor of the promise may not know, with how often each is there."""
    command = ("objdump", "--disassemble", "--no-show-raw-insn", "--wide", str(path))
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, errors="replace") as process:
        assert process.stdout is not None  # noqa: S101 - it was asked for
        found = newer_of(process.stdout)
    if process.returncode:
        raise SystemExit(f"objdump cannot read {path}.")
    return found


def newer_of(lines: Iterable[str]) -> Counter[str]:
    """The same from a disassembly's lines."""
    found: Counter[str] = Counter()
    for line in lines:
        if (match := _LINE.match(line)) and _NEWER.search(match[1].partition("<")[0]):
            found[_name_of(match[1])] += 1
    return found


def _name_of(instruction: str) -> str:
    return next(word for word in instruction.split() if not word.startswith("{"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The packaged program on another processor than this one, emulated by qemu-user.

It needs root: what the system says of its processor is replaced for the program alone.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from tempfile import NamedTemporaryFile

EMULATOR = "qemu-x86_64"
# What each knows of what is looked at, by the names of /proc/cpuinfo; qemu's names of them.
NEHALEM = ("Nehalem", "ssse3 sse4_1 sse4_2 popcnt")  # 2008: Qt runs, llama.cpp does not
CORE_2 = ("core2duo", "ssse3")  # 2006: nor does Qt
_PATIENCE = 300.0  # seconds; an emulated program is slow


def run_on(processor: tuple[str, str], program: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the packaged program with these words on that processor."""
    name, flags = processor
    inside = program.parent / "_internal"
    # The program begins anew once it has named the folder of its libraries, and what it begins anew is not emulated. So
    # it is told that it has done so.
    begun = {
        "_PYI_ARCHIVE_FILE": str(program),
        "_PYI_APPLICATION_HOME_DIR": str(inside),
        "_PYI_PARENT_PROCESS_LEVEL": "0",
    }
    with NamedTemporaryFile("w", suffix=".cpuinfo") as told:
        told.write(f"processor\t: 0\nflags\t\t: {flags}\n")
        told.flush()
        return subprocess.run(
            (
                *("unshare", "--mount", "sh", "-c", 'mount --bind "$0" /proc/cpuinfo && exec "$@"', told.name),
                *(EMULATOR, "-cpu", name, "-E", f"LD_LIBRARY_PATH={inside}", str(program), *words),
            ),
            env={**os.environ, **begun},
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PATIENCE,
            check=False,
        )
